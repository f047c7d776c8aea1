//! Products of matrices, each entry a sum in a fixed order.

use super::axpy;
use super::scratch::{release, take};
use crate::FULL;

/// `c = a·b` for `n × n` row-major matrices, by [`product`].
///
/// # Panics
/// If a length is not n².
#[inline]
pub fn matmul(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    product(n, n, a, b, c);
}

/// [`matmul`] if only the entries on the diagonal and above are needed, as for symmetric results:
/// below it some entries are left unchanged.
///
/// # Panics
/// If a length is not n².
#[inline]
pub fn upper_matmul(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    by_columns(n, n, a, b, c, true);
}

/// `c = a·b` for row-major a `[m, k]`, b `[k, n]` and c `[m, n]`, where n follows from the lengths.
/// Each entry is a sum over k in order in every tile, so the bits depend neither on the
/// machine nor on n.
///
/// # Panics
/// If the lengths do not match.
#[inline]
pub fn product(m: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    by_columns(m, k, a, b, c, false);
}

/// Tiles of columns, each with all rows, or, for the upper triangle, with those down to the
/// diagonal.
fn by_columns(m: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64], is_upper: bool) {
    if m == 0 || k == 0 {
        c.fill(0.0);
        return;
    }
    let n = b.len() / k;
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    let mut col = 0;
    while col < n {
        let num_rows = if is_upper { m.min(col + 8) } else { m };
        let (a, c) = (&a[..num_rows * k], &mut c[..num_rows * n]);
        col += match n - col {
            8.. => columns::<WIDE_ROWS, 8>(col, k, n, a, b, c),
            // To be small, the core has one width for the remaining columns, and always copies.
            4.. if FULL => columns::<4, 4>(col, k, n, a, b, c),
            2.. if FULL => columns::<4, 2>(col, k, n, a, b, c),
            _ => columns::<4, 1>(col, k, n, a, b, c),
        };
    }
}

/// `y = xᵀa` for a row-major a `[k, n]` and x `[k]`: sums over k in order, as in [`product`]. For a
/// symmetric matrix the bits are those of `product(n, n, a, x, y)`, in less time.
///
/// # Panics
/// If the lengths do not match.
pub fn vector_product(x: &[f64], a: &[f64], y: &mut [f64]) {
    const TILE: usize = 16;
    let n = y.len();
    assert_eq!(a.len(), x.len() * n);
    let mut col = 0;
    while col + TILE <= n {
        let mut sums = [0.0_f64; TILE];
        for (factor, line) in x.iter().zip(a.chunks_exact(n)) {
            let line: &[f64; TILE] = line[col..].first_chunk().expect("a whole tile");
            for (sum, value) in sums.iter_mut().zip(line) {
                *sum += factor * value;
            }
        }
        y[col..col + TILE].copy_from_slice(&sums);
        col += TILE;
    }
    if col < n {
        let rest = &mut y[col..];
        rest.fill(0.0);
        for (factor, line) in x.iter().zip(a.chunks_exact(n)) {
            axpy(*factor, &line[col..], rest);
        }
    }
}

/// Rows of a tile that is eight columns wide: they make eight vectors of sums, which keeps the
/// adders busy and leaves registers for the factors. Bits do not depend on it.
pub(super) const WIDE_ROWS: usize = if cfg!(target_feature = "avx") { 4 } else { 2 };

/// Minimum number of rows of a product for which columns of b are first copied to contiguous
/// memory.
const MIN_PACKED: usize = 32;

/// Minimum number of columns for which that is worth its code; fewer are the remainder of a wide
/// product.
const MIN_PACKED_COLS: usize = 4;

/// Columns `col..col + COLS` of the product, in tiles of `ROWS` rows.
fn columns<const ROWS: usize, const COLS: usize>(
    col: usize,
    k: usize,
    n: usize,
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
) -> usize {
    let lines = b.chunks_exact(n).map(|line| line[col..].first_chunk().expect("a whole tile"));
    if n == COLS {
        rows::<ROWS, COLS>(col, k, n, a, b.as_chunks().0.iter(), c);
    } else if FULL && (COLS < MIN_PACKED_COLS || c.len() / n < MIN_PACKED) {
        rows::<ROWS, COLS>(col, k, n, a, lines, c);
    } else {
        let mut buffer = take(k * COLS);
        let packed = buffer.as_chunks_mut().0;
        packed.iter_mut().zip(lines).for_each(|(to, line)| *to = *line);
        rows::<ROWS, COLS>(col, k, n, a, packed.iter(), c);
        release(buffer);
    }
    COLS
}

