//! What `exact` is asked to do.

use crate::data::DataSpec;
use crate::energy::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use serde::{Deserialize, Serialize};

/// What `exact` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExactSpec {
    /// The model.
    pub model: ModelSpec,
    /// Rows whose likelihood is wanted, if any; taken out of the spec once read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// With data: asks for the lower bound on their likelihood that the rates
    /// of minimum probability flow between these states give; up to 8 sites,
    /// and not with drawn neighbours.
    #[serde(default)]
    pub connectivity: Option<ConnectivitySpec>,
}
