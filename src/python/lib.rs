//! The boundary to Python, the counterpart of `src/wasm.rs`: specs from dicts, jobs, and results as
//! dicts with NumPy arrays. The package `unnorm`, in Python, is built on it.

#![deny(unsafe_code)]

mod custom;
mod error;
mod job;
mod output;
mod pool;
mod rows;
mod shard_worker;
mod spec;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::job::Job;
    #[pymodule_export]
    use super::shard_worker::ShardWorker;
    #[pymodule_export]
    use super::{verbs, version};
}

/// The version of the library.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The names of all verbs, as in specs.
#[pyfunction]
fn verbs() -> Vec<&'static str> {
    unnorm::verbs::VERBS.to_vec()
}
