//! Kernels as plain data, in the units of the inputs and values given.

use crate::base::{Family, Leaf};
use crate::expression::{Expression, Kernel};
use crate::math::{exp, ln, sigmoid};
use crate::params::multiply;
use crate::series::Series;
use unnorm_wire::spec;

/// A kernel with its parameters. The scale of a product is that of its first factor; the others have scale 1.
#[spec]
pub enum CovarianceSpec {
    /// σ² exp(−r²/2ℓ²), r the distance of two inputs.
    #[serde(rename = "SE")]
    Se {
        /// The input it reads, counted from 0.
        input: usize,
        /// σ².
        variance: f64,
        /// ℓ.
        length_scale: f64,
    },
    /// σ² (1 + r²/2αℓ²)^−α.
    #[serde(rename = "RQ")]
    Rq {
        /// The input it reads, counted from 0.
        input: usize,
        /// σ².
        variance: f64,
        /// ℓ.
        length_scale: f64,
        /// α: the smaller, the more scales.
        alpha: f64,
    },
    /// σ² exp(−2 sin²(πr/p)/ℓ²).
    #[serde(rename = "PER")]
    Per {
        /// The input it reads, counted from 0.
        input: usize,
        /// σ².
        variance: f64,
        /// ℓ, a number without a unit: the smaller, the rougher within a period.
        length_scale: f64,
        /// p.
        period: f64,
    },
    /// σ_b² + σ_v² (x − ℓ)(x′ − ℓ).
    #[serde(rename = "LIN")]
    Lin {
        /// The input it reads, counted from 0.
        input: usize,
        /// σ_b², the variance where the slope has no say.
        bias_variance: f64,
        /// σ_v², the variance of the slope.
        slope_variance: f64,
        /// ℓ, the place where the line has the variance σ_b².
        location: f64,
    },
    /// A sum: the function is a sum of independent ones.
    #[serde(rename = "sum")]
    Sum {
        /// Two or more.
        terms: Vec<CovarianceSpec>,
    },
    /// A product.
    #[serde(rename = "product")]
    Product {
        /// Two or more.
        factors: Vec<CovarianceSpec>,
    },
}

impl CovarianceSpec {
    /// A fitted kernel in the units of the series.
    pub fn new(kernel: &Kernel, series: &Series) -> Self {
        let mut kernel = kernel.clone();
        multiply(&mut kernel, 2.0 * ln(series.value_scaling.scale));
        Self::outward(&kernel, series)
    }

    fn outward(kernel: &Kernel, series: &Series) -> Self {
        let all = |parts: &[Kernel]| parts.iter().map(|part| Self::outward(part, series)).collect();
        match kernel {
            Expression::Sum(parts) => Self::Sum { terms: all(parts) },
            Expression::Product(parts) => Self::Product { factors: all(parts) },
            Expression::Base(leaf) => Self::leaf(leaf, series),
        }
    }

    fn leaf(leaf: &Leaf, series: &Series) -> Self {
        let input = leaf.base.input;
        let scaling = series.input_scaling[input];
        let variance = exp(leaf.ln_scale);
        let length_scale = scaling.scale * exp(leaf.shape[0]);
        match leaf.base.family {
            Family::Se => Self::Se { input, variance, length_scale },
            Family::Rq => Self::Rq { input, variance, length_scale, alpha: exp(leaf.shape[1]) },
            Family::Per => Self::Per {
                input,
                variance,
                length_scale: exp(leaf.shape[0]),
                period: scaling.scale * exp(leaf.shape[1]),
            },
            Family::Lin => Self::Lin {
                input,
                bias_variance: variance * sigmoid(leaf.shape[0]),
                slope_variance: variance * sigmoid(-leaf.shape[0])
                    / (scaling.scale * scaling.scale),
                location: scaling.outward(leaf.shape[1]),
            },
        }
    }

    /// All numbers, in order.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Se { variance, length_scale, .. } => vec![*variance, *length_scale],
            Self::Rq { variance, length_scale, alpha, .. } => {
                vec![*variance, *length_scale, *alpha]
            }
            Self::Per { variance, length_scale, period, .. } => {
                vec![*variance, *length_scale, *period]
            }
            Self::Lin { bias_variance, slope_variance, location, .. } => {
                vec![*bias_variance, *slope_variance, *location]
            }
            Self::Sum { terms: parts } | Self::Product { factors: parts } => {
                parts.iter().flat_map(Self::numbers).collect()
            }
        }
    }
}
