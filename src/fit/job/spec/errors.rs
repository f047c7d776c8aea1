//! Which errors of its parameters a fit gives.

use unnorm_wire::spec;

/// Which errors of its parameters a fit gives: none, or those of the sandwich, or those of a bootstrap.
#[spec]
#[derive(Copy, Eq)]
#[serde(
    untagged,
    expecting = "errors must be true, false, or an object with the number of fits to resampled rows, bootstrap"
)]
pub enum ErrorsSpec {
    /// Whether to give those of the sandwich, for objectives that are a mean over rows, by `lbfgs`,
    /// of models with up to 512 parameters.
    Sandwich(bool),
    /// By fits to resampled rows, for every fit but that of a stack.
    Bootstrap(BootstrapSpec),
}

/// Fits to as many rows, drawn from the rows with replacement (Efron 1979), each from the fitted model.
#[spec]
#[derive(Copy, Eq)]
pub struct BootstrapSpec {
    /// Number of fits, 10 to 10,000: 100 for standard errors, 1,000 for intervals.
    pub bootstrap: usize,
}

impl Default for ErrorsSpec {
    fn default() -> Self {
        Self::Sandwich(false)
    }
}

impl ErrorsSpec {
    /// Whether there are none to give.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The number of fits to resampled rows, if that is how.
    pub fn num_resamples(&self) -> Option<usize> {
        match self {
            Self::Sandwich(_) => None,
            Self::Bootstrap(spec) => Some(spec.bootstrap),
        }
    }
}
