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

pub mod data;
pub mod energies;
pub mod evidence;
pub mod exact;
pub mod fit;
pub mod kernels;
pub mod markov;
pub mod memory;
pub mod mode;
pub mod network;
pub mod normalize;
pub mod patches;
pub mod run;
pub mod sample;
pub mod structure;
pub mod verbs;

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
mod wasm;

pub use unnorm_energy as energy;
pub use unnorm_gaussian_process as gaussian_process;
pub use unnorm_matrix_decomposition as matrix_decomposition;
pub use unnorm_models as models;
pub use unnorm_numerics::{
    Error, Result, arrays, bits, digest, error, linalg, math, optimize, rng, sorting, value,
};
pub use unnorm_statistics::{diagnostics, weights};
pub use verbs::{Job, JobResult, JobSpec, Progress, create_worker, run};

use unnorm_numerics::{FULL, bytes, checks, not_in_core};
