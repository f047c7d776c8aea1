//! Clusters: `z ~` Dirichlet–multinomial over K clusters, centres `μ_kj ~ N(0, s²)`, rows
//! `y_ij ~ N(μ_{z_i j}, σ²)`; `MG + G` in Grosse's notation (PhD thesis 2014, sections 2.1.1 and 2.2.2).
//!
//! The centres are integrated out. A cluster of n rows with sum S and sum of squares Q has
//!
//! `L_β(n, S, Q) = −(βnD/2) ln 2πσ² − (D/2) ln(1 + βn s²/σ²) − βQ/2σ² + β²|S|² / (2σ⁴ (1/s² + βn/σ²))`
//!
//! and `ln f_β = ln p(z) + Σ_k L_β` plus the prior of the variances. K is fixed, so empty clusters have
//! centres, too, and count where s² is drawn.

use super::collapsed::Collapsed;
use super::gaussian::{log_normal, square, square_distance};
use super::variances::Squares;
use super::{
    Choice, Enumerated, Floor, LatentChain, Parts, Scan, Table, Variances, VariancesSpec,
    draw_index, to_weights,
};
use crate::math::{ln, ln_gamma, log_sum_exp};
use crate::rng::{ChainRng, normal};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The chain over the clusters of the rows and the variances.
#[derive(Clone)]
pub struct Clustering {
    num_clusters: usize,
    concentration: f64,
    prior: VariancesSpec,
    table: Arc<Table>,
    /// The cluster of each row given.
    pub(super) clusters: Vec<usize>,
    variances: Variances,
    /// Centres, `[K, D]`, where the variances are drawn given them.
    pub(super) centres: Vec<f64>,
    /// Number of rows in each cluster.
    pub(super) counts: Vec<usize>,
    /// Their sums, `[K, D]`.
    sums: Vec<f64>,
    /// |S_k|².
    pub(super) sum_squares: Vec<f64>,
}

/// `L_β` as a function of n and |S|². Left out are its first and third terms, whose sums over the clusters do
/// not depend on which rows are where.
struct Scores {
    /// −(D/2) ln(1 + βn s²/σ²) for n from 0.
    shrinkage: Vec<f64>,
    /// β² / (2σ⁴ (1/s² + βn/σ²)).
    factor: Vec<f64>,
    /// ln(n + α).
    log_counts: Vec<f64>,
}

impl Scores {
    fn of(&self, count: usize, sum_square: f64) -> f64 {
        self.shrinkage[count] + self.factor[count] * sum_square
    }
}

impl Clustering {
    /// The chain of a table, with no row given.
    pub fn new(
        num_clusters: usize,
        concentration: f64,
        prior: VariancesSpec,
        table: Arc<Table>,
    ) -> Self {
        Self {
            num_clusters,
            concentration,
            prior,
            clusters: Vec::new(),
            variances: Variances { signal: 1.0, noise: 1.0 },
            centres: vec![0.0; num_clusters * table.num_cols],
            counts: vec![0; num_clusters],
            sums: vec![0.0; num_clusters * table.num_cols],
            sum_squares: vec![0.0; num_clusters],
            table,
        }
    }

    /// Puts the rows into these clusters.
    pub fn set_clusters(&mut self, clusters: Vec<usize>) {
        self.clusters = clusters;
        self.rebuild();
    }

    fn scores(&self, beta: f64) -> Scores {
        let Variances { signal, noise } = self.variances;
        let half_cols = 0.5 * self.table.num_cols as f64;
        let numbers = 0..=self.clusters.len() + 1;
        let shrinkage = |n: usize| -half_cols * ln(1.0 + beta * n as f64 * signal / noise);
        let factor = |n: usize| {
            0.5 * beta * beta / (noise * noise * (1.0 / signal + beta * n as f64 / noise))
        };
        Scores {
            shrinkage: numbers.clone().map(shrinkage).collect(),
            factor: numbers.clone().map(factor).collect(),
            log_counts: numbers.map(|n| ln(n as f64 + self.concentration)).collect(),
        }
    }

    /// The terms of Σ L_β that depend on the number of rows and their squares alone.
    fn common(&self, beta: f64) -> f64 {
        let noise = self.variances.noise;
        let count = (self.clusters.len() * self.table.num_cols) as f64;
        let squares: f64 = self.table.squares[..self.clusters.len()].iter().sum();
        -0.5 * beta * (count * ln(TAU * noise) + squares / noise)
    }

