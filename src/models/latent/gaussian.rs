//! Gaussian vectors with a common precision: draws and densities of the blocks of factor models.

use crate::linalg::dot;
use crate::math::ln;
use crate::rng::{ChainRng, normal};
use nalgebra::{Cholesky, DMatrix, Dyn};
use std::f64::consts::TAU;

/// The Cholesky factor of a precision Λ, K × K.
pub struct Precision(Cholesky<f64, Dyn>);

impl Precision {
    /// Factors `diagonal · I + scale · S`, with S symmetric and nonnegative, row-major.
    ///
    /// Where the diagonal is lost by rounding, it is made larger until the sum is positive definite.
    ///
    /// # Panics
    /// If an entry is not finite.
    pub fn new(diagonal: f64, scale: f64, s: &[f64], order: usize) -> Self {
        let mut diagonal = diagonal;
        let greatest = (0..order).map(|k| s[k * order + k]).fold(0.0, f64::max);
        loop {
            let entry = |i: usize, j: usize| {
                let on_diagonal = if i == j { diagonal } else { 0.0 };
                on_diagonal + scale * s[i * order + j]
            };
            let sum = DMatrix::from_fn(order, order, entry);
            assert!(sum.iter().all(|entry| entry.is_finite()), "a finite precision");
            if let Some(factor) = Cholesky::new(sum) {
                return Self(factor);
            }
            diagonal = (4.0 * diagonal).max(1e-14 * scale * greatest);
        }
    }

    /// ln |Λ|.
    pub fn log_det(&self) -> f64 {
        let factor = self.0.l_dirty();
        2.0 * (0..factor.nrows()).map(|k| ln(factor[(k, k)])).sum::<f64>()
    }

    /// Λ⁻¹, row-major.
    pub fn inverse(&self) -> Vec<f64> {
        self.0.inverse().as_slice().to_vec()
    }

    /// Λ⁻¹ b for each column of `columns`, which are stored one after another.
    pub fn solve(&self, columns: Vec<f64>) -> Vec<f64> {
        let order = self.0.l_dirty().nrows();
        let mut b = DMatrix::from_vec(order, columns.len() / order, columns);
        self.0.solve_mut(&mut b);
        b.as_slice().to_vec()
    }

    /// Adds a draw of N(0, Λ⁻¹) to each vector of K numbers.
    pub fn add_noise(&self, means: &mut [f64], rng: &mut ChainRng) {
        let order = self.0.l_dirty().nrows();
        let mut noise = DMatrix::from_fn(order, means.len() / order, |_, _| normal(rng));
        // Column by column, so that the order of the draws is that of the vectors.
        self.0.l_dirty().tr_solve_lower_triangular_mut(&mut noise);
        means.iter_mut().zip(noise.as_slice()).for_each(|(mean, noise)| *mean += noise);
    }

    /// Σ ln N(x; mean, Λ⁻¹) over vectors of K numbers, from their deviations from the means.
    pub fn log_density(&self, deviations: &[f64]) -> f64 {
        let factor = self.0.l_dirty();
        let order = factor.nrows();
        let count = (deviations.len() / order) as f64;
        let mut squares = 0.0;
        for deviation in deviations.chunks_exact(order) {
            // |Lᵀd|².
            for k in 0..order {
                let entry: f64 = (k..order).map(|i| factor[(i, k)] * deviation[i]).sum();
                squares += entry * entry;
            }
        }
        0.5 * count * (self.log_det() - order as f64 * ln(TAU)) - 0.5 * squares
    }
}

/// `ln N(y; m, vI)` from |y − m|².
pub fn log_normal(square: f64, variance: f64, num_cols: usize) -> f64 {
    -0.5 * num_cols as f64 * ln(TAU * variance) - 0.5 * square / variance
}

/// `AᵀA` of a row-major `[numRows, width]` matrix.
pub fn gram(a: &[f64], width: usize) -> Vec<f64> {
    let mut sum = vec![0.0; width * width];
    for row in a.chunks_exact(width) {
        for (k, x) in row.iter().enumerate() {
            for (total, y) in sum[k * width..][..width].iter_mut().zip(row) {
                *total += x * y;
            }
        }
    }
    sum
}

/// a − b.
pub fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// |a − b|².
pub fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// |a|².
pub fn square(a: &[f64]) -> f64 {
    dot(a, a)
}
