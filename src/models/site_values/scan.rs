//! Sweeps over the sites of a state.

use super::{Sites, Value};
use crate::rng::{ChainRng, below};

/// Which sites a sweep visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// All sites, from first to last.
    Systematic,
    /// All sites, from last to first: the reversal of the systematic scan.
    Reversed,
    /// D sites, each chosen at random.
    Random,
}

impl Scan {
    /// The order of the sweep's reversal.
    pub fn reversed(self) -> Self {
        match self {
            Self::Systematic => Self::Reversed,
            Self::Reversed => Self::Systematic,
            Self::Random => Self::Random,
        }
    }

    /// The site of move `index` of the sweep.
    #[inline]
    pub fn site(self, index: usize, dim: usize, rng: &mut ChainRng) -> usize {
        match self {
            Self::Systematic => index,
            Self::Reversed => dim - 1 - index,
            Self::Random => below(dim, rng),
        }
    }
}

/// A sweep over the sites of a state, each with a value drawn given the others; returns how many have changed.
///
/// # Panics
/// If the row stands for no state.
#[inline(always)]
pub fn sweep(
    sites: &Sites,
    scan: Scan,
    row: &mut [u64],
    rng: &mut ChainRng,
    mut draw: impl FnMut(usize, &[Value], &mut ChainRng) -> Value,
) -> usize {
    let mut values = sites.values(row);
    let mut num_changes = 0;
    for index in 0..sites.count() {
        let site = scan.site(index, sites.count(), rng);
        let value = draw(site, &values, rng);
        num_changes += usize::from(value != values[site]);
        values[site] = value;
    }
    sites.write(&values, row);
    num_changes
}
