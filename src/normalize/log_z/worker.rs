//! The worker that anneals groups of chains.

use super::pilot::AcceptanceTarget;
use super::plan::Groups;
use super::schedules::Shape;
use super::target::{FIRST_STEP_SIZE, Target};
use crate::bits::{BitMatrix, words_per_row};
use crate::normalize::annealing_plan::{AnnealingPlan, Direction};
use crate::normalize::log_z::spec::LogZSpec;
use crate::normalize::path::Path;
use crate::normalize::population::Population;
use crate::normalize::profile::Profile;
use crate::normalize::states::States;
use crate::normalize::step_sizes::StepSizes;
use crate::rng::{Purpose, derived_seed, stream};
use crate::run::{ShardWorker, Unfinished, pack, unpack};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A round, as it is broadcast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// What the round does.
    pub task: Task,
    /// Number of chains of each target.
    pub num_chains: usize,
    /// Number of distributions, K.
    pub num_distributions: usize,
    /// The shape of the schedule.
    pub shape: Shape,
    /// The step sizes for each target.
    pub step_sizes: Vec<StepSizes>,
    /// Seed of the chains' streams.
    pub seed: u64,
}

/// What the shards of a round do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Move each group of chains by the annealing steps from `start` to `end`.
    Anneal { direction: Direction, start: u64, end: u64 },
    /// Make exact draws from the model, for all groups.
    Draw,
    /// Move each group of chains by the transitions from `start` to `end` at the model.
    Equilibrate { start: u64, end: u64 },
    /// Sum the energies of the rows whose likelihood is asked for.
    Rows,
}

/// What is scattered to a group.
#[derive(Debug, Serialize, Deserialize)]
pub enum Scattered {
    /// Nothing: it begins at the reference.
    Begin,
    /// The states at which it begins.
    BeginAt(States),
    /// The population with which it continues.
    GoOn(Box<Population>),
}

/// A group's part of a round.
#[derive(Debug, Serialize, Deserialize)]
pub struct GroupPart {
    /// The chains after the round.
    pub population: Population,
    /// Statistics of each step.
    pub profile: Profile,
}

/// Exact draws to start reverse runs from.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExactStarts {
    /// The states of each group.
    pub starts: Vec<States>,
    /// log Z, known along with the draws.
    pub log_z: f64,
}

/// Anneals groups of chains.
pub struct LogZWorker {
    pub(super) spec: LogZSpec,
    pub(super) target: Target,
    /// The shape of the weighted runs' schedule, unless pilot runs find it.
    pub(super) fixed_shape: Option<Shape>,
    /// The plan to the first target.
    pub(super) plan: AnnealingPlan,
    pub(super) round: Round,
}

const CHECKED: &str = "checked when the worker was made";

/// Maximum number of entries in all chains' states: each is kept with a momentum and two gradients,
/// and is sent to and from workers.
const MAX_NUMBERS: usize = 1 << 24;

/// Size of a chain's stream, in such entries.
const NUMBERS_OF_STREAM: usize = 8;

impl LogZWorker {
    /// Checks that the model can be annealed this way.
    ///
    /// # Errors
    /// Any error of the specs of model and reference; [`crate::Error::MissingCapability`] if chains
    /// cannot move this way.
    pub fn new(spec: &LogZSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let target = Target::new(spec, data)?;
        let fixed_shape = target.fixed_shape(spec)?;
        let step_size = target.transition(spec).step_size().unwrap_or(FIRST_STEP_SIZE);
        let step_sizes = StepSizes::constant(step_size)?;
        let round = Round {
            task: Task::Rows,
            num_chains: spec.num_chains,
            num_distributions: spec.num_distributions,
            shape: fixed_shape.clone().unwrap_or(Shape::Linear),
            step_sizes: vec![step_sizes.clone(); target.count()],
            seed: 0,
        };
        let schedule = round.shape.betas(spec, spec.num_distributions)?;
        let plan = target.annealing_plan(spec, 0, schedule, step_sizes)?;
        let worker = Self { spec: spec.clone(), target, fixed_shape, plan, round };
        worker.check_size("numChains", spec.num_chains)?;
        if worker.has_pilot() {
            worker.check_size("pilot.numChains", spec.pilot.num_chains)?;
        }
        Ok(worker)
    }

