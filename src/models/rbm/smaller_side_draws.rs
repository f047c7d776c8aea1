//! Exact draws from a restricted Boltzmann machine: the smaller side u from its marginal `p(u) ∝
//! e^{−E(u)}`, by enumeration, then the visible units given it if the smaller side is the hidden
//! one.
//!
//! Only sums over blocks of states are stored: a draw selects a block and enumerates its states
//! again.

use super::{Rbm, SmallerSide};
use crate::bits::words_per_row;
use crate::energy::ExactDraws;
use crate::energy::HiddenUnits;
use crate::energy::enumeration::{Categorical, RUN};
use crate::math::log_sum_exp;
use crate::rng::ChainRng;
use crate::{Error, Result};

/// Number of states per block.
const BLOCK: usize = 64;

/// Exact draws by enumeration of the smaller side.
#[derive(Debug, Clone)]
pub struct SmallerSideDraws {
    side: SmallerSide,
    /// The blocks of all shards, in order.
    blocks: Categorical,
}

impl SmallerSideDraws {
    /// Maximum number of units on the smaller side, 2^20 states: the preparation takes a second
    /// with some hundred units on the other side.
    pub const MAX_UNITS: usize = 20;

    /// Enumerates the smaller side.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if both sides are over [`Self::MAX_UNITS`].
    pub fn new(model: &Rbm) -> Result<Self> {
        let side = SmallerSide::new(model)?;
        if side.num_units() > Self::MAX_UNITS {
            return Err(Error::TooLarge {
                field: "model".into(),
                problem: format!(
                    "has {} units on its smaller side, and exact draws are prepared by enumerating \
                     2^(this number) states: the limit is {}",
                    side.num_units(),
                    Self::MAX_UNITS
                ),
            });
        }
        let mut sums = Vec::with_capacity(side.num_shards() * side.num_states() / BLOCK + 1);
        for shard in 0..side.num_shards() {
            // In runs, which bound the accumulated rounding.
            for start in (0..side.num_states()).step_by(RUN) {
                let end = side.num_states().min(start + RUN);
                sums.extend(side.log_weights(shard, start..end).chunks(BLOCK).map(log_sum_exp));
            }
        }
        Ok(Self { side, blocks: Categorical::from_log_weights(sums) })
    }
}

impl ExactDraws for SmallerSideDraws {
    fn log_z(&self) -> f64 {
        self.blocks.log_total()
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        let num_states = self.side.num_states();
        let first = self.blocks.draw(rng) * BLOCK.min(num_states);
        let (shard, start) = (first / num_states, first % num_states);
        let states = start..num_states.min(start + BLOCK);
        let within = Categorical::from_log_weights(self.side.log_weights(shard, states));
        let count = start + within.draw(rng);
        let state = ((shard * num_states) | (count ^ (count >> 1))) as u64;
        if self.side.is_exchanged {
            let machine = &self.side.machine;
            let mut smaller = vec![0; words_per_row(machine.num_visible)];
            smaller[0] = state;
            machine.sample_hidden(&smaller, rng, row);
        } else {
            row[0] = state;
        }
    }
}
