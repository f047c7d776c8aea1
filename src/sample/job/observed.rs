//! Sampling of what is not observed.

use super::continuous::report::{ContinuousResult, EntrySummaries};
use super::output::SampleOutput;
use super::report::{Draws, NewDraws, Paths, SampleProgress, SampleResult};
use super::spec::{SampleSpec, StartSpec};
use crate::Result;
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, Entries, ObservedSpec};
use crate::run::observed::{Observing, digest};
use crate::sample::path_spec::PathSpec;
use crate::sample::spec::TransitionSpec;

impl Observing for SampleSpec {
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)> {
        Some((&self.model, self.observed.as_ref()?))
    }

    fn on_free(&self, given: &Conditional) -> Result<Self> {
        let mut spec = Self { model: given.model.clone(), observed: None, ..self.clone() };
        if let StartSpec::States { states } = &mut spec.start {
            *states = given.entries.restrict_states("start.states", states)?;
        }
        if let TransitionSpec::ParallelTempering(ladder)
        | TransitionSpec::SimulatedTempering(ladder) = &mut spec.transition
        {
            if let Some(reference) = &mut ladder.reference {
                *reference = given.of_gaussian("transition.reference", reference)?;
            }
            let check = ladder.path.as_ref().map_or(Ok(()), PathSpec::check_observed);
            check.map_err(|error| error.within("transition"))?;
            if let Some(log_odds) = &mut ladder.log_odds {
                *log_odds = given.entries.restrict_states("transition.logOdds", log_odds)?;
            }
        }
        Ok(spec)
    }

    fn whole_progress(given: &Conditional, progress: SampleProgress) -> SampleProgress {
        let new_draws = progress.new_draws.map(|new| whole_draws(given, new));
        SampleProgress { new_draws, ..progress }
    }

    fn whole_output(given: &Conditional, output: SampleOutput) -> SampleOutput {
        match output {
            SampleOutput::Bits(result) => SampleOutput::Bits(whole_bits(given, result)),
            SampleOutput::Reals(result) => {
                SampleOutput::Reals(Box::new(whole_reals(given, *result)))
            }
            SampleOutput::Latent(_) => unreachable!("refused with observed entries"),
        }
    }
}

fn whole_draws(given: &Conditional, new: NewDraws) -> NewDraws {
    let entries = &given.entries;
    NewDraws {
        dim: entries.dim(),
        bits: new.bits.map(|bits| entries.extend_bits(&bits)),
        values: new.values.map(|values| entries.extend_states(&values)),
        energies: new.energies.map(|energies| raised(energies, given.constant)),
        paths: new.paths.map(|paths| whole_paths(entries, paths)),
        ..new
    }
}

fn whole_paths(entries: &Entries, paths: Paths) -> Paths {
    Paths { points: entries.extend_states(&paths.points), ..paths }
}

fn raised(mut energies: Vec<f64>, constant: f64) -> Vec<f64> {
    energies.iter_mut().for_each(|energy| *energy += constant);
    energies
}

fn whole_bits(given: &Conditional, result: SampleResult) -> SampleResult {
    let Conditional { entries, constant, .. } = given;
    let moments = |moments: Vec<f64>, are_errors| {
        if moments.is_empty() { moments } else { entries.extend_moments(&moments, are_errors) }
    };
    let energy_summary = result.energy_summary.map(|mut summary| {
        summary.mean += constant;
        summary
    });
    SampleResult {
        draws: Draws {
            dim: entries.dim(),
            num_rows: result.draws.num_rows,
            bits: entries.extend_bits(&result.draws.bits),
        },
        energies: raised(result.energies, *constant),
        energy_summary,
        moments: moments(result.moments, false),
        moment_errors: moments(result.moment_errors, true),
        num_differences: result.num_differences,
        tempering: result.tempering.map(|mut tempering| {
            tempering.log_z -= constant;
            tempering
        }),
        seed: result.seed,
        digest: digest(given, &result.digest),
    }
}

fn whole_reals(given: &Conditional, mut result: ContinuousResult) -> ContinuousResult {
    let entries = &given.entries;
    result.draws.dim = entries.dim();
    result.draws.values = entries.extend_states(&result.draws.values);
    result.energies = raised(result.energies, given.constant);
    result.divergences.states = entries.extend_states(&result.divergences.states);
    result.paths = result.paths.map(|paths| whole_paths(entries, paths));
    let EntrySummaries { mean, sd, mcse_mean, mcse_sd, ess_bulk, ess_tail, rhat } =
        &mut result.summary;
    *mean = entries.extend_states(mean);
    for numbers in [sd, mcse_mean, mcse_sd] {
        *numbers = entries.extend(numbers, |_| 0.0);
    }
    for numbers in [ess_bulk, ess_tail, rhat] {
        *numbers = entries.extend(numbers, |_| f64::NAN);
    }
    result.digest = digest(given, &result.digest);
    result
}
