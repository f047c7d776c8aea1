//! Priors of parameters, each as a map from a standard normal number u: θ = F⁻¹(Φ(u)).
//!
//! The smaller of Φ(u) and Φ(−u) is used, so that neither tail of a prior is cut off by rounding.

use crate::checks::check_positive;
use crate::math::{
    LN_SQRT_2_PI, cos, erf, exp, exp_slice, ln, ln_1p, ln_gamma_deviate, ln_normal_tail,
    logit_beta_deviate, normal_tail, sigmoid, sin,
};
use crate::{Error, Result};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, LN_2, PI};
use unnorm_wire::spec;

/// The smallest shape: below it numbers underflow before |u| = 8.
const MIN_SHAPE: f64 = 0.05;

/// The largest shape.
const MAX_SHAPE: f64 = 1e4;

/// The prior of a parameter.
#[spec]
pub struct ParameterPrior {
    /// The parameter's name in the formula.
    pub name: String,
    /// Its distribution before the data; parameters are independent.
    pub distribution: PriorDistribution,
}

/// The distribution of a parameter before the data.
#[spec]
#[derive(Copy)]
pub enum PriorDistribution {
    /// Normal, on all of ℝ.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
    },
    /// Log-normal, above 0: ln θ is normal.
    LogNormal {
        /// The mean of ln θ.
        mean: f64,
        /// The standard deviation of ln θ.
        sd: f64,
    },
    /// Uniform between two numbers.
    Uniform {
        /// The lower end.
        min: f64,
        /// The upper end.
        max: f64,
    },
    /// Log-uniform between two numbers above 0: ln θ is uniform.
    LogUniform {
        /// The lower end.
        min: f64,
        /// The upper end.
        max: f64,
    },
    /// Exponential, `p ∝ e^(−rate θ)`, above 0.
    Exponential {
        /// 1 / the mean.
        rate: f64,
    },
    /// The size of a normal number with mean 0, above 0.
    HalfNormal {
        /// The standard deviation of the normal number.
        scale: f64,
    },
    /// Laplace, `p ∝ e^(−|θ − location|/scale)`.
    Laplace {
        /// The median.
        location: f64,
        /// The mean distance from it.
        scale: f64,
    },
    /// Cauchy, `p ∝ 1/(1 + (θ − location)²/scale²)`.
    Cauchy {
        /// The median.
        location: f64,
        /// The median distance from it.
        scale: f64,
    },
    /// The size of a Cauchy number with median 0, above 0.
    HalfCauchy {
        /// The median.
        scale: f64,
    },
    /// Gamma, `p ∝ θ^(shape − 1) e^(−rate θ)`, above 0.
    Gamma {
        /// The shape, from 0.05 to 10,000.
        shape: f64,
        /// The rate: the mean is shape / rate.
        rate: f64,
    },
    /// Inverse gamma, `p ∝ θ^(−shape − 1) e^(−scale/θ)`, above 0: 1/θ is gamma with rate `scale`.
    InverseGamma {
        /// The shape, from 0.05 to 10,000.
        shape: f64,
        /// The scale: the mean is scale / (shape − 1).
        scale: f64,
    },
    /// Beta, `p ∝ θ^(a − 1) (1 − θ)^(b − 1)`, between 0 and 1.
    Beta {
        /// The first shape, from 0.05 to 10,000.
        a: f64,
        /// The second shape, from 0.05 to 10,000.
        b: f64,
    },
}

impl PriorDistribution {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the one within `field`.
    pub fn check(&self, field: &str) -> Result<()> {
        let finite = |name: &str, value: f64| {
            if value.is_finite() {
                return Ok(());
            }
            let problem = format!("is {value}; it must be a finite number");
            Err(Error::spec(format!("{field}.{name}"), problem))
        };
        let positive = |name: &str, value: f64| check_positive(&format!("{field}.{name}"), value);
        let shape = |name: &str, value: f64| {
            if (MIN_SHAPE..=MAX_SHAPE).contains(&value) {
                return Ok(());
            }
            let problem = format!(
                "is {value}; it must be from {MIN_SHAPE} to {MAX_SHAPE}; below, numbers underflow, \
                 and above, a normal prior is the same"
            );
            Err(Error::spec(format!("{field}.{name}"), problem))
        };
        let above = |min: f64, max: f64| {
            if (max - min).is_finite() && min < max {
                return Ok(());
            }
            let problem = format!("is {max}; it must be a finite number greater than min, {min}");
            Err(Error::spec(format!("{field}.max"), problem))
        };
        match *self {
            Self::Normal { mean, sd } | Self::LogNormal { mean, sd } => {
                finite("mean", mean)?;
                positive("sd", sd)
            }
            Self::Uniform { min, max } => {
                finite("min", min)?;
                above(min, max)
            }
            Self::LogUniform { min, max } => {
                positive("min", min)?;
                above(min, max)
            }
            Self::Exponential { rate } => positive("rate", rate),
            Self::HalfNormal { scale } | Self::HalfCauchy { scale } => positive("scale", scale),
            Self::Laplace { location, scale } | Self::Cauchy { location, scale } => {
                finite("location", location)?;
                positive("scale", scale)
            }
            Self::Gamma { shape: value, rate } => {
                shape("shape", value)?;
                positive("rate", rate)
            }
            Self::InverseGamma { shape: value, scale } => {
                shape("shape", value)?;
                positive("scale", scale)
            }
            Self::Beta { a, b } => {
                shape("a", a)?;
                shape("b", b)
            }
        }
    }