    /// Sums made anew, so that rounding errors do not grow from sweep to sweep.
    fn rebuild(&mut self) {
        self.counts.fill(0);
        self.sums.fill(0.0);
        for row in 0..self.clusters.len() {
            self.count(row, self.clusters[row], 1);
        }
        for k in 0..self.num_clusters {
            self.sum_squares[k] = square(self.sum(k));
        }
    }

    fn sum(&self, cluster: usize) -> &[f64] {
        let dim = self.table.num_cols;
        &self.sums[cluster * dim..][..dim]
    }

    /// Adds a row to a cluster's count and sum, or takes it out.
    fn count(&mut self, row: usize, cluster: usize, sign: i8) {
        let dim = self.table.num_cols;
        let sums = &mut self.sums[cluster * dim..][..dim];
        let factor = f64::from(sign);
        for (sum, y) in sums.iter_mut().zip(self.table.row(row)) {
            *sum += factor * y;
        }
        self.counts[cluster] = self.counts[cluster].wrapping_add_signed(sign.into());
    }

    fn put(&mut self, row: usize, cluster: usize, sign: i8) {
        self.count(row, cluster, sign);
        self.sum_squares[cluster] = square(self.sum(cluster));
    }

    /// |S_k + y_i|².
    fn sum_square_with(&self, cluster: usize, row: usize) -> f64 {
        let sum = self.sum(cluster);
        let products = sum.iter().zip(self.table.row(row)).map(|(s, y)| s * y);
        self.sum_squares[cluster] + 2.0 * products.sum::<f64>() + self.table.squares[row]
    }

    /// What a row outside all clusters adds to `ln f_β`, by the cluster it goes to.
    fn log_weights(&self, row: usize, scores: &Scores, out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            let n = self.counts[k];
            *out = scores.log_counts[n] + scores.of(n + 1, self.sum_square_with(k, row))
                - scores.of(n, self.sum_squares[k]);
        }
    }

    /// Chooses the cluster of each row anew; returns the log probability of the choices followed.
    pub(super) fn scan(&mut self, beta: f64, scan: Scan, mut choice: Choice<'_, usize>) -> f64 {
        self.rebuild();
        let scores = self.scores(beta);
        let mut weights = vec![0.0; self.num_clusters];
        let mut log_probability = 0.0;
        for row in scan.places(self.clusters.len()) {
            self.put(row, self.clusters[row], -1);
            self.log_weights(row, &scores, &mut weights);
            let cluster = match &mut choice {
                Choice::Draw(rng) => draw_index(&mut weights, rng),
                Choice::Follow(to) => {
                    log_probability += weights[to[row]] - log_sum_exp(&weights);
                    to[row]
                }
            };
            self.clusters[row] = cluster;
            self.put(row, cluster, 1);
        }
        log_probability
    }

    /// Mean and variance of a cluster's centre given its rows: `vβS/σ²` and v.
    pub(super) fn centre(&self, beta: f64, cluster: usize) -> (Vec<f64>, f64) {
        let Variances { signal, noise } = self.variances;
        let variance = 1.0 / (1.0 / signal + beta * self.counts[cluster] as f64 / noise);
        let factor = variance * beta / noise;
        (self.sum(cluster).iter().map(|sum| factor * sum).collect(), variance)
    }

    /// What the variances have to explain, given the centres.
    fn squares(&self, beta: f64) -> (Squares, Squares) {
        let dim = self.table.num_cols;
        let residuals: f64 = self
            .clusters
            .iter()
            .enumerate()
            .map(|(row, k)| square_distance(self.table.row(row), &self.centres[k * dim..][..dim]))
            .sum();
        let count = (self.clusters.len() * dim) as f64;
        (
            Squares { count: self.centres.len() as f64, sum: square(&self.centres) },
            Squares { count: beta * count, sum: beta * residuals },
        )
    }
}

impl Collapsed for Clustering {
    fn samples_variances(&self) -> bool {
        self.prior.are_sampled()
    }

    fn scan_rows(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        self.scan(beta, scan, Choice::Draw(rng));
    }

    fn draw_features(&mut self, beta: f64, rng: &mut ChainRng) {
        let dim = self.table.num_cols;
        for k in 0..self.num_clusters {
            let (mean, variance) = self.centre(beta, k);
            let deviation = variance.sqrt();
            for (centre, mean) in self.centres[k * dim..][..dim].iter_mut().zip(mean) {
                *centre = mean + deviation * normal(rng);
            }
        }
    }

    fn draw_variances(&mut self, beta: f64, rng: &mut ChainRng) {
        let (signal, noise) = self.squares(beta);
        self.prior.draw(&mut self.variances, &signal, &noise, rng);
    }
}

