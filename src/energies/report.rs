//! Progress and result of the computation of energies.

use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of the computation of energies.
#[report]
pub struct EnergiesProgress {
    /// The verb: "energies".
    #[ts(type = "\"energies\"")]
    pub verb: &'static str,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Energies of states.
#[report]
pub struct EnergiesResult {
    /// Energies, in nats, `[numStates]`; infinite or NaN for states outside the model's domain.
    pub energies: Vec<f64>,
    /// Gradients, `[numStates, dim]`; empty if not asked for.
    pub gradients: Vec<f64>,
    /// The parameters θ that the states stand for, `[numStates, numParameters]`, in the order of the
    /// prior; empty if not asked for.
    pub parameters: Vec<f64>,
    /// The probabilities of the bits given the other sites, `[numStates, dim]`; empty if not asked for.
    #[cfg(feature = "full")]
    pub conditionals: Vec<f64>,
    /// The probabilities that the hidden units are on, `[numStates, numHidden]`; empty if not asked for.
    #[cfg(feature = "full")]
    pub hidden: Vec<f64>,
    /// ln p of the states, in nats, `[numStates]`; empty if not asked for.
    #[cfg(feature = "full")]
    pub log_probabilities: Vec<f64>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for EnergiesResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
