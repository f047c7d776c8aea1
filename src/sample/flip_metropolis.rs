//! Metropolis sampling of binary models by flips of single sites (Metropolis, Rosenbluth, Rosenbluth,
//! Teller and Teller 1953).
//!
//! A site is flipped with probability `min(1, exp(−ΔE))`, using one uniform number. It moves more often
//! than Gibbs sampling, which flips with probability `1 / (1 + exp(ΔE))`; in random order that makes
//! means over a chain more precise (Peskun 1973). A step is one sweep of D such moves, in the orders of
//! [`Scan`]. A flip that costs nothing is always made, so that a systematic scan of a model without
//! energy differences goes back and forth between two states.

use super::Transition;
use super::gibbs::{GibbsInfo, Scan, sweep};
use crate::energy::SiteFlips;
use crate::math::exp;
use crate::rng::ChainRng;

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
        sweep(self.model, self.scan, row, rng, |delta| exp(-delta))
    }
}
