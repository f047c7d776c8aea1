//! What a fit tells.

use crate::models::ModelSpec;
use crate::run::{Outcome, Placed, Report, model_arrays};
use serde::{Deserialize, Serialize};

/// How far a fit has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct FitProgress {
    /// Whose progress: "fit".
    #[cfg_attr(feature = "types", ts(type = "\"fit\""))]
    pub verb: &'static str,
    /// Accepted steps; refreshes, of persistent minimum probability flow and of
    /// expectation maximization.
    pub iteration: usize,
    /// Evaluations of the objective: over all data each, or over one minibatch.
    pub num_evaluations: usize,
    /// The objective at the model below; NaN before the first evaluation. With
    /// minibatches its mean over those of the epoch so far.
    pub objective: f64,
    /// Euclidean norm of its gradient in the coordinates the fit works in.
    pub grad_norm: f64,
    /// Estimate of the part done, 0 to 1, never falling.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// Of a deep belief network: which of its machines is being fitted, from 0
    /// at the bottom; the objective and its gradient are that machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    /// The model so far.
    pub model: ModelSpec,
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct FitResult {
    /// The model.
    pub model: ModelSpec,
    /// The objective. With minibatches, its mean over those of the last epoch;
    /// NaN for mean field, which has none; of a deep belief network, that of the
    /// machine on top.
    pub objective: f64,
    /// Euclidean norm of its gradient in the coordinates the fit works in; of the
    /// last minibatch's, or NaN, alike.
    pub grad_norm: f64,
    /// Accepted steps; refreshes, of persistent minimum probability flow and of
    /// expectation maximization.
    pub num_iterations: usize,
    /// Evaluations of the objective: over all data each, or over one minibatch.
    pub num_evaluations: usize,
    /// Whether the tolerance was met. False for stochastic optimizers, which
    /// have none, and where samples change; true for a solution in closed form.
    pub converged: bool,
    /// Why the fit ended, in words.
    pub stop_reason: String,
    /// What is doubtful about the result, in words; empty if nothing is.
    pub warnings: Vec<String>,
    /// Of minimum probability flow on bits: the kind of connectivity, as given or as chosen for
    /// the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connectivity: Option<&'static str>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
    /// Of a deep belief network: the fits of its machines, from the bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<LayerFit>>,
}

/// The fit of one machine of a deep belief network; the fields are as in
/// [`FitResult`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LayerFit {
    /// The objective.
    pub objective: f64,
    /// Norm of its gradient.
    pub grad_norm: f64,
    /// Accepted steps.
    pub num_iterations: usize,
    /// Evaluations of the objective.
    pub num_evaluations: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Why the fit ended, in words.
    pub stop_reason: String,
}

impl Report for FitProgress {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        model_arrays(&mut self.model, placed);
    }
}

impl Report for FitResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        model_arrays(&mut self.model, placed);
    }
}

impl Outcome for FitResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
