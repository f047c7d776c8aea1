//! What `memorize` and `recall` tell.

use crate::models::ModelSpec;
use crate::run::{Array, Outcome, Placed, Report, model_arrays};
use crate::sample::job::report::Draws;
use serde::{Deserialize, Serialize};
use std::mem::take;

/// How far storing patterns has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemorizeProgress {
    /// Whose progress: "memorize".
    #[cfg_attr(feature = "types", ts(type = "\"memorize\""))]
    pub verb: &'static str,
    /// Passes over the patterns, or over all their copies, that are complete; of
    /// L-BFGS evaluations.
    pub num_epochs: usize,
    /// Changes of the parameters: patterns shown, or steps.
    pub num_updates: usize,
    /// Minimum probability flow out of the rows learned from, eq. 3.10 over
    /// their number: of L-BFGS where it is, with minibatches of the last one; NaN
    /// for other rules, and before the first evaluation.
    pub objective: f64,
    /// Patterns that are fixed points, when they were last looked at.
    pub num_stored: usize,
    /// Number of patterns.
    pub num_patterns: usize,
    /// Estimate of the part done, 0 to 1, never falling.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// Memory that the job takes at most in the worker that coordinates it, in
    /// bytes, as estimated before it began.
    pub num_bytes: usize,
}

/// A network that stores patterns, and how well.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemorizeResult {
    /// The model, with its numbers in `params`: thresholds θ, and −½ of the
    /// weights of the Hopfield network of the same energy.
    pub model: ModelSpec,
    /// For each pattern, 1 if it is a fixed point and 0 if not.
    #[cfg_attr(feature = "types", ts(type = "Uint8Array"))]
    pub stored: Vec<u8>,
    /// Number of patterns that are fixed points.
    pub num_stored: usize,
    /// For each pattern, how far its energy lies below that of its lowest neighbour, in nats: positive exactly for strict
    /// local minima.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub margins: Vec<f64>,
    /// For each pattern, the number of its bits that the dynamics would flip, each taken alone.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_wrong: Vec<f64>,
    /// Minimum probability flow at the end, as in progress.
    pub objective: f64,
    /// Passes over the patterns, or over all their copies; of L-BFGS evaluations.
    pub num_epochs: usize,
    /// Changes of the parameters: patterns shown, or steps.
    pub num_updates: usize,
    /// Whether every pattern is stored with the margin asked for.
    pub converged: bool,
    /// Why learning ended, in words.
    pub stop_reason: String,
    /// The memory of progress, in bytes.
    pub num_bytes: usize,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Report for MemorizeResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        model_arrays(&mut self.model, placed);
        placed.extend([
            (vec!["stored"], Array::U8(take(&mut self.stored))),
            (vec!["margins"], Array::F64(take(&mut self.margins))),
            (vec!["numWrong"], Array::F64(take(&mut self.num_wrong))),
        ]);
    }
}

/// How far recall has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RecallProgress {
    /// Whose progress: "recall".
    #[cfg_attr(feature = "types", ts(type = "\"recall\""))]
    pub verb: &'static str,
    /// States recalled so far.
    pub num_recalled: usize,
    /// Of these, those that came to their cues as they were before noise.
    pub num_recovered: usize,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// What cues came to. Row r of states and arrays is copy `r mod numCopies` of
/// cue `r / numCopies`, rounded down.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RecallResult {
    /// The states recall started from: the cues, or their corrupted copies.
    pub starts: Draws,
    /// The states it ended in.
    pub states: Draws,
    /// Their energies, in nats.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energies: Vec<f64>,
    /// Updates, each of all units once, that changed something.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_updates: Vec<f64>,
    /// Bits flipped on the way.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_flips: Vec<f64>,
    /// 1 where the end is a fixed point, 0 where updates were used up.
    #[cfg_attr(feature = "types", ts(type = "Uint8Array"))]
    pub at_rest: Vec<u8>,
    /// Bits in which each end differs from its cue as it was before noise.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub distances: Vec<f64>,
    /// How many differ in none.
    pub num_recovered: usize,
    /// The distinct states among the ends.
    pub attractors: Attractors,
    /// Every flip on the way, where the spec asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub paths: Option<RecallPaths>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// The distinct states that recall ended in, the most frequent first: the share of
/// the starts that came there measures the basin of attraction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Attractors {
    /// The states.
    pub states: Draws,
    /// How many rows ended in each.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub counts: Vec<f64>,
    /// Which of them each row ended in.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub which: Vec<f64>,
}

/// The flips of all rows, one row's after another's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RecallPaths {
    /// Number of flips of each row.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub lengths: Vec<f64>,
    /// The unit flipped.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub sites: Vec<f64>,
    /// The update it belongs to, from 0.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub updates: Vec<f64>,
    /// The energy after it, in nats.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energies: Vec<f64>,
}

impl Report for RecallResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        placed.extend([
            (vec!["starts", "bits"], Array::U8(take(&mut self.starts.bits))),
            (vec!["states", "bits"], Array::U8(take(&mut self.states.bits))),
            (vec!["atRest"], Array::U8(take(&mut self.at_rest))),
            (
                vec!["attractors", "states", "bits"],
                Array::U8(take(&mut self.attractors.states.bits)),
            ),
        ]);
        for (path, values) in [
            (vec!["energies"], &mut self.energies),
            (vec!["numUpdates"], &mut self.num_updates),
            (vec!["numFlips"], &mut self.num_flips),
            (vec!["distances"], &mut self.distances),
            (vec!["attractors", "counts"], &mut self.attractors.counts),
            (vec!["attractors", "which"], &mut self.attractors.which),
        ] {
            placed.push((path, Array::F64(take(values))));
        }
        let Some(paths) = &mut self.paths else { return };
        for (field, values) in [
            ("lengths", &mut paths.lengths),
            ("sites", &mut paths.sites),
            ("updates", &mut paths.updates),
            ("energies", &mut paths.energies),
        ] {
            placed.push((vec!["paths", field], Array::F64(take(values))));
        }
    }
}

impl Report for MemorizeProgress {}

impl Report for RecallProgress {}

impl Outcome for MemorizeResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}

impl Outcome for RecallResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
