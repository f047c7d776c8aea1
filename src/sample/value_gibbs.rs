//! Gibbs sampling of sites of several values, by systematic or by random scan.
//!
//! A site's value is drawn from its conditional distribution given all others,
//! `p(x_i = a | x_∖i) ∝ exp(−E(x with x_i = a))` (Geman & Geman 1984), using one uniform number. A step is one sweep of as many such draws as there are sites, in the orders of
//! [`super::gibbs::Scan`].

use super::Transition;
use super::gibbs::{GibbsInfo, Scan};
use crate::models::site_values::{SiteValues, Sites, Value, ValueConditionals, draw_value};
use crate::rng::ChainRng;

/// Gibbs sampling of a model whose sites have several values.
pub struct ValueGibbs {
    conditionals: Box<dyn ValueConditionals>,
    scan: Scan,
}

impl ValueGibbs {
    /// A transition that samples this model in this order.
    pub fn by(model: &dyn SiteValues, scan: Scan) -> Self {
        Self { conditionals: model.value_conditionals(), scan }
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        self.conditionals.sites()
    }
}

impl Transition for ValueGibbs {
    type Info = GibbsInfo;

    /// # Panics
    /// If the row stands for no state.
    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let mut log_weights = self.conditionals.log_weights();
        let mut weights = Vec::new();
        let draw = |site: usize, values: &[Value], rng: &mut ChainRng| {
            log_weights(site, values, &mut weights);
            draw_value(&mut weights, rng)
        };
        sweep(self.sites(), self.scan, row, rng, draw)
    }
}

/// A sweep over the sites of a state, each with a value drawn given the others.
///
/// # Panics
/// If the row stands for no state.
pub(super) fn sweep(
    sites: &Sites,
    scan: Scan,
    row: &mut [u64],
    rng: &mut ChainRng,
    mut draw: impl FnMut(usize, &[Value], &mut ChainRng) -> Value,
) -> GibbsInfo {
    let mut values = sites.values(row);
    let mut num_flips = 0;
    for index in 0..sites.count() {
        let site = scan.site(index, sites.count(), rng);
        let value = draw(site, &values, rng);
        num_flips += usize::from(value != values[site]);
        values[site] = value;
    }
    sites.write(&values, row);
    GibbsInfo { num_flips }
}
