//! Averages of likelihoods: over draws of the prior, and the harmonic mean over those of the posterior
//! (Grosse, PhD thesis 2014, sections 2.3.3 and 2.3.4).

use super::{Beginning, Outcome, PriorWalker, Trial, Walker};
use crate::models::latent::Scan;
use crate::weights::log_mean;

/// Likelihood weighting: the mean of p(Y | x) over draws x of the prior is p(Y).
pub struct LikelihoodWeighting {
    walker: PriorWalker,
    num_draws: usize,
    log_likelihoods: Vec<f64>,
}

impl LikelihoodWeighting {
    /// With this many draws.
    pub fn new(walker: PriorWalker, num_draws: usize) -> Self {
        Self { walker, num_draws, log_likelihoods: Vec::new() }
    }
}

impl Trial for LikelihoodWeighting {
    fn advance(&mut self) -> Option<Outcome> {
        let PriorWalker { chain, rng, sweeps_per_piece } = &mut self.walker;
        let left = self.num_draws - self.log_likelihoods.len();
        for _ in 0..left.min(*sweeps_per_piece) {
            chain.draw(rng);
            self.log_likelihoods.push(chain.log_likelihood());
        }
        let is_done = self.log_likelihoods.len() == self.num_draws;
        is_done.then(|| Outcome {
            num_steps: self.num_draws as f64,
            ..Outcome::of(log_mean(&self.log_likelihoods))
        })
    }
}

/// The harmonic mean: the mean of 1/p(Y | x) over draws x of the posterior is 1/p(Y).
pub struct HarmonicMean {
    walker: Walker,
    beginning: Option<Beginning>,
    num_draws: usize,
    log_weights: Vec<f64>,
}

impl HarmonicMean {
    /// With this many draws of a chain.
    pub fn new(walker: Walker, beginning: Beginning, num_draws: usize) -> Self {
        Self { walker, beginning: Some(beginning), num_draws, log_weights: Vec::new() }
    }
}

impl Trial for HarmonicMean {
    fn advance(&mut self) -> Option<Outcome> {
        let walker = &mut self.walker;
        if let Some(beginning) = &mut self.beginning {
            if beginning.advance(walker) {
                self.beginning = None;
            }
            return None;
        }
        let left = self.num_draws - self.log_weights.len();
        for _ in 0..left.min(walker.sweeps_per_piece) {
            walker.sweep(1.0, Scan::Forward);
            self.log_weights.push(-walker.chain.log_likelihood(1.0));
        }
        (self.log_weights.len() == self.num_draws).then(|| Outcome {
            num_steps: self.num_draws as f64,
            state: Some(walker.chain.state()),
            ..Outcome::of(-log_mean(&self.log_weights))
        })
    }
}
