//! q(U) q(V) q(s²) q(σ²) of low rank: rows of U with the means m_i and the covariance Σ_U, columns of V with
//! n_j and Σ_V.

use super::variance::{VarianceFactor, variance_factors};
use super::{Approximation, half_log_volume};
use crate::linalg::{axpy, dot};
use crate::math::ln;
use crate::models::latent::{Precision, Table, VariancesSpec, gram};
use crate::rng::{ChainRng, normal};
use std::f64::consts::TAU;
use std::sync::Arc;

pub struct LowRankApproximation {
    num_factors: usize,
    table: Arc<Table>,
    signal: VarianceFactor,
    noise: VarianceFactor,
    /// m, `[N, K]`.
    factors: Vec<f64>,
    /// n, `[D, K]`.
    loadings: Vec<f64>,
    /// E[UᵀU] and E[VVᵀ].
    factor_squares: Vec<f64>,
    loading_squares: Vec<f64>,
    /// ln |Σ_U⁻¹| and ln |Σ_V⁻¹|.
    log_dets: [f64; 2],
}

impl LowRankApproximation {
    pub fn new(num_factors: usize, prior: VariancesSpec, table: Arc<Table>) -> Self {
        let [signal, noise] = variance_factors(&prior);
        Self {
            num_factors,
            signal,
            noise,
            factors: vec![0.0; table.num_rows() * num_factors],
            loadings: vec![0.0; table.num_cols * num_factors],
            factor_squares: vec![0.0; num_factors * num_factors],
            loading_squares: vec![0.0; num_factors * num_factors],
            log_dets: [0.0; 2],
            table,
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.table.values.chunks_exact(self.table.num_cols)
    }

    fn update_factors(&mut self) {
        let order = self.num_factors;
        let of_noise = self.noise.mean_inverse();
        let precision = Precision::new(1.0, of_noise, &self.loading_squares, order);
        let mut products = vec![0.0; self.factors.len()];
        for (row, product) in self.rows().zip(products.chunks_exact_mut(order)) {
            for (y, v) in row.iter().zip(self.loadings.chunks_exact(order)) {
                axpy(of_noise * y, v, product);
            }
        }
        self.factors = precision.solve(products);
        self.factor_squares = squares(&self.factors, order, &precision);
        self.log_dets[0] = precision.log_det();
    }

    fn update_loadings(&mut self) {
        let order = self.num_factors;
        let of_noise = self.noise.mean_inverse();
        let of_signal = self.signal.mean_inverse();
        let precision = Precision::new(of_signal, of_noise, &self.factor_squares, order);
        let mut products = vec![0.0; self.loadings.len()];
        for (row, u) in self.rows().zip(self.factors.chunks_exact(order)) {
            for (y, product) in row.iter().zip(products.chunks_exact_mut(order)) {
                axpy(of_noise * y, u, product);
            }
        }
        self.loadings = precision.solve(products);
        self.loading_squares = squares(&self.loadings, order, &precision);
        self.log_dets[1] = precision.log_det();
    }

    fn update_variances(&mut self) {
        self.signal.update(self.loadings.len() as f64, trace(&self.loading_squares));
        self.noise.update(self.table.values.len() as f64, self.square_error());
    }

    /// E|Y − UV|².
    fn square_error(&self) -> f64 {
        let order = self.num_factors;
        let mut sum = dot(&self.table.values, &self.table.values);
        for (row, u) in self.rows().zip(self.factors.chunks_exact(order)) {
            for (y, v) in row.iter().zip(self.loadings.chunks_exact(order)) {
                sum -= 2.0 * y * dot(u, v);
            }
        }
        sum + dot(&self.factor_squares, &self.loading_squares)
    }
}

/// The sum of E[x xᵀ] over vectors of these means with one covariance.
fn squares(means: &[f64], order: usize, precision: &Precision) -> Vec<f64> {
    let mut sum = gram(means, order);
    axpy((means.len() / order) as f64, &precision.inverse(), &mut sum);
    sum
}

/// The trace of a square matrix.
fn trace(matrix: &[f64]) -> f64 {
    let order = (matrix.len() as f64).sqrt().round() as usize;
    matrix.iter().step_by(order + 1).sum()
}

impl Approximation for LowRankApproximation {
    /// Loadings drawn from N(0, 1), known exactly.
    fn restart(&mut self, rng: &mut ChainRng) {
        self.signal.restart();
        self.noise.restart();
        self.loadings.fill_with(|| normal(rng));
        self.loading_squares = gram(&self.loadings, self.num_factors);
        self.turn();
    }

    fn turn(&mut self) {
        self.update_factors();
        self.update_loadings();
        self.update_variances();
    }

    fn bound(&self) -> f64 {
        let order = self.num_factors as f64;
        let [num_rows, num_cols] = [self.table.num_rows() as f64, self.table.num_cols as f64];
        let of_rows = -0.5 * num_rows * num_cols * (ln(TAU) + self.noise.mean_log())
            - 0.5 * self.noise.mean_inverse() * self.square_error();
        let of_factors = 0.5 * (trace(&self.factor_squares) - num_rows * order)
            - num_rows * half_log_volume(self.log_dets[0]);
        let of_loadings = 0.5
            * (self.signal.mean_inverse() * trace(&self.loading_squares)
                + num_cols * order * (self.signal.mean_log() - 1.0))
            - num_cols * half_log_volume(self.log_dets[1]);
        of_rows - of_factors - of_loadings - self.signal.divergence() - self.noise.divergence()
    }
}
