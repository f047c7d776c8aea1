//! The jobs that store patterns in a network. There are three kinds, by how the
//! rule goes through the patterns: one after another ([`sequential`]), all at
//! each evaluation ([`full_batch`]), or by minibatches ([`minibatch`]).

mod check;
mod full_batch;
mod minibatch;
mod minibatch_worker;
mod outcome;
mod sequential;
mod setup;
mod training;

use super::spec::{FlowOptimizerSpec, MemorizeSpec, RuleSpec};
use super::{Coordinator, ShardWorker};
use crate::Result;
use crate::bits::BitMatrix;
use setup::Setup;

/// How a rule goes through the patterns.
enum Method {
    Sequential,
    FullBatch,
    Minibatch,
}

fn method(rule: &RuleSpec) -> Method {
    match rule {
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Lbfgs { .. } } => Method::FullBatch,
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Sgd { .. } } => Method::Minibatch,
        _ => Method::Sequential,
    }
}

/// What works shards of a resolved spec.
///
/// # Errors
/// Of the model's spec; [`crate::Error::InvalidSpec`] if model and patterns do
/// not match; [`crate::Error::TooLarge`].
pub fn create_worker(spec: &MemorizeSpec, patterns: &BitMatrix) -> Result<Box<dyn ShardWorker>> {
    let setup = Setup::new(spec, patterns)?;
    Ok(match method(&spec.rule) {
        Method::Sequential => Box::new(sequential::SequentialWorker::new(&setup)),
        Method::FullBatch => Box::new(full_batch::FullBatchWorker::new(&setup)?),
        Method::Minibatch => Box::new(minibatch::MinibatchWorker::new(&setup)?),
    })
}

/// A job from its beginning, or from a snapshot.
///
/// # Errors
/// Those of [`create_worker`]; [`crate::Error::BadCheckpoint`] if the snapshot is
/// none of this job's.
pub fn create_coordinator(
    spec: &MemorizeSpec,
    patterns: &BitMatrix,
    snapshot: Option<&[u8]>,
) -> Result<Box<dyn Coordinator>> {
    let setup = Setup::new(spec, patterns)?;
    Ok(match method(&spec.rule) {
        Method::Sequential => Box::new(sequential::SequentialLearning::new(setup, snapshot)?),
        Method::FullBatch => Box::new(full_batch::FullBatchLearning::new(setup, snapshot)?),
        Method::Minibatch => Box::new(minibatch::MinibatchLearning::new(setup, snapshot)?),
    })
}
