//! Progress and result of the search for the knots of a path.

use crate::normalize::moment_averages::MatchingReport;
use crate::run::Outcome;
use crate::sample::path_spec::PathSpec;
use unnorm_wire::report;

/// Progress of the search for the knots.
#[report]
pub struct SplineProgress {
    /// The verb: "spline".
    #[ts(type = "\"spline\"")]
    pub verb: &'static str,
    /// What is being found: the model's "moments", or the "knots".
    #[ts(type = "\"moments\" | \"knots\"")]
    pub phase: &'static str,
    /// Estimate of the fraction done, 0 to 1; it never falls.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The knots of a moment averages path.
#[report]
pub struct SplineResult {
    /// The path in the form `logZ` takes, with the cost of each segment. It is a valid path however
    /// well its knots were found.
    pub path: PathSpec,
    /// How well the moments of each knot are matched.
    pub knots: Vec<MatchingReport>,
    /// Standard error of the model's moments, as a root mean square over all of them; absent if
    /// they are exact or those of data.
    pub moments_error: Option<f64>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for SplineResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
