//! The job that computes exact quantities of a model, by [`crate::exact::Method`], and, given data,
//! their likelihood.
//!
//! Its shards are, in order, those of the data's rows, if there are data; one for the bound of
//! [`crate::exact::mpf_bound`], if it is asked for; and those of the method. A round takes some
//! milliseconds per shard and has all shards, unless the method has more than 64.

#[cfg(feature = "full")]
mod observed;
pub mod report;
pub mod spec;
#[cfg(feature = "full")]
mod table;
mod worker;

pub use worker::ExactWorker;

use crate::Result;
use crate::bits::BitMatrix;
use crate::digest::Digest;
use crate::exact::job::report::{ExactProgress, ExactResult};
use crate::exact::mpf_bound::MpfBound;
#[cfg(feature = "full")]
use crate::run::observed::Observing;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use spec::ExactSpec;
use worker::ExactQuantities;

/// Collects the parts of all shards, and computes the quantities from them.
pub struct ExactCoordinator {
    worker: ExactWorker,
    /// Parts of all shards of earlier rounds, in order.
    parts: Vec<Vec<u8>>,
    quantities: Option<ExactQuantities>,
}

impl ExactCoordinator {
    /// The coordinator before its first round.
    pub fn new(worker: ExactWorker) -> Self {
        Self { worker, parts: Vec::new(), quantities: None }
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(mut worker: ExactWorker, snapshot: &[u8]) -> Result<Self> {
        let parts: Vec<Vec<u8>> = unpack(snapshot)?;
        if !worker.begins_round(parts.len())
            || !parts.iter().enumerate().all(|(shard, part)| worker.is_part(shard, part))
        {
            return Err(inconsistent());
        }
        let quantities = worker.quantities(&parts);
        if quantities.is_none() {
            worker.set_first(parts.len());
        }
        Ok(Self { worker, parts, quantities })
    }
}

impl Coordinator for ExactCoordinator {
    type Progress = ExactProgress;
    type Output = ExactResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    /// The index of the round's first shard, among all.
    fn broadcast(&self) -> Vec<u8> {
        pack(&(self.parts.len() as u64))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(self.quantities.is_none(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        self.parts.extend_from_slice(parts);
        self.quantities = self.worker.quantities(&self.parts);
        if self.quantities.is_none() {
            self.worker.set_first(self.parts.len());
        }
    }

    fn is_done(&self) -> bool {
        self.quantities.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.parts)
    }

    fn progress(&self) -> ExactProgress {
        let fraction = self.parts.len() as f64 / self.worker.num_all_shards() as f64;
        ExactProgress { verb: "exact", fraction, done: self.is_done() }
    }

    fn result(&self) -> Option<ExactResult> {
        let ExactQuantities { log_z, mean_energy, entropy, moments, log_likelihood, bound } =
            self.quantities.as_ref()?;
        let mut digest = Digest::new().f64s("logZ", &[*log_z]);
        for (label, number) in [("meanEnergy", mean_energy), ("entropy", entropy)] {
            if let Some(number) = number {
                digest = digest.f64s(label, &[*number]);
            }
        }
        if let Some(moments) = moments {
            digest = digest.f64s("moments", moments);
        }
        if let Some(log_likelihood) = log_likelihood {
            digest = digest.f64s("logLikelihood", &[*log_likelihood]);
        }
        if let Some(MpfBound { lambda2, log_likelihood, num_vacuous }) = bound {
            // The bits of a NaN are not specified.
            let lambda2 = if lambda2.is_nan() { vec![] } else { vec![*lambda2] };
            digest = digest.f64s("lambda2", &lambda2);
            digest = digest.f64s("bound", &[*log_likelihood, *num_vacuous]);
        }
        Some(ExactResult {
            method: self.worker.method_name(),
            log_z: *log_z,
            moments: moments.clone(),
            mean_energy: *mean_energy,
            entropy: *entropy,
            log_likelihood: *log_likelihood,
            mpf_bound: *bound,
            #[cfg(feature = "full")]
            table: None,
            digest: digest.hex(),
        })
    }
}

impl Verb for ExactSpec {
    const NAME: &'static str = "exact";
    const TAKES_TABLES: bool = true;
    type Progress = ExactProgress;
    type Output = ExactResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            data: Some(&mut self.data),
            ..SharedFields::default()
        }
    }

    #[cfg(feature = "full")]
    fn check(&self) -> Result<()> {
        self.model.as_table_model().map_or(Ok(()), |model| table::check(self, model))
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Optional)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        #[cfg(feature = "full")]
        if let Some(model) = self.model.as_table_model() {
            let worker = table::TableWorker::new(model)?;
            return Ok(Box::new(table::TableCoordinator::new(worker, snapshot)?));
        }
        #[cfg(feature = "full")]
        if let Some(of_free) = self.coordinator_on_free(data, snapshot)? {
            return Ok(of_free);
        }
        let worker = ExactWorker::new(self, data)?;
        Ok(Box::new(match snapshot {
            None => ExactCoordinator::new(worker),
            Some(snapshot) => ExactCoordinator::resume(worker, snapshot)?,
        }))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        #[cfg(feature = "full")]
        if let Some(model) = self.model.as_table_model() {
            return Ok(Box::new(table::TableWorker::new(model)?));
        }
        #[cfg(feature = "full")]
        if let Some(of_free) = self.worker_on_free(data)? {
            return Ok(of_free);
        }
        Ok(Box::new(ExactWorker::new(self, data)?))
    }
}
