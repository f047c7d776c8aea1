//! The jobs that fit a model to data. There are three kinds, by how the
//! parameters are found: over all data at each evaluation ([`full_batch`]), by
//! minibatches and chains ([`stochastic`]), or at once ([`closed_form`]).

mod closed_form;
mod full_batch;
mod stochastic;
mod stochastic_worker;

use super::report::FitResult;
use super::spec::{FitSpec, InitSpec, ObjectiveSpec, OptimizerSpec};
use super::{Coordinator, ShardWorker};
use crate::Result;
use crate::bits::BitMatrix;
use crate::digest::Digest;
use crate::models::Model;
use crate::rng::{Purpose, normal, stream};

/// How a resolved spec is worked.
enum Method {
    FullBatch,
    Stochastic,
    ClosedForm,
}

fn method(spec: &FitSpec) -> Method {
    match (&spec.objective, &spec.optimizer) {
        (ObjectiveSpec::MeanField { .. }, _) => Method::ClosedForm,
        (_, Some(OptimizerSpec::Sgd(_) | OptimizerSpec::Adam(_))) => Method::Stochastic,
        (_, Some(OptimizerSpec::Lbfgs(_)) | None) => Method::FullBatch,
    }
}

/// What works shards of a resolved spec.
///
/// # Errors
/// Of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model and data differ in dimension.
pub fn create_worker(spec: &FitSpec, data: &BitMatrix) -> Result<Box<dyn ShardWorker>> {
    Ok(match method(spec) {
        Method::FullBatch => Box::new(full_batch::FullBatchWorker::new(spec, data)?),
        Method::Stochastic => Box::new(stochastic::StochasticWorker::new(spec, data)?),
        Method::ClosedForm => Box::new(closed_form::ClosedFormWorker::new(spec, data)?),
    })
}

/// A fit from its beginning, or from a snapshot.
///
/// # Errors
/// Those of [`create_worker`]; [`crate::Error::TooLarge`] if the optimizer
/// would take too much memory; [`crate::Error::BadCheckpoint`] if the snapshot
/// is none of this job's.
pub fn create_coordinator(
    spec: &FitSpec,
    data: &BitMatrix,
    snapshot: Option<&[u8]>,
) -> Result<Box<dyn Coordinator>> {
    Ok(match method(spec) {
        Method::FullBatch => Box::new(full_batch::FullBatchFit::new(spec, data, snapshot)?),
        Method::Stochastic => Box::new(stochastic::StochasticFit::new(spec, data, snapshot)?),
        Method::ClosedForm => Box::new(closed_form::ClosedFormFit::new(spec, data, snapshot)?),
    })
}

/// The parameters to start from.
fn starting_params(spec: &FitSpec, model: &dyn Model) -> Vec<f64> {
    let mut params = model.as_parametric().map_or(Vec::new(), |model| model.params().to_vec());
    if let InitSpec::Normal { scale } = spec.init {
        let mut rng = stream(spec.seed.unwrap_or(0), Purpose::InitialParams, 0);
        for param in &mut params {
            *param += scale * normal(&mut rng);
        }
    }
    params
}

/// Fills in the digest of a result whose parameters are these.
fn with_digest(mut result: FitResult, params: &[f64]) -> FitResult {
    // A NaN's bits are nobody's promise.
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
