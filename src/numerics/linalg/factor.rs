//! A matrix that is multiplied with many others from the left.

use super::product::{WIDE_ROWS, tile};
use super::scratch::{release, take};

/// Number of rows computed together.
const ROWS: usize = 4;

/// A left factor `[m, k]` of many products: four rows are stored side by side, so that a tile of
/// the product reads its factors in order. The results have the bits of [`super::product`].
#[derive(Debug, Clone, Default)]
pub struct LeftFactor {
    num_rows: usize,
    num_cols: usize,
    /// Entry `i` of rows `4b` to `4b + 3` at index `b·k + i`; zeros after the last row.
    quads: Vec<[f64; ROWS]>,
}

impl LeftFactor {
    /// The factor from a row-major matrix `[m, k]`.
    ///
    /// # Panics
    /// If `rows` has another length.
    pub fn new(num_rows: usize, num_cols: usize, rows: &[f64]) -> Self {
        assert_eq!(rows.len(), num_rows * num_cols);
        let mut quads = vec![[0.0; ROWS]; num_rows.div_ceil(ROWS) * num_cols];
        for (row, entries) in rows.chunks_exact(num_cols.max(1)).enumerate() {
            let quads = &mut quads[row / ROWS * num_cols..][..num_cols];
            for (quad, entry) in quads.iter_mut().zip(entries) {
                quad[row % ROWS] = *entry;
            }
        }
        Self { num_rows, num_cols, quads }
    }

    /// `c = a·b` for row-major b `[k, n]` and c `[m, n]`, where n follows from the lengths.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn product(&self, b: &[f64], c: &mut [f64]) {
        if self.quads.is_empty() {
            c.fill(0.0);
            return;
        }
        let n = b.len() / self.num_cols;
        assert!(b.len() == n * self.num_cols && c.len() == n * self.num_rows);
        if n == 1 {
            self.vector(b, c);
            return;
        }
        let mut col = 0;
        while col < n {
            col += match n - col {
                8.. => self.columns::<8>(col, n, b, c),
                4.. => self.columns::<4>(col, n, b, c),
                2 | 3 => self.columns::<2>(col, n, b, c),
                _ => self.columns::<1>(col, n, b, c),
            };
        }
    }

    /// The product's columns `col..col + COLS`.
    fn columns<const COLS: usize>(&self, col: usize, n: usize, b: &[f64], c: &mut [f64]) -> usize {
        if n == COLS {
            self.rows::<COLS>(col, n, b.as_chunks().0, c);
            return COLS;
        }
        let mut buffer = take(self.num_cols * COLS);
        let packed = buffer.as_chunks_mut().0;
        let lines = b.chunks_exact(n).map(|line| line[col..].first_chunk().expect("a whole tile"));
        packed.iter_mut().zip(lines).for_each(|(to, line)| *to = *line);
        self.rows::<COLS>(col, n, packed, c);
        release(buffer);
        COLS
    }

    /// The product with a vector: enough rows together to keep the adders busy.
    fn vector(&self, b: &[f64], c: &mut [f64]) {
        const QUADS: usize = 4;
        let b = &b[..self.num_cols];
        let num_whole = c.len() / (QUADS * ROWS);
        let (whole, rest) = self.quads.split_at(num_whole * QUADS * self.num_cols);
        let (some, others) = c.split_at_mut(num_whole * QUADS * ROWS);
        let whole = whole.chunks_exact(QUADS * self.num_cols);
        for (quads, c) in whole.zip(some.as_chunks_mut::<{ QUADS * ROWS }>().0) {
            let lines: [&[[f64; ROWS]]; QUADS] =
                std::array::from_fn(|at| &quads[at * self.num_cols..][..self.num_cols]);
            let mut sums = [[0.0; ROWS]; QUADS];
            for at in 0..self.num_cols {
                for (sums, line) in sums.iter_mut().zip(&lines) {
                    sums.iter_mut().zip(line[at]).for_each(|(sum, factor)| *sum += factor * b[at]);
                }
            }
            c.copy_from_slice(sums.as_flattened());
        }
        for (quads, c) in rest.chunks_exact(self.num_cols).zip(others.chunks_mut(ROWS)) {
            let [sums] = tile::<1, ROWS>(b.iter().map(|x| [*x]), quads.iter());
            c.copy_from_slice(&sums[..c.len()]);
        }
    }

    /// Columns `col..col + COLS` of the product, given the lines of b in these columns.
    fn rows<const COLS: usize>(&self, col: usize, n: usize, b: &[[f64; COLS]], c: &mut [f64]) {
        for (quad, first) in
            self.quads.chunks_exact(self.num_cols).zip((0..self.num_rows).step_by(ROWS))
        {
            let mut write = |row: usize, sums: &[[f64; COLS]]| {
                for (r, sums) in sums.iter().enumerate().take(self.num_rows.saturating_sub(row)) {
                    c[(row + r) * n + col..][..COLS].copy_from_slice(sums);
                }
            };
            if COLS <= ROWS || WIDE_ROWS == ROWS {
                write(first, &tile::<ROWS, COLS>(quad.iter().copied(), b.iter()));
                continue;
            }
            let [upper, lower] =
                [0, 2].map(|at| quad.iter().map(move |quad| [quad[at], quad[at + 1]]));
            write(first, &tile::<2, COLS>(upper, b.iter()));
            if first + 2 < self.num_rows {
                write(first + 2, &tile::<2, COLS>(lower, b.iter()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LeftFactor;
    use crate::linalg::product;

    #[test]
    fn products_have_the_bits_of_those_by_rows() {
        for m in [1, 2, 3, 4, 5, 6, 9, 16, 31, 36] {
            for n in [1, 2, 3, 4, 5, 7, 8, 9, 16, 27, 200] {
                let k = 3 + m % 4;
                let value =
                    |index: usize, factor: usize| ((index * factor) % 17) as f64 / 16.3 - 0.5;
                let a: Vec<f64> = (0..m * k).map(|index| value(index, 7)).collect();
                let b: Vec<f64> = (0..k * n).map(|index| value(index, 5)).collect();
                let [mut fast, mut slow] = [(); 2].map(|()| vec![f64::NAN; m * n]);
                LeftFactor::new(m, k, &a).product(&b, &mut fast);
                product(m, k, &a, &b, &mut slow);
                assert_eq!(fast, slow, "{m} {k} {n}");
            }
        }
    }

    #[test]
    fn sums_over_nothing_are_zeros() {
        let mut c = [f64::NAN; 6];
        LeftFactor::new(2, 0, &[]).product(&[], &mut c);
        assert_eq!(c, [0.0; 6]);
        LeftFactor::new(0, 2, &[]).product(&[1.0, 2.0], &mut []);
    }

    #[test]
    fn what_is_no_number_stays_in_its_row() {
        let a = [f64::NAN, 1.0, 1.0, 2.0, f64::INFINITY, 0.0];
        let mut c = [0.0; 3];
        LeftFactor::new(3, 2, &a).product(&[1.0, 0.5], &mut c);
        assert!(c[0].is_nan() && c[1] == 2.0 && c[2] == f64::INFINITY);
    }
}
