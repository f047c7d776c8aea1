//! Sufficient statistics of binary models with pairs of units, visible and
//! hidden: `p(x) ∝ exp(−Σ_t θ_t k_t Π_{a ∈ t} x_a)`, each term t being one unit
//! or a pair, x = (v, h). Here a **moment** is `E[Π_{a ∈ t} x_a]`, a probability, in the layout of
//! the parameters; sign and factor k are the model's conventions.

use crate::linalg::axpy;
use crate::math::ln;
use serde::Deserialize;
use unnorm_wire::report;

/// See [`Statistics::independent_params`].
const MIN_MEAN: f64 = 1e-12;

/// The statistic that one parameter multiplies: `scale · x_a x_b`, or `scale · x_a` if both units
/// are the same. Visible units come first, then hidden ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistic {
    /// The units a and b.
    pub units: [u32; 2],
    /// The factor k.
    pub scale: f64,
}

impl Statistic {
    /// The statistic of a single unit.
    pub fn unit(unit: usize, scale: f64) -> Self {
        Self { units: [unit as u32; 2], scale }
    }

    /// The statistic of two different units.
    pub fn pair(a: usize, b: usize, scale: f64) -> Self {
        Self { units: [a as u32, b as u32], scale }
    }

    /// The two units; equal for a single unit.
    pub fn at(&self) -> [usize; 2] {
        self.units.map(|unit| unit as usize)
    }

    /// Whether it is the statistic of a single unit.
    pub fn is_unit(&self) -> bool {
        self.units[0] == self.units[1]
    }
}

/// The statistics of a model, one per parameter and in their order. Every unit has a statistic by
/// itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Number of visible units.
    pub num_visible: usize,
    /// Number of hidden units.
    pub num_hidden: usize,
    /// One statistic per parameter.
    pub terms: Vec<Statistic>,
}

impl Statistics {
    /// Number of units.
    pub fn num_units(&self) -> usize {
        self.num_visible + self.num_hidden
    }

    /// The moments of independent units with these means.
    pub fn independent(&self, means: &[f64]) -> Vec<f64> {
        assert_eq!(means.len(), self.num_units());
        let moment = |term: &Statistic| match term.at() {
            [a, b] if a == b => means[a],
            [a, b] => means[a] * means[b],
        };
        self.terms.iter().map(moment).collect()
    }

    /// The parameters of independent units with these means, which are kept from 0 and 1 by at
    /// least 10⁻¹².
    pub fn independent_params(&self, means: &[f64]) -> Vec<f64> {
        let log_odds = |mean: f64| {
            let mean = mean.clamp(MIN_MEAN, 1.0 - MIN_MEAN);
            ln(mean / (1.0 - mean))
        };
        let param = |term: &Statistic| match term.at() {
            [a, b] if a == b => -log_odds(means[a]) / term.scale,
            _ => 0.0,
        };
        self.terms.iter().map(param).collect()
    }

    /// The mean of each unit, from the moments.
    pub fn means(&self, moments: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.num_units()];
        for (term, moment) in self.terms.iter().zip(moments) {
            if term.is_unit() {
                means[term.at()[0]] = *moment;
            }
        }
        means
    }

    /// Moments from expected gradients of the energy, `E[∂E/∂θ_t] = k_t m_t`.
    pub fn moments_of_gradient(&self, gradient: &[f64]) -> Vec<f64> {
        self.terms.iter().zip(gradient).map(|(term, grad)| grad / term.scale).collect()
    }

    /// `½ (η_b − η_a)ᵀ(s_b − s_a)`, the cost of a segment of a path (paper eq. 17), where η_t =
    /// −k_t θ_t.
    pub fn cost(&self, params: [&[f64]; 2], moments: [&[f64]; 2]) -> f64 {
        let [mut change, mut sum] = [vec![0.0; self.terms.len()], vec![0.0; self.terms.len()]];
        axpy(1.0, params[1], &mut change);
        axpy(-1.0, params[0], &mut change);
        axpy(1.0, moments[1], &mut sum);
        axpy(-1.0, moments[0], &mut sum);
        change.iter_mut().zip(&self.terms).for_each(|(change, term)| *change *= -0.5 * term.scale);
        crate::linalg::dot(&change, &sum)
    }
}

/// Difference between moments and the required ones: absolute differences of probabilities, over
/// all statistics.
#[report]
#[derive(Copy, Deserialize)]
pub struct Mismatch {
    /// The largest difference.
    pub max: f64,
    /// Root mean square of the differences.
    pub rms: f64,
}

impl Mismatch {
    /// The differences between two vectors, times `scale`.
    pub fn between(a: &[f64], b: &[f64], scale: f64) -> Self {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| scale * (a - b).abs()).collect();
        let square = crate::linalg::dot(&differences, &differences);
        // Keeps NaN, which f64::max would lose.
        let larger = |max: f64, next: &f64| if *next <= max { max } else { *next };
        let max = differences.iter().fold(0.0, larger);
        Self { max, rms: (square / differences.len() as f64).sqrt() }
    }
}
