//! The matching problem at a knot, and the report of its solution.

use super::coordinates::Standardized;
use super::spec::MatchingSpec;
use crate::energy::{Mismatch, Statistics};
use crate::models::Model;
use serde::Deserialize;
use unnorm_wire::report;

/// The matching problem at one knot. It does not change during the matching, and is rebuilt from
/// the spline and the target's moments.
pub struct Problem {
    pub(super) model: Box<dyn Model>,
    pub(super) statistics: Statistics,
    pub(super) coordinates: Standardized,
    pub(super) spec: MatchingSpec,
    /// Index of the knot, from 0; the next field is its β.
    pub(super) knot: usize,
    pub(super) beta: f64,
    /// The moments to match, s(β).
    pub(super) moments: Vec<f64>,
    /// The parameters at which the search starts.
    pub(super) start: Vec<f64>,
    /// Means of the reference's sites; the next field has rows distributed as in the target.
    pub(super) site_means: Vec<f64>,
    pub(super) target_rows: Vec<u64>,
    pub(super) seed: u64,
    /// Number of pieces of the states, for exact gradients; the next field is the estimated cost of
    /// one, in nanoseconds.
    pub(super) num_state_pieces: usize,
    pub(super) state_piece_cost: usize,
}

/// How well a knot's moments are matched.
#[report]
#[derive(Copy, Deserialize)]
pub struct MatchingReport {
    /// The difference between the moments and the averaged ones.
    pub mismatch: Mismatch,
    /// The mismatch expected from noise alone, as the moments are estimated from finitely many
    /// draws. Null if they are exact.
    #[serde(default)]
    #[ts(optional = false)]
    pub noise: Option<Mismatch>,
    /// Whether the tolerance was reached; null for persistent chains, which have no tolerance.
    #[serde(default)]
    #[ts(optional = false)]
    pub is_converged: Option<bool>,
    /// Number of gradients computed.
    pub num_evaluations: usize,
}
