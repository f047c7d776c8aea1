//! The job that draws the hidden variables, features and variances of a table from their posterior:
//! block Gibbs sampling, with what it integrates out drawn for each draw. A shard is scattered its
//! chains and returns them after a round's steps, with their draws and sums over these. In a last round
//! each shard summarizes one quantity.
//!
//! What is reported besides the draws does not depend on the names of clusters, factors or attributes.

mod plan;
mod refuse;
pub mod report;
mod result;
mod worker;

pub use refuse::check;
pub use worker::LatentWorker;

use super::first_reported;
use super::layout::{by_chain, interleave};
use super::output::SampleOutput;
use super::report::{NewDraws, SampleProgress};
use super::spec::SampleSpec;
use crate::Result;
use crate::diagnostics::Summary;
use crate::models::latent::TableModel;
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use serde::{Deserialize, Serialize};
use worker::{ChainState, StepsPart, Sums};

/// The kind of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Round {
    /// Every chain makes the steps from `start` to `end`, counted from 0.
    Steps {
        /// The first step.
        start: u64,
        /// The step after the last.
        end: u64,
    },
    /// Each shard summarizes one quantity.
    Summaries,
}

/// A quantity of a draw, by its place among the last numbers of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// s².
    SignalVariance,
    /// σ².
    NoiseVariance,
    /// ln p(z, features, s², σ², Y).
    LogJoint,
    /// ln p(Y | z, features, σ²).
    LogLikelihood,
    /// The number of clusters or attributes in use.
    NumInUse,
}

impl Quantity {
    /// Those of a model that can differ between draws.
    fn of(model: &dyn TableModel) -> Vec<Self> {
        let mut quantities = vec![Self::LogJoint, Self::LogLikelihood];
        if model.has_discrete() {
            quantities.push(Self::NumInUse);
        }
        if model.variances().are_sampled() {
            quantities.extend([Self::SignalVariance, Self::NoiseVariance]);
        }
        quantities
    }

    /// Its name in results.
    fn name(self) -> &'static str {
        match self {
            Self::SignalVariance => "signalVariance",
            Self::NoiseVariance => "noiseVariance",
            Self::LogJoint => "logJoint",
            Self::LogLikelihood => "logLikelihood",
            Self::NumInUse => "numInUse",
        }
    }

    /// Its place from the end of a draw.
    fn place_from_end(self) -> usize {
        plan::NUM_SCALARS - self as usize
    }
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    /// Number of steps each chain has made.
    step: u64,
    chains: Vec<ChainState>,
    /// `[draws so far, numChains, numbers of a draw]`.
    #[serde(with = "crate::bytes::numbers")]
    draws: Vec<f64>,
    sums: Sums,
    /// Summaries of all quantities; none before the last round.
    summaries: Vec<Summary>,
}

/// Coordinates sampling of hidden variables.
pub struct LatentCoordinator {
    worker: LatentWorker,
    seed: u64,
    state: State,
}

