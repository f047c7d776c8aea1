//! Progress and result of taking patches.

use crate::patches::PatchTransform;
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of taking patches.
#[report]
pub struct PatchesProgress {
    /// The verb: "patches".
    #[ts(type = "\"patches\"")]
    pub verb: &'static str,
    /// The present phase: "mean", "covariance", "components", then "states".
    #[ts(type = "\"mean\" | \"covariance\" | \"components\" | \"states\"")]
    pub phase: &'static str,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Patches as states of models on ℝᴹ.
#[report]
pub struct PatchesResult {
    /// States of the training patches, `[numPatches, M]`, with mean 0 and covariance 1 unless a
    /// transform was given.
    pub states: Vec<f64>,
    /// States of the test patches, `[numTest, M]`, by the same transform.
    pub test_states: Vec<f64>,
    /// The transform from patches to states. It has the number of components asked for, or the
    /// number of directions in which the patches vary if that is smaller.
    pub transform: PatchTransform,
    /// Variances of the training patches along the components, `[M]`, largest first.
    pub variances: Vec<f64>,
    /// Total variance of the training patches, of which the sum of `variances` is retained; absent
    /// if a transform was given.
    pub total_variance: Option<f64>,
    /// The seed used.
    #[ts(type = "number")]
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for PatchesResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
