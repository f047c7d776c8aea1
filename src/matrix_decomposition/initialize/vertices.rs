//! Columns of bits in the space that the columns of a matrix span.
//!
//! If X is ZA plus noise with bits Z, the columns of Z lie in the space of the columns of X. A vector in a space of K dimensions
//! follows from K of its entries, so that all vectors of bits in it are among 2ᴷ.

use crate::linalg::{axpy, dot};
use crate::matrix::Matrix;
use crate::sorting::ascending_order;
use nalgebra::DMatrix;

/// Greatest number of dimensions of which all vectors are tried.
pub const MAX_DIMENSIONS: usize = 12;

/// How often a vector is rounded to bits and projected back, to be rid of noise.
const NUM_ROUNDS: usize = 3;

/// A vector counts as a combination of others if less than this share of its square is outside of their span.
const LEAST_SHARE: f64 = 1e-3;

/// The rows that span the most volume, taken one after another.
fn pivots(scores: &Matrix) -> Vec<usize> {
    let mut rest = scores.clone();
    let mut chosen = Vec::new();
    for _ in 0..scores.num_cols() {
        let square = |row: usize| dot(rest.row(row), rest.row(row));
        let farther = |a: usize, b: usize| if square(b) > square(a) { b } else { a };
        let best = (0..rest.num_rows()).reduce(farther).expect("a row");
        let direction = rest.row(best).to_vec();
        let length = dot(&direction, &direction).max(f64::MIN_POSITIVE);
        for row in 0..rest.num_rows() {
            let share = dot(rest.row(row), &direction) / length;
            axpy(-share, &direction, rest.row_mut(row));
        }
        chosen.push(best);
    }
    chosen
}

fn rounded(entry: f64) -> f64 {
    f64::from(u8::from(entry > 0.5))
}

/// As many columns of bits as the scores `[N, K]` have columns, near to the space of these, if there are that many that
/// are linearly independent.
pub fn columns(scores: &Matrix) -> Option<Matrix> {
    let (num_rows, size) = (scores.num_rows(), scores.num_cols());
    if size > MAX_DIMENSIONS || size >= num_rows {
        return None;
    }
    let chosen = pivots(scores);
    let corner = DMatrix::from_fn(size, size, |row, k| scores.at(chosen[row], k));
    let inverse = corner.try_inverse()?;
    let gram = scores.transposed().times(scores);
    let projection = DMatrix::from_row_slice(size, size, gram.entries()).try_inverse()?;
    let vector =
        |weights: &[f64]| -> Vec<f64> { scores.rows().map(|row| dot(row, weights)).collect() };
    let (mut found, mut distances): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    for state in 1..1_usize << size {
        let corner: Vec<usize> = (0..size).filter(|k| state >> k & 1 == 1).collect();
        let weights: Vec<f64> =
            (0..size).map(|row| corner.iter().map(|k| inverse[(row, *k)]).sum()).collect();
        let mut entries = vector(&weights);
        let mut bits: Vec<f64> = entries.iter().copied().map(rounded).collect();
        for _ in 0..NUM_ROUNDS {
            let mut sums = vec![0.0; size];
            scores.rows().zip(&bits).for_each(|(row, bit)| axpy(*bit, row, &mut sums));
            let weights: Vec<f64> = (0..size)
                .map(|row| (0..size).map(|k| projection[(row, k)] * sums[k]).sum())
                .collect();
            entries = vector(&weights);
            bits = entries.iter().copied().map(rounded).collect();
        }
        let ones: f64 = bits.iter().sum();
        if ones > 0.0 {
            let terms = entries.iter().zip(&bits).map(|(x, bit)| (x - bit) * (x - bit));
            // Relative to what bits as many, put anywhere, would miss the space by.
            distances.push(terms.sum::<f64>() / ones);
            found.push(bits);
        }
    }
    // The nearest, without those that the ones before span.
    let mut all: Vec<Vec<f64>> = Vec::new();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for at in ascending_order(&distances) {
        let bits = &found[at];
        let mut rest = bits.clone();
        for direction in &basis {
            let share = dot(&rest, direction);
            axpy(-share, direction, &mut rest);
        }
        let square = dot(&rest, &rest);
        if square < LEAST_SHARE * dot(bits, bits) {
            continue;
        }
        rest.iter_mut().for_each(|entry| *entry /= square.sqrt());
        basis.push(rest);
        all.push(bits.clone());
        if all.len() == size {
            return Some(Matrix::from_fn(num_rows, size, |row, k| all[k][row]));
        }
    }
    None
}
