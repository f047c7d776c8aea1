//! A chain under simulated tempering.

use super::course::{Beginning, Course, Turn};
use super::moved::{Counts, Moved};
use crate::linalg::Batch;
use crate::sample::ladder::Ladder;
use crate::sample::simulated_tempering::SimulatedTempering;
use crate::sample::tuning::Tuning;
use serde::{Deserialize, Serialize};

/// Steps a chain under simulated tempering may be away from the target before
/// its last draw is given again; the result warns of it.
const MAX_ABSENCE: usize = 1_000;

/// The chain, its last state at the target, and the energy there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wanderer {
    chain: SimulatedTempering,
    state: Vec<f64>,
    energy: f64,
}

impl Wanderer {
    /// The chain at its state.
    pub fn new(
        course: &Course<'_>,
        beginning: &Beginning,
        num_rungs: usize,
        chain: usize,
        state: &[f64],
    ) -> Self {
        let rngs = vec![beginning.rng(chain, 0)];
        let chain = SimulatedTempering::new(
            course.annealed(),
            Ladder::even(num_rungs).betas().to_vec(),
            &vec![0.0; num_rungs],
            state,
            Tuning::uniform(1, beginning.step_size),
            course.plan.num_warmup,
            rngs,
        );
        let mut energy = [0.0];
        course.target.energy(Batch::new(state.len(), state), &mut energy);
        Self { chain, state: state.to_vec(), energy: energy[0] }
    }

    /// Whether the lengths are those of a sound one.
    pub fn is_like(&self, sound: &Self, dim: usize) -> bool {
        self.chain.is_sound(dim, 1, sound.betas().len()) && self.state.len() == dim
    }

    /// One step, or after warm-up as many as bring the chain to the target.
    pub fn step(
        &mut self,
        course: &Course<'_>,
        turn: Turn,
        counts: &mut Counts,
        moved: &mut Moved,
    ) {
        let Self { chain, state, energy } = self;
        for _ in 0..MAX_ABSENCE {
            chain.step(course.annealed(), course.transition);
            let info = chain.info()[0];
            counts.add(&info, turn.is_warmup, [].iter());
            moved.num_gradients += info.num_gradients as u64;
            if turn.is_warmup || chain.is_draw(0) {
                break;
            }
        }
        if chain.is_draw(0) {
            chain.chains.state(0, state);
            *energy = chain.chains.energy[0];
        } else if turn.is_draw {
            counts.num_absent += 1;
        }
        if turn.is_draw {
            moved.draws.extend_from_slice(state);
            moved.energies.push(*energy);
        }
    }

    /// ε at the target.
    pub fn target_step_size(&self) -> f64 {
        self.chain.target_step_size()
    }

    /// β of each level.
    pub fn betas(&self) -> &[f64] {
        self.chain.betas()
    }
}
