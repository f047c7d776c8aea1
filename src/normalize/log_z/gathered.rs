//! Gathers the parts of a round of annealing, and starts what follows a finished phase.

use super::state::{Phase, Run, State, genealogies};
use super::tally::{self, Tally};
use super::worker::GroupPart;
use super::{LogZCoordinator, pilot, resampled, unpack};
use crate::normalize::log_z::spec::{ReverseSpec, ReverseStartSpec};
use crate::normalize::population::Population;
use crate::normalize::profile::Profile;
use crate::normalize::states::States;
use crate::rng::{Purpose, stream};

impl LogZCoordinator {
    pub(super) fn gather_moved(&mut self, parts: &[Vec<u8>], end: u64) {
        let moved: Vec<GroupPart> =
            parts.iter().map(|part| unpack(part).expect("moved chains")).collect();
        let (populations, profiles): (Vec<Population>, Vec<Profile>) =
            moved.into_iter().map(|moved| (moved.population, moved.profile)).unzip();
        let groups = self.worker.groups();
        let count = self.num_distributions();
        for (at, step) in (self.state.step..end).enumerate() {
            if self.state.phase == Phase::Equilibrate {
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
                    let acceptance_target = self.worker.acceptance_target();
                    self.state.pilot.end_bin(of_bin, acceptance_target);
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
        // A stage ends at the first step at which a whole number of stages is completed.
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
        let plans = |target| self.worker.plan_to(target);
        let State { populations, genealogies, step, .. } = &mut self.state;
        let step = *step as usize;
        resampled::resample(groups, threshold, populations, genealogies, &plans, step, rng);
    }

    pub(super) fn end_phase(&mut self) {
        match self.state.phase {
            Phase::Pilot => {
                let State { pilot, shape, step_sizes, .. } = &mut self.state;
                let fixed = self.worker.fixed_shape.as_ref();
                let betas = self.worker.plan.schedule();
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
                self.state.last_states =
                    self.worker.spec.keep_states.then(|| self.states(usize::MAX));
                self.state.phase = self.start_reverse(&run);
                self.state.forward = Some(run);
                self.state.populations.clear();
            }
            Phase::Draw => self.state.phase = Phase::Reverse,
            Phase::Equilibrate => {
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

    /// Finds where the reverse runs start, and returns the phase that follows the forward runs.
    fn start_reverse(&mut self, forward: &Run) -> Phase {
        let groups = self.worker.groups();
        let Some(ReverseSpec { start }) = &self.worker.spec.reverse else {
            return self.after_runs();
        };
        self.state.starts = match start {
            ReverseStartSpec::Exact {} => return Phase::Draw,
            ReverseStartSpec::Forward { .. } => {
                let rng = &mut stream(self.seed, Purpose::Resampling, u64::MAX);
                resampled::starts(groups, &forward.log_weights, &self.state.populations, rng)
            }
            ReverseStartSpec::Simulated { .. } => {
                (0..groups.count()).map(|group| self.simulated_start(group)).collect()
            }
        };
        if start.num_warmup() > 0 { Phase::Equilibrate } else { Phase::Reverse }
    }

    /// All chains of a group at what their row was made of.
    fn simulated_start(&self, group: usize) -> States {
        let groups = self.worker.groups();
        let state = self.worker.target.latent(groups.target(group));
        let width = groups.chains(group).len();
        States::Values { dim: state.len(), values: state.repeat(width), momenta: Vec::new() }
    }

    fn after_runs(&self) -> Phase {
        if self.worker.target.num_row_shards() > 0 { Phase::Rows } else { Phase::Done }
    }

    /// The finished runs, in one direction.
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
}