    /// Checks that `num_chains` chains of each target fit into memory.
    fn check_size(&self, field: &str, num_chains: usize) -> Result<()> {
        let dim = self.target.model.dim();
        let of_state = if self.target.is_binary() { words_per_row(dim) } else { dim };
        let count = self.target.count();
        let numbers = (count * (of_state + NUMBERS_OF_STREAM)).saturating_mul(num_chains);
        if numbers <= MAX_NUMBERS {
            return Ok(());
        }
        let most = MAX_NUMBERS / (count * (of_state + NUMBERS_OF_STREAM));
        Err(Error::TooLarge {
            field: field.into(),
            problem: match count {
                1 => format!("is {num_chains}; there is room for {most} chains of this model"),
                _ => format!(
                    "is {num_chains}, of each of {count} rows; there is room for {most} of each: use \
                     fewer, or give fewer rows a job"
                ),
            },
        })
    }

    /// Whether there are pilot runs.
    pub(super) fn has_pilot(&self) -> bool {
        self.target.adapts_steps(&self.spec) || self.fixed_shape.is_none()
    }

    /// Whether each row is a distribution to normalize.
    pub(super) fn is_generative(&self) -> bool {
        self.target.is_generative()
    }

    /// Whether transitions propose and reject.
    pub(super) fn can_reject(&self) -> bool {
        self.target.transition(&self.spec).is_continuous()
    }

    /// log Z of each target's reference.
    pub(super) fn reference_log_zs(&self) -> Vec<f64> {
        // It is the same for all: targets differ only in what is observed.
        vec![self.plan.path().reference_log_z(); self.target.count()]
    }

    /// Whether reverse runs from exact starts estimate the same Z as the forward runs: they do not
    /// if the reference extends beyond the model's constraints.
    pub(super) fn is_reversible(&self) -> bool {
        !matches!(self.plan.path(), Path::Geometric(path) if path.may_start_outside())
    }

    /// The acceptance target of the pilot runs, if they adapt step sizes.
    pub(super) fn acceptance_target(&self) -> Option<AcceptanceTarget> {
        let transition = self.target.transition(&self.spec);
        if !self.target.adapts_steps(&self.spec) {
            return None;
        }
        let given = transition.adaptation().and_then(|adaptation| adaptation.target_acceptance);
        let transition = transition.build();
        let acceptance = given.unwrap_or(transition.annealing_acceptance());
        Some(AcceptanceTarget { acceptance, power: transition.error_power() })
    }

    /// The groups of the present round.
    pub(super) fn groups(&self) -> Groups {
        Groups::new(self.target.count(), self.round.num_chains)
    }

    /// Prepares for a round.
    pub(super) fn go_to(&mut self, round: Round) {
        let schedule = (&self.round.shape, self.round.num_distributions);
        let is_same = schedule == (&round.shape, round.num_distributions)
            && self.round.step_sizes == round.step_sizes;
        self.round = round;
        if !is_same {
            self.plan = self.plan_to(0);
        }
    }

    /// The plan of this round for a target.
    pub(super) fn plan_to(&self, target: usize) -> AnnealingPlan {
        let schedule = self.round.shape.betas(&self.spec, self.round.num_distributions);
        self.target
            .annealing_plan(
                &self.spec,
                target,
                schedule.expect(CHECKED),
                self.round.step_sizes[target].clone(),
            )
            .expect(CHECKED)
    }

    /// The seed of a target's chains.
    fn seed(&self, target: usize) -> u64 {
        match self.target.count() {
            1 => self.round.seed,
            _ => derived_seed(self.round.seed, Purpose::RowSeed, target as u64),
        }
    }

    /// Calls `f` with the plan of a group.
    fn with_plan<T>(&self, group: usize, f: impl FnOnce(&AnnealingPlan) -> T) -> T {
        match self.groups().target(group) {
            0 => f(&self.plan),
            target => f(&self.plan_to(target)),
        }
    }

