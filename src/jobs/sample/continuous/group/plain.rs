//! Chains without a ladder.

use super::course::{Beginning, Course, Turn};
use super::moved::{Counts, Moved};
use crate::sample::chains::{Chains, Path, StepInfo};
use crate::sample::tuning::Tuning;
use crate::sample::warmup::Warmup;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A block of chains that move side by side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plain {
    chains: Chains,
    tuning: Tuning,
    warmup: Warmup,
    /// Where a step began, and what it did: memory that every step uses again.
    #[serde(skip)]
    begins: Vec<f64>,
    #[serde(skip)]
    info: Vec<StepInfo>,
}

impl Plain {
    /// These chains at these states.
    pub fn new(
        course: &Course<'_>,
        beginning: &Beginning,
        chains: Range<usize>,
        states: &[f64],
    ) -> Self {
        let width = chains.len();
        let rngs = chains.map(|chain| beginning.rng(chain, 0)).collect();
        Self {
            chains: Chains::new(course.target, states, rngs),
            tuning: Tuning::uniform(width, beginning.step_size),
            warmup: Warmup::new(beginning.warmup, course.plan.dim, width),
            begins: Vec::new(),
            info: Vec::new(),
        }
    }

    /// Whether the lengths are those of `width` chains like sound ones.
    pub fn is_like(&self, sound: &Self, dim: usize, width: usize) -> bool {
        self.chains.is_sound(dim, width)
            && self.tuning.is_sound(dim, width)
            && self.warmup.is_sound(sound.warmup.settings(), dim, width)
    }

    /// One step of all chains.
    pub fn step(
        &mut self,
        course: &Course<'_>,
        turn: Turn,
        counts: &mut [Counts],
        moved: &mut Moved,
    ) {
        let Self { chains, tuning, warmup, begins, info } = self;
        let width = chains.width();
        if turn.is_recorded {
            chains.path = Some(Path::default());
        }
        begins.clone_from(&chains.position);
        info.clear();
        info.resize(width, StepInfo::default());
        warmup.step(course.target, course.transition, tuning, chains, info);
        for (chain, (info, counts)) in info.iter().zip(counts).enumerate() {
            let begin = begins.iter().skip(chain).step_by(width);
            counts.add(info, turn.is_warmup, begin);
            moved.num_gradients += info.num_gradients as u64;
        }
        if let Some(path) = chains.path.take() {
            moved.add_path(&info[0], path, course.plan.dim);
        }
        if turn.is_draw {
            (0..width).for_each(|chain| moved.add_draw(chains, chain));
        }
    }

    /// ε of each chain.
    pub fn step_sizes(&self) -> &[f64] {
        &self.tuning.step_size
    }
}
