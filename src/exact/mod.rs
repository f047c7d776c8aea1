//! Exact quantities where they can be computed: log Z, and draws that do not depend on a Markov
//! chain. They are the reference for tests and demonstrations, and starting points of annealing.
//!
//! [`Method::of`] chooses the method. [`exact_draws`] has draws from binary models; draws from
//! models on ℝᴰ are part of [`crate::energy::Reference`].

pub mod frontier;
pub mod job;
mod method;
pub mod mpf_bound;
#[cfg_attr(not(feature = "full"), allow(dead_code))]
pub mod value_frontier;

pub use job::report::{ExactProgress, ExactResult, Reconstruction, TablePosterior};
pub use job::spec::ExactSpec;

pub use crate::energy::ExactDraws;
pub use crate::energy::enumeration::{
    Categorical, EnumeratedDraws, Exact, MAX_DIM, combine, distribution, enumerate, num_shards,
    part,
};
pub use frontier::{Frontier, FrontierDraws};
pub use method::Method;
pub use value_frontier::{ValueFrontier, ValueFrontierDraws};

use crate::FULL;
use crate::models::Model;
use crate::models::categorical_rbm::HiddenDraws;
use crate::models::rbm::SmallerSideDraws;
#[cfg(doc)]
use crate::models::site_values::ValueDraws;

/// Exact draws from a binary model, by the first of these that applies:
///
/// 1. [`EnumeratedDraws`], of up to [`MAX_DIM`] sites, [`ValueDraws`] of sites of several values, or
///    [`HiddenDraws`] of a machine with sites of several values;
/// 2. [`SmallerSideDraws`], of a restricted Boltzmann machine with a side of up
///    to [`SmallerSideDraws::MAX_UNITS`] units;
/// 3. [`FrontierDraws`], of an Ising model whose couplings are sparse, or [`ValueFrontierDraws`] of such a
///    Potts model.
///
/// None if none applies. The preparation takes up to a few seconds and cannot be interrupted; a
/// draw takes microseconds.
pub fn exact_draws(model: &dyn Model) -> Option<Box<dyn ExactDraws>> {
    if let Some(flips) = model.as_site_flips()
        && let Ok(draws) = EnumeratedDraws::new(flips)
    {
        return Some(Box::new(draws));
    }
    if !FULL {
        return None;
    }
    if let Some(values) = model.as_site_values() {
        if let Ok(draws) = values.draws() {
            return Some(Box::new(draws));
        }
        return Some(Box::new(ValueFrontierDraws::new(model.as_potts()?).ok()?));
    }
    if let Some(machine) = model.as_categorical_rbm() {
        return Some(Box::new(HiddenDraws::new(machine).ok()?));
    }
    if let Some(rbm) = model.as_rbm() {
        return Some(Box::new(SmallerSideDraws::new(rbm).ok()?));
    }
    Some(Box::new(FrontierDraws::new(model.as_ising()?).ok()?))
}