    /// A group before the first step of the round.
    fn begin(&self, group: usize, scattered: &[u8], plan: &AnnealingPlan) -> GroupPart {
        let chains = self.groups().chains(group);
        let seed = self.seed(self.groups().target(group));
        let population = match unpack(scattered).expect("chains") {
            Scattered::Begin => Population::forward(plan, chains, seed),
            Scattered::BeginAt(states) => Population::reverse(plan, chains, &states, seed),
            Scattered::GoOn(population) => *population,
        };
        GroupPart { population, profile: Profile::default() }
    }

    /// The steps of the round, if it has any.
    fn steps(&self) -> Option<Range<usize>> {
        match self.round.task {
            Task::Anneal { start, end, .. } | Task::Equilibrate { start, end } => {
                Some(start as usize..end as usize)
            }
            Task::Draw | Task::Rows => None,
        }
    }

    fn go(&self, moved: &mut GroupPart, steps: Range<usize>, plan: &AnnealingPlan) {
        let GroupPart { population, profile } = moved;
        let direction = match self.round.task {
            Task::Anneal { direction, .. } => direction,
            _ => Direction::Stay,
        };
        population.advance(plan, direction, steps, profile);
    }

    /// Exact draws from the targets for the reverse runs.
    fn draw(&self) -> ExactStarts {
        let (groups, dim) = (self.groups(), self.target.model.dim());
        let prepared = (!self.can_draw()).then(|| self.target.exact_draws().expect(CHECKED));
        let mut drawn = ExactStarts { starts: Vec::new(), log_z: 0.0 };
        for target in 0..groups.num_targets {
            let (model, annealed) = (self.target.model_of(target), self.target.annealed(target));
            let reference = annealed.as_reference();
            drawn.log_z += match (&prepared, model.as_reference()) {
                (Some(draws), _) => draws.log_z(),
                (None, Some(reference)) => reference.log_z(),
                (None, None) => unreachable!("one of the two has draws"),
            };
            for group in groups.of_target(target) {
                let chains = groups.chains(group);
                let seed = self.seed(target);
                let rngs = chains.map(|chain| stream(seed, Purpose::ExactDraw, chain as u64));
                drawn.starts.push(match (&prepared, reference) {
                    (Some(draws), _) => States::Rows(
                        rngs.map(|mut rng| {
                            let mut row = vec![0; words_per_row(dim)];
                            draws.draw(&mut rng, &mut row);
                            row
                        })
                        .collect(),
                    ),
                    (None, _) => {
                        let mut values = Vec::new();
                        for mut rng in rngs {
                            let at = values.len();
                            values.resize(at + dim, 0.0);
                            reference.expect(CHECKED).draw(&mut rng, &mut values[at..]);
                        }
                        States::Values { dim, values, momenta: Vec::new() }
                    }
                });
            }
        }
        drawn
    }

    /// Whether the model itself has exact draws.
    fn can_draw(&self) -> bool {
        self.target.model.as_reference().is_some()
    }
}

impl ShardWorker for LogZWorker {
    fn num_shards(&self) -> usize {
        match self.round.task {
            Task::Anneal { .. } | Task::Equilibrate { .. } => self.groups().count(),
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
        self.with_plan(shard, |plan| {
            let mut moved = self.begin(shard, scattered, plan);
            self.go(&mut moved, steps, plan);
            pack(&moved)
        })
    }

    /// A piece has some of the group's annealing steps.
    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let Some(steps) = self.steps() else { return Some(self.work(shard, scattered)) };
        let of_piece = self.groups().steps_of_piece(self.plan.step_cost());
        self.with_plan(shard, |plan| {
            let (moved, start) =
                unfinished.get_or_insert_with(|| (self.begin(shard, scattered, plan), steps.start));
            let end = steps.end.min(*start + of_piece);
            self.go(moved, *start..end, plan);
            *start = end;
            if end < steps.end {
                return None;
            }
            let part = pack(moved);
            unfinished.clear();
            Some(part)
        })
    }
}
