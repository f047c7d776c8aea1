//! ln p of a row.

use super::RowModel;
use super::base::Base;
use super::discrete::Choices;
use super::scales::{self, Annealing};
use crate::linalg::dot;
use crate::math::log_sum_exp;
use crate::rng::ChainRng;

/// Greatest number of states that are added up where vectors have scales; the sum over the most probable ones is a lower bound.
pub const MAX_SCALED_STATES: usize = 16;

/// Greatest number of scales that are integrated out; more are taken as Gaussian, for each step factorizes a matrix of
/// that size.
pub const MAX_SCALES: usize = 64;

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

    /// ln p of a row. For more choices than can be added up it is a lower bound. With scales it is an estimate whose exponential is
    /// unbiased, so that on average it is too low.
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
