//! q(z) q(π) q(μ) q(s²) q(σ²) of clusters: responsibilities r, a Dirichlet distribution, Gaussians with the
//! means m_k and the variances v_k.

use super::Approximation;
use super::variance::{VarianceFactor, variance_factors};
use crate::linalg::axpy;
use crate::math::{digamma, exp, ln, ln_gamma, log_sum_exp};
use crate::models::latent::{Table, VariancesSpec};
use crate::rng::{ChainRng, below};
use std::f64::consts::TAU;
use std::sync::Arc;

pub struct ClusteringApproximation {
    num_clusters: usize,
    concentration: f64,
    table: Arc<Table>,
    signal: VarianceFactor,
    noise: VarianceFactor,
    /// r, `[N, K]`.
    responsibilities: Vec<f64>,
    /// α_k.
    counts: Vec<f64>,
    /// m, `[K, D]`.
    means: Vec<f64>,
    /// v_k.
    variances: Vec<f64>,
    /// Σ_i ln Σ_k of what the responsibilities are normalized from.
    log_normalizers: f64,
}

impl ClusteringApproximation {
    pub fn new(
        num_clusters: usize,
        concentration: f64,
        prior: VariancesSpec,
        table: Arc<Table>,
    ) -> Self {
        let [signal, noise] = variance_factors(&prior);
        Self {
            num_clusters,
            concentration,
            signal,
            noise,
            responsibilities: vec![0.0; table.num_rows() * num_clusters],
            counts: vec![0.0; num_clusters],
            means: vec![0.0; num_clusters * table.num_cols],
            variances: vec![0.0; num_clusters],
            log_normalizers: 0.0,
            table,
        }
    }

    /// E|y_i − μ_k|².
    fn square_error(&self, row: usize, cluster: usize) -> f64 {
        let dim = self.table.num_cols;
        let mean = &self.means[cluster * dim..][..dim];
        let squares = self.table.row(row).iter().zip(mean).map(|(y, m)| (y - m) * (y - m));
        squares.sum::<f64>() + dim as f64 * self.variances[cluster]
    }

    fn update_clusters(&mut self) {
        let (dim, order) = (self.table.num_cols, self.num_clusters);
        let [of_signal, of_noise] = [self.signal.mean_inverse(), self.noise.mean_inverse()];
        for k in 0..order {
            let weights = || self.responsibilities.iter().skip(k).step_by(order);
            let count: f64 = weights().sum();
            self.counts[k] = self.concentration + count;
            let variance = 1.0 / (of_signal + count * of_noise);
            self.variances[k] = variance;
            let mean = &mut self.means[k * dim..][..dim];
            mean.fill(0.0);
            for (row, weight) in weights().enumerate() {
                axpy(variance * of_noise * weight, self.table.row(row), mean);
            }
        }
    }

    fn update_variances(&mut self) {
        let dim = self.table.num_cols as f64;
        self.signal.update(self.means.len() as f64, self.square_of_centres());
        let order = self.num_clusters;
        let mut sum = 0.0;
        for (at, weight) in self.responsibilities.iter().enumerate() {
            sum += weight * self.square_error(at / order, at % order);
        }
        self.noise.update(self.table.num_rows() as f64 * dim, sum);
    }

    /// E|μ|² over all centres.
    fn square_of_centres(&self) -> f64 {
        let of_means: f64 = self.means.iter().map(|m| m * m).sum();
        of_means + self.table.num_cols as f64 * self.variances.iter().sum::<f64>()
    }

    fn update_responsibilities(&mut self) {
        let order = self.num_clusters;
        let half_cols = 0.5 * self.table.num_cols as f64;
        let of_noise = self.noise.mean_inverse();
        let constant = -half_cols * (ln(TAU) + self.noise.mean_log());
        let total = digamma(self.counts.iter().sum());
        let log_shares: Vec<f64> =
            self.counts.iter().map(|count| digamma(*count) - total).collect();
        let mut log_weights = vec![0.0; order];
        self.log_normalizers = 0.0;
        for row in 0..self.table.num_rows() {
            for (k, log_weight) in log_weights.iter_mut().enumerate() {
                *log_weight = log_shares[k] + constant - 0.5 * of_noise * self.square_error(row, k);
            }
            let log_total = log_sum_exp(&log_weights);
            self.log_normalizers += log_total;
            let out = &mut self.responsibilities[row * order..][..order];
            out.iter_mut().zip(&log_weights).for_each(|(r, l)| *r = exp(l - log_total));
        }
    }
}

impl Approximation for ClusteringApproximation {
    /// Each row with the nearest of K rows drawn at random.
    fn restart(&mut self, rng: &mut ChainRng) {
        self.signal.restart();
        self.noise.restart();
        let (num_rows, order) = (self.table.num_rows(), self.num_clusters);
        let chosen: Vec<usize> = (0..order).map(|_| below(num_rows, rng)).collect();
        self.responsibilities.fill(0.0);
        for row in 0..num_rows {
            let distance = |k: &usize| {
                let other = self.table.row(chosen[*k]);
                let pairs = self.table.row(row).iter().zip(other);
                pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
            };
            let nearest = (0..order).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            self.responsibilities[row * order + nearest.expect("a cluster")] = 1.0;
        }
        self.update_clusters();
        self.update_variances();
        self.update_responsibilities();
    }

    fn turn(&mut self) {
        self.update_clusters();
        self.update_variances();
        self.update_responsibilities();
    }

    fn bound(&self) -> f64 {
        let (order, dim) = (self.num_clusters as f64, self.table.num_cols as f64);
        let total: f64 = self.counts.iter().sum();
        let digamma_total = digamma(total);
        let each: f64 = self
            .counts
            .iter()
            .map(|count| {
                (count - self.concentration) * (digamma(*count) - digamma_total) - ln_gamma(*count)
            })
            .sum();
        let of_shares = ln_gamma(total) - ln_gamma(order * self.concentration)
            + order * ln_gamma(self.concentration)
            + each;
        let log_variances: f64 = self.variances.iter().map(|v| ln(*v)).sum();
        let of_centres = 0.5
            * (self.signal.mean_inverse() * self.square_of_centres()
                + dim * (order * (self.signal.mean_log() - 1.0) - log_variances));
        self.log_normalizers
            - of_shares
            - of_centres
            - self.signal.divergence()
            - self.noise.divergence()
    }
}
