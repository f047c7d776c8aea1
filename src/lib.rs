//! # unnorm: unnormalized probabilistic models
//!
//! A model is an energy, `p(x) = exp(−E(x)) / Z`; everything else is something
//! done to an energy: [`fit`] it to data, [`sample`] from it, or normalize it
//! ([`exact`] where that is possible).
//!
//! [`jobs::run`] does any of these from a spec, with an example of each verb; in pieces, with
//! progress and checkpoints, a [`jobs::Job`] does.
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

pub mod bits;
pub mod data;
pub mod diagnostics;
pub mod digest;
pub mod energy;
pub mod error;
pub mod exact;
pub mod fit;
pub mod jobs;
pub mod linalg;
pub mod math;
pub mod memory;
pub mod models;
pub mod normalize;
pub mod rng;
pub mod sample;
pub mod value;

#[cfg(target_arch = "wasm32")]
mod wasm;

pub use error::{Error, Result};