impl LatentCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if draws or chains would take too much memory;
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(spec: &SampleSpec, worker: LatentWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        worker.plan.memory_estimate().check()?;
        let seed = spec.seed.unwrap_or(0);
        let state = match snapshot {
            Some(snapshot) => unpack(snapshot)?,
            None => State {
                step: 0,
                chains: (0..spec.num_chains).map(|index| worker.begin(seed, index)).collect(),
                draws: Vec::new(),
                sums: Sums::new(&worker.plan),
                summaries: Vec::new(),
            },
        };
        let mut coordinator = Self { worker, seed, state };
        if !coordinator.is_sound() {
            return Err(inconsistent());
        }
        coordinator.worker.round = coordinator.round();
        Ok(coordinator)
    }

    /// Whether the state is one of this job.
    fn is_sound(&self) -> bool {
        let (plan, state) = (&self.worker.plan, &self.state);
        let num_draws = plan.draws_before(self.step().min(plan.num_steps));
        let num_summaries = self.worker.quantities.len();
        plan.begins_round(self.step())
            && state.chains.len() == plan.num_chains
            && state.chains.iter().all(|chain| self.worker.is_state(&chain.state))
            && state.draws.len() == num_draws * plan.num_chains * plan.draw_width()
            && state.sums.has_shape_of(plan)
            && (state.summaries.is_empty()
                || self.step() == plan.num_steps && state.summaries.len() == num_summaries)
    }

    fn step(&self) -> usize {
        self.state.step as usize
    }

    fn round(&self) -> Round {
        self.worker.plan.round(self.step())
    }

    /// The draws of one number from the end of a draw, draw after draw.
    fn numbers(&self, from_end: usize) -> impl Iterator<Item = f64> {
        let width = self.worker.plan.draw_width();
        self.state.draws.iter().skip(width - from_end).step_by(width).copied()
    }

    /// The draws of a quantity, chain after chain.
    fn by_chain(&self, quantity: Quantity) -> Vec<f64> {
        let values: Vec<f64> = self.numbers(quantity.place_from_end()).collect();
        let num_chains = self.worker.plan.num_chains;
        by_chain(&values, 1, num_chains, 0..num_chains).flatten().copied().collect()
    }

    fn gather_steps(&mut self, parts: &[Vec<u8>], start: usize, end: usize) {
        let plan = &self.worker.plan;
        let parts: Vec<StepsPart> =
            parts.iter().map(|part| unpack(part).expect("moved chains")).collect();
        let num_draws = plan.draws_before(end) - plan.draws_before(start);
        let state = &mut self.state;
        interleave(&mut state.draws, num_draws, parts.iter().map(|part| &part.draws[..]));
        state.chains.clear();
        for part in parts {
            state.sums.add(&part.sums);
            state.chains.extend(part.chains);
        }
        assert_eq!(state.chains.len(), plan.num_chains);
        state.step = end as u64;
    }
}

impl Coordinator for LatentCoordinator {
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
            Round::Steps { .. } => pack(&&self.state.chains[self.worker.plan.chains(shard)]),
            Round::Summaries => pack(&self.by_chain(self.worker.quantities[shard])),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        match self.round() {
            Round::Steps { start, end } => {
                assert_eq!(parts.len(), self.worker.plan.num_shards());
                self.gather_steps(parts, start as usize, end as usize);
            }
            Round::Summaries => {
                assert_eq!(parts.len(), self.worker.quantities.len());
                let summaries = parts.iter().map(|part| unpack(part).expect("a summary"));
                self.state.summaries.extend(summaries.collect::<Vec<Summary>>());
            }
        }
        self.worker.round = self.round();
    }

    fn is_done(&self) -> bool {
        !self.state.summaries.is_empty()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> SampleProgress {
        let plan = &self.worker.plan;
        SampleProgress {
            verb: "sample",
            num_draws: plan.draws_before(self.step()),
            fraction: plan.fraction(self.step(), self.is_done()),
            done: self.is_done(),
            new_draws: None,
        }
    }

    /// States are hidden variables, features and both variances, one after another.
    fn progress_since(&self, since: usize) -> SampleProgress {
        let plan = &self.worker.plan;
        let num_draws = plan.draws_before(self.step());
        let first_draw = first_reported(since, num_draws, 8 * plan.num_chains * plan.draw_width());
        let first_row = first_draw * plan.num_chains;
        let rows = self.state.draws.chunks_exact(plan.draw_width()).skip(first_row);
        let energies = self.numbers(Quantity::LogJoint.place_from_end()).skip(first_row);
        let new_draws = NewDraws {
            dim: plan.state_width(),
            num_chains: plan.num_chains,
            first_draw,
            num_draws: num_draws - first_draw,
            bits: None,
            values: Some(rows.flat_map(|row| &row[..plan.state_width()]).copied().collect()),
            energies: Some(energies.map(|log_joint| -log_joint).collect()),
            paths: None,
        };
        SampleProgress { new_draws: Some(new_draws), ..self.progress() }
    }

    fn result(&self) -> Option<SampleOutput> {
        self.is_done().then(|| SampleOutput::Latent(Box::new(result::result(self))))
    }
}
