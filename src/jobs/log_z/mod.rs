//! The job that estimates log Z by annealing. Its phases, each of one round or
//! many:
//!
//! 1. *pilot* runs, if schedule or step sizes are to be found ([`pilot`]);
//! 2. *forward*: all chains from the reference to the model, resampled on the
//!    way if the spec says so ([`resampled`]);
//! 3. for reverse runs, either exact *draws* from the model, or states of the
//!    forward runs that *dwell* at the model for a while;
//! 4. *reverse*: all chains from the model to the reference;
//! 5. *rows*: energies of those whose likelihood is wanted.
//!
//! In 1, 2 and 4 a shard has a group of chains, is scattered their states, and
//! returns them moved on. How many annealing steps a round has follows from the
//! spec alone.

mod pilot;
mod plan;
mod resampled;
mod result;
mod schedules;
mod tally;
mod target;
mod worker;

pub(super) use target::check_numbers;
pub use worker::LogZWorker;

use super::report::{JobResult, LogZProgress, Progress};
use super::spec::{LogZSpec, ReverseStartSpec};
use super::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::bytes::to_f64s;
use crate::normalize::course::Direction;
use crate::normalize::population::{Population, Profile, States};
use crate::normalize::step_sizes::StepSizes;
use crate::normalize::weights::resampling::{Genealogy, Resampling};
use crate::rng::{Purpose, derived_seed, stream};
use crate::{FULL, Result};
use pilot::Pilot;
use plan::Groups;
use schedules::Shape;
use serde::{Deserialize, Serialize};
use tally::Tally;
use worker::{Drawn, Moved, Round, Scattered, Task};

/// Rounds of a run at least, if it has the steps: so that it can be watched.
const LEAST_ROUNDS: u64 = 40;

/// Most numbers of states in a report.
const MAX_REPORTED: usize = 1 << 19;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    Pilot,
    Forward,
    Draw,
    Dwell,
    Reverse,
    Rows,
    Done,
}

/// The runs in one direction, done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Run {
    /// Σ of the increments, chain by chain, since the last resampling.
    log_weights: Vec<f64>,
    /// Thermodynamic integrals, chain by chain.
    integrals: Vec<f64>,
    tally: Tally,
    genealogies: Vec<Genealogy>,
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    phase: Phase,
    /// Annealing steps, or transitions at the model, done in this phase.
    step: u64,
    /// By group; none before the first round of a run.
    populations: Vec<Population>,
    /// Where the reverse runs start, by group.
    starts: Vec<States>,
    shape: Shape,
    /// By target.
    step_sizes: Vec<StepSizes>,
    pilot: Pilot,
    tally: Tally,
    genealogies: Vec<Genealogy>,
    forward: Option<Run>,
    reverse: Option<Run>,
    /// log Z as it came with the exact draws.
    drawn_log_z: Option<f64>,
    /// `[Σ w E, Σ w E²]` over the rows.
    rows: Option<[f64; 2]>,
}

/// Annealing under way.
pub struct LogZCoordinator {
    worker: LogZWorker,
    seed: u64,
    state: State,
}

/// Before any resampling, by target.
fn genealogies(worker: &LogZWorker) -> Vec<Genealogy> {
    let fresh = Genealogy::new(worker.spec.num_chains, Resampling::Systematic);
    vec![fresh; worker.target.count()]
}

