//! Energies of factors, each with its own x, and derivatives in the parameters.
//! With r = Φa − x and s = Φᵀr/σ²,
//!
//! `∂E/∂Φ = r aᵀ/σ²`, `∂E/∂Θ = (s ⊙ Ψd) cᵀ`, `∂E/∂Ψ = (s ⊙ Θc) dᵀ`.

use super::{BilinearGenerative, scale};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Energy, Generative, Parametric};
use crate::linalg::{Batch, Block, dot, transpose};
use crate::observed::Observed;
use crate::rng::{ChainRng, laplace, normal};
use std::sync::Arc;

impl Parametric for BilinearGenerative {
    fn params(&self) -> &[f64] {
        &self.mixing.params
    }

    fn set_params(&mut self, params: &[f64]) {
        // Models at other x may share the matrices.
        let mixing = Arc::make_mut(&mut self.mixing);
        mixing.params.copy_from_slice(params);
        mixing.transpose();
    }

    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    /// The gradient at the model's own x.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        self.accumulate(None, x, weights, &mut 0.0, grad);
    }
}

impl BilinearGenerative {
    /// The gradient at the model's own x, or at one x per state.
    fn accumulate(
        &self,
        observed: Option<Batch<'_>>,
        states: Batch<'_>,
        weights: &[f64],
        value: &mut f64,
        grad: &mut [f64],
    ) {
        let (mixing, shape, dim, len) =
            (&*self.mixing, self.mixing.shape, self.dim(), weights.len());
        let (m, l) = (shape.observed, shape.coefficients);
        assert!(states.dim() == dim && states.len() == len && grad.len() == mixing.params.len());
        assert!(observed.is_none_or(|observed| observed.dim() == m && observed.len() == len));
        let largest = l.max(shape.signed).max(shape.positive);
        let [mut turned, mut rows_of, mut room, mut given] =
            [dim, largest, mixing.num_forward(), m].map(|dim| chunks::room(dim, len));
        let mut energy = chunks::room(1, len);
        let mut sum = vec![0.0; grad.len()];
        let [basis_sum, theta_sum, psi_sum] = shape.split_mut(&mut sum);
        let [basis_grad, theta_grad, psi_grad] = shape.split_mut(grad);
        for range in chunks(len) {
            let (rows, weights) = (states.rows(range.clone()), &weights[range.clone()]);
            let width = weights.len();
            let energy = &mut energy[..width];
            let observed = match observed {
                None => Observed::Same(&self.observed),
                Some(x) => Observed::Each(side_by_side(m, x.rows(range), &mut given)),
            };
            let block = side_by_side(dim, rows, &mut turned);
            let forward = mixing.forward(observed, block, &mut room, energy);
            *value += dot(weights, energy);
            for line in forward.rest.chunks_exact_mut(width) {
                scale(weights, line);
            }
            for line in forward.slopes.chunks_exact_mut(width) {
                scale(weights, line);
            }
            scale(forward.slopes, forward.positive);
            scale(forward.slopes, forward.signed);
            // Makes each state's entries contiguous again.
            let mut turn =
                |dim: usize, from: &[f64], left: &[f64], sum: &mut [f64], grad: &mut [f64]| {
                    let rows = &mut rows_of[..dim * width];
                    transpose(width, dim, from, rows);
                    add_product(width, left, rows, sum, grad);
                };
            let (c, d) = block.data().split_at(shape.signed * width);
            turn(l, forward.coefficients, forward.rest, basis_sum, basis_grad);
            turn(shape.signed, c, forward.positive, theta_sum, theta_grad);
            turn(shape.positive, d, forward.signed, psi_sum, psi_grad);
        }
    }
}

impl BilinearGenerative {
    /// The same model at another x.
    ///
    /// # Panics
    /// If x has another number of entries.
    pub fn given(&self, observed: &[f64]) -> Self {
        assert_eq!(observed.len(), self.num_observed());
        Self { mixing: self.mixing.clone(), observed: observed.to_vec() }
    }
}

impl Generative for BilinearGenerative {
    fn num_observed(&self) -> usize {
        self.mixing.shape.observed
    }

    fn simulate(&self, rng: &mut ChainRng, observed: &mut [f64], state: &mut [f64]) {
        let (mixing, shape) = (&*self.mixing, self.mixing.shape);
        assert!(observed.len() == shape.observed && state.len() == self.dim());
        let (c, d) = state.split_at_mut(shape.signed);
        c.fill_with(|| laplace(rng));
        // The size of a Laplace number is exponential.
        d.fill_with(|| laplace(rng).abs());
        for (x, mean) in observed.iter_mut().zip(mixing.means(c, d)) {
            *x = mean + mixing.noise * normal(rng);
        }
    }

    fn joint_energy_grad(
        &self,
        observed: Block<'_>,
        states: Block<'_>,
        energy: &mut [f64],
        grad: &mut [f64],
    ) {
        assert!(observed.dim() == self.num_observed() && observed.width() == states.width());
        self.mixing.energy_grad(Observed::Each(observed), states, energy, grad);
    }

    fn accumulate_joint(
        &self,
        observed: Batch<'_>,
        states: Batch<'_>,
        weights: &[f64],
        part: &mut [f64],
    ) {
        let (value, grad) = part.split_at_mut(1);
        self.accumulate(Some(observed), states, weights, &mut value[0], grad);
    }
}
