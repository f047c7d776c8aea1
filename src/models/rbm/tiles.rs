//! A matrix in tiles of columns, for sums of lines selected by bits: all rows of bits are processed
//! tile by tile, so that the tile stays in the cache and its sums in registers.

use crate::bits::{BitBatch, set_bits};
use std::ops::Range;

/// Number of columns per tile: a tile of 784 lines takes 100 kB, and its sums one vector register
/// for every two or four columns.
const TILE: usize = 16;

/// A matrix in tiles of columns.
pub(super) struct Tiles {
    num_lines: usize,
    len: usize,
    /// Tile after tile, line after line, with the last tile padded with zeros; empty if all entries
    /// are 0.
    entries: Vec<[f64; TILE]>,
}

impl Tiles {
    /// The tiles of a matrix given by its lines, `[num_lines, len]`.
    pub fn new(num_lines: usize, len: usize, matrix: &[f64]) -> Self {
        assert_eq!(matrix.len(), num_lines * len);
        let mut entries = Vec::new();
        if matrix.iter().any(|entry| *entry != 0.0) {
            entries.reserve(num_lines * len.div_ceil(TILE));
            for cols in tiles(len) {
                for line in matrix.chunks_exact(len) {
                    entries.push(padded(&line[cols.clone()]));
                }
            }
        }
        Self { num_lines, len, entries }
    }

    /// For each tile and each row of bits, calls `take(row, columns, sums)` with `start + Σ lines
    /// whose bit is set`, over the tile's columns. The sums run in the order of the lines.
    pub fn sum(
        &self,
        rows: BitBatch<'_>,
        start: &[f64],
        mut take: impl FnMut(usize, Range<usize>, &[f64]),
    ) {
        assert!(rows.dim() == self.num_lines && start.len() == self.len);
        // The set bits of all rows, and the end of each row.
        let mut lines: Vec<u32> = Vec::new();
        let mut ends = Vec::with_capacity(rows.len());
        for row in rows.rows() {
            if !self.entries.is_empty() {
                lines.extend(set_bits(row).map(|line| line as u32));
            }
            ends.push(lines.len());
        }
        for (index, cols) in tiles(self.len).enumerate() {
            let start = padded(&start[cols.clone()]);
            let tile = self.entries.get(index * self.num_lines..).unwrap_or_default();
            let mut begin = 0;
            for (row, &end) in ends.iter().enumerate() {
                let mut sums = [0.0; TILE];
                add_up(&start, tile, &lines[begin..end], &mut sums);
                take(row, cols.clone(), &sums[..cols.len()]);
                begin = end;
            }
        }
    }
}

/// `start + Σ lines`. It is a separate function so that compilers keep the sums in registers.
#[inline(never)]
fn add_up(start: &[f64; TILE], tile: &[[f64; TILE]], lines: &[u32], out: &mut [f64; TILE]) {
    let mut sums = *start;
    for &line in lines {
        let line = &tile[line as usize];
        for (sum, entry) in sums.iter_mut().zip(line) {
            *sum += entry;
        }
    }
    out.copy_from_slice(&sums);
}

fn tiles(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(TILE).map(move |start| start..len.min(start + TILE))
}

fn padded(entries: &[f64]) -> [f64; TILE] {
    let mut tile = [0.0; TILE];
    tile[..entries.len()].copy_from_slice(entries);
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::rng::{Purpose, stream};

    #[test]
    fn sums_are_those_of_the_lines() {
        for (num_lines, len) in [(3, 1), (70, 64), (65, 150)] {
            let entry = |at: usize| ((at * 7) % 19) as f64 / 17.0 - 0.5;
            let matrix: Vec<f64> = (0..num_lines * len).map(entry).collect();
            let start: Vec<f64> = (0..len).map(entry).collect();
            let mut rows = BitMatrix::zeros(num_lines, 4);
            let mut rng = stream(4, Purpose::Example, 0);
            rows.rows_mut().for_each(|row| crate::bits::fill_random(row, num_lines, &mut rng));
            for (matrix, factor) in [(matrix.clone(), 1.0), (vec![0.0; matrix.len()], 0.0)] {
                let mut sums = vec![f64::NAN; 4 * len];
                let tiles = Tiles::new(num_lines, len, &matrix);
                tiles.sum(rows.as_batch(), &start, |row, cols, part| {
                    sums[row * len + cols.start..row * len + cols.end].copy_from_slice(part);
                });
                for (row, sums) in rows.as_batch().rows().zip(sums.chunks_exact(len)) {
                    for (col, sum) in sums.iter().enumerate() {
                        let terms = set_bits(row).map(|line| factor * entry(line * len + col));
                        let expected = terms.fold(start[col], |sum, term| sum + term);
                        assert_eq!(*sum, expected);
                    }
                }
            }
        }
    }
}
