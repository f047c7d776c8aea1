//! Chains without a ladder.

use super::context::{ChainContext, ChainInit, StepKind};
use super::part::{Counts, GroupPart};
use crate::sample::chains::{Chains, Path, StepInfo};
use crate::sample::target::Target;
use crate::sample::tuning::Tuning;
use crate::sample::warmup::Warmup;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A block of chains that move side by side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Untempered {
    chains: Chains,
    tuning: Tuning,
    warmup: Warmup,
    /// Where a step began; the next field is what it did. Every step reuses this memory.
    #[serde(skip)]
    begins: Vec<f64>,
    #[serde(skip)]
    info: Vec<StepInfo>,
    /// Positions in the model's coordinates, if the chains move in a rotated basis.
    #[serde(skip)]
    turned: Vec<f64>,
}

impl Untempered {
    /// These chains, started at these states.
    pub fn new(
        context: &ChainContext<'_>,
        init: &ChainInit,
        chains: Range<usize>,
        states: &[f64],
    ) -> Self {
        let width = chains.len();
        let rngs = chains.map(|chain| init.rng(chain, 0)).collect();
        let chains = match context.axes {
            None => Chains::new(Target::Model(context.target), states, rngs),
            Some(axes) => {
                let dim = context.plan.dim;
                let mut along = vec![0.0; states.len()];
                for (x, y) in states.chunks_exact(dim).zip(along.chunks_exact_mut(dim)) {
                    axes.to_axes(x, y);
                }
                Chains::new(Target::Model(context.target), &along, rngs)
            }
        };
        Self {
            chains,
            tuning: Tuning::uniform(width, init.step_size),
            warmup: Warmup::new(init.warmup, context.plan.dim, width),
            begins: Vec::new(),
            info: Vec::new(),
            turned: Vec::new(),
        }
    }

    /// Whether the lengths match those of `width` chains like the valid ones.
    pub fn has_shape_of(&self, valid: &Self, dim: usize, width: usize) -> bool {
        self.chains.is_valid(dim, width)
            && self.tuning.is_valid(dim, width)
            && self.warmup.is_valid(valid.warmup.settings(), dim, width)
    }

    /// One step of all chains.
    pub fn step(
        &mut self,
        context: &ChainContext<'_>,
        kind: StepKind,
        counts: &mut [Counts],
        part: &mut GroupPart,
    ) {
        let Self { chains, tuning, warmup, begins, info, turned } = self;
        let width = chains.width();
        if kind.is_recorded {
            chains.path = Some(Path::default());
        }
        begins.clone_from(&chains.position);
        info.clear();
        info.resize(width, StepInfo::default());
        warmup.step(Target::Model(context.target), context.transition, tuning, chains, info);
        if let Some(axes) = context.axes {
            turned.resize(begins.len(), 0.0);
            if info.iter().any(|info| info.is_divergent) {
                axes.from_axes(begins, turned);
                std::mem::swap(begins, turned);
            }
        }
        for (chain, (info, counts)) in info.iter().zip(counts).enumerate() {
            let begin = begins.iter().skip(chain).step_by(width);
            counts.add(info, kind.is_warmup, begin);
            part.num_gradients += info.num_gradients as u64;
        }
        if let Some(mut path) = chains.path.take() {
            if let Some(axes) = context.axes {
                let along = std::mem::take(&mut path.points);
                path.points.resize(along.len(), 0.0);
                axes.rows_from_axes(&along, &mut path.points);
            }
            part.add_path(&info[0], path, context.plan.dim);
        }
        if kind.is_draw {
            match context.axes {
                None => part.add_draws(&chains.position, &chains.energy),
                Some(axes) => {
                    axes.from_axes(&chains.position, turned);
                    part.add_draws(turned, &chains.energy);
                }
            }
        }
    }

    /// The step size ε of each chain.
    pub fn step_sizes(&self) -> &[f64] {
        &self.tuning.step_size
    }
}
