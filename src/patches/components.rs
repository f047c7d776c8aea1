//! Principal components.

use super::packed_len;
use crate::sorting::descending_order;
use nalgebra::DMatrix;

/// The eigenvectors with the largest eigenvalues of a covariance (packed as by
/// [`super::covariance_of_rows`]): standard deviations, largest first, and components `[components,
/// dim]`, of unit length. There are `num_components`, or fewer if the covariance has fewer
/// directions with variance beyond rounding.
///
/// The sign of an eigenvector is arbitrary: the first entry that is at least half as large as the
/// largest is made positive, which noise rarely changes.
///
/// It takes some 10 dim³ operations and cannot be interrupted.
///
/// # Panics
/// If the matrix is not of this dimension.
pub fn principal_components(
    dim: usize,
    packed: &[f64],
    num_components: usize,
) -> (Vec<f64>, Vec<f64>) {
    assert_eq!(packed.len(), packed_len(dim));
    let mut matrix = DMatrix::zeros(dim, dim);
    let mut entries = packed.iter();
    for row in 0..dim {
        for (column, value) in (row..dim).zip(&mut entries) {
            matrix[(row, column)] = *value;
            matrix[(column, row)] = *value;
        }
    }
    let eigen = crate::linalg::symmetric_eigen(matrix);
    let variances = eigen.eigenvalues.as_slice();
    let mut order = descending_order(variances);
    let least = variances[order[0]] * dim as f64 * f64::EPSILON;
    order.retain(|&at| variances[at] > least);
    order.truncate(num_components);
    let scales = order.iter().map(|&at| variances[at].sqrt()).collect();
    let mut components = Vec::with_capacity(order.len() * dim);
    for at in order {
        let column = eigen.eigenvectors.column(at);
        let vector = column.as_slice();
        let largest = vector.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let first = vector.iter().find(|entry| entry.abs() >= 0.5 * largest);
        let sign = if first.is_some_and(|entry| *entry < 0.0) { -1.0 } else { 1.0 };
        components.extend(vector.iter().map(|entry| sign * entry));
    }
    (scales, components)
}
