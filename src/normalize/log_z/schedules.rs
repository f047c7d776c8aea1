//! The schedule as workers are told of it: in a few numbers, from which each
//! makes the same β again.

use crate::Result;
use crate::energy::schedule;
use crate::normalize::log_z::spec::{LogZSpec, ScheduleSpec};
use serde::{Deserialize, Serialize};

/// What the schedule is made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// As the spec says.
    Spec,
    /// Evenly.
    Linear,
    /// So many to each bin between two edges.
    Binned { edges: Vec<f64>, counts: Vec<usize> },
    /// Equal parts of a barrier that is linear between edges.
    Barrier { edges: Vec<f64>, lengths: Vec<f64> },
}

impl Shape {
    /// β_0 to β_K.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] if the spec's numbers make none.
    ///
    /// # Panics
    /// If the spec leaves the schedule to a pilot run, and the shape to the spec.
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

    /// Whether so many betas can be made of it, as they can unless a checkpoint
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
