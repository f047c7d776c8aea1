//! Energies of coefficients, each with its own x, and derivatives in Φ. With r = Φa − x,
//!
//! `∂E/∂a = Φᵀr/σ² + ∂E_prior`, `∂E/∂Φ = r aᵀ/σ²`.

use super::{Basis, LinearGenerative, Prior};
use crate::chunks::{self, add_product, chunks, side_by_side};
use crate::energy::{Generative, Parametric};
use crate::filters::sign;
use crate::linalg::{Batch, Block, dot, product, with_scratch};
use crate::observed::Observed;
use crate::rng::{ChainRng, laplace, normal};
use std::sync::Arc;

impl Parametric for LinearGenerative {
    fn params(&self) -> &[f64] {
        &self.basis.rows
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.basis.rows.len());
        let observed = std::mem::take(&mut self.observed);
        // Models at other x may share the basis.
        Arc::make_mut(&mut self.basis).set(params.to_vec());
        *self = Self::at(self.basis.clone(), observed);
    }

    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    /// `∂E/∂Φ = r aᵀ/σ²`, at the model's own x.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        self.accumulate(None, x, weights, &mut 0.0, grad);
    }
}

impl LinearGenerative {
    /// The gradient at the model's own x, or at one x per state.
    fn accumulate(
        &self,
        observed: Option<Batch<'_>>,
        states: Batch<'_>,
        weights: &[f64],
        value: &mut f64,
        grad: &mut [f64],
    ) {
        let (m, l, len) = (self.basis.num_observed, self.basis.num_latent, weights.len());
        assert!(states.dim() == l && states.len() == len && grad.len() == m * l);
        assert!(observed.is_none_or(|observed| observed.dim() == m && observed.len() == len));
        let [mut turned, mut rest, mut given] = [l, m, m].map(|dim| chunks::room(dim, len));
        let (mut energy, mut sum) = (chunks::room(1, len), vec![0.0; m * l]);
        for range in chunks(len) {
            let (rows, weights) = (states.rows(range.clone()), &weights[range.clone()]);
            let width = weights.len();
            let (rest, energy) = (&mut rest[..m * width], &mut energy[..width]);
            let observed = match observed {
                None => Observed::Same(&self.observed),
                Some(x) => Observed::Each(side_by_side(m, x.rows(range), &mut given)),
            };
            self.energies(observed, side_by_side(l, rows, &mut turned), rest, energy);
            *value += dot(weights, energy);
            for rest in rest.chunks_exact_mut(width) {
                rest.iter_mut().zip(weights).for_each(|(rest, weight)| *rest *= weight);
            }
            add_product(width, rest, rows, &mut sum, grad);
        }
    }

    /// Energies of states, and r/σ².
    fn energies(
        &self,
        observed: Observed<'_>,
        states: Block<'_>,
        rest: &mut [f64],
        energy: &mut [f64],
    ) {
        let precision = 1.0 / (self.basis.noise * self.basis.noise);
        self.basis.forward.product(states.data(), rest);
        observed.subtract(rest);
        energy.fill(self.basis.normalizers().iter().sum());
        for rest in rest.chunks_exact_mut(states.width()) {
            for (rest, energy) in rest.iter_mut().zip(&mut *energy) {
                *energy += 0.5 * precision * *rest * *rest;
                *rest *= precision;
            }
        }
        for l in 0..self.basis.num_latent {
            for (energy, a) in energy.iter_mut().zip(states.entry(l)) {
                *energy += match self.basis.prior {
                    Prior::Gaussian => 0.5 * a * a,
                    Prior::Laplace => a.abs(),
                };
            }
        }
    }
}

impl LinearGenerative {
    /// The same model at another x.
    ///
    /// # Panics
    /// If x has another number of entries.
    pub fn given(&self, observed: &[f64]) -> Self {
        assert_eq!(observed.len(), self.num_observed());
        Self::at(self.basis.clone(), observed.to_vec())
    }
}

impl Generative for LinearGenerative {
    fn simulate(&self, rng: &mut ChainRng, observed: &mut [f64], state: &mut [f64]) {
        let Basis { num_observed, num_latent, prior, noise, ref rows, .. } = *self.basis;
        assert!(observed.len() == num_observed && state.len() == num_latent);
        state.fill_with(|| match prior {
            Prior::Gaussian => normal(rng),
            Prior::Laplace => laplace(rng),
        });
        product(num_observed, num_latent, rows, state, observed);
        observed.iter_mut().for_each(|x| *x += noise * normal(rng));
    }

    fn num_observed(&self) -> usize {
        self.basis.num_observed
    }

    fn joint_energy_grad(
        &self,
        observed: Block<'_>,
        states: Block<'_>,
        energy: &mut [f64],
        grad: &mut [f64],
    ) {
        let (m, l, width) = (self.basis.num_observed, self.basis.num_latent, states.width());
        assert!(observed.dim() == m && observed.width() == width && states.dim() == l);
        assert!(energy.len() == width && grad.len() == l * width);
        with_scratch([m * width], |[rest]| {
            self.energies(Observed::Each(observed), states, rest, energy);
            self.basis.backward.product(rest, grad);
        });
        for (grad, a) in grad.iter_mut().zip(states.data()) {
            *grad += match self.basis.prior {
                Prior::Gaussian => *a,
                Prior::Laplace => sign(*a),
            };
        }
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
