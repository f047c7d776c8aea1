//! Sums over single flips (minimum probability flow, pseudolikelihood) for an
//! Ising model whose sites have few neighbours (a lattice, say).
//!
//! The term of site n (see `dense_flow`) depends on x_n and its neighbours
//! only. So the data are reduced, once, to how often each of the 2^{k+1}
//! patterns of a site and its k neighbours occurs; from then on an evaluation
//! costs the patterns that do occur, at most D 2^{k+1}, whatever the number of
//! rows was.

use super::{Bonds, Ising};
use crate::bits::WeightedRows;
use crate::energy::Parametric;
use crate::fit::Objective;
use crate::fit::flip_loss::FlipLoss;
use std::ops::Range;

/// Most neighbours a site may have: beyond, tables of patterns pay no longer.
pub(super) const MAX_NEIGHBOURS: usize = 10;

/// Shards there are at most.
const MAX_SHARDS: usize = 16;

pub(super) struct SparseFlow {
    model: Ising,
    loss: FlipLoss,
    total_weight: f64,
    sites: Vec<Site>,
}

/// What the data say of one site.
struct Site {
    /// Parameters: the bias, then the couplings.
    params: Vec<usize>,
    /// The patterns that occur (bit 0 the site's own, then its neighbours') and
    /// the weight of the rows that show them.
    patterns: Vec<(u16, f64)>,
}

impl SparseFlow {
    /// # Panics
    /// If the pattern is dense or a site has over [`MAX_NEIGHBOURS`].
    pub(super) fn new(model: Ising, data: &WeightedRows, loss: FlipLoss) -> Self {
        let Bonds::Sparse { neighbours, .. } = &model.bonds else {
            panic!("the pattern is sparse");
        };
        let sites = neighbours
            .iter()
            .enumerate()
            .map(|(site, others)| {
                assert!(others.len() <= MAX_NEIGHBOURS);
                let columns: Vec<_> =
                    std::iter::once(site).chain(others.iter().map(|other| other.site)).collect();
                let weights = data.marginal(&columns).into_iter().enumerate();
                Site {
                    params: std::iter::once(site)
                        .chain(others.iter().map(|other| other.param))
                        .collect(),
                    patterns: weights
                        .filter(|(_, weight)| *weight != 0.0)
                        .map(|(pattern, weight)| (pattern as u16, weight))
                        .collect(),
                }
            })
            .collect();
        Self { model, loss, total_weight: data.total(), sites }
    }

    fn shard_sites(&self, shard: usize) -> Range<usize> {
        let site = |shard| self.sites.len() * shard / self.num_shards();
        site(shard)..site(shard + 1)
    }
}

impl Objective for SparseFlow {
    fn num_params(&self) -> usize {
        self.model.num_params()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
    }

    fn num_shards(&self) -> usize {
        self.sites.len().min(MAX_SHARDS)
    }

    /// `[Σ φ | for each site, ½ Σ sK and Σ x_i sK of its neighbours i]`, where
    /// K = 2φ′, for minimum probability flow φ itself.
    fn part(&self, shard: usize) -> Vec<f64> {
        assert!(shard < self.num_shards());
        let params = self.model.params();
        let mut part = vec![0.0];
        for site in &self.sites[self.shard_sites(shard)] {
            let start = part.len();
            part.resize(start + site.params.len(), 0.0);
            for &(pattern, weight) in &site.patterns {
                let set = |k: usize| pattern >> k & 1 == 1;
                let mut exponent = 0.5 * params[site.params[0]];
                for (k, param) in site.params.iter().enumerate().skip(1) {
                    exponent += if set(k) { params[*param] } else { 0.0 };
                }
                let sign = if set(0) { 1.0 } else { -1.0 };
                let (loss, slope) = self.loss.at(2.0 * sign * exponent);
                let flow = 2.0 * weight * slope;
                part[0] += weight * loss;
                part[start] += 0.5 * sign * flow;
                for k in 1..site.params.len() {
                    part[start + k] += if set(k) { sign * flow } else { 0.0 };
                }
            }
        }
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        let scale = 1.0 / self.total_weight;
        let mut value = 0.0;
        grad.fill(0.0);
        for (shard, part) in parts.iter().enumerate() {
            value += part[0] * scale;
            let mut grads = part[1..].iter();
            for site in &self.sites[self.shard_sites(shard)] {
                for (param, part) in site.params.iter().zip(&mut grads) {
                    grad[*param] += part * scale;
                }
            }
        }
        value
    }
}
