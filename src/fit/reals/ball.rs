//! Minimum probability flow on ℝᴰ between states closer than r (Sohl-Dickstein 2012, eq.
//! 2.13 with the connectivity 2.16), the sum over neighbours being a mean over draws:
//!
//! `K = 1/N Σ_x E_u [e^{½ (E(x) − E(x + ru))}]`, u uniform in the unit ball,
//!
//! with the gradient `½ e^{…} [∂E(x) − ∂E(x + ru)]`.
//!
//! As r falls to 0 this is score matching (2.17, appendix D): expanding the exponent and
//! the exponential, with `E[uuᵀ] = I/(D + 2)` and no odd moments,
//!
//! `K = 1 + r² / (4 (D + 2)) · 1/N Σ_x [½ |∇E|² − ∇²E] + O(r⁴)`.
//!
//! Draws come in pairs u and −u, in which odd powers of r cancel. Otherwise the term −½ r u·∇E
//! would be noise that hides the rest, the more so the smaller r.

use super::RowLoss;
use crate::linalg::{Batch, axpy, norm};
use crate::math::{exp, pow};
use crate::models::Model;
use crate::rng::{Purpose, normal, stream, uniform};

/// ℓ(x, u) = ½ [e^{½ (E(x) − E(x + ru))} + e^{½ (E(x) − E(x − ru))}].
#[derive(Debug, Clone, Copy)]
pub struct BallFlow {
    radius: f64,
    num_pairs: usize,
    seed: u64,
}

impl BallFlow {
    /// Flow to `num_samples` neighbours per row, an even number, from a ball of this radius.
    pub fn new(radius: f64, num_samples: usize, seed: u64) -> Self {
        Self { radius, num_pairs: num_samples / 2, seed }
    }

    /// Draws ru: in a uniformly drawn direction, at the distance r U^{1/D}.
    fn draw(&self, index: u64, offset: &mut [f64]) {
        let mut rng = stream(self.seed, Purpose::Ball, index);
        offset.iter_mut().for_each(|entry| *entry = normal(&mut rng));
        let distance = self.radius * pow(uniform(&mut rng), 1.0 / offset.len() as f64);
        let scale = distance / norm(offset);
        offset.iter_mut().for_each(|entry| *entry *= scale);
    }
}

impl RowLoss for BallFlow {
    fn num_draws(&self) -> usize {
        self.num_pairs
    }

    /// The size of K − 1 relative to the objective of score matching.
    fn scale(&self, dim: usize) -> f64 {
        (self.radius * self.radius / (4.0 * (dim as f64 + 2.0))).min(1.0)
    }

    fn unit_cost(&self, model: &dyn Model) -> u64 {
        3 * (super::gradient_cost(model) + super::param_cost(model)) + 10 * model.dim() as u64
    }

    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        streams: &[u64],
        weight: f64,
        part: &mut [f64],
    ) {
        let (dim, width) = (x.dim(), x.len());
        let mut offsets = vec![0.0; x.data().len()];
        for (offset, index) in offsets.chunks_exact_mut(dim).zip(streams) {
            self.draw(*index, offset);
        }
        // The rows, then the upper and the lower neighbours.
        let mut states = x.data().repeat(3);
        axpy(1.0, &offsets, &mut states[dim * width..2 * dim * width]);
        axpy(-1.0, &offsets, &mut states[2 * dim * width..]);
        let states = Batch::new(dim, &states);
        let (energies, _) = super::energies_and_gradients(model, states);
        let mut weights = vec![0.0; 3 * width];
        for at in 0..width {
            for neighbour in [width + at, 2 * width + at] {
                let flow = 0.5 * weight * exp(0.5 * (energies[at] - energies[neighbour]));
                part[0] += flow;
                weights[at] += 0.5 * flow;
                weights[neighbour] = -0.5 * flow;
            }
        }
        let model = model.as_parametric().expect("the model has parameters");
        model.accumulate_param_grad(states, &weights, &mut part[1..]);
    }
}
