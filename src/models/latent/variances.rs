//! The variance s² of the signal and σ² of the noise, fixed or inverse gamma a priori.

use crate::checks::check_positive;
use crate::math::{exp, ln, ln_gamma};
use crate::rng::{ChainRng, gamma, uniform};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use unnorm_wire::spec;

/// The variances of a model's signal and noise.
#[spec]
#[derive(Copy)]
pub enum VariancesSpec {
    /// Both are known.
    Fixed {
        /// Variance of centres, factors' loadings or features; 1 if absent.
        #[serde(default = "one")]
        signal: f64,
        /// Variance of the noise; 1 if absent.
        #[serde(default = "one")]
        noise: f64,
    },
    /// Each is drawn from an inverse gamma distribution, `p(v) ∝ v^(−a−1) e^(−b/v)`.
    Sampled {
        /// The shape a; 2 if absent.
        #[serde(default = "two")]
        shape: f64,
        /// The scale b; 1 if absent.
        #[serde(default = "one")]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

fn two() -> f64 {
    2.0
}

impl Default for VariancesSpec {
    fn default() -> Self {
        Self::Sampled { shape: 2.0, scale: 1.0 }
    }
}

/// A variance of the signal and one of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Variances {
    /// s².
    pub signal: f64,
    /// σ².
    pub noise: f64,
}

/// How many squares a variance has to explain, and their sum, counted β times.
pub(super) struct Squares {
    pub count: f64,
    pub sum: f64,
}

/// Width of the first interval of a slice, in log variances.
const SLICE_WIDTH: f64 = 1.0;

/// Maximum number of widths by which a slice's interval grows.
const MAX_SLICE_STEPS: usize = 30;

impl VariancesSpec {
    /// Checks the numbers.
    pub fn check(&self) -> Result<()> {
        let (first, second) = match *self {
            Self::Fixed { signal, noise } => (("signal", signal), ("noise", noise)),
            Self::Sampled { shape, scale } => (("shape", shape), ("scale", scale)),
        };
        for (name, value) in [first, second] {
            check_positive(&format!("model.variances.{name}"), value)?;
            if !(1e-12..=1e12).contains(&value) {
                let problem = format!("is {value}; it must be from 1e-12 to 1e12: scale the table");
                return Err(Error::spec(format!("model.variances.{name}"), problem));
            }
        }
        Ok(())
    }

    /// Whether they are part of the state.
    pub fn are_sampled(&self) -> bool {
        matches!(self, Self::Sampled { .. })
    }

    /// The variance of the noise, if it is fixed.
    pub fn fixed_noise(&self) -> Option<f64> {
        match *self {
            Self::Fixed { noise, .. } => Some(noise),
            Self::Sampled { .. } => None,
        }
    }

    pub(super) fn draw_prior(&self, rng: &mut ChainRng) -> Variances {
        match *self {
            Self::Fixed { signal, noise } => Variances { signal, noise },
            Self::Sampled { shape, scale } => Variances {
                signal: inverse_gamma(shape, scale, rng),
                noise: inverse_gamma(shape, scale, rng),
            },
        }
    }

    /// The log density of both under the prior.
    pub fn log_prior(&self, at: Variances) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::Sampled { shape, scale } => {
                log_inverse_gamma(at.signal, shape, scale)
                    + log_inverse_gamma(at.noise, shape, scale)
            }
        }
    }

    /// Draws sampled variances given the squares that they explain.
    pub(super) fn draw(
        &self,
        at: &mut Variances,
        signal: &Squares,
        noise: &Squares,
        rng: &mut ChainRng,
    ) {
        self.draw_signal(at, signal, rng);
        if let Self::Sampled { shape, scale } = *self {
            at.noise = inverse_gamma(shape + 0.5 * noise.count, scale + 0.5 * noise.sum, rng);
        }
    }

    /// The log density of [`VariancesSpec::draw`].
    pub(super) fn log_density(&self, at: Variances, signal: &Squares, noise: &Squares) -> f64 {
        let Self::Sampled { shape, scale } = *self else { return 0.0 };
        let of = |value, squares: &Squares| {
            log_inverse_gamma(value, shape + 0.5 * squares.count, scale + 0.5 * squares.sum)
        };
        of(at.signal, signal) + of(at.noise, noise)
    }

    /// Draws the variance of the signal given the squares that it explains.
    pub(super) fn draw_signal(&self, at: &mut Variances, signal: &Squares, rng: &mut ChainRng) {
        if let Self::Sampled { shape, scale } = *self {
            at.signal = inverse_gamma(shape + 0.5 * signal.count, scale + 0.5 * signal.sum, rng);
        }
    }

    /// Slice sampling of the variance of the signal under its prior, restricted to where
    /// `is_allowed` (Neal 2003: stepping out and shrinkage).
    pub(super) fn slice_signal(
        &self,
        at: &mut Variances,
        rng: &mut ChainRng,
        is_allowed: impl Fn(Variances) -> bool,
    ) {
        let start = *at;
        let moved = |signal| Variances { signal, ..start };
        at.signal = self.slice(start.signal, rng, |value| is_allowed(moved(value)));
    }

    /// The same for the variance of the noise.
    pub(super) fn slice_noise(
        &self,
        at: &mut Variances,
        rng: &mut ChainRng,
        is_allowed: impl Fn(Variances) -> bool,
    ) {
        let start = *at;
        let moved = |noise| Variances { noise, ..start };
        at.noise = self.slice(start.noise, rng, |value| is_allowed(moved(value)));
    }

    fn slice(&self, from: f64, rng: &mut ChainRng, is_allowed: impl Fn(f64) -> bool) -> f64 {
        let Self::Sampled { shape, scale } = *self else { return from };
        // The density of t = ln v under the prior.
        let log_density = |t: f64| {
            if is_allowed(exp(t)) { -shape * t - scale * exp(-t) } else { f64::NEG_INFINITY }
        };
        slice(ln(from), rng, log_density).map_or(from, exp)
    }
}

/// One slice move; none if the interval shrinks to the point, which happens where the point lies on
/// the border by rounding.
fn slice(from: f64, rng: &mut ChainRng, log_density: impl Fn(f64) -> f64) -> Option<f64> {
    let height = log_density(from) + ln(1.0 - uniform(rng));
    let mut low = from - SLICE_WIDTH * uniform(rng);
    let mut high = low + SLICE_WIDTH;
    let mut steps_down = (uniform(rng) * MAX_SLICE_STEPS as f64) as usize;
    let mut steps_up = MAX_SLICE_STEPS - 1 - steps_down;
    while steps_down > 0 && log_density(low) > height {
        low -= SLICE_WIDTH;
        steps_down -= 1;
    }
    while steps_up > 0 && log_density(high) > height {
        high += SLICE_WIDTH;
        steps_up -= 1;
    }
    while high - low > 1e-12 {
        let to = low + (high - low) * uniform(rng);
        if log_density(to) > height {
            return Some(to);
        }
        if to < from {
            low = to;
        } else {
            high = to;
        }
    }
    None
}

fn inverse_gamma(shape: f64, scale: f64, rng: &mut ChainRng) -> f64 {
    scale / gamma(rng, shape)
}

/// `ln [b^a / Γ(a) · v^(−a−1) e^(−b/v)]`.
fn log_inverse_gamma(value: f64, shape: f64, scale: f64) -> f64 {
    shape * ln(scale) - ln_gamma(shape) - (shape + 1.0) * ln(value) - scale / value
}
