//! Averages of the energy's gradient ∂E over states.

use super::{Block, Metric};
use crate::bits::{WeightedRows, write_values};
use crate::energy::Parametric;
use crate::linalg::{Batch, axpy};
use std::borrow::Cow;

/// States that are averaged over.
#[derive(Debug, Clone)]
pub enum States<'a> {
    /// Rows of bits, each with a weight.
    Bits(Cow<'a, WeightedRows>),
    /// Rows of numbers, one after another, each of weight 1.
    Reals {
        /// Length of a row.
        dim: usize,
        /// The rows.
        values: Cow<'a, [f64]>,
    },
}

impl<'a> From<&'a WeightedRows> for States<'a> {
    fn from(rows: &'a WeightedRows) -> Self {
        Self::Bits(Cow::Borrowed(rows))
    }
}

impl<'a> From<Batch<'a>> for States<'a> {
    fn from(rows: Batch<'a>) -> Self {
        Self::Reals { dim: rows.dim(), values: Cow::Borrowed(rows.data()) }
    }
}

impl States<'_> {
    /// Length of a state.
    pub fn dim(&self) -> usize {
        match self {
            Self::Bits(rows) => rows.dim(),
            Self::Reals { dim, .. } => *dim,
        }
    }

    /// Number of different weights.
    pub fn len(&self) -> usize {
        match self {
            Self::Bits(rows) => rows.num_distinct(),
            Self::Reals { dim, values } => values.len() / dim,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        match self {
            Self::Bits(rows) => rows.total(),
            Self::Reals { .. } => self.len() as f64,
        }
    }

    /// The same, kept.
    pub fn into_owned(self) -> States<'static> {
        match self {
            Self::Bits(rows) => States::Bits(Cow::Owned(rows.into_owned())),
            Self::Reals { dim, values } => {
                States::Reals { dim, values: Cow::Owned(values.into_owned()) }
            }
        }
    }
}

/// `⟨∂E⟩` over the states.
///
/// # Panics
/// If their dimension is not the model's.
pub fn mean_gradient(model: &dyn Parametric, states: &States<'_>) -> Vec<f64> {
    let mut mean = vec![0.0; model.params().len()];
    for_each_gradient(model, states, |weight, gradient| axpy(weight, gradient, &mut mean));
    mean.iter_mut().for_each(|entry| *entry /= states.total());
    mean
}

/// `⟨(∂E − about)(∂E − about)ᵀ⟩` over the states: the products within these groups, or without groups the
/// diagonal.
///
/// # Panics
/// If a dimension or a length is not the model's.
pub fn second_moments(
    model: &dyn Parametric,
    states: &States<'_>,
    about: &[f64],
    groups: &[Vec<usize>],
) -> Metric {
    let num_params = model.params().len();
    let mut deviation = vec![0.0; num_params];
    let mut diagonal = if groups.is_empty() { vec![0.0; num_params] } else { Vec::new() };
    let block = |params: &Vec<usize>| Block {
        params: params.clone(),
        entries: vec![0.0; params.len() * params.len()],
    };
    let mut blocks: Vec<_> = groups.iter().map(block).collect();
    let mut own = Vec::new();
    for_each_gradient(model, states, |weight, gradient| {
        deviation.copy_from_slice(gradient);
        axpy(-1.0, about, &mut deviation);
        for (entry, deviation) in diagonal.iter_mut().zip(&deviation) {
            *entry += weight * deviation * deviation;
        }
        for Block { params, entries } in &mut blocks {
            own.clear();
            own.extend(params.iter().map(|param| deviation[*param]));
            for (i, line) in entries.chunks_exact_mut(own.len()).enumerate() {
                // The derivative for a bit that is off is 0.
                if own[i] != 0.0 {
                    axpy(weight * own[i], &own[i..], &mut line[i..]);
                }
            }
        }
    });
    diagonal.iter_mut().for_each(|entry| *entry /= states.total());
    for Block { params, entries } in &mut blocks {
        entries.iter_mut().for_each(|entry| *entry /= states.total());
        for i in 0..params.len() {
            for j in 0..i {
                entries[i * params.len() + j] = entries[j * params.len() + i];
            }
        }
    }
    match groups.is_empty() {
        true => Metric::Diagonal(diagonal),
        false => Metric::Blocks { num_params, blocks },
    }
}

/// The Fisher information (eq. 4.30), averaged over draws from the model, or over all its states
/// weighted by their probabilities.
///
/// # Panics
/// If their dimension is not the model's.
pub fn over_draws(model: &dyn Parametric, draws: &States<'_>, groups: &[Vec<usize>]) -> Metric {
    second_moments(model, draws, &mean_gradient(model, draws), groups)
}

/// Calls `visit` with the weight and ∂E of every state, in order.
fn for_each_gradient(
    model: &dyn Parametric,
    states: &States<'_>,
    mut visit: impl FnMut(f64, &[f64]),
) {
    let mut gradient = vec![0.0; model.params().len()];
    let mut visit_one = |weight: f64, state: &[f64]| {
        gradient.fill(0.0);
        model.accumulate_param_grad(Batch::new(state.len(), state), &[1.0], &mut gradient);
        visit(weight, &gradient);
    };
    match states {
        States::Bits(rows) => {
            let mut state = vec![0.0; rows.dim()];
            for (row, weight) in rows.rows().rows().zip(rows.weights()) {
                write_values(row, &mut state);
                visit_one(*weight, &state);
            }
        }
        States::Reals { dim, values } => {
            values.chunks_exact(*dim).for_each(|state| visit_one(1.0, state));
        }
    }
}
