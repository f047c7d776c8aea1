//! Determines the next round of a job that estimates log Z, and the job's progress.

use super::plan::Groups;
use super::state::Phase;
use super::worker::{Round, Task};
use super::{LogZCoordinator, pilot};
use crate::normalize::annealing_plan::Direction;
use crate::normalize::step_sizes::StepSizes;
use crate::rng::{Purpose, derived_seed};

/// Minimum number of rounds of a run, if it has that many steps, so that progress can be observed.
const MIN_ROUNDS: u64 = 40;

impl LogZCoordinator {
    /// Number of chains of this phase.
    pub(super) fn num_chains(&self) -> usize {
        match self.state.phase {
            Phase::Pilot => self.spec().pilot.num_chains,
            _ => self.spec().num_chains,
        }
    }

    /// Number of distributions of this phase, K.
    pub(super) fn num_distributions(&self) -> usize {
        match self.state.phase {
            Phase::Pilot => pilot::num_distributions(self.spec()),
            _ => self.spec().num_distributions,
        }
    }

    /// Number of steps of this phase, or of the present run of it.
    pub(super) fn num_steps(&self) -> u64 {
        match self.state.phase {
            Phase::Pilot | Phase::Forward | Phase::Reverse => self.num_distributions() as u64,
            Phase::Equilibrate => self.num_equilibrations() as u64,
            Phase::Draw | Phase::Rows => 1,
            Phase::Done => 0,
        }
    }

    /// Number of transitions at the model before reverse runs.
    fn num_equilibrations(&self) -> usize {
        self.spec().reverse.as_ref().map_or(0, |reverse| reverse.start.num_warmup())
    }

    /// The next round.
    fn round(&self) -> Round {
        let (state, spec) = (&self.state, self.spec());
        let groups = Groups::new(self.worker.target.count(), self.num_chains());
        let budget = groups.steps_of_round(self.worker.plan.step_cost());
        let budget = budget.min(self.num_steps().div_ceil(MIN_ROUNDS));
        let budget = u64::from(self.round_factor) * budget;
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
            Phase::Equilibrate => {
                Task::Equilibrate { start: state.step, end: until(self.num_steps()) }
            }
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

    /// Prepares the worker for the next round.
    pub(super) fn go_on(&mut self) {
        let round = self.round();
        self.worker.go_to(round);
    }

    /// The fraction done, by annealing steps.
    pub(super) fn fraction(&self) -> f64 {
        let spec = self.spec();
        let pilot = spec.pilot.num_chains as f64 * pilot::num_distributions(spec) as f64;
        let num_pilots = if self.worker.has_pilot() { spec.pilot.num_runs as f64 } else { 0.0 };
        let run = spec.num_chains as f64 * spec.num_distributions as f64;
        let equilibration = spec.num_chains as f64 * self.num_equilibrations() as f64;
        let has_reverse = if spec.reverse.is_some() { 1.0 } else { 0.0 };
        let total = num_pilots * pilot + run + has_reverse * run + equilibration;
        let (state, step) = (&self.state, self.state.step as f64);
        let done = match state.phase {
            Phase::Pilot => state.pilot.run as f64 * pilot + spec.pilot.num_chains as f64 * step,
            Phase::Forward => num_pilots * pilot + spec.num_chains as f64 * step,
            Phase::Draw => num_pilots * pilot + run,
            Phase::Equilibrate => num_pilots * pilot + run + spec.num_chains as f64 * step,
            Phase::Reverse => {
                num_pilots * pilot + run + equilibration + spec.num_chains as f64 * step
            }
            Phase::Rows => total,
            Phase::Done => return 1.0,
        };
        0.999 * done / total
    }

    /// β of the chains' present position on the path.
    pub(super) fn beta(&self) -> f64 {
        let at = match self.state.phase {
            Phase::Pilot | Phase::Forward => self.state.step as usize,
            Phase::Reverse => self.num_distributions() - self.state.step as usize,
            _ => return 1.0,
        };
        self.worker.plan.schedule()[at]
    }
}
