//! Products of a binary matrix and a real one, `C += XR` with X `[rows, columns]` of bits and R
//! `[columns, TILE]`: they compute the fields of many states and, with the roles of states and
//! units exchanged, the gradient of weights.
//!
//! Columns are taken in groups ([`BitGroups`]). The sums over all subsets of a group's lines of R
//! form a table, made with one addition per entry. A row of X then costs one lookup per group (the
//! "four Russians"). With g columns in a group and m rows, a column costs (2ᵍ + m) / g additions of
//! a line, instead of m when multiplying by zeros and ones.
//!
//! Sums run in a fixed order that depends on the shapes alone. Unlike
//! [`crate::bits::ColumnGroups`], which finds out which patterns occur, this is for noisy bits,
//! where all patterns do.

use crate::bits::BitBatch;
use std::ops::Add;

/// Number of columns of R that are computed side by side.
pub const TILE: usize = 16;

/// Number of groups processed at a time.
const BUNDLE: usize = 4;

/// Maximum number of columns per group: a row's code for a group is a byte.
const MAX_WIDTH: usize = 8;

/// The entries of R and C.
pub trait Real: Copy + Default + Add<Output = Self> + Send + Sync {}

impl Real for f32 {}
impl Real for f64 {}

/// A line of a tile of R or C.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Line<T>(pub [T; TILE]);

impl<T: Real> Line<T> {
    /// A line of zeros.
    pub fn zero() -> Self {
        Self([T::default(); TILE])
    }
}

/// Binary rows, with a few columns per byte.
#[derive(Debug, Clone)]
pub struct BitGroups {
    num_rows: usize,
    num_columns: usize,
    /// Columns per group; the last group may have fewer.
    width: usize,
    /// For each bundle of groups and each row, the groups' bits, `[bundles, rows]`.
    codes: Vec<[u8; BUNDLE]>,
}

impl BitGroups {
    /// Groups of a width that suits the number of rows.
    pub fn new(rows: BitBatch<'_>) -> Self {
        Self::from_bits(rows.len(), rows.dim(), |row, column| {
            rows.row(row)[column / 64] >> (column % 64)
        })
    }

    /// The groups of the transpose: one row for each column.
    pub fn transposed(rows: BitBatch<'_>) -> Self {
        Self::from_bits(rows.dim(), rows.len(), |row, column| {
            rows.row(column)[row / 64] >> (row % 64)
        })
    }

    /// `bit` returns the bits of a row from a column on, with the column's own bit lowest; only
    /// that bit is used.
    fn from_bits(num_rows: usize, num_columns: usize, bit: impl Fn(usize, usize) -> u64) -> Self {
        let width = best_width(num_rows);
        let num_bundles = num_columns.div_ceil(width * BUNDLE);
        let mut codes = vec![[0; BUNDLE]; num_bundles * num_rows];
        for (bundle, codes) in codes.chunks_exact_mut(num_rows.max(1)).enumerate() {
            for (row, code) in codes.iter_mut().enumerate() {
                for (group, code) in code.iter_mut().enumerate() {
                    let start = (bundle * BUNDLE + group) * width;
                    for column in start..num_columns.min(start + width) {
                        *code |= ((bit(row, column) & 1) as u8) << (column - start);
                    }
                }
            }
        }
        Self { num_rows, num_columns, width, codes }
    }

    /// Number of rows of X.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Number of columns of X.
    pub fn num_columns(&self) -> usize {
        self.num_columns
    }

    /// `C += XR`.
    ///
    /// # Panics
    /// If R does not have one line per column of X, or C one line per row.
    pub fn add_product<T: Real>(&self, r: &[Line<T>], c: &mut [Line<T>], tables: &mut Tables<T>) {
        assert!(r.len() == self.num_columns && c.len() == self.num_rows);
        let mut groups = r.chunks(self.width);
        for codes in self.codes.chunks_exact(self.num_rows.max(1)) {
            for table in tables.0.iter_mut() {
                fill(table, groups.next().unwrap_or(&[]));
            }
            run(codes, &tables.0, c);
        }
    }
}

/// The group width that makes a product cheapest. Per column, a table costs 2^width / width, and
/// the rows num_rows / width.
fn best_width(num_rows: usize) -> usize {
    let cost = |width: usize| ((1 << width) + num_rows) as f64 / width as f64;
    (1..=MAX_WIDTH).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1)
}

/// Estimated cost of a product of bits of this shape and a tile, in nanoseconds.
pub fn cost(num_rows: usize, num_columns: usize) -> usize {
    let width = best_width(num_rows);
    2 * num_columns.div_ceil(width) * ((1 << width) + num_rows)
}

