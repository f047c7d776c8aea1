//! Random-walk Metropolis (Metropolis et al. 1953): propose `x′ = x + ε A r`,
//! r ~ N(0, I), and accept with probability `min(1, p(x′)/p(x))`.
//!
//! At boundaries the straight path is reflected. As −r retraces it, the proposal stays symmetric.
//! The momentum is left as the last direction of the path, or reversed on rejection: N(0, I) in
//! equilibrium.
//!
//! The move uses energies only. Gradients are computed all the same, so that they are up to date
//! for the next transition, of any kind.

use super::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, StepInfo};
use super::hmc::{decide, flip_momenta, propose};
use super::leapfrog::{drift, give_up_lost};
use super::tuning::Tuning;
use crate::sample::target::Target;
use unnorm_wire::spec;

/// The random walk of Metropolis.
#[spec(default)]
#[derive(Default)]
pub struct MetropolisSpec {
    /// Standard deviation of a step. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl ChainTransitionSpec for MetropolisSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        Box::new(RandomWalk)
    }

    fn step_size(&self) -> Option<f64> {
        self.step_size
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        self.adaptation.as_ref()
    }
}

/// Random-walk Metropolis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomWalk;

impl ChainTransition for RandomWalk {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        chains.refresh_momentum(1.0);
        propose(chains, |chains| {
            chains.keep();
            chains.scratch.is_lost.clear();
            drift(target, tuning, chains);
            chains.evaluate(target);
            chains.record();
            give_up_lost(chains);
        });
        // Reflections keep |v|, so ΔH is ΔE.
        decide(chains, info, 1, |_, _| {});
        flip_momenta(chains, info);
    }

    fn trial(&self) -> Option<&dyn ChainTransition> {
        Some(self)
    }

    /// From Roberts, Gelman and Gilks (1997).
    fn target_acceptance(&self) -> f64 {
        0.234
    }

    fn error_power(&self) -> f64 {
        1.0
    }

    fn has_momenta(&self) -> bool {
        false
    }
}
