//! Derivatives in the parameters. The hidden units depend on V, `V_ji = W_ji/σ_i`, so with K the
//! gradient in V, `∂/∂W_ji = K_ji/σ_i` and `∂/∂ln σ_i = −Σ_j K_ji V_ji` plus the derivative of the
//! quadratic term.

use super::{GaussianRbm, sigma_of};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Energy, Parametric, ScoreGradient};
use crate::linalg::{Batch, axpy, dot};
use crate::softplus::sigmoids;

/// The parts of a gradient.
struct Parts<'a> {
    weights: &'a mut [f64],
    visible: &'a mut [f64],
    hidden: &'a mut [f64],
    sigma: &'a mut [f64],
}

impl GaussianRbm {
    fn parts<'a>(&self, grad: &'a mut [f64]) -> Parts<'a> {
        assert_eq!(grad.len(), self.params.len());
        let (weights, rest) = grad.split_at_mut(self.num_weights());
        let (visible, rest) = rest.split_at_mut(self.dim());
        let (hidden, sigma) = rest.split_at_mut(self.num_hidden());
        Parts { weights, visible, hidden, sigma }
    }

    /// Adds the contribution of the gradient K in V.
    fn add_scaled(&self, scaled: &[f64], parts: &mut Parts<'_>) {
        let dim = self.dim();
        let lines = scaled.chunks_exact(dim).zip(self.scaled.rows().chunks_exact(dim));
        for ((k, v), grad) in lines.zip(parts.weights.chunks_exact_mut(dim)) {
            for i in 0..dim {
                grad[i] += k[i] / self.sigma[i];
                parts.sigma[i] -= k[i] * v[i];
            }
        }
    }
}

impl Parametric for GaussianRbm {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        let logs = &params[params.len() - self.sigma.len()..];
        self.sigma.iter_mut().zip(logs).for_each(|(sigma, log)| *sigma = sigma_of(*log));
        self.derive();
    }

    /// The parameters that belong to one unit.
    fn is_bias(&self, param: usize) -> bool {
        param >= self.num_weights()
    }

    /// One a hidden unit, its weights and its bias; then all c, and all ln σ.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let (dim, num_hidden) = (self.dim(), self.num_hidden());
        let weights = (0..num_hidden).flat_map(|unit| (0..dim).map(move |_| unit));
        let of_dims = |group: usize| (0..dim).map(move |_| group);
        let others = of_dims(num_hidden).chain(0..num_hidden).chain(of_dims(num_hidden + 1));
        Some(weights.chain(others).collect())
    }

    /// With g = sigmoid(b + Vx): `∂E/∂V = −g xᵀ`, `∂E/∂c = −(x − c)/σ²`, `∂E/∂b = −g`, and from the
    /// quadratic term `∂/∂ln σ = −(x − c)²/σ²`.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let (dim, num_hidden) = (self.dim(), self.num_hidden());
        assert!(x.dim() == dim && x.len() == weights.len());
        let mut parts = self.parts(grad);
        let (mut states, mut units) =
            (chunks::room(dim, x.len()), chunks::room(num_hidden, x.len()));
        let [mut sum, mut scaled] = [(); 2].map(|()| vec![0.0; dim * num_hidden]);
        for range in chunks(x.len()) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let units = &mut units[..num_hidden * width];
            let block = side_by_side(dim, rows, &mut states);
            self.respond(block, units);
            sigmoids(units);
            for (units, grad) in units.chunks_exact_mut(width).zip(&mut *parts.hidden) {
                units.iter_mut().zip(weights).for_each(|(g, weight)| *g *= -weight);
                *grad += units.iter().sum::<f64>();
            }
            add_product(width, units, rows, &mut sum, &mut scaled);
            for d in 0..dim {
                let (centre, sigma) = (self.visible_bias()[d], self.sigma[d]);
                let (mut first, mut second) = (0.0, 0.0);
                for (x, weight) in block.entry(d).iter().zip(weights) {
                    let off = x - centre;
                    first += weight * off;
                    second += weight * off * off;
                }
                parts.visible[d] -= first / (sigma * sigma);
                parts.sigma[d] -= second / (sigma * sigma);
            }
        }
        self.add_scaled(&scaled, &mut parts);
    }
}

