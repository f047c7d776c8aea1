//! Averages of the energy's gradient ∂E over states.

use super::{Form, Metric};
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

/// `⟨(∂E − about)(∂E − about)ᵀ⟩` over the states.
///
/// # Panics
/// If a dimension or a length is not the model's.
pub fn second_moments(
    model: &dyn Parametric,
    states: &States<'_>,
    about: &[f64],
    form: Form,
) -> Metric {
    let num_params = model.params().len();
    let mut deviation = vec![0.0; num_params];
    let mut entries = match form {
        Form::Full => vec![0.0; num_params * num_params],
        Form::Diagonal => vec![0.0; num_params],
    };
    for_each_gradient(model, states, |weight, gradient| {
        deviation.copy_from_slice(gradient);
        axpy(-1.0, about, &mut deviation);
        match form {
            Form::Full => {
                for (i, line) in entries.chunks_exact_mut(num_params).enumerate() {
                    // The derivative for a bit that is off is 0.
                    if deviation[i] != 0.0 {
                        axpy(weight * deviation[i], &deviation[i..], &mut line[i..]);
                    }
                }
            }
            Form::Diagonal => {
                for (entry, deviation) in entries.iter_mut().zip(&deviation) {
                    *entry += weight * deviation * deviation;
                }
            }
        }
    });
    entries.iter_mut().for_each(|entry| *entry /= states.total());
    match form {
        Form::Full => {
            for i in 0..num_params {
                for j in 0..i {
                    entries[i * num_params + j] = entries[j * num_params + i];
                }
            }
            Metric::Full { num_params, entries }
        }
        Form::Diagonal => Metric::Diagonal(entries),
    }
}

/// The Fisher information (eq. 4.30), averaged over draws from the model, or over all its states
/// weighted by their probabilities.
///
/// # Panics
/// If their dimension is not the model's.
pub fn over_draws(model: &dyn Parametric, draws: &States<'_>, form: Form) -> Metric {
    second_moments(model, draws, &mean_gradient(model, draws), form)
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
