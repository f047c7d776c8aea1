//! The check of a fitted binary model, a round after the fit's last: see
//! [`crate::fit::predictive_check`]. What it finds comes along as warnings.
//!
//! Fits by maximum likelihood need none, for they know the model's normalization.

mod chains;
mod words;
mod worker;

use super::Rows;
use crate::Result;
use crate::bits::BitMatrix;
use crate::bytes::from_f64s;
use crate::fit::predictive_check::unseen_pairs;
use crate::jobs::report::{JobResult, Progress};
use crate::jobs::spec::{FitSpec, ObjectiveSpec};
use crate::jobs::{Coordinator, ShardWorker, Unfinished, inconsistent, pack, unpack};
use crate::models::Model;
use worker::Checker;

/// The last byte of a broadcast.
const FIT: u8 = 0;
const CHECK: u8 = 1;

/// The rows that a fit's model is checked against, if it is to be.
pub fn rows_to_check<'a>(spec: &FitSpec, rows: Rows<'a>) -> Option<&'a BitMatrix> {
    match (&spec.objective, rows) {
        (ObjectiveSpec::MaximumLikelihood {}, _) | (_, Rows::Reals(_)) => None,
        (_, Rows::Bits(data)) => Some(data),
    }
}

/// What has a worker of the fit: the worker itself, or its coordinator.
trait HasFitWorker: Send + Sync {
    fn fit_worker(&self) -> &dyn ShardWorker;
    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker;
}

impl HasFitWorker for Box<dyn ShardWorker> {
    fn fit_worker(&self) -> &dyn ShardWorker {
        &**self
    }

    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut **self
    }
}

impl HasFitWorker for Box<dyn Coordinator> {
    fn fit_worker(&self) -> &dyn ShardWorker {
        self.worker()
    }

    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker {
        self.worker_mut()
    }
}

/// Works shards of the fit, and of the check after it.
struct CheckedWorker<F> {
    fit: F,
    checker: Checker,
    is_checking: bool,
}

/// What works shards of a fit whose model is checked.
///
/// # Errors
/// Of the model's spec.
pub fn worker(
    spec: &FitSpec,
    data: &BitMatrix,
    fit: Box<dyn ShardWorker>,
) -> Result<Box<dyn ShardWorker>> {
    Ok(Box::new(CheckedWorker { fit, checker: Checker::new(spec, data)?, is_checking: false }))
}

impl<F: HasFitWorker> CheckedWorker<F> {
    /// What works the shards of the present round.
    fn current(&self) -> &dyn ShardWorker {
        match self.is_checking {
            true => &self.checker,
            false => self.fit.fit_worker(),
        }
    }
}

impl<F: HasFitWorker> ShardWorker for CheckedWorker<F> {
    fn num_shards(&self) -> usize {
        self.current().num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (stage, broadcast) = broadcast.split_last().expect("the stage comes last");
        self.is_checking = *stage == CHECK;
        match self.is_checking {
            true => self.checker.prepare(broadcast),
            false => self.fit.fit_worker_mut().prepare(broadcast),
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        self.current().work(shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        self.current().work_piece(shard, scattered, unfinished)
    }
}

/// A fit under way whose model will be checked.
pub struct CheckedFit {
    worker: CheckedWorker<Box<dyn Coordinator>>,
    objective: ObjectiveSpec,
    data: BitMatrix,
    /// The fitted model, while it is checked.
    fitted: Option<Box<dyn Model>>,
    /// What was found, once the model is checked.
    warnings: Option<Vec<String>>,
}

impl CheckedFit {
    /// Around a fit; `snapshot` is that of both, if there is one, and `fit` makes the fit from its part.
    ///
    /// # Errors
    /// Of the model's spec, and those of `fit`; [`crate::Error::BadCheckpoint`] if the snapshot is none of
    /// this job's.
    pub fn new(
        spec: &FitSpec,
        data: &BitMatrix,
        snapshot: Option<&[u8]>,
        fit: impl FnOnce(Option<&[u8]>) -> Result<Box<dyn Coordinator>>,
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
        let checker = Checker::new(spec, data)?;
        let mut checked = Self {
            worker: CheckedWorker { fit, checker, is_checking: false },
            objective: spec.objective.clone(),
            data: data.clone(),
            fitted: None,
            warnings,
        };
        checked.begin_check();
        Ok(checked)
    }

    fn fit(&self) -> &dyn Coordinator {
        &*self.worker.fit
    }

    /// If the fit is done and its model is not checked; parameters that make no model the fit tells of.
    fn begin_check(&mut self) {
        if !self.fit().is_done() || self.warnings.is_some() {
            return;
        }
        if let Some(JobResult::Fit(result)) = self.fit().result() {
            self.fitted = result.model.build().ok();
        }
        self.worker.is_checking = self.fitted.is_some();
        if !self.worker.is_checking {
            self.warnings = Some(Vec::new());
        }
    }

    fn end_check(&mut self, parts: &[Vec<u8>]) {
        let model = self.fitted.take().expect("a model is checked");
        let misfit = self.worker.checker.judge(&*model, &self.data, parts);
        let unseen = model.as_ising().and_then(|ising| unseen_pairs(ising, &self.data));
        let said = [
            misfit.map(|misfit| words::misfit(&misfit, &self.objective, self.data.dim())),
            unseen.map(|unseen| words::unseen(&unseen)),
        ];
        self.warnings = Some(said.into_iter().flatten().collect());
        self.worker.is_checking = false;
    }
}

impl Coordinator for CheckedFit {
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
                (from_f64s(params), CHECK)
            }
            None => (self.fit().broadcast(), FIT),
        };
        broadcast.push(stage);
        broadcast
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match self.worker.is_checking {
            true => Vec::new(),
            false => self.fit().scatter(shard),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        if self.worker.is_checking {
            assert_eq!(parts.len(), self.worker.checker.num_shards());
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

    fn progress(&self) -> Progress {
        let mut progress = self.fit().progress();
        if let Progress::Fit(progress) = &mut progress
            && !self.is_done()
        {
            progress.done = false;
            progress.fraction = progress.fraction.min(0.999);
        }
        progress
    }

    fn result(&self) -> Option<JobResult> {
        let warnings = self.warnings.as_ref()?;
        let mut result = self.fit().result()?;
        if let JobResult::Fit(result) = &mut result {
            result.warnings.extend_from_slice(warnings);
            if let ObjectiveSpec::Mpf { connectivity: Some(connectivity), .. } = &self.objective {
                result.connectivity = Some(connectivity.kind());
            }
        }
        Some(result)
    }
}
