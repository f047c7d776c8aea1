//! A chain under parallel tempering.

use super::course::{Beginning, Course, Turn};
use super::moved::{Counts, Moved};
use crate::energy::Reference;
use crate::sample::ladder::Ladder;
use crate::sample::parallel_tempering::Replicas;
use crate::sample::tuning::Tuning;
use crate::sample::warmup::Warmup;
use serde::{Deserialize, Serialize};

/// The replicas one chain is made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ensemble {
    replicas: Replicas,
    warmup: Warmup,
}

impl Ensemble {
    /// All replicas at the chain's state.
    pub fn new(
        course: &Course<'_>,
        beginning: &Beginning,
        num_rungs: usize,
        chain: usize,
        state: &[f64],
    ) -> Self {
        let rngs = (0..num_rungs).map(|rung| beginning.rng(chain, rung)).collect();
        let tuning = Tuning::uniform(num_rungs, beginning.step_size);
        let (ladder, states) = (Ladder::even(num_rungs), state.repeat(num_rungs));
        Self {
            replicas: Replicas::new(course.annealed(), ladder, &states, tuning, rngs),
            warmup: Warmup::new(beginning.warmup, course.plan.dim, num_rungs),
        }
    }

    /// Whether the lengths are those of a sound one.
    pub fn is_like(&self, sound: &Self, dim: usize) -> bool {
        let num_rungs = sound.betas().len();
        self.replicas.is_sound(dim, num_rungs)
            && self.warmup.is_sound(sound.warmup.settings(), dim, num_rungs)
    }

    /// One step of all replicas.
    pub fn step(
        &mut self,
        course: &Course<'_>,
        turn: Turn,
        counts: &mut Counts,
        moved: &mut Moved,
    ) {
        let Self { replicas, warmup } = self;
        let (path, inner) = (course.annealed(), course.transition);
        let exact = course.reference.map(|reference| reference as &dyn Reference);
        if turn.is_warmup {
            replicas.warm_up(path, exact, inner, warmup, turn.is_last_of_warmup);
        } else {
            replicas.step(path, exact, inner);
        }
        let rung = replicas.target_rung();
        for info in &replicas.info()[..rung] {
            counts.num_gradients += info.num_gradients as u64;
        }
        counts.add(&replicas.info()[rung], turn.is_warmup, [].iter());
        let all = replicas.info().iter().map(|info| info.num_gradients as u64);
        moved.num_gradients += all.sum::<u64>();
        if turn.is_draw {
            moved.add_draw(&replicas.chains, rung);
        }
    }

    /// ε at the target.
    pub fn target_step_size(&self) -> f64 {
        self.replicas.tuning.step_size[self.replicas.target_rung()]
    }

    /// How often a replica went up and down the ladder and back.
    pub fn num_round_trips(&self) -> u64 {
        self.replicas.ladder.num_round_trips()
    }

    /// β of each rung.
    pub fn betas(&self) -> &[f64] {
        self.replicas.ladder.betas()
    }
}
