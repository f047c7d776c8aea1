//! Derivatives in the parameters. With u = Φx, ψ = E' of Student's t experts,
//!
//! `ψ = 2λu / (1 + u²)`, `ψ' = 2λ (1 − u²) / (1 + u²)²`,
//! `ψ'' = 4λ u (u² − 3) / (1 + u²)³`,
//!
//! the gradient in x is `Σ_l ψ_l Φ_l` and its divergence `∇²E = Σ_l ψ'_l |Φ_l|²`.

use super::{Expert, ProductOfExperts};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Energy, LogZGradient, Parametric, ScoreGradient};
use crate::linalg::{Batch, axpy, dot};
use crate::math::{digamma, exp, ln_slice};
use std::ops::Range;

impl Parametric for ProductOfExperts {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.params.len());
        self.params.copy_from_slice(params);
        let (rows, log_lambda) = params.split_at(self.filters.rows().len());
        self.filters.set(rows);
        for (lambda, log) in self.lambda.iter_mut().zip(log_lambda) {
            // Neither 0 nor infinite, so that the spec can always be read again.
            *lambda = exp(*log).clamp(f64::MIN_POSITIVE, f64::MAX);
        }
    }

    /// Each ln λ_l belongs to one expert.
    fn is_bias(&self, param: usize) -> bool {
        param >= self.filters.rows().len()
    }

    /// One an expert: its filter and, of Student's t, ln λ.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let (dim, num_weights) = (self.dim(), self.filters.rows().len());
        let group = |param: usize| match param.checked_sub(num_weights) {
            None => param / dim,
            Some(expert) => expert,
        };
        Some((0..self.params.len()).map(group).collect())
    }

    #[cfg(feature = "full")]
    fn square_filters(&self) -> Option<usize> {
        (self.filters.len() == self.dim()).then(|| self.dim())
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert_eq!(x.len(), weights.len());
        self.accumulate_weighted_by(
            x,
            &mut |range, out| out.copy_from_slice(&weights[range]),
            grad,
        );
    }

    /// `∂E/∂Φ = ψ xᵀ`, `∂E/∂ln λ_l = E_l`.
    fn accumulate_weighted_by(
        &self,
        x: Batch<'_>,
        weigh: &mut dyn FnMut(Range<usize>, &mut [f64]),
        grad: &mut [f64],
    ) {
        let (dim, len) = (self.dim(), self.filters.len());
        assert!(x.dim() == dim && grad.len() == self.params.len());
        let (filter_grad, lambda_grad) = grad.split_at_mut(self.filters.rows().len());
        let (mut states, mut slopes) = (chunks::room(dim, x.len()), chunks::room(len, x.len()));
        // Laplace experts do not learn λ.
        let num_logs = if self.expert == Expert::StudentT { len } else { 0 };
        let mut logs = chunks::room(num_logs, x.len());
        let mut weights = chunks::room(1, x.len());
        let mut sum = vec![0.0; dim * len];
        for range in chunks(x.len()) {
            let (rows, width) = (x.rows(range.clone()), range.len());
            let (slopes, weights) = (&mut slopes[..len * width], &mut weights[..width]);
            self.filters.respond_all(side_by_side(dim, rows, &mut states), slopes);
            let logs = &mut logs[..num_logs * width];
            logs.iter_mut().zip(&*slopes).for_each(|(log, u)| *log = 1.0 + u * u);
            ln_slice(logs);
            self.judge::<true>(slopes, weights);
            weigh(range, weights);
            for slopes in slopes.chunks_exact_mut(width) {
                slopes.iter_mut().zip(&*weights).for_each(|(slope, weight)| *slope *= weight);
            }
            add_product(width, slopes, rows, &mut sum, filter_grad);
            for ((lambda, grad), logs) in
                self.lambda.iter().zip(&mut *lambda_grad).zip(logs.chunks_exact(width))
            {
                *grad += lambda * dot(weights, logs);
            }
        }
    }
}

impl ProductOfExperts {
    /// The squared norms |Φ_l|².
    fn squares(&self) -> Vec<f64> {
        self.filters.rows().chunks_exact(self.dim()).map(|row| dot(row, row)).collect()
    }
}

