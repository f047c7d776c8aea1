//! The result of sampling: bits, numbers, or hidden variables.

#[cfg(feature = "full")]
use super::continuous::report::ContinuousResult;
#[cfg(feature = "full")]
use super::latent::report::LatentResult;
use super::report::SampleResult;
use crate::arrays::{ArrayMut, Arrays, Path};
use crate::run::Outcome;
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

impl Arrays for SampleOutput {
    fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>) {
        match self {
            Self::Bits(result) => result.add_arrays(path, found),
            #[cfg(feature = "full")]
            Self::Reals(result) => result.add_arrays(path, found),
            #[cfg(feature = "full")]
            Self::Latent(result) => result.add_arrays(path, found),
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
