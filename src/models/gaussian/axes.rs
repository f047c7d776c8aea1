//! The principal axes of a Gaussian: `Λ = Q diag(λ) Qᵀ`, and in `y = Qᵀ(x − μ)` the
//! energy is `½ Σ λ_k y_k²`.
//!
//! A momentum N(0, I) is N(0, I) in y as well, and leapfrog steps, random walks and U-turns are the
//! same in rotated coordinates. So chains that move without a map can move along the axes, where a
//! gradient takes D operations instead of D², and only what they report is rotated back.

use super::{Gaussian, GaussianSpec};
use crate::linalg::{product, symmetric_eigen, transpose, vector_product};
use nalgebra::DMatrix;
use std::ops::RangeInclusive;

/// Dimensions for which rotating pays off: below, a product costs no more than the rest of a step;
/// above, finding the axes takes too long, as it cannot be interrupted.
const DIMS: RangeInclusive<usize> = 32..=256;

/// Largest condition number of Λ at which every λ is still accurate to eight digits.
const MAX_CONDITION: f64 = 1e8;

/// A Gaussian along its principal axes; see the module documentation.
#[derive(Debug, Clone)]
pub struct PrincipalAxes {
    mean: Vec<f64>,
    /// Q, row-major; the next field is Qᵀ.
    axes: Vec<f64>,
    transposed: Vec<f64>,
    along: Gaussian,
}

impl Gaussian {
    /// The principal axes; none if chains would gain nothing from them: if Λ is diagonal, D is
    /// below 32 or above 256, or the smallest λ is less than 1e-8 of the greatest. Finding them
    /// takes some D³ operations.
    pub fn principal_axes(&self) -> Option<PrincipalAxes> {
        let dim = self.dim;
        if self.diagonal.is_some() || !DIMS.contains(&dim) || !self.is_valid() {
            return None;
        }
        let eigen = symmetric_eigen(DMatrix::from_row_slice(dim, dim, &self.precision));
        let (least, greatest) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
        if !(least > 0.0 && greatest <= MAX_CONDITION * least) {
            return None;
        }
        let mut precision = vec![0.0; dim * dim];
        for (at, value) in eigen.eigenvalues.iter().enumerate() {
            precision[at * (dim + 1)] = *value;
        }
        let spec = GaussianSpec { dim, mean: None, precision: Some(precision), covariance: None };
        // The columns are the axes.
        let transposed = eigen.eigenvectors.as_slice().to_vec();
        let mut axes = vec![0.0; dim * dim];
        transpose(dim, dim, &transposed, &mut axes);
        Some(PrincipalAxes { mean: self.mean.clone(), axes, transposed, along: spec.build().ok()? })
    }
}

impl PrincipalAxes {
    /// Whether `num_steps` steps, of all chains together, make it worthwhile to find the axes in
    /// `dim` dimensions, which costs as much as some steps of each chain.
    pub fn pay_off(num_steps: u64, dim: usize) -> bool {
        num_steps >= 20 * dim as u64
    }

    /// The Gaussian of y, whose precision is diagonal.
    pub fn along(&self) -> &Gaussian {
        &self.along
    }

