//! Cuts the rows of data into shards, and adds up their parts.

use crate::linalg::axpy;
use std::ops::Range;

/// Minimum number of rows per shard, if there are that many in all.
const MIN_ROWS: usize = 256;

/// Maximum number of shards.
const MAX_SHARDS: usize = 16;

/// Number of shards of `num_rows` rows; 1 for 0 rows.
#[inline]
pub fn num_shards(num_rows: usize) -> usize {
    num_rows.div_ceil(MIN_ROWS).clamp(1, MAX_SHARDS)
}

/// The rows of one shard.
///
/// # Panics
/// If there is no such shard.
#[inline]
pub fn rows(num_rows: usize, shard: usize) -> Range<usize> {
    let num_shards = num_shards(num_rows);
    assert!(shard < num_shards);
    num_rows * shard / num_shards..num_rows * (shard + 1) / num_shards
}

/// Adds parts `[value | gradient]` and multiplies the sums by `scale`.
///
/// # Panics
/// If a part has the wrong length.
#[inline]
pub fn combine(parts: &[Vec<f64>], scale: f64, grad: &mut [f64]) -> f64 {
    let mut value = 0.0;
    grad.fill(0.0);
    for part in parts {
        value += scale * part[0];
        axpy(scale, &part[1..], grad);
    }
    value
}

#[cfg(test)]
mod tests {
    #[test]
    fn shards_cover_the_rows_once() {
        for num_rows in [0, 1, 255, 256, 257, 5000, 100_001] {
            let shards: Vec<_> = (0..super::num_shards(num_rows))
                .map(|shard| super::rows(num_rows, shard))
                .collect();
            assert_eq!((shards[0].start, shards[shards.len() - 1].end), (0, num_rows));
            assert!(shards.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
