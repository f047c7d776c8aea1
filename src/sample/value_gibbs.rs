//! Gibbs sampling of Potts models, by systematic or by random scan.
//!
//! A site's value is drawn from its conditional distribution given all others,
//! `p(x_i = a | x_∖i) ∝ exp(h_i(a) + Σ_j J_ij(a, x_j))` (Geman & Geman 1984), using one uniform
//! number. A step is one sweep of as many such draws as there are sites, in the orders of
//! [`super::gibbs::Scan`].

use super::Transition;
use super::gibbs::{GibbsInfo, Scan};
use crate::models::potts::{Conditionals, Potts, Scratch, Sites};
use crate::rng::ChainRng;

/// Gibbs sampling of a Potts model.
#[derive(Debug, Clone)]
pub struct ValueGibbs {
    conditionals: Conditionals,
    scan: Scan,
}

impl ValueGibbs {
    /// A transition that samples this model in this order.
    pub fn by(model: &Potts, scan: Scan) -> Self {
        Self { conditionals: Conditionals::new(model), scan }
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        self.conditionals.sites()
    }

    /// Estimated cost of a sweep, in nanoseconds: measured, a random number, the exponentials of a
    /// site's values, and an addition per coupling that is read.
    pub fn sweep_cost(&self) -> usize {
        let sites = self.sites();
        30 * sites.count() + 8 * sites.dim() + self.conditionals.sweep_cost() / 2
    }
}

impl Transition for ValueGibbs {
    type Info = GibbsInfo;

    /// # Panics
    /// If the row stands for no state.
    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let sites = self.sites();
        let mut values = sites.values(row);
        let mut scratch = Scratch::default();
        let mut num_flips = 0;
        for index in 0..sites.count() {
            let site = self.scan.site(index, sites.count(), rng);
            let value = self.conditionals.draw(site, &values, rng, &mut scratch);
            num_flips += usize::from(value != values[site]);
            values[site] = value;
        }
        sites.write(&values, row);
        GibbsInfo { num_flips }
    }
}
