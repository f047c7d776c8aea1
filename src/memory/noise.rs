//! Corrupted copies: patterns with a random set of bits flipped, of exactly the given size
//! (Sohl-Dickstein 2012, figures 3.6, 3.9 and 3.10).

use crate::bits::flip;
use crate::checks::in_range;
use crate::data::MAX_ROWS;
use crate::rng::{ChainRng, Purpose, below, stream};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of copies of a pattern.
const MAX_COPIES: usize = 1 << 20;

/// Corrupted copies in place of patterns.
#[spec]
#[derive(Copy)]
pub struct NoiseSpec {
    /// Number of bits flipped in each copy, drawn independently for each.
    pub num_flips: usize,
    /// Number of copies of each pattern; 1 if absent.
    #[serde(default = "one")]
    pub num_copies: usize,
}

fn one() -> usize {
    1
}

impl NoiseSpec {
    /// Checks everything that does not require the patterns.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`].
    pub fn check(&self) -> Result<()> {
        in_range("noise.numCopies", self.num_copies, 1, MAX_COPIES)
    }

    /// Total number of copies of `num_patterns` patterns.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn num_rows(&self, num_patterns: usize) -> Result<usize> {
        let num_rows = num_patterns as u64 * self.num_copies as u64;
        if num_rows <= MAX_ROWS as u64 {
            return Ok(num_rows as usize);
        }
        Err(Error::TooLarge {
            field: "noise.numCopies".into(),
            problem: format!(
                "makes {num_rows} rows a pass, and the limit is {MAX_ROWS}; use fewer copies, and \
                 more passes"
            ),
        })
    }

    /// Checks that patterns of `dim` bits have enough bits to flip.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`].
    pub fn check_dim(&self, dim: usize) -> Result<()> {
        if self.num_flips <= dim {
            return Ok(());
        }
        let problem =
            format!("is {}, but a pattern has {dim} bits; flip at most as many", self.num_flips);
        Err(Error::spec("noise.numFlips", problem))
    }
}

/// The random stream that corrupts copy `index` of a job.
pub fn corruption(seed: u64, index: u64) -> ChainRng {
    stream(seed, Purpose::Corruption, index)
}

/// Flips `num_flips` bits of a row of `dim`; every set of that size is equally likely (Floyd's
/// algorithm: one draw per bit).
///
/// # Panics
/// If there are not that many bits, or the row is too short.
pub fn flip_random(row: &mut [u64], dim: usize, num_flips: usize, rng: &mut ChainRng) {
    assert!(num_flips <= dim);
    let mut chosen = vec![0u64; row.len()];
    for last in dim - num_flips..dim {
        let drawn = below(last + 1, rng);
        let is_taken = chosen[drawn / 64] >> (drawn % 64) & 1 == 1;
        flip(&mut chosen, if is_taken { last } else { drawn });
    }
    row.iter_mut().zip(&chosen).for_each(|(word, chosen)| *word ^= chosen);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bits_are_flipped_as_asked() {
        for (dim, num_flips) in [(1, 0), (1, 1), (64, 64), (65, 13), (130, 77)] {
            let mut row = vec![0; 3];
            flip_random(&mut row, dim, num_flips, &mut corruption(1, dim as u64));
            let count: u32 = row.iter().map(|word| word.count_ones()).sum();
            assert_eq!(count as usize, num_flips);
            assert!(crate::bits::set_bits(&row).all(|site| site < dim));
        }
    }

    /// The frequency of each of the ten pairs of five bits is within six standard errors of its
    /// expectation.
    #[test]
    fn every_set_is_equally_likely() {
        let mut rng = corruption(7, 0);
        let mut counts = [0_u32; 32];
        for _ in 0..10_000 {
            let mut row = [0];
            flip_random(&mut row, 5, 2, &mut rng);
            counts[row[0] as usize] += 1;
        }
        for (set, count) in counts.into_iter().enumerate() {
            match set.count_ones() {
                2 => assert!((f64::from(count) - 1000.0).abs() < 6.0 * 30.0, "{set:05b}: {count}"),
                _ => assert_eq!(count, 0),
            }
        }
    }
}
