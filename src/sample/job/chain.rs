//! A chain of binary states.

use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};

/// A chain between two sweeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The words of the state.
    pub row: Vec<u64>,
    /// The random stream of its moves.
    pub rng: ChainRng,
}
