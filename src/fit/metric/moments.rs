//! Averages of the energy's gradient ∂E over binary states.

use super::{Form, Metric};
use crate::bits::{WeightedRows, write_values};
use crate::energy::Parametric;
use crate::linalg::{Batch, axpy};

/// `⟨∂E⟩` over the rows.
///
/// # Panics
/// If their dimension is not the model's.
pub fn mean_gradient(model: &dyn Parametric, rows: &WeightedRows) -> Vec<f64> {
    let mut mean = vec![0.0; model.params().len()];
    for_each_gradient(model, rows, |weight, gradient| axpy(weight, gradient, &mut mean));
    mean.iter_mut().for_each(|entry| *entry /= rows.total());
    mean
}

/// `⟨(∂E − about)(∂E − about)ᵀ⟩` over the rows.
///
/// # Panics
/// If a dimension or a length is not the model's.
pub fn second_moments(
    model: &dyn Parametric,
    rows: &WeightedRows,
    about: &[f64],
    form: Form,
) -> Metric {
    let num_params = model.params().len();
    let mut deviation = vec![0.0; num_params];
    let mut entries = match form {
        Form::Full => vec![0.0; num_params * num_params],
        Form::Diagonal => vec![0.0; num_params],
    };
    for_each_gradient(model, rows, |weight, gradient| {
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
    entries.iter_mut().for_each(|entry| *entry /= rows.total());
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
pub fn over_draws(model: &dyn Parametric, draws: &WeightedRows, form: Form) -> Metric {
    second_moments(model, draws, &mean_gradient(model, draws), form)
}

/// Calls `visit` with the weight and ∂E of every row, in order.
fn for_each_gradient(
    model: &dyn Parametric,
    rows: &WeightedRows,
    mut visit: impl FnMut(f64, &[f64]),
) {
    let mut state = vec![0.0; rows.dim()];
    let mut gradient = vec![0.0; model.params().len()];
    for (row, weight) in rows.rows().rows().zip(rows.weights()) {
        write_values(row, &mut state);
        gradient.fill(0.0);
        model.accumulate_param_grad(Batch::new(rows.dim(), &state), &[1.0], &mut gradient);
        visit(*weight, &gradient);
    }
}
