//! The banana, x ∈ ℝᴰ: Rosenbrock's function as an energy,
//!
//! `E(x) = a (x₀ − μ)² + b Σ_{d≥1} (x_d − x₀²)²`,
//! `log Z = ½ ln(π/a) + ½ (D − 1) ln(π/b)`.
//!
//! x₀ is N(μ, 1/(2a)), and given it all others are N(x₀², 1/(2b)). In two dimensions this is the
//! density of Goodman and Weare (2010), with a = 1/20, b = 5 and μ = 1; in more it is the hybrid
//! Rosenbrock density of Pagani, Wiegand and Nadarajah (2022) with blocks of two.

use super::{Model, ModelSpec, capabilities};
use crate::checks::check_count;
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, Reference};
use crate::linalg::{Batch, Block};
use crate::math::ln;
use crate::rng::{ChainRng, normal};
use crate::{Error, Result};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// Maximum dimension D.
pub const MAX_DIM: usize = 100_000;

/// The spec of the banana.
#[spec(default)]
#[derive(Copy)]
pub struct BananaSpec {
    /// Number of dimensions D, at least 2; 2 if absent.
    pub dim: usize,
    /// μ, the mean of x₀; 1 if absent.
    pub mean: f64,
    /// a, greater than 0; 0.05 if absent. The banana is about 1/√(2a) long.
    pub a: f64,
    /// b, greater than 0; 5 if absent. The banana is about 1/√(2b) thick.
    pub b: f64,
}

impl Default for BananaSpec {
    fn default() -> Self {
        Self { dim: 2, mean: 1.0, a: 0.05, b: 5.0 }
    }
}

/// The banana; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct Banana {
    spec: BananaSpec,
}

impl BananaSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Banana> {
        check_count("model.dim", self.dim, 2, MAX_DIM, "dimensions")?;
        check_positive("model.a", self.a)?;
        check_positive("model.b", self.b)?;
        if !self.mean.is_finite() {
            let problem = format!("is {}; it must be a finite number", self.mean);
            return Err(Error::spec("model.mean", problem));
        }
        Ok(Banana { spec: *self })
    }

    /// Models for the laws.
    pub fn examples() -> Vec<Self> {
        vec![
            Self { a: 0.5, b: 1.0, ..Self::default() },
            Self { dim: 4, mean: -0.5, ..Self::default() },
        ]
    }
}

impl Energy for Banana {
    fn dim(&self) -> usize {
        self.spec.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let BananaSpec { dim, mean, a, b } = self.spec;
        assert!(x.dim() == dim && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let along = state[0];
            let off = |x: &f64| x - along * along;
            let across: f64 = state[1..].iter().map(|x| off(x) * off(x)).sum();
            *out = a * (along - mean) * (along - mean) + b * across;
        }
    }
}

impl Differentiable for Banana {
    /// `∂E/∂x_d = 2b (x_d − x₀²)` and
    /// `∂E/∂x₀ = 2a (x₀ − μ) − 2x₀ Σ_{d≥1} ∂E/∂x_d`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let BananaSpec { dim, mean, a, b } = self.spec;
        let width = x.width();
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        let (first, others) = grad.split_at_mut(width);
        let along = x.entry(0);
        energy.fill(0.0);
        first.fill(0.0);
        for (d, grad) in others.chunks_exact_mut(width).enumerate() {
            let x = x.entry(d + 1);
            for c in 0..width {
                let off = x[c] - along[c] * along[c];
                grad[c] = 2.0 * b * off;
                first[c] += grad[c];
                energy[c] += b * off * off;
            }
        }
        for ((first, along), energy) in first.iter_mut().zip(along).zip(energy) {
            let off = along - mean;
            *first = 2.0 * (a * off - along * *first);
            *energy += a * off * off;
        }
    }

    fn gradient_cost(&self) -> usize {
        5 + 2 * self.spec.dim
    }
}

impl Reference for Banana {
    fn log_z(&self) -> f64 {
        let BananaSpec { dim, a, b, .. } = self.spec;
        0.5 * (ln(PI / a) + (dim - 1) as f64 * ln(PI / b))
    }

    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        let BananaSpec { dim, mean, a, b } = self.spec;
        assert_eq!(out.len(), dim);
        let along = mean + normal(rng) * (0.5 / a).sqrt();
        out[0] = along;
        for x in &mut out[1..] {
            *x = along * along + normal(rng) * (0.5 / b).sqrt();
        }
    }
}

impl Model for Banana {
    fn kind(&self) -> &'static str {
        "banana"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Banana(self.spec)
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(*self)
    }

    capabilities!(Differentiable, Reference);
}
