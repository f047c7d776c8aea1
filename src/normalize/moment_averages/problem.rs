//! What is to be matched at a knot, and how well it was.

use super::coordinates::Standardized;
use super::spec::MatchingSpec;
use crate::energy::{Mismatch, Statistics};
use crate::models::Model;
use serde::{Deserialize, Serialize};

/// What is to be matched at one knot. It stays the same while the matching goes
/// on, and is made anew from the spline and the target's moments.
pub struct Problem {
    pub(super) model: Box<dyn Model>,
    pub(super) statistics: Statistics,
    pub(super) coordinates: Standardized,
    pub(super) spec: MatchingSpec,
    /// Which knot, from 0, and its β.
    pub(super) knot: usize,
    pub(super) beta: f64,
    /// s(β).
    pub(super) moments: Vec<f64>,
    /// Where the search starts.
    pub(super) start: Vec<f64>,
    /// Means of the reference's sites, and rows as the target has them.
    pub(super) site_means: Vec<f64>,
    pub(super) target_rows: Vec<u64>,
    pub(super) seed: u64,
    /// How the states are cut, for exact gradients: pieces, and the estimated
    /// nanoseconds of one.
    pub(super) num_state_pieces: usize,
    pub(super) state_piece_cost: usize,
}

/// How well a knot's moments are matched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MatchingReport {
    /// How far the moments are from the averaged ones.
    pub mismatch: Mismatch,
    /// What of that would be there if they were equal: the moments are taken
    /// of this many draws only. Null where they are exact.
    pub noise: Option<Mismatch>,
    /// Whether the tolerance was reached; null for persistent chains, which
    /// have no tolerance.
    pub is_converged: Option<bool>,
    /// Gradients computed.
    pub num_evaluations: usize,
}
