//! Errors of fitted parameters by the bootstrap of Efron (1979): the same fit to as many rows, drawn from
//! the rows with replacement, many times. The spread of what comes out is the error; 95 % of it, between
//! percentiles, an interval. It needs no derivative, so every fit has it: by minibatches, by chains, with
//! an L1 penalty.
//!
//! Each such fit starts at the fitted model, so that hidden units stay in their order, and is a shard
//! of a round: nothing of it is shared, and any number of workers may take their part. Some at a time are a
//! round, after which a job may be stopped.

use super::MAX_PARAMS;
use super::summary::{self, params_of};
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, to_f64s};
use crate::digest::Digest;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::rows::Rows;
use crate::fit::job::spec::{FitSpec, InitSpec};
use crate::fit::job::stages::{AFTER, FIT, TwoStages};
use crate::fit::job::{unchecked_coordinator, without_errors};
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::{Purpose, below, derived_seed, stream};
use crate::run::{
    BoxedCoordinator, Coordinator, ShardWorker, Unfinished, inconsistent, pack, to_numbers, unpack,
    work_by_pieces,
};
use crate::{Error, Result};

/// Fits in a round.
const ROUND: usize = 16;

/// Maximum number of numbers that come out of all fits, 128 MiB.
const MAX_NUMBERS: usize = 1 << 24;

/// The data, kept.
enum Data {
    Bits(BitMatrix),
    Reals { dim: usize, states: Vec<f64> },
}

impl Data {
    fn of(rows: Rows<'_>) -> Self {
        match rows {
            Rows::Bits(data) => Self::Bits(data.clone()),
            Rows::Reals(rows) => Self::Reals { dim: rows.dim(), states: rows.data().to_vec() },
        }
    }

    fn num_rows(&self) -> usize {
        match self {
            Self::Bits(data) => data.num_rows(),
            Self::Reals { dim, states } => states.len() / dim,
        }
    }

    /// As many rows, these ones.
    fn at(&self, places: &[usize]) -> Self {
        match self {
            Self::Bits(data) => Self::Bits(data.rows_at(places)),
            Self::Reals { dim, states } => {
                let row = |place: &usize| &states[place * dim..(place + 1) * dim];
                Self::Reals { dim: *dim, states: places.iter().flat_map(row).copied().collect() }
            }
        }
    }

    fn as_rows(&self) -> Rows<'_> {
        match self {
            Self::Bits(data) => Rows::Bits(data),
            Self::Reals { dim, states } => Rows::Reals(Batch::new(*dim, states)),
        }
    }
}

/// Fits to resampled rows, one a shard. A part is whether the fit converged, 0 or 1, and its parameters.
pub struct Resampler {
    /// The spec of each, but for model and seed.
    spec: FitSpec,
    model: Box<dyn Model>,
    data: Data,
    num_fits: usize,
    /// Number of fits in the rounds before.
    num_done: usize,
}

impl Resampler {
    /// The resampled fits of a spec.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::TooLarge`] if all fits together have too many parameters.
    fn new(spec: &FitSpec, rows: Rows<'_>, num_fits: usize) -> Result<Self> {
        let model = spec.model.build()?;
        let num_params = params_of(&*model).len();
        if num_params.saturating_mul(num_fits) > MAX_NUMBERS {
            return Err(Error::TooLarge {
                field: "errors.bootstrap".into(),
                problem: format!(
                    "is {num_fits}, and with {num_params} parameters at most {} are kept; use fewer",
                    MAX_NUMBERS / num_params
                ),
            });
        }
        let mut spec = without_errors(spec);
        spec.states = None;
        spec.init = InitSpec::Model {};
        Ok(Self { spec, model, data: Data::of(rows), num_fits, num_done: 0 })
    }

