//! A matrix in tiles of columns, for sums of lines selected by bits: all rows of bits are processed
//! tile by tile, so that the tile stays in the cache and its sums in registers.

use crate::bits::{BitBatch, set_bits};
use crate::linalg::Lanes;
use std::ops::Range;

/// Number of columns per tile: a tile of 784 lines takes 100 kB, and its sums one vector register
/// for every two or four columns.
pub(super) const TILE: usize = 16;

/// A matrix in tiles of columns.
#[derive(Debug, Clone)]
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

    /// The tiles of a matrix given by its columns, `[len, num_lines]`.
    pub fn of_columns(num_lines: usize, len: usize, columns: &[f64]) -> Self {
        assert_eq!(columns.len(), num_lines * len);
        let mut entries = Vec::new();
        if columns.iter().any(|entry| *entry != 0.0) {
            entries.resize(num_lines * len.div_ceil(TILE), [0.0; TILE]);
            let tiles = entries.chunks_exact_mut(num_lines);
            for (tile, columns) in tiles.zip(columns.chunks(TILE * num_lines)) {
                for (index, line) in tile.iter_mut().enumerate() {
                    let entries = columns.iter().skip(index).step_by(num_lines);
                    line.iter_mut().zip(entries).for_each(|(to, entry)| *to = *entry);
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
            lines.extend(self.lines(row));
            ends.push(lines.len());
        }
        for (index, cols) in tiles(self.len).enumerate() {
            let start = padded(&start[cols.clone()]);
            let tile = self.tile(index);
            let mut begin = 0;
            for (row, &end) in ends.iter().enumerate() {
                let mut sums = start;
                add_up(tile, &lines[begin..end], &mut sums);
                take(row, cols.clone(), &sums[..cols.len()]);
                begin = end;
            }
        }
    }

    /// [`Tiles::sum`] without a start, in the order of [`dot`](crate::linalg::dot) with a row of
    /// zeros and ones: each of its lanes has every eighth line.
    pub fn sum_in_lanes(
        &self,
        rows: BitBatch<'_>,
        mut take: impl FnMut(usize, Range<usize>, &[f64]),
    ) {
        assert_eq!(rows.dim(), self.num_lines);
        // The set bits of all rows by lane, and the end of each lane.
        let mut lines: Vec<u32> = Vec::new();
        let mut ends = Vec::with_capacity(rows.len());
        let mut by_lane: [Vec<u32>; Lanes::LEN] = Default::default();
        for row in rows.rows() {
            self.lines(row).for_each(|line| by_lane[line as usize % Lanes::LEN].push(line));
            ends.push(by_lane.each_mut().map(|lane| {
                lines.append(lane);
                lines.len()
            }));
        }
        for (index, cols) in tiles(self.len).enumerate() {
            let tile = self.tile(index);
            let mut begin = 0;
            for (row, ends) in ends.iter().enumerate() {
                let mut lanes = [[0.0; TILE]; Lanes::LEN];
                for (sums, &end) in lanes.iter_mut().zip(ends) {
                    add_up(tile, &lines[begin..end], sums);
                    begin = end;
                }
                let [a, b, c, d, e, f, g, h] = &lanes;
                let mut sums = [0.0; TILE];
                for (at, sum) in sums.iter_mut().enumerate() {
                    *sum =
                        ((a[at] + b[at]) + (c[at] + d[at])) + ((e[at] + f[at]) + (g[at] + h[at]));
                }
                take(row, cols.clone(), &sums[..cols.len()]);
            }
        }
    }

    /// The lines whose bit is set; none if all entries are 0.
    fn lines(&self, row: &[u64]) -> impl Iterator<Item = u32> {
        let row = if self.entries.is_empty() { &[] } else { row };
        set_bits(row).map(|line| line as u32)
    }

    fn tile(&self, index: usize) -> &[[f64; TILE]] {
        self.entries.get(index * self.num_lines..).unwrap_or_default()
    }
}

/// `sums += Σ lines`. It is a separate function so that compilers keep the sums in registers.
#[inline(never)]
pub(super) fn add_up(tile: &[[f64; TILE]], lines: &[u32], sums: &mut [f64; TILE]) {
    let mut own = *sums;
    for &line in lines {
        let line = &tile[line as usize];
        for (sum, entry) in own.iter_mut().zip(line) {
            *sum += entry;
        }
    }
    *sums = own;
}

/// The ranges of columns of the tiles.
pub(super) fn tiles(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(TILE).map(move |start| start..len.min(start + TILE))
}

/// At most as many numbers as a tile has columns, and zeros.
pub(super) fn padded(entries: &[f64]) -> [f64; TILE] {
    let mut tile = [0.0; TILE];
    tile[..entries.len()].copy_from_slice(entries);
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::linalg::dot;
    use crate::rng::{Purpose, stream};

    /// Sums in both orders, of tiles made from lines and from columns, also where all entries are 0.
    #[test]
    fn sums_are_those_of_the_lines() {
        for (num_lines, len) in [(3, 1), (70, 64), (65, 150)] {
            let entry = |at: usize| ((at * 7) % 19) as f64 / 17.0 - 0.5;
            let start: Vec<f64> = (0..len).map(entry).collect();
            let mut rows = BitMatrix::zeros(num_lines, 4);
            let mut rng = stream(4, Purpose::Example, 0);
            rows.rows_mut().for_each(|row| crate::bits::fill_random(row, num_lines, &mut rng));
            for factor in [1.0, 0.0] {
                let lines: Vec<f64> = (0..num_lines * len).map(|at| factor * entry(at)).collect();
                let columns: Vec<f64> = (0..num_lines * len)
                    .map(|at| lines[at % num_lines * len + at / num_lines])
                    .collect();
                for tiles in [
                    Tiles::new(num_lines, len, &lines),
                    Tiles::of_columns(num_lines, len, &columns),
                ] {
                    let [mut sums, mut dots] = [(); 2].map(|()| vec![f64::NAN; 4 * len]);
                    let write = |all: &mut [f64], row: usize, cols: Range<usize>, part: &[f64]| {
                        all[row * len + cols.start..row * len + cols.end].copy_from_slice(part);
                    };
                    tiles.sum(rows.as_batch(), &start, |row, cols, part| {
                        write(&mut sums, row, cols, part);
                    });
                    tiles.sum_in_lanes(rows.as_batch(), |row, cols, part| {
                        write(&mut dots, row, cols, part);
                    });
                    let values = rows.as_batch().to_values();
                    for (index, row) in rows.as_batch().rows().enumerate() {
                        for col in 0..len {
                            let terms = set_bits(row).map(|line| lines[line * len + col]);
                            let expected = terms.fold(start[col], |sum, term| sum + term);
                            assert_eq!(sums[index * len + col], expected);
                            let state = &values[index * num_lines..][..num_lines];
                            let expected = dot(&columns[col * num_lines..][..num_lines], state);
                            assert_eq!(dots[index * len + col], expected);
                        }
                    }
                }
            }
        }
    }
}
