//! The jobs that store patterns in a network. There are three methods, by how the rule visits the
//! patterns: one after another ([`sequential`]), all at each evaluation ([`full_batch`]), or by
//! minibatches ([`minibatch`]).

mod check;
mod full_batch;
mod minibatch;
mod minibatch_worker;
mod outcome;
mod sequential;
mod setup;
mod training;

use super::spec::{FlowOptimizerSpec, MemorizeSpec, RuleSpec};
use crate::Result;
use crate::bits::BitMatrix;
use crate::memory::report::{MemorizeProgress, MemorizeResult};
use crate::run::{Bits, BoxedCoordinator, ShardWorker, SharedFields, Verb, needed};
use setup::Setup;

/// How a rule visits the patterns.
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

/// The worker of a resolved spec.
///
/// # Errors
/// Any error of the model's spec; [`crate::Error::InvalidSpec`] if model and patterns do not match;
/// [`crate::Error::TooLarge`].
pub fn create_worker(spec: &MemorizeSpec, patterns: &BitMatrix) -> Result<Box<dyn ShardWorker>> {
    let setup = Setup::new(spec, patterns)?;
    Ok(match method(&spec.rule) {
        Method::Sequential => Box::new(sequential::SequentialWorker::new(&setup)),
        Method::FullBatch => Box::new(full_batch::FullBatchWorker::new(&setup)?),
        Method::Minibatch => Box::new(minibatch::MinibatchWorker::new(&setup)?),
    })
}

/// The coordinator of a job at its beginning, or from a snapshot.
///
/// # Errors
/// The errors of [`create_worker`]; [`crate::Error::BadCheckpoint`] if the snapshot is not one of
/// this job.
pub fn create_coordinator(
    spec: &MemorizeSpec,
    patterns: &BitMatrix,
    snapshot: Option<&[u8]>,
) -> Result<BoxedCoordinator<MemorizeSpec>> {
    let setup = Setup::new(spec, patterns)?;
    Ok(match method(&spec.rule) {
        Method::Sequential => Box::new(sequential::SequentialLearning::new(setup, snapshot)?),
        Method::FullBatch => Box::new(full_batch::FullBatchLearning::new(setup, snapshot)?),
        Method::Minibatch => Box::new(minibatch::MinibatchLearning::new(setup, snapshot)?),
    })
}

impl Verb for MemorizeSpec {
    const NAME: &'static str = "memorize";
    const KEEPS_MODEL: bool = true;
    type Progress = MemorizeProgress;
    type Output = MemorizeResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            data: Some(&mut self.patterns),
            seed: Some(&mut self.seed),
        }
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn fill_defaults(&mut self) {
        self.fill_margin();
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Required)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        create_coordinator(self, needed(data)?, snapshot)
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        create_worker(self, needed(data)?)
    }
}
