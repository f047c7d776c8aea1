//! The check of a fitted model, a round after the fit's last: see [`crate::fit::predictive_check`].
//! Its findings are added to the warnings.
//!
//! Fits by maximum likelihood need none, as they know the model's normalization; nor does
//! expectation maximization, whose models are normalized. Models of several values and of counts are
//! not checked.

mod chains;
mod words;
mod worker;

use super::Rows;
use super::stages::{AFTER, FIT, HasFitWorker, TwoStages};
use crate::bits::BitMatrix;
use crate::bytes::from_f64s;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::predictive_check::reals::Marginals;
use crate::fit::predictive_check::{
    NumOn, judge_chains, judge_exact, room_for_log_z, unseen_pairs,
};
use crate::models::combined::Combined;
use crate::models::{Model, ModelSpec};
use crate::run::{BoxedCoordinator, Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::weights::bounds;
use crate::{FULL, Result};
use worker::{Checker, Found};

/// The data that a fit's model is checked against.
pub enum Data {
    Bits(BitMatrix),
    Reals(Marginals),
}

/// The probability that the bound on log Z behind a warning fails.
const FAILURE_PROBABILITY: f64 = 1e-6;

/// The data to check a fit's model against, if it is to be checked.
pub fn data_to_check(spec: &FitSpec, rows: Rows<'_>) -> Option<Data> {
    // All their states have as many bits, or words, on.
    if spec.model.has_site_values()
        || matches!(spec.model, ModelSpec::CategoricalRbm(_) | ModelSpec::ReplicatedSoftmax(_))
    {
        return None;
    }
    if spec.num_hidden() > 0 {
        return None;
    }
    match (&spec.objective, rows) {
        (
            ObjectiveSpec::MaximumLikelihood {} | ObjectiveSpec::ExpectationMaximization { .. },
            _,
        ) => None,
        (_, Rows::Bits(data)) => Some(Data::Bits(data.clone())),
        (_, Rows::Reals(rows)) if FULL => Marginals::of(rows).map(Data::Reals),
        (_, Rows::Reals(_)) => None,
    }
}

impl HasFitWorker for BoxedCoordinator<FitSpec> {
    fn fit_worker(&self) -> &dyn ShardWorker {
        self.worker()
    }

    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker {
        self.worker_mut()
    }
}

/// The worker of a fit whose model is checked.
///
/// # Errors
/// Any error of the model's spec.
pub fn worker(
    spec: &FitSpec,
    data: &Data,
    fit: Box<dyn ShardWorker>,
) -> Result<Box<dyn ShardWorker>> {
    Ok(Box::new(TwoStages::new(fit, Checker::new(spec, data)?)))
}

/// Coordinates a fit and the check of its model.
pub struct CheckedFit {
    worker: TwoStages<BoxedCoordinator<FitSpec>, Checker>,
    objective: ObjectiveSpec,
    data: Data,
    /// The fitted model, while it is checked.
    fitted: Option<Box<dyn Model>>,
    /// The warnings found, once the model is checked.
    warnings: Option<Vec<String>>,
}

impl CheckedFit {
    /// Wraps a fit. `snapshot` is that of both, if there is one, and `fit` makes the fit from its
    /// part of it.
    ///
    /// # Errors
    /// Any error of the model's spec or of `fit`; [`crate::Error::BadCheckpoint`] if the snapshot
    /// is not one of this job.
    pub fn new(
        spec: &FitSpec,
        data: Data,
        snapshot: Option<&[u8]>,
        fit: impl FnOnce(Option<&[u8]>) -> Result<BoxedCoordinator<FitSpec>>,
    ) -> Result<Self> {
        let (inner, warnings): (Option<Vec<u8>>, Option<Vec<String>>) = match snapshot {
            None => (None, None),
            Some(snapshot) => {
                let (inner, warnings): (Vec<u8>, _) = unpack(snapshot)?;
                (Some(inner), warnings)
            }
        };
        let fit = fit(inner.as_deref())?;
        if warnings.is_some() && !fit.is_done() {
            return Err(inconsistent());
        }
        let checker = Checker::new(spec, &data)?;
        let mut checked = Self {
            worker: TwoStages::new(fit, checker),
            objective: spec.objective.clone(),
            data,
            fitted: None,
            warnings,
        };
        checked.begin_check();
        Ok(checked)
    }

    fn fit(&self) -> &dyn Coordinator<Progress = FitProgress, Output = FitResult> {
        &*self.worker.fit
    }

    /// Begins the check once the fit is done. If the parameters make no valid model, the fit itself
    /// reports that.
    fn begin_check(&mut self) {
        if !self.fit().is_done() || self.warnings.is_some() {
            return;
        }
        if let Some(result) = self.fit().result() {
            self.fitted = result.model.build().ok();
        }
        self.worker.is_after = self.fitted.is_some();
        if !self.worker.is_after {
            self.warnings = Some(Vec::new());
        }
    }

    fn end_check(&mut self, parts: &[Vec<u8>]) {
        let model = self.fitted.take().expect("a model is checked");
        let found = self.worker.after.found(parts);
        let said = match &self.data {
            Data::Bits(rows) => self.judge_bits(&*model, rows, &found),
            Data::Reals(_) if !FULL => unreachable!(),
            Data::Reals(marginals) => self.judge_reals(&*model, marginals, &found),
        };
        self.warnings = Some(said);
        self.worker.is_after = false;
    }

    fn judge_bits(&self, model: &dyn Model, rows: &BitMatrix, found: &Found) -> Vec<String> {
        let on = NumOn::of(rows);
        let misfit = match found {
            Found::States(parts) => judge_exact(&on, parts),
            Found::Chains { annealed, from_rows } => {
                judge_chains(&on, from_rows, annealed, &room_for_log_z(model, rows))
            }
        };
        let unseen = model.as_ising().and_then(|ising| unseen_pairs(ising, rows));
        let said = [
            misfit.map(|misfit| words::misfit(&misfit, &self.objective, rows.dim())),
            unseen.map(|unseen| words::unseen(&unseen)),
        ];
        said.into_iter().flatten().collect()
    }

    fn judge_reals(&self, model: &dyn Model, marginals: &Marginals, found: &Found) -> Vec<String> {
        let Found::Chains { annealed, .. } = found else { return Vec::new() };
        let (distances, log_weights): (Vec<f64>, Vec<f64>) = annealed.iter().copied().unzip();
        let scaled = scaled(model, self.objective.energy_factor());
        let model = scaled.as_deref().unwrap_or(model);
        let least_log_z = match model.as_reference() {
            Some(known) => known.log_z(),
            None => bounds::lower_by_ranks(&log_weights, FAILURE_PROBABILITY),
        };
        let knows_log_z = model.as_log_z_gradient().is_some();
        let remedy = words::remedy_on_reals(&self.objective, knows_log_z);
        let shortfall = marginals.shortfall(model, least_log_z);
        let said = match (shortfall, marginals.differs(&distances, &log_weights)) {
            (Some(nats), _) => Some(words::shortfall(nats, remedy)),
            (None, Some(share)) => Some(words::far_or_near(share, remedy)),
            (None, None) => None,
        };
        said.into_iter().collect()
    }
}

/// The model with its energy multiplied by a factor other than 1, as its check needs it.
fn scaled(model: &dyn Model, factor: f64) -> Option<Box<dyn Model>> {
    (factor != 1.0).then(|| Box::new(Combined::scaled(model, factor)) as Box<dyn Model>)
}

impl Coordinator for CheckedFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let (mut broadcast, stage) = match &self.fitted {
            Some(model) => {
                let params = model.as_parametric().expect("fitted models have parameters").params();
                (from_f64s(params), AFTER)
            }
            None => (self.fit().broadcast(), FIT),
        };
        broadcast.push(stage);
        broadcast
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match self.worker.is_after {
            true => Vec::new(),
            false => self.fit().scatter(shard),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        if self.worker.is_after {
            assert_eq!(parts.len(), self.worker.after.num_shards());
            self.end_check(parts);
        } else {
            self.worker.fit.gather(parts);
            self.begin_check();
        }
    }

    fn is_done(&self) -> bool {
        self.warnings.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&(self.fit().snapshot(), &self.warnings))
    }

    fn progress(&self) -> FitProgress {
        let progress = self.fit().progress();
        if self.is_done() { progress } else { progress.not_done_yet() }
    }

    fn result(&self) -> Option<FitResult> {
        let warnings = self.warnings.as_ref()?;
        let mut result = self.fit().result()?;
        result.warnings.extend_from_slice(warnings);
        if let ObjectiveSpec::Mpf { connectivity: Some(connectivity), .. } = &self.objective {
            result.connectivity = Some(connectivity.kind());
        }
        Some(result)
    }
}
