//! What jobs tell: progress while they run, results when they are done.

use crate::fit::mpf_bound::MpfBound;
use crate::models::ModelSpec;
use serde::Serialize;

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Progress {
    /// Of a fit.
    Fit(FitProgress),
    /// Of sampling.
    Sample(SampleProgress),
    /// Of enumeration.
    Exact(ExactProgress),
}

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JobResult {
    /// Of a fit.
    Fit(FitResult),
    /// Of sampling.
    Sample(SampleResult),
    /// Of enumeration.
    Exact(ExactResult),
}

/// How far a fit has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FitProgress {
    /// Whose progress: "fit".
    #[cfg_attr(feature = "types", ts(type = "\"fit\""))]
    pub verb: &'static str,
    /// Accepted steps; refreshes, of persistent minimum probability flow.
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
    /// The model so far.
    pub model: ModelSpec,
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FitResult {
    /// The model.
    pub model: ModelSpec,
    /// The objective. With minibatches, its mean over those of the last epoch;
    /// NaN for mean field, which has none.
    pub objective: f64,
    /// Euclidean norm of its gradient in the coordinates the fit works in; of the
    /// last minibatch's, or NaN, alike.
    pub grad_norm: f64,
    /// Accepted steps; refreshes, of persistent minimum probability flow.
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
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// How far sampling has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SampleProgress {
    /// Whose progress: "sample".
    #[cfg_attr(feature = "types", ts(type = "\"sample\""))]
    pub verb: &'static str,
    /// Draws so far from each chain.
    pub num_draws: usize,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Draws from a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SampleResult {
    /// The draws: draw d of chain c is row d · numChains + c.
    pub draws: Draws,
    /// Means of x_i x_j over all draws, row-major `[dim, dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moments: Vec<f64>,
    /// Their standard errors by the variance between chains, `[dim, dim]`; NaN
    /// with one chain.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moment_errors: Vec<f64>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Rows of packed bits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Draws {
    /// Bits a row.
    pub dim: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// The rows, each padded with zeros to whole bytes, least significant bit
    /// first.
    #[cfg_attr(feature = "types", ts(type = "Uint8Array"))]
    pub bits: Vec<u8>,
}

/// How far enumeration has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ExactProgress {
    /// Whose progress: "exact".
    #[cfg_attr(feature = "types", ts(type = "\"exact\""))]
    pub verb: &'static str,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Exact answers about a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ExactResult {
    /// log Z, in nats.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// `E[x_i x_j]`, row-major `[dim, dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moments: Vec<f64>,
    /// `E[E(x)]`, in nats.
    pub mean_energy: f64,
    /// Entropy, in nats.
    pub entropy: f64,
    /// With data: their mean log likelihood, in nats a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// With data and a connectivity: a lower bound on that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpf_bound: Option<MpfBound>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// A large array taken out of a report, to leave by another way.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Numbers.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// An array and the field it belongs in, from the outside in.
pub type Placed = (Vec<&'static str>, Array);

fn model_arrays(model: &mut ModelSpec, placed: &mut Vec<Placed>) {
    for (field, values) in model.take_arrays() {
        placed.push((vec!["model", field], Array::F64(values)));
    }
}

impl Progress {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        let mut placed = Vec::new();
        if let Self::Fit(progress) = self {
            model_arrays(&mut progress.model, &mut placed);
        }
        placed
    }
}

impl JobResult {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        use std::mem::take;
        let mut placed = Vec::new();
        match self {
            Self::Fit(result) => model_arrays(&mut result.model, &mut placed),
            Self::Sample(result) => placed.extend([
                (vec!["draws", "bits"], Array::U8(take(&mut result.draws.bits))),
                (vec!["moments"], Array::F64(take(&mut result.moments))),
                (vec!["momentErrors"], Array::F64(take(&mut result.moment_errors))),
            ]),
            Self::Exact(result) => {
                placed.push((vec!["moments"], Array::F64(take(&mut result.moments))))
            }
        }
        placed
    }

    /// SHA-256 of the numbers, in hexadecimal.
    pub fn digest(&self) -> &str {
        match self {
            Self::Fit(result) => &result.digest,
            Self::Sample(result) => &result.digest,
            Self::Exact(result) => &result.digest,
        }
    }
}