/// Columns `col..col + COLS` of the product, given the lines of b in these columns.
fn rows<'b, const ROWS: usize, const COLS: usize>(
    col: usize,
    k: usize,
    n: usize,
    a: &[f64],
    b: impl Iterator<Item = &'b [f64; COLS]> + Clone,
    c: &mut [f64],
) {
    let mut write = |row: usize, sums: &[[f64; COLS]]| {
        for (r, sums) in sums.iter().enumerate() {
            c[(row + r) * n + col..][..COLS].copy_from_slice(sums);
        }
    };
    let whole = a.chunks_exact(ROWS * k);
    let rest = whole.remainder();
    let mut row = 0;
    for lines in whole {
        write(row, &tile::<ROWS, COLS>(side_by_side(k, lines), b.clone()));
        row += ROWS;
    }
    for line in rest.chunks_exact(k) {
        write(row, &tile::<1, COLS>(side_by_side(k, line), b.clone()));
        row += 1;
    }
}

/// Sums of products of `ROWS` rows, with their factors side by side, and the lines of b.
#[inline(always)]
pub(super) fn tile<'b, const ROWS: usize, const COLS: usize>(
    a: impl Iterator<Item = [f64; ROWS]>,
    b: impl Iterator<Item = &'b [f64; COLS]>,
) -> [[f64; COLS]; ROWS] {
    let mut sums = [[0.0_f64; COLS]; ROWS];
    for (factors, line) in a.zip(b) {
        for (sums, factor) in sums.iter_mut().zip(factors) {
            for (sum, value) in sums.iter_mut().zip(line) {
                *sum += factor * value;
            }
        }
    }
    sums
}

/// The entries of contiguous rows, side by side.
#[inline(always)]
fn side_by_side<const ROWS: usize>(k: usize, a: &[f64]) -> impl Iterator<Item = [f64; ROWS]> {
    let lines: [&[f64]; ROWS] = std::array::from_fn(|r| &a[r * k..][..k]);
    (0..k).map(move |at| lines.map(|line| line[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_their_definition() {
        let few_rows = [(1, 3, 1), (4, 5, 7), (9, 2, 6), (6, 11, 3), (7, 8, 200)];
        let many_rows = [(32, 9, 8), (33, 4, 27), (47, 5, 1), (64, 1, 12)];
        for (m, k, n) in few_rows.into_iter().chain(many_rows) {
            let value = |index: usize, factor: usize| ((index * factor) % 17) as f64 / 16.0 - 0.5;
            let a: Vec<f64> = (0..m * k).map(|index| value(index, 7)).collect();
            let b: Vec<f64> = (0..k * n).map(|index| value(index, 5)).collect();
            let mut c = vec![f64::NAN; m * n];
            product(m, k, &a, &b, &mut c);
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|at| a[i * k + at] * b[at * n + j]);
                    assert_eq!(c[i * n + j], terms.fold(0.0, |sum, term| sum + term));
                }
            }
        }
    }

    #[test]
    fn upper_triangles_have_the_bits_of_products() {
        for n in [1, 3, 8, 21, 40, 45] {
            let value = |at: usize| ((at * 7) % 17) as f64 / 16.3 - 0.5;
            let [a, b] =
                [3, 5].map(|step| (0..n * n).map(|at| value(at * step)).collect::<Vec<_>>());
            let (mut whole, mut upper) = (vec![0.0; n * n], vec![f64::NAN; n * n]);
            matmul(n, &a, &b, &mut whole);
            upper_matmul(n, &a, &b, &mut upper);
            for i in 0..n {
                assert_eq!(whole[i * n + i..(i + 1) * n], upper[i * n + i..(i + 1) * n]);
            }
            assert!(n < 16 || upper[(n - 1) * n].is_nan());
        }
    }

    #[test]
    fn vector_products_have_the_bits_of_products() {
        for n in [1, 3, 16, 21, 100] {
            let value = |index: usize| ((index * 7) % 17) as f64 / 16.3 - 0.5;
            let a: Vec<f64> = (0..n * n).map(|at| value((at / n) * (at % n) + n)).collect();
            let x: Vec<f64> = (0..n).map(value).collect();
            let (mut fast, mut slow) = (vec![f64::NAN; n], vec![f64::NAN; n]);
            vector_product(&x, &a, &mut fast);
            product(n, n, &a, &x, &mut slow);
            assert_eq!(fast, slow);
        }
    }

    #[test]
    fn square_products_by_their_definition() {
        for n in [1, 3, 4, 7, 8, 13] {
            let value = |index: usize, factor: usize| ((index * factor) % 17) as f64 / 16.0 - 0.5;
            let a: Vec<f64> = (0..n * n).map(|index| value(index, 7)).collect();
            let b: Vec<f64> = (0..n * n).map(|index| value(index, 5)).collect();
            let mut c = vec![f64::NAN; n * n];
            matmul(n, &a, &b, &mut c);
            for i in 0..n {
                for j in 0..n {
                    let mut sum = 0.0;
                    for k in 0..n {
                        sum += a[i * n + k] * b[k * n + j];
                    }
                    assert_eq!(c[i * n + j], sum);
                }
            }
        }
    }
}
