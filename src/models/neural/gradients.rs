//! Derivatives in the parameters. With δ_l the derivative in the arguments u_l of layer
//! l, `δ_n = w ⊙ σ(u_n)`, `δ_{l−1} = (W_lᵀ δ_l) ⊙ σ(u_{l−1})`, σ the sigmoid,
//!
//! `∂E/∂W_l = δ_l a_{l−1}ᵀ`, `∂E/∂b_l = δ_l`, `∂E/∂w = a_n`, `∂E/∂ln s = −|x|²/s²`.
//!
//! The gradients of v·∂E/∂x in the parameters are the derivatives of these along v. Dots denote
//! derivatives along v, which are propagated up with a and down with δ: `ȧ_0 = v`, `ȧ_l = σ(u_l) ⊙
//! W_l ȧ_{l−1}`, `δ̇_{l−1} = (W_lᵀ δ̇_l) ⊙ σ + (W_lᵀ δ_l) ⊙ σ̇`.

use super::{Layer, Neural, scale_of};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Energy, Parametric, ScoreGradient};
use crate::linalg::{Batch, Block, axpy, dot, transpose};

/// The parts of a gradient: W_l and b_l of each layer; w; ln s.
type Parts<'a> = (Vec<(&'a mut [f64], &'a mut [f64])>, &'a mut [f64], &'a mut f64);

impl Neural {
    fn parts<'a>(&self, mut grad: &'a mut [f64]) -> Parts<'a> {
        assert_eq!(grad.len(), self.params.len());
        let mut layers = Vec::new();
        for layer in &self.layers {
            let (weights, rest) = grad.split_at_mut(layer.weights.rows().len());
            let (bias, rest) = rest.split_at_mut(layer.bias.len());
            layers.push((weights, bias));
            grad = rest;
        }
        let (output, log_scale) = grad.split_at_mut(self.output().len());
        (layers, output, &mut log_scale[0])
    }

    /// Temporary memory for a product as large as the largest W.
    fn room_for_sums(&self) -> Vec<f64> {
        let len = |layer: &Layer| layer.weights.rows().len();
        vec![0.0; self.layers.iter().map(len).max().expect("there is a layer")]
    }

    /// Adds `δ_l a_{l−1}ᵀ` for all layers, given states one after another and, as blocks, a and δ
    /// of all units.
    fn add_outer(
        &self,
        rows: &[f64],
        values: &[f64],
        deltas: &[f64],
        room: &mut [f64],
        sum: &mut [f64],
        layers: &mut [(&mut [f64], &mut [f64])],
    ) {
        let width = rows.len() / self.dim();
        let mut start = 0;
        for (layer, (weights, _)) in self.layers.iter().zip(layers) {
            let (below, len) = (layer.weights.dim(), layer.bias.len() * width);
            let input = if start == 0 {
                rows
            } else {
                let room = &mut room[..below * width];
                transpose(width, below, &values[start - below * width..start], room);
                room
            };
            let sum = &mut sum[..weights.len()];
            add_product(width, &deltas[start..start + len], input, sum, weights);
            start += len;
        }
    }

    /// Adds δ for all layers to the gradients in b.
    fn add_biases(&self, width: usize, deltas: &[f64], layers: &mut [(&mut [f64], &mut [f64])]) {
        let mut lines = deltas.chunks_exact(width);
        for (_, bias) in layers {
            for (grad, line) in bias.iter_mut().zip(&mut lines) {
                *grad += line.iter().sum::<f64>();
            }
        }
    }

    /// Derivatives along v of the slopes σ(u) and of the a_l.
    fn tangent(&self, v: Block<'_>, slopes: &[f64], values: &mut [f64], changes: &mut [f64]) {
        let width = v.width();
        let mut start = 0;
        for layer in &self.layers {
            let below = layer.weights.dim();
            let (before, values) = values.split_at_mut(start);
            let input = if start == 0 { v.data() } else { &before[start - below * width..] };
            let len = layer.bias.len() * width;
            let values = &mut values[..len];
            layer.weights.respond_all(Block::new(below, input), values);
            for (at, value) in values.iter_mut().enumerate() {
                let slope = slopes[start + at];
                changes[start + at] = slope * (1.0 - slope) * *value;
                *value *= slope;
            }
            start += len;
        }
    }

    /// Replaces slopes by δ and their changes by δ̇, from the top layer down.
    fn backward_along(
        &self,
        width: usize,
        room: &mut [f64],
        slopes: &mut [f64],
        changes: &mut [f64],
    ) {
        let mut start = slopes.len();
        let mut above: Option<&Layer> = None;
        for layer in self.layers.iter().rev() {
            let len = layer.bias.len() * width;
            let (before, after) = slopes.split_at_mut(start);
            let (before_dot, after_dot) = changes.split_at_mut(start);
            let own = &mut before[start - len..];
            let own_dot = &mut before_dot[start - len..];
            match above {
                None => {
                    let lines = own.chunks_exact_mut(width).zip(own_dot.chunks_exact_mut(width));
                    for ((line, line_dot), w) in lines.zip(self.output()) {
                        line.iter_mut().for_each(|slope| *slope *= w);
                        line_dot.iter_mut().for_each(|change| *change *= w);
                    }
                }
                Some(above) => {
                    let num_above = above.bias.len() * width;
                    let (back, back_dot) = room.split_at_mut(len);
                    let back_dot = &mut back_dot[..len];
                    above.weights.pull_back(&after[..num_above], back);
                    above.weights.pull_back(&after_dot[..num_above], back_dot);
                    for at in 0..len {
                        own_dot[at] = back_dot[at] * own[at] + back[at] * own_dot[at];
                        own[at] *= back[at];
                    }
                }
            }
            start -= len;
            above = Some(layer);
        }
    }
}

