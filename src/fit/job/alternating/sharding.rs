//! The sharding of alternating fits, which depends on the spec and the data alone.

use crate::{Error, Result};
use std::ops::Range;

/// Minimum number of rows or chains per shard, if there are that many in all.
const MIN_SHARD: usize = 25;

/// Maximum number of shards, unless more are asked for.
const MAX_SHARDS: usize = 16;

/// Maximum number of values in the parts of a round, 128 MiB.
const MAX_PART_NUMBERS: usize = 1 << 24;

/// Maximum size of the chains, 128 MiB.
const MAX_CHAIN_BYTES: usize = 1 << 27;

/// Cuts rows and chains evenly into shards.
#[derive(Debug, Clone, Copy)]
pub struct Sharding {
    num_shards: usize,
}

impl Sharding {
    /// The sharding of `extent` rows or chains, whichever are more. There are at least `at_least`
    /// shards unless their parts of `part` numbers each would take too much memory.
    pub fn new(extent: usize, at_least: usize, part: usize) -> Self {
        let num_shards = extent
            .div_ceil(MIN_SHARD)
            .min(MAX_SHARDS)
            .max(at_least)
            .min((MAX_PART_NUMBERS / part).max(1));
        Self { num_shards }
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.num_shards
    }

    /// The sub-range of `extent` rows or chains that a shard has.
    pub fn of(&self, extent: usize, shard: usize) -> Range<usize> {
        let at = |shard: usize| (extent as u64 * shard as u64 / self.num_shards as u64) as usize;
        at(shard)..at(shard + 1)
    }
}

/// Refuses chains that would take too much memory.
///
/// # Errors
/// [`Error::TooLarge`], naming the field that sets their number.
pub fn check_bytes(field: &str, num_chains: usize, num_words: usize) -> Result<()> {
    if num_chains as u64 * num_words as u64 * 8 <= MAX_CHAIN_BYTES as u64 {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: field.into(),
        problem: format!(
            "makes {num_chains} chains, which would take more than {} MiB; use fewer",
            MAX_CHAIN_BYTES >> 20
        ),
    })
}
