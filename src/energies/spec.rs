//! The spec of `energies`.

use crate::models::ModelSpec;
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
}