impl LatentChain for Clustering {
    fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn set_table(&mut self, table: Arc<Table>) {
        self.table = table;
        self.rebuild();
    }

    fn num_rows(&self) -> usize {
        self.clusters.len()
    }

    fn draw_prior(&mut self, num_rows: usize, rng: &mut ChainRng) {
        self.variances = self.prior.draw_prior(rng);
        let deviation = self.variances.signal.sqrt();
        self.centres.fill_with(|| deviation * normal(rng));
        // Pólya's urn.
        let mut counts = vec![self.concentration; self.num_clusters];
        self.clusters.clear();
        for _ in 0..num_rows {
            let mut log_counts: Vec<f64> = counts.iter().map(|count| ln(*count)).collect();
            let cluster = draw_index(&mut log_counts, rng);
            counts[cluster] += 1.0;
            self.clusters.push(cluster);
        }
        self.rebuild();
    }

    fn means(&self) -> Vec<f64> {
        let dim = self.table.num_cols;
        self.clusters.iter().flat_map(|k| &self.centres[k * dim..][..dim]).copied().collect()
    }

    fn draw_rows(&mut self, rng: &mut ChainRng) -> Vec<f64> {
        if !self.prior.are_sampled() {
            let deviation = self.variances.signal.sqrt();
            self.centres.fill_with(|| deviation * normal(rng));
        }
        let deviation = self.variances.noise.sqrt();
        self.means().into_iter().map(|mean| mean + deviation * normal(rng)).collect()
    }

    fn log_prior(&self) -> f64 {
        self.log_prior_of_hidden() + self.prior.log_prior(self.variances)
    }

    fn log_likelihood(&self, beta: f64) -> f64 {
        let scores = self.scores(beta);
        let of = |k: usize| scores.of(self.counts[k], self.sum_squares[k]);
        self.common(beta) + (0..self.num_clusters).map(of).sum::<f64>()
    }

    fn log_likelihood_slope(&self, beta: f64) -> f64 {
        let Variances { signal, noise } = self.variances;
        let half_cols = 0.5 * self.table.num_cols as f64;
        let of = |k: usize| {
            let n = self.counts[k] as f64;
            let precision = 1.0 / signal + beta * n / noise;
            let squares = self.sum_squares[k] / (noise * noise);
            squares * (2.0 * beta * precision - beta * beta * n / noise)
                / (2.0 * precision * precision)
                - half_cols * (n * signal / noise) / (1.0 + beta * n * signal / noise)
        };
        self.common(1.0) + (0..self.num_clusters).map(of).sum::<f64>()
    }

    fn sweep(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        self.sweep_collapsed(beta, scan, rng);
    }

    fn log_predictive(&self) -> f64 {
        let mut weights = vec![0.0; self.num_clusters];
        let row = self.clusters.len();
        self.log_weights(row, &self.scores(1.0), &mut weights);
        let total = self.num_clusters as f64 * self.concentration + row as f64;
        let noise = self.variances.noise;
        log_normal(self.table.squares[row], noise, self.table.num_cols) + log_sum_exp(&weights)
            - ln(total)
    }

    fn push_row(&mut self, rng: &mut ChainRng) {
        let mut weights = vec![0.0; self.num_clusters];
        let row = self.clusters.len();
        self.log_weights(row, &self.scores(1.0), &mut weights);
        let cluster = draw_index(&mut weights, rng);
        self.clusters.push(cluster);
        self.put(row, cluster, 1);
    }

    fn pop_row(&mut self) {
        let cluster = self.clusters.pop().expect("a row");
        self.put(self.clusters.len(), cluster, -1);
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        self.rebuild();
        let scores = self.scores(1.0);
        let mut scores_of: Vec<f64> = (0..self.num_clusters)
            .map(|k| scores.of(self.counts[k], self.sum_squares[k]))
            .collect();
        let common = self.common(1.0);
        let mut weights = vec![0.0; self.num_clusters];
        for row in 0..self.clusters.len() {
            let from = self.clusters[row];
            self.put(row, from, -1);
            scores_of[from] = scores.of(self.counts[from], self.sum_squares[from]);
            let without = common + scores_of.iter().sum::<f64>();
            for (k, weight) in weights.iter_mut().enumerate() {
                let n = self.counts[k];
                let log_likelihood =
                    without + scores.of(n + 1, self.sum_square_with(k, row)) - scores_of[k];
                let is_allowed = k == from || floor.admits(log_likelihood, label);
                *weight = if is_allowed { scores.log_counts[n] } else { f64::NEG_INFINITY };
            }
            let to = draw_index(&mut weights, rng);
            self.clusters[row] = to;
            self.put(row, to, 1);
            scores_of[to] = scores.of(self.counts[to], self.sum_squares[to]);
        }
        let prior = self.prior;
        let mut variances = self.variances;
        let is_allowed = |variances| {
            let moved = Self { variances, ..self.clone() };
            floor.admits(moved.log_likelihood(1.0), label)
        };
        prior.slice_signal(&mut variances, rng, is_allowed);
        prior.slice_noise(&mut variances, rng, is_allowed);
        self.variances = variances;
    }

