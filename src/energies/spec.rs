//! The spec of `energies`.

use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use unnorm_wire::spec;

/// The spec of `energies`.
#[spec]
pub struct EnergiesSpec {
    /// The model whose energies are computed.
    pub model: ModelSpec,
    /// The states, one after another, `[numStates, dim]`; zeros and ones for binary models. For a
    /// `categoricalRbm` sites may be without a value; energies are then those of the machine of the
    /// other sites.
    pub states: Vec<f64>,
    /// Whether to compute gradients too; false if absent.
    #[serde(default)]
    pub gradients: bool,
    /// Whether to say which parameters θ the states stand for, for the kind `posterior`; false if
    /// absent.
    #[serde(default)]
    pub parameters: bool,
    /// Whether to compute the conditional probabilities of models of bits: of each bit, that it is on
    /// given the other sites. Of a site of several values those of its bits add up to 1; of one
    /// without a value, which a `categoricalRbm` may have, they are those given all that have one.
    /// False if absent.
    #[full]
    pub conditionals: bool,
    /// Whether to compute the probabilities that hidden units are on given each state; false if
    /// absent.
    #[full]
    pub hidden: bool,
    /// Whether to compute `ln p` of each state exactly, for models whose log Z depends on the state, of
    /// up to 20 hidden units: for `categoricalRbm` among the states of the sites that have a value,
    /// for `replicatedSoftmax` among the sequences of as many words. False if absent. (For other
    /// models subtract the log Z of `exact` from minus the energies.)
    #[full]
    pub log_probabilities: bool,
    /// Sites, or entries of the state, that are observed and stay: these entries of all states are set
    /// to the values, and their gradients are 0.
    #[full]
    pub observed: Option<ObservedSpec>,
}
