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

/// Several states on ℝᴰ side by side, dimension-major: entry `d` of state `c` is
/// `data[d·width + c]`. What is done alike to every state is then a plain loop
/// over neighbours, which compilers make vectors of; and as no operation mixes
/// states, a state's bits do not depend on its company.
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
    pub fn new(dim: usize, data: &'a [f64]) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} values are not states of {dim}",
            data.len()
        );
        Self { dim, width: data.len() / dim, data }
    }

    /// Entries a state.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of states.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Entry `d` of all states.
    pub fn entry(&self, d: usize) -> &'a [f64] {
        &self.data[d * self.width..(d + 1) * self.width]
    }

    /// All numbers, dimension-major.
    pub fn data(&self) -> &'a [f64] {
        self.data
    }
}

/// Turns states one after another (`[width, dim]`) into a block (`[dim, width]`),
/// or, with the numbers exchanged, back.
///
/// # Panics
/// If a length is not `dim · width`.
pub fn transpose(dim: usize, width: usize, from: &[f64], to: &mut [f64]) {
    assert!(from.len() == dim * width && to.len() == dim * width);
    for (state, from) in from.chunks_exact(dim.max(1)).enumerate() {
        for (d, value) in from.iter().enumerate() {
            to[d * width + state] = *value;
        }
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

/// `y += Σ x` over lines x, to the same bits as one after another: four go
/// together, so that y is read and written a quarter as often.
///
/// # Panics
/// If a line has another length than y.
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

/// `c = a·b` for `n × n` row-major matrices: [`product`].
///
/// # Panics
/// If a length is not n².
pub fn matmul(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    product(n, n, a, b, c);
}

/// `c = a·b` for row-major a `[m, k]`, b `[k, n]` and c `[m, n]`, n being what
/// the lengths make it. Each entry is a sum over k in order, whatever the tile,
/// so the bits depend neither on the machine nor on n.
///
/// # Panics
/// If the lengths do not match.
pub fn product(m: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    if m == 0 || k == 0 {
        c.fill(0.0);
        return;
    }
    let n = b.len() / k;
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    let mut col = 0;
    while col < n {
        col += match n - col {
            4.. => columns::<4>(col, k, n, a, b, c),
            2 | 3 => columns::<2>(col, k, n, a, b, c),
            _ => columns::<1>(col, k, n, a, b, c),
        };
    }
}

/// `y = xᵀa` for a row-major `[k, n]` and x `[k]`: sums over k in order, as
/// [`product`] makes them, so that for a symmetric matrix the bits are those of
/// `product(n, n, a, x, y)`, in less time.
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

/// The product's columns `col..col + COLS`.
fn columns<const COLS: usize>(
    col: usize,
    k: usize,
    n: usize,
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
) -> usize {
    const ROWS: usize = 4;
    let mut write = |row: usize, sums: &[[f64; COLS]]| {
        for (r, sums) in sums.iter().enumerate() {
            c[(row + r) * n + col..][..COLS].copy_from_slice(sums);
        }
    };
    let whole = a.chunks_exact(ROWS * k);
    let rest = whole.remainder();
    let mut row = 0;
    for lines in whole {
        write(row, &tile::<ROWS, COLS>(col, k, n, lines, b));
        row += ROWS;
    }
    for line in rest.chunks_exact(k) {
        write(row, &tile::<1, COLS>(col, k, n, line, b));
        row += 1;
    }
    COLS
}

#[inline(always)]
fn tile<const ROWS: usize, const COLS: usize>(
    col: usize,
    k: usize,
    n: usize,
    a: &[f64],
    b: &[f64],
) -> [[f64; COLS]; ROWS] {
    let lines: [&[f64]; ROWS] = std::array::from_fn(|r| &a[r * k..(r + 1) * k]);
    let mut sums = [[0.0_f64; COLS]; ROWS];
    for (at, line) in b.chunks_exact(n).enumerate() {
        let line: &[f64; COLS] = line[col..].first_chunk().expect("a whole tile");
        for (sums, factors) in sums.iter_mut().zip(&lines) {
            for (sum, value) in sums.iter_mut().zip(line) {
                *sum += factors[at] * value;
            }
        }
    }
    sums
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
    fn products_by_their_definition() {
        for (m, k, n) in [(1, 3, 1), (4, 5, 7), (9, 2, 6), (6, 11, 3), (7, 8, 200)] {
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
