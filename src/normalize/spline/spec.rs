//! The spec of `spline`.

use crate::data::DataSpec;
use crate::models::ModelSpec;
use crate::normalize::log_z::spec::ReferenceSpec;
use crate::normalize::moment_averages::MomentAveragesSpec;
use crate::run::seed;
use unnorm_wire::spec;

/// The spec of `spline`, which finds the knots of a moment averages path (Grosse, Maddison and
/// Salakhutdinov 2013), along which `logZ` may then anneal.
#[spec]
pub struct SplineSpec {
    /// The binary model at β = 1.
    pub model: ModelSpec,
    /// The independent sites at β = 0; even odds if absent.
    pub reference: Option<ReferenceSpec>,
    /// The knots, and how they are found.
    #[serde(default)]
    pub moment_averages: MomentAveragesSpec,
    /// Rows of zeros and ones the model was fitted to, from which its moments can be computed
    /// cheaply. Moved out of the spec once read.
    pub data: Option<DataSpec>,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}
