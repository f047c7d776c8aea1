//! The job that estimates log Z by annealing. Each of its phases has one round or more:
//!
//! 1. *pilot* runs, if schedule or step sizes must be found ([`pilot`]);
//! 2. *forward*: all chains move from the reference to the model, with resampling
//!    on the way if the spec asks for it ([`resampled`]);
//! 3. for reverse runs, either exact *draws* from the model, or states of the
//!    forward runs that *equilibrate* at the model;
//! 4. *reverse*: all chains move from the model to the reference;
//! 5. *rows*: energies of the rows whose likelihood is asked for.
//!
//! In 1, 2 and 4 a shard is scattered the states of its group of chains, and returns them after the
//! steps. The number of annealing steps of a round follows from the spec alone.

mod gathered;
#[cfg(feature = "full")]
mod observed;
mod pilot;
mod plan;
pub mod report;
mod resampled;
mod result;
mod rounds;
mod schedules;
pub mod spec;
mod state;
mod tally;
mod target;
mod two_paths;
mod worker;

pub use worker::LogZWorker;

use crate::bits::BitMatrix;
use crate::bytes::to_f64s;
use crate::normalize::log_z::report::{LogZProgress, LogZResult};
use crate::normalize::log_z::spec::LogZSpec;
#[cfg(feature = "full")]
use crate::run::observed::Observing;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use crate::{FULL, Result};
use pilot::Pilot;
use schedules::Shape;
use state::{Phase, Run, State, genealogies};
use tally::Tally;
use two_paths::{Paths, TwoPaths};
use worker::{ExactStarts, Scattered, Task};

/// Maximum number of values of states in a report.
const MAX_REPORTED: usize = 1 << 19;

/// Coordinates the estimation of log Z.
pub struct LogZCoordinator {
    worker: LogZWorker,
    seed: u64,
    /// How many times the usual work a round may do.
    round_factor: u32,
    state: State,
}