    /// The fit to one set of resampled rows.
    fn begin(&self, fit: usize) -> Result<BoxedCoordinator<FitSpec>> {
        let seed = derived_seed(self.spec.seed.unwrap_or(0), Purpose::Bootstrap, fit as u64);
        let mut rng = stream(seed, Purpose::Bootstrap, 0);
        let num_rows = self.data.num_rows();
        let places: Vec<usize> = (0..num_rows).map(|_| below(num_rows, &mut rng)).collect();
        let params = params_of(&*self.model);
        let spec =
            FitSpec { model: self.model.spec_at(params), seed: Some(seed), ..self.spec.clone() };
        unchecked_coordinator(&spec, self.data.at(&places).as_rows(), None)
    }
}

/// A fit within a shard: its rounds, shard by shard and piece by piece.
struct Nested {
    fit: BoxedCoordinator<FitSpec>,
    parts: Vec<Vec<u8>>,
    /// What the next shard is handed, once it is begun.
    scattered: Option<Vec<u8>>,
    unfinished: Unfinished,
}

impl Nested {
    fn new(fit: BoxedCoordinator<FitSpec>) -> Self {
        Self { fit, parts: Vec::new(), scattered: None, unfinished: Unfinished::default() }
    }

    /// One piece more. Returns the fit's result once there is one.
    fn step(&mut self) -> Option<FitResult> {
        if self.fit.is_done() {
            return self.fit.result();
        }
        let shard = self.parts.len();
        if shard == 0 && self.scattered.is_none() {
            let broadcast = self.fit.broadcast();
            self.fit.worker_mut().prepare(&broadcast);
        }
        let scattered = self.scattered.get_or_insert_with(|| self.fit.scatter(shard));
        let worker = self.fit.worker();
        let part = worker.work_piece(shard, scattered, &mut self.unfinished)?;
        self.scattered = None;
        self.parts.push(part);
        if self.parts.len() == self.fit.worker().num_shards() {
            self.fit.gather(&std::mem::take(&mut self.parts));
        }
        None
    }
}

impl ShardWorker for Resampler {
    fn num_shards(&self) -> usize {
        ROUND.min(self.num_fits - self.num_done).max(1)
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let numbers = to_f64s(broadcast).expect("a count and parameters");
        let (num_done, params) = numbers.split_first().expect("the count comes first");
        self.num_done = *num_done as usize;
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let begin = || self.begin(self.num_done + shard).map(Nested::new).ok();
        let nested: &mut Option<Nested> = unfinished.get_or_insert_with(begin);
        // Rows that a fit refuses, such as constant ones for noise: no estimate.
        let part = match nested {
            None => Vec::new(),
            Some(nested) => {
                let result = nested.step()?;
                let mut part = vec![f64::from(u8::from(result.converged))];
                if let Ok(model) = result.model.build() {
                    part.extend_from_slice(params_of(&*model));
                }
                part
            }
        };
        unfinished.clear();
        Some(from_f64s(&part))
    }
}

/// Coordinates a fit, and those to resampled rows after it.
pub struct BootstrappedFit {
    worker: TwoStages<BoxedCoordinator<FitSpec>, Resampler>,
    /// The fitted model, once the fit is done and if its parameters make a valid one.
    fitted: Option<Box<dyn Model>>,
    /// What came of each of the others so far.
    found: Vec<Vec<f64>>,
}

/// The worker of a fit, and of those to resampled rows after it.
///
/// # Errors
/// As [`Resampler::new`].
pub fn worker(
    spec: &FitSpec,
    rows: Rows<'_>,
    num_fits: usize,
    fit: Box<dyn ShardWorker>,
) -> Result<Box<dyn ShardWorker>> {
    Ok(Box::new(TwoStages::new(fit, Resampler::new(spec, rows, num_fits)?)))
}

