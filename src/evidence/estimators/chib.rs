//! Chib's estimator as Murray and Salakhutdinov (2009) mended it; Grosse, PhD thesis 2014, section
//! 2.3.8.
//!
//! `p(Y) = p(x*, Y) / p(x* | Y)` for any x*. The denominator is the mean density of a step to x* over the
//! states of a chain. If x* itself stands at a uniformly random place among these states, with steps of
//! the reversed chain before it, the estimate has the mean p(Y) for every x*.

use super::{Beginning, Outcome, Trial, Walker};
use crate::models::latent::Scan;
use crate::rng::below;
use crate::weights::log_mean;

/// A run of the estimator.
pub struct Chib {
    walker: Walker,
    beginning: Option<Beginning>,
    num_sweeps: usize,
    /// x*, once it is there.
    star: Vec<f64>,
    log_joint: f64,
    /// The state next to x*, from which both parts of the chain go.
    first: Vec<f64>,
    /// Number of steps of the chain before and after that state.
    sides: [usize; 2],
    log_densities: Vec<f64>,
}

impl Chib {
    /// With this many states of a chain.
    pub fn new(walker: Walker, beginning: Beginning, num_sweeps: usize) -> Self {
        Self {
            walker,
            beginning: Some(beginning),
            num_sweeps,
            star: Vec::new(),
            log_joint: 0.0,
            first: Vec::new(),
            sides: [0; 2],
            log_densities: Vec::new(),
        }
    }

    fn record(&mut self) {
        self.log_densities.push(self.walker.chain.log_chib_density(&self.star));
    }

    fn step(&mut self, scan: Scan) {
        let Walker { chain, rng, .. } = &mut self.walker;
        chain.chib_step(scan, rng);
        self.record();
    }
}

impl Trial for Chib {
    fn advance(&mut self) -> Option<Outcome> {
        if let Some(beginning) = &mut self.beginning {
            if beginning.advance(&mut self.walker) {
                self.beginning = None;
                self.star = self.walker.chain.state();
                self.log_joint = self.walker.chain.log_joint();
                let place = below(self.num_sweeps, &mut self.walker.rng);
                self.sides = [place, self.num_sweeps - 1 - place];
                self.step(Scan::Backward);
                self.first = self.walker.chain.state();
            }
            return None;
        }
        for _ in 0..self.walker.sweeps_per_piece {
            if self.sides[1] > 0 {
                self.step(Scan::Forward);
                self.sides[1] -= 1;
                if self.sides[1] == 0 {
                    self.walker.chain.set_state(&self.first);
                }
            } else if self.sides[0] > 0 {
                self.step(Scan::Backward);
                self.sides[0] -= 1;
            } else {
                let log_density = log_mean(&self.log_densities);
                return Some(Outcome {
                    num_steps: self.num_sweeps as f64,
                    ..Outcome::of(self.log_joint - log_density)
                });
            }
        }
        None
    }
}
