//! Which states minimum probability flow lets probability flow to.

use serde::{Deserialize, Serialize};

/// The connectivity as plain data: g(x, x′) = 1 for the neighbours named, 0
/// for all others (Sohl-Dickstein 2012, eq. 2.10 and E.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ConnectivitySpec {
    /// The D states that differ in one bit (eq. E.3).
    #[default]
    SingleFlips,
}

impl ConnectivitySpec {
    /// The neighbours of a state of zeros and ones, one after another.
    pub fn neighbours(self, state: &[f64]) -> Vec<f64> {
        match self {
            Self::SingleFlips => {
                let mut all = state.repeat(state.len());
                for (site, neighbour) in all.chunks_exact_mut(state.len()).enumerate() {
                    neighbour[site] = 1.0 - neighbour[site];
                }
                all
            }
        }
    }
}
