//! The job that enumerates a model's states. It takes one round: a shard of
//! [`crate::exact`] takes about a millisecond.

use super::bytes::{from_f64s, to_f64s};
use super::report::{ExactProgress, ExactResult, JobResult, Progress};
use super::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::digest::Digest;
use crate::exact::{Exact, combine, num_shards, part};
use crate::models::{Model, ModelSpec};
use crate::{Error, Result};

/// Works shards of the enumeration.
pub struct ExactWorker {
    model: Box<dyn Model>,
    num_shards: usize,
}

impl ExactWorker {
    /// Checks that the model can be enumerated.
    ///
    /// # Errors
    /// Of the model's spec; [`Error::TooLarge`] if it has too many sites;
    /// [`Error::MissingCapability`] if its states are not binary.
    pub fn new(model: &ModelSpec) -> Result<Self> {
        let model = model.build()?;
        if model.as_site_flips().is_none() {
            return Err(Error::MissingCapability {
                model: model.kind().into(),
                capability: "SiteFlips",
                needed_by: "enumeration",
            });
        }
        let num_shards = num_shards(model.dim())?;
        Ok(Self { model, num_shards })
    }
}

impl ShardWorker for ExactWorker {
    fn num_shards(&self) -> usize {
        self.num_shards
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        let model = self.model.as_site_flips().expect("checked when the worker was made");
        from_f64s(&part(model, shard))
    }
}

/// The answers, once they are there.
pub struct ExactCoordinator {
    worker: ExactWorker,
    exact: Option<Exact>,
}

impl ExactCoordinator {
    /// Nothing yet.
    pub fn new(worker: ExactWorker) -> Self {
        Self { worker, exact: None }
    }

    /// From a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if it is none of this job's.
    pub fn resume(worker: ExactWorker, snapshot: &[u8]) -> Result<Self> {
        let dim = worker.model.dim();
        let exact = match unpack::<Option<Vec<f64>>>(snapshot)? {
            None => None,
            Some(numbers) => match numbers.split_at_checked(3) {
                Some((&[log_z, mean_energy, entropy], moments)) if moments.len() == dim * dim => {
                    Some(Exact { log_z, mean_energy, entropy, moments: moments.to_vec() })
                }
                _ => return Err(inconsistent()),
            },
        };
        Ok(Self { worker, exact })
    }
}

impl Coordinator for ExactCoordinator {
    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        Vec::new()
    }

    fn scatter(&self, _shard: usize) -> Vec<u8> {
        Vec::new()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(self.exact.is_none(), "the job is done");
        let parts: Vec<_> =
            parts.iter().map(|part| to_f64s(part).expect("a part is numbers")).collect();
        self.exact = Some(combine(self.worker.model.dim(), &parts));
    }

    fn is_done(&self) -> bool {
        self.exact.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.exact.as_ref().map(|exact| {
            let mut numbers = vec![exact.log_z, exact.mean_energy, exact.entropy];
            numbers.extend_from_slice(&exact.moments);
            numbers
        }))
    }

    fn progress(&self) -> Progress {
        let done = self.is_done();
        Progress::Exact(ExactProgress { verb: "exact", fraction: f64::from(u8::from(done)), done })
    }

    fn result(&self) -> Option<JobResult> {
        let exact = self.exact.as_ref()?;
        let digest = Digest::new()
            .f64s("logZ", &[exact.log_z])
            .f64s("meanEnergy", &[exact.mean_energy])
            .f64s("entropy", &[exact.entropy])
            .f64s("moments", &exact.moments)
            .hex();
        Some(JobResult::Exact(ExactResult {
            log_z: exact.log_z,
            moments: exact.moments.clone(),
            mean_energy: exact.mean_energy,
            entropy: exact.entropy,
            digest,
        }))
    }
}