/// `line ← line ⊙ weights`, for all lines.
fn scale(weights: &[f64], lines: &mut [f64]) {
    for line in lines.chunks_exact_mut(weights.len()) {
        line.iter_mut().zip(weights).for_each(|(entry, weight)| *entry *= weight);
    }
}

impl Parametric for Neural {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        let mut rest = params;
        for layer in &mut self.layers {
            let (weights, more) = rest.split_at(layer.weights.rows().len());
            let (bias, more) = more.split_at(layer.bias.len());
            layer.weights.set(weights);
            layer.bias.copy_from_slice(bias);
            rest = more;
        }
        self.scale = scale_of(params[params.len() - 1]);
    }

    /// All b, and ln s.
    fn is_bias(&self, param: usize) -> bool {
        let mut start = 0;
        for layer in &self.layers {
            start += layer.weights.rows().len();
            if (start..start + layer.bias.len()).contains(&param) {
                return true;
            }
            start += layer.bias.len();
        }
        param + 1 == self.params.len()
    }

    /// One a unit, its weights and its bias; then all w, and ln s.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let (mut groups, mut first) = (Vec::with_capacity(self.params.len()), 0);
        for layer in &self.layers {
            let (units, width) = (first..first + layer.bias.len(), layer.weights.rows().len());
            let width = width / layer.bias.len();
            groups.extend(units.clone().flat_map(|unit| (0..width).map(move |_| unit)));
            groups.extend(units);
            first += layer.bias.len();
        }
        groups.resize(self.params.len() - 1, first);
        groups.push(first + 1);
        Some(groups)
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let (dim, len, num_units) = (self.dim(), x.len(), self.num_units());
        assert!(x.dim() == dim && len == weights.len());
        let (mut layers, output, log_scale) = self.parts(grad);
        let [mut values, mut slopes] = [(); 2].map(|()| chunks::room(num_units, len));
        let mut states = chunks::room(dim, len);
        let mut room = chunks::room(self.largest_layer(), len);
        let mut sum = self.room_for_sums();
        for range in chunks(len) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let block = side_by_side(dim, rows, &mut states);
            let [values, slopes] =
                [&mut values, &mut slopes].map(|all| &mut all[..num_units * width]);
            self.forward(block, &mut room, values, slopes);
            self.backward(width, &mut room, slopes);
            scale(weights, slopes);
            self.add_outer(rows, values, slopes, &mut room, &mut sum, &mut layers);
            self.add_biases(width, slopes, &mut layers);
            let last = &values[values.len() - output.len() * width..];
            for (grad, a) in output.iter_mut().zip(last.chunks_exact(width)) {
                *grad += dot(weights, a);
            }
            for (row, weight) in rows.chunks_exact(dim).zip(weights) {
                *log_scale -= weight * dot(row, row) / (self.scale * self.scale);
            }
        }
    }
}

