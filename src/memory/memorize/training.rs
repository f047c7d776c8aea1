//! The rows that rules learn from: the patterns, or corrupted copies of them.

use crate::bits::{BitMatrix, words_per_row};
use crate::data::MAX_PACKED_BYTES;
use crate::memory::noise::{NoiseSpec, corruption, flip_random};
use crate::rng::{Purpose, shuffle, stream};
use crate::{Error, Result};

/// The patterns, and the rows made from them. An epoch is one pass over the patterns, or one pass
/// per copy; each epoch has its own corrupted copies.
#[derive(Clone)]
pub struct Training {
    patterns: BitMatrix,
    noise: Option<NoiseSpec>,
    seed: u64,
}

impl Training {
    pub fn new(patterns: BitMatrix, noise: Option<NoiseSpec>, seed: u64) -> Result<Self> {
        if let Some(noise) = &noise {
            noise.check_dim(patterns.dim())?;
            noise.num_rows(patterns.num_rows())?;
        }
        Ok(Self { patterns, noise, seed })
    }

    pub fn patterns(&self) -> &BitMatrix {
        &self.patterns
    }

    /// The fraction of its bits that is flipped in a row.
    pub fn flipped(&self) -> f64 {
        let num_flips = self.noise.map_or(0, |noise| noise.num_flips);
        num_flips as f64 / self.patterns.dim() as f64
    }

    /// Number of rows of an epoch.
    pub fn num_rows(&self) -> usize {
        self.patterns.num_rows() * self.noise.map_or(1, |noise| noise.num_copies)
    }

    /// Writes row `index` of an epoch: patterns in order, pass after pass.
    pub fn write_row(&self, epoch: u64, index: usize, row: &mut [u64]) {
        self.write(epoch, index, index % self.patterns.num_rows(), row);
    }

    fn write(&self, epoch: u64, index: usize, pattern: usize, row: &mut [u64]) {
        row.copy_from_slice(self.patterns.row(pattern));
        let Some(noise) = &self.noise else { return };
        let copy = epoch * self.num_rows() as u64 + index as u64;
        let mut rng = corruption(self.seed, copy);
        flip_random(row, self.patterns.dim(), noise.num_flips, &mut rng);
    }

    /// All rows of the first epoch.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn all_rows(&self) -> Result<BitMatrix> {
        let (dim, num_rows) = (self.patterns.dim(), self.num_rows());
        if num_rows as u64 * words_per_row(dim) as u64 * 8 > MAX_PACKED_BYTES as u64 {
            return Err(Error::TooLarge {
                field: "noise.numCopies".into(),
                problem: format!("makes {num_rows} rows of {dim} bits, too many; use fewer"),
            });
        }
        let mut rows = BitMatrix::zeros(dim, num_rows);
        for (index, row) in rows.rows_mut().enumerate() {
            self.write_row(0, index, row);
        }
        Ok(rows)
    }

    /// Rows `start..end` of an epoch; each pass has its own random order.
    pub fn shuffled_rows(&self, epoch: u64, start: usize, end: usize) -> BitMatrix {
        let count = self.patterns.num_rows();
        let passes = (self.num_rows() / count) as u64;
        let mut rows = BitMatrix::zeros(self.patterns.dim(), end - start);
        let mut order: Option<(usize, Vec<usize>)> = None;
        for (index, row) in (start..end).zip(rows.rows_mut()) {
            let pass = index / count;
            if order.as_ref().is_none_or(|(of, _)| *of != pass) {
                order = Some((pass, self.order(epoch * passes + pass as u64)));
            }
            let pattern = order.as_ref().map_or(0, |(_, order)| order[index % count]);
            self.write(epoch, index, pattern, row);
        }
        rows
    }

    fn order(&self, pass: u64) -> Vec<usize> {
        let mut rng = stream(self.seed, Purpose::Minibatches, pass);
        let mut order: Vec<usize> = (0..self.patterns.num_rows()).collect();
        shuffle(&mut order, &mut rng);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns() -> BitMatrix {
        let mut patterns = BitMatrix::zeros(70, 5);
        patterns.rows_mut().enumerate().for_each(|(at, row)| row[1] = at as u64);
        patterns
    }

    fn differing(a: &[u64], b: &[u64]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn copies_are_fresh_and_of_their_patterns() {
        let noise = NoiseSpec { num_flips: 20, num_copies: 3 };
        let training = Training::new(patterns(), Some(noise), 1).expect("sound noise");
        assert_eq!(training.num_rows(), 15);
        let rows = training.all_rows().expect("few rows");
        let mut seen: Vec<Vec<u64>> = Vec::new();
        let mut other = vec![0; 2];
        for epoch in 0..2 {
            for index in 0..15 {
                training.write_row(epoch, index, &mut other);
                assert_eq!(differing(&other, patterns().row(index % 5)), 20);
                assert!(epoch > 0 || other == rows.row(index));
                assert!(!seen.contains(&other));
                seen.push(other.clone());
            }
        }
    }

    /// Each pass has every pattern once, in a different order each time, however it is cut.
    #[test]
    fn minibatches_cut_passes_in_random_orders() {
        let training = Training::new(patterns(), None, 1).expect("no noise");
        let numbers =
            |rows: &BitMatrix| -> Vec<u64> { rows.as_batch().rows().map(|row| row[1]).collect() };
        let orders: Vec<_> =
            (0..4).map(|epoch| numbers(&training.shuffled_rows(epoch, 0, 5))).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert!(orders.iter().any(|order| *order != orders[0]));
        assert_eq!(numbers(&training.shuffled_rows(0, 3, 5)), orders[0][3..]);

        let noise = NoiseSpec { num_flips: 0, num_copies: 2 };
        let twice = Training::new(patterns(), Some(noise), 1).expect("sound noise");
        assert_eq!(
            numbers(&twice.shuffled_rows(0, 2, 8)),
            [&orders[0][2..], &orders[1][..3]].concat()
        );
    }
}
