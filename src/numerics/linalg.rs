//! Batches of continuous states, and sums whose order is fixed.

mod columns;
mod factor;
mod product;
mod scratch;

pub use columns::{COLS, Tile, tiles};
pub use columns::{add_columns, map_columns, update_columns};
pub use factor::LeftFactor;
pub use product::{matmul, product, upper_matmul, vector_product};
pub use scratch::with_scratch;

use nalgebra::{DMatrix, Dyn, SymmetricEigen};

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
    #[inline]
    pub fn new(dim: usize, data: &'a [f64]) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} values are not states of {dim}",
            data.len()
        );
        Self { dim, data }
    }

    /// Entries per state.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.data.len() / self.dim
    }

    /// Whether there are no states.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// All numbers, one state after another.
    #[inline]
    pub fn data(&self) -> &'a [f64] {
        self.data
    }

    /// Some of the states, one after another.
    ///
    /// # Panics
    /// If there are fewer states.
    #[inline]
    pub fn rows(&self, range: std::ops::Range<usize>) -> &'a [f64] {
        &self.data[range.start * self.dim..range.end * self.dim]
    }

    /// The states, in order.
    #[inline]
    pub fn states(&self) -> impl ExactSizeIterator<Item = &'a [f64]> + use<'a> {
        self.data.chunks_exact(self.dim)
    }
}

/// Several states on ℝᴰ side by side, dimension-major: entry `d` of state `c` is `data[d·width +
/// c]`. An operation on every state is then a plain loop over contiguous numbers, which compilers
/// vectorize; and as no operation mixes states, a state's bits do not depend on the other states.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    dim: usize,
    width: usize,
    data: &'a [f64],
}

impl<'a> Block<'a> {
    /// Views `data` as states of `dim` entries.
    ///
    /// # Panics
    /// If `dim` is 0 or does not divide the length of `data`.
    #[inline]
    pub fn new(dim: usize, data: &'a [f64]) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} values are not states of {dim}",
            data.len()
        );
        Self { dim, width: data.len() / dim, data }
    }

    /// Entries per state.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of states.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Entry `d` of all states.
    #[inline]
    pub fn entry(&self, d: usize) -> &'a [f64] {
        &self.data[d * self.width..(d + 1) * self.width]
    }

    /// All numbers, dimension-major.
    #[inline]
    pub fn data(&self) -> &'a [f64] {
        self.data
    }
}

/// Converts states one after another (`[width, dim]`) to a block (`[dim, width]`); with `dim` and
/// `width` exchanged, it converts back.
///
/// # Panics
/// If a length is not `dim · width`.
#[inline]
pub fn transpose(dim: usize, width: usize, from: &[f64], to: &mut [f64]) {
    assert!(from.len() == dim * width && to.len() == dim * width);
    for (state, from) in from.chunks_exact(dim.max(1)).enumerate() {
        for (d, value) in from.iter().enumerate() {
            to[d * width + state] = *value;
        }
    }
}

/// Σ aᵢbᵢ in eight fixed lanes, added as a tree: the order, and so the bits, do not depend on the
/// width of the machine's vector registers.
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
#[inline]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// `y += Σ x` over lines x, with the bits of adding one after another: four are added at once, so
/// that y is read and written a quarter as often.
///
/// # Panics
/// If a line and y differ in length.
pub fn add_lines<'a>(mut lines: impl Iterator<Item = &'a [f64]>, y: &mut [f64]) {
    let len = y.len();
    while let Some(first) = lines.next() {
        let rest = [lines.next(), lines.next(), lines.next()];
        let [Some(second), Some(third), Some(fourth)] = rest else {
            std::iter::once(first)
                .chain(rest.into_iter().flatten())
                .for_each(|line| axpy(1.0, line, y));
            return;
        };
        assert!([first, second, third, fourth].iter().all(|line| line.len() == len));
        for at in 0..len {
            y[at] = (((y[at] + first[at]) + second[at]) + third[at]) + fourth[at];
        }
    }
}

