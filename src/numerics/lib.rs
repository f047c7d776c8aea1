//! Numerics of the crate `unnorm`, where its promise of equal bits is kept: elementary functions,
//! linear algebra, random streams, packed bits, digests; and its errors.

#![forbid(unsafe_code)]

pub mod arrays;
pub mod bits;
pub mod bytes;
pub mod checks;
pub mod digest;
pub mod error;
pub mod linalg;
pub mod math;
pub mod optimize;
pub mod rng;
pub mod sorting;
pub mod value;

pub use error::{Error, Result};

/// Whether this build has everything, or only the core (see the features in Cargo.toml). Specs are
/// refused for what the core lacks when they are read, and when verbs, models, objectives and paths
/// are chosen. Nothing else checks this, and the linker drops what can no longer be reached.
pub const FULL: bool = cfg!(feature = "full");

/// The error for what the core lacks.
pub fn not_in_core(field: &str) -> Error {
    Error::spec(field, "is not in the core; import createEngine from 'unnorm', not 'unnorm/core'")
}
