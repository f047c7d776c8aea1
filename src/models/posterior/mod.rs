//! The posterior of a model that is typed: priors of its parameters θ, and the log likelihood of a row as
//! a formula. In coordinates u ∈ ℝᴰ with `θ_d = F_d⁻¹(Φ(u_d))`, F_d the prior's distribution function,
//! the prior is N(0, I) exactly, and
//!
//! `E(u) = ½ |u|² + (D/2) ln 2π − Σ_n ln L(y_n; θ(u))`.
//!
//! So log Z is ln p(y), the evidence, and the geometric path from N(0, I) is prior × likelihoodᵝ
//! (fractional data). Where the likelihood is 0 the energy is infinite.

mod prior;
mod spec;

pub use prior::{ParameterPrior, PriorDistribution};
pub use spec::{MAX_ROWS, PosteriorSpec};

use super::formula::RowSum;
use super::{Model, ModelSpec, capabilities};
use crate::energy::{Differentiable, Energy};
use crate::linalg::{Batch, Block, transpose, with_scratch};
use crate::math::LN_SQRT_2_PI;

/// The posterior; see the module documentation.
#[derive(Debug, Clone)]
pub struct Posterior {
    spec: PosteriorSpec,
    log_likelihood: RowSum,
}

impl Posterior {
    /// The parameters θ at states u, both `[number of states, D]`, in the order of the prior.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn parameters(&self, states: Batch<'_>, out: &mut [f64]) {
        let (dim, width) = (self.dim(), states.len());
        assert!(states.dim() == dim && out.len() == states.data().len());
        with_scratch([out.len(); 3], |[u, theta, slopes]| {
            transpose(dim, width, states.data(), u);
            self.map(Block::new(dim, u), theta, slopes);
            transpose(width, dim, theta, out);
        });
    }

    /// θ and dθ/du, both `[D, width]`.
    fn map(&self, u: Block<'_>, theta: &mut [f64], slopes: &mut [f64]) {
        let width = u.width();
        let rows = theta.chunks_exact_mut(width).zip(slopes.chunks_exact_mut(width));
        for (d, (prior, (theta, slopes))) in self.spec.prior.iter().zip(rows).enumerate() {
            prior.distribution.map(u.entry(d), theta, slopes);
        }
    }

    /// Energies and, if asked for, gradients.
    fn evaluate(&self, u: Block<'_>, energy: &mut [f64], grad: Option<&mut [f64]>) {
        let (dim, width) = (u.dim(), u.width());
        with_scratch([u.data().len(); 2], |[theta, slopes]| {
            self.map(u, theta, slopes);
            let theta = Block::new(dim, theta);
            match grad {
                None => self.log_likelihood.evaluate(theta, energy, None),
                Some(grad) => {
                    self.log_likelihood.evaluate(theta, energy, Some(&mut *grad));
                    for ((grad, slope), u) in grad.iter_mut().zip(slopes).zip(u.data()) {
                        *grad = u - *grad * *slope;
                    }
                }
            }
            let constant = dim as f64 * LN_SQRT_2_PI;
            energy.iter_mut().for_each(|energy| *energy = constant - *energy);
            for u in u.data().chunks_exact(width) {
                energy.iter_mut().zip(u).for_each(|(energy, u)| *energy += 0.5 * u * u);
            }
        });
    }
}

impl Energy for Posterior {
    fn dim(&self) -> usize {
        self.spec.prior.len()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        with_scratch([x.data().len()], |[u]| {
            transpose(x.dim(), x.len(), x.data(), u);
            self.evaluate(Block::new(x.dim(), u), out, None);
        });
    }
}

impl Differentiable for Posterior {
    /// `∂E/∂u = u − (∂ ln L/∂θ) φ(u)/p(θ)`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        assert!(x.dim() == self.dim() && energy.len() == x.width() && grad.len() == x.data().len());
        self.evaluate(x, energy, Some(grad));
    }

    fn gradient_cost(&self) -> usize {
        let of_priors: usize = self.spec.prior.iter().map(|prior| prior.distribution.cost()).sum();
        of_priors + self.log_likelihood.cost()
    }
}

impl Model for Posterior {
    fn kind(&self) -> &'static str {
        "posterior"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Posterior(self.spec.clone())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Differentiable);
}
