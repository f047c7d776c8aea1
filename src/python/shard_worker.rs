//! Works shards of a job in another process.

use crate::custom::{Custom, check, on_its_thread};
use crate::job::made;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{PoisonError, RwLock};
use unnorm::run;
use unnorm::verbs::create_worker;

/// A worker, and the broadcast that it was prepared with.
struct Prepared {
    worker: Box<dyn run::ShardWorker>,
    broadcast: Option<Vec<u8>>,
}

/// A worker for shards of a job. Several threads may call it at once.
#[pyclass(frozen)]
pub struct ShardWorker {
    prepared: RwLock<Prepared>,
    custom: Option<Custom>,
}

impl ShardWorker {
    fn work_all(&self, broadcast: &[u8], shards: &[(usize, Vec<u8>)]) -> Vec<Vec<u8>> {
        loop {
            let prepared = self.prepared.read().unwrap_or_else(PoisonError::into_inner);
            if prepared.broadcast.as_deref() == Some(broadcast) {
                let work =
                    |(shard, scattered): &(usize, Vec<u8>)| prepared.worker.work(*shard, scattered);
                return shards.iter().map(work).collect();
            }
            drop(prepared);
            let mut prepared = self.prepared.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been here first.
            if prepared.broadcast.as_deref() != Some(broadcast) {
                prepared.worker.prepare(broadcast);
                prepared.broadcast = Some(broadcast.to_vec());
            }
        }
    }
}

#[pymethods]
impl ShardWorker {
    /// A worker from a verb's spec, with its data, and with the seed of the job.
    #[new]
    fn new(py: Python<'_>, verb: &str, spec: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (worker, custom) = made(py, verb, spec, create_worker)?;
        Ok(Self { prepared: RwLock::new(Prepared { worker, broadcast: None }), custom })
    }

    /// The parts of some shards of the round that has this broadcast; each shard comes with what it
    /// needs alone.
    fn work<'py>(
        &self,
        py: Python<'py>,
        broadcast: &[u8],
        shards: Vec<(usize, Vec<u8>)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let custom = self.custom.as_ref();
        let parts = py.detach(|| on_its_thread(custom, || self.work_all(broadcast, &shards)));
        check(custom, py)?;
        Ok(parts.iter().map(|part| PyBytes::new(py, part)).collect())
    }
}
