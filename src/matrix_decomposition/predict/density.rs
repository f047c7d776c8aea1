//! ln p of a row.

use super::discrete::Quadratic;
use super::{Choice, RowModel, scales};
use crate::linalg::dot;
use crate::math::{ln, log_sum_exp};
use crate::matrix::Matrix;
use crate::rng::ChainRng;
use crate::triangular::{factorize, forward, ln_det};
use std::f64::consts::TAU;

/// Greatest number of states of all choices that are added up exactly; beyond it there is a variational bound.
pub const MAX_STATES: usize = 1 << 12;

/// Greatest number of states that are added up where vectors have scales; the sum over the most probable ones is a lower bound.
pub const MAX_SCALED_STATES: usize = 16;

/// How the scales are integrated out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annealing {
    /// Steps of annealed importance sampling.
    pub num_steps: usize,
}

/// The Gaussian part of a density: N(mean, Σ).
pub(super) struct Base {
    size: usize,
    /// L with Σ = LLᵀ.
    factor: Vec<f64>,
    ln_det: f64,
}

impl Base {
    fn new(noise: &[f64], loadings: &Matrix) -> Self {
        let size = noise.len();
        let mut covariance = loadings.transposed().times(loadings);
        (0..size).for_each(|at| *covariance.at_mut(at, at) += noise[at]);
        let mut factor = covariance.entries().to_vec();
        factorize(size, &mut factor);
        Self { size, ln_det: ln_det(size, &factor), factor }
    }

    /// L⁻¹x.
    pub(super) fn whitened(&self, mut x: Vec<f64>) -> Vec<f64> {
        forward(self.size, &self.factor, &mut x);
        x
    }

    /// L⁻¹ of each row.
    pub(super) fn whitened_rows(&self, rows: &Matrix) -> Matrix {
        let mut all = rows.clone();
        (0..rows.num_rows()).for_each(|row| forward(self.size, &self.factor, all.row_mut(row)));
        all
    }

    /// ln N for a whitened deviation of this square.
    pub(super) fn log_density(&self, square: f64) -> f64 {
        -0.5 * (self.size as f64 * ln(TAU) + self.ln_det + square)
    }
}

/// The vectors of all choices, whitened.
struct Choices {
    vectors: Matrix,
    gram: Matrix,
    blocks: Vec<(bool, Vec<f64>)>,
}

impl Choices {
    fn new(base: &Base, choices: &[Choice]) -> Self {
        let mut vectors = Matrix::zeros(0, base.size);
        for choice in choices {
            vectors = vectors.stacked(&base.whitened_rows(&choice.vectors));
        }
        let gram = vectors.times(&vectors.transposed());
        let blocks = choices.iter().map(|choice| (choice.is_one, choice.probabilities.clone()));
        Self { gram, blocks: blocks.collect(), vectors }
    }

    /// For a whitened deviation: ln p of it as a function of the choices, up to a constant.
    fn quadratic(&self, whitened: &[f64]) -> Quadratic<'_> {
        let linear = self.vectors.rows().map(|vector| dot(vector, whitened)).collect();
        Quadratic { gram: &self.gram, linear, blocks: &self.blocks }
    }
}

/// The density of rows of one distribution.
pub struct RowDensity {
    mean: Vec<f64>,
    /// With matched Gaussian vectors in place of those with scales.
    matched: Base,
    choices: Choices,
    scaled: Option<scales::Density>,
}

impl RowDensity {
    /// Of rows of this distribution.
    pub fn new(model: &RowModel) -> Self {
        let gaussian = model.gaussian();
        let matched = Base::new(&gaussian.noise, &gaussian.loadings);
        let choices = Choices::new(&matched, &model.choices);
        let scaled = (!model.scaled.is_empty()).then(|| {
            let base = Base::new(&model.noise, &model.loadings);
            scales::Density::new(base, &model.scaled, &model.choices)
        });
        Self { mean: gaussian.mean, matched, choices, scaled }
    }

    /// ln p of a row; a lower bound where it cannot be had exactly, certain for many choices and in the mean for scales.
    pub fn log(&self, row: &[f64], annealing: Annealing, rng: &mut ChainRng) -> f64 {
        let deviation: Vec<f64> = row.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        let whitened = self.matched.whitened(deviation.clone());
        let matched = self.matched.log_density(dot(&whitened, &whitened));
        let quadratic = self.choices.quadratic(&whitened);
        let Some(scaled) = &self.scaled else { return matched + quadratic.log_sum() };
        let states = quadratic.best_states(MAX_SCALED_STATES);
        let start: Vec<f64> = states.iter().map(|state| matched + quadratic.log(state)).collect();
        let ratio = scaled.log_ratio(&deviation, &states, &start, annealing, rng);
        log_sum_exp(&start) + ratio
    }
}
