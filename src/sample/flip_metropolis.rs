//! Metropolis sampling of binary models by flips of single sites (Metropolis, Rosenbluth, Rosenbluth,
//! Teller and Teller 1953).
//!
//! A site is flipped with probability `min(1, exp(−ΔE))`, using one uniform number. It moves more often
//! than Gibbs sampling, which flips with probability `1 / (1 + exp(ΔE))`; in random order that makes
//! means over a chain more precise (Peskun 1973). A step is one sweep of D such moves, in the orders of
//! [`Scan`]. A flip that costs nothing is always made, so that a systematic scan of a model without
//! energy differences goes back and forth between two states.

use super::Transition;
use super::gibbs::{GibbsInfo, Scan};
use crate::bits::words_per_row;
use crate::energy::SiteFlips;
use crate::math::exp;
use crate::rng::{ChainRng, uniform};

/// Metropolis sampling of a model by single flips.
#[derive(Clone, Copy)]
pub struct FlipMetropolis<'a> {
    model: &'a dyn SiteFlips,
    scan: Scan,
}

impl<'a> FlipMetropolis<'a> {
    /// A transition that samples this model in this order.
    pub fn by(model: &'a dyn SiteFlips, scan: Scan) -> Self {
        Self { model, scan }
    }
}

impl Transition for FlipMetropolis<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let dim = self.model.dim();
        assert_eq!(row.len(), words_per_row(dim));
        let mut walk = self.model.walk(row);
        let mut num_flips = 0;
        for index in 0..dim {
            let site = self.scan.site(index, dim, rng);
            if uniform(rng) < exp(-walk.delta(site)) {
                walk.flip(site);
                num_flips += 1;
            }
        }
        GibbsInfo { num_flips }
    }
}