/// The tables of a bundle, reused from product to product.
pub struct Tables<T>(Box<[[Line<T>; 1 << MAX_WIDTH]; BUNDLE]>);

impl<T: Real> Default for Tables<T> {
    fn default() -> Self {
        Self(Box::new([[Line::zero(); 1 << MAX_WIDTH]; BUNDLE]))
    }
}

/// Sets entry p to the sum of the lines whose bit is set in p.
fn fill<T: Real>(table: &mut [Line<T>; 1 << MAX_WIDTH], lines: &[Line<T>]) {
    table[0] = Line::zero();
    for (at, line) in lines.iter().enumerate() {
        let (known, new) = table.split_at_mut(1 << at);
        for (new, known) in new.iter_mut().zip(known) {
            for lane in 0..TILE {
                new.0[lane] = known.0[lane] + line.0[lane];
            }
        }
    }
}

/// The inner loop, which takes most of the time.
#[inline(never)]
fn run<T: Real>(
    codes: &[[u8; BUNDLE]],
    tables: &[[Line<T>; 1 << MAX_WIDTH]; BUNDLE],
    c: &mut [Line<T>],
) {
    let [first, second, third, fourth] = tables;
    for (code, sum) in codes.iter().zip(c) {
        let a = &first[usize::from(code[0])];
        let b = &second[usize::from(code[1])];
        let c = &third[usize::from(code[2])];
        let d = &fourth[usize::from(code[3])];
        for lane in 0..TILE {
            sum.0[lane] = sum.0[lane] + ((a.0[lane] + b.0[lane]) + (c.0[lane] + d.0[lane]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitMatrix, bit};
    use crate::rng::{Purpose, stream, uniform};

    fn rows(dim: usize, num_rows: usize) -> BitMatrix {
        let mut rng = stream(9, Purpose::Example, (dim * num_rows) as u64);
        let mut rows = BitMatrix::zeros(dim, num_rows);
        for row in rows.rows_mut() {
            for site in 0..dim {
                row[site / 64] |= u64::from(uniform(&mut rng) < 0.5) << (site % 64);
            }
        }
        rows
    }

    /// Small integers, so that sums in any order are equal.
    fn lines(count: usize) -> Vec<Line<f32>> {
        let number = |index: usize, lane: usize| ((index * 37 + lane * 11) % 101) as f32 - 50.0;
        (0..count).map(|at| Line(std::array::from_fn(|lane| number(at, lane)))).collect()
    }

    #[test]
    fn products_by_their_definition() {
        for (dim, num_rows) in [(1, 1), (3, 2), (64, 30), (65, 300), (130, 2000), (7, 40)] {
            let rows = rows(dim, num_rows);
            let mut tables = Tables::default();
            let r = lines(dim);
            let mut c = lines(num_rows);
            let groups = BitGroups::new(rows.as_batch());
            assert_eq!((groups.num_rows(), groups.num_columns()), (num_rows, dim));
            groups.add_product(&r, &mut c, &mut tables);
            for (index, (row, start)) in rows.as_batch().rows().zip(lines(num_rows)).enumerate() {
                let mut expected = start;
                crate::bits::set_bits(row).for_each(|site| {
                    expected.0.iter_mut().zip(r[site].0).for_each(|(sum, term)| *sum += term);
                });
                assert_eq!(c[index], expected, "{dim} {num_rows}");
            }

            let r = lines(num_rows);
            let mut c = lines(dim);
            BitGroups::transposed(rows.as_batch()).add_product(&r, &mut c, &mut tables);
            for (site, start) in lines(dim).into_iter().enumerate() {
                let mut expected = start;
                for (row, line) in rows.as_batch().rows().zip(&r) {
                    if bit(row, site) {
                        expected.0.iter_mut().zip(line.0).for_each(|(sum, term)| *sum += term);
                    }
                }
                assert_eq!(c[site], expected, "{dim} {num_rows}");
            }
        }
    }

    /// A narrower group must not read a table left by a wider one.
    #[test]
    fn tables_can_be_used_again() {
        let mut tables = Tables::default();
        let (wide, narrow) = (rows(40, 900), rows(9, 5));
        BitGroups::new(wide.as_batch()).add_product(&lines(40), &mut lines(900), &mut tables);
        let groups = BitGroups::new(narrow.as_batch());
        let [mut used, mut fresh] = [lines(5), lines(5)];
        groups.add_product(&lines(9), &mut used, &mut tables);
        groups.add_product(&lines(9), &mut fresh, &mut Tables::default());
        assert_eq!(used, fresh);
    }
}
