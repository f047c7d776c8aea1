//! Derivatives in the parameters. With n = |x|² + ½, f = Cx, y = f²/n, h and g the
//! means of covariance and mean units, z = −½ Ph and r = 2zf/n,
//!
//! `∂E/∂P = −½ y hᵀ`, `∂E/∂C = r xᵀ`, `∂E/∂W = −g xᵀ`, `∂E/∂b^c = −h`,
//! `∂E/∂b^m = −g`, `∂E/∂b^v = −x`, `∂E/∂ln σ = −|x|²/σ²`.
//!
//! The gradients of v·∂E/∂x in the parameters are the derivatives of these along v. Dots denote
//! derivatives along v: `ṅ = 2x·v`, `ḟ = Cv`, `ẏ = (2fḟ − yṅ)/n`, `ḣ = ½ h (1 − h) Pᵀẏ`, `ż = −½
//! Pḣ`, `ṙ = (2żf + 2zḟ − rṅ)/n`, `ġ = g (1 − g) Wv`.

use super::{McRbm, Parts, sigma_of};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Energy, Parametric, ScoreGradient};
use crate::linalg::{Batch, Block, dot, transpose};
use crate::softplus::sigmoids;

impl McRbm {
    fn parts_mut<'a>(&self, grad: &'a mut [f64]) -> (Parts<&'a mut [f64]>, &'a mut f64) {
        assert_eq!(grad.len(), self.params.len());
        let (pooling, rest) = grad.split_at_mut(self.pooling.rows().len());
        let (filters, rest) = rest.split_at_mut(self.filters.rows().len());
        let (weights, rest) = rest.split_at_mut(self.weights.rows().len());
        let (covariance_bias, rest) = rest.split_at_mut(self.pooling.len());
        let (mean_bias, rest) = rest.split_at_mut(self.weights.len());
        let (visible_bias, log_sigma) = rest.split_at_mut(self.filters.dim());
        let parts = Parts { pooling, filters, weights, covariance_bias, mean_bias, visible_bias };
        (parts, &mut log_sigma[0])
    }

    /// Temporary memory for a product as large as the largest part.
    fn room_for_sums(&self) -> Vec<f64> {
        let parts = self.parts();
        vec![0.0; parts.pooling.len().max(parts.filters.len()).max(parts.weights.len())]
    }
}

/// `line ← line ⊙ by`, for all lines.
fn scale(by: &[f64], lines: &mut [f64]) {
    for line in lines.chunks_exact_mut(by.len()) {
        line.iter_mut().zip(by).for_each(|(entry, by)| *entry *= by);
    }
}

/// Adds the sum of each line to `grad`.
fn add_sums(width: usize, lines: &[f64], grad: &mut [f64]) {
    for (grad, line) in grad.iter_mut().zip(lines.chunks_exact(width)) {
        *grad += line.iter().sum::<f64>();
    }
}

impl Parametric for McRbm {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        self.sigma = sigma_of(params[params.len() - 1]);
        self.derive();
    }

    /// All parameters except P, C and W.
    fn is_bias(&self, param: usize) -> bool {
        let parts = self.parts();
        param >= parts.pooling.len() + parts.filters.len() + parts.weights.len()
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let (dim, len) = (self.dim(), x.len());
        let (num_factors, num_pooling) = (self.pooling.dim(), self.pooling.len());
        assert!(x.dim() == dim && len == weights.len());
        let (parts, log_sigma) = self.parts_mut(grad);
        let mut sum = self.room_for_sums();
        let mut states = chunks::room(dim, len);
        let [mut f, mut y, mut z] = [(); 3].map(|()| chunks::room(num_factors, len));
        let [mut units, mut turned] = [(); 2].map(|()| chunks::room(num_pooling, len));
        let (mut means, mut norms) = (chunks::room(self.weights.len(), len), chunks::room(1, len));
        for range in chunks(len) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let x = side_by_side(dim, rows, &mut states);
            let [f, y, z] = [&mut f, &mut y, &mut z].map(|all| &mut all[..num_factors * width]);
            let [units, turned] =
                [&mut units, &mut turned].map(|all| &mut all[..num_pooling * width]);
            let (means, norms) = (&mut means[..self.weights.len() * width], &mut norms[..width]);
            Self::norms(x, norms);
            self.pool(x, norms, f, y, units);
            sigmoids(units);
            self.pooling.pull_back(units, z);
            transpose(width, num_pooling, units, turned);
            // Replaces f by wr, y by −½wy and units by −wh.
            let lines = f.chunks_exact_mut(width).zip(y.chunks_exact_mut(width));
            for ((f, y), z) in lines.zip(z.chunks_exact(width)) {
                for c in 0..width {
                    f[c] *= -weights[c] * z[c] / norms[c];
                    y[c] *= -0.5 * weights[c];
                }
            }
            add_product(width, y, turned, &mut sum[..parts.pooling.len()], parts.pooling);
            add_product(width, f, rows, &mut sum[..parts.filters.len()], parts.filters);
            self.respond(x, means);
            sigmoids(means);
            // Replaces norms by −w.
            norms.iter_mut().zip(weights).for_each(|(norm, weight)| {
                *log_sigma -= weight * (*norm - 0.5) / (self.sigma * self.sigma);
                *norm = -weight;
            });
            scale(norms, units);
            scale(norms, means);
            add_product(width, means, rows, &mut sum[..parts.weights.len()], parts.weights);
            add_sums(width, units, parts.covariance_bias);
            add_sums(width, means, parts.mean_bias);
            for (d, grad) in parts.visible_bias.iter_mut().enumerate() {
                *grad += dot(norms, x.entry(d));
            }
        }
    }
}

