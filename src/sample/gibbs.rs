//! Gibbs sampling of binary models, by systematic scan.
//!
//! A step is one sweep: sites 0 to D − 1 in order, each flipped with its
//! conditional probability given all others,
//! `p(flip n) = 1 / (1 + exp(ΔE_n))` (Geman & Geman 1984), which takes one
//! uniform number a site. Each site's move leaves p(x) unchanged, hence so does
//! the sweep; it is not reversible, as the order of sites is fixed.

use super::Transition;
use crate::bits::words_per_row;
use crate::energy::SiteFlips;
use crate::math::sigmoid;
use crate::rng::{ChainRng, uniform};

/// Gibbs sampling of a model.
#[derive(Clone, Copy)]
pub struct Gibbs<'a> {
    model: &'a dyn SiteFlips,
}

impl<'a> Gibbs<'a> {
    /// Samples this model.
    pub fn new(model: &'a dyn SiteFlips) -> Self {
        Self { model }
    }
}

/// The chance to flip a site of cost `delta`.
pub fn flip_probability(delta: f64) -> f64 {
    sigmoid(-delta)
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GibbsInfo {
    /// Sites that changed.
    pub num_flips: usize,
}

impl Transition for Gibbs<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let dim = self.model.dim();
        assert_eq!(row.len(), words_per_row(dim));
        // A new walk each sweep: what a chain does next depends on its row and
        // generator alone, so a resumed chain takes the same steps.
        let mut walk = self.model.walk(row);
        let mut num_flips = 0;
        for site in 0..dim {
            if uniform(rng) < flip_probability(walk.delta(site)) {
                walk.flip(site);
                num_flips += 1;
            }
        }
        GibbsInfo { num_flips }
    }
}
