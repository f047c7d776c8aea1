//! Populations: chains on their way along an annealing plan, and their weights so far. A chain
//! draws from its own stream only, so it depends neither on the other chains nor on how its steps
//! are cut into pieces.

use super::annealing_plan::{AnnealingPlan, Direction};
use super::continuous::Continuous;
use super::gaussian_chains::GaussianChains;
use super::path::Path;
use super::profile::{Accounts, Profile};
use super::rows;
use super::states::States;
use crate::FULL;
use crate::rng::{ChainRng, Purpose, stream};
use crate::sample::path_chains::PathChains;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chains between two annealing steps, with all state that their next steps need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Population {
    chains: Chains,
    /// log w of each chain, in nats: the sum over the steps so far of log f_k(x) − log f_{k−1}(x),
    /// where k is the end of the step nearer to the target, in either direction. Without log Z of
    /// the reference. −∞ if a chain left the support of its next distribution (+∞ in reverse): its
    /// weight is 0.
    pub log_weights: Vec<f64>,
    /// log Z_K − log Z_0 by thermodynamic integration along each chain, by the trapezoid rule: the
    /// terms are those of log w, averaged over before and after the transition. Its mean over
    /// chains is the estimate. With perfect transitions its only bias is the error of the rule, of
    /// second order in the spacing of β. −∞ for chains that started with weight 0.
    pub integrals: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Chains {
    Rows(PathChains),
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Continuous(Continuous),
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Gaussians(GaussianChains),
}

const NO_REALS: &str = "the core has no paths on the reals";

impl Population {
    /// The chains with these indices at exact draws from the reference.
    pub fn forward(plan: &AnnealingPlan, chains: Range<usize>, seed: u64) -> Self {
        let mut rngs = streams(seed, Purpose::Anneal, chains);
        let width = rngs.len();
        let mut log_weights = vec![0.0; width];
        let dim = plan.path().dim();
        let chains = match plan.path() {
            Path::Geometric(_) | Path::Gaussians(_) if !FULL => unreachable!("{NO_REALS}"),
            Path::Geometric(path) => {
                let mut values = vec![0.0; width * dim];
                let states = values.chunks_exact_mut(dim).zip(&mut rngs).zip(&mut log_weights);
                for ((state, rng), log_weight) in states {
                    if !path.draw_reference(rng, state) {
                        *log_weight = f64::NEG_INFINITY;
                    }
                }
                Chains::Continuous(Continuous::new(plan, 0.0, &values, rngs))
            }
            Path::Gaussians(path) => {
                let mut values = vec![0.0; width * dim];
                for (state, rng) in values.chunks_exact_mut(dim).zip(&mut rngs) {
                    crate::energy::Reference::draw(path.reference(), rng, state);
                }
                Chains::Gaussians(GaussianChains::new(plan, 0.0, &values, rngs))
            }
            Path::Params(path) => {
                let mut rows = PathChains::new(dim, rngs);
                rows.draw(path);
                Chains::Rows(rows)
            }
        };
        Self { chains, integrals: log_weights.clone(), log_weights }
    }

    /// The chains with these indices at these states, to go back from the target. Momenta are
    /// drawn; those given are ignored.
    ///
    /// # Panics
    /// If the states are not of the plan's kind, or not one per chain.
    pub fn reverse(plan: &AnnealingPlan, chains: Range<usize>, states: &States, seed: u64) -> Self {
        let rngs = streams(seed, Purpose::AnnealReverse, chains);
        let width = rngs.len();
        let dim = plan.path().dim();
        let chains = match (plan.path(), states) {
            (Path::Geometric(_) | Path::Gaussians(_), _) if !FULL => unreachable!("{NO_REALS}"),
            (Path::Geometric(_), States::Values { values, .. }) => {
                Chains::Continuous(Continuous::new(plan, 1.0, values, rngs))
            }
            (Path::Gaussians(_), States::Values { values, .. }) => {
                Chains::Gaussians(GaussianChains::new(plan, 1.0, values, rngs))
            }
            (Path::Params(_), States::Rows(states)) => {
                let mut rows = PathChains::new(dim, rngs);
                rows.set(states.iter().map(|row| &row[..]));
                Chains::Rows(rows)
            }
            _ => panic!("states of another kind than the plan's"),
        };
        Self { chains, log_weights: vec![0.0; width], integrals: vec![0.0; width] }
    }

    /// Moves the chains by these annealing steps, which must be the next ones, and appends one
    /// entry per step to the profile. The last step has a transition too: it changes no weight, but
    /// the integrals and the final states. Steps that stay at the target may have any index.
    ///
    /// # Panics
    /// If the plan has no such steps.
    pub fn advance(
        &mut self,
        plan: &AnnealingPlan,
        direction: Direction,
        steps: Range<usize>,
        profile: &mut Profile,
    ) {
        if direction != Direction::Stay {
            plan.check_steps(&steps);
        }
        let Self { chains, log_weights, integrals } = self;
        let mut accounts = Accounts { direction, log_weights, integrals, profile };
        match chains {
            Chains::Continuous(_) | Chains::Gaussians(_) if !FULL => unreachable!("{NO_REALS}"),
            Chains::Continuous(chains) => chains.advance(plan, steps, &mut accounts),
            Chains::Gaussians(chains) => chains.advance(plan, steps, &mut accounts),
            Chains::Rows(chains) => rows::advance(chains, plan, steps, &mut accounts),
        }
    }

    /// The present states of the chains.
    pub fn states(&self) -> States {
        match &self.chains {
            Chains::Continuous(_) | Chains::Gaussians(_) if !FULL => unreachable!("{NO_REALS}"),
            Chains::Continuous(chains) => chains.states(),
            Chains::Gaussians(chains) => chains.states(),
            Chains::Rows(chains) => States::Rows(chains.rows().map(<[u64]>::to_vec).collect()),
        }
    }

    /// Sets the chains to these states, after `step` annealing steps forward, as resampling does.
    /// Streams, weights and integrals are kept.
    ///
    /// # Panics
    /// If the states are not of the plan's kind, or not one per chain.
    pub fn set_states(&mut self, plan: &AnnealingPlan, step: usize, states: &States) {
        let beta = plan.schedule()[step];
        match (&mut self.chains, states) {
            (Chains::Continuous(_) | Chains::Gaussians(_), _) if !FULL => {
                unreachable!("{NO_REALS}")
            }
            (Chains::Continuous(chains), States::Values { values, momenta, .. }) => {
                chains.set(plan, beta, values, momenta);
            }
            (Chains::Gaussians(chains), States::Values { values, momenta, .. }) => {
                chains.set(plan, beta, values, momenta);
            }
            (Chains::Rows(rows), States::Rows(states)) => {
                rows.set(states.iter().map(|row| &row[..]))
            }
            _ => panic!("states of another kind than the chains'"),
        }
    }

    /// Number of chains.
    pub fn width(&self) -> usize {
        self.log_weights.len()
    }

    /// Whether kind and lengths match those of a valid population, as they do unless a checkpoint
    /// was tampered with.
    pub fn has_shape_of(&self, valid: &Self) -> bool {
        let width = valid.width();
        self.log_weights.len() == width
            && self.integrals.len() == width
            && match (&self.chains, &valid.chains) {
                (Chains::Continuous(own), Chains::Continuous(valid)) => own.has_shape_of(valid),
                (Chains::Gaussians(own), Chains::Gaussians(valid)) => own.has_shape_of(valid),
                (Chains::Rows(own), Chains::Rows(valid)) => own.has_shape_of(valid),
                _ => false,
            }
    }
}

fn streams(seed: u64, purpose: Purpose, chains: Range<usize>) -> Vec<ChainRng> {
    chains.map(|chain| stream(seed, purpose, chain as u64)).collect()
}
