//! Derivatives in the parameters. With r = x − μ and y = Lᵀr, `E = ½ yᵀy`.

use super::Gaussian;
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{LogZGradient, Parametric, ScoreGradient};
use crate::linalg::{Batch, dot, product, transpose};
use crate::math::{exp, ln};
use nalgebra::{Cholesky, DMatrix};

/// μ, followed by the lower triangle of L with the logarithms of its diagonal.
pub(super) fn params_of(mean: &[f64], factor: &DMatrix<f64>) -> Vec<f64> {
    let mut params = mean.to_vec();
    for i in 0..mean.len() {
        params.extend((0..i).map(|j| factor[(i, j)]));
        params.push(ln(factor[(i, i)]));
    }
    params
}

/// The index of L's row i among the parameters.
fn line(dim: usize, i: usize) -> usize {
    dim + i * (i + 1) / 2
}

impl Gaussian {
    /// The factor L, row-major `[D, D]`.
    fn factor_rows(&self) -> Vec<f64> {
        let (dim, factor) = (self.dim, self.factor.l_dirty());
        let entry =
            |at: usize| if at % dim <= at / dim { factor[(at / dim, at % dim)] } else { 0.0 };
        (0..dim * dim).map(entry).collect()
    }

    /// Converts a gradient in all entries of L, `[D, D]`, to the parameters, and adds it.
    fn add_factor_grad(&self, full: &[f64], grad: &mut [f64]) {
        let (dim, factor) = (self.dim, self.factor.l_dirty());
        for i in 0..dim {
            let grad = &mut grad[line(dim, i)..][..=i];
            grad.iter_mut().zip(&full[i * dim..]).take(i).for_each(|(grad, full)| *grad += full);
            grad[i] += factor[(i, i)] * full[i * dim + i];
        }
    }
}

impl Parametric for Gaussian {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.params.len());
        let dim = self.dim;
        self.params.copy_from_slice(params);
        self.mean.copy_from_slice(&params[..dim]);
        let mut rows = vec![0.0; dim * dim];
        for (i, row) in rows.chunks_exact_mut(dim).enumerate() {
            row[..=i].copy_from_slice(&params[line(dim, i)..][..=i]);
            // Neither 0 nor infinite.
            row[i] = exp(row[i]).clamp(f64::MIN_POSITIVE, f64::MAX);
        }
        // Each entry of LLᵀ is a sum in the same order on both sides of the diagonal.
        let mut columns = vec![0.0; dim * dim];
        transpose(dim, dim, &rows, &mut columns);
        product(dim, dim, &rows, &columns, &mut self.precision);
        self.factor = Cholesky::pack_dirty(DMatrix::from_row_slice(dim, dim, &rows));
        self.derive();
    }

    /// The mean and the logarithms of L's diagonal: shrinking these would draw the mean to 0 and
    /// the scales to 1.
    fn is_bias(&self, param: usize) -> bool {
        // The diagonal entry of row i comes i (i + 3) / 2 after μ.
        param.checked_sub(self.dim).is_none_or(|at| {
            let square = 8 * at + 9;
            square.isqrt() * square.isqrt() == square
        })
    }

    /// The mean, and the precision.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        Some((0..self.params.len()).map(|param| usize::from(param >= self.dim)).collect())
    }

    /// `∂E/∂μ = −Ly`, `∂E/∂L = r yᵀ` in the lower triangle.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let dim = self.dim;
        assert!(x.dim() == dim && x.len() == weights.len() && grad.len() == self.params.len());
        let factor = self.factor_rows();
        let [mut off, mut left, mut y] = [(); 3].map(|()| chunks::room(dim, x.len()));
        let (mut sum, mut full) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        // Σ_b w_b y_b.
        let mut pull = vec![0.0; dim];
        for range in chunks(x.len()) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let (off, y) = (&mut off[..rows.len()], &mut y[..rows.len()]);
            self.centre(rows, off);
            product(width, dim, off, &factor, y);
            product(1, width, weights, y, &mut sum[..dim]);
            pull.iter_mut().zip(&sum).for_each(|(pull, sum)| *pull += sum);
            side_by_side(dim, off, &mut left);
            for left in left[..rows.len()].chunks_exact_mut(width) {
                left.iter_mut().zip(weights).for_each(|(left, weight)| *left *= weight);
            }
            add_product(width, &left[..rows.len()], y, &mut sum, &mut full);
        }
        for (grad, row) in grad.iter_mut().zip(factor.chunks_exact(dim)) {
            *grad -= dot(row, &pull);
        }
        self.add_factor_grad(&full, grad);
    }
}

impl Gaussian {
    /// Computes r for states one after another.
    fn centre(&self, rows: &[f64], off: &mut [f64]) {
        for (off, x) in off.chunks_exact_mut(self.dim).zip(rows.chunks_exact(self.dim)) {
            for ((off, x), mean) in off.iter_mut().zip(x).zip(&self.mean) {
                *off = x - mean;
            }
        }
    }
}

impl ScoreGradient for Gaussian {
    /// With z = Lᵀv, `v·∂E/∂x = z·y`: `∂/∂μ = −Lz`, `∂/∂L = v yᵀ + r zᵀ`.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        let dim = self.dim;
        assert!(x.dim() == dim && directions.dim() == dim && grad.len() == self.params.len());
        assert!(x.len() == weights.len() && directions.len() == weights.len());
        let factor = self.factor_rows();
        let [mut off, mut left, mut y, mut z] = [(); 4].map(|()| chunks::room(dim, x.len()));
        let (mut sum, mut full) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        let mut pull = vec![0.0; dim];
        for range in chunks(x.len()) {
            let (rows, vectors) = (x.rows(range.clone()), directions.rows(range.clone()));
            let weights = &weights[range];
            let width = weights.len();
            let off = &mut off[..rows.len()];
            let (y, z) = (&mut y[..rows.len()], &mut z[..rows.len()]);
            self.centre(rows, off);
            product(width, dim, off, &factor, y);
            product(width, dim, vectors, &factor, z);
            product(1, width, weights, z, &mut sum[..dim]);
            pull.iter_mut().zip(&sum).for_each(|(pull, sum)| *pull += sum);
            for (of, by) in [(vectors, &*y), (&*off, &*z)] {
                side_by_side(dim, of, &mut left);
                for left in left[..rows.len()].chunks_exact_mut(width) {
                    left.iter_mut().zip(weights).for_each(|(left, weight)| *left *= weight);
                }
                add_product(width, &left[..rows.len()], by, &mut sum, &mut full);
            }
        }
        for (grad, row) in grad.iter_mut().zip(factor.chunks_exact(dim)) {
            *grad -= dot(row, &pull);
        }
        self.add_factor_grad(&full, grad);
    }

    /// `∇²E = tr Λ = Σ L_ij²`.
    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        assert!(x.dim() == self.dim && x.len() == weights.len());
        assert_eq!(part.len(), 1 + self.params.len());
        let total: f64 = weights.iter().sum();
        let mut factor = self.factor_rows();
        part[0] += total * dot(&factor, &factor);
        factor.iter_mut().for_each(|entry| *entry *= 2.0 * total);
        self.add_factor_grad(&factor, &mut part[1..]);
        true
    }
}

impl LogZGradient for Gaussian {
    /// −1 for each ln L_ii, as ln det Λ is twice their sum.
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]) {
        assert_eq!(grad.len(), self.params.len());
        (0..self.dim).for_each(|i| grad[line(self.dim, i) + i] -= weight);
    }
}
