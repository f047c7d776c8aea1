//! A shard's chains and how they move.

mod course;
mod moved;
mod parallel;
mod plain;
mod simulated;

pub use course::Course;
pub use moved::{Counts, Moved};

use crate::sample::job::spec::SampleSpec;
use crate::sample::spec::TransitionSpec;
use course::{Beginning, Turn};
use parallel::Ensemble;
use plain::Plain;
use serde::{Deserialize, Serialize};
use simulated::Wanderer;
use std::ops::Range;

/// Chains between two steps, with all that their next steps need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    movers: Movers,
    /// A chain's, after warm-up.
    pub counts: Vec<Counts>,
}

/// Chains, or what each chain is made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Movers {
    Plain(Box<Plain>),
    Parallel(Vec<Ensemble>),
    Simulated(Vec<Wanderer>),
}

impl Group {
    /// Before the first step of these chains, at these states.
    pub fn new(
        spec: &SampleSpec,
        course: &Course<'_>,
        chains: Range<usize>,
        states: &[f64],
        seed: u64,
    ) -> Self {
        let width = chains.len();
        let beginning = &Beginning::new(spec, course, seed);
        let each = chains.clone().zip(states.chunks_exact(course.plan.dim));
        let movers = match &spec.transition {
            TransitionSpec::ParallelTempering(ladder) => Movers::Parallel(
                each.map(|(chain, state)| {
                    Ensemble::new(course, beginning, ladder.num_rungs, chain, state)
                })
                .collect(),
            ),
            TransitionSpec::SimulatedTempering(ladder) => Movers::Simulated(
                each.map(|(chain, state)| {
                    Wanderer::new(course, beginning, ladder.num_rungs, chain, state)
                })
                .collect(),
            ),
            _ => Movers::Plain(Box::new(Plain::new(course, beginning, chains, states))),
        };
        Self { movers, counts: vec![Counts::default(); width] }
    }

    /// Whether the lengths are those of a group that is known to be sound, of
    /// states of `dim` entries.
    pub fn is_like(&self, sound: &Self, dim: usize) -> bool {
        let width = sound.counts.len();
        let are_sound = match (&self.movers, &sound.movers) {
            (Movers::Plain(plain), Movers::Plain(sound)) => plain.is_like(sound, dim, width),
            (Movers::Parallel(all), Movers::Parallel(sound)) => {
                all.len() == width
                    && all.iter().zip(sound).all(|(one, like)| one.is_like(like, dim))
            }
            (Movers::Simulated(all), Movers::Simulated(sound)) => {
                all.len() == width
                    && all.iter().zip(sound).all(|(one, like)| one.is_like(like, dim))
            }
            _ => false,
        };
        are_sound && self.counts.len() == width
    }

    /// The step size of each chain, at the target if there is a ladder.
    pub fn step_sizes(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Plain(plain) => plain.step_sizes().to_vec(),
            Movers::Parallel(all) => all.iter().map(Ensemble::target_step_size).collect(),
            Movers::Simulated(all) => all.iter().map(Wanderer::target_step_size).collect(),
        }
    }

    /// Round trips of each chain's replicas up and down the ladder; none
    /// without parallel tempering.
    pub fn round_trips(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Parallel(all) => all.iter().map(|one| one.num_round_trips() as f64).collect(),
            _ => Vec::new(),
        }
    }

    /// β of the first chain's rungs, as warm-up left them.
    pub fn ladder(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Plain(_) => Vec::new(),
            Movers::Parallel(all) => all.first().map_or(Vec::new(), |one| one.betas().to_vec()),
            Movers::Simulated(all) => all.first().map_or(Vec::new(), |one| one.betas().to_vec()),
        }
    }

    /// Step number `step` of all chains; adds the draw, if it is one.
    pub fn step(&mut self, course: &Course<'_>, step: u64, records: bool, moved: &mut Moved) {
        let turn = Turn::new(course.plan, step, records);
        let counts = &mut self.counts;
        match &mut self.movers {
            Movers::Plain(plain) => plain.step(course, turn, counts, moved),
            Movers::Parallel(all) => {
                for (ensemble, counts) in all.iter_mut().zip(counts) {
                    ensemble.step(course, turn, counts, moved);
                }
            }
            Movers::Simulated(all) => {
                for (wanderer, counts) in all.iter_mut().zip(counts) {
                    wanderer.step(course, turn, counts, moved);
                }
            }
        }
    }
}
