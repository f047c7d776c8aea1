//! Progress and result of exact computation.

use crate::exact::mpf_bound::MpfBound;
use crate::run::{Array, Outcome, Placed, Report};
use serde::Serialize;
use std::mem::take;

/// Progress of exact computation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ExactProgress {
    /// The verb: "exact".
    #[cfg_attr(feature = "types", ts(type = "\"exact\""))]
    pub verb: &'static str,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Exact quantities of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ExactResult {
    /// The method: `enumeration` of all states; of a restricted Boltzmann machine's `smallerSide`;
    /// `kaufman`, the formula for a uniform torus; `frontier`, summing out one site after another;
    /// `closedForm`, on ℝᴰ.
    #[cfg_attr(
        feature = "types",
        ts(
            type = "\"enumeration\" | \"smallerSide\" | \"kaufman\" | \"frontier\" | \"closedForm\""
        )
    )]
    pub method: &'static str,
    /// log Z, in nats.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// `E[x_i x_j]`, row-major `[dim, dim]`: by enumeration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moments: Option<Vec<f64>>,
    /// `E[E(x)]`, in nats: by enumeration, Kaufman's formula or a frontier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_energy: Option<f64>,
    /// Entropy, in nats: by the same methods as the mean energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// With data: their mean log likelihood, in nats per row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// With data and a connectivity: a lower bound on that log likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpf_bound: Option<MpfBound>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Report for ExactResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        if let Some(moments) = &mut self.moments {
            placed.push((vec!["moments"], Array::F64(take(moments))));
        }
    }
}

impl Report for ExactProgress {}

impl Outcome for ExactResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
