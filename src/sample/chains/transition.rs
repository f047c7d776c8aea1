//! What moves chains, and what it tells of a step.

use super::Chains;
use crate::sample::langevin::Mala;
use crate::sample::target::Target;
use crate::sample::tuning::Tuning;

/// What a step did with one chain; never needed to take the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepInfo {
    /// The chance there was to accept the proposal (the mean over the tree for
    /// NUTS): what step sizes are adapted to.
    pub acceptance: f64,
    /// Whether the chain moved.
    pub is_accepted: bool,
    /// Whether the momentum was turned round.
    pub is_flipped: bool,
    /// Whether the energy error was so large ([`MAX_ENERGY_ERROR`]), or no
    /// number, that the trajectory says nothing of the target.
    pub is_divergent: bool,
    /// Total energy after the proposal minus before.
    pub energy_error: f64,
    /// Gradients it took.
    pub num_gradients: usize,
    /// Doublings of the trajectory that were kept; 0 but for NUTS.
    pub tree_depth: usize,
}

/// An energy error above this is a divergence (as in Stan).
pub const MAX_ENERGY_ERROR: f64 = 1000.0;

/// A Markov transition of chains on ℝᴰ that leaves `p(x) ∝ exp(−E(x))`
/// unchanged. It holds its settings and nothing of the chains or the target,
/// so any distribution on the way of an annealing path will do as the target.
pub trait ChainTransition: Send + Sync {
    /// Moves every chain of the block by one step. `chains` are up to date
    /// with the target before and after; `info` has an entry a chain.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn step(&self, target: Target<'_>, tuning: &Tuning, chains: &mut Chains, info: &mut [StepInfo]);

    /// A cheap relative of this transition that an initial step size is
    /// searched with: by default one leapfrog step ([`Mala`]).
    fn trial(&self) -> &dyn ChainTransition {
        &Mala
    }

    /// The mean acceptance its step size is best adapted to.
    fn target_acceptance(&self) -> f64 {
        0.8
    }
}