impl LogZCoordinator {
    /// Before the first step.
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
            drawn_log_z: None,
            rows: None,
        };
        let seed = spec.seed.unwrap_or(0);
        let mut coordinator = Self { worker, seed, state };
        coordinator.go_on();
        coordinator
    }

    /// From a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is none of this job's.
    pub fn resume(worker: LogZWorker, snapshot: &[u8]) -> Result<Self> {
        let mut coordinator = Self::new(worker);
        coordinator.state = unpack(snapshot)?;
        if !coordinator.is_sound() {
            return Err(inconsistent());
        }
        coordinator.go_on();
        Ok(coordinator)
    }

    /// Whether a snapshot's parts belong together, and to this job.
    fn is_sound(&self) -> bool {
        let (state, spec) = (&self.state, self.spec());
        let groups = Groups::new(self.worker.target.count(), self.num_chains());
        let all = Groups::new(groups.num_targets, spec.num_chains);
        let num_all = all.num_targets * all.num_chains;
        let are_sound = |genealogies: &[Genealogy]| {
            genealogies.len() == all.num_targets
                && genealogies.iter().all(|genealogy| genealogy.is_sound(all.num_chains))
        };
        let is_run = |run: &Run| {
            run.log_weights.len() == num_all
                && run.integrals.len() == num_all
                && run.tally.is_sound(spec.num_distributions)
                && are_sound(&run.genealogies)
        };
        let is_phase_possible = match state.phase {
            Phase::Pilot => self.worker.has_pilot() && state.pilot.run < spec.pilot.num_runs,
            Phase::Draw | Phase::Dwell | Phase::Reverse => {
                spec.reverse.is_some() && state.forward.is_some()
            }
            Phase::Forward => true,
            Phase::Rows | Phase::Done => {
                state.forward.is_some() && state.reverse.is_some() == spec.reverse.is_some()
            }
        };
        let has_populations = !state.populations.is_empty();
        is_phase_possible
            && state.step <= self.num_steps()
            && (state.phase != Phase::Pilot || state.pilot.has_made(state.step))
            && state.pilot.is_sound(groups.num_targets)
            && state.tally.is_sound(spec.num_distributions)
            && are_sound(&state.genealogies)
            && state.forward.iter().chain(&state.reverse).all(is_run)
            && state.shape.is_sound(spec, self.num_distributions())
            && state.step_sizes.len() == groups.num_targets
            && state.step_sizes.iter().all(StepSizes::is_sound)
            && (has_populations || state.step == 0)
            && (!has_populations || state.populations.len() == groups.count())
            && state.populations.iter().enumerate().all(|(group, population)| {
                let width = groups.chains(group).len();
                let fresh = Population::forward(&self.worker.course, 0..width, 0);
                population.is_like(&fresh)
            })
            && (state.starts.is_empty() || state.starts.len() == all.count())
            && state.starts.iter().enumerate().all(|(group, states)| {
                states.is_sound(&self.worker.course, all.chains(group).len())
            })
            && (state.phase != Phase::Reverse || has_populations || !state.starts.is_empty())
    }

    fn spec(&self) -> &LogZSpec {
        &self.worker.spec
    }

    /// Chains of this phase.
    fn num_chains(&self) -> usize {
        match self.state.phase {
            Phase::Pilot => self.spec().pilot.num_chains,
            _ => self.spec().num_chains,
        }
    }

    /// K of this phase.
    fn num_distributions(&self) -> usize {
        match self.state.phase {
            Phase::Pilot => pilot::num_distributions(self.spec()),
            _ => self.spec().num_distributions,
        }
    }

    /// Steps of this phase, or of this run of it.
    fn num_steps(&self) -> u64 {
        match self.state.phase {
            Phase::Pilot | Phase::Forward | Phase::Reverse => self.num_distributions() as u64,
            Phase::Dwell => self.num_dwells() as u64,
            Phase::Draw | Phase::Rows => 1,
            Phase::Done => 0,
        }
    }

    /// Transitions at the model before reverse runs.
    fn num_dwells(&self) -> usize {
        match self.spec().reverse.as_ref().map(|reverse| &reverse.start) {
            Some(ReverseStartSpec::Forward { num_warmup }) => *num_warmup,
            _ => 0,
        }
    }

    /// The next round.
    fn round(&self) -> Round {
        let (state, spec) = (&self.state, self.spec());
        let groups = Groups::new(self.worker.target.count(), self.num_chains());
        let budget = groups.steps_of_round(self.worker.course.step_cost());
        let budget = budget.min(self.num_steps().div_ceil(LEAST_ROUNDS));
        let until = |end: u64| end.min(state.step + budget).min(self.num_steps());
        let anneal = |direction, end| Task::Anneal { direction, start: state.step, end };
        let bin = state.step * pilot::NUM_BINS as u64 / self.num_distributions() as u64;
        let bin = (bin as usize).min(pilot::NUM_BINS - 1);
        let task = match state.phase {
            Phase::Pilot => {
                let of_bin = self.num_distributions() / pilot::NUM_BINS;
                anneal(Direction::Forward, until(((bin + 1) * of_bin) as u64))
            }
            Phase::Forward => anneal(Direction::Forward, until(self.end_of_stage())),
            Phase::Reverse => anneal(Direction::Reverse, until(self.num_steps())),
            Phase::Draw => Task::Draw,
            Phase::Dwell => Task::Dwell { start: state.step, end: until(self.num_steps()) },
            Phase::Rows | Phase::Done => Task::Rows,
        };
        let (seed, step_sizes) = match state.phase {
            Phase::Pilot => (
                derived_seed(self.seed, Purpose::PilotSeed, state.pilot.run as u64),
                if self.worker.target.adapts_steps(spec) {
                    let of_bin = state.pilot.step_sizes.iter().map(|sizes| sizes[bin]);
                    of_bin
                        .map(|size| StepSizes::constant(size).expect("sizes are positive"))
                        .collect()
                } else {
                    state.step_sizes.clone()
                },
            ),
            _ => (self.seed, state.step_sizes.clone()),
        };
        Round {
            task,
            num_chains: self.num_chains(),
            num_distributions: self.num_distributions(),
            shape: state.shape.clone(),
            step_sizes,
            seed,
        }
    }

    /// The annealing step after which chains may next be resampled.
    fn end_of_stage(&self) -> u64 {
        let count = self.spec().num_distributions as u128;
        let Some(resampling) = &self.spec().resampling else { return count as u64 };
        let num_stages = resampling.num_stages as u128;
        let stage = u128::from(self.state.step) * num_stages / count + 1;
        (stage * count).div_ceil(num_stages) as u64
    }

    /// Brings the worker to the next round.
    fn go_on(&mut self) {
        let round = self.round();
        self.worker.go_to(round);
    }

    fn gather_moved(&mut self, parts: &[Vec<u8>], end: u64) {
        let moved: Vec<Moved> =
            parts.iter().map(|part| unpack(part).expect("moved chains")).collect();
        let (populations, profiles): (Vec<Population>, Vec<Profile>) =
            moved.into_iter().map(|moved| (moved.population, moved.profile)).unzip();
        let groups = self.worker.groups();
        let count = self.num_distributions();
        for (at, step) in (self.state.step..end).enumerate() {
            if self.state.phase == Phase::Dwell {
                break;
            }
            let (acceptances, variance) = tally::step(groups, &profiles, at);
            let acceptance = acceptances.iter().sum::<f64>() / acceptances.len() as f64;
            match self.state.phase {
                Phase::Pilot => self.state.pilot.add(&acceptances, variance),
                Phase::Reverse => {
                    self.state.tally.add(count - 1 - step as usize, acceptance, variance);
                }
                _ => self.state.tally.add(step as usize, acceptance, variance),
            }
        }
        self.state.populations = populations;
        self.state.step = end;
        match self.state.phase {
            Phase::Pilot => {
                let of_bin = count / pilot::NUM_BINS;
                if (end as usize).is_multiple_of(of_bin) {
                    let wanted = self.worker.wanted();
                    self.state.pilot.end_bin(of_bin, wanted);
                }
            }
            Phase::Forward => self.resample_if_due(),
            _ => {}
        }
        if end == self.num_steps() {
            self.end_phase();
        }
    }

    fn resample_if_due(&mut self) {
        let Some(resampling) = &self.spec().resampling else { return };
        let (count, stages) =
            (self.spec().num_distributions as u128, resampling.num_stages as u128);
        let step = u128::from(self.state.step);
        // Ends of stages are the least steps with a whole number of stages behind them.
        let is_due = (0..2).any(|back| {
            let stage = step * stages / count + back;
            (stage * count).div_ceil(stages) == step
        });
        if !is_due || step == count {
            return;
        }
        let threshold = resampling.threshold;
        let groups = self.worker.groups();
        let rng = &mut stream(self.seed, Purpose::Resampling, self.state.step);
        let courses = |target| self.worker.course_to(target);
        let State { populations, genealogies, step, .. } = &mut self.state;
        let step = *step as usize;
        resampled::resample(groups, threshold, populations, genealogies, &courses, step, rng);
    }

    fn end_phase(&mut self) {
        let groups = self.worker.groups();
        match self.state.phase {
            Phase::Pilot => {
                let State { pilot, shape, step_sizes, .. } = &mut self.state;
                let fixed = self.worker.fixed_shape.as_ref();
                let betas = self.worker.course.schedule();
                let found = pilot.end_run(&self.worker.spec, fixed, shape, betas);
                *shape = found.0;
                if self.worker.target.adapts_steps(&self.worker.spec) {
                    *step_sizes = found.1;
                }
                if pilot.run == self.worker.spec.pilot.num_runs {
                    self.state.phase = Phase::Forward;
                }
                self.state.populations.clear();
            }
            Phase::Forward => {
                let run = self.take_run();
                let start = self.worker.spec.reverse.as_ref().map(|reverse| &reverse.start);
                self.state.phase = match start {
                    None => self.after_runs(),
                    Some(ReverseStartSpec::Exact {}) => Phase::Draw,
                    Some(ReverseStartSpec::Forward { num_warmup }) => {
                        let rng = &mut stream(self.seed, Purpose::Resampling, u64::MAX);
                        self.state.starts = resampled::starts(
                            groups,
                            &run.log_weights,
                            &self.state.populations,
                            rng,
                        );
                        if *num_warmup > 0 { Phase::Dwell } else { Phase::Reverse }
                    }
                };
                self.state.forward = Some(run);
                self.state.populations.clear();
            }
            Phase::Draw => self.state.phase = Phase::Reverse,
            Phase::Dwell => {
                self.state.phase = Phase::Reverse;
                self.state.starts.clear();
            }
            Phase::Reverse => {
                self.state.reverse = Some(self.take_run());
                self.state.populations.clear();
                self.state.starts.clear();
                self.state.phase = self.after_runs();
            }
            Phase::Rows | Phase::Done => self.state.phase = Phase::Done,
        }
        self.state.step = 0;
    }

    fn after_runs(&self) -> Phase {
        if self.worker.target.num_row_shards() > 0 { Phase::Rows } else { Phase::Done }
    }

    /// What the runs that are at their end have come to.
    fn take_run(&mut self) -> Run {
        let all = |of: fn(&Population) -> &[f64]| -> Vec<f64> {
            self.state.populations.iter().flat_map(|population| of(population).to_vec()).collect()
        };
        let (log_weights, integrals) =
            (all(|population| &population.log_weights), all(|population| &population.integrals));
        let spec = &self.worker.spec;
        Run {
            log_weights,
            integrals,
            tally: std::mem::replace(&mut self.state.tally, Tally::new(spec.num_distributions)),
            genealogies: std::mem::replace(&mut self.state.genealogies, genealogies(&self.worker)),
        }
    }

    /// log Z of all targets' references.
    fn reference_log_z(&self) -> f64 {
        self.worker.reference_log_zs().iter().sum()
    }

    /// log Z as the model itself knows it, or as it came with exact draws.
    fn exact_log_z(&self) -> Option<f64> {
        let known = || self.worker.target.known_log_z().filter(|_| !self.worker.is_generative());
        self.state.drawn_log_z.or_else(known)
    }

    /// The part done, by annealing steps.
    fn fraction(&self) -> f64 {
        let spec = self.spec();
        let pilot = spec.pilot.num_chains as f64 * pilot::num_distributions(spec) as f64;
        let num_pilots = if self.worker.has_pilot() { spec.pilot.num_runs as f64 } else { 0.0 };
        let run = spec.num_chains as f64 * spec.num_distributions as f64;
        let dwells = spec.num_chains as f64 * self.num_dwells() as f64;
        let has_reverse = if spec.reverse.is_some() { 1.0 } else { 0.0 };
        let total = num_pilots * pilot + run + has_reverse * run + dwells;
        let (state, step) = (&self.state, self.state.step as f64);
        let done = match state.phase {
            Phase::Pilot => state.pilot.run as f64 * pilot + spec.pilot.num_chains as f64 * step,
            Phase::Forward => num_pilots * pilot + spec.num_chains as f64 * step,
            Phase::Draw => num_pilots * pilot + run,
            Phase::Dwell => num_pilots * pilot + run + spec.num_chains as f64 * step,
            Phase::Reverse => num_pilots * pilot + run + dwells + spec.num_chains as f64 * step,
            Phase::Rows => total,
            Phase::Done => return 1.0,
        };
        0.999 * done / total
    }

    /// Where on the path the chains are.
    fn beta(&self) -> f64 {
        let at = match self.state.phase {
            Phase::Pilot | Phase::Forward => self.state.step as usize,
            Phase::Reverse => self.num_distributions() - self.state.step as usize,
            _ => return 1.0,
        };
        self.worker.course.schedule()[at]
    }
}

