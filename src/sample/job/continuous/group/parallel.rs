//! A chain under parallel tempering.

use super::context::{ChainContext, ChainInit, StepKind};
use super::part::{Counts, GroupPart};
use crate::energy::Reference;
use crate::sample::ladder::Ladder;
use crate::sample::parallel_tempering::Replicas;
use crate::sample::tuning::Tuning;
use crate::sample::warmup::Warmup;
use serde::{Deserialize, Serialize};

/// The replicas that make up one chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TemperedReplicas {
    replicas: Replicas,
    warmup: Warmup,
}

impl TemperedReplicas {
    /// All replicas, started at the chain's state.
    pub fn new(
        context: &ChainContext<'_>,
        init: &ChainInit,
        num_rungs: usize,
        chain: usize,
        state: &[f64],
    ) -> Self {
        let rngs = (0..num_rungs).map(|rung| init.rng(chain, rung)).collect();
        let tuning = Tuning::uniform(num_rungs, init.step_size);
        let (ladder, states) = (Ladder::even(num_rungs), state.repeat(num_rungs));
        Self {
            replicas: Replicas::new(context.annealed(), ladder, &states, tuning, rngs),
            warmup: Warmup::new(init.warmup, context.plan.dim, num_rungs),
        }
    }

    /// Whether the lengths match those of a valid chain.
    pub fn has_shape_of(&self, valid: &Self, dim: usize) -> bool {
        let num_rungs = valid.betas().len();
        self.replicas.is_valid(dim, num_rungs)
            && self.warmup.is_valid(valid.warmup.settings(), dim, num_rungs)
    }

    /// One step of all replicas.
    pub fn step(
        &mut self,
        context: &ChainContext<'_>,
        kind: StepKind,
        counts: &mut Counts,
        part: &mut GroupPart,
    ) {
        let Self { replicas, warmup } = self;
        let (path, inner) = (context.annealed(), context.transition);
        let exact = context.reference.map(|reference| reference as &dyn Reference);
        if kind.is_warmup {
            replicas.warm_up(path, exact, inner, warmup, kind.is_last_of_warmup);
        } else {
            replicas.step(path, exact, inner);
        }
        let rung = replicas.target_rung();
        for info in &replicas.info()[..rung] {
            counts.num_gradients += info.num_gradients as u64;
        }
        counts.add(&replicas.info()[rung], kind.is_warmup, [].iter());
        let all = replicas.info().iter().map(|info| info.num_gradients as u64);
        part.num_gradients += all.sum::<u64>();
        if kind.is_draw {
            part.add_draw(&replicas.chains, rung);
        }
    }

    /// The step size ε at the target.
    pub fn target_step_size(&self) -> f64 {
        self.replicas.tuning.step_size[self.replicas.target_rung()]
    }

    /// How often a replica went up the ladder and back down.
    pub fn num_round_trips(&self) -> u64 {
        self.replicas.ladder.num_round_trips()
    }

    /// β of each rung.
    pub fn betas(&self) -> &[f64] {
        self.replicas.ladder.betas()
    }
}
