//! ∏ q(z_ik) q(π) q(A) q(σ_f²) q(σ²) of binary attributes: probabilities ν, Beta distributions, columns of A
//! with the means φ and the covariance Φ.

use super::variance::{VarianceFactor, variance_factors};
use super::{Approximation, binary_entropy, half_log_volume};
use crate::linalg::{axpy, dot};
use crate::math::{digamma, ln, ln_gamma, sigmoid};
use crate::models::latent::{Precision, Table, VariancesSpec, gram};
use crate::rng::{ChainRng, uniform};
use std::f64::consts::TAU;
use std::sync::Arc;

pub struct BinaryApproximation {
    num_attributes: usize,
    prior_counts: [f64; 2],
    table: Arc<Table>,
    signal: VarianceFactor,
    noise: VarianceFactor,
    /// ν, `[N, K]`.
    probabilities: Vec<f64>,
    /// φ, `[K, D]`.
    means: Vec<f64>,
    /// Φ, `[K, K]`.
    covariance: Vec<f64>,
    /// ln |Φ⁻¹|.
    log_det: f64,
    /// The two counts of each Beta distribution.
    counts: Vec<[f64; 2]>,
}

impl BinaryApproximation {
    pub fn new(
        num_attributes: usize,
        prior_counts: [f64; 2],
        prior: VariancesSpec,
        table: Arc<Table>,
    ) -> Self {
        let [signal, noise] = variance_factors(&prior);
        Self {
            num_attributes,
            prior_counts,
            signal,
            noise,
            probabilities: vec![0.0; table.num_rows() * num_attributes],
            means: vec![0.0; num_attributes * table.num_cols],
            covariance: vec![0.0; num_attributes * num_attributes],
            log_det: 0.0,
            counts: vec![prior_counts; num_attributes],
            table,
        }
    }

    /// E[ZᵀZ].
    fn squares(&self) -> Vec<f64> {
        let order = self.num_attributes;
        let mut squares = gram(&self.probabilities, order);
        for k in 0..order {
            squares[k * order + k] = self.probabilities.iter().skip(k).step_by(order).sum();
        }
        squares
    }

    fn update_features(&mut self) {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let of_noise = self.noise.mean_inverse();
        let precision =
            Precision::new(self.signal.mean_inverse(), of_noise, &self.squares(), order);
        self.covariance = precision.inverse();
        self.log_det = precision.log_det();
        let mut products = vec![0.0; order * dim];
        for (row, nu) in self.probabilities.chunks_exact(order).enumerate() {
            for (p, product) in nu.iter().zip(products.chunks_exact_mut(dim)) {
                axpy(of_noise * p, self.table.row(row), product);
            }
        }
        self.means.fill(0.0);
        for (mean, weights) in
            self.means.chunks_exact_mut(dim).zip(self.covariance.chunks_exact(order))
        {
            for (weight, product) in weights.iter().zip(products.chunks_exact(dim)) {
                axpy(*weight, product, mean);
            }
        }
    }

    fn update_counts(&mut self) {
        let [a, b] = self.prior_counts;
        let num_rows = self.table.num_rows() as f64;
        let order = self.num_attributes;
        for (k, counts) in self.counts.iter_mut().enumerate() {
            let on: f64 = self.probabilities.iter().skip(k).step_by(order).sum();
            *counts = [a + on, b + num_rows - on];
        }
    }

    fn update_attributes(&mut self) {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let of_noise = self.noise.mean_inverse();
        let moments = self.feature_moments();
        for row in 0..self.table.num_rows() {
            let nu = &mut self.probabilities[row * order..][..order];
            for k in 0..order {
                let of_prior = digamma(self.counts[k][0]) - digamma(self.counts[k][1]);
                let line = &moments[k * order..][..order];
                let others = dot(line, nu) - line[k] * nu[k];
                let product = dot(&self.means[k * dim..][..dim], self.table.row(row));
                nu[k] =
                    sigmoid(of_prior - 0.5 * of_noise * (line[k] - 2.0 * product + 2.0 * others));
            }
        }
    }

    /// E[AAᵀ] = φφᵀ + DΦ.
    fn feature_moments(&self) -> Vec<f64> {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let mut moments = vec![0.0; order * order];
        for (k, a) in self.means.chunks_exact(dim).enumerate() {
            for (l, b) in self.means.chunks_exact(dim).enumerate() {
                moments[k * order + l] = dot(a, b) + dim as f64 * self.covariance[k * order + l];
            }
        }
        moments
    }

    /// E|Y − ZA|².
    fn square_error(&self) -> f64 {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let mut sum = dot(&self.table.values, &self.table.values);
        for (row, nu) in self.probabilities.chunks_exact(order).enumerate() {
            for (p, mean) in nu.iter().zip(self.means.chunks_exact(dim)) {
                sum -= 2.0 * p * dot(mean, self.table.row(row));
            }
        }
        sum + dot(&self.squares(), &self.feature_moments())
    }

    /// E|A|².
    fn square_of_features(&self) -> f64 {
        self.feature_moments().iter().step_by(self.num_attributes + 1).sum()
    }

    fn update_variances(&mut self) {
        self.signal.update(self.means.len() as f64, self.square_of_features());
        self.noise.update(self.table.values.len() as f64, self.square_error());
    }
}

impl Approximation for BinaryApproximation {
    /// Probabilities drawn uniformly.
    fn restart(&mut self, rng: &mut ChainRng) {
        self.signal.restart();
        self.noise.restart();
        self.probabilities.fill_with(|| uniform(rng));
        self.update_features();
        self.update_counts();
        self.update_variances();
        self.turn();
    }

    fn turn(&mut self) {
        self.update_attributes();
        self.update_features();
        self.update_counts();
        self.update_variances();
    }

    fn bound(&self) -> f64 {
        let order = self.num_attributes as f64;
        let dim = self.table.num_cols as f64;
        let count = self.table.values.len() as f64;
        let of_rows = -0.5 * count * (ln(TAU) + self.noise.mean_log())
            - 0.5 * self.noise.mean_inverse() * self.square_error();
        let mut of_attributes = 0.0;
        for nu in self.probabilities.chunks_exact(self.num_attributes) {
            for (p, [on, off]) in nu.iter().zip(&self.counts) {
                let total = digamma(on + off);
                of_attributes += p * (digamma(*on) - total)
                    + (1.0 - p) * (digamma(*off) - total)
                    + binary_entropy(*p);
            }
        }
        let [a, b] = self.prior_counts;
        let log_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
        let of_shares: f64 = self
            .counts
            .iter()
            .map(|[on, off]| {
                let total = digamma(on + off);
                log_beta(a, b) - log_beta(*on, *off)
                    + (on - a) * (digamma(*on) - total)
                    + (off - b) * (digamma(*off) - total)
            })
            .sum();
        let of_features = 0.5
            * (self.signal.mean_inverse() * self.square_of_features()
                + order * dim * (self.signal.mean_log() - 1.0))
            - dim * half_log_volume(self.log_det);
        of_rows + of_attributes
            - of_shares
            - of_features
            - self.signal.divergence()
            - self.noise.divergence()
    }
}
