//! The job that draws from a model on ℝᴰ. Rounds of steps come first: a shard is scattered the
//! state of its group of chains, and returns it after the steps, with the draws taken. Then come
//! rounds in which each shard summarizes the draws of one entry of the state ([`Summary`]).
//!
//! The number of steps of a round follows from the number of gradients of the last one, never from
//! a clock, and does not affect the chains.

mod group;
mod plan;
pub mod report;
mod result;
mod start;

use super::first_reported;
use super::layout::{by_chain, interleave};
use crate::diagnostics::{Draws, Summary};
use crate::energy::Differentiable;
use crate::models::Model;
use crate::models::gaussian::{Gaussian, GaussianSpec, PrincipalAxes};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::sample::chains::ChainTransition;
use crate::sample::job::output::SampleOutput;
use crate::sample::job::report::{NewDraws, Paths, SampleProgress};
use crate::sample::job::spec::SampleSpec;
use crate::sample::spec::TransitionSpec;
use crate::{Error, Result};

use group::{ChainContext, Group, GroupPart};
use plan::Plan;
use serde::{Deserialize, Serialize};

/// Works groups of chains, then summaries of the entries of the state.
pub struct ContinuousWorker {
    model: Box<dyn Model>,
    /// The principal axes along which the chains move, if they do.
    axes: Option<PrincipalAxes>,
    transition: Box<dyn ChainTransition>,
    /// The spec of the transition.
    moves: TransitionSpec,
    /// The lowest rung of the ladder, if there is one.
    reference: Option<Gaussian>,
    plan: Plan,
    records_path: bool,
    round: Round,
}

/// The kind of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Round {
    /// Every chain makes the steps from `start` to `end`, counted from 0.
    Steps { start: u64, end: u64 },
    /// Shard s summarizes entry `first + s`, if there is one.
    Summaries { first: u64 },
}

impl ContinuousWorker {
    /// Checks that the model can be sampled this way.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`] if it has no gradient.
    pub fn new(spec: &SampleSpec) -> Result<Self> {
        let model = spec.model.build()?;
        let target = spec.transition.rung_transition().target_of(&*model)?;
        spec.transition.check_dim("transition.kind", target.dim())?;
        let axes = if plan::may_rotate(spec, target.dim()) { model.principal_axes() } else { None };
        let plan = match &axes {
            None => Plan::new(spec, target, None),
            Some(axes) => Plan::new(spec, axes.along(), Some(target.gradient_cost())),
        };
        let transition = spec.transition.build();
        let moves = spec.transition.rung_transition().clone();
        let reference = match spec.transition.ladder() {
            None => None,
            Some(ladder) => Some(build_reference(ladder.reference.as_ref(), target.dim())?),
        };
        let round = Round::Steps { start: 0, end: 1 };
        let records_path = spec.record_path;
        Ok(Self { model, axes, transition, moves, reference, plan, records_path, round })
    }

    fn context(&self) -> ChainContext<'_> {
        let target: &dyn Differentiable = match &self.axes {
            None => self.moves.target_of(&*self.model).expect("checked when the worker was made"),
            Some(axes) => axes.along(),
        };
        let (axes, reference) = (self.axes.as_ref(), self.reference.as_ref());
        ChainContext::new(target, axes, &*self.transition, &self.plan, reference)
    }
}

fn build_reference(spec: Option<&GaussianSpec>, dim: usize) -> Result<Gaussian> {
    let standard = GaussianSpec { dim, mean: None, precision: None, covariance: None };
    let spec = spec.unwrap_or(&standard);
    if spec.dim != dim {
        return Err(Error::spec(
            "transition.reference.dim",
            format!("is {}, but the model has {dim} dimensions; make them equal", spec.dim),
        ));
    }
    spec.build().map_err(|error| match error {
        Error::InvalidSpec { field, problem } => {
            Error::spec(field.replacen("model", "transition.reference", 1), problem)
        }
        other => other,
    })
}

