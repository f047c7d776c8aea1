//! Gibbs sampling of sites of several values, by systematic or by random scan.
//!
//! A site's value is drawn from its conditional distribution given all others,
//! `p(x_i = a | x_∖i) ∝ exp(−E(x with x_i = a))` (Geman & Geman 1984), using one uniform number. A step is one sweep of as many such draws as there are sites, in the orders of
//! [`super::gibbs::Scan`].

use super::Transition;
use super::gibbs::{GibbsInfo, Scan};
use crate::models::site_values::{SiteValues, Sites, ValueConditionals};
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
        GibbsInfo { num_flips: self.conditionals.sweep(self.scan, row, rng) }
    }
}
