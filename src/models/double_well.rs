//! The double well, x ∈ ℝᴰ: two minima at x₀ = ±w with a barrier of B nats
//! between them, and standard normal in all other directions,
//!
//! `E(x) = B ((x₀/w)² − 1)² + ½ Σ_{d≥1} x_d²`.
//!
//! With z = B/2 and the modified Bessel functions I (Gradshteyn and Ryzhik
//! 3.323.3 and 3.469),
//! `Z = w (π/2) e^{−z} [I_{−1/4}(z) + I_{1/4}(z)] · (2π)^{(D−1)/2}`.

use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_count;
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, Reference};
use crate::linalg::{Batch, Block};
use crate::math::{exp, ln, ln_gamma};
use crate::rng::{ChainRng, normal, uniform};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// Maximum dimension D.
pub const MAX_DIM: usize = 100_000;

/// The spec of the double well.
#[spec(default)]
#[derive(Copy)]
pub struct DoubleWellSpec {
    /// Number of dimensions D; 1 if absent.
    pub dim: usize,
    /// B, in nats, greater than 0; 4 if absent.
    pub barrier: f64,
    /// w, greater than 0: the minima are at x₀ = ±w; 1 if absent.
    pub minimum: f64,
}

impl Default for DoubleWellSpec {
    fn default() -> Self {
        Self { dim: 1, barrier: 4.0, minimum: 1.0 }
    }
}

/// The double well; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct DoubleWell {
    spec: DoubleWellSpec,
}

impl DoubleWellSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<DoubleWell> {
        check_count("model.dim", self.dim, 1, MAX_DIM, "dimensions")?;
        check_positive("model.barrier", self.barrier)?;
        check_positive("model.minimum", self.minimum)?;
        Ok(DoubleWell { spec: *self })
    }

    /// Models for the laws, with barriers on both sides of every case distinction below.
    pub fn examples() -> Vec<Self> {
        vec![
            Self::default(),
            Self { dim: 3, barrier: 0.3, minimum: 2.0 },
            Self { barrier: 60.0, ..Self::default() },
            Self { dim: 2, barrier: 0.3, ..Self::default() },
        ]
    }
}

impl Energy for DoubleWell {
    fn dim(&self) -> usize {
        self.spec.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let DoubleWellSpec { dim, barrier, minimum } = self.spec;
        assert!(x.dim() == dim && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let t = state[0] / minimum;
            let square: f64 = state[1..].iter().map(|x| x * x).sum();
            *out = barrier * (t * t - 1.0) * (t * t - 1.0) + 0.5 * square;
        }
    }
}

impl Differentiable for DoubleWell {
    /// `∂E/∂x₀ = 4B ((x₀/w)² − 1) x₀/w²`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let DoubleWellSpec { dim, barrier, minimum } = self.spec;
        let width = x.width();
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        let (first, others) = grad.split_at_mut(width);
        for ((grad, x), energy) in first.iter_mut().zip(x.entry(0)).zip(energy.iter_mut()) {
            let t = x / minimum;
            let pull = barrier * (t * t - 1.0);
            *energy = pull * (t * t - 1.0);
            *grad = 4.0 * pull * t / minimum;
        }
        for (d, grad) in others.chunks_exact_mut(width).enumerate() {
            for ((grad, x), energy) in grad.iter_mut().zip(x.entry(d + 1)).zip(energy.iter_mut()) {
                *grad = *x;
                *energy += 0.5 * x * x;
            }
        }
    }

    fn gradient_cost(&self) -> usize {
        5 + 2 * self.spec.dim
    }
}

/// From here on the asymptotic series is accurate to the last place.
const LARGE: f64 = 20.0;

/// `e^{−z} I_ν(z)` for ν = ±1/4, z > 0.
fn scaled_bessel(order: f64, z: f64) -> f64 {
    if z < LARGE {
        // Σ (z/2)^{2m+ν} / (m! Γ(m + ν + 1)): all terms are positive.
        let mut term = exp(order * ln(0.5 * z) - z - ln_gamma(1.0 + order));
        let mut sum = term;
        let mut m = 0.0;
        while term > 1e-18 * sum {
            m += 1.0;
            term *= 0.25 * z * z / (m * (m + order));
            sum += term;
        }
        return sum;
    }
    // (2πz)^{−½} Σ (−1)ᵐ Π_{k≤m} (4ν² − (2k−1)²) / (8kz), while the terms fall.
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut m = 0.0_f64;
    while f64::abs(term) > 1e-18 && m < 30.0 {
        m += 1.0;
        let odd = 2.0 * m - 1.0;
        term *= -(4.0 * order * order - odd * odd) / (8.0 * m * z);
        sum += term;
    }
    sum / (2.0 * PI * z).sqrt()
}

/// Draws `t ∝ exp(−B (t² − 1)²)` by rejection from a normal density that lies above it everywhere.
fn draw_scaled(barrier: f64, rng: &mut ChainRng) -> f64 {
    loop {
        if barrier < 1.0 {
            // With c = √B, `B(t² − 1)² ≥ c t² − c − c²/(4B)`.
            let c = barrier.sqrt();
            let t = normal(rng) * (0.5 / c).sqrt();
            let off = t * t - 1.0;
            if uniform(rng) < exp(c * off - 0.25 - barrier * off * off) {
                return t;
            }
        } else {
            // For t ≥ 0, `B(t² − 1)² ≥ B(t − 1)²`; both signs are equally likely.
            let off = normal(rng) * (0.5 / barrier).sqrt();
            let t = 1.0 + off;
            let sum = 1.0 + t;
            let is_accepted = uniform(rng) < exp(-barrier * off * off * (sum * sum - 1.0));
            if t >= 0.0 && is_accepted {
                return if uniform(rng) < 0.5 { -t } else { t };
            }
        }
    }
}

impl Reference for DoubleWell {
    fn log_z(&self) -> f64 {
        let DoubleWellSpec { dim, barrier, minimum } = self.spec;
        let z = 0.5 * barrier;
        let bessel = scaled_bessel(-0.25, z) + scaled_bessel(0.25, z);
        ln(minimum * 0.5 * PI * bessel) + 0.5 * (dim - 1) as f64 * ln(2.0 * PI)
    }

    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), self.spec.dim);
        out[0] = self.spec.minimum * draw_scaled(self.spec.barrier, rng);
        out[1..].iter_mut().for_each(|x| *x = normal(rng));
    }
}

impl Model for DoubleWell {
    fn kind(&self) -> &'static str {
        "doubleWell"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::DoubleWell(self.spec)
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(*self)
    }

    capabilities!(Differentiable, Reference);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares log Z with a sum over a grid, whose error for such a smooth function is below
    /// rounding, on both sides of the point where the series change.
    #[test]
    fn log_z_for_low_and_high_barriers() {
        for barrier in [1e-3, 0.5, 4.0, 39.9, 40.1, 2000.0] {
            let model = DoubleWellSpec { barrier, ..Default::default() }.build().unwrap();
            let width = 8.0 / f64::sqrt(f64::sqrt(barrier)) + 2.0;
            let count = 400_000;
            let step = 2.0 * width / f64::from(count);
            let mut total = 0.0;
            for index in 0..=count {
                let t = f64::from(index) * step - width;
                total += exp(-barrier * (t * t - 1.0) * (t * t - 1.0));
            }
            let log_z = ln(total * step);
            assert!((model.log_z() - log_z).abs() < 1e-12, "{barrier}: {log_z}");
        }
    }
}
