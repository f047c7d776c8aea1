//! Batches of continuous states, and sums whose order is fixed.

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

#[cfg(test)]
mod tests {
    use super::*;

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
