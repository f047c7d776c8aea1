//! The result of sampling: bits, numbers, or hidden variables.

#[cfg(feature = "full")]
use super::continuous::report::ContinuousResult;
#[cfg(feature = "full")]
use super::latent::report::LatentResult;
use super::report::SampleResult;
use crate::run::{Outcome, Placed, Report};
use serde::Serialize;

/// Result of `sample`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
// There is one a job.
#[allow(clippy::large_enum_variant)]
pub enum SampleOutput {
    /// Draws from a binary model.
    Bits(SampleResult),
    /// Draws from a model on ℝᴰ.
    #[cfg(feature = "full")]
    Reals(Box<ContinuousResult>),
    /// Draws of the hidden variables of a table.
    #[cfg(feature = "full")]
    Latent(Box<LatentResult>),
}

impl Report for SampleOutput {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        match self {
            Self::Bits(result) => result.take_arrays(placed),
            #[cfg(feature = "full")]
            Self::Reals(result) => result.take_arrays(placed),
            #[cfg(feature = "full")]
            Self::Latent(result) => result.take_arrays(placed),
        }
    }
}

impl Outcome for SampleOutput {
    fn digest(&self) -> &str {
        match self {
            Self::Bits(result) => &result.digest,
            #[cfg(feature = "full")]
            Self::Reals(result) => &result.digest,
            #[cfg(feature = "full")]
            Self::Latent(result) => &result.digest,
        }
    }
}
