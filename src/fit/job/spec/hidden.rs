//! What stands in for the hidden sites of a row.

use unnorm_wire::spec;

/// Maximum number of sweeps over the hidden sites of a row in an update.
pub const MAX_SWEEPS: usize = 1_000;

/// What stands in for the hidden sites of a row at an update of a fit, given the row.
#[spec]
#[derive(Copy, Eq)]
pub enum HiddenStatesSpec {
    /// A draw by Gibbs sampling, from fair coin tosses.
    Gibbs {
        /// Sweeps over the hidden sites, 1 to 1,000; if absent as many as the objective's chains make
        /// steps.
        num_sweeps: Option<usize>,
    },
    /// Their means in naive mean field, as if they were independent: `μ_i = σ(−∂E/∂x_i)` at the means of
    /// the others (Salakhutdinov and Hinton 2009).
    MeanField {
        /// Sweeps over the hidden sites, 1 to 1,000; 10 if absent.
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