impl ShardWorker for ContinuousWorker {
    fn num_shards(&self) -> usize {
        self.plan.num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.round = unpack(broadcast).expect("a round");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        match self.round {
            Round::Steps { start, end } => {
                let mut group: Group = unpack(scattered).expect("a group of chains");
                let mut part = GroupPart::default();
                let context = self.context();
                let records = shard == 0 && self.records_path;
                for step in start..end {
                    group.step(&context, step, records, &mut part);
                }
                part.group = Some(group);
                pack(&part)
            }
            Round::Summaries { .. } => {
                let draws: Vec<f64> = unpack(scattered).expect("draws");
                let summary = match Draws::new(self.plan.num_chains, &draws) {
                    Ok(draws) => Some(Summary::of(draws)),
                    // There is no entry for this shard.
                    Err(_) => None,
                };
                pack(&summary)
            }
        }
    }
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    /// Number of steps each chain has made.
    step: u64,
    /// Number of steps of the next round.
    next: u64,
    groups: Vec<Group>,
    /// `[draws so far, numChains, dim]`.
    #[serde(with = "crate::bytes::numbers")]
    draws: Vec<f64>,
    /// `[draws so far, numChains]`.
    energies: Vec<f64>,
    /// The trajectories of chain 0, if the spec records them.
    paths: Option<Paths>,
    /// The summaries of the entries of the state so far.
    summaries: Vec<Summary>,
}

/// Coordinates sampling on ℝᴰ.
pub struct ContinuousCoordinator {
    worker: ContinuousWorker,
    seed: u64,
    /// How many times the usual work a round may do.
    round_factor: u32,
    state: State,
}

