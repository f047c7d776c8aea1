//! The rank of a matrix beneath noise, and factors of that rank.

use super::MAX_RANK;
use crate::linalg::{dot, symmetric_eigen};
use crate::math::cbrt;
use crate::matrix::Matrix;
use crate::sorting::descending_order;
use nalgebra::DMatrix;

/// Standard deviations of the Tracy–Widom law by which a singular value has to exceed those of noise.
const MARGIN: f64 = 2.0;

/// The squares of the singular values, in falling order, and the right singular vectors as rows, of a matrix that is not
/// wider than tall.
fn spectrum(tall: &Matrix) -> (Vec<f64>, Matrix) {
    let size = tall.num_cols();
    let gram = tall.transposed().times(tall);
    let eigen = symmetric_eigen(DMatrix::from_row_slice(size, size, gram.entries()));
    let order = descending_order(eigen.eigenvalues.as_slice());
    let values = order.iter().map(|at| eigen.eigenvalues[*at].max(0.0)).collect();
    let vectors = Matrix::from_fn(size, size, |row, col| eigen.eigenvectors[(col, order[row])]);
    (values, vectors)
}

/// How many singular values are above those that noise alone has: above the edge of the Marchenko–Pastur law, with a
/// margin for its fluctuation, for noise of the variance that what is left has.
fn rank_of(squares: &[f64], num_rows: usize, num_cols: usize) -> usize {
    let most = MAX_RANK.min(num_rows.min(num_cols).saturating_sub(1));
    let mut rank = 0;
    while rank < most {
        let (n, m) = ((num_rows - rank) as f64, (num_cols - rank) as f64);
        let noise = squares[rank..].iter().sum::<f64>() / (n * m);
        let root = n.sqrt() + m.sqrt();
        let spread = root * cbrt(1.0 / n.sqrt() + 1.0 / m.sqrt());
        if !(squares[rank] > noise * (root * root + MARGIN * spread)) {
            break;
        }
        rank += 1;
    }
    rank
}

/// The coordinates of the rows in the directions in which the matrix is greatest, as many as its rank, at least 1.
pub fn scores(matrix: &Matrix) -> Matrix {
    let (left, right) = factors(matrix);
    let lengths: Vec<f64> = right.transposed().rows().map(|row| dot(row, row).sqrt()).collect();
    Matrix::from_fn(left.num_rows(), left.num_cols(), |row, k| left.at(row, k) * lengths[k])
}

/// Factors A and B with ABᵀ nearest to a matrix among those of its rank, at least 1.
pub fn factors(matrix: &Matrix) -> (Matrix, Matrix) {
    if matrix.num_cols() > matrix.num_rows() {
        let (left, right) = factors(&matrix.transposed());
        return (right, left);
    }
    let (squares, vectors) = spectrum(matrix);
    let rank = rank_of(&squares, matrix.num_rows(), matrix.num_cols()).max(1);
    let root = |k: usize| squares[k].sqrt().sqrt().max(1e-100);
    let right = Matrix::from_fn(matrix.num_cols(), rank, |row, k| root(k) * vectors.at(k, row));
    let directions =
        Matrix::from_fn(matrix.num_cols(), rank, |row, k| vectors.at(k, row) / root(k));
    (matrix.times(&directions), right)
}