impl ScoreGradient for McRbm {
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        let (dim, len) = (self.dim(), x.len());
        let (num_factors, num_pooling) = (self.pooling.dim(), self.pooling.len());
        let num_means = self.weights.len();
        assert!(x.dim() == dim && directions.dim() == dim);
        assert!(len == weights.len() && directions.len() == len);
        let (parts, log_sigma) = self.parts_mut(grad);
        let mut sum = self.room_for_sums();
        let [mut states, mut vectors] = [(); 2].map(|()| chunks::room(dim, len));
        let mut of_factors = [(); 6].map(|()| chunks::room(num_factors, len));
        let mut of_units = [(); 4].map(|()| chunks::room(num_pooling, len));
        let mut of_means = [(); 2].map(|()| chunks::room(num_means, len));
        let [mut norms, mut growth] = [(); 2].map(|()| chunks::room(1, len));
        for range in chunks(len) {
            let (rows, lines) = (x.rows(range.clone()), directions.rows(range.clone()));
            let weights = &weights[range];
            let width = weights.len();
            let x = side_by_side(dim, rows, &mut states);
            let v = side_by_side(dim, lines, &mut vectors);
            let [f, y, z, f_dot, y_dot, z_dot] =
                of_factors.each_mut().map(|all| &mut all[..num_factors * width]);
            let [h, h_dot, h_rows, h_dot_rows] =
                of_units.each_mut().map(|all| &mut all[..num_pooling * width]);
            let [g, g_dot] = of_means.each_mut().map(|all| &mut all[..num_means * width]);
            let (norms, growth) = (&mut norms[..width], &mut growth[..width]);
            Self::norms(x, norms);
            growth.fill(0.0);
            for d in 0..dim {
                for ((growth, x), v) in growth.iter_mut().zip(x.entry(d)).zip(v.entry(d)) {
                    *growth += 2.0 * x * v;
                }
            }
            self.pool(x, norms, f, y, h);
            sigmoids(h);
            self.filters.respond_all(v, f_dot);
            for at in 0..num_factors * width {
                let c = at % width;
                y_dot[at] = (2.0 * f[at] * f_dot[at] - y[at] * growth[c]) / norms[c];
            }
            self.pooling.respond_all(Block::new(num_factors, y_dot), h_dot);
            h_dot.iter_mut().zip(&*h).for_each(|(dot, h)| *dot *= 0.5 * h * (1.0 - h));
            self.pooling.pull_back(h, z);
            self.pooling.pull_back(h_dot, z_dot);
            // Replaces f by r, and its derivative by ṙ.
            for at in 0..num_factors * width {
                let (c, z, z_dot) = (at % width, -0.5 * z[at], -0.5 * z_dot[at]);
                let r = 2.0 * z * f[at] / norms[c];
                f_dot[at] = (2.0 * (z_dot * f[at] + z * f_dot[at]) - r * growth[c]) / norms[c];
                f[at] = r;
            }
            for line in [&mut *f, &mut *f_dot] {
                scale(weights, line);
            }
            let (filter_sum, pooling_sum) = (parts.filters.len(), parts.pooling.len());
            add_product(width, f_dot, rows, &mut sum[..filter_sum], parts.filters);
            add_product(width, f, lines, &mut sum[..filter_sum], parts.filters);
            transpose(width, num_pooling, h, h_rows);
            transpose(width, num_pooling, h_dot, h_dot_rows);
            for (at, (y, y_dot)) in y.iter_mut().zip(&mut *y_dot).enumerate() {
                *y *= -0.5 * weights[at % width];
                *y_dot *= -0.5 * weights[at % width];
            }
            add_product(width, y_dot, h_rows, &mut sum[..pooling_sum], parts.pooling);
            add_product(width, y, h_dot_rows, &mut sum[..pooling_sum], parts.pooling);
            self.respond(x, g);
            sigmoids(g);
            self.weights.respond_all(v, g_dot);
            g_dot.iter_mut().zip(&*g).for_each(|(dot, g)| *dot *= g * (1.0 - g));
            for (norm, (weight, growth)) in norms.iter_mut().zip(weights.iter().zip(&*growth)) {
                *log_sigma -= weight * growth / (self.sigma * self.sigma);
                *norm = -weight;
            }
            for units in [&mut *h_dot, &mut *g, &mut *g_dot] {
                scale(norms, units);
            }
            let weight_sum = parts.weights.len();
            add_product(width, g_dot, rows, &mut sum[..weight_sum], parts.weights);
            add_product(width, g, lines, &mut sum[..weight_sum], parts.weights);
            add_sums(width, h_dot, parts.covariance_bias);
            add_sums(width, g_dot, parts.mean_bias);
            for (d, grad) in parts.visible_bias.iter_mut().enumerate() {
                *grad += dot(norms, v.entry(d));
            }
        }
    }
}
