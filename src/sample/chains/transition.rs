//! Transitions of chains, their specs, and what they report of a step.

use super::Chains;
use crate::Result;
use crate::sample::target::Target;
use crate::sample::tuning::{ScaleKind, Tuning};
use unnorm_wire::spec;

/// What a step did with one chain; the next step does not need it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepInfo {
    /// The acceptance probability of the proposal (for NUTS its mean over the tree): step sizes are
    /// adapted to it.
    pub acceptance: f64,
    /// Whether the chain moved.
    pub is_accepted: bool,
    /// Whether the momentum was reversed.
    pub is_flipped: bool,
    /// Whether the energy error was NaN or so large ([`MAX_ENERGY_ERROR`]) that the trajectory says
    /// nothing about the target.
    pub is_divergent: bool,
    /// Total energy after the proposal minus that before, in nats.
    pub energy_error: f64,
    /// Number of gradients evaluated.
    pub num_gradients: usize,
    /// Number of doublings of the trajectory that were kept; 0 except for NUTS.
    pub tree_depth: usize,
}

/// An energy error above this is a divergence (as in Stan).
pub const MAX_ENERGY_ERROR: f64 = 1000.0;

/// A Markov transition of chains on ℝᴰ that leaves `p(x) ∝ exp(−E(x))` unchanged. It holds its
/// settings and no state of the chains or the target, so any distribution on an annealing path can
/// be the target.
pub trait ChainTransition: Send + Sync {
    /// Moves every chain of the block by one step. The energies and gradients of `chains` are those
    /// of the target before and after; `info` has one entry per chain.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn step(&self, target: Target<'_>, tuning: &Tuning, chains: &mut Chains, info: &mut [StepInfo]);

    /// The transition with which an initial step size is searched; if none, one leapfrog step
    /// ([`crate::sample::langevin::Mala`]).
    fn trial(&self) -> Option<&dyn ChainTransition> {
        None
    }

    /// The mean acceptance to which its step size is best adapted.
    fn target_acceptance(&self) -> f64 {
        0.8
    }

    /// The mean acceptance to which step sizes along an annealing path are best adapted.
    fn annealing_acceptance(&self) -> f64 {
        self.target_acceptance()
    }

    /// Whether momenta drive the chains, so that their energies say how well the positions' energies
    /// are explored ([`crate::diagnostics::ebfmi`]).
    fn has_momenta(&self) -> bool {
        true
    }

    /// The power p with which the energy error of a proposal scales, as ε^p. By default that of a
    /// leapfrog trajectory.
    fn error_power(&self) -> f64 {
        2.0
    }

    /// Approximate number of gradients per step.
    fn num_gradients(&self, _dim: usize) -> u64 {
        1
    }

    /// The reversal T̃, with `p(x) T(x, x′) = p(x′) T̃(x′, x)`; none if it is the transition
    /// itself, up to the sign of momenta.
    fn reversed(&self) -> Option<Box<dyn ChainTransition>> {
        None
    }
}

/// The spec of a transition of chains on ℝᴰ. It is declared in the file of its transition, and
/// listed in [`crate::sample::spec::TransitionSpec`].
pub trait ChainTransitionSpec {
    /// Makes the transition.
    fn build(&self) -> Box<dyn ChainTransition>;

    /// The step size ε, if given.
    fn step_size(&self) -> Option<f64>;

    /// What warm-up adapts, if given.
    fn adaptation(&self) -> Option<&AdaptationSpec>;

    /// Checks the settings that only this transition has.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`], naming the field.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Maximum dimension of a target.
    fn max_dim(&self) -> usize {
        usize::MAX
    }

    /// Whether it is a way to draw and no transition that chains of a fit, or on the rungs of a ladder,
    /// can make: it leaves no distribution unchanged, however small its steps are.
    fn is_for_draws_alone(&self) -> bool {
        false
    }

    /// The field whose setting keeps the transition from leaving its distribution unchanged, and
    /// advice on it; none if there is none. Such a transition would make annealing weights wrong.
    fn bias(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// What each chain adapts for itself in warm-up.
#[spec(default)]
pub struct AdaptationSpec {
    /// Target mean acceptance, between 0 and 1; if absent, 0.8 with trajectories, 0.574 for
    /// Langevin, 0.234 for Metropolis, 0.5 for slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_acceptance: Option<f64>,
    /// The kind of linear map in which moves are made; diagonal if absent.
    pub scale: ScaleKind,
}

impl Default for AdaptationSpec {
    fn default() -> Self {
        Self { target_acceptance: None, scale: ScaleKind::Diagonal }
    }
}
