//! Sites of several values: what an algorithm may ask of a model whose sites take one of a few values
//! each, and what it can do by that alone.
//!
//! A state is a row of bits ([`Sites`]). Flips of single bits leave the states; what moves instead are the
//! values of sites, by their conditional distributions `p(x_i = a | x_∖i) ∝ exp(−E(x with x_i = a))`.

mod by_definition;
mod num_values;
mod scan;
mod sites;
mod states;
#[cfg(all(test, feature = "full"))]
mod tests;

pub use by_definition::SingleSites;
pub(crate) use by_definition::{flow, surprise};
pub use num_values::{MAX_BITS, NumValues, sites_of};
pub use scan::{Scan, sweep};
pub use sites::{NoState, Sites, Value, draw_value};
pub use states::{StateEnumeration, States, ValueDraws};

use crate::bits::WeightedRows;
use crate::energy::{Energy, FlipLoss, LogWeights, Objective};
use crate::linalg::Batch;
use crate::rng::ChainRng;
use crate::softmax_units::softmax;
use crate::{Model, Result};

/// A model whose sites have several values, which move one at a time.
pub trait SiteValues: Energy {
    /// The sites.
    fn sites(&self) -> &Sites;

    /// The conditional distributions of the sites at the model's present parameters.
    fn value_conditionals(&self) -> Box<dyn ValueConditionals>;

    /// Estimated cost of Gibbs sampling once over all sites, in nanoseconds.
    fn sweep_cost(&self) -> usize;

    /// A fast form of [`SingleSites`], if the model has one.
    ///
    /// # Panics
    /// If a row stands for no state of the model.
    fn single_sites(&self, _data: &WeightedRows, _loss: FlipLoss) -> Option<Box<dyn Objective>> {
        None
    }

    /// Exact draws from a table of all states.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if there are over [`ValueDraws::MAX_STATES`].
    fn draws(&self) -> Result<ValueDraws> {
        let states = States::new(self.sites(), ValueDraws::MAX_STATES)?;
        let shards = 0..states.num_shards();
        let energies: Vec<f64> = shards.flat_map(|shard| states.energies(self, shard).1).collect();
        Ok(ValueDraws::from_energies(states, energies.into_iter()))
    }
}

/// The conditional distributions of a model's sites.
pub trait ValueConditionals: Send + Sync {
    /// The sites.
    fn sites(&self) -> &Sites;

    /// Called with a site, the values of all sites and memory, it writes there the logarithms of the
    /// probabilities of the site's values, up to a constant.
    fn log_weights(&self) -> LogWeights<'_>;

    /// Gibbs sampling once over all sites; returns how many have changed.
    ///
    /// # Panics
    /// If the row stands for no state.
    fn sweep(&self, scan: Scan, row: &mut [u64], rng: &mut ChainRng) -> usize {
        let (mut log_weights, mut weights) = (self.log_weights(), Vec::new());
        sweep(self.sites(), scan, row, rng, |site, values, rng| {
            log_weights(site, values, &mut weights);
            draw_value(&mut weights, rng)
        })
    }
}

/// The probabilities of each site's values given the other sites, bit by bit, `[states, dim]`; NaN in rows that
/// stand for no state.
///
/// # Panics
/// If the shapes do not match.
pub fn probabilities(conditionals: &dyn ValueConditionals, x: Batch<'_>, out: &mut [f64]) {
    assert_eq!(out.len(), x.data().len());
    let sites = conditionals.sites();
    let (mut log_weights, mut weights) = (conditionals.log_weights(), Vec::new());
    sites.for_each_state(x, |index, values| {
        let out = &mut out[index * sites.dim()..(index + 1) * sites.dim()];
        let Some(values) = values else { return out.fill(f64::NAN) };
        for site in 0..sites.count() {
            log_weights(site, values, &mut weights);
            softmax(&mut weights);
            out[sites.first(site)..sites.first(site + 1)].copy_from_slice(&weights);
        }
    });
}

/// The objective that compares the value of each site with its others: flow, or pseudolikelihood. The
/// rows of the data have been checked; none if the sites of the model do not move one at a time, or it has
/// no parameters.
pub fn single_sites(
    model: &dyn Model,
    data: &WeightedRows,
    loss: FlipLoss,
) -> Option<Box<dyn Objective>> {
    let values = model.as_site_values()?;
    let by_definition = || Some(Box::new(SingleSites::new(model, data, loss)?) as Box<_>);
    values.single_sites(data, loss).or_else(by_definition)
}
