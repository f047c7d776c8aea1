//! Minimum probability flow on binary data:
//!
//! `K(θ) = 1/N Σ_{x ∈ data} Σ_{x′ ~ x} exp(½[E(x; θ) − E(x′; θ)])`
//!
//! over the neighbours x′ of each data state x (Sohl-Dickstein 2012, eq. 2.10
//! and E.1). The gradient is `½ exp(·) [∂E(x) − ∂E(x′)]`, summed alike.
//! Neighbours that are data themselves are left in, though eq. E.1 sums over
//! states outside the data; so do the Hopfield objective (eq. 3.10) and the
//! usual implementations. Left in, flow between two data states cancels in the
//! gradient as their frequencies approach the model's: K is then a sum of a
//! function of one row over the rows, and its minimum is consistent.
//!
//! [`objective`] takes the model's own fast form where it has one
//! ([`FlipFlow`](crate::energy::FlipFlow)); [`Definition`] is the formula above
//! as it stands, slow, for any model, and what the fast forms are tested
//! against.

use super::Objective;
use super::connectivity::ConnectivitySpec;
use crate::bits::WeightedRows;
use crate::linalg::{Batch, axpy};
use crate::math::exp;
use crate::models::Model;
use crate::{Error, Result};

/// The objective for a model and data.
///
/// # Errors
/// [`Error::MissingCapability`] if the model's states are not binary or it has
/// no parameters, [`Error::InvalidSpec`] if its dimension is not the data's.
pub fn objective(
    model: &dyn Model,
    data: &WeightedRows,
    connectivity: ConnectivitySpec,
) -> Result<Box<dyn Objective>> {
    let missing = |capability| Error::MissingCapability {
        model: model.kind().into(),
        capability,
        needed_by: "minimum probability flow",
    };
    if model.as_site_flips().is_none() {
        return Err(missing("SiteFlips"));
    }
    if model.as_parametric().is_none() {
        return Err(missing("Parametric"));
    }
    if model.dim() != data.dim() {
        return Err(Error::spec(
            "model.dim",
            format!(
                "is {}, but the data have {} bits a row; make them equal",
                model.dim(),
                data.dim()
            ),
        ));
    }
    Ok(match (connectivity, model.as_flip_flow()) {
        (ConnectivitySpec::SingleFlips, Some(fast)) => fast.flip_flow(data),
        (_, None) => Box::new(Definition::new(model, data.clone(), connectivity)),
    })
}

/// Rows a shard has at least, where there are so many.
const MIN_SHARD_ROWS: usize = 256;

/// Shards there are at most.
const MAX_SHARDS: usize = 16;

/// Minimum probability flow by its definition. A part is `[value | gradient]`
/// of the shard's rows, not yet divided by N.
pub struct Definition {
    model: Box<dyn Model>,
    data: WeightedRows,
    connectivity: ConnectivitySpec,
}

impl Definition {
    /// For a model that is [`Parametric`](crate::energy::Parametric).
    ///
    /// # Panics
    /// If the model is not, or has another dimension than the data.
    pub fn new(model: &dyn Model, data: WeightedRows, connectivity: ConnectivitySpec) -> Self {
        assert!(model.as_parametric().is_some() && model.dim() == data.dim());
        Self { model: model.boxed_clone(), data, connectivity }
    }
}

impl Objective for Definition {
    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    fn set_params(&mut self, params: &[f64]) {
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn num_shards(&self) -> usize {
        self.data.num_distinct().div_ceil(MIN_SHARD_ROWS).clamp(1, MAX_SHARDS)
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        assert!(shard < self.num_shards());
        let num_rows = self.data.num_distinct();
        let start = num_rows * shard / self.num_shards();
        let end = num_rows * (shard + 1) / self.num_shards();
        let dim = self.model.dim();
        let mut part = vec![0.0; 1 + self.num_params()];
        let (value, grad) = part.split_at_mut(1);
        let states = self.data.rows().slice(start..end).to_values();
        for (state, weight) in states.chunks_exact(dim).zip(&self.data.weights()[start..end]) {
            let neighbours = self.connectivity.neighbours(state);
            let mut energy = [0.0];
            self.model.energy(Batch::new(dim, state), &mut energy);
            let mut flows = vec![0.0; neighbours.len() / dim];
            self.model.energy(Batch::new(dim, &neighbours), &mut flows);
            for flow in &mut flows {
                *flow = weight * exp(0.5 * (energy[0] - *flow));
            }
            let total: f64 = flows.iter().sum();
            value[0] += total;
            for flow in &mut flows {
                *flow *= -0.5;
            }
            if let Some(model) = self.model.as_parametric() {
                model.accumulate_param_grad(Batch::new(dim, state), &[0.5 * total], grad);
                model.accumulate_param_grad(Batch::new(dim, &neighbours), &flows, grad);
            }
        }
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        let scale = 1.0 / self.data.total();
        let mut value = 0.0;
        grad.fill(0.0);
        for part in parts {
            value += part[0] * scale;
            axpy(scale, &part[1..], grad);
        }
        value
    }
}
