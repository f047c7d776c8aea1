//! A chain under simulated tempering.

use super::context::{ChainContext, ChainInit, StepKind};
use super::part::{Counts, GroupPart};
use crate::linalg::Batch;
use crate::sample::ladder::Ladder;
use crate::sample::simulated_tempering::SimulatedTempering;
use crate::sample::tuning::Tuning;
use serde::{Deserialize, Serialize};

/// How many steps a chain under simulated tempering may be away from the target before its last
/// draw is given again; the result warns if that happens.
const MAX_ABSENCE: usize = 1_000;

/// The chain, its last state at the target, and the energy there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TemperedChain {
    chain: SimulatedTempering,
    state: Vec<f64>,
    energy: f64,
}

impl TemperedChain {
    /// The chain, started at its state.
    pub fn new(
        context: &ChainContext<'_>,
        init: &ChainInit,
        num_rungs: usize,
        chain: usize,
        state: &[f64],
    ) -> Self {
        let rngs = vec![init.rng(chain, 0)];
        let chain = SimulatedTempering::new(
            context.annealed(),
            Ladder::even(num_rungs).betas().to_vec(),
            &vec![0.0; num_rungs],
            state,
            Tuning::uniform(1, init.step_size),
            context.plan.num_warmup,
            rngs,
        );
        let mut energy = [0.0];
        context.target.energy(Batch::new(state.len(), state), &mut energy);
        Self { chain, state: state.to_vec(), energy: energy[0] }
    }

    /// Whether the lengths match those of a valid chain.
    pub fn has_shape_of(&self, valid: &Self, dim: usize) -> bool {
        self.chain.is_valid(dim, 1, valid.betas().len()) && self.state.len() == dim
    }

    /// Makes one step, or after warm-up as many as bring the chain to the target.
    pub fn step(
        &mut self,
        context: &ChainContext<'_>,
        kind: StepKind,
        counts: &mut Counts,
        part: &mut GroupPart,
    ) {
        let Self { chain, state, energy } = self;
        for _ in 0..MAX_ABSENCE {
            chain.step(context.annealed(), context.transition);
            let info = chain.info()[0];
            counts.add(&info, kind.is_warmup, [].iter());
            part.num_gradients += info.num_gradients as u64;
            if kind.is_warmup || chain.is_draw(0) {
                break;
            }
        }
        if chain.is_draw(0) {
            chain.chains.state(0, state);
            *energy = chain.chains.energy[0];
        } else if kind.is_draw {
            counts.num_absent += 1;
        }
        if kind.is_draw {
            part.draws.extend_from_slice(state);
            part.energies.push(*energy);
        }
    }

    /// The step size ε at the target.
    pub fn target_step_size(&self) -> f64 {
        self.chain.target_step_size()
    }

    /// The chain at its levels.
    pub fn tempering(&self) -> &SimulatedTempering {
        &self.chain
    }

    /// β of each level.
    pub fn betas(&self) -> &[f64] {
        self.chain.betas()
    }
}
