//! Neal's funnel, x ∈ ℝᴰ: `x₀ ~ N(0, s²)`, and all others `N(0, e^{x₀})`,
//!
//! `E(x) = x₀²/(2s²) + ½ (D − 1) x₀ + ½ e^{−x₀} Σ_{d≥1} x_d²`,
//! `log Z = ln s + (D/2) ln 2π`.
//!
//! Its neck is narrower than its mouth by an unbounded factor, so no single step size suits it.
//! Neal (2003), "Slice sampling", section 8, with D = 10 and s = 3.

use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_count;
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, Reference};
use crate::linalg::{Batch, Block};
use crate::math::{exp, exp_slice, ln};
use crate::rng::{ChainRng, normal};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// Maximum dimension D.
pub const MAX_DIM: usize = 100_000;

/// The spec of the funnel.
#[spec(default)]
#[derive(Copy)]
pub struct FunnelSpec {
    /// Number of dimensions D, at least 2; 10 if absent.
    pub dim: usize,
    /// s, the standard deviation of x₀, greater than 0; 3 if absent.
    pub scale: f64,
}

impl Default for FunnelSpec {
    fn default() -> Self {
        Self { dim: 10, scale: 3.0 }
    }
}

/// The funnel; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct Funnel {
    spec: FunnelSpec,
}

impl FunnelSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Funnel> {
        check_count("model.dim", self.dim, 2, MAX_DIM, "dimensions")?;
        check_positive("model.scale", self.scale)?;
        Ok(Funnel { spec: *self })
    }

    /// Models for the laws.
    pub fn examples() -> Vec<Self> {
        vec![Self::default(), Self { dim: 2, scale: 0.5 }]
    }
}

impl Energy for Funnel {
    fn dim(&self) -> usize {
        self.spec.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let FunnelSpec { dim, scale } = self.spec;
        assert!(x.dim() == dim && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let neck = state[0];
            let square: f64 = state[1..].iter().map(|x| x * x).sum();
            *out = 0.5
                * (neck * neck / (scale * scale) + (dim - 1) as f64 * neck + exp(-neck) * square);
        }
    }
}

impl Differentiable for Funnel {
    /// `∂E/∂x₀ = x₀/s² + ½ (D − 1) − ½ e^{−x₀} Σ x_d²`, `∂E/∂x_d = e^{−x₀} x_d`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let FunnelSpec { dim, scale } = self.spec;
        let width = x.width();
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        let (first, others) = grad.split_at_mut(width);
        let neck = x.entry(0);
        // Temporarily, e^{−x₀} is stored in place of ∂E/∂x₀.
        first.iter_mut().zip(neck).for_each(|(precision, neck)| *precision = -neck);
        exp_slice(first);
        energy.fill(0.0);
        for (d, grad) in others.chunks_exact_mut(width).enumerate() {
            let entries = grad.iter_mut().zip(x.entry(d + 1)).zip(&*first).zip(energy.iter_mut());
            for (((grad, x), precision), energy) in entries {
                *grad = precision * x;
                *energy += x * *grad;
            }
        }
        let count = (dim - 1) as f64;
        for ((first, neck), energy) in first.iter_mut().zip(neck).zip(energy) {
            let slope = neck / (scale * scale);
            *first = slope + 0.5 * (count - *energy);
            *energy = 0.5 * (neck * slope + count * neck + *energy);
        }
    }

    fn gradient_cost(&self) -> usize {
        10 + 2 * self.spec.dim
    }
}

impl Reference for Funnel {
    fn log_z(&self) -> f64 {
        ln(self.spec.scale) + 0.5 * self.spec.dim as f64 * ln(2.0 * PI)
    }

    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), self.spec.dim);
        out[0] = self.spec.scale * normal(rng);
        let width = exp(0.5 * out[0]);
        out[1..].iter_mut().for_each(|x| *x = width * normal(rng));
    }
}

impl Model for Funnel {
    fn kind(&self) -> &'static str {
        "funnel"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Funnel(self.spec)
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(*self)
    }

    capabilities!(Differentiable, Reference);
}
