//! The schedule in the compact form that workers receive: a few numbers, from which each computes
//! the same β.

use crate::Result;
use crate::energy::schedule;
use crate::normalize::log_z::spec::{LogZSpec, ScheduleSpec};
use serde::{Deserialize, Serialize};

/// The compact form of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// The schedule of the spec.
    Spec,
    /// Evenly spaced β.
    Linear,
    /// Linear within bins, with `counts` distributions in each bin between two edges.
    Binned { edges: Vec<f64>, counts: Vec<usize> },
    /// Equal parts of a barrier that is linear between edges.
    Barrier { edges: Vec<f64>, lengths: Vec<f64> },
}

impl Shape {
    /// The schedule β_0 to β_K.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] if the spec's numbers make no schedule.
    ///
    /// # Panics
    /// If the shape is that of the spec, but the spec leaves the schedule to a pilot run.
    pub fn betas(&self, spec: &LogZSpec, num_distributions: usize) -> Result<Vec<f64>> {
        match self {
            Self::Linear => schedule::linear(num_distributions),
            Self::Binned { edges, counts } => schedule::binned(edges, counts),
            Self::Barrier { edges, lengths } => {
                schedule::by_barrier(edges, lengths, num_distributions)
            }
            Self::Spec => match &spec.schedule {
                ScheduleSpec::Linear {} => schedule::linear(num_distributions),
                ScheduleSpec::Sigmoidal { delta } => schedule::sigmoidal(num_distributions, *delta),
                ScheduleSpec::Geometric { first } => schedule::geometric(num_distributions, *first),
                ScheduleSpec::Given { betas } => Ok(betas.clone()),
                ScheduleSpec::OptimalBinned { .. } | ScheduleSpec::Adaptive {} => {
                    unreachable!("a pilot run gives these their shape")
                }
            },
        }
    }

    /// Whether it can make a schedule of `num_distributions` steps, as it can unless a checkpoint
    /// was tampered with.
    pub fn is_valid(&self, spec: &LogZSpec, num_distributions: usize) -> bool {
        match self {
            Self::Linear => true,
            Self::Spec => {
                num_distributions == spec.num_distributions
                    && !matches!(
                        spec.schedule,
                        ScheduleSpec::OptimalBinned { .. } | ScheduleSpec::Adaptive {}
                    )
            }
            Self::Binned { edges, counts } => {
                let sum = counts.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count));
                sum == Some(num_distributions) && schedule::binned(edges, counts).is_ok()
            }
            Self::Barrier { edges, lengths } => {
                schedule::by_barrier(edges, lengths, num_distributions).is_ok()
            }
        }
    }
}
