//! Locally informed proposals (Zanella 2020): the site to flip is drawn by what its flip costs,
//!
//! `q(n | x) = exp(−ΔE_n(x)/2) / Z(x)`, `Z(x) = Σ_n exp(−ΔE_n(x)/2)`,
//!
//! and the flip is accepted with probability `min(1, Z(x)/Z(x′))`, as `exp(−ΔE/2)` of a flip and of its
//! way back have the ratio p(x′)/p(x). Gibbs with gradients (Grathwohl, Swersky, Hashemi, Duvenaud and
//! Maddison 2021) is the same with differences of energies estimated by one gradient; here they are exact.
//!
//! A step is D proposals, each with one uniform number for the site and one for the acceptance. Every
//! proposal needs what all D flips cost at one more state. It is reversible.

use super::Transition;
use super::gibbs::GibbsInfo;
use crate::bits::words_per_row;
use crate::energy::enumeration::Categorical;
use crate::energy::{FlipWalk, SiteFlips};
use crate::math::exp;
use crate::models::Model;
use crate::rng::{ChainRng, uniform};

/// Maximum number of sites: a step takes the square of it in differences of energies, and cannot be
/// interrupted.
pub const MAX_SITES: usize = 4096;

/// Estimated cost of a difference of energies and its exponential, in nanoseconds.
pub(crate) fn difference_cost(model: &dyn Model) -> usize {
    match model.as_ising() {
        None => 15 + 2 * model.num_terms() / model.dim(),
        Some(_) => 15,
    }
}

/// Estimated cost of a step, in nanoseconds: a difference of energies for each of D proposals and D
/// sites.
pub(crate) fn step_cost(model: &dyn Model) -> usize {
    let dim = model.dim();
    dim.saturating_mul(dim).saturating_mul(difference_cost(model))
}

/// Sampling of a model by locally informed proposals.
#[derive(Clone, Copy)]
pub struct LocallyInformed<'a> {
    model: &'a dyn SiteFlips,
}

impl<'a> LocallyInformed<'a> {
    /// A transition that samples this model.
    pub fn new(model: &'a dyn SiteFlips) -> Self {
        Self { model }
    }
}

impl Transition for LocallyInformed<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let dim = self.model.dim();
        assert_eq!(row.len(), words_per_row(dim));
        let mut walk = self.model.walk(row);
        let mut here = proposals(&*walk, dim);
        let mut num_flips = 0;
        for _ in 0..dim {
            let site = here.draw(rng);
            walk.flip(site);
            let there = proposals(&*walk, dim);
            if uniform(rng) < exp(here.log_total() - there.log_total()) {
                here = there;
                num_flips += 1;
            } else {
                walk.flip(site);
            }
        }
        GibbsInfo { num_flips }
    }
}

/// Which site is flipped next.
fn proposals(walk: &dyn FlipWalk, dim: usize) -> Categorical {
    Categorical::from_log_weights((0..dim).map(|site| -0.5 * walk.delta(site)).collect())
}
