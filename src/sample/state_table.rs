//! All states of a small binary model with their probabilities, for exact draws.

use crate::energy::SiteFlips;
use crate::energy::enumeration::energies;
use crate::math::exp;
use crate::rng::{ChainRng, uniform};

/// Maximum number of sites, as a table enumerates its states at once.
pub(super) const MAX_SITES: usize = 12;

/// A table of all states of a small binary model.
pub(super) struct StateTable {
    /// Cumulative sums of e^{E_min − E} over the states.
    sums: Vec<f64>,
}

impl StateTable {
    /// The table of a model of up to [`MAX_SITES`] sites.
    pub fn new(model: &dyn SiteFlips) -> Self {
        assert!(model.dim() <= MAX_SITES);
        let (_, energies) = energies(model, 0);
        let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
        let mut sum = 0.0;
        let sums = energies.into_iter().map(|energy| {
            sum += exp(min - energy);
            sum
        });
        Self { sums: sums.collect() }
    }

    /// Draws a state, whose bits are those of the returned number, using one uniform number.
    pub fn draw(&self, rng: &mut ChainRng) -> u64 {
        let last = self.sums.len() - 1;
        let number = uniform(rng) * self.sums[last];
        self.sums.partition_point(|sum| *sum <= number).min(last) as u64
    }
}
