//! Step sizes along a path: found before a weighted run, and fixed during it.

use crate::math::{exp, ln};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The step size ε(β), given at some β, with ln ε linear between them and constant beyond.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepSizes {
    betas: Vec<f64>,
    sizes: Vec<f64>,
}

impl StepSizes {
    /// Step sizes at these β, which must ascend.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if there are no sizes, their number is not that of β, a size is not
    /// positive and finite, or the β do not ascend from 0 to 1.
    pub fn new(betas: Vec<f64>, sizes: Vec<f64>) -> Result<Self> {
        let bad = |problem: String| Err(Error::spec("stepSizes", problem));
        if betas.is_empty() || betas.len() != sizes.len() {
            return bad(format!(
                "has {} values of beta and {} sizes; give as many of both, one at least",
                betas.len(),
                sizes.len()
            ));
        }
        if !betas.iter().all(|beta| (0.0..=1.0).contains(beta))
            || betas.windows(2).any(|two| two[0] >= two[1])
        {
            return bad("has values of beta that do not ascend between 0 and 1".into());
        }
        match sizes.iter().find(|&&size| !Self::are_sizes(&[size])) {
            Some(size) => bad(format!("has the size {size}; sizes are finite and greater than 0")),
            None => Ok(Self { betas, sizes }),
        }
    }

    /// Whether `new` would accept these, as it would unless a checkpoint was tampered with.
    pub fn is_valid(&self) -> bool {
        Self::new(self.betas.clone(), self.sizes.clone()).is_ok()
    }

    /// Whether all are positive and finite.
    pub fn are_sizes(sizes: &[f64]) -> bool {
        sizes.iter().all(|&size| size > 0.0 && size.is_finite())
    }

    /// The same step size for all β.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if it is not positive and finite.
    pub fn constant(size: f64) -> Result<Self> {
        Self::new(vec![0.0], vec![size])
    }

    /// The β at which sizes are given.
    pub fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// The step sizes at these β.
    pub fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// The step size ε(β).
    pub fn at(&self, beta: f64) -> f64 {
        let after = self.betas.partition_point(|known| *known <= beta);
        if after == 0 {
            return self.sizes[0];
        }
        let before = after - 1;
        if after == self.betas.len() || self.sizes[before] == self.sizes[after] {
            return self.sizes[before];
        }
        let t = (beta - self.betas[before]) / (self.betas[after] - self.betas[before]);
        exp((1.0 - t) * ln(self.sizes[before]) + t * ln(self.sizes[after]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_linear_between_what_is_given() {
        let sizes = StepSizes::new(vec![0.2, 0.6, 1.0], vec![0.4, 0.1, 0.1]).unwrap();
        for (beta, expected) in
            [(0.0, 0.4), (0.2, 0.4), (0.4, 0.2), (0.6, 0.1), (0.8, 0.1), (1.0, 0.1)]
        {
            assert!((sizes.at(beta) - expected).abs() < 1e-15, "{beta}: {}", sizes.at(beta));
        }
        assert_eq!(StepSizes::constant(0.3).unwrap().at(0.7), 0.3);
    }

    #[test]
    fn bad_sizes_are_refused() {
        for (betas, sizes) in [
            (vec![], vec![]),
            (vec![0.0], vec![0.1, 0.2]),
            (vec![0.0], vec![0.0]),
            (vec![0.0], vec![f64::NAN]),
            (vec![0.5, 0.5], vec![0.1, 0.2]),
            (vec![0.5, 1.5], vec![0.1, 0.2]),
        ] {
            let error = StepSizes::new(betas, sizes).unwrap_err();
            assert_eq!(error.field(), Some("stepSizes"));
        }
    }
}
