//! The jobs that fit a model to data. There are four methods: with all data at each evaluation
//! ([`full_batch`]), by minibatches and chains ([`stochastic`]), by alternating between chains and
//! minimization ([`alternating`]), and in closed form ([`closed_form`]). The models of a stack are
//! fitted by any of them, one after another ([`stack`]). Fitted models are then checked
//! ([`check`]).

mod alternating;
mod check;
mod closed_form;
mod coordinates;
#[cfg(feature = "full")]
mod errors;
mod estimator;
mod full_batch;
#[cfg(feature = "full")]
mod hidden_sites;
mod objective;
pub mod report;
mod rows;
pub mod spec;
mod stack;
mod stages;
mod stochastic;
mod stochastic_worker;

use rows::{Rows, check as check_rows};

use crate::bits::{BitMatrix, set_bits};
use crate::digest::Digest;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{FitSpec, InitSpec, ObjectiveSpec, OptimizerSpec};
use crate::math::ln;
use crate::models::{Model, ModelSpec};
use crate::rng::{Purpose, normal, stream};
use crate::run::{Bits, BoxedCoordinator, ShardWorker, SharedFields, Verb};
use crate::{Error, FULL, Result, not_in_core};

impl Verb for FitSpec {
    const NAME: &'static str = "fit";
    type Progress = FitProgress;
    type Output = FitResult;

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

    fn fill_defaults(&mut self) {
        self.fill_optimizer();
    }

    fn bits(&self, is_given: bool) -> Result<Bits> {
        check_rows(self, is_given)?;
        Ok(Bits::Optional)
    }

    fn fill_for_data(&mut self, data: Option<&BitMatrix>) {
        Self::fill_for_data(self, data);
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        create_coordinator(self, Rows::of(self, data)?, snapshot)
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        create_worker(self, Rows::of(self, data)?)
    }
}

/// The method that fits a resolved spec.
enum Method {
    FullBatch,
    Stochastic,
    Alternating,
    ClosedForm,
}

fn method(spec: &FitSpec) -> Method {
    match (&spec.objective, &spec.optimizer) {
        (ObjectiveSpec::MeanField { .. }, _) => Method::ClosedForm,
        (
            ObjectiveSpec::PersistentMpf { .. } | ObjectiveSpec::ExpectationMaximization { .. },
            _,
        ) => Method::Alternating,
        (_, Some(OptimizerSpec::Sgd(_) | OptimizerSpec::Adam(_))) => Method::Stochastic,
        (_, Some(OptimizerSpec::Lbfgs(_)) | None) => Method::FullBatch,
    }
}

/// The worker of a resolved spec.
///
/// # Errors
/// Any error of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model and data differ in dimension.
pub fn create_worker(spec: &FitSpec, rows: Rows<'_>) -> Result<Box<dyn ShardWorker>> {
    objective::check(spec, rows)?;
    if FULL && let ModelSpec::Dbn(dbn) = &spec.model {
        return Ok(Box::new(stack::StackWorker::new(spec, dbn, rows.bits(spec)?)?));
    }
    let worker = unchecked_worker(spec, rows)?;
    match check::data_to_check(spec, rows) {
        Some(data) => check::worker(spec, &data, worker),
        None => Ok(worker),
    }
}

fn unchecked_worker(spec: &FitSpec, rows: Rows<'_>) -> Result<Box<dyn ShardWorker>> {
    #[cfg(feature = "full")]
    if let Some(num_fits) = spec.errors.num_resamples() {
        let fit = unchecked_worker(&without_errors(spec), rows)?;
        return errors::bootstrap::worker(spec, rows, num_fits, fit);
    }
    Ok(match method(spec) {
        #[cfg(feature = "full")]
        Method::FullBatch if !spec.errors.is_none() => errors::worker(spec, rows)?,
        Method::FullBatch => Box::new(full_batch::FullBatchWorker::new(spec, rows)?),
        _ if !FULL => return Err(not_in_core("objective.kind")),
        Method::Stochastic => Box::new(stochastic::StochasticWorker::new(spec, rows)?),
        Method::Alternating => Box::new(alternating::worker(spec, rows)?),
        Method::ClosedForm => Box::new(closed_form::ClosedFormWorker::new(spec, rows.bits(spec)?)?),
    })
}

