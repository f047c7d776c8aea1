//! # unnorm: unnormalized probabilistic models
//!
//! A model is an energy, `p(x) = exp(−E(x)) / Z`. The library can [`fit`] it to data, [`sample`]
//! from it, and normalize it ([`exact`] where possible).
//!
//! [`verbs::run`] does any of these from a spec, with an example of each verb. A [`verbs::Job`]
//! does it in rounds, with progress and checkpoints.
//!
//! Conventions, the same everywhere:
//! - **sign**: `E` is an energy, never a log probability; low energy is likely.
//! - **shapes**: continuous states are `D × B` column-major, one state a column
//!   ([`linalg::Batch`]); binary states are bit-packed rows ([`bits::BitBatch`]).
//!   Matrices that leave the library are row-major.
//! - **units**: energies, log Z and log likelihoods are in nats.
//! - **seeds**: one `u64` seed a job; every random stream is derived from
//!   (seed, purpose, global index), so results do not depend on who computed
//!   what ([`rng`]).
//! - **bits**: the same spec and seed give the same bytes natively and in
//!   WebAssembly, for any number of threads or workers. Transcendental
//!   functions come from [`math`] alone and sums run in a fixed order.

// Nothing here is unsafe; the code that wasm-bindgen generates for the boundary is, and only there
// unsafe code is allowed.
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
#![cfg_attr(target_arch = "wasm32", deny(unsafe_code))]
// Some helpers of specs are unused in the core.
#![cfg_attr(not(feature = "full"), allow(dead_code))]

pub mod bits;
mod bytes;
mod checks;
pub mod data;
pub mod diagnostics;
pub mod digest;
pub mod energies;
pub mod energy;
pub mod error;
pub mod exact;
pub mod fit;
pub mod linalg;
pub mod math;
pub mod memory;
pub mod models;
pub mod normalize;
pub mod optimize;
pub mod patches;
pub mod rng;
pub mod run;
pub mod sample;
pub mod value;
pub mod verbs;
pub mod weights;

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
mod wasm;

/// Whether this build has everything, or only the core (see the features in Cargo.toml). Specs are
/// refused for what the core lacks when they are read, and when verbs, models, objectives and paths
/// are chosen. Nothing else checks this, and the linker drops what can no longer be reached.
pub(crate) const FULL: bool = cfg!(feature = "full");

/// The error for what the core lacks.
pub(crate) fn not_in_core(field: &str) -> Error {
    Error::spec(field, "is not in the core; import createEngine from 'unnorm', not 'unnorm/core'")
}

pub use error::{Error, Result};
pub use verbs::{Job, JobResult, JobSpec, Progress, create_worker, run};
