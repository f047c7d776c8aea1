//! The ring of Sohl-Dickstein 2012, 6.1.3, x ∈ ℝ²:
//! `E(x) = s ln²(|x| / R)`, with s = 100 and R = 1 there (eq. 6.12).
//!
//! With u = ln(|x|/R) and the angle, `Z = 2πR² ∫ e^{2u − su²} du =
//! 2πR² √(π/s) e^{1/s}`, and u is normal with mean 1/s and variance 1/(2s).

use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, Reference};
use crate::linalg::{Batch, Block};
use crate::math::{exp, ln};
use crate::rng::{ChainRng, normal};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// The spec of the ring.
#[spec(default)]
#[derive(Copy)]
pub struct RingSpec {
    /// R, greater than 0; 1 if absent.
    pub radius: f64,
    /// s, greater than 0; 100 if absent. The ring is about R/√(2s) thick.
    pub sharpness: f64,
}

impl Default for RingSpec {
    fn default() -> Self {
        Self { radius: 1.0, sharpness: 100.0 }
    }
}

/// The ring; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct Ring {
    spec: RingSpec,
}

impl RingSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`], naming the field.
    pub fn build(&self) -> Result<Ring> {
        for (field, value) in [("model.radius", self.radius), ("model.sharpness", self.sharpness)] {
            check_positive(field, value)?;
        }
        Ok(Ring { spec: *self })
    }

    /// Models for the laws.
    pub fn examples() -> Vec<Self> {
        vec![Self::default(), Self { radius: 2.0, sharpness: 3.0 }]
    }
}

impl Ring {
    /// The logarithmic radius u = ln(|x|/R), from |x|².
    fn log_radius(&self, square: f64) -> f64 {
        0.5 * ln(square / (self.spec.radius * self.spec.radius))
    }
}

impl Energy for Ring {
    fn dim(&self) -> usize {
        2
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == 2 && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let u = self.log_radius(state[0] * state[0] + state[1] * state[1]);
            *out = self.spec.sharpness * u * u;
        }
    }
}

impl Differentiable for Ring {
    /// `∂E/∂x = 2 s u x / |x|²`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        assert!(x.dim() == 2 && energy.len() == width && grad.len() == 2 * width);
        let (grad_0, grad_1) = grad.split_at_mut(width);
        let (x_0, x_1) = (x.entry(0), x.entry(1));
        for c in 0..width {
            let square = x_0[c] * x_0[c] + x_1[c] * x_1[c];
            let u = self.log_radius(square);
            let pull = self.spec.sharpness * u;
            energy[c] = pull * u;
            let slope = 2.0 * pull / square;
            grad_0[c] = slope * x_0[c];
            grad_1[c] = slope * x_1[c];
        }
    }
}

impl Reference for Ring {
    fn log_z(&self) -> f64 {
        let RingSpec { radius, sharpness } = self.spec;
        ln(2.0 * PI * radius * radius) + 0.5 * ln(PI / sharpness) + 1.0 / sharpness
    }

    /// Draws the direction as that of a normal vector.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), 2);
        let RingSpec { radius, sharpness } = self.spec;
        let u = 1.0 / sharpness + normal(rng) * (0.5 / sharpness).sqrt();
        let direction = [normal(rng), normal(rng)];
        let length = (direction[0] * direction[0] + direction[1] * direction[1]).sqrt();
        let radius = radius * exp(u);
        out.iter_mut().zip(direction).for_each(|(x, along)| *x = radius * along / length);
    }
}

impl Model for Ring {
    fn kind(&self) -> &'static str {
        "ring"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Ring(self.spec)
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(*self)
    }

    capabilities!(Differentiable, Reference);
}
