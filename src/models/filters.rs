//! A matrix Φ of filters, `[L, M]`, one per row, used by products of experts and independent
//! component analysis.

use crate::linalg::{Block, LeftFactor, dot, transpose};
use crate::math::ln;
use crate::{Error, Result};
use nalgebra::{DMatrix, LU};
use std::sync::OnceLock;

/// Φ, with values computed from it.
#[derive(Debug, Clone)]
pub(super) struct Filters {
    dim: usize,
    /// Φ, row-major `[L, M]`.
    rows: Vec<f64>,
    /// Φ as a left factor; the next field is Φᵀ.
    forward: LeftFactor,
    backward: LeftFactor,
    /// The inverse, for a square invertible Φ; computed on first use.
    inverse: OnceLock<Option<Inverse>>,
}

/// The inverse of a square Φ.
#[derive(Debug, Clone)]
pub(super) struct Inverse {
    /// The inverse Φ⁻¹, row-major.
    pub rows: Vec<f64>,
    /// ln |det Φ|, in nats.
    pub log_det: f64,
}

impl Filters {
    /// Filters of `dim` entries each.
    pub fn new(dim: usize, rows: &[f64]) -> Self {
        let mut filters = Self {
            dim,
            rows: vec![0.0; rows.len()],
            forward: LeftFactor::default(),
            backward: LeftFactor::default(),
            inverse: OnceLock::new(),
        };
        filters.set(rows);
        filters
    }

    /// Sets Φ.
    pub fn set(&mut self, rows: &[f64]) {
        self.rows.copy_from_slice(rows);
        let mut transposed = vec![0.0; rows.len()];
        transpose(self.dim, self.len(), rows, &mut transposed);
        self.forward = LeftFactor::new(self.len(), self.dim, rows);
        self.backward = LeftFactor::new(self.dim, self.len(), &transposed);
        self.inverse = OnceLock::new();
    }

    /// The number of entries of a filter, M.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of filters, L.
    pub fn len(&self) -> usize {
        self.rows.len() / self.dim
    }

    /// Φ, row-major `[L, M]`.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The responses `u = Φx` for one state.
    pub fn respond<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.rows.chunks_exact(self.dim).map(move |row| dot(row, x))
    }

    /// The responses `u = Φx` for all states, `[L, width]`.
    pub fn respond_all(&self, x: Block<'_>, u: &mut [f64]) {
        self.forward.product(x.data(), u);
    }

    /// `Φᵀψ` for all states, `[M, width]`.
    pub fn pull_back(&self, psi: &[f64], grad: &mut [f64]) {
        self.backward.product(psi, grad);
    }

    /// `grad += weight ∂ ln |det Φ|/∂Φ`, which is Φ⁻ᵀ; NaN if there is no inverse.
    pub fn accumulate_log_det_grad(&self, weight: f64, grad: &mut [f64]) {
        let dim = self.dim;
        let Some(inverse) = self.inverse() else {
            grad.fill(f64::NAN);
            return;
        };
        for (i, grad) in grad.chunks_exact_mut(dim).enumerate() {
            for (j, grad) in grad.iter_mut().enumerate() {
                *grad += weight * inverse.rows[j * dim + i];
            }
        }
    }

    /// The inverse, if Φ is square and has one.
    pub fn inverse(&self) -> Option<&Inverse> {
        self.inverse.get_or_init(|| self.invert()).as_ref()
    }

    fn invert(&self) -> Option<Inverse> {
        let dim = self.dim;
        if self.len() != dim {
            return None;
        }
        // Column-major, so this is Φᵀ, and the same holds for its inverse.
        let factors = LU::new(DMatrix::from_column_slice(dim, dim, &self.rows));
        let upper = factors.u();
        let log_det: f64 = (0..dim).map(|d| ln(upper[(d, d)].abs())).sum();
        let inverse = factors.try_inverse()?.as_slice().to_vec();
        let is_valid = log_det.is_finite() && inverse.iter().all(|value| value.is_finite());
        is_valid.then_some(Inverse { rows: inverse, log_det })
    }
}

/// The identity, row-major.
pub(super) fn identity(dim: usize) -> Vec<f64> {
    let mut rows = vec![0.0; dim * dim];
    rows.iter_mut().step_by(dim + 1).for_each(|value| *value = 1.0);
    rows
}

/// Refuses a square Φ without an inverse.
pub(super) fn check_invertible(field: &str, filters: &Filters) -> Result<()> {
    if filters.inverse().is_some() {
        return Ok(());
    }
    let problem = "has no inverse, so the density cannot be normalized; \
                   make its rows linearly independent";
    Err(Error::spec(field, problem))
}

/// −1, 0 or 1: the slope of |u|, 0 at the kink.
pub(super) fn sign(u: f64) -> f64 {
    if u > 0.0 {
        1.0
    } else if u < 0.0 {
        -1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product;

    #[test]
    fn inverses_by_their_definition() {
        let rows = [2.0, 1.0, 0.0, -1.0, 0.5, 3.0, 0.25, 0.0, 1.0];
        let filters = Filters::new(3, &rows);
        let inverse = filters.inverse().unwrap();
        let mut unit = [0.0; 9];
        product(3, 3, &rows, &inverse.rows, &mut unit);
        for (entry, expected) in unit.iter().zip(identity(3)) {
            assert!((entry - expected).abs() < 1e-14);
        }
        // 2 (0.5) − 1 (−1 − 0.75).
        assert!((inverse.log_det - ln(2.75)).abs() < 1e-14);
        assert!(Filters::new(2, &[1.0, 2.0, 2.0, 4.0]).inverse().is_none());
        assert!(Filters::new(1, &[1.0, 2.0]).inverse().is_none());
    }
}