    fn log_joint(&self) -> f64 {
        if self.prior.are_sampled() {
            self.log_complete_joint()
        } else {
            self.log_prior() + self.log_likelihood(1.0)
        }
    }

    fn log_complete_joint(&self) -> f64 {
        let Variances { signal, noise } = self.variances;
        let (of_centres, of_rows) = self.squares(1.0);
        self.log_prior()
            + log_normal(of_centres.sum, signal, self.centres.len())
            + log_normal(of_rows.sum, noise, self.clusters.len() * self.table.num_cols)
    }

    fn chib_step(&mut self, scan: Scan, rng: &mut ChainRng) {
        self.chib_step_collapsed(scan, rng);
    }

    fn log_chib_density(&self, to: &[f64]) -> f64 {
        let mut from = self.clone();
        let mut target = self.clone();
        target.set_state(to);
        let mut log_density = from.scan(1.0, Scan::Forward, Choice::Follow(&target.clusters));
        if self.prior.are_sampled() {
            let dim = self.table.num_cols;
            for (k, centre) in target.centres.chunks_exact(dim).enumerate() {
                let (mean, variance) = from.centre(1.0, k);
                log_density += log_normal(square_distance(centre, &mean), variance, dim);
            }
            let (signal, noise) = target.squares(1.0);
            log_density += self.prior.log_density(target.variances, &signal, &noise);
        }
        log_density
    }

    fn state(&self) -> Vec<f64> {
        let Variances { signal, noise } = self.variances;
        let clusters = self.clusters.iter().map(|k| *k as f64);
        clusters.chain([signal, noise]).chain(self.centres.iter().copied()).collect()
    }

    fn set_state(&mut self, state: &[f64]) {
        let num_rows = state.len() - 2 - self.centres.len();
        self.clusters = state[..num_rows].iter().map(|k| *k as usize).collect();
        self.variances = Variances { signal: state[num_rows], noise: state[num_rows + 1] };
        self.centres.copy_from_slice(&state[num_rows + 2..]);
        self.rebuild();
    }

    fn complete(&mut self, rng: &mut ChainRng) {
        self.draw_features(1.0, rng);
    }

    fn num_in_use(&self) -> Option<usize> {
        Some(self.counts.iter().filter(|count| **count > 0).count())
    }

    fn parts(&self) -> Parts {
        Parts {
            hidden: self.clusters.iter().map(|k| *k as f64).collect(),
            features: self.centres.clone(),
            variances: self.variances,
            column_clusters: None,
        }
    }
}

impl Enumerated for Clustering {
    fn boxed_clone(&self) -> Box<dyn Enumerated> {
        Box::new(self.clone())
    }

    fn num_choices(&self) -> usize {
        self.num_clusters
    }

    fn set_hidden(&mut self, hidden: &[f64]) {
        self.set_clusters(hidden.iter().map(|k| *k as usize).collect());
    }

    fn set_variances(&mut self, variances: Variances) {
        self.variances = variances;
    }

    fn log_prior_of_hidden(&self) -> f64 {
        let total = self.num_clusters as f64 * self.concentration;
        let each = ln_gamma(self.concentration);
        let of = |count: &usize| ln_gamma(self.concentration + *count as f64) - each;
        ln_gamma(total) - ln_gamma(total + self.clusters.len() as f64)
            + self.counts.iter().map(of).sum::<f64>()
    }

    fn reconstruction(&self, means: &mut [f64], variances: &mut [f64]) {
        let dim = self.table.num_cols;
        let centres: Vec<_> = (0..self.num_clusters).map(|k| self.centre(1.0, k)).collect();
        for (row, cluster) in self.clusters.iter().enumerate() {
            let (mean, variance) = &centres[*cluster];
            means[row * dim..][..dim].copy_from_slice(mean);
            variances[row * dim..][..dim].fill(*variance);
        }
    }
}

/// Turns log weights of clusters for a row into shares that add up to 1.
pub fn responsibilities(log_weights: &mut [f64]) {
    let total = to_weights(log_weights);
    log_weights.iter_mut().for_each(|weight| *weight /= total);
}
