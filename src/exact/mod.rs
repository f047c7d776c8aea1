//! Exact answers, wherever they can be had: log Z, and draws that owe nothing
//! to a Markov chain. They are the oracle of tests and demonstrations, and
//! where annealing may start.
//!
//! [`Method::of`] chooses, and says in which order. [`exact_draws`] has draws of
//! binary models; those of models on ℝᴰ are [`crate::energy::Reference`]'s.

pub mod frontier;
pub mod job;
mod method;
pub mod mpf_bound;

pub use job::report::{ExactProgress, ExactResult};
pub use job::spec::ExactSpec;

pub use crate::energy::ExactDraws;
pub use crate::energy::enumeration::{
    Categorical, EnumeratedDraws, Exact, MAX_DIM, combine, distribution, enumerate, num_shards,
    part,
};
pub use frontier::{Frontier, FrontierDraws};
pub use method::Method;

use crate::FULL;
use crate::models::Model;
use crate::models::rbm::SmallerSideDraws;

/// Exact draws from a binary model, prepared by the first of these that serves:
///
/// 1. [`EnumeratedDraws`], of up to [`MAX_DIM`] sites;
/// 2. [`SmallerSideDraws`], of a restricted Boltzmann machine with a side of up
///    to [`SmallerSideDraws::MAX_UNITS`] units;
/// 3. [`FrontierDraws`], of an Ising model whose couplings are sparse.
///
/// None if none does. The preparation takes up to a few seconds and cannot be
/// interrupted; a draw takes microseconds.
pub fn exact_draws(model: &dyn Model) -> Option<Box<dyn ExactDraws>> {
    if let Some(flips) = model.as_site_flips()
        && let Ok(draws) = EnumeratedDraws::new(flips)
    {
        return Some(Box::new(draws));
    }
    if !FULL {
        return None;
    }
    if let Some(rbm) = model.as_rbm() {
        return Some(Box::new(SmallerSideDraws::new(rbm).ok()?));
    }
    Some(Box::new(FrontierDraws::new(model.as_ising()?).ok()?))
}
