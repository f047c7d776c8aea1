//! What moves chains, its spec, and what it tells of a step.

use super::Chains;
use crate::Result;
use crate::sample::target::Target;
use crate::sample::tuning::{ScaleKind, Tuning};
use serde::{Deserialize, Serialize};

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

    /// What an initial step size is searched with; if none is named, one leapfrog step
    /// ([`crate::sample::langevin::Mala`]).
    fn trial(&self) -> Option<&dyn ChainTransition> {
        None
    }

    /// The mean acceptance its step size is best adapted to.
    fn target_acceptance(&self) -> f64 {
        0.8
    }

    /// The mean acceptance that step sizes along an annealing path are best adapted to.
    fn annealing_acceptance(&self) -> f64 {
        self.target_acceptance()
    }

    /// p: the error of a proposal's energy goes as ε^p. By default that of a leapfrog trajectory.
    fn error_power(&self) -> f64 {
        2.0
    }

    /// Gradients that a step takes, about.
    fn num_gradients(&self, _dim: usize) -> u64 {
        1
    }

    /// Its reversal T̃, with `p(x) T(x, x′) = p(x′) T̃(x′, x)`: none if that is the transition itself, up to the
    /// sign of momenta.
    fn reversed(&self) -> Option<Box<dyn ChainTransition>> {
        None
    }
}

/// A transition of chains on ℝᴰ as plain data. It stands in the file of its transition, and in the list of
/// [`crate::sample::spec::TransitionSpec`].
pub trait ChainTransitionSpec {
    /// The transition.
    fn build(&self) -> Box<dyn ChainTransition>;

    /// ε, if it is given.
    fn step_size(&self) -> Option<f64>;

    /// What warm-up adapts, if it is given.
    fn adaptation(&self) -> Option<&AdaptationSpec>;

    /// Checks what only this transition has.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`], naming the field.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Most dimensions of a target.
    fn max_dim(&self) -> usize {
        usize::MAX
    }

    /// The field that keeps it from leaving its distribution unchanged, and what to do about it; none if it does.
    /// Weights of annealing would be wrong.
    fn bias(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// What is adapted in warm-up, for each chain on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AdaptationSpec {
    /// The mean acceptance the step size is adapted to, between 0 and 1; if
    /// absent, 0.8 with trajectories, 0.574 for Langevin, 0.234 for Metropolis, 0.5 for slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_acceptance: Option<f64>,
    /// The map in which moves are made; diagonal if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<ScaleKind>"))]
    pub scale: ScaleKind,
}

impl Default for AdaptationSpec {
    fn default() -> Self {
        Self { target_acceptance: None, scale: ScaleKind::Diagonal }
    }
}
