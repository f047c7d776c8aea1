//! Paths: distributions f_β from a reference at β = 0, with exact draws and a known log Z, to a
//! target at β = 1.

use super::gaussian_path::GaussianPath;
use super::geometric_path::GeometricPath;
use crate::energy::{Energy, Reference};
use crate::sample::param_path::ParamPath;

/// A path of distributions.
pub enum Path {
    /// On ℝᴰ: geometric averages of any reference and any target.
    Geometric(GeometricPath),
    /// Gaussians between two Gaussians.
    Gaussians(GaussianPath),
    /// Binary states: parameters along straight lines between knots.
    Params(ParamPath),
}

impl Path {
    /// Entries per state.
    pub fn dim(&self) -> usize {
        match self {
            Self::Geometric(path) => path.target().dim(),
            Self::Gaussians(path) => path.target().dim(),
            Self::Params(path) => path.model().dim(),
        }
    }

    /// Whether states are bits.
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Params(_))
    }

    /// log Z at β = 0, in nats, to be added to log weights.
    pub fn reference_log_z(&self) -> f64 {
        match self {
            Self::Geometric(path) => path.reference_log_z(),
            Self::Gaussians(path) => path.reference().log_z(),
            Self::Params(path) => path.reference_log_z(),
        }
    }
}
