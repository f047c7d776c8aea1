//! What draws and weights are worth, for the crate `unnorm`: diagnostics of chains, estimates from
//! the weights of annealing.

#![forbid(unsafe_code)]

pub mod diagnostics;
pub mod weights;

use unnorm_numerics::{Error, Result, math, rng, sorting};
