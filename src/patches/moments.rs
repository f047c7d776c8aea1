//! Covariances of patches, block by block of rows.

use crate::linalg::product;
use std::ops::Range;

/// Number of entries of a packed symmetric matrix: row i has columns i to dim − 1.
pub fn packed_len(dim: usize) -> usize {
    dim * (dim + 1) / 2
}

/// Appends rows `rows` of Σ_b x_b x_bᵀ over centred patches `[patches, dim]` to `packed`. Each
/// entry is a sum over the patches in order.
///
/// # Panics
/// If the patches do not have `dim` entries, or there are no such rows.
pub fn covariance_of_rows(dim: usize, centred: &[f64], rows: Range<usize>, packed: &mut Vec<f64>) {
    let count = centred.len() / dim;
    assert_eq!(centred.len(), count * dim);
    let (height, width) = (rows.len(), dim - rows.start);
    let mut left = vec![0.0; height * count];
    let mut right = Vec::with_capacity(count * width);
    for (at, patch) in centred.chunks_exact(dim).enumerate() {
        for (line, value) in left.chunks_exact_mut(count).zip(&patch[rows.clone()]) {
            line[at] = *value;
        }
        right.extend_from_slice(&patch[rows.start..]);
    }
    let mut sums = vec![0.0; height * width];
    product(height, count, &left, &right, &mut sums);
    for (row, line) in sums.chunks_exact(width).enumerate() {
        packed.extend_from_slice(&line[row..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_rows_are_the_packed_matrix() {
        let (dim, count) = (7, 5);
        let x: Vec<f64> = (0..dim * count).map(|at| ((at * 11) % 13) as f64 - 6.5).collect();
        let mut packed = Vec::new();
        for rows in [0..3, 3..4, 4..7] {
            covariance_of_rows(dim, &x, rows, &mut packed);
        }
        assert_eq!(packed.len(), packed_len(dim));
        let mut expected = Vec::new();
        for row in 0..dim {
            for column in row..dim {
                expected.push(x.chunks_exact(dim).map(|x| x[row] * x[column]).sum::<f64>());
            }
        }
        assert_eq!(packed, expected);
    }
}
