//! What stands in for the hidden sites of a row.

use serde::{Deserialize, Serialize};

/// Maximum number of sweeps over the hidden sites of a row in an update.
pub const MAX_SWEEPS: usize = 1_000;

/// What stands in for the hidden sites of a row at an update of a fit, given the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum HiddenStatesSpec {
    /// A draw by Gibbs sampling, from fair coin tosses.
    Gibbs {
        /// Sweeps over the hidden sites, 1 to 1,000; if absent as many as the objective's chains make
        /// steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        num_sweeps: Option<usize>,
    },
    /// Their means in naive mean field, as if they were independent: `μ_i = σ(−∂E/∂x_i)` at the means of
    /// the others (Salakhutdinov and Hinton 2009).
    MeanField {
        /// Sweeps over the hidden sites, 1 to 1,000; 10 if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        num_sweeps: Option<usize>,
    },
}

impl Default for HiddenStatesSpec {
    fn default() -> Self {
        Self::Gibbs { num_sweeps: None }
    }
}

impl HiddenStatesSpec {
    /// The number of sweeps, if given.
    pub fn num_sweeps(self) -> Option<usize> {
        match self {
            Self::Gibbs { num_sweeps } | Self::MeanField { num_sweeps } => num_sweeps,
        }
    }
}