impl ScoreGradient for ProductOfExperts {
    /// With t = Φv, `v·∂E/∂x = Σ_l ψ_l t_l`: `∂/∂Φ = (ψ' t) xᵀ + ψ vᵀ`,
    /// `∂/∂ln λ_l = ψ_l t_l`.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        assert!(self.expert == Expert::StudentT, "Laplace experts have no second derivative");
        let (dim, len) = (self.dim(), self.filters.len());
        assert!(x.dim() == dim && directions.dim() == dim && grad.len() == self.params.len());
        assert!(x.len() == weights.len() && directions.len() == weights.len());
        let (filter_grad, lambda_grad) = grad.split_at_mut(self.filters.rows().len());
        let mut states = chunks::room(dim, x.len());
        let [mut responses, mut along] = [(); 2].map(|()| chunks::room(len, x.len()));
        let mut sum = vec![0.0; dim * len];
        for range in chunks(x.len()) {
            let (rows, vectors) = (x.rows(range.clone()), directions.rows(range.clone()));
            let weights = &weights[range];
            let width = weights.len();
            let u = &mut responses[..len * width];
            let t = &mut along[..len * width];
            self.filters.respond_all(side_by_side(dim, rows, &mut states), u);
            self.filters.respond_all(side_by_side(dim, vectors, &mut states), t);
            let lines = u.chunks_exact_mut(width).zip(t.chunks_exact_mut(width));
            for (l, (u, t)) in lines.enumerate() {
                let lambda = self.lambda[l];
                for ((u, t), weight) in u.iter_mut().zip(t).zip(weights) {
                    let square = *u * *u;
                    let inverse = 1.0 / (1.0 + square);
                    let slope = weight * 2.0 * lambda * *u * inverse;
                    lambda_grad[l] += slope * *t;
                    *t *= weight * 2.0 * lambda * (1.0 - square) * (inverse * inverse);
                    *u = slope;
                }
            }
            add_product(width, t, rows, &mut sum, filter_grad);
            add_product(width, u, vectors, &mut sum, filter_grad);
        }
    }

    /// `∂∇²E/∂Φ_l = ψ''_l |Φ_l|² xᵀ + 2ψ'_l Φ_l`, `∂∇²E/∂ln λ_l = ψ'_l |Φ_l|²`.
    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        if self.expert != Expert::StudentT {
            return false;
        }
        let (dim, len) = (self.dim(), self.filters.len());
        assert!(x.dim() == dim && x.len() == weights.len());
        assert_eq!(part.len(), 1 + self.params.len());
        let (value, grad) = part.split_at_mut(1);
        let (filter_grad, lambda_grad) = grad.split_at_mut(self.filters.rows().len());
        let (mut states, mut responses) = (chunks::room(dim, x.len()), chunks::room(len, x.len()));
        let (mut sum, squares) = (vec![0.0; dim * len], self.squares());
        // Σ_b w_b ψ'_l.
        let mut totals = vec![0.0; len];
        for range in chunks(x.len()) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let u = &mut responses[..len * width];
            self.filters.respond_all(side_by_side(dim, rows, &mut states), u);
            for (l, u) in u.chunks_exact_mut(width).enumerate() {
                let lambda = self.lambda[l];
                for (u, weight) in u.iter_mut().zip(weights) {
                    let square = *u * *u;
                    let inverse = 1.0 / (1.0 + square);
                    let weight = weight * 2.0 * lambda * (inverse * inverse);
                    totals[l] += weight * (1.0 - square);
                    *u *= weight * squares[l] * 2.0 * (square - 3.0) * inverse;
                }
            }
            add_product(width, u, rows, &mut sum, filter_grad);
        }
        let lines = filter_grad.chunks_exact_mut(dim).zip(self.filters.rows().chunks_exact(dim));
        for (l, (grad, row)) in lines.enumerate() {
            value[0] += totals[l] * squares[l];
            lambda_grad[l] += totals[l] * squares[l];
            axpy(2.0 * totals[l], row, grad);
        }
        true
    }
}

impl LogZGradient for ProductOfExperts {
    /// `∂/∂Φ = −Φ⁻ᵀ`, `∂/∂ln λ_l = λ_l (ψ(λ_l − ½) − ψ(λ_l))` with the digamma function.
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]) {
        assert_eq!(grad.len(), self.params.len());
        let (filter_grad, lambda_grad) = grad.split_at_mut(self.filters.rows().len());
        self.filters.accumulate_log_det_grad(-weight, filter_grad);
        for (grad, &lambda) in lambda_grad.iter_mut().zip(&self.lambda) {
            // NaN up to λ = ½, where Z is infinite.
            *grad += weight * lambda * (digamma(lambda - 0.5) - digamma(lambda));
        }
    }
}
