//! Progress and results of `memorize` and `recall`.

use crate::models::ModelSpec;
use crate::run::Outcome;
use crate::sample::job::report::Draws;
use serde::Deserialize;
use unnorm_wire::report;

/// Progress of storing patterns.
#[report]
pub struct MemorizeProgress {
    /// The verb: "memorize".
    #[ts(type = "\"memorize\"")]
    pub verb: &'static str,
    /// Number of complete passes over the patterns, or over all their copies; with L-BFGS the
    /// number of evaluations.
    pub num_epochs: usize,
    /// Number of changes of the parameters: patterns shown, or steps.
    pub num_updates: usize,
    /// Minimum probability flow out of the training rows, eq. 3.10 divided by their number: at the
    /// present point for L-BFGS, for the last minibatch with gradient descent; NaN for other rules,
    /// and before the first evaluation.
    pub objective: f64,
    /// Number of patterns that were fixed points at the last check.
    pub num_stored: usize,
    /// Number of patterns.
    pub num_patterns: usize,
    /// Estimate of the fraction done, 0 to 1; it never falls.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// Estimated maximum memory of the job in the coordinating worker, in bytes.
    pub num_bytes: usize,
}

/// A network that stores patterns, and how well it does.
#[report]
pub struct MemorizeResult {
    /// The model. Its numbers are in `params`: thresholds θ, and −½ times the weights of the
    /// Hopfield network with the same energy.
    pub model: ModelSpec,
    /// For each pattern, 1 if it is a fixed point and 0 if not.
    pub stored: Vec<u8>,
    /// Number of patterns that are fixed points.
    pub num_stored: usize,
    /// For each pattern, its energy gap to its lowest neighbour, in nats: positive exactly for
    /// strict local minima.
    pub margins: Vec<f64>,
    /// For each pattern, the number of bits that the dynamics would flip, each considered alone.
    pub num_wrong: Vec<f64>,
    /// Minimum probability flow at the end, as in the progress.
    pub objective: f64,
    /// Number of passes over the patterns, or over all their copies; with L-BFGS the number of
    /// evaluations.
    pub num_epochs: usize,
    /// Number of changes of the parameters: patterns shown, or steps.
    pub num_updates: usize,
    /// Whether every pattern is stored with the margin asked for.
    pub converged: bool,
    /// Why learning ended, as a sentence.
    pub stop_reason: String,
    /// Estimated maximum memory, in bytes, as in the progress.
    pub num_bytes: usize,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Progress of recall.
#[report]
pub struct RecallProgress {
    /// The verb: "recall".
    #[ts(type = "\"recall\"")]
    pub verb: &'static str,
    /// Number of states recalled so far.
    pub num_recalled: usize,
    /// Number of these that ended in their cues, as they were before corruption.
    pub num_recovered: usize,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The result of recall. Row r of states and arrays is copy `r mod numCopies` of cue `r /
/// numCopies`, rounded down.
#[report]
pub struct RecallResult {
    /// The states from which recall started: the cues, or their corrupted copies.
    pub starts: Draws,
    /// The states in which it ended.
    pub states: Draws,
    /// Energies of these states, in nats.
    pub energies: Vec<f64>,
    /// Number of updates, each of all units once, that changed something.
    pub num_updates: Vec<f64>,
    /// Number of bits flipped.
    pub num_flips: Vec<f64>,
    /// 1 if the final state is a fixed point, 0 if the maximum number of updates was reached.
    pub at_rest: Vec<u8>,
    /// Number of bits in which each final state differs from its cue before corruption.
    pub distances: Vec<f64>,
    /// Number of final states that equal their cues.
    pub num_recovered: usize,
    /// The distinct states among the final ones.
    pub attractors: Attractors,
    /// Every flip of the recall, if the spec asks for them.
    pub paths: Option<RecallPaths>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// The distinct states in which recall ended, most frequent first: the fraction of the starts that
/// ended there measures the basin of attraction.
#[report]
pub struct Attractors {
    /// The distinct final states.
    pub states: Draws,
    /// Number of rows that ended in each.
    pub counts: Vec<f64>,
    /// For each row, the index of the state it ended in.
    pub which: Vec<f64>,
}

/// The flips of all rows, row after row.
#[report]
#[derive(Default, Deserialize)]
pub struct RecallPaths {
    /// Number of flips of each row.
    pub lengths: Vec<f64>,
    /// The unit flipped.
    pub sites: Vec<f64>,
    /// The index of the update it belongs to, from 0.
    pub updates: Vec<f64>,
    /// The energy after the flip, in nats.
    pub energies: Vec<f64>,
}

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
