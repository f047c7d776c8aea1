//! What the search for the knots of a path tells.

use crate::normalize::log_z::spec::PathSpec;
use crate::normalize::moment_averages::MatchingReport;
use crate::run::{Array, Outcome, Placed, Report};
use serde::Serialize;
use std::mem::take;

/// How far the knots have come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SplineProgress {
    /// Whose progress: "spline".
    #[cfg_attr(feature = "types", ts(type = "\"spline\""))]
    pub verb: &'static str,
    /// What is being found: the model's "moments", or the "knots".
    #[cfg_attr(feature = "types", ts(type = "\"moments\" | \"knots\""))]
    pub phase: &'static str,
    /// Estimate of the part done, 0 to 1, never falling.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Knots of a moment averages path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct SplineResult {
    /// The path, as `logZ` takes it, with what each segment costs. However well its
    /// knots were found, it is a valid one.
    pub path: PathSpec,
    /// How well each knot was found.
    pub knots: Vec<MatchingReport>,
    /// Standard error of the model's moments, the root of its mean square over
    /// all; absent where they are exact or those of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moments_error: Option<f64>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Report for SplineResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        if let PathSpec::Knots { betas, params, costs } = &mut self.path {
            placed.push((vec!["path", "betas"], Array::F64(take(betas))));
            placed.push((vec!["path", "params"], Array::F64(take(params))));
            if let Some(costs) = costs {
                placed.push((vec!["path", "costs"], Array::F64(take(costs))));
            }
        }
    }
}

impl Report for SplineProgress {}

impl Outcome for SplineResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