impl BootstrappedFit {
    /// Wraps the fit of a spec, which `fit` makes from its part of the snapshot.
    ///
    /// # Errors
    /// As [`Resampler::new`], and those of `fit`; [`Error::BadCheckpoint`] if the snapshot is not one
    /// of this job.
    pub fn new(
        spec: &FitSpec,
        rows: Rows<'_>,
        num_fits: usize,
        snapshot: Option<&[u8]>,
        fit: impl FnOnce(Option<&[u8]>) -> Result<BoxedCoordinator<FitSpec>>,
    ) -> Result<Self> {
        let (inner, found): (Option<Vec<u8>>, Vec<Vec<f64>>) = match snapshot {
            None => (None, Vec::new()),
            Some(snapshot) => {
                let (inner, found) = unpack(snapshot)?;
                (Some(inner), found)
            }
        };
        let fit = fit(inner.as_deref())?;
        let mut resampler = Resampler::new(spec, rows, num_fits)?;
        let num_params = params_of(&*resampler.model).len();
        let is_sound = |one: &Vec<f64>| one.is_empty() || one.len() == 1 + num_params;
        if found.len() > num_fits
            || (!fit.is_done() && !found.is_empty())
            || !found.iter().all(is_sound)
        {
            return Err(inconsistent());
        }
        resampler.num_done = found.len();
        let mut all = Self { worker: TwoStages::new(fit, resampler), fitted: None, found };
        all.begin_resampling();
        Ok(all)
    }

    /// Goes over to the other fits once the first is done.
    fn begin_resampling(&mut self) {
        if let Some(result) = self.fit().result() {
            self.fitted = result.model.build().ok();
            self.worker.is_after = true;
        }
    }

    fn fit(&self) -> &dyn Coordinator<Progress = FitProgress, Output = FitResult> {
        &*self.worker.fit
    }

    fn num_fits(&self) -> usize {
        self.worker.after.num_fits
    }
}

impl Coordinator for BootstrappedFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let (mut broadcast, stage) = match self.worker.is_after {
            false => (self.fit().broadcast(), FIT),
            true => {
                let params = self.fitted.as_ref().and_then(|model| model.as_parametric());
                let mut numbers = vec![self.found.len() as f64];
                numbers.extend_from_slice(params.map_or(&[][..], |model| model.params()));
                (from_f64s(&numbers), AFTER)
            }
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
            self.found.extend(to_numbers(parts));
            self.worker.after.num_done = self.found.len();
        } else {
            self.worker.fit.gather(parts);
            self.begin_resampling();
        }
    }

    /// A fit that ends without a valid model has no errors to look for.
    fn is_done(&self) -> bool {
        self.worker.is_after && (self.found.len() == self.num_fits() || self.fitted.is_none())
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&(self.fit().snapshot(), &self.found))
    }

    fn progress(&self) -> FitProgress {
        let progress = self.fit().progress();
        let all = 1.0 + self.num_fits() as f64;
        let fraction = (progress.fraction + self.found.len() as f64) / all;
        FitProgress { fraction: fraction.min(1.0), done: self.is_done(), ..progress }
    }

    fn result(&self) -> Option<FitResult> {
        if !self.is_done() {
            return None;
        }
        let mut result = self.fit().result()?;
        let Some(model) = &self.fitted else { return Some(result) };
        let estimates: Vec<&[f64]> = self
            .found
            .iter()
            .filter_map(|one| one.get(1..))
            .filter(|params| !params.is_empty() && params.iter().all(|param| param.is_finite()))
            .collect();
        let without = self.num_fits() - estimates.len();
        if without > 0 {
            result.warnings.push(format!(
                "{without} of {} fits to resampled rows came to no parameters, and are left out of the \
                 errors",
                self.num_fits()
            ));
        }
        let num_open = self.found.iter().filter(|one| one.first() == Some(&0.0)).count();
        if result.converged && num_open > 0 {
            result.warnings.push(format!(
                "{num_open} of {} fits to resampled rows ended before they converged: give them more \
                 iterations",
                self.num_fits()
            ));
        }
        if let Some(errors) = summary::of_sample(&**model, &estimates, MAX_PARAMS) {
            let mut digest = Digest::new().bytes("fit", result.digest.as_bytes());
            for params in &estimates {
                digest = digest.f64s("resampled", params);
            }
            result.digest = digest.hex();
            result.errors = Some(errors);
        }
        Some(result)
    }
}