impl LogZCoordinator {
    /// The coordinator before the first step.
    pub fn new(worker: LogZWorker) -> Self {
        let (spec, round) = (&worker.spec, &worker.round);
        let phase = if worker.has_pilot() { Phase::Pilot } else { Phase::Forward };
        let state = State {
            phase,
            step: 0,
            populations: Vec::new(),
            starts: Vec::new(),
            shape: if worker.has_pilot() { Shape::Linear } else { round.shape.clone() },
            step_sizes: round.step_sizes.clone(),
            pilot: Pilot::new(round.step_sizes[0].at(0.0), round.step_sizes.len()),
            tally: Tally::new(spec.num_distributions),
            genealogies: genealogies(&worker),
            forward: None,
            reverse: None,
            last_states: None,
            drawn_log_z: None,
            rows: None,
        };
        let seed = spec.seed.unwrap_or(0);
        let mut coordinator = Self { worker, seed, round_factor: 1, state };
        coordinator.go_on();
        coordinator
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(worker: LogZWorker, snapshot: &[u8]) -> Result<Self> {
        Self::new(worker).resumed(snapshot)
    }

    /// This coordinator at the state of a snapshot.
    fn resumed(mut self, snapshot: &[u8]) -> Result<Self> {
        self.state = unpack(snapshot)?;
        if !self.is_valid() {
            return Err(inconsistent());
        }
        self.go_on();
        Ok(self)
    }

    fn spec(&self) -> &LogZSpec {
        &self.worker.spec
    }

    /// Entries per state.
    fn dim(&self) -> usize {
        self.worker.plan.path().dim()
    }

    /// The present states of the first `max_count` chains, one after another.
    fn states(&self, max_count: usize) -> Vec<f64> {
        let dim = self.dim();
        let all = self.state.populations.iter();
        let mut values: Vec<f64> = all.flat_map(|all| all.states().to_values(dim)).collect();
        values.truncate(max_count.saturating_mul(dim));
        if let Some(rotated) = &self.worker.target.rotated {
            let along = values.clone();
            rotated.axes.rows_from_axes(&along, &mut values);
        }
        values
    }

    /// log Z of the references, summed over all targets.
    fn reference_log_z(&self) -> f64 {
        self.worker.reference_log_zs().iter().sum()
    }

    /// log Z if the model knows it, or if it came with exact draws.
    fn exact_log_z(&self) -> Option<f64> {
        let known = || self.worker.target.known_log_z().filter(|_| !self.worker.is_generative());
        self.state.drawn_log_z.or_else(known)
    }
}

impl Coordinator for LogZCoordinator {
    type Progress = LogZProgress;
    type Output = LogZResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.worker.round)
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        let state = &self.state;
        match state.phase {
            Phase::Draw | Phase::Rows | Phase::Done => Vec::new(),
            _ => pack(&match (state.populations.get(shard), state.starts.get(shard)) {
                (Some(population), _) => Scattered::GoOn(Box::new(population.clone())),
                (None, Some(states)) => Scattered::BeginAt(states.clone()),
                (None, None) => Scattered::Begin,
            }),
        }
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.round_factor = factor;
        self.go_on();
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        match self.worker.round.task {
            Task::Anneal { end, .. } | Task::Equilibrate { end, .. } => {
                self.gather_moved(parts, end)
            }
            Task::Draw => {
                let drawn: ExactStarts = unpack(&parts[0]).expect("exact draws");
                self.state.starts = drawn.starts;
                self.state.drawn_log_z = Some(drawn.log_z);
                self.end_phase();
            }
            Task::Rows => {
                let mut sums = [0.0; 2];
                for part in parts {
                    let part = to_f64s(part).expect("sums");
                    sums.iter_mut().zip(&part).for_each(|(sum, part)| *sum += part);
                }
                self.state.rows = Some(sums);
                self.end_phase();
            }
        }
        self.go_on();
    }

    fn is_done(&self) -> bool {
        self.state.phase == Phase::Done
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> LogZProgress {
        let phase = match self.state.phase {
            Phase::Pilot => "pilot",
            Phase::Forward => "forward",
            Phase::Draw => "draw",
            Phase::Equilibrate => "equilibrate",
            Phase::Reverse => "reverse",
            Phase::Rows | Phase::Done => "rows",
        };
        let log_weights = self.state.populations.iter().flat_map(|all| all.log_weights.clone());
        LogZProgress {
            verb: "logZ",
            phase,
            beta: self.beta(),
            log_weights: log_weights.take(self.num_chains()).collect(),
            states: None,
            fraction: self.fraction(),
            done: self.is_done(),
        }
    }

    fn progress_since(&self, _since: usize) -> LogZProgress {
        let states = self.states(MAX_REPORTED / self.dim());
        LogZProgress { states: Some(states), ..self.progress() }
    }

    fn result(&self) -> Option<LogZResult> {
        self.is_done().then(|| result::result(self, None))
    }
}

impl Verb for LogZSpec {
    const NAME: &'static str = "logZ";
    type Progress = LogZProgress;
    type Output = LogZResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            data: Some(&mut self.data),
            seed: Some(&mut self.seed),
        }
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Optional)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.coordinator_on_free(data, snapshot)? {
            return Ok(of_free);
        }
        if FULL && let Some(paths) = self.paths(data)? {
            return Ok(Box::new(TwoPaths::new(paths, snapshot)?));
        }
        let worker = LogZWorker::new(self, data)?;
        Ok(Box::new(match snapshot {
            None => LogZCoordinator::new(worker),
            Some(snapshot) => LogZCoordinator::resume(worker, snapshot)?,
        }))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.worker_on_free(data)? {
            return Ok(of_free);
        }
        if FULL && let Some(paths) = self.paths(data)? {
            return Ok(Box::new(paths));
        }
        Ok(Box::new(LogZWorker::new(self, data)?))
    }
}

impl LogZSpec {
    /// Both paths, if there are two.
    fn paths(&self, data: Option<&BitMatrix>) -> Result<Option<Paths>> {
        let has_own_rows = || Ok(self.model.build()?.as_generative().is_some());
        if self.second_path.is_none() {
            return Ok(None);
        }
        let second = self.along_second_path(has_own_rows()?);
        second.map(|second| Paths::new(self, &second, data)).transpose()
    }
}