    /// θ and dθ/du at each u.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn map(&self, u: &[f64], theta: &mut [f64], slope: &mut [f64]) {
        assert!(u.len() == theta.len() && u.len() == slope.len());
        match *self {
            // Affine, so that the compiler can vectorize it.
            Self::Normal { mean, sd } => {
                theta.iter_mut().zip(u).for_each(|(theta, u)| *theta = mean + sd * u);
                slope.fill(sd);
            }
            Self::LogNormal { mean, sd } => {
                theta.iter_mut().zip(u).for_each(|(theta, u)| *theta = mean + sd * u);
                exp_slice(theta);
                slope.iter_mut().zip(theta).for_each(|(slope, theta)| *slope = sd * *theta);
            }
            _ => {
                for ((u, theta), slope) in u.iter().zip(theta).zip(slope) {
                    (*theta, *slope) = self.at(*u);
                }
            }
        }
    }

    /// θ and dθ/du, which is φ(u)/p(θ).
    fn at(&self, u: f64) -> (f64, f64) {
        let size = u.abs();
        let tail = normal_tail(size);
        let density = log_density(u);
        match *self {
            Self::Normal { mean, sd } => (mean + sd * u, sd),
            Self::LogNormal { mean, sd } => {
                let theta = exp(mean + sd * u);
                (theta, sd * theta)
            }
            Self::Uniform { min, max } => {
                let width = max - min;
                let theta = if u < 0.0 { min + width * tail } else { max - width * tail };
                (theta, width * exp(density))
            }
            Self::LogUniform { min, max } => {
                let width = ln(max) - ln(min);
                let theta =
                    if u < 0.0 { min * exp(width * tail) } else { max * exp(-width * tail) };
                (theta, theta * width * exp(density))
            }
            Self::Exponential { rate } => {
                let log_above = ln_normal_tail(u);
                (-log_above / rate, exp(density - log_above) / rate)
            }
            Self::HalfNormal { scale } => {
                // θ²/2scale² is gamma with shape ½.
                let (log_half_square, slope) = ln_gamma_deviate(0.5, u);
                let theta = scale * exp(0.5 * (log_half_square + LN_2));
                (theta, 0.5 * theta * slope)
            }
            Self::Laplace { location, scale } => {
                let log_twice_tail = if size < 1.0 {
                    ln_1p(-erf(size * FRAC_1_SQRT_2))
                } else {
                    LN_2 + ln_normal_tail(size)
                };
                let distance = -scale * log_twice_tail;
                let theta = if u < 0.0 { location - distance } else { location + distance };
                (theta, scale * exp(density - log_twice_tail + LN_2))
            }
            Self::Cauchy { location, scale } => {
                let (distance, log_slope) = if size < 1.0 {
                    let angle = FRAC_PI_2 * erf(size * FRAC_1_SQRT_2);
                    (sin(angle) / cos(angle), -2.0 * ln(cos(angle)))
                } else {
                    let angle = PI * tail;
                    (cos(angle) / sin(angle), -2.0 * ln(sin(angle)))
                };
                let distance = scale * distance;
                let theta = if u < 0.0 { location - distance } else { location + distance };
                (theta, scale * exp(ln(PI) + density + log_slope))
            }
            Self::HalfCauchy { scale } => {
                let angle = FRAC_PI_2 * tail;
                let (tangent, log_slope) = if u < 0.0 {
                    (sin(angle) / cos(angle), -2.0 * ln(cos(angle)))
                } else {
                    (cos(angle) / sin(angle), -2.0 * ln(sin(angle)))
                };
                (scale * tangent, scale * exp(ln(FRAC_PI_2) + density + log_slope))
            }
            Self::Gamma { shape, rate } => {
                let (log_value, slope) = ln_gamma_deviate(shape, u);
                let theta = exp(log_value) / rate;
                (theta, theta * slope)
            }
            Self::InverseGamma { shape, scale } => {
                let (log_inverse, slope) = ln_gamma_deviate(shape, -u);
                let theta = scale * exp(-log_inverse);
                (theta, theta * slope)
            }
            Self::Beta { a, b } => {
                let (logit, slope) = logit_beta_deviate(a, b, u);
                let theta = sigmoid(logit);
                (theta, theta * sigmoid(-logit) * slope)
            }
        }
    }

    /// Estimated cost of the map, in nanoseconds.
    pub fn cost(&self) -> usize {
        match self {
            Self::Normal { .. } => 2,
            Self::LogNormal { .. } => 10,
            Self::HalfNormal { .. } | Self::Gamma { .. } | Self::InverseGamma { .. } => 2000,
            Self::Beta { .. } => 5000,
            _ => 100,
        }
    }
}

/// ln φ(u).
fn log_density(u: f64) -> f64 {
    -0.5 * u * u - LN_SQRT_2_PI
}
