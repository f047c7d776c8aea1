//! Annealed importance sampling along the path of fractional data, from the prior to the posterior,
//! back, and as thermodynamic integration (Grosse, PhD thesis 2014, algorithm 1 and eqs. 7.1 to 7.3,
//! 8.2).

use super::{Beginning, Outcome, Trial, Walker};
use crate::models::latent::Scan;
use crate::rng::ChainRng;
use std::sync::Arc;

/// From the prior to the posterior: the mean of the weights is p(Y).
pub struct Annealing {
    walker: Walker,
    schedule: Arc<[f64]>,
    /// The distribution that the state is of.
    at: usize,
    log_weight: f64,
}

impl Annealing {
    /// A run along the schedule.
    pub fn new(walker: Walker, schedule: Arc<[f64]>) -> Self {
        Self { walker, schedule, at: 0, log_weight: 0.0 }
    }

    /// Its random numbers from here on.
    pub(super) fn rng(&self) -> ChainRng {
        self.walker.rng.clone()
    }
}

impl Trial for Annealing {
    fn advance(&mut self) -> Option<Outcome> {
        let walker = &mut self.walker;
        if self.at == 0 {
            let num_rows = walker.chain.table().num_rows();
            walker.chain.draw_prior(num_rows, &mut walker.rng);
        }
        let last = self.schedule.len() - 1;
        for _ in 0..walker.sweeps_per_piece.min(last - self.at) {
            let [from, to] = [self.schedule[self.at], self.schedule[self.at + 1]];
            let chain = &walker.chain;
            self.log_weight += chain.log_likelihood(to) - chain.log_likelihood(from);
            walker.sweep(to, Scan::Forward);
            self.at += 1;
        }
        (self.at == last).then(|| Outcome {
            num_steps: last as f64,
            state: Some(walker.chain.state()),
            ..Outcome::of(self.log_weight)
        })
    }
}

/// From a draw of the posterior to the prior: the mean of the weights is 1/p(Y).
pub struct ReverseAnnealing {
    walker: Walker,
    beginning: Option<Beginning>,
    schedule: Arc<[f64]>,
    /// The distribution that the state is of.
    at: usize,
    log_weight: f64,
}

impl ReverseAnnealing {
    /// A run along the schedule, from its end to its beginning.
    pub fn new(walker: Walker, beginning: Beginning, schedule: Arc<[f64]>) -> Self {
        let at = schedule.len() - 1;
        Self { walker, beginning: Some(beginning), schedule, at, log_weight: 0.0 }
    }
}

impl Trial for ReverseAnnealing {
    fn advance(&mut self) -> Option<Outcome> {
        let walker = &mut self.walker;
        if let Some(beginning) = &mut self.beginning {
            if beginning.advance(walker) {
                self.beginning = None;
            }
            return None;
        }
        // Each step is that of a forward run reversed: the sweep comes first.
        for _ in 0..walker.sweeps_per_piece.min(self.at) {
            let [to, from] = [self.schedule[self.at - 1], self.schedule[self.at]];
            walker.sweep(from, Scan::Backward);
            let chain = &walker.chain;
            self.log_weight += chain.log_likelihood(to) - chain.log_likelihood(from);
            self.at -= 1;
        }
        (self.at == 0).then(|| Outcome {
            num_steps: (self.schedule.len() - 1) as f64,
            ..Outcome::of(-self.log_weight)
        })
    }
}

/// Thermodynamic integration: `∫ E_β[d ln f_β/dβ] dβ` by the trapezoidal rule, from one annealing run.
pub struct Integration {
    walker: Walker,
    schedule: Arc<[f64]>,
    at: usize,
    slope: f64,
    integral: f64,
}

impl Integration {
    /// A run along the schedule.
    pub fn new(walker: Walker, schedule: Arc<[f64]>) -> Self {
        Self { walker, schedule, at: 0, slope: 0.0, integral: 0.0 }
    }
}

impl Trial for Integration {
    fn advance(&mut self) -> Option<Outcome> {
        let walker = &mut self.walker;
        if self.at == 0 {
            let num_rows = walker.chain.table().num_rows();
            walker.chain.draw_prior(num_rows, &mut walker.rng);
            self.slope = walker.chain.log_likelihood_slope(0.0);
        }
        let last = self.schedule.len() - 1;
        for _ in 0..walker.sweeps_per_piece.min(last - self.at) {
            let [from, to] = [self.schedule[self.at], self.schedule[self.at + 1]];
            walker.sweep(to, Scan::Forward);
            let slope = walker.chain.log_likelihood_slope(to);
            self.integral += 0.5 * (to - from) * (self.slope + slope);
            self.slope = slope;
            self.at += 1;
        }
        (self.at == last).then(|| Outcome {
            num_steps: last as f64,
            state: Some(walker.chain.state()),
            ..Outcome::of(self.integral)
        })
    }
}
