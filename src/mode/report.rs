//! Progress and result of the search for the most probable state.

use crate::run::Outcome;
use crate::sample::job::report::Draws;
use unnorm_wire::report;

/// Progress of the search.
#[report]
pub struct ModeProgress {
    /// The verb: "mode".
    #[ts(type = "\"mode\"")]
    pub verb: &'static str,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The most probable state.
#[report]
pub struct ModeResult {
    /// The method: a `minimumCut`, or `enumeration` of all states.
    #[ts(type = "\"minimumCut\" | \"enumeration\"")]
    pub method: &'static str,
    /// The state, one row. Of several, that with the fewest ones by a cut, and the first by enumeration.
    pub state: Draws,
    /// Its energy, in nats. No state is lower, up to rounding: a cut takes couplings and fields as
    /// multiples of a number that is at most 2⁻⁶¹ of their sum.
    pub energy: f64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for ModeResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
