//! The paths: distributions f_β from a reference, β = 0, whose log Z is known and
//! that can be drawn from exactly, to a target, β = 1.

use super::gaussian_path::GaussianPath;
use super::geometric_path::GeometricPath;
use super::param_path::ParamPath;
use crate::energy::{Energy, Reference};

/// A path.
pub enum Path {
    /// On ℝᴰ: geometric averages of any reference and any target.
    Geometric(GeometricPath),
    /// Gaussians between two Gaussians.
    Gaussians(GaussianPath),
    /// Binary states: parameters along straight lines between knots.
    Params(ParamPath),
}

impl Path {
    /// Entries a state.
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

    /// log Z at β = 0, in nats: what log weights are to be added to.
    pub fn reference_log_z(&self) -> f64 {
        match self {
            Self::Geometric(path) => path.reference_log_z(),
            Self::Gaussians(path) => path.reference().log_z(),
            Self::Params(path) => path.reference_log_z(),
        }
    }
}