/// The coordinator of a fit at its beginning, or from a snapshot.
///
/// # Errors
/// The errors of [`create_worker`]; [`crate::Error::TooLarge`] if the optimizer would take too much
/// memory; [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
pub fn create_coordinator(
    spec: &FitSpec,
    rows: Rows<'_>,
    snapshot: Option<&[u8]>,
) -> Result<BoxedCoordinator<FitSpec>> {
    objective::check(spec, rows)?;
    if FULL && let ModelSpec::Dbn(dbn) = &spec.model {
        return Ok(Box::new(stack::StackFit::new(spec, dbn, rows.bits(spec)?, snapshot)?));
    }
    match check::data_to_check(spec, rows) {
        Some(data) => Ok(Box::new(check::CheckedFit::new(spec, data, snapshot, |snapshot| {
            unchecked_coordinator(spec, rows, snapshot)
        })?)),
        None => unchecked_coordinator(spec, rows, snapshot),
    }
}

fn unchecked_coordinator(
    spec: &FitSpec,
    rows: Rows<'_>,
    snapshot: Option<&[u8]>,
) -> Result<BoxedCoordinator<FitSpec>> {
    #[cfg(feature = "full")]
    if let Some(num_fits) = spec.errors.num_resamples() {
        let all =
            errors::bootstrap::BootstrappedFit::new(spec, rows, num_fits, snapshot, |inner| {
                unchecked_coordinator(&without_errors(spec), rows, inner)
            });
        return Ok(Box::new(all?));
    }
    Ok(match method(spec) {
        #[cfg(feature = "full")]
        Method::FullBatch if !spec.errors.is_none() => {
            Box::new(errors::FitWithErrors::new(spec, rows, snapshot)?)
        }
        Method::FullBatch => Box::new(full_batch::FullBatchFit::new(spec, rows, snapshot)?),
        _ if !FULL => return Err(not_in_core("objective.kind")),
        Method::Stochastic => Box::new(stochastic::StochasticFit::new(spec, rows, snapshot)?),
        Method::Alternating => Box::new(alternating::AlternatingFit::new(spec, rows, snapshot)?),
        Method::ClosedForm => {
            Box::new(closed_form::ClosedFormFit::new(spec, rows.bits(spec)?, snapshot)?)
        }
    })
}

/// The same fit without errors.
#[cfg(feature = "full")]
fn without_errors(spec: &FitSpec) -> FitSpec {
    FitSpec { errors: Default::default(), ..spec.clone() }
}

/// The parameters to start from.
///
/// # Errors
/// [`Error::InvalidSpec`] if they are to come from the means of data that are not bits;
/// [`Error::MissingCapability`] if the model cannot derive them.
fn starting_params(spec: &FitSpec, model: &dyn Model, rows: Rows<'_>) -> Result<Vec<f64>> {
    let Some(parametric) = model.as_parametric() else { return Ok(Vec::new()) };
    let (mut params, scale, on_biases) = match spec.init {
        InitSpec::Model {} => return Ok(parametric.params().to_vec()),
        InitSpec::Normal { scale } => (parametric.params().to_vec(), scale, true),
        InitSpec::DataMeans { scale } => {
            let Rows::Bits(data) = rows else {
                return Err(Error::spec(
                    "init.kind",
                    "is dataMeans, which tells how often bits are set; of a model on the reals \
                     start from the parameters given, by model or normal",
                ));
            };
            let hidden = vec![0.0; spec.num_hidden()];
            let odds = [log_odds(data), hidden].concat();
            let params = model.independent_params(&odds).ok_or_else(|| {
                Error::missing(model.kind(), "independent sites", "starting from the data's means")
            })?;
            (params, scale, false)
        }
    };
    let mut rng = stream(spec.seed.unwrap_or(0), Purpose::InitialParams, 0);
    for (index, param) in params.iter_mut().enumerate() {
        let noise = scale * normal(&mut rng);
        if on_biases || !parametric.is_bias(index) {
            *param += noise;
        }
    }
    Ok(params)
}

/// Log odds of each site being on, with half a row of each value added so that they are finite.
fn log_odds(data: &BitMatrix) -> Vec<f64> {
    let mut counts = vec![0.5; data.dim()];
    for row in data.as_batch().rows() {
        set_bits(row).for_each(|site| counts[site] += 1.0);
    }
    let total = data.num_rows() as f64 + 1.0;
    counts.iter().map(|count| ln(count / (total - count))).collect()
}

/// Sets the digest of a result with these parameters.
fn with_digest(mut result: FitResult, params: &[f64]) -> FitResult {
    // The bits of a NaN are not specified.
    let number = |value: f64| if value.is_nan() { vec![] } else { vec![value] };
    result.digest = Digest::new()
        .f64s("params", params)
        .f64s("objective", &number(result.objective))
        .f64s("gradNorm", &number(result.grad_norm))
        .u64("numIterations", result.num_iterations as u64)
        .u64("numEvaluations", result.num_evaluations as u64)
        .hex();
    result
}