impl ScoreGradient for GaussianRbm {
    /// The derivative along v of the gradient in the parameters: ġ = g (1 − g) ⊙ Vv,
    /// `∂/∂V = −(ġ xᵀ + g vᵀ)`, `∂/∂c = −v/σ²`, `∂/∂b = −ġ`, and from the quadratic term
    /// `∂/∂ln σ = −2 (x − c) v/σ²`.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        let (dim, num_hidden) = (self.dim(), self.num_hidden());
        assert!(x.dim() == dim && x.len() == weights.len());
        assert!(directions.dim() == dim && directions.len() == weights.len());
        let mut parts = self.parts(grad);
        let [mut states, mut vectors] = [(); 2].map(|()| chunks::room(dim, x.len()));
        let [mut units, mut along] = [(); 2].map(|()| chunks::room(num_hidden, x.len()));
        let [mut sum, mut scaled] = [(); 2].map(|()| vec![0.0; dim * num_hidden]);
        for range in chunks(x.len()) {
            let (rows, lines) = (x.rows(range.clone()), directions.rows(range.clone()));
            let weights = &weights[range];
            let width = weights.len();
            let (units, along) =
                (&mut units[..num_hidden * width], &mut along[..num_hidden * width]);
            let block = side_by_side(dim, rows, &mut states);
            let vectors = side_by_side(dim, lines, &mut vectors);
            self.respond(block, units);
            sigmoids(units);
            self.scaled.respond_all(vectors, along);
            let both = units.chunks_exact_mut(width).zip(along.chunks_exact_mut(width));
            for ((units, along), grad) in both.zip(&mut *parts.hidden) {
                for ((g, along), weight) in units.iter_mut().zip(along.iter_mut()).zip(weights) {
                    *along *= -weight * *g * (1.0 - *g);
                    *g *= -weight;
                }
                *grad += along.iter().sum::<f64>();
            }
            add_product(width, along, rows, &mut sum, &mut scaled);
            add_product(width, units, lines, &mut sum, &mut scaled);
            for d in 0..dim {
                let (centre, sigma) = (self.visible_bias()[d], self.sigma[d]);
                let (mut first, mut second) = (0.0, 0.0);
                let entries = block.entry(d).iter().zip(vectors.entry(d)).zip(weights);
                for ((x, v), weight) in entries {
                    first += weight * v;
                    second += weight * v * (x - centre);
                }
                parts.visible[d] -= first / (sigma * sigma);
                parts.sigma[d] -= 2.0 * second / (sigma * sigma);
            }
        }
        self.add_scaled(&scaled, &mut parts);
    }

    /// `∇²E = Σ_i 1/σ_i² − Σ_j g'_j |V_j|²`, g' = g (1 − g), g'' = g' (1 − 2g):
    /// `∂/∂V_j = −g''_j |V_j|² x − 2g'_j V_j`, `∂/∂b_j = −g''_j |V_j|²`.
    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        let (dim, num_hidden) = (self.dim(), self.num_hidden());
        assert!(x.dim() == dim && x.len() == weights.len());
        let (value, grad) = part.split_at_mut(1);
        let mut parts = self.parts(grad);
        let rows_of_v = || self.scaled.rows().chunks_exact(dim);
        let squares: Vec<f64> = rows_of_v().map(|row| dot(row, row)).collect();
        let (mut states, mut units) =
            (chunks::room(dim, x.len()), chunks::room(num_hidden, x.len()));
        let [mut sum, mut scaled] = [(); 2].map(|()| vec![0.0; dim * num_hidden]);
        // Σ_b w_b g'_j.
        let mut totals = vec![0.0; num_hidden];
        for range in chunks(x.len()) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let units = &mut units[..num_hidden * width];
            self.respond(side_by_side(dim, rows, &mut states), units);
            sigmoids(units);
            for (j, units) in units.chunks_exact_mut(width).enumerate() {
                for (g, weight) in units.iter_mut().zip(weights) {
                    let slope = weight * *g * (1.0 - *g);
                    totals[j] += slope;
                    *g = -slope * (1.0 - 2.0 * *g) * squares[j];
                }
                parts.hidden[j] += units.iter().sum::<f64>();
            }
            add_product(width, units, rows, &mut sum, &mut scaled);
        }
        for (j, (row, scaled)) in rows_of_v().zip(scaled.chunks_exact_mut(dim)).enumerate() {
            value[0] -= totals[j] * squares[j];
            axpy(-2.0 * totals[j], row, scaled);
        }
        let total: f64 = weights.iter().sum();
        for (sigma, grad) in self.sigma.iter().zip(&mut *parts.sigma) {
            value[0] += total / (sigma * sigma);
            *grad -= 2.0 * total / (sigma * sigma);
        }
        self.add_scaled(&scaled, &mut parts);
        true
    }
}
