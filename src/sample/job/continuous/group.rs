//! A shard's chains and how they move.

mod context;
mod parallel;
mod part;
mod simulated;
mod untempered;

pub use context::ChainContext;
pub use part::{Counts, GroupPart};

use crate::sample::job::spec::SampleSpec;
use crate::sample::simulated_tempering::SimulatedTempering;
use crate::sample::spec::TransitionSpec;
use context::{ChainInit, StepKind};
use parallel::TemperedReplicas;
use serde::{Deserialize, Serialize};
use simulated::TemperedChain;
use std::ops::Range;
use untempered::Untempered;

/// Chains between two steps, with all state that their next steps need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    chains: GroupChains,
    /// Counts of each chain after warm-up.
    pub counts: Vec<Counts>,
}

/// The chains, by the kind of ladder.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum GroupChains {
    Untempered(Box<Untempered>),
    Parallel(Vec<TemperedReplicas>),
    Simulated(Vec<TemperedChain>),
}

impl Group {
    /// The group before its first step, with its chains at these states.
    pub fn new(
        spec: &SampleSpec,
        context: &ChainContext<'_>,
        chains: Range<usize>,
        states: &[f64],
        seed: u64,
    ) -> Self {
        let width = chains.len();
        let init = &ChainInit::new(spec, context, seed);
        let each = chains.clone().zip(states.chunks_exact(context.plan.dim));
        let chains = match &spec.transition {
            TransitionSpec::ParallelTempering(ladder) => GroupChains::Parallel(
                each.map(|(chain, state)| {
                    TemperedReplicas::new(context, init, ladder.num_rungs, chain, state)
                })
                .collect(),
            ),
            TransitionSpec::SimulatedTempering(ladder) => GroupChains::Simulated(
                each.map(|(chain, state)| {
                    TemperedChain::new(context, init, ladder.num_rungs, chain, state)
                })
                .collect(),
            ),
            _ => GroupChains::Untempered(Box::new(Untempered::new(context, init, chains, states))),
        };
        Self { chains, counts: vec![Counts::default(); width] }
    }

    /// Whether the lengths match those of a group known to be valid, with states of `dim` entries.
    pub fn has_shape_of(&self, valid: &Self, dim: usize) -> bool {
        let width = valid.counts.len();
        let are_valid = match (&self.chains, &valid.chains) {
            (GroupChains::Untempered(untempered), GroupChains::Untempered(valid)) => {
                untempered.has_shape_of(valid, dim, width)
            }
            (GroupChains::Parallel(all), GroupChains::Parallel(valid)) => {
                all.len() == width
                    && all.iter().zip(valid).all(|(one, like)| one.has_shape_of(like, dim))
            }
            (GroupChains::Simulated(all), GroupChains::Simulated(valid)) => {
                all.len() == width
                    && all.iter().zip(valid).all(|(one, like)| one.has_shape_of(like, dim))
            }
            _ => false,
        };
        are_valid && self.counts.len() == width
    }

    /// The step size of each chain, at the target if there is a ladder.
    pub fn step_sizes(&self) -> Vec<f64> {
        match &self.chains {
            GroupChains::Untempered(untempered) => untempered.step_sizes().to_vec(),
            GroupChains::Parallel(all) => {
                all.iter().map(TemperedReplicas::target_step_size).collect()
            }
            GroupChains::Simulated(all) => {
                all.iter().map(TemperedChain::target_step_size).collect()
            }
        }
    }

    /// Number of round trips of each chain's replicas over the ladder; empty without parallel
    /// tempering.
    pub fn round_trips(&self) -> Vec<f64> {
        match &self.chains {
            GroupChains::Parallel(all) => {
                all.iter().map(|one| one.num_round_trips() as f64).collect()
            }
            _ => Vec::new(),
        }
    }

    /// β of the first chain's rungs, as warm-up left them.
    pub fn ladder(&self) -> Vec<f64> {
        match &self.chains {
            GroupChains::Untempered(_) => Vec::new(),
            GroupChains::Parallel(all) => {
                all.first().map_or(Vec::new(), |one| one.betas().to_vec())
            }
            GroupChains::Simulated(all) => {
                all.first().map_or(Vec::new(), |one| one.betas().to_vec())
            }
        }
    }

    /// The chains at their levels, under simulated tempering.
    pub fn simulated(&self) -> impl Iterator<Item = &SimulatedTempering> {
        let all = match &self.chains {
            GroupChains::Simulated(all) => &all[..],
            _ => &[],
        };
        all.iter().map(TemperedChain::tempering)
    }

    /// Makes step number `step` of all chains, and adds the draw if the step ends in one.
    pub fn step(
        &mut self,
        context: &ChainContext<'_>,
        step: u64,
        records: bool,
        part: &mut GroupPart,
    ) {
        let kind = StepKind::new(context.plan, step, records);
        let counts = &mut self.counts;
        match &mut self.chains {
            GroupChains::Untempered(untempered) => untempered.step(context, kind, counts, part),
            GroupChains::Parallel(all) => {
                for (replicas, counts) in all.iter_mut().zip(counts) {
                    replicas.step(context, kind, counts, part);
                }
            }
            GroupChains::Simulated(all) => {
                for (tempered, counts) in all.iter_mut().zip(counts) {
                    tempered.step(context, kind, counts, part);
                }
            }
        }
    }
}
