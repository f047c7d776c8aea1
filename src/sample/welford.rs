//! Means and covariances of a stream of states, numerically stable (Welford
//! 1962): with the n-th state x and d = x − m before, `m ← m + d/n` and
//! `S ← S + (x − m) dᵀ`; the covariance is S/(n − 1).

use nalgebra::{Cholesky, DMatrix};
use serde::{Deserialize, Serialize};

/// Running mean and covariance of a stream of states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welford {
    num_states: u64,
    mean: Vec<f64>,
    /// The diagonal of S, or its lower triangle, row-major.
    sum: Vec<f64>,
    is_dense: bool,
}

impl Welford {
    /// The estimate before the first state.
    pub fn new(dim: usize, is_dense: bool) -> Self {
        let num_sums = if is_dense { dim * dim } else { dim };
        Self { num_states: 0, mean: vec![0.0; dim], sum: vec![0.0; num_sums], is_dense }
    }

    /// Number of states so far.
    pub fn num_states(&self) -> u64 {
        self.num_states
    }

    /// Whether the lengths match this dimension and kind.
    pub fn is_valid(&self, dim: usize, is_dense: bool) -> bool {
        self.is_dense == is_dense
            && self.mean.len() == dim
            && self.sum.len() == if is_dense { dim * dim } else { dim }
    }

    /// Adds a state. `off` is working memory.
    ///
    /// # Panics
    /// If the state has another dimension.
    pub fn add(&mut self, state: &[f64], off: &mut Vec<f64>) {
        let dim = self.mean.len();
        assert_eq!(state.len(), dim);
        self.num_states += 1;
        let count = self.num_states as f64;
        off.clear();
        off.extend(state.iter().zip(&self.mean).map(|(x, mean)| x - mean));
        self.mean.iter_mut().zip(&*off).for_each(|(mean, off)| *mean += off / count);
        if self.is_dense {
            for (i, line) in self.sum.chunks_exact_mut(dim).enumerate() {
                let after = state[i] - self.mean[i];
                line[..=i].iter_mut().zip(&*off).for_each(|(sum, off)| *sum += after * off);
            }
        } else {
            for (d, sum) in self.sum.iter_mut().enumerate() {
                *sum += (state[d] - self.mean[d]) * off[d];
            }
        }
    }

    /// The covariance of the states, shrunk towards a small multiple of the unit matrix as in Stan,
    /// `(n C + 5·10⁻³ I) / (n + 5)`: the diagonal, or the lower triangle.
    fn regularized(&self) -> Vec<f64> {
        let count = self.num_states as f64;
        let dim = self.mean.len();
        let mut covariance: Vec<f64> =
            self.sum.iter().map(|sum| count / (count + 5.0) * (sum / (count - 1.0))).collect();
        let stride = if self.is_dense { dim + 1 } else { 1 };
        covariance
            .iter_mut()
            .step_by(stride)
            .for_each(|value| *value += 1e-3 * 5.0 / (count + 5.0));
        covariance
    }

    /// The map A with AAᵀ the regularized covariance: standard deviations, or a lower triangular
    /// matrix, row-major. None if there are fewer than two states, or if the factorization fails
    /// because states were not finite.
    pub fn scale(&self) -> Option<Vec<f64>> {
        if self.num_states < 2 {
            return None;
        }
        let covariance = self.regularized();
        if !covariance.iter().all(|value| value.is_finite()) {
            return None;
        }
        if !self.is_dense {
            return Some(covariance.iter().map(|variance| variance.sqrt()).collect());
        }
        let dim = self.mean.len();
        // The factorization reads the lower triangle only.
        let factor = Cholesky::new(DMatrix::from_row_slice(dim, dim, &covariance))?.l();
        Some(factor.transpose().as_slice().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covariances_by_their_definition() {
        let states = [[1.0, 2.0, -1.0], [3.0, -4.0, 0.5], [0.0, 0.25, 7.0], [2.0, 2.0, 1.0]];
        let mean: [f64; 3] =
            std::array::from_fn(|d| states.iter().map(|x| x[d]).sum::<f64>() / 4.0);
        let expected = |i: usize, j: usize| {
            let terms = states.iter().map(|x| (x[i] - mean[i]) * (x[j] - mean[j]));
            let shrunk = 4.0 / 9.0 * terms.sum::<f64>() / 3.0;
            if i == j { shrunk + 5e-3 / 9.0 } else { shrunk }
        };
        let mut off = Vec::new();
        let estimate = |is_dense: bool, off: &mut Vec<f64>| {
            let mut welford = Welford::new(3, is_dense);
            assert_eq!(welford.scale(), None);
            states.iter().for_each(|state| welford.add(state, off));
            welford.scale().expect("four states")
        };
        for (d, scale) in estimate(false, &mut off).into_iter().enumerate() {
            assert!((scale * scale - expected(d, d)).abs() < 1e-12);
        }
        let factor = estimate(true, &mut off);
        for i in 0..3 {
            for j in 0..3 {
                let value: f64 = (0..3).map(|k| factor[i * 3 + k] * factor[j * 3 + k]).sum();
                assert!((value - expected(i, j)).abs() < 1e-12, "{i}, {j}");
                assert!(j <= i || factor[i * 3 + j] == 0.0);
            }
        }
    }
}
