//! Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by bisection (Givens 1954) and
//! inverse iteration. Only +, −, ×, ÷ and comparisons are used.

/// A symmetric tridiagonal matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Tridiagonal {
    /// The diagonal, `[n]`.
    pub diagonal: Vec<f64>,
    /// The squares of the entries beside it, `[n − 1]`.
    pub squares: Vec<f64>,
}

/// Replaces pivots nearer to 0, so that nothing is divided by 0.
const LEAST_PIVOT: f64 = 1e-300;

impl Tridiagonal {
    /// Number of eigenvalues below x: of negative pivots of the matrix less x (Sylvester).
    pub fn num_below(&self, x: f64) -> usize {
        let mut pivot = 1.0;
        let mut count = 0;
        for (at, diagonal) in self.diagonal.iter().enumerate() {
            let square = if at == 0 { 0.0 } else { self.squares[at - 1] };
            pivot = diagonal - x - square / pivot;
            if pivot.abs() < LEAST_PIVOT {
                pivot = -LEAST_PIVOT;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    }

    /// The eigenvalue with `rank` eigenvalues below it, given that all are between −1 and 1: to some
    /// n rounding errors of 1.
    ///
    /// # Panics
    /// If `rank` is not below n.
    pub fn eigenvalue(&self, rank: usize) -> f64 {
        assert!(rank < self.diagonal.len());
        let (mut low, mut high) = (-1.5, 1.5);
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if self.num_below(middle) > rank {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    }

    /// An eigenvector of an eigenvalue, of any length above 0: three solutions of `(A − λ) x = y`, by
    /// elimination with row exchanges. `beside` are the entries beside the diagonal, with their signs.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn eigenvector(&self, beside: &[f64], eigenvalue: f64) -> Vec<f64> {
        let factors = Factors::new(&self.diagonal, beside, eigenvalue);
        // Entries without symmetry, so that no eigenvector is orthogonal to them.
        let mut vector: Vec<f64> =
            (0..self.diagonal.len()).map(|at| 1.0 + (at * at % 17) as f64 / 17.0).collect();
        for _ in 0..3 {
            factors.solve(&mut vector);
            let greatest = vector.iter().fold(0.0_f64, |greatest, entry| greatest.max(entry.abs()));
            vector.iter_mut().for_each(|entry| *entry /= greatest);
        }
        vector
    }
}

/// A tridiagonal matrix less a number, as a product of triangular ones.
struct Factors {
    /// Rows of the upper triangle: the diagonal and the two entries right of it.
    rows: Vec<[f64; 3]>,
    /// For each row but the last: whether it was exchanged with the next, and the multiple of it that
    /// was subtracted from the next.
    steps: Vec<(bool, f64)>,
}

impl Factors {
    fn new(diagonal: &[f64], beside: &[f64], shift: f64) -> Self {
        assert_eq!(diagonal.len(), beside.len() + 1);
        let entry = |at: usize| beside.get(at).copied().unwrap_or(0.0);
        let mut rows = Vec::with_capacity(diagonal.len());
        let mut steps = Vec::with_capacity(beside.len());
        let mut row = [diagonal[0] - shift, entry(0), 0.0];
        for at in 0..beside.len() {
            let mut next = [beside[at], diagonal[at + 1] - shift, entry(at + 1)];
            let is_exchanged = next[0].abs() > row[0].abs();
            if is_exchanged {
                std::mem::swap(&mut row, &mut next);
            }
            let factor = next[0] / not_zero(row[0]);
            steps.push((is_exchanged, factor));
            rows.push(row);
            row = [next[1] - factor * row[1], next[2] - factor * row[2], 0.0];
        }
        rows.push(row);
        Self { rows, steps }
    }

    fn solve(&self, vector: &mut [f64]) {
        for (at, (is_exchanged, factor)) in self.steps.iter().enumerate() {
            if *is_exchanged {
                vector.swap(at, at + 1);
            }
            vector[at + 1] -= factor * vector[at];
        }
        for (at, row) in self.rows.iter().enumerate().rev() {
            let right = |by: usize| vector.get(at + by).copied().unwrap_or(0.0);
            vector[at] = (vector[at] - row[1] * right(1) - row[2] * right(2)) / not_zero(row[0]);
        }
    }
}

/// A pivot, kept away from 0 by less than a rounding error of the matrix.
fn not_zero(pivot: f64) -> f64 {
    const LEAST: f64 = 1e-18;
    if pivot.abs() >= LEAST {
        pivot
    } else if pivot < 0.0 {
        -LEAST
    } else {
        LEAST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::cos;

    /// The path of n vertices has the eigenvalues cos(π k / (n + 1)), k = 1 … n, with ½ beside the
    /// diagonal.
    #[test]
    fn eigenvalues_and_vectors_of_a_path() {
        let n = 40;
        let path = Tridiagonal { diagonal: vec![0.0; n], squares: vec![0.25; n - 1] };
        for rank in 0..n {
            let expected = -cos(std::f64::consts::PI * (rank + 1) as f64 / (n + 1) as f64);
            let value = path.eigenvalue(rank);
            assert!((value - expected).abs() < 1e-14, "{rank}: {value} {expected}");
            let beside = vec![0.5; n - 1];
            let vector = path.eigenvector(&beside, value);
            for at in 0..n {
                let left = if at == 0 { 0.0 } else { vector[at - 1] };
                let right = vector.get(at + 1).copied().unwrap_or(0.0);
                let error = 0.5 * (left + right) - value * vector[at];
                assert!(error.abs() < 1e-12, "{rank}, {at}: {error}");
            }
        }
    }
}
