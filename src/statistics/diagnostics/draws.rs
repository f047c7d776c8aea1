//! Draws of one scalar quantity by several chains.

use crate::{Error, Result};

/// Minimum number of draws per chain for any diagnostic: two in each half.
pub(super) const MIN_DRAWS: usize = 4;

/// The draws of one scalar quantity: `[num_chains, num_draws]` row-major, that is chain after
/// chain, each in the order it was drawn. For a binary quantity they are 0 and 1. Infinite values
/// and NaN are allowed; each diagnostic documents how it treats them.
#[derive(Debug, Clone, Copy)]
pub struct Draws<'a> {
    num_chains: usize,
    values: &'a [f64],
}

impl<'a> Draws<'a> {
    /// Views `values` as the draws of `num_chains` chains of equal length.
    ///
    /// # Errors
    /// [`Error::InvalidData`] if there is no chain, no draw, or the chains
    /// would not be of equal length.
    pub fn new(num_chains: usize, values: &'a [f64]) -> Result<Self> {
        if num_chains == 0 {
            return Err(Error::data("numChains", "is 0; give the draws of at least one chain"));
        }
        if values.is_empty() || !values.len().is_multiple_of(num_chains) {
            return Err(Error::data(
                "draws",
                format!(
                    "has {} values, which are not chains of equal length for numChains = \
                     {num_chains}; give the draws of the first chain, then of the second, each \
                     as many",
                    values.len()
                ),
            ));
        }
        Ok(Self { num_chains, values })
    }

    /// Number of chains.
    pub fn num_chains(&self) -> usize {
        self.num_chains
    }

    /// Number of draws per chain.
    pub fn num_draws(&self) -> usize {
        self.values.len() / self.num_chains
    }

    /// All draws, chain after chain.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// The chains, in order.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = &'a [f64]> + use<'a> {
        self.values.chunks_exact(self.num_draws())
    }

    /// Whether there are enough draws, and none is NaN.
    pub(super) fn are_valid(&self) -> bool {
        self.num_draws() >= MIN_DRAWS && !self.values.iter().any(|x| x.is_nan())
    }

    /// Applies `f` to every draw, in the same order.
    pub(super) fn map(&self, f: impl Fn(f64) -> f64) -> OwnedDraws {
        OwnedDraws {
            num_chains: self.num_chains,
            values: self.values.iter().map(|&x| f(x)).collect(),
        }
    }

    /// Twice as many chains: the halves of each, so that a chain that drifts disagrees with itself.
    /// The middle draw of an odd number is left out.
    pub(super) fn split(&self) -> OwnedDraws {
        let half = self.num_draws() / 2;
        let mut values = Vec::with_capacity(2 * half * self.num_chains);
        for chain in self.chains() {
            values.extend_from_slice(&chain[..half]);
            values.extend_from_slice(&chain[chain.len() - half..]);
        }
        OwnedDraws { num_chains: 2 * self.num_chains, values }
    }
}

/// Draws computed from others.
pub(super) struct OwnedDraws {
    pub num_chains: usize,
    pub values: Vec<f64>,
}

impl OwnedDraws {
    pub fn view(&self) -> Draws<'_> {
        Draws { num_chains: self.num_chains, values: &self.values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_without_the_middle() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let split = Draws::new(2, &values).unwrap().split();
        assert_eq!(split.num_chains, 4);
        assert_eq!(split.values, [1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0]);
    }

    #[test]
    fn shapes_that_cannot_be_are_refused() {
        for (num_chains, num_values) in [(0, 4), (1, 0), (3, 4)] {
            let error = Draws::new(num_chains, &vec![0.0; num_values]).unwrap_err();
            assert_eq!(error.code(), "invalid-data");
        }
    }
}
