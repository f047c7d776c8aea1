//! Chains without a ladder.

use super::course::{Beginning, Course, Turn};
use super::moved::{Counts, Moved};
use crate::sample::chains::{Chains, Path, StepInfo};
use crate::sample::target::Target;
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
    /// Positions in the model's coordinates, where the chains have others.
    #[serde(skip)]
    turned: Vec<f64>,
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
        let chains = match course.axes {
            None => Chains::new(Target::Model(course.target), states, rngs),
            Some(axes) => {
                let dim = course.plan.dim;
                let mut along = vec![0.0; states.len()];
                for (x, y) in states.chunks_exact(dim).zip(along.chunks_exact_mut(dim)) {
                    axes.to_axes(x, y);
                }
                Chains::new(Target::Model(course.target), &along, rngs)
            }
        };
        Self {
            chains,
            tuning: Tuning::uniform(width, beginning.step_size),
            warmup: Warmup::new(beginning.warmup, course.plan.dim, width),
            begins: Vec::new(),
            info: Vec::new(),
            turned: Vec::new(),
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
        let Self { chains, tuning, warmup, begins, info, turned } = self;
        let width = chains.width();
        if turn.is_recorded {
            chains.path = Some(Path::default());
        }
        begins.clone_from(&chains.position);
        info.clear();
        info.resize(width, StepInfo::default());
        warmup.step(Target::Model(course.target), course.transition, tuning, chains, info);
        if let Some(axes) = course.axes {
            turned.resize(begins.len(), 0.0);
            if info.iter().any(|info| info.is_divergent) {
                axes.from_axes(begins, turned);
                std::mem::swap(begins, turned);
            }
        }
        for (chain, (info, counts)) in info.iter().zip(counts).enumerate() {
            let begin = begins.iter().skip(chain).step_by(width);
            counts.add(info, turn.is_warmup, begin);
            moved.num_gradients += info.num_gradients as u64;
        }
        if let Some(mut path) = chains.path.take() {
            if let Some(axes) = course.axes {
                let along = std::mem::take(&mut path.points);
                path.points.resize(along.len(), 0.0);
                axes.rows_from_axes(&along, &mut path.points);
            }
            moved.add_path(&info[0], path, course.plan.dim);
        }
        if turn.is_draw {
            match course.axes {
                None => moved.add_draws(&chains.position, &chains.energy),
                Some(axes) => {
                    axes.from_axes(&chains.position, turned);
                    moved.add_draws(turned, &chains.energy);
                }
            }
        }
    }

    /// ε of each chain.
    pub fn step_sizes(&self) -> &[f64] {
        &self.tuning.step_size
    }
}