impl Coordinator for LogZCoordinator {
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

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        match self.worker.round.task {
            Task::Anneal { end, .. } | Task::Dwell { end, .. } => self.gather_moved(parts, end),
            Task::Draw => {
                let drawn: Drawn = unpack(&parts[0]).expect("exact draws");
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

    fn progress(&self) -> Progress {
        let phase = match self.state.phase {
            Phase::Pilot => "pilot",
            Phase::Forward => "forward",
            Phase::Draw => "draw",
            Phase::Dwell => "dwell",
            Phase::Reverse => "reverse",
            Phase::Rows | Phase::Done => "rows",
        };
        let log_weights = self.state.populations.iter().flat_map(|all| all.log_weights.clone());
        Progress::LogZ(LogZProgress {
            verb: "logZ",
            phase,
            beta: self.beta(),
            log_weights: log_weights.take(self.num_chains()).collect(),
            states: None,
            fraction: self.fraction(),
            done: self.is_done(),
        })
    }

    fn chain_states(&self) -> Option<Vec<f64>> {
        let dim = self.worker.course.path().dim();
        let mut values: Vec<f64> =
            self.state.populations.iter().flat_map(|all| all.states().to_values(dim)).collect();
        values.truncate(MAX_REPORTED / dim * dim);
        if FULL && let Some(turned) = &self.worker.target.turned {
            let along = values.clone();
            turned.axes.rows_from_axes(&along, &mut values);
        }
        Some(values)
    }

    fn result(&self) -> Option<JobResult> {
        self.is_done().then(|| JobResult::LogZ(Box::new(result::result(self))))
    }
}
