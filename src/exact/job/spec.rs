//! The spec of `exact`.

use crate::data::DataSpec;
use crate::energy::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use serde::{Deserialize, Serialize};

/// The spec of `exact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExactSpec {
    /// The model whose log Z is computed.
    pub model: ModelSpec,
    /// Rows whose likelihood is computed, if any; moved out of the spec once read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// With data: asks for a lower bound on their likelihood from the rates of minimum probability
    /// flow with this connectivity; for up to 8 sites, and not for sampled neighbours.
    #[serde(default)]
    pub connectivity: Option<ConnectivitySpec>,
    /// Sites, or entries of the state, that are observed and stay: log Z, moments and likelihood are those of the model given them.
    #[cfg_attr(feature = "full", serde(default, skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    pub observed: Option<ObservedSpec>,
}
