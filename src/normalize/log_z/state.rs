//! The state that a job that estimates log Z keeps between rounds, and the check that a snapshot is
//! one of it.

use super::LogZCoordinator;
use super::pilot::Pilot;
use super::plan::Groups;
use super::schedules::Shape;
use super::tally::Tally;
use super::worker::LogZWorker;
use crate::normalize::population::Population;
use crate::normalize::states::States;
use crate::normalize::step_sizes::StepSizes;
use crate::weights::resampling::{Genealogy, Resampling};
use serde::{Deserialize, Serialize};

/// The current phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    Pilot,
    Forward,
    Draw,
    Equilibrate,
    Reverse,
    Rows,
    Done,
}

/// The finished runs in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Σ of the increments since the last resampling, for each chain.
    pub(super) log_weights: Vec<f64>,
    /// Thermodynamic integral of each chain.
    pub(super) integrals: Vec<f64>,
    pub(super) tally: Tally,
    pub(super) genealogies: Vec<Genealogy>,
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// Number of annealing steps, or of transitions at the model, done in this phase.
    pub(super) step: u64,
    /// One population per group of chains; empty before the first round of a run.
    pub(super) populations: Vec<Population>,
    /// Where the reverse runs start: one entry per group of chains.
    pub(super) starts: Vec<States>,
    pub(super) shape: Shape,
    /// Step sizes for each target.
    pub(super) step_sizes: Vec<StepSizes>,
    pub(super) pilot: Pilot,
    pub(super) tally: Tally,
    pub(super) genealogies: Vec<Genealogy>,
    pub(super) forward: Option<Run>,
    pub(super) reverse: Option<Run>,
    /// The last states of the forward runs, if the result shall have them.
    pub(super) last_states: Option<Vec<f64>>,
    /// log Z that came with the exact draws.
    pub(super) drawn_log_z: Option<f64>,
    /// `[Σ w E, Σ w E²]` over the rows.
    pub(super) rows: Option<[f64; 2]>,
}

/// Genealogies before any resampling, one per target.
pub(super) fn genealogies(worker: &LogZWorker) -> Vec<Genealogy> {
    let fresh = Genealogy::new(worker.spec.num_chains, Resampling::Systematic);
    vec![fresh; worker.target.count()]
}

impl LogZCoordinator {
    /// Whether the parts of a snapshot are consistent with each other and with this job.
    pub(super) fn is_valid(&self) -> bool {
        let (state, spec) = (&self.state, self.spec());
        let groups = Groups::new(self.worker.target.count(), self.num_chains());
        let all = Groups::new(groups.num_targets, spec.num_chains);
        let num_all = all.num_targets * all.num_chains;
        let are_valid = |genealogies: &[Genealogy]| {
            genealogies.len() == all.num_targets
                && genealogies.iter().all(|genealogy| genealogy.is_valid(all.num_chains))
        };
        let is_run = |run: &Run| {
            run.log_weights.len() == num_all
                && run.integrals.len() == num_all
                && run.tally.is_valid(spec.num_distributions)
                && are_valid(&run.genealogies)
        };
        let is_phase_possible = match state.phase {
            Phase::Pilot => self.worker.has_pilot() && state.pilot.run < spec.pilot.num_runs,
            Phase::Draw | Phase::Equilibrate | Phase::Reverse => {
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
            && (state.phase != Phase::Pilot || state.pilot.has_completed(state.step))
            && state.pilot.is_valid(groups.num_targets)
            && state.tally.is_valid(spec.num_distributions)
            && are_valid(&state.genealogies)
            && state.forward.iter().chain(&state.reverse).all(is_run)
            && state.shape.is_valid(spec, self.num_distributions())
            && state.step_sizes.len() == groups.num_targets
            && state.step_sizes.iter().all(StepSizes::is_valid)
            && (has_populations || state.step == 0)
            && (!has_populations || state.populations.len() == groups.count())
            && state.populations.iter().enumerate().all(|(group, population)| {
                let width = groups.chains(group).len();
                let fresh = Population::forward(&self.worker.plan, 0..width, 0);
                population.has_shape_of(&fresh)
            })
            && (state.starts.is_empty() || state.starts.len() == all.count())
            && state
                .starts
                .iter()
                .enumerate()
                .all(|(group, states)| states.is_valid(&self.worker.plan, all.chains(group).len()))
            && state.last_states.is_some() == (spec.keep_states && state.forward.is_some())
            && state.last_states.as_ref().is_none_or(|states| states.len() == num_all * self.dim())
            && (state.phase != Phase::Reverse || has_populations || !state.starts.is_empty())
    }
}
