//! The threads that work the shards of rounds.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The pool of the process of this number.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of this process: as many threads as processors, or as RAYON_NUM_THREADS says. A process
/// made by `fork` has none of its parent's threads, so it gets a pool of its own.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = &*kept
        && *owner == process
    {
        return Ok(pool.clone());
    }
    let pool = started(0)?;
    // Dropping the parent's pool would wait for threads that are not here.
    std::mem::forget(kept.replace((process, pool.clone())));
    Ok(pool)
}

/// A new pool of some threads; of as many as processors, or as RAYON_NUM_THREADS says, for 0.
pub fn started(num_threads: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new().num_threads(num_threads).build();
    pool.map(Arc::new).map_err(|error| {
        PyRuntimeError::new_err(format!("the threads of unnorm could not be started: {error}"))
    })
}
