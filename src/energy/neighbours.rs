//! The neighbours of a state that minimum probability flow compares it with.

use crate::bits::BitMatrix;

/// The neighbours of one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// The states.
    pub rows: BitMatrix,
    /// What each counts.
    pub factors: Vec<f64>,
}
