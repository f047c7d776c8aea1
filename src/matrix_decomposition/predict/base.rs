//! Gaussian densities of rows.

use crate::math::ln;
use crate::matrix::Matrix;
use crate::triangular::{factorize, forward, ln_det};
use std::f64::consts::TAU;

/// The Gaussian part of a density: N(mean, Σ).
pub(super) struct Base {
    /// Number of columns.
    pub size: usize,
    /// L with Σ = LLᵀ.
    factor: Vec<f64>,
    ln_det: f64,
}

/// Of independent noise plus the loadings, each times a standard normal number.
pub(super) fn covariance(noise: &[f64], loadings: &Matrix) -> Matrix {
    let mut covariance = loadings.transposed().times(loadings);
    (0..noise.len()).for_each(|at| *covariance.at_mut(at, at) += noise[at]);
    covariance
}

impl Base {
    pub fn new(noise: &[f64], loadings: &Matrix) -> Self {
        let size = noise.len();
        let mut factor = covariance(noise, loadings).entries().to_vec();
        factorize(size, &mut factor);
        Self { size, ln_det: ln_det(size, &factor), factor }
    }

    /// L⁻¹x.
    pub fn whitened(&self, mut x: Vec<f64>) -> Vec<f64> {
        forward(self.size, &self.factor, &mut x);
        x
    }

    /// L⁻¹ of each row.
    pub fn whitened_rows(&self, rows: &Matrix) -> Matrix {
        let mut all = rows.clone();
        (0..rows.num_rows()).for_each(|row| forward(self.size, &self.factor, all.row_mut(row)));
        all
    }

    /// ln N for a whitened deviation of this square.
    pub fn log_density(&self, square: f64) -> f64 {
        -0.5 * (self.size as f64 * ln(TAU) + self.ln_det + square)
    }
}
