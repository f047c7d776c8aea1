//! The spec of `mode`.

use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use unnorm_wire::spec;

/// The spec of `mode`: the most probable state of a binary model, that of the lowest energy.
#[spec]
pub struct ModeSpec {
    /// An Ising model of up to 16,384 sites without a positive coupling J_ij, in which neighbours rather
    /// agree; or any binary model of up to 20 sites.
    pub model: ModelSpec,
    /// Sites that are observed and stay: the state is the most probable one given them.
    pub observed: Option<ObservedSpec>,
}
