//! Populations: chains on their way along a plan, and what their weights are so
//! far. A chain draws from its own stream only, so that what it does depends neither
//! on the chains beside it nor on where its way is cut into pieces.

use super::annealing_plan::{AnnealingPlan, Direction};
use super::continuous::Continuous;
use super::gaussian_chains::GaussianChains;
use super::path::Path;
use super::profile::{Accounts, Profile};
use super::rows::Rows;
use super::states::States;
use crate::FULL;
use crate::rng::{ChainRng, Purpose, stream};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chains between two annealing steps, with all that their next steps need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Population {
    chains: Chains,
    /// log w of each chain, in nats: the sum over the steps so far of
    /// log f_k(x) − log f_{k−1}(x), k the end of the step that is nearer to the
    /// target, whichever way it is gone. Without log Z of the reference. −∞ where
    /// a chain came to a place its next distribution does not allow (+∞ in
    /// reverse): its weight is 0.
    pub log_weights: Vec<f64>,
    /// log Z_K − log Z_0 by thermodynamic integration along each chain, by the
    /// trapezoid rule: the same terms as of log w, the mean of those before and
    /// after the transition. Its mean over chains is the estimate, unbiased but for
    /// the rule's error, of second order in the distance of β, where transitions are
    /// perfect. −∞ for chains that started where the weight is 0.
    pub integrals: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Chains {
    Rows(Rows),
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Continuous(Continuous),
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Gaussians(GaussianChains),
}

const NO_REALS: &str = "the core has no paths on the reals";

impl Population {
    /// Chains of these numbers at exact draws from the reference.
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
                let mut rows = Rows::new(dim, rngs);
                rows.draw(path);
                Chains::Rows(rows)
            }
        };
        Self { chains, integrals: log_weights.clone(), log_weights }
    }

    /// Chains of these numbers at these states, to go back from the target. Momenta
    /// are drawn; those given do not count.
    ///
    /// # Panics
    /// If the states are not of the plan's kind, or not one a chain.
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
                let mut rows = Rows::new(dim, rngs);
                rows.set(states);
                Chains::Rows(rows)
            }
            _ => panic!("states of another kind than the plan's"),
        };
        Self { chains, log_weights: vec![0.0; width], integrals: vec![0.0; width] }
    }

    /// Takes the chains on by these annealing steps, which must be the next ones;
    /// appends an entry a step to the profile. After the last one there is a
    /// transition too: it changes no weight, but the integrals, and the states
    /// that are handed out. Steps that stay at the target have any number.
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
            Chains::Rows(rows) => rows.advance(plan, steps, &mut accounts),
        }
    }

    /// Where the chains are.
    pub fn states(&self) -> States {
        match &self.chains {
            Chains::Continuous(_) | Chains::Gaussians(_) if !FULL => unreachable!("{NO_REALS}"),
            Chains::Continuous(chains) => chains.states(),
            Chains::Gaussians(chains) => chains.states(),
            Chains::Rows(rows) => rows.states(),
        }
    }

    /// Puts the chains at these states, after `step` annealing steps forward: what
    /// resampling does. Streams, weights and integrals stay.
    ///
    /// # Panics
    /// If the states are not of the plan's kind, or not one a chain.
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
            (Chains::Rows(rows), States::Rows(states)) => rows.set(states),
            _ => panic!("states of another kind than the chains'"),
        }
    }

    /// Number of chains.
    pub fn width(&self) -> usize {
        self.log_weights.len()
    }

    /// Whether kind and lengths are those of a sound population, as they are unless
    /// a checkpoint was tampered with.
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
