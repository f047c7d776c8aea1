//! What a fitted kernel says of the function, of its components and of the noise, at any inputs.
//!
//! Of f = f₁ + f₂ with noise in f₂, f₁ given the values has mean K₁ᵀK⁻¹y and covariance K₁ − K₁ᵀK⁻¹K₁, K with the
//! noise: equation (5.5) of the thesis for means of 0.

use crate::covariance::{Covariance, value};
use crate::expression::Kernel;
use crate::factor::{Factor, Inverse};
use crate::series::Series;
use serde::{Deserialize, Serialize};

/// Means and variances of a function at some inputs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Marginals {
    /// Means.
    pub means: Vec<f64>,
    /// Variances.
    pub variances: Vec<f64>,
}

/// The values of a series conditioned on.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// K⁻¹y.
    alpha: Vec<f64>,
    inverse: Inverse,
    noise: f64,
}

impl Posterior {
    /// Conditions on the values; none if the covariance is not positive definite to double precision.
    pub fn new(series: &Series, kernel: &Kernel, noise: f64) -> Option<Self> {
        let size = series.values.len();
        let covariance = Covariance::new(kernel, &series.inputs);
        let factor = Factor::new(size, covariance.upper(size, noise))?;
        let mut alpha = factor.solve(&series.values);
        // One step of iterative refinement: components and noise then add up to the values.
        let mut rest = series.values.clone();
        let mut pairs = covariance.pairs.iter();
        for i in 0..size {
            rest[i] -= noise * alpha[i];
            for j in i..size {
                let k = pairs.next().expect("a pair");
                rest[i] -= k * alpha[j];
                if j > i {
                    rest[j] -= k * alpha[i];
                }
            }
        }
        let step = factor.solve(&rest);
        alpha.iter_mut().zip(&step).for_each(|(a, step)| *a += step);
        Some(Self { alpha, inverse: factor.inverse(), noise })
    }

    /// The mean of the noise of each value.
    pub fn noise(&self) -> Vec<f64> {
        self.alpha.iter().map(|a| self.noise * a).collect()
    }

    /// The function, or the component of it with the kernel `part`, at scaled rows of inputs. The variances are of
    /// the function, without noise.
    pub fn marginals(&self, series: &Series, part: &Kernel, rows: &[f64]) -> Marginals {
        let points: Vec<&[f64]> = rows.chunks_exact(series.inputs.num_inputs()).collect();
        let width = points.len();
        let mut block = Vec::with_capacity(self.alpha.len() * width);
        let mut means = vec![0.0; width];
        for (x, alpha) in series.inputs.rows().zip(&self.alpha) {
            let from = block.len();
            block.extend(points.iter().map(|y| value(part, x, y)));
            means.iter_mut().zip(&block[from..]).for_each(|(mean, k)| *mean += k * alpha);
        }
        let squares = self.inverse.squares(&block, width);
        let variance = |(y, square): (&&[f64], f64)| (value(part, y, y) - square).max(0.0);
        let variances = points.iter().zip(squares).map(variance).collect();
        Marginals { means, variances }
    }

    /// The means alone, at the rows of the series.
    pub fn means(&self, series: &Series, part: &Kernel) -> Vec<f64> {
        let mean = |y: &[f64]| {
            let terms = series.inputs.rows().zip(&self.alpha).map(|(x, a)| a * value(part, x, y));
            terms.sum()
        };
        series.inputs.rows().map(mean).collect()
    }
}
