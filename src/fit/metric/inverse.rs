//! Inverses of a metric that stay bounded in directions where it is nearly zero (Sohl-Dickstein
//! 2012, section 4.2.6), by eigenvalue γ of G:
//!
//! | kind | inverse | eigenvalue |
//! |---|---|---|
//! | ridge | `(G + εI)⁻¹` | 1 / (γ + ε) |
//! | stochastic robust (eq. 4.35) | `(GᵀG + εI)⁻¹Gᵀ` | γ / (γ² + ε) |
//!
//! Where γ = 0 the ridge gives large steps, of 1/ε, the other none: a fit in its coordinates leaves
//! directions that the metric does not see unchanged.

use crate::Result;
use crate::checks::check_positive;
use unnorm_wire::spec;

/// How the inverse of a metric is kept from being too large.
#[spec(name = "MetricDamping")]
#[derive(Copy)]
pub enum Damping {
    /// `(G + εI)⁻¹`.
    Ridge {
        /// ε, greater than 0, in units of the metric.
        strength: f64,
    },
    /// `(GᵀG + εI)⁻¹Gᵀ`.
    StochasticRobust {
        /// ε, greater than 0, in units of the metric squared.
        strength: f64,
    },
}

impl Default for Damping {
    fn default() -> Self {
        Self::Ridge { strength: 0.01 }
    }
}

impl Damping {
    /// Checks that ε is positive.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`], naming the field.
    pub fn check(self) -> Result<()> {
        let (Self::Ridge { strength } | Self::StochasticRobust { strength }) = self;
        check_positive("optimizer.coordinates.damping.strength", strength)
    }

    /// The inverse's eigenvalue for an eigenvalue of the metric, which rounding may have made
    /// negative.
    pub fn inverse(self, eigenvalue: f64) -> f64 {
        let eigenvalue = eigenvalue.max(0.0);
        match self {
            Self::Ridge { strength } => 1.0 / (eigenvalue + strength),
            Self::StochasticRobust { strength } => {
                eigenvalue / (eigenvalue * eigenvalue + strength)
            }
        }
    }
}
