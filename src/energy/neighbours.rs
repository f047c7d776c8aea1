//! The neighbours of a state with which minimum probability flow compares it.

use crate::bits::BitMatrix;

/// The neighbours of one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// The neighbouring states.
    pub rows: BitMatrix,
    /// The factor of each neighbour.
    pub factors: Vec<f64>,
}
