//! What anneals groups of chains.

use super::super::spec::{LogZSpec, TransitionSpec};
use super::super::{ShardWorker, Unfinished, pack, unpack};
use super::plan::Groups;
use super::schedules::Shape;
use super::target::Target;
use crate::Result;
use crate::bits::{BitMatrix, words_per_row};
use crate::normalize::course::{Course, Direction, StepSizes};
use crate::normalize::population::{Population, Profile, States};
use crate::rng::{Purpose, stream};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A round, as its shards are told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// What is done.
    pub task: Task,
    /// Chains of each target.
    pub num_chains: usize,
    /// K of these chains.
    pub num_distributions: usize,
    /// Where on the path they go.
    pub shape: Shape,
    /// The step sizes on the way.
    pub step_sizes: StepSizes,
    /// Of the chains' streams.
    pub seed: u64,
}

/// What the shards of a round do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Each group of chains makes these annealing steps.
    Anneal { direction: Direction, start: u64, end: u64 },
    /// Exact draws from the model are made, for all groups.
    Draw,
    /// Each group of chains makes these transitions at the model.
    Dwell { start: u64, end: u64 },
    /// Energies of the rows whose likelihood is wanted are summed up.
    Rows,
}

/// What a group is scattered.
#[derive(Debug, Serialize, Deserialize)]
pub enum Scattered {
    /// Nothing: begin at the reference.
    Begin,
    /// Begin here.
    BeginAt(States),
    /// Go on.
    GoOn(Population),
}

/// What a group becomes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Moved {
    /// The chains.
    pub population: Population,
    /// What happened at each step.
    pub profile: Profile,
}

/// Exact draws.
#[derive(Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// By group.
    pub starts: Vec<States>,
    /// log Z, which comes with them.
    pub log_z: f64,
}

/// Anneals groups of chains.
pub struct LogZWorker {
    pub(super) spec: LogZSpec,
    pub(super) target: Target,
    pub(super) course: Course,
    pub(super) round: Round,
}

impl LogZWorker {
    /// Checks that the model can be annealed so.
    ///
    /// # Errors
    /// Of the specs of model and reference; [`crate::Error::MissingCapability`]
    /// if chains cannot move so.
    pub fn new(spec: &LogZSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let target = Target::new(spec, data)?;
        let round = target.first_round(spec);
        let schedule = round.shape.betas(spec, round.num_distributions);
        let course = target.course(spec, schedule, round.step_sizes.clone())?;
        Ok(Self { spec: spec.clone(), target, course, round })
    }

    /// Whether there are pilot runs.
    pub(super) fn has_pilot(&self) -> bool {
        self.target.adapts_steps(&self.spec) || self.target.adapts_schedule(&self.spec)
    }

    /// The mean acceptance that pilot runs bring step sizes to, if they do.
    pub(super) fn target_acceptance(&self) -> Option<f64> {
        let transition = self.target.transition(&self.spec);
        if !self.target.adapts_steps(&self.spec) {
            return None;
        }
        let given = transition.adaptation().and_then(|adaptation| adaptation.target_acceptance);
        let is_kept = matches!(&transition, TransitionSpec::Hmc(hmc) if hmc.momentum_refresh < 1.0);
        // A rejection turns the momentum round, which is worse the longer it is kept.
        let default = if is_kept { 0.9 } else { transition.build().target_acceptance() };
        Some(given.unwrap_or(default))
    }

    /// The groups of the present round.
    pub(super) fn groups(&self) -> Groups {
        Groups::new(1, self.round.num_chains)
    }

    /// Brings the course to a round.
    pub(super) fn go_to(&mut self, round: Round) {
        let (shape, count) = (&self.round.shape, self.round.num_distributions);
        if (&round.shape, round.num_distributions) != (shape, count) {
            self.course.schedule = round.shape.betas(&self.spec, round.num_distributions);
        }
        self.course.step_sizes.clone_from(&round.step_sizes);
        self.round = round;
    }

    /// A group before the first step of the round.
    fn begin(&self, shard: usize, scattered: &[u8]) -> Moved {
        let chains = self.groups().chains(shard);
        let population = match unpack(scattered).expect("chains") {
            Scattered::Begin => Population::forward(&self.course, chains, self.round.seed),
            Scattered::BeginAt(states) => {
                Population::reverse(&self.course, chains, &states, self.round.seed)
            }
            Scattered::GoOn(population) => population,
        };
        Moved { population, profile: Profile::default() }
    }

    /// Steps of the round.
    fn steps(&self) -> Option<Range<usize>> {
        match self.round.task {
            Task::Anneal { start, end, .. } | Task::Dwell { start, end } => {
                Some(start as usize..end as usize)
            }
            Task::Draw | Task::Rows => None,
        }
    }

    fn go(&self, moved: &mut Moved, steps: Range<usize>) {
        let Moved { population, profile } = moved;
        match self.round.task {
            Task::Anneal { direction, .. } => {
                population.advance(&self.course, direction, steps, profile);
            }
            _ => population.dwell(&self.course, steps.len()),
        }
    }

    /// Exact draws from the model for the reverse runs.
    fn draw(&self) -> Drawn {
        let (seed, groups, dim) = (self.round.seed, self.groups(), self.target.model.dim());
        let rng = |chain: usize| stream(seed, Purpose::ExactDraw, chain as u64);
        if let Some(reference) = self.target.model.as_reference() {
            let of_group = |group| {
                let chains = groups.chains(group);
                let mut values = vec![0.0; chains.len() * dim];
                for (chain, state) in chains.zip(values.chunks_exact_mut(dim)) {
                    reference.draw(&mut rng(chain), state);
                }
                States::Values { dim, values, momenta: Vec::new() }
            };
            let starts = (0..groups.count()).map(of_group).collect();
            return Drawn { starts, log_z: reference.log_z() };
        }
        let draws = self.target.exact_draws().expect("checked when the target was made");
        let of_group = |group| {
            let rows = groups.chains(group).map(|chain| {
                let mut row = vec![0; words_per_row(dim)];
                draws.draw(&mut rng(chain), &mut row);
                row
            });
            States::Rows(rows.collect())
        };
        let starts = (0..groups.count()).map(of_group).collect();
        Drawn { starts, log_z: draws.log_z() }
    }
}

impl ShardWorker for LogZWorker {
    fn num_shards(&self) -> usize {
        match self.round.task {
            Task::Anneal { .. } | Task::Dwell { .. } => self.groups().count(),
            Task::Draw => 1,
            Task::Rows => self.target.num_row_shards(),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.go_to(unpack(broadcast).expect("a round"));
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        let Some(steps) = self.steps() else {
            return match self.round.task {
                Task::Draw => pack(&self.draw()),
                _ => self.target.row_part(shard),
            };
        };
        let mut moved = self.begin(shard, scattered);
        self.go(&mut moved, steps);
        pack(&moved)
    }

    /// A piece is some annealing steps of the group.
    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let Some(steps) = self.steps() else { return Some(self.work(shard, scattered)) };
        let of_piece = self.groups().steps_of_piece(self.course.step_cost());
        let start = steps.start + unfinished.num_pieces * of_piece;
        let end = steps.end.min(start + of_piece);
        let mut moved = match unfinished.num_pieces {
            0 => self.begin(shard, scattered),
            _ => unpack(&unfinished.chains).expect("moved chains"),
        };
        self.go(&mut moved, start..end);
        let packed = pack(&moved);
        if end == steps.end {
            return Some(packed);
        }
        unfinished.num_pieces += 1;
        unfinished.chains = packed;
        None
    }
}
