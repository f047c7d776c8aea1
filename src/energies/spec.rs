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
    /// The states, one after another, `[numStates, dim]`; zeros and ones for binary models. For a
    /// `categoricalRbm` sites may be without a value; energies are then those of the machine of the
    /// other sites.
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
    /// Whether to compute the conditional probabilities of models of bits: of each bit, that it is on
    /// given the other sites. Of a site of several values those of its bits add up to 1; of one
    /// without a value, which a `categoricalRbm` may have, they are those given all that have one.
    /// False if absent.
    #[cfg_attr(feature = "full", serde(default))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub conditionals: bool,
    /// Whether to compute the probabilities that hidden units are on given each state; false if
    /// absent.
    #[cfg_attr(feature = "full", serde(default))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub hidden: bool,
    /// Whether to compute `ln p` of each state exactly, for models whose log Z depends on the state, of
    /// up to 20 hidden units: for `categoricalRbm` among the states of the sites that have a value,
    /// for `replicatedSoftmax` among the sequences of as many words. False if absent. (For other
    /// models subtract the log Z of `exact` from minus the energies.)
    #[cfg_attr(feature = "full", serde(default))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub log_probabilities: bool,
    /// Sites, or entries of the state, that are observed and stay: these entries of all states are set
    /// to the values, and their gradients are 0.
    #[cfg_attr(feature = "full", serde(default, skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(not(feature = "full"), serde(skip))]
    pub observed: Option<ObservedSpec>,
}
