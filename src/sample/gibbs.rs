//! Gibbs sampling of binary models, by systematic or by random scan.
//!
//! A site is flipped with its conditional probability given all others, `p(flip n) = 1 / (1 +
//! exp(ΔE_n))` (Geman & Geman 1984), using one uniform number. A step is one sweep of D such moves:
//! of sites 0 to D − 1 in order, or of sites drawn uniformly with replacement. Each move leaves
//! p(x) unchanged, hence so does the sweep. The random scan is reversible. The systematic scan is
//! not, as its order is fixed: its reversal visits the sites from last to first.

use super::{Transition, spec};
use crate::bits::words_per_row;
use crate::energy::SiteFlips;
use crate::math::sigmoid;
pub use crate::models::site_values::Scan;
use crate::rng::{ChainRng, uniform};

/// Gibbs sampling of a model.
#[derive(Clone, Copy)]
pub struct Gibbs<'a> {
    model: &'a dyn SiteFlips,
    scan: Scan,
}

impl From<spec::Scan> for Scan {
    fn from(scan: spec::Scan) -> Self {
        match scan {
            spec::Scan::Systematic => Self::Systematic,
            spec::Scan::Random => Self::Random,
        }
    }
}

impl<'a> Gibbs<'a> {
    /// A transition that samples this model in this order.
    pub fn by(model: &'a dyn SiteFlips, scan: Scan) -> Self {
        Self { model, scan }
    }

    /// A transition that samples this model by systematic scan.
    pub fn new(model: &'a dyn SiteFlips) -> Self {
        Self { model, scan: Scan::Systematic }
    }

    /// A transition that samples this model by random scan.
    pub fn random_scan(model: &'a dyn SiteFlips) -> Self {
        Self { model, scan: Scan::Random }
    }
}

/// The probability of flipping a site whose flip costs `delta`.
pub fn flip_probability(delta: f64) -> f64 {
    sigmoid(-delta)
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GibbsInfo {
    /// Number of site changes. In a random scan a site may change back.
    pub num_flips: usize,
}

impl Transition for Gibbs<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        sweep(self.model, self.scan, row, rng, flip_probability)
    }
}

/// A sweep over sites, each flipped with a probability that depends on what the flip costs.
///
/// # Panics
/// If the row does not have the model's dimension.
#[inline(always)]
pub(super) fn sweep(
    model: &dyn SiteFlips,
    scan: Scan,
    row: &mut [u64],
    rng: &mut ChainRng,
    probability: impl Fn(f64) -> f64,
) -> GibbsInfo {
    let dim = model.dim();
    assert_eq!(row.len(), words_per_row(dim));
    // Each sweep starts a new walk, so the next move of a chain depends on its row and generator
    // alone, and a resumed chain takes the same steps.
    let mut walk = model.walk(row);
    let mut num_flips = 0;
    for index in 0..dim {
        let site = scan.site(index, dim, rng);
        if uniform(rng) < probability(walk.delta(site)) {
            walk.flip(site);
            num_flips += 1;
        }
    }
    GibbsInfo { num_flips }
}
