//! log Z given a part of the state.

use super::report::{Estimated, Interval, LogZProgress, LogZResult, RunReport};
use super::spec::{LogZSpec, ReferenceSpec, SecondPathSpec};
use crate::bits::BitMatrix;
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, ObservedSpec};
use crate::run::observed::{Observing, digest};
use crate::sample::path_spec::PathSpec;
use crate::{Error, Result};

impl Observing for LogZSpec {
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)> {
        Some((&self.model, self.observed.as_ref()?))
    }

    fn on_free(&self, given: &Conditional) -> Result<Self> {
        let mut spec = Self { model: given.model.clone(), observed: None, ..self.clone() };
        spec.path.check_observed()?;
        restrict_reference(given, &mut spec.reference)?;
        if let Some(second) = &mut spec.second_path {
            let SecondPathSpec { reference, path, .. } = &mut **second;
            path.as_ref().map_or(Ok(()), PathSpec::check_observed).map_err(Self::of_second_path)?;
            restrict_reference(given, reference).map_err(Self::of_second_path)?;
        }
        let has_latent =
            matches!(self.model, ModelSpec::LinearGenerative(_) | ModelSpec::BilinearGenerative(_));
        if has_latent && (self.states.is_some() || self.simulate.is_some()) {
            let problem =
                "is given, and the rows are observations of the model's own x; leave it out";
            return Err(Error::spec("observed", problem));
        }
        if let Some(states) = &mut spec.states {
            let free = given.entries.restrict_states("states", states)?;
            given.entries.check_states(states)?;
            *states = free;
        }
        Ok(spec)
    }

    fn free_rows(given: &Conditional, rows: &BitMatrix) -> Result<BitMatrix> {
        let free = given.entries.restrict_rows(rows)?;
        given.entries.check_rows(rows)?;
        Ok(free)
    }

    fn whole_progress(given: &Conditional, progress: LogZProgress) -> LogZProgress {
        let states = progress.states.map(|states| given.entries.extend_states(&states));
        LogZProgress { states, ..progress }
    }

    /// All estimates of log Z fall by the constant, that of the reference too: both energies hold it.
    fn whole_output(given: &Conditional, mut result: LogZResult) -> LogZResult {
        let lower = -given.constant;
        for number in [&mut result.log_z, &mut result.reference_log_z, &mut result.bounds.lower]
            .into_iter()
            .chain(&mut result.bounds.upper)
            .chain(&mut result.exact_log_z)
        {
            *number += lower;
        }
        shift_interval(&mut result.interval, lower);
        shift_run(&mut result.forward, lower);
        result.reverse.iter_mut().for_each(|run| shift_run(run, lower));
        result.bridge.iter_mut().for_each(|bridge| shift(bridge, lower));
        result.second_path.iter_mut().for_each(|second| shift(&mut second.log_z, lower));
        result.states = result.states.map(|states| given.entries.extend_states(&states));
        result.digest = digest(given, &result.digest);
        result
    }
}

/// The reference of the free entries: independent sites, or a Gaussian given the same entries.
fn restrict_reference(given: &Conditional, reference: &mut Option<ReferenceSpec>) -> Result<()> {
    match reference {
        None | Some(ReferenceSpec::Uniform {}) => {}
        Some(ReferenceSpec::Independent { log_odds }) => {
            crate::checks::check_numbers("reference.logOdds", log_odds, given.entries.dim())?;
            *log_odds = given.entries.restrict(log_odds);
        }
        Some(ReferenceSpec::Model { model }) => match &mut **model {
            ModelSpec::Gaussian(gaussian) => {
                *gaussian = given.of_gaussian("reference.model", gaussian)?;
            }
            _ => {
                let problem = "is no Gaussian, and only Gaussians have a known log Z where something is \
                               observed; give one, or leave the reference out";
                return Err(Error::spec("reference.model.kind", problem));
            }
        },
    }
    Ok(())
}

fn shift_interval(interval: &mut Interval, by: f64) {
    interval.lower += by;
    interval.upper += by;
}

fn shift(estimated: &mut Estimated, by: f64) {
    estimated.value += by;
    shift_interval(&mut estimated.interval, by);
}

fn shift_run(run: &mut RunReport, by: f64) {
    shift(&mut run.log_z, by);
    shift_interval(&mut run.bootstrap, by);
    run.mean_log_weight += by;
    run.log_weights.iter_mut().for_each(|log_weight| *log_weight += by);
    run.histogram_edges.iter_mut().for_each(|edge| *edge += by);
    run.integral.iter_mut().for_each(|integral| shift(integral, by));
}
