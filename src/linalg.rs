//! Batches of continuous states, and sums whose order is fixed.

use nalgebra::{DMatrix, SymmetricEigen};

/// `D × B` states, column-major: state `b` is `data[b·D .. (b+1)·D]`.
/// The same bytes read row-major are `[B, D]`, which is what JavaScript sees.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    dim: usize,
    data: &'a [f64],
}

impl<'a> Batch<'a> {
    /// Views `data` as states of `dim` entries.
    ///
    /// # Panics
    /// If `dim` is 0 or does not divide the length of `data`.
    pub fn new(dim: usize, data: &'a [f64]) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} values are not states of {dim}",
            data.len()
        );
        Self { dim, data }
    }

    /// Entries a state.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.data.len() / self.dim
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The states, in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &'a [f64]> + use<'a> {
        self.data.chunks_exact(self.dim)
    }
}

/// Σ aᵢbᵢ in eight fixed lanes, added as a tree: the order, and so the bits,
/// do not depend on the width of the machine's vectors.
///
/// # Panics
/// If the lengths differ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut lanes = [0.0_f64; 8];
    let (a_body, a_tail) = a.split_at(a.len() / 8 * 8);
    let (b_body, b_tail) = b.split_at(b.len() / 8 * 8);
    for (x, y) in a_body.chunks_exact(8).zip(b_body.chunks_exact(8)) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in a_tail.iter().zip(b_tail).enumerate() {
        lanes[lane] += x * y;
    }
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
        + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
}

/// `y += a·x`.
///
/// # Panics
/// If the lengths differ.
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Euclidean norm, by [`dot`].
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Eight numbers side by side: one cache line, and as many vector registers as
/// the machine makes of it. The operations are lane by lane, so the bits do
/// not depend on the width of those registers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; 8]);

impl Lanes {
    /// Number of lanes.
    pub const LEN: usize = 8;

    /// All lanes zero.
    pub const ZERO: Self = Self([0.0; 8]);

    /// The same number in all lanes.
    pub const fn splat(value: f64) -> Self {
        Self([value; 8])
    }

    /// Adds lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for lane in 0..Self::LEN {
            self.0[lane] += other.0[lane];
        }
    }

    /// Multiplies lane by lane.
    #[inline(always)]
    pub fn mul(&mut self, other: &Self) {
        for lane in 0..Self::LEN {
            self.0[lane] *= other.0[lane];
        }
    }
}

/// `c = a·b` for `n × n` row-major matrices. Each entry is a sum over k in
/// order, whatever the tile, so the bits do not depend on the machine.
///
/// # Panics
/// If a length is not n².
pub fn matmul(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    const ROWS: usize = 4;
    const COLS: usize = 4;
    for row in (0..n).step_by(ROWS) {
        let num_rows = ROWS.min(n - row);
        for col in (0..n).step_by(COLS) {
            let num_cols = COLS.min(n - col);
            let mut tile = [[0.0_f64; COLS]; ROWS];
            if num_rows == ROWS && num_cols == COLS {
                for k in 0..n {
                    let line: &[f64; COLS] = b[k * n + col..].first_chunk().expect("a whole tile");
                    for (r, sums) in tile.iter_mut().enumerate() {
                        let factor = a[(row + r) * n + k];
                        for (sum, value) in sums.iter_mut().zip(line) {
                            *sum += factor * value;
                        }
                    }
                }
            } else {
                for k in 0..n {
                    let line = &b[k * n + col..k * n + col + num_cols];
                    for (r, sums) in tile.iter_mut().enumerate().take(num_rows) {
                        let factor = a[(row + r) * n + k];
                        for (sum, value) in sums.iter_mut().zip(line) {
                            *sum += factor * value;
                        }
                    }
                }
            }
            for (r, sums) in tile.iter().enumerate().take(num_rows) {
                c[(row + r) * n + col..][..num_cols].copy_from_slice(&sums[..num_cols]);
            }
        }
    }
}

/// `V f(Λ) Vᵀ` of a symmetric matrix `VΛVᵀ`, row-major; f takes all the
/// eigenvalues at once. It takes some n³ operations and cannot be interrupted.
///
/// # Panics
/// If the matrix is not square, or f gives another number of values.
pub fn map_eigenvalues(matrix: DMatrix<f64>, f: impl FnOnce(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let n = matrix.nrows();
    let eigen = SymmetricEigen::new(matrix);
    let values = f(eigen.eigenvalues.as_slice());
    assert_eq!(values.len(), n);
    let mut result = vec![0.0; n * n];
    for (index, value) in values.into_iter().enumerate() {
        let column = eigen.eigenvectors.column(index);
        let vector = column.as_slice();
        for (line, component) in result.chunks_exact_mut(n).zip(vector) {
            axpy(value * component, vector, line);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_of_matrices_by_its_definition() {
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
