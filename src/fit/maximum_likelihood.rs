//! Exact maximum likelihood of binary data, for models small enough that all their states can be
//! enumerated:
//!
//! `−1/N Σ_{x ∈ data} ln p(x) = 1/N Σ_x E(x) + log Z`, in nats per row, with the
//! gradient `E_data[∂E] − E_model[∂E]` (Sohl-Dickstein 2012, eq. 1.10).
//!
//! The reference for the estimators that avoid Z. That of Potts models is [`ValueLikelihood`].
//!
//! Shards: first those of the states, as in [`crate::energy::enumeration`] or [`States`], then those of the
//! rows.

use super::check_binary;
use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::enumeration;
use crate::energy::{Objective, SiteFlips, shards};
use crate::linalg::{Batch, axpy};
use crate::math::{exp, ln};
use crate::models::Model;
use crate::models::potts::ValueLikelihood;
use crate::models::site_values::States;

/// The objective for a model and data. The rows of data for sites of several values have been checked.
///
/// # Errors
/// [`crate::Error::MissingCapability`] if the model's states are not binary or it has
/// no parameters, [`crate::Error::InvalidSpec`] if its dimension is not the data's,
/// [`crate::Error::TooLarge`] if it is over [`enumeration::MAX_DIM`].
pub fn objective(model: &dyn Model, data: &WeightedRows) -> Result<Box<dyn Objective>> {
    if let Some(potts) = model.as_potts() {
        return Ok(Box::new(ValueLikelihood::new(potts, data)?));
    }
    check_binary(model, data, "maximum likelihood")?;
    let states = match model.as_site_values() {
        Some(values) => Some(States::new(values.sites(), States::MAX)?),
        None => None,
    };
    let num_state_shards = match &states {
        Some(states) => states.num_shards(),
        None => enumeration::num_shards(model.dim())?,
    };
    Ok(Box::new(MaximumLikelihood {
        model: model.boxed_clone(),
        data: data.clone(),
        states,
        num_state_shards,
    }))
}

/// Works both kinds of shards. A part of a shard of states is `[E_min | Σ w | Σ w ∂E]`, w =
/// exp(E_min − E); one of rows is `[Σ E | Σ ∂E]`, weighted, not yet divided by N.
struct MaximumLikelihood {
    model: Box<dyn Model>,
    data: WeightedRows,
    /// All states, if sites have several values.
    states: Option<States>,
    num_state_shards: usize,
}

/// A shard's states, `[states, dim]`, and their energies.
fn states_of_bits(flips: &dyn SiteFlips, shard: usize) -> (Vec<f64>, Vec<f64>) {
    let dim = flips.dim();
    let (base, energies) = enumeration::energies(flips, shard);
    let mut states = vec![0.0; dim * energies.len()];
    for (index, state) in states.chunks_exact_mut(dim).enumerate() {
        crate::bits::write_values(&[base | index as u64], state);
    }
    (states, energies)
}

impl MaximumLikelihood {
    fn states_part(&self, shard: usize) -> Vec<f64> {
        let dim = self.model.dim();
        let mut part = vec![0.0; 2 + self.num_params()];
        let Some(model) = self.model.as_parametric() else {
            unreachable!("checked when the objective was made");
        };
        let (states, mut weights) = match (&self.states, self.model.as_site_flips()) {
            (Some(states), _) => states.energies(&*self.model, shard),
            (_, Some(flips)) => states_of_bits(flips, shard),
            _ => unreachable!("checked when the objective was made"),
        };
        let min = weights.iter().copied().fold(f64::INFINITY, f64::min);
        weights.iter_mut().for_each(|weight| *weight = exp(min - *weight));
        part[0] = min;
        part[1] = weights.iter().sum();
        model.accumulate_param_grad(Batch::new(dim, &states), &weights, &mut part[2..]);
        part
    }

    fn rows_part(&self, shard: usize) -> Vec<f64> {
        let mut part = vec![0.0; 1 + self.num_params()];
        let range = shards::rows(self.data.num_distinct(), shard);
        let weights = &self.data.weights()[range.clone()];
        let states = self.data.rows().slice(range).to_values();
        let batch = Batch::new(self.model.dim(), &states);
        let mut energies = vec![0.0; weights.len()];
        self.model.energy(batch, &mut energies);
        part[0] = energies.iter().zip(weights).map(|(energy, weight)| energy * weight).sum();
        if let Some(model) = self.model.as_parametric() {
            model.accumulate_param_grad(batch, weights, &mut part[1..]);
        }
        part
    }
}

impl Objective for MaximumLikelihood {
    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    fn set_params(&mut self, params: &[f64]) {
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn num_shards(&self) -> usize {
        self.num_state_shards + shards::num_shards(self.data.num_distinct())
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        match shard.checked_sub(self.num_state_shards) {
            None => self.states_part(shard),
            Some(shard) => self.rows_part(shard),
        }
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        let (states, rows) = parts.split_at(self.num_state_shards);
        let mean_energy = shards::combine(rows, 1.0 / self.data.total(), grad);
        let min = states.iter().map(|part| part[0]).fold(f64::INFINITY, f64::min);
        let mut sums = vec![0.0; 1 + self.num_params()];
        for part in states {
            axpy(exp(min - part[0]), &part[1..], &mut sums);
        }
        axpy(-1.0 / sums[0], &sums[1..], grad);
        mean_energy + ln(sums[0]) - min
    }
}
