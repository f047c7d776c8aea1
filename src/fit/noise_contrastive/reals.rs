//! Noise for rows of numbers: the normal distribution with their mean and covariance.

use super::Noise;
use crate::linalg::{Batch, axpy, dot, with_scratch};
use crate::math::ln;
use crate::rng::{ChainRng, normal};
use crate::{Error, Result};
use std::f64::consts::PI;

/// Maximum number of entries of a state: the covariance takes D² steps a row, and is not interrupted.
const MAX_DIM: usize = 256;

/// The least share of a column's variance that the columns before it may leave unexplained. Rounding
/// leaves some 1e-15 of a column that is a sum of others.
const LEAST_SHARE: f64 = 1e-10;

/// The least standard deviation of a column, relative to its mean. Rounding leaves some 1e-15 of one that
/// is constant.
const LEAST_SPREAD: f64 = 1e-10;

/// `y = m + Lz`, z standard normal, LLᵀ the covariance.
pub struct NormalNoise {
    mean: Vec<f64>,
    /// The rows of L up to the diagonal, one after another.
    factor: Vec<f64>,
    /// ln of the density at the mean.
    log_peak: f64,
}

/// Where a row of a triangular matrix begins.
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

impl NormalNoise {
    /// The noise for these rows.
    ///
    /// # Errors
    /// [`Error::InvalidData`] if the covariance is singular; [`Error::TooLarge`].
    pub fn of(rows: Batch<'_>) -> Result<Self> {
        let dim = rows.dim();
        if dim > MAX_DIM {
            return Err(Error::TooLarge {
                field: "objective.kind".into(),
                problem: format!(
                    "is noiseContrastive, whose noise has the covariance of the rows, and they have \
                     {dim} entries, of at most {MAX_DIM}; use scoreMatching, or fewer columns"
                ),
            });
        }
        let count = rows.len() as f64;
        let mut mean = vec![0.0; dim];
        rows.states().for_each(|row| axpy(1.0 / count, row, &mut mean));
        let mut covariance = vec![0.0; start(dim)];
        let mut centred = vec![0.0; dim];
        for row in rows.states() {
            centred.copy_from_slice(row);
            axpy(-1.0, &mean, &mut centred);
            for i in 0..dim {
                let sums = &mut covariance[start(i)..=start(i) + i];
                axpy(centred[i] / count, &centred[..=i], sums);
            }
        }
        let factor = factor(&mean, covariance)?;
        let log_volume: f64 = (0..dim).map(|row| ln(factor[start(row) + row])).sum();
        Ok(Self { mean, factor, log_peak: -0.5 * dim as f64 * ln(2.0 * PI) - log_volume })
    }
}

/// The Cholesky factor of a covariance, in its place.
fn factor(mean: &[f64], mut matrix: Vec<f64>) -> Result<Vec<f64>> {
    for (i, mean) in mean.iter().enumerate() {
        let variance = matrix[start(i) + i];
        let spread = LEAST_SPREAD * mean;
        let least = (LEAST_SHARE * variance).max(spread * spread);
        for j in 0..=i {
            let (above, own) = matrix.split_at_mut(start(i));
            if j < i {
                let row = &above[start(j)..=start(j) + j];
                own[j] = (own[j] - dot(&own[..j], &row[..j])) / row[j];
            } else {
                let left = own[i] - dot(&own[..i], &own[..i]);
                if !(left > least && left.is_normal()) {
                    let problem = format!(
                        "has rows whose covariance is singular: column {i} is constant, or a sum of \
                         multiples of those before it, or there are too few rows; noise like them \
                         has no density: leave the column out, or give more rows"
                    );
                    return Err(Error::data("states", problem));
                }
                own[i] = left.sqrt();
            }
        }
    }
    Ok(matrix)
}

impl Noise for NormalNoise {
    fn draw(&self, rng: &mut ChainRng, state: &mut [f64]) -> f64 {
        let dim = state.len();
        with_scratch([dim], |[plain]| {
            plain.fill_with(|| normal(rng));
            for (row, entry) in state.iter_mut().enumerate() {
                *entry = self.mean[row]
                    + dot(&self.factor[start(row)..=start(row) + row], &plain[..=row]);
            }
            self.log_peak - 0.5 * dot(plain, plain)
        })
    }

    fn log_density(&self, state: &[f64]) -> f64 {
        let dim = state.len();
        with_scratch([dim], |[plain]| {
            for row in 0..dim {
                let factors = &self.factor[start(row)..=start(row) + row];
                let rest = state[row] - self.mean[row] - dot(&factors[..row], &plain[..row]);
                plain[row] = rest / factors[row];
            }
            self.log_peak - 0.5 * dot(plain, plain)
        })
    }

    fn cost(&self) -> usize {
        20 * self.mean.len() + self.factor.len() / 2
    }
}
