//! What jobs tell: progress while they run, results when they are done.

mod continuous;
mod energies;
mod exact;
mod fit;
mod log_z;
mod memory;
mod patches;
mod sample;
mod spline;

pub use continuous::{ChainReport, ContinuousDraws, ContinuousResult, Divergences, EntrySummaries};
pub use energies::{EnergiesProgress, EnergiesResult};
pub use exact::{ExactProgress, ExactResult};
pub use fit::{FitProgress, FitResult, LayerFit};
pub use log_z::{
    Bounds, Estimated, Interval, LikelihoodReport, LogZProgress, LogZResult, RunReport,
};
pub use memory::{
    Attractors, MemorizeProgress, MemorizeResult, RecallPaths, RecallProgress, RecallResult,
};
pub use patches::{PatchesProgress, PatchesResult};
pub use sample::{Draws, NewDraws, Paths, SampleProgress, SampleResult};
pub use spline::{SplineProgress, SplineResult};

use crate::FULL;
use serde::Serialize;

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Progress {
    /// Progress of `fit`.
    Fit(FitProgress),
    /// Progress of `sample`.
    Sample(SampleProgress),
    /// Progress of `logZ`.
    LogZ(LogZProgress),
    /// Progress of `spline`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Spline(SplineProgress),
    /// Progress of `exact`.
    Exact(ExactProgress),
    /// Progress of `energies`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Energies(EnergiesProgress),
    /// Progress of `memorize`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Memorize(MemorizeProgress),
    /// Progress of `recall`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Recall(RecallProgress),
    /// Progress of `patches`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Patches(PatchesProgress),
}

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JobResult {
    /// Result of `fit`.
    Fit(FitResult),
    /// Result of `sample`, of a binary model.
    Sample(SampleResult),
    /// Result of `sample`, of a model on ℝᴰ.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Continuous(Box<ContinuousResult>),
    /// Result of `logZ`.
    LogZ(Box<LogZResult>),
    /// Result of `spline`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Spline(SplineResult),
    /// Result of `exact`.
    Exact(ExactResult),
    /// Result of `energies`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Energies(EnergiesResult),
    /// Result of `memorize`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Memorize(MemorizeResult),
    /// Result of `recall`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Recall(Box<RecallResult>),
    /// Result of `patches`.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Patches(Box<PatchesResult>),
}

/// A large array taken out of a report, to leave by another way.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Numbers.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// An array and the field it belongs in, from the outside in.
pub type Placed = (Vec<&'static str>, Array);

impl Progress {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        let mut placed = Vec::new();
        match self {
            Self::Fit(progress) => progress.take_arrays(&mut placed),
            Self::Sample(progress) => progress.take_arrays(&mut placed),
            Self::LogZ(progress) => progress.take_arrays(&mut placed),
            Self::Exact(_)
            | Self::Energies(_)
            | Self::Spline(_)
            | Self::Memorize(_)
            | Self::Recall(_)
            | Self::Patches(_) => {}
        }
        placed
    }
}

impl JobResult {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        let mut placed = Vec::new();
        match self {
            Self::Fit(result) => result.take_arrays(&mut placed),
            Self::Sample(result) => result.take_arrays(&mut placed),
            Self::LogZ(result) => result.take_arrays(&mut placed),
            Self::Exact(result) => result.take_arrays(&mut placed),
            _ if !FULL => {}
            Self::Continuous(result) => result.take_arrays(&mut placed),
            Self::Spline(result) => result.take_arrays(&mut placed),
            Self::Energies(result) => result.take_arrays(&mut placed),
            Self::Memorize(result) => result.take_arrays(&mut placed),
            Self::Recall(result) => result.take_arrays(&mut placed),
            Self::Patches(result) => result.take_arrays(&mut placed),
        }
        placed
    }

    /// SHA-256 of the numbers, in hexadecimal.
    pub fn digest(&self) -> &str {
        match self {
            Self::Fit(result) => &result.digest,
            Self::Sample(result) => &result.digest,
            Self::Continuous(result) => &result.digest,
            Self::LogZ(result) => &result.digest,
            Self::Spline(result) => &result.digest,
            Self::Exact(result) => &result.digest,
            Self::Energies(result) => &result.digest,
            Self::Memorize(result) => &result.digest,
            Self::Recall(result) => &result.digest,
            Self::Patches(result) => &result.digest,
        }
    }
}
