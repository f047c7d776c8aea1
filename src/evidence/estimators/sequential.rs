//! Row after row: sequential Monte Carlo with one particle, and its reverse (Grosse, PhD thesis 2014,
//! algorithms 2 and 3).

use super::{Beginning, Outcome, Trial, Walker};
use crate::models::latent::Scan;

/// Particle learning: `∏ p(y_i | x, y_1 … y_(i−1))`, each row's hidden variables drawn given it, and
/// sweeps over the rows so far after each. Its mean is p(Y).
pub struct ParticleLearning {
    walker: Walker,
    num_sweeps: usize,
    log_weight: f64,
    has_begun: bool,
}

impl ParticleLearning {
    /// With this many sweeps after each row.
    pub fn new(walker: Walker, num_sweeps: usize) -> Self {
        Self { walker, num_sweeps, log_weight: 0.0, has_begun: false }
    }
}

impl Trial for ParticleLearning {
    fn advance(&mut self) -> Option<Outcome> {
        let Walker { chain, rng, sweeps_per_piece } = &mut self.walker;
        if !self.has_begun {
            chain.draw_prior(0, rng);
            self.has_begun = true;
        }
        let num_rows = chain.table().num_rows();
        let rows = rows_per_piece(*sweeps_per_piece, self.num_sweeps);
        for _ in 0..rows.min(num_rows - chain.num_rows()) {
            self.log_weight += chain.log_predictive();
            chain.push_row(rng);
            for _ in 0..self.num_sweeps {
                chain.sweep(1.0, Scan::Forward, rng);
            }
        }
        (chain.num_rows() == num_rows).then(|| Outcome {
            num_steps: num_rows as f64,
            state: Some(chain.state()),
            ..Outcome::of(self.log_weight)
        })
    }
}

/// The sequential harmonic mean: the same steps reversed, from a draw of the posterior. The mean of
/// its reciprocal is 1/p(Y).
pub struct SequentialHarmonicMean {
    walker: Walker,
    beginning: Option<Beginning>,
    num_sweeps: usize,
    log_weight: f64,
}

impl SequentialHarmonicMean {
    /// With this many sweeps before each row is taken out.
    pub fn new(walker: Walker, beginning: Beginning, num_sweeps: usize) -> Self {
        Self { walker, beginning: Some(beginning), num_sweeps, log_weight: 0.0 }
    }
}

impl Trial for SequentialHarmonicMean {
    fn advance(&mut self) -> Option<Outcome> {
        if let Some(beginning) = &mut self.beginning {
            if beginning.advance(&mut self.walker) {
                self.beginning = None;
            }
            return None;
        }
        let Walker { chain, rng, sweeps_per_piece } = &mut self.walker;
        let rows = rows_per_piece(*sweeps_per_piece, self.num_sweeps);
        for _ in 0..rows.min(chain.num_rows()) {
            for _ in 0..self.num_sweeps {
                chain.sweep(1.0, Scan::Backward, rng);
            }
            chain.pop_row();
            self.log_weight += chain.log_predictive();
        }
        (chain.num_rows() == 0).then(|| Outcome {
            num_steps: chain.table().num_rows() as f64,
            ..Outcome::of(self.log_weight)
        })
    }
}

fn rows_per_piece(sweeps_per_piece: usize, num_sweeps: usize) -> usize {
    (sweeps_per_piece / num_sweeps.max(1)).max(1)
}
