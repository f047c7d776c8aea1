//! The spec of `exact`.

use crate::data::DataSpec;
use crate::energy::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use unnorm_wire::spec;

/// The spec of `exact`.
#[spec]
pub struct ExactSpec {
    /// The model whose log Z is computed.
    pub model: ModelSpec,
    /// Rows whose likelihood is computed, if any; moved out of the spec once read.
    pub data: Option<DataSpec>,
    /// With data: asks for a lower bound on their likelihood from the rates of minimum probability
    /// flow with this connectivity; for up to 8 sites, and not for sampled neighbours.
    #[serde(default)]
    pub connectivity: Option<ConnectivitySpec>,
    /// Sites, or entries of the state, that are observed and stay: log Z, moments and likelihood are those of the model given them.
    #[full]
    pub observed: Option<ObservedSpec>,
}
