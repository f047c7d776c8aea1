//! The Bayesian information criterion, `ln p(Y | θ̂) − (d/2) ln N` (Schwarz 1978), with each row's own hidden
//! variables summed out.
//!
//! - Clusters: shares and centres by expectation maximization, the best of several starts;
//!   d = KD + K − 1.
//! - Low rank: probabilistic principal components in closed form (Tipping and Bishop 1999), about the
//!   origin; d = KD − K(K − 1)/2.
//! - Binary attributes: the best of the posterior's draws, A and π at their means given the others;
//!   d = KD + K.
//!
//! The variance of the noise is one more parameter where it is not fixed.

use super::{Outcome, Trial, Walker};
use crate::evidence::spec::LatentModelSpec;
use crate::linalg::{axpy, symmetric_eigen};
use crate::math::{ln, log_sum_exp};
use crate::models::latent::{Scan, Table, responsibilities};
use crate::rng::below;
use crate::sorting::sorted;
use nalgebra::DMatrix;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Number of turns of expectation maximization.
const NUM_TURNS: usize = 200;

/// The least variance of noise that is fitted, as a share of the table's mean square.
const LEAST_NOISE: f64 = 1e-6;

/// A run of the estimator.
pub struct Bic {
    model: LatentModelSpec,
    walker: Walker,
    num_restarts: usize,
    num_done: usize,
    best: f64,
}

impl Bic {
    /// The best of this many starts, or draws.
    pub fn new(model: LatentModelSpec, walker: Walker, num_restarts: usize) -> Self {
        Self { model, walker, num_restarts, num_done: 0, best: f64::NEG_INFINITY }
    }

    fn table(&self) -> Arc<Table> {
        self.walker.chain.table().clone()
    }

    fn num_params(&self) -> f64 {
        let num_cols = self.table().num_cols as f64;
        let of_noise = f64::from(self.model.variances().are_sampled());
        let order = self.model.order() as f64;
        of_noise
            + match self.model {
                LatentModelSpec::Clustering(_) => order * num_cols + order - 1.0,
                LatentModelSpec::LowRank(_) => order * num_cols - 0.5 * order * (order - 1.0),
                LatentModelSpec::BinaryAttributes(_) => order * num_cols + order,
                LatentModelSpec::ClusteredLowRank(_) | LatentModelSpec::Density { .. } => 0.0,
            }
    }

    /// The greatest log likelihood that one start finds.
    fn start(&mut self) -> f64 {
        match self.model {
            LatentModelSpec::Clustering(_) => self.expectation_maximization(),
            LatentModelSpec::LowRank(_) => self.principal_components(),
            LatentModelSpec::BinaryAttributes(_) => self.draw(),
            LatentModelSpec::ClusteredLowRank(_) | LatentModelSpec::Density { .. } => {
                panic!("refused by the check of the spec")
            }
        }
    }

    /// The variance of the noise if it is fixed.
    fn fixed_noise(&self) -> Option<f64> {
        self.model.variances().fixed_noise()
    }

    fn least_noise(&self) -> f64 {
        let table = self.table();
        (LEAST_NOISE * table.square() / table.values.len() as f64).max(f64::MIN_POSITIVE)
    }

    fn expectation_maximization(&mut self) -> f64 {
        let table = self.table();
        let (num_rows, dim, order) = (table.num_rows(), table.num_cols, self.model.order());
        let rng = &mut self.walker.rng;
        let mut centres: Vec<f64> =
            (0..order).flat_map(|_| table.row(below(num_rows, rng)).to_vec()).collect();
        let mut shares = vec![1.0 / order as f64; order];
        let count = table.values.len() as f64;
        let fixed = self.fixed_noise();
        let mut noise = fixed.unwrap_or((table.square() / count).max(self.least_noise()));
        let mut log_likelihood = f64::NEG_INFINITY;
        let mut weights = vec![0.0; order];
        for _ in 0..NUM_TURNS {
            let mut sums = vec![0.0; order * dim];
            let mut totals = vec![0.0; order];
            let mut error = 0.0;
            log_likelihood = 0.0;
            for row in 0..num_rows {
                let y = table.row(row);
                let square = |centre: &[f64]| -> f64 {
                    y.iter().zip(centre).map(|(y, c)| (y - c) * (y - c)).sum()
                };
                let squares: Vec<f64> = centres.chunks_exact(dim).map(square).collect();
                for (k, weight) in weights.iter_mut().enumerate() {
                    *weight = ln(shares[k])
                        - 0.5 * dim as f64 * ln(TAU * noise)
                        - 0.5 * squares[k] / noise;
                }
                log_likelihood += log_sum_exp(&weights);
                responsibilities(&mut weights);
                for (k, weight) in weights.iter().enumerate() {
                    totals[k] += weight;
                    error += weight * squares[k];
                    axpy(*weight, y, &mut sums[k * dim..][..dim]);
                }
            }
            for (k, total) in totals.iter().enumerate().filter(|(_, total)| **total > 0.0) {
                let sum = &sums[k * dim..][..dim];
                let centre = &mut centres[k * dim..][..dim];
                centre.iter_mut().zip(sum).for_each(|(centre, sum)| *centre = sum / total);
            }
            shares.iter_mut().zip(&totals).for_each(|(s, total)| *s = total / num_rows as f64);
            if fixed.is_none() {
                // The error about the centres of the turn before: it only shrinks the more slowly.
                noise = (error / count).max(self.least_noise());
            }
        }
        log_likelihood
    }

    /// The eigenvalues of YᵀY/N above the noise are explained by factors.
    fn principal_components(&self) -> f64 {
        let table = self.table();
        let (num_rows, dim) = (table.num_rows() as f64, table.num_cols);
        let mut moments = DMatrix::zeros(dim, dim);
        for row in 0..table.num_rows() {
            let y = table.row(row);
            for i in 0..dim {
                for j in 0..dim {
                    moments[(i, j)] += y[i] * y[j] / num_rows;
                }
            }
        }
        let mut eigenvalues = sorted(symmetric_eigen(moments).eigenvalues.as_slice());
        eigenvalues.reverse();
        let order = self.model.order().min(dim);
        let rest = &eigenvalues[order..];
        let noise = self.fixed_noise().unwrap_or_else(|| {
            let mean = rest.iter().sum::<f64>() / rest.len().max(1) as f64;
            mean.max(self.least_noise())
        });
        let variance = |at: usize, value: f64| if at < order { value.max(noise) } else { noise };
        let terms = eigenvalues
            .iter()
            .enumerate()
            .map(|(at, value)| ln(TAU * variance(at, *value)) + value / variance(at, *value));
        -0.5 * num_rows * terms.sum::<f64>()
    }

    /// One more draw of the posterior, and the likelihood there.
    fn draw(&mut self) -> f64 {
        let num_rows = self.walker.chain.table().num_rows();
        if self.num_done == 0 {
            let Walker { chain, rng, .. } = &mut self.walker;
            chain.draw_prior(num_rows, rng);
        }
        self.walker.sweep(1.0, Scan::Forward);
        self.walker.chain.log_likelihood_of_params()
    }
}

impl Trial for Bic {
    fn advance(&mut self) -> Option<Outcome> {
        let found = self.start();
        self.best = self.best.max(found);
        self.num_done += 1;
        // Principal components are found at once.
        let is_closed = matches!(self.model, LatentModelSpec::LowRank(_));
        let num_rows = self.table().num_rows() as f64;
        (is_closed || self.num_done == self.num_restarts)
            .then(|| Outcome::of(self.best - 0.5 * self.num_params() * ln(num_rows)))
    }
}