/// Euclidean norm, by [`dot`].
#[inline]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Eight numbers side by side: one cache line, in as many vector registers as the machine needs.
/// The operations are lane by lane, so the bits do not depend on the width of those registers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; 8]);

impl Lanes {
    /// Number of lanes.
    pub const LEN: usize = 8;

    /// All lanes zero.
    pub const ZERO: Self = Self([0.0; 8]);

    /// The same number in all lanes.
    #[inline]
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

/// Eigenvalues and eigenvectors of a symmetric matrix, in no particular order. It takes some n³
/// operations and cannot be interrupted.
///
/// nalgebra's iteration divides 0 by 0 on some matrices of low rank, such as the covariance of two
/// rows. Such a matrix is decomposed again with each diagonal entry changed by a different amount,
/// at most 1e-12 of the greatest entry.
///
/// # Panics
/// If the matrix is not square.
pub fn symmetric_eigen(matrix: DMatrix<f64>) -> SymmetricEigen<f64, Dyn> {
    let eigen = SymmetricEigen::new(matrix.clone());
    let is_finite = |eigen: &SymmetricEigen<f64, Dyn>| {
        let mut all = eigen.eigenvalues.iter().chain(eigen.eigenvectors.iter());
        all.all(|value| value.is_finite())
    };
    if is_finite(&eigen) || matrix.iter().any(|value| !value.is_finite()) {
        return eigen;
    }
    let n = matrix.nrows();
    let greatest = (0..n).fold(0.0_f64, |greatest, at| greatest.max(matrix[(at, at)].abs()));
    let mut moved = matrix;
    for at in 0..n {
        moved[(at, at)] += 1e-12 * greatest * (at + 1) as f64 / n as f64;
    }
    SymmetricEigen::new(moved)
}

/// `V f(Λ) Vᵀ` for a symmetric matrix `VΛVᵀ`, row-major; f takes all eigenvalues at once. It takes
/// some n³ operations and cannot be interrupted.
///
/// # Panics
/// If the matrix is not square, or f returns another number of values.
#[inline]
pub fn map_eigenvalues(matrix: DMatrix<f64>, f: impl FnOnce(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let n = matrix.nrows();
    let eigen = symmetric_eigen(matrix);
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

    /// The covariance of the spins of two rows, for which nalgebra alone gives NaN.
    #[test]
    fn low_rank_has_eigenvalues() {
        let rows = [[132, 157, 66, 245, 8, 218, 98, 23], [186, 12, 202, 235, 115, 245, 114, 183]];
        let bit = |row: usize, at: usize| f64::from(rows[row][at / 8] >> (at % 8) & 1_u8);
        let half = |at: usize| bit(0, at) - bit(1, at);
        let matrix = DMatrix::from_fn(64, 64, |i, j| half(i) * half(j));
        let eigen = symmetric_eigen(matrix);
        let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
        values.sort_by(f64::total_cmp);
        // The rows differ in 28 bits.
        assert!((values[63] - 28.0).abs() < 1e-9 && values[62].abs() < 1e-9, "{values:?}");
        assert!(values[0].abs() < 1e-9);
    }

    #[test]
    fn lines_add_up_as_one_after_another() {
        let entries: Vec<f64> = (0..90).map(|at| 1.0 / (1 + at % 23) as f64).collect();
        for count in 0..10 {
            let lines = || entries.chunks_exact(9).take(count);
            let [mut together, mut apart] = [[0.7; 9]; 2];
            add_lines(lines(), &mut together);
            lines().for_each(|line| axpy(1.0, line, &mut apart));
            assert_eq!(together, apart, "{count}");
        }
    }

    #[test]
    fn transposing_there_and_back() {
        let states = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut block = [0.0; 6];
        transpose(3, 2, &states, &mut block);
        assert_eq!(block, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(Block::new(3, &block).entry(1), [2.0, 5.0]);
        let mut back = [0.0; 6];
        transpose(2, 3, &block, &mut back);
        assert_eq!(back, states);
    }
}
