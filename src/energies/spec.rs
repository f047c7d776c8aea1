//! The spec of `energies`.

use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use serde::{Deserialize, Serialize};

/// The spec of `energies`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnergiesSpec {
    /// The model whose energies are computed.
    pub model: ModelSpec,
    /// The states, one after another, `[numStates, dim]`; zeros and ones for binary models.
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub states: Vec<f64>,
    /// Whether to compute gradients too; false if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub gradients: bool,
    /// Whether to say which parameters θ the states stand for, for the kind `posterior`; false if
    /// absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub parameters: bool,
    /// Sites, or entries of the state, that are observed and stay: these entries of all states are set to the values, and their gradients are 0.
    #[cfg_attr(feature = "full", serde(default, skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    pub observed: Option<ObservedSpec>,
}