impl ContinuousCoordinator {
    /// The coordinator before the first step.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the draws would take too much memory; [`Error::InvalidSpec`] if there
    /// is no valid starting state.
    pub fn new(spec: &SampleSpec, worker: ContinuousWorker) -> Result<Self> {
        worker.plan.memory_estimate().check()?;
        let seed = spec.seed.unwrap_or(0);
        let states = start::states(spec, &*worker.model, seed)?;
        let dim = worker.plan.dim;
        let context = worker.context();
        let groups = (0..worker.plan.num_shards()).map(|shard| {
            let chains = worker.plan.chains(shard);
            let states = &states[chains.start * dim..chains.end * dim];
            Group::new(spec, &context, chains, states, seed)
        });
        let state = State {
            step: 0,
            next: 1,
            groups: groups.collect(),
            draws: Vec::new(),
            energies: Vec::new(),
            paths: spec.record_path.then(Paths::default),
            summaries: Vec::new(),
        };
        Ok(Self { worker, seed, round_factor: 1, state })
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// The errors of [`ContinuousCoordinator::new`]; [`Error::BadCheckpoint`] if the snapshot is
    /// not one of this job.
    pub fn resume(spec: &SampleSpec, worker: ContinuousWorker, snapshot: &[u8]) -> Result<Self> {
        let mut coordinator = Self::new(spec, worker)?;
        let state: State = unpack(snapshot)?;
        let plan = &coordinator.worker.plan;
        let num_rows = plan.draws_before(state.step) as usize * plan.num_chains;
        let sound = state.step <= plan.num_steps
            && state.next > 0
            && state.groups.len() == plan.num_shards()
            && state
                .groups
                .iter()
                .zip(&coordinator.state.groups)
                .all(|(group, sound)| group.has_shape_of(sound, plan.dim))
            && state.draws.len() == num_rows * plan.dim
            && state.energies.len() == num_rows
            && state.paths.is_some() == spec.record_path
            && state.paths.as_ref().is_none_or(|paths| paths.is_valid(plan.dim))
            && state.summaries.len() <= plan.dim;
        if !sound {
            return Err(inconsistent());
        }
        coordinator.state = state;
        Ok(coordinator)
    }

    fn round(&self) -> Round {
        let plan = &self.worker.plan;
        if self.state.step < plan.num_steps {
            let end = plan.num_steps.min(self.state.step + self.state.next);
            Round::Steps { start: self.state.step, end }
        } else {
            Round::Summaries { first: self.state.summaries.len() as u64 }
        }
    }

    fn gather_steps(&mut self, parts: &[Vec<u8>], start: u64, end: u64) {
        let plan = &self.worker.plan;
        let mut parts: Vec<GroupPart> =
            parts.iter().map(|part| unpack(part).expect("moved chains")).collect();
        let num_draws = (plan.draws_before(end) - plan.draws_before(start)) as usize;
        interleave(&mut self.state.draws, num_draws, parts.iter().map(|part| &part.draws[..]));
        interleave(
            &mut self.state.energies,
            num_draws,
            parts.iter().map(|part| &part.energies[..]),
        );
        if let (Some(paths), Some(first)) = (&mut self.state.paths, parts.first_mut()) {
            paths.extend(std::mem::take(&mut first.paths));
        }
        let num_gradients: u64 = parts.iter().map(|part| part.num_gradients).sum();
        self.state.groups = parts.iter_mut().filter_map(|part| part.group.take()).collect();
        assert_eq!(self.state.groups.len(), plan.num_shards());
        self.state.step = end;
        self.state.next = plan.next_steps(end - start, num_gradients, self.round_factor);
    }

    /// The draws of one entry of the state, chain after chain.
    fn entry(&self, d: usize) -> Vec<f64> {
        let plan = &self.worker.plan;
        let rows = by_chain(&self.state.draws, plan.dim, plan.num_chains, 0..plan.num_chains);
        rows.map(|row| row[d]).collect()
    }
}

impl Coordinator for ContinuousCoordinator {
    type Progress = SampleProgress;
    type Output = SampleOutput;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.round())
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match self.round() {
            Round::Steps { .. } => pack(&self.state.groups[shard]),
            Round::Summaries { first } => {
                let d = first as usize + shard;
                pack(&if d < self.worker.plan.dim { self.entry(d) } else { Vec::new() })
            }
        }
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.round_factor = factor;
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.plan.num_shards());
        match self.round() {
            Round::Steps { start, end } => self.gather_steps(parts, start, end),
            Round::Summaries { .. } => {
                let summaries = parts.iter().map(|part| unpack(part).expect("a summary"));
                self.state.summaries.extend(summaries.flat_map(|summary: Option<Summary>| summary));
            }
        }
    }

    fn is_done(&self) -> bool {
        self.state.summaries.len() == self.worker.plan.dim
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> SampleProgress {
        let plan = &self.worker.plan;
        SampleProgress {
            verb: "sample",
            num_draws: plan.draws_before(self.state.step) as usize,
            fraction: plan.fraction(self.state.step, self.state.summaries.len()),
            done: self.is_done(),
            new_draws: None,
        }
    }

    fn progress_since(&self, since: usize) -> SampleProgress {
        let plan = &self.worker.plan;
        let width = plan.num_chains * plan.dim;
        let num_draws = self.state.draws.len() / width;
        let first_draw = first_reported(since, num_draws, 8 * width);
        let first_step = first_draw * plan.steps_per_draw as usize;
        let new_draws = NewDraws {
            dim: plan.dim,
            num_chains: plan.num_chains,
            first_draw,
            num_draws: num_draws - first_draw,
            bits: None,
            values: Some(self.state.draws[first_draw * width..].to_vec()),
            energies: Some(self.state.energies[first_draw * plan.num_chains..].to_vec()),
            paths: self.state.paths.as_ref().map(|paths| paths.since(first_step, plan.dim)),
        };
        SampleProgress { new_draws: Some(new_draws), ..self.progress() }
    }

    fn result(&self) -> Option<SampleOutput> {
        self.is_done().then(|| SampleOutput::Reals(Box::new(result::result(self))))
    }
}
