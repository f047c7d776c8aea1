//! The spec of `mode`.

use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use serde::{Deserialize, Serialize};

/// The spec of `mode`: the most probable state of a binary model, that of the lowest energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModeSpec {
    /// An Ising model of up to 16,384 sites without a positive coupling J_ij, in which neighbours rather
    /// agree; or any binary model of up to 20 sites.
    pub model: ModelSpec,
    /// Sites that are observed and stay: the state is the most probable one given them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<ObservedSpec>,
}
