//! ln p of a row.

use super::base::Base;
use super::discrete::Quadratic;
use super::scales::{self, Annealing};
use super::{Choice, RowModel};
use crate::linalg::dot;
use crate::math::log_sum_exp;
use crate::matrix::Matrix;
use crate::rng::ChainRng;

/// Greatest number of states that are added up where vectors have scales; the sum over the most probable ones is a lower bound.
pub const MAX_SCALED_STATES: usize = 16;

/// Greatest number of scales that are integrated out; more are taken as Gaussian, for each step factorizes a matrix of
/// that size.
pub const MAX_SCALES: usize = 64;

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
        let num_scales: usize = model.scaled.iter().map(|each| each.mean.len()).sum();
        let scaled = (1..=MAX_SCALES).contains(&num_scales).then(|| {
            let base = Base::new(&model.noise, &model.loadings);
            scales::Density::new(base, &model.scaled, &model.choices)
        });
        Self { mean: gaussian.mean, matched, choices, scaled }
    }

    /// Whether scales are integrated out by annealing, which takes far longer than all else.
    pub fn is_annealed(&self) -> bool {
        self.scaled.is_some()
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
