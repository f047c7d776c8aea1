//! The result of sampling, on bits or on ℝᴰ.

use super::continuous::report::ContinuousResult;
use super::report::SampleResult;
use crate::FULL;
use crate::run::{Outcome, Placed, Report};
use serde::Serialize;

/// Result of `sample`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SampleOutput {
    /// Draws from a binary model.
    Bits(SampleResult),
    /// Draws from a model on ℝᴰ.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Reals(Box<ContinuousResult>),
}

impl Report for SampleOutput {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        match self {
            Self::Bits(result) => result.take_arrays(placed),
            _ if !FULL => {}
            Self::Reals(result) => result.take_arrays(placed),
        }
    }
}

impl Outcome for SampleOutput {
    fn digest(&self) -> &str {
        match self {
            Self::Bits(result) => &result.digest,
            Self::Reals(result) => &result.digest,
        }
    }
}
