//! Vectors with scales: annealed importance sampling from the density in which they are Gaussian to that with the scales.
//!
//! The state is the logarithms of the scales. At β = 0 they have their prior, and the row the density with matched
//! Gaussian vectors; at β = 1 the row has the density that the scales give. Steps are by elliptical slice sampling (Murray,
//! Adams and MacKay 2010), which keeps the Gaussian prior.

use super::base::Base;
use super::discrete::Choices;
use super::{Choice, Scaled};
use crate::linalg::dot;
use crate::math::{exp, ln, log_sum_exp, sigmoid};
use crate::matrix::Matrix;
use crate::rng::{ChainRng, normal, uniform};
use crate::triangular::{factorize, forward, ln_det};

/// How the scales are integrated out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annealing {
    /// Steps of annealed importance sampling.
    pub num_steps: usize,
}

/// Steepness of the schedule β.
const STEEPNESS: f64 = 10.0;

/// The density of a row given the scales, with the choices that may be taken.
pub(super) struct Density {
    base: Base,
    /// The scaled vectors, whitened, as rows; their products.
    vectors: Matrix,
    gram: Matrix,
    choices: Choices,
    mean: Vec<f64>,
    /// Of the covariance of z.
    root: Vec<f64>,
}

/// A state of the choices for a row: ln of its probability, the square of the deviation, and the products with the vectors.
struct Seen {
    log_prior: f64,
    square: f64,
    linear: Vec<f64>,
}

impl Density {
    pub fn new(base: Base, scaled: &[Scaled], choices: &[Choice]) -> Self {
        let size: usize = scaled.iter().map(|each| each.mean.len()).sum();
        let width = scaled[0].vectors.num_cols();
        let (mut vectors, mut mean) = (Matrix::zeros(0, width), Vec::new());
        let mut root = vec![0.0; size * size];
        for each in scaled {
            let first = mean.len();
            for row in 0..each.mean.len() {
                for col in 0..each.mean.len() {
                    root[(first + row) * size + first + col] = each.covariance.at(row, col);
                }
            }
            mean.extend_from_slice(&each.mean);
            vectors = vectors.stacked(&each.vectors);
        }
        factorize(size, &mut root);
        let vectors = base.whitened_rows(&vectors);
        let gram = vectors.times(&vectors.transposed());
        let choices = Choices::new(&base, choices);
        Self { base, vectors, gram, choices, mean, root }
    }

    fn seen(&self, whitened: &[f64], state: &[f64]) -> Seen {
        let mut rest = whitened.to_vec();
        for (vector, u) in self.choices.vectors.rows().zip(state) {
            crate::linalg::axpy(-u, vector, &mut rest);
        }
        Seen {
            log_prior: self.choices.log_prior(state),
            square: dot(&rest, &rest),
            linear: self.vectors.rows().map(|vector| dot(vector, &rest)).collect(),
        }
    }

    /// ln of the sum of p(row, choices | z) over the states.
    fn log_density(&self, z: &[f64], states: &[Seen], scratch: &mut Scratch) -> f64 {
        let size = z.len();
        scratch.scales.clear();
        scratch.scales.extend(z.iter().map(|z| exp(z.clamp(-150.0, 150.0))));
        let Scratch { scales, matrix, vector, logs } = scratch;
        matrix.clear();
        for (row, scale) in self.gram.rows().zip(scales.iter()) {
            matrix
                .extend(row.iter().zip(scales.iter()).map(|(entry, other)| entry * scale * other));
        }
        (0..size).for_each(|k| matrix[k * size + k] += 1.0);
        factorize(size, matrix);
        let half = 0.5 * ln_det(size, matrix);
        logs.clear();
        for Seen { log_prior, square, linear } in states {
            vector.clear();
            vector.extend(linear.iter().zip(scales.iter()).map(|(entry, scale)| entry * scale));
            forward(size, matrix, vector);
            logs.push(log_prior + self.base.log_density(square - dot(vector, vector)) - half);
        }
        log_sum_exp(logs)
    }

    /// ln of the ratio of the density with scales to that with matched vectors, both over these states: estimated without
    /// bias before the logarithm.
    pub fn log_ratio(
        &self,
        deviation: &[f64],
        states: &[Vec<f64>],
        start: &[f64],
        annealing: Annealing,
        rng: &mut ChainRng,
    ) -> f64 {
        let whitened = self.base.whitened(deviation.to_vec());
        let states: Vec<Seen> = states.iter().map(|state| self.seen(&whitened, state)).collect();
        let start = log_sum_exp(start);
        let mut scratch = Scratch::default();
        let size = self.mean.len();
        let draw = |rng: &mut ChainRng| {
            let noise: Vec<f64> = (0..size).map(|_| normal(rng)).collect();
            (0..size).map(|i| dot(&self.root[i * size..i * size + i + 1], &noise[..=i])).collect()
        };
        let shifted = |about: &[f64]| -> Vec<f64> {
            about.iter().zip(&self.mean).map(|(x, mean)| x + mean).collect()
        };
        let mut about: Vec<f64> = draw(rng);
        let mut log = self.log_density(&shifted(&about), &states, &mut scratch) - start;
        let num_steps = annealing.num_steps;
        let (low, high) = (sigmoid(-STEEPNESS), sigmoid(STEEPNESS));
        let beta = |step: usize| {
            let at = 2.0 * step as f64 / num_steps as f64 - 1.0;
            (sigmoid(STEEPNESS * at) - low) / (high - low)
        };
        let mut weight = 0.0;
        for step in 1..=num_steps {
            weight += (beta(step) - beta(step - 1)) * log;
            if step == num_steps {
                break;
            }
            let beta = beta(step);
            let other: Vec<f64> = draw(rng);
            let level = beta * log + ln(1.0 - uniform(rng));
            let mut angle = std::f64::consts::TAU * uniform(rng);
            let (mut least, mut greatest) = (angle - std::f64::consts::TAU, angle);
            loop {
                let (sine, cosine) = crate::math::sin_cos(angle);
                let new: Vec<f64> =
                    about.iter().zip(&other).map(|(a, b)| cosine * a + sine * b).collect();
                let new_log = self.log_density(&shifted(&new), &states, &mut scratch) - start;
                if beta * new_log > level {
                    (about, log) = (new, new_log);
                    break;
                }
                if greatest - least < 1e-9 {
                    break;
                }
                if angle < 0.0 {
                    least = angle;
                } else {
                    greatest = angle;
                }
                angle = least + (greatest - least) * uniform(rng);
            }
        }
        weight
    }
}

/// Room that evaluations share.
#[derive(Default)]
struct Scratch {
    scales: Vec<f64>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    logs: Vec<f64>,
}
