//! Clusters of rows: collapsed Gibbs sampling of a Dirichlet process mixture of Gaussians, whose number of clusters is then kept.

use crate::gibbs::choose;
use crate::linalg::{axpy, dot};
use crate::math::ln;
use crate::matrix::Matrix;
use crate::rng::{ChainRng, normal};
use crate::tree::VariancePrior;
use std::f64::consts::TAU;

/// Shares of the variance that noise has at the start, one a run.
const NOISE_SHARES: [f64; 3] = [0.1, 0.4, 0.8];

const NUM_SWEEPS: usize = 20;

/// Maximum number of clusters.
const MAX_CLUSTERS: usize = 40;

/// Concentration of the process.
const ALPHA: f64 = 1.0;

/// Clusters with the sums of their rows.
struct State<'a> {
    data: &'a Matrix,
    squares: Vec<f64>,
    labels: Vec<usize>,
    counts: Vec<f64>,
    sums: Vec<Vec<f64>>,
    /// Variances of noise and of centres.
    noise: f64,
    spread: f64,
}

impl<'a> State<'a> {
    fn new(data: &'a Matrix, noise_share: f64, rng: &mut ChainRng) -> Self {
        let total = (data.squares() / data.entries().len() as f64).max(1e-300);
        let squares = data.rows().map(|row| dot(row, row)).collect();
        let mut state = Self {
            data,
            squares,
            labels: vec![usize::MAX; data.num_rows()],
            counts: Vec::new(),
            sums: Vec::new(),
            noise: noise_share * total,
            spread: (1.0 - noise_share) * total,
        };
        (0..data.num_rows()).for_each(|row| state.draw(row, rng));
        state
    }

    /// ln p of a row, given the rows of a cluster, without what all clusters share.
    fn log_density(&self, row: usize, count: f64, sum: &[f64]) -> f64 {
        let width = self.data.num_cols() as f64;
        let gain = self.spread / (count * self.spread + self.noise);
        let variance = self.noise * (1.0 + gain);
        let x = self.data.row(row);
        let deviation = self.squares[row] - 2.0 * gain * dot(x, sum) + gain * gain * dot(sum, sum);
        -0.5 * (width * ln(variance) + deviation / variance)
    }

    fn draw(&mut self, row: usize, rng: &mut ChainRng) {
        let new = vec![0.0; self.data.num_cols()];
        let mut logs: Vec<f64> = (0..self.counts.len())
            .map(|k| ln(self.counts[k]) + self.log_density(row, self.counts[k], &self.sums[k]))
            .collect();
        if logs.len() < MAX_CLUSTERS {
            logs.push(ln(ALPHA) + self.log_density(row, 0.0, &new));
        }
        let label = choose(&logs, rng);
        if label == self.counts.len() {
            self.counts.push(0.0);
            self.sums.push(new);
        }
        self.labels[row] = label;
        self.counts[label] += 1.0;
        axpy(1.0, self.data.row(row), &mut self.sums[label]);
    }

    fn remove(&mut self, row: usize) {
        let label = self.labels[row];
        self.counts[label] -= 1.0;
        axpy(-1.0, self.data.row(row), &mut self.sums[label]);
        if self.counts[label] == 0.0 {
            self.counts.remove(label);
            self.sums.remove(label);
            self.labels.iter_mut().filter(|other| **other > label).for_each(|other| *other -= 1);
        }
        self.labels[row] = usize::MAX;
    }

    /// Draws centres, and the variances given these.
    fn draw_variances(&mut self, rng: &mut ChainRng) {
        let centres = self.centres(rng);
        let mut noise = 0.0;
        for (row, label) in self.data.rows().zip(&self.labels) {
            let terms = row.iter().zip(centres.row(*label)).map(|(x, c)| (x - c) * (x - c));
            noise += terms.sum::<f64>();
        }
        let prior = VariancePrior::default();
        self.noise = prior.posterior(self.data.entries().len(), noise, rng);
        self.spread = prior.posterior(centres.entries().len(), centres.squares(), rng);
    }

    fn centres(&self, rng: &mut ChainRng) -> Matrix {
        Matrix::from_fn(self.counts.len(), self.data.num_cols(), |k, col| {
            let precision = self.counts[k] / self.noise + 1.0 / self.spread;
            self.sums[k][col] / self.noise / precision + normal(rng) / precision.sqrt()
        })
    }

    fn sweep(&mut self, rng: &mut ChainRng) {
        for row in 0..self.labels.len() {
            self.remove(row);
            self.draw(row, rng);
        }
        self.draw_variances(rng);
    }

    /// ln p of data and labels, given the variances, up to a constant.
    fn log_joint(&self) -> f64 {
        let width = self.data.num_cols() as f64;
        let mut log = 0.0;
        for (count, sum) in self.counts.iter().zip(&self.sums) {
            let ratio = count * self.spread / self.noise;
            let gain = self.spread / (count * self.spread + self.noise);
            log += ln(ALPHA) + crate::math::ln_gamma(*count) - 0.5 * width * ln(1.0 + ratio)
                + 0.5 * gain * dot(sum, sum) / self.noise;
        }
        let total: f64 = self.squares.iter().sum();
        log - 0.5 * (self.data.entries().len() as f64 * ln(TAU * self.noise) + total / self.noise)
    }
}

/// The label of each row, and the centres as rows.
pub fn clusters(data: &Matrix, rng: &mut ChainRng) -> (Vec<usize>, Matrix) {
    let run = |share: &f64| {
        let mut state = State::new(data, *share, rng);
        (0..NUM_SWEEPS).for_each(|_| state.sweep(rng));
        let centres = state.centres(rng);
        (state.log_joint(), state.labels, centres)
    };
    let runs: Vec<_> = NOISE_SHARES.iter().map(run).collect();
    let best = runs.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (_, labels, centres) = best.expect("a run");
    (labels, centres)
}