impl ScoreGradient for Neural {
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        let (dim, len, num_units) = (self.dim(), x.len(), self.num_units());
        assert!(x.dim() == dim && directions.dim() == dim);
        assert!(len == weights.len() && directions.len() == len);
        let (mut layers, output, log_scale) = self.parts(grad);
        let mut units = [(); 4].map(|()| chunks::room(num_units, len));
        let [mut states, mut vectors] = [(); 2].map(|()| chunks::room(dim, len));
        let mut room = chunks::room(2 * self.largest_layer(), len);
        let mut sum = self.room_for_sums();
        for range in chunks(len) {
            let (rows, lines) = (x.rows(range.clone()), directions.rows(range.clone()));
            let weights = &weights[range];
            let width = weights.len();
            let block = side_by_side(dim, rows, &mut states);
            let v = side_by_side(dim, lines, &mut vectors);
            let [values, slopes, values_dot, slopes_dot] =
                units.each_mut().map(|all| &mut all[..num_units * width]);
            self.forward(block, &mut room, values, slopes);
            self.tangent(v, slopes, values_dot, slopes_dot);
            self.backward_along(width, &mut room, slopes, slopes_dot);
            scale(weights, slopes);
            scale(weights, slopes_dot);
            self.add_outer(rows, values, slopes_dot, &mut room, &mut sum, &mut layers);
            self.add_outer(lines, values_dot, slopes, &mut room, &mut sum, &mut layers);
            self.add_biases(width, slopes_dot, &mut layers);
            let last = &values_dot[values_dot.len() - output.len() * width..];
            for (grad, a) in output.iter_mut().zip(last.chunks_exact(width)) {
                *grad += dot(weights, a);
            }
            let pairs = rows.chunks_exact(dim).zip(lines.chunks_exact(dim)).zip(weights);
            for ((row, line), weight) in pairs {
                *log_scale -= weight * 2.0 * dot(row, line) / (self.scale * self.scale);
            }
        }
    }

    /// For one layer: `∇²E = D/s² + Σ_j w_j σ'(u_j) |W_j|²`, σ' = σ (1 − σ), σ'' = σ' (1 − 2σ). For
    /// more layers it is not cheap.
    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        let [layer] = &self.layers[..] else { return false };
        let (dim, len, num_units) = (self.dim(), x.len(), layer.bias.len());
        assert!(x.dim() == dim && len == weights.len());
        let (value, grad) = part.split_at_mut(1);
        let (mut layers, output, log_scale) = self.parts(grad);
        let (weight_grad, bias_grad) = &mut layers[0];
        let rows_of_w = || layer.weights.rows().chunks_exact(dim);
        let squares: Vec<f64> = rows_of_w().map(|row| dot(row, row)).collect();
        let [mut values, mut slopes] = [(); 2].map(|()| chunks::room(num_units, len));
        let (mut states, mut room) = (chunks::room(dim, len), chunks::room(1, len));
        let mut sum = self.room_for_sums();
        // Σ_b weight_b σ'(u_j).
        let mut totals = vec![0.0; num_units];
        for range in chunks(len) {
            let (rows, weights) = (x.rows(range.clone()), &weights[range]);
            let width = weights.len();
            let [values, slopes] =
                [&mut values, &mut slopes].map(|all| &mut all[..num_units * width]);
            self.forward(side_by_side(dim, rows, &mut states), &mut room, values, slopes);
            for (j, line) in slopes.chunks_exact_mut(width).enumerate() {
                let factor = self.output()[j] * squares[j];
                for (slope, weight) in line.iter_mut().zip(weights) {
                    let change = weight * *slope * (1.0 - *slope);
                    totals[j] += change;
                    *slope = factor * change * (1.0 - 2.0 * *slope);
                }
                bias_grad[j] += line.iter().sum::<f64>();
            }
            add_product(width, slopes, rows, &mut sum, weight_grad);
        }
        for (j, (row, grad)) in rows_of_w().zip(weight_grad.chunks_exact_mut(dim)).enumerate() {
            value[0] += self.output()[j] * totals[j] * squares[j];
            output[j] += totals[j] * squares[j];
            axpy(2.0 * self.output()[j] * totals[j], row, grad);
        }
        let bowl = weights.iter().sum::<f64>() * dim as f64 / (self.scale * self.scale);
        value[0] += bowl;
        *log_scale -= 2.0 * bowl;
        true
    }
}