    /// `y = Qᵀ(x − μ)`, each `[dim]`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn to_axes(&self, x: &[f64], y: &mut [f64]) {
        let off: Vec<f64> = x.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        vector_product(&off, &self.axes, y);
    }

    /// An isotropic Gaussian ([`Gaussian::is_isotropic`]) of the same dimension, in y; none if the
    /// means are too far apart for finite numbers.
    pub fn rotate(&self, isotropic: &Gaussian) -> Option<Gaussian> {
        let mut mean = vec![0.0; isotropic.dim];
        self.to_axes(&isotropic.mean, &mut mean);
        let precision = Some(isotropic.precision.clone());
        let spec =
            GaussianSpec { dim: isotropic.dim, mean: Some(mean), precision, covariance: None };
        spec.build().ok()
    }

    /// `x = μ + Q y` for states side by side, dimension-major `[dim, width]`; the result for a
    /// state does not depend on the others.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn from_axes(&self, y: &[f64], x: &mut [f64]) {
        let dim = self.mean.len();
        product(dim, dim, &self.axes, y, x);
        for (x, mean) in x.chunks_exact_mut(y.len() / dim).zip(&self.mean) {
            x.iter_mut().for_each(|x| *x += mean);
        }
    }

    /// [`PrincipalAxes::from_axes`] for states one after another, `[count, dim]`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn rows_from_axes(&self, y: &[f64], x: &mut [f64]) {
        let dim = self.mean.len();
        for (y, x) in y.chunks_exact(dim).zip(x.chunks_exact_mut(dim)) {
            vector_product(y, &self.transposed, x);
            x.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x += mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Energy;
    use crate::linalg::{Batch, dot};
    use crate::rng::{Purpose, normal, stream};

    /// A Gaussian with Λ of bandwidth one: `on` on the diagonal and `off` beside it, in `dim`
    /// dimensions.
    fn banded(dim: usize, on: f64, off: f64) -> Gaussian {
        let entry = |at: usize| match (at / dim).abs_diff(at % dim) {
            0 => on,
            1 => off,
            _ => 0.0,
        };
        let spec = GaussianSpec {
            dim,
            mean: Some((0..dim).map(|d| d as f64 / 7.0 - 3.0).collect()),
            precision: Some((0..dim * dim).map(entry).collect()),
            covariance: None,
        };
        spec.build().expect("a Gaussian")
    }

    fn numbers(count: usize) -> Vec<f64> {
        let mut rng = stream(5, Purpose::Chain, 0);
        (0..count).map(|_| normal(&mut rng)).collect()
    }

    /// There and back, states side by side as one after another, and the energy.
    #[test]
    fn turning_back_gives_the_state_and_its_energy() {
        let dim = 57;
        let gaussian = banded(dim, 3.0, 1.2);
        let axes = gaussian.principal_axes().expect("axes");
        for k in 0..dim {
            let axis = &axes.transposed[k * dim..][..dim];
            assert!((dot(axis, axis) - 1.0).abs() < 1e-13);
        }
        let x = numbers(2 * dim);
        let mut y = vec![0.0; 2 * dim];
        x.chunks_exact(dim).zip(y.chunks_exact_mut(dim)).for_each(|(x, y)| axes.to_axes(x, y));
        let mut energies = [[0.0; 2]; 2];
        gaussian.energy(Batch::new(dim, &x), &mut energies[0]);
        axes.along().energy(Batch::new(dim, &y), &mut energies[1]);
        for at in 0..2 {
            assert!((energies[0][at] - energies[1][at]).abs() < 1e-12 * energies[0][at]);
        }
        let mut rows = vec![0.0; 2 * dim];
        axes.rows_from_axes(&y, &mut rows);
        assert!(rows.iter().zip(&x).all(|(row, x)| (row - x).abs() < 1e-13));
        let [mut side_by_side, mut blocks] = [(); 2].map(|()| vec![0.0; 2 * dim]);
        transpose(dim, 2, &y, &mut side_by_side);
        axes.from_axes(&side_by_side, &mut blocks);
        transpose(2, dim, &blocks, &mut side_by_side);
        assert_eq!(side_by_side, rows);
    }

    #[test]
    fn axes_are_where_they_are_worth_while_and_known() {
        let has = |gaussian: Gaussian| gaussian.principal_axes().is_some();
        assert!(has(banded(32, 3.0, 1.0)) && has(banded(256, 3.0, 1.0)));
        assert!(!has(banded(31, 3.0, 1.0)) && !has(banded(257, 3.0, 1.0)));
        assert!(!has(banded(32, 3.0, 0.0)), "diagonal");
        // λ of the band are `on + 2 cos(π k / (D + 1))`.
        let least = |least: f64| least + 2.0 * crate::math::cos(std::f64::consts::PI / 33.0);
        assert!(has(banded(32, least(1e-7), 1.0)) && !has(banded(32, least(1e-8), 1.0)));
    }
}
