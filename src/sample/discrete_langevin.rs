//! Langevin dynamics of bits (Zhang, Liu and Liu 2022): all sites are proposed to flip at once, each
//! independently with probability
//!
//! `q_n(x) = σ(−ΔE_n(x)/2 − 1/(2α))`,
//!
//! and the proposal x′ is accepted with probability `min(1, p(x′) q(x | x′) / p(x) q(x′ | x))`. The step
//! size α says how many sites are tried: as α goes to 0 none flip, and as it grows a flip that costs nothing
//! is made half of the time. There ΔE is estimated by a gradient; here it is exact.
//!
//! A step is one proposal, of D uniform numbers for the flips and one for the acceptance. It takes what all
//! D flips cost in two states, and is reversible.

use super::Transition;
use super::gibbs::GibbsInfo;
use super::locally_informed::difference_cost;
use crate::bits::words_per_row;
use crate::energy::{FlipWalk, SiteFlips};
use crate::math::{exp, sigmoid, softplus};
use crate::models::Model;
use crate::rng::{ChainRng, uniform};

/// Estimated cost of a step, in nanoseconds: two differences of energies for each site, with the
/// proposal's logarithms.
pub(crate) fn step_cost(model: &dyn Model) -> usize {
    model.dim().saturating_mul(2 * difference_cost(model) + 50)
}

/// Sampling of a model by Langevin dynamics of bits.
#[derive(Clone, Copy)]
pub struct DiscreteLangevin<'a> {
    model: &'a dyn SiteFlips,
    step_size: f64,
}

impl<'a> DiscreteLangevin<'a> {
    /// A transition that samples this model with this step size α.
    ///
    /// # Panics
    /// If α is not greater than 0.
    pub fn new(model: &'a dyn SiteFlips, step_size: f64) -> Self {
        assert!(step_size > 0.0, "the step size is {step_size}");
        Self { model, step_size }
    }

    /// ln(q_n/(1 − q_n)) of all sites.
    fn log_odds(self, walk: &dyn FlipWalk) -> Vec<f64> {
        let least = 0.5 / self.step_size;
        (0..self.model.dim()).map(|site| -0.5 * walk.delta(site) - least).collect()
    }
}

/// `ln q(x′ | x)`, from the log odds at x and which sites are flipped.
fn log_proposal(log_odds: &[f64], is_flipped: &[bool]) -> f64 {
    let sites = log_odds.iter().zip(is_flipped);
    sites.map(|(odds, is_flipped)| -softplus(if *is_flipped { -odds } else { *odds })).sum()
}

/// Flips these sites, one after another, and returns what that cost.
fn flip_all(walk: &mut dyn FlipWalk, is_flipped: &[bool]) -> f64 {
    let mut cost = 0.0;
    for (site, _) in is_flipped.iter().enumerate().filter(|(_, is_flipped)| **is_flipped) {
        cost += walk.delta(site);
        walk.flip(site);
    }
    cost
}

impl Transition for DiscreteLangevin<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.model.dim()));
        let mut walk = self.model.walk(row);
        let here = self.log_odds(&*walk);
        let is_flipped: Vec<bool> = here.iter().map(|odds| uniform(rng) < sigmoid(*odds)).collect();
        let cost = flip_all(&mut *walk, &is_flipped);
        let there = self.log_odds(&*walk);
        let log_ratio = log_proposal(&there, &is_flipped) - log_proposal(&here, &is_flipped) - cost;
        if uniform(rng) < exp(log_ratio) {
            let num_flips = is_flipped.iter().filter(|is_flipped| **is_flipped).count();
            return GibbsInfo { num_flips };
        }
        flip_all(&mut *walk, &is_flipped);
        GibbsInfo { num_flips: 0 }
    }
}
