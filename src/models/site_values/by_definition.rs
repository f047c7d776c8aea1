//! Objectives that compare the value of a site with its others, by their definition: pseudolikelihood,
//!
//! `−1/N Σ_{x ∈ data} Σ_i ln p(x_i | x_∖i)`,
//!
//! in nats per row (Besag 1975), and minimum probability flow to all states that differ in the value of
//! one site,
//!
//! `1/N Σ_{x ∈ data} Σ_i Σ_{a ≠ x_i} exp(½[E(x) − E(x with x_i = a)])`
//!
//! (Sohl-Dickstein 2012, eq. 2.13). With residuals r_i(a), which [`surprise`] and [`flow`] give, both
//! gradients are `−1/N Σ_x Σ_i Σ_a r_i(a) ∂E(x with x_i = a)`.
//!
//! A shard is some of the distinct rows.

use super::{Sites, Value};
use crate::Model;
use crate::bits::{WeightedRows, words_per_row, write_values};
use crate::energy::{FlipLoss, Objective, shards};
use crate::linalg::Batch;
use crate::math::{exp_slice, ln};
use std::ops::Range;

/// Number of rows in a piece of a shard.
const PIECE: usize = 16;

/// An objective of the module documentation. A part is `[value | gradient]` of the shard's rows, not yet
/// divided by N.
pub struct SingleSites {
    model: Box<dyn Model>,
    data: WeightedRows,
    loss: FlipLoss,
}

impl SingleSites {
    /// The objective on these data; none if the model has no parameters, or no
    /// [`SiteValues`](super::SiteValues).
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn new(model: &dyn Model, data: &WeightedRows, loss: FlipLoss) -> Option<Self> {
        assert_eq!(model.dim(), data.dim());
        model.as_site_values()?;
        model.as_parametric()?;
        Some(Self { model: model.boxed_clone(), data: data.clone(), loss })
    }

    /// The rows of a piece.
    fn rows(&self, shard: usize, piece: usize) -> Range<usize> {
        let rows = shards::rows(self.data.num_distinct(), shard);
        let start = rows.start + piece * PIECE;
        start..rows.end.min(start + PIECE)
    }

    /// Adds the rows' `[value | gradient]`.
    fn add_rows(&self, rows: Range<usize>, part: &mut [f64]) {
        let (Some(values), Some(model)) = (self.model.as_site_values(), self.model.as_parametric())
        else {
            unreachable!("checked when the objective was made");
        };
        let conditionals = values.value_conditionals();
        let sites = conditionals.sites();
        let mut log_weights = conditionals.log_weights();
        let (value, grad) = part.split_at_mut(1);
        let mut residuals = Vec::new();
        for index in rows {
            let values = sites.values(self.data.rows().row(index));
            let weight = self.data.weights()[index];
            for site in 0..sites.count() {
                log_weights(site, &values, &mut residuals);
                let own = usize::from(values[site]);
                value[0] += match self.loss {
                    FlipLoss::Pseudolikelihood => surprise(&mut residuals, own, weight),
                    FlipLoss::Flow => flow(&mut residuals, own, weight),
                };
                residuals.iter_mut().for_each(|residual| *residual = -*residual);
                let neighbours = all_values(sites, &values, site);
                model.accumulate_param_grad(Batch::new(sites.dim(), &neighbours), &residuals, grad);
            }
        }
    }
}

/// The states that these values make with each value of a site, in order.
fn all_values(sites: &Sites, values: &[Value], site: usize) -> Vec<f64> {
    let (mut values, mut row) = (values.to_vec(), vec![0; words_per_row(sites.dim())]);
    let mut states = vec![0.0; sites.num_values(site) * sites.dim()];
    for (value, state) in states.chunks_exact_mut(sites.dim()).enumerate() {
        values[site] = value as Value;
        sites.write(&values, &mut row);
        write_values(&row, state);
    }
    states
}

/// Of the log weights of a site's values: `−weight ln p(own)`. The residuals `weight (p(a) − [a = own])` take
/// their place.
pub(crate) fn surprise(log_weights: &mut [f64], own: usize, weight: f64) -> f64 {
    let max = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_weights.iter_mut().for_each(|weight| *weight -= max);
    let log_weight = log_weights[own];
    exp_slice(log_weights);
    let total: f64 = log_weights.iter().sum();
    let factor = weight / total;
    log_weights.iter_mut().for_each(|residual| *residual *= factor);
    log_weights[own] -= weight;
    weight * (ln(total) - log_weight)
}

/// Of the log weights of a site's values: `weight` times the flow from its own value to all others. The
/// residuals take their place: half of the flow to a, and at its own value minus half of all.
pub(crate) fn flow(log_weights: &mut [f64], own: usize, weight: f64) -> f64 {
    let here = log_weights[own];
    log_weights.iter_mut().for_each(|log_weight| *log_weight = 0.5 * (*log_weight - here));
    exp_slice(log_weights);
    log_weights[own] = 0.0;
    let total: f64 = log_weights.iter().sum();
    log_weights.iter_mut().for_each(|residual| *residual *= 0.5 * weight);
    log_weights[own] = -0.5 * weight * total;
    weight * total
}

impl Objective for SingleSites {
    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    fn set_params(&mut self, params: &[f64]) {
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn num_shards(&self) -> usize {
        shards::num_shards(self.data.num_distinct())
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let mut part = Vec::new();
        (0..self.num_pieces(shard)).for_each(|piece| self.add_piece(shard, piece, &mut part));
        part
    }

    fn num_pieces(&self, shard: usize) -> usize {
        shards::rows(self.data.num_distinct(), shard).len().div_ceil(PIECE).max(1)
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        part.resize(1 + self.num_params(), 0.0);
        self.add_rows(self.rows(shard, piece), part);
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        shards::combine(parts, 1.0 / self.data.total(), grad)
    }
}
