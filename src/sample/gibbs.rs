//! Gibbs sampling of binary models, by systematic or by random scan.
//!
//! A site is flipped with its conditional probability given all others,
//! `p(flip n) = 1 / (1 + exp(ΔE_n))` (Geman & Geman 1984), by one uniform
//! number. A step is one sweep, D such moves: of sites 0 to D − 1 in order, or
//! of sites drawn uniformly, with replacement. Each move leaves p(x) unchanged,
//! hence so does the sweep; the random scan is reversible, the systematic one,
//! its order being fixed, is not: its reversal visits the sites from the last to
//! the first.

use super::Transition;
use crate::bits::words_per_row;
use crate::energy::SiteFlips;
use crate::math::sigmoid;
use crate::rng::{ChainRng, below, uniform};

/// Gibbs sampling of a model.
#[derive(Clone, Copy)]
pub struct Gibbs<'a> {
    model: &'a dyn SiteFlips,
    scan: Scan,
}

/// Which sites a sweep visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// All, from the first to the last.
    Systematic,
    /// All, from the last to the first: the reversal of the systematic scan.
    Reversed,
    /// As many as there are, each chosen at random.
    Random,
}

impl Scan {
    /// The site of the sweep's move `index`.
    #[inline]
    pub(super) fn site(self, index: usize, dim: usize, rng: &mut ChainRng) -> usize {
        match self {
            Self::Systematic => index,
            Self::Reversed => dim - 1 - index,
            Self::Random => below(dim, rng),
        }
    }
}

impl<'a> Gibbs<'a> {
    /// Samples this model in this order.
    pub fn by(model: &'a dyn SiteFlips, scan: Scan) -> Self {
        Self { model, scan }
    }

    /// Samples this model by systematic scan.
    pub fn new(model: &'a dyn SiteFlips) -> Self {
        Self { model, scan: Scan::Systematic }
    }

    /// Samples this model by random scan.
    pub fn random_scan(model: &'a dyn SiteFlips) -> Self {
        Self { model, scan: Scan::Random }
    }
}

/// The chance to flip a site of cost `delta`.
pub fn flip_probability(delta: f64) -> f64 {
    sigmoid(-delta)
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GibbsInfo {
    /// Changes of a site. In a random scan a site may change back.
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
        for index in 0..dim {
            let site = self.scan.site(index, dim, rng);
            if uniform(rng) < flip_probability(walk.delta(site)) {
                walk.flip(site);
                num_flips += 1;
            }
        }
        GibbsInfo { num_flips }
    }
}
