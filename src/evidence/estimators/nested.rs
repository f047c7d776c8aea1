//! Nested sampling (Skilling 2006; Grosse, PhD thesis 2014, section 7.3.3).
//!
//! n particles of the prior. Step t takes the worst out, `Ẑ += L (X_(t−1) − X_t)` with `X_t = e^(−t/n)`, and
//! puts in its place a copy of another, moved by sweeps of the prior above that likelihood. It ends
//! when what is left, at most the best likelihood times X, cannot change Ẑ by more than e⁻¹⁰ of itself;
//! that is added with the mean likelihood of the particles.
//!
//! A step shrinks ln X by 1/n ± 1/n, and there are about nH of them until the bulk of the posterior, with
//! `H = Σ (L ΔX / Ẑ) ln (L / Ẑ)` its information: the standard error is √(H/n).

use super::{Outcome, PriorWalker, Trial};
use crate::math::{exp, ln, log_sum_exp};
use crate::models::latent::Floor;
use crate::rng::{below, uniform};
use crate::weights::log_mean;

/// The change of ln Ẑ, in nats, below which it ends is e to the power of this.
const LOG_TOLERANCE: f64 = -10.0;

/// Steps a particle after which it ends if no likelihood is above 0.
const HOPELESS_STEPS: usize = 100;

/// Maximum number of steps.
const MAX_STEPS: usize = 10_000_000;

/// A run of the estimator.
pub struct NestedSampling {
    walker: PriorWalker,
    num_particles: usize,
    num_sweeps: usize,
    particles: Vec<(Vec<f64>, Floor)>,
    /// Sweeps done of the particle that is moved, and what it must exceed.
    moved: Option<(usize, Floor, usize)>,
    /// ln Ẑ so far.
    log_sum: f64,
    /// ln L and ln ΔX of each step.
    steps: Vec<[f64; 2]>,
}

impl NestedSampling {
    /// With this many particles and sweeps a step.
    pub fn new(walker: PriorWalker, num_particles: usize, num_sweeps: usize) -> Self {
        Self {
            walker,
            num_particles,
            num_sweeps,
            particles: Vec::new(),
            moved: None,
            log_sum: f64::NEG_INFINITY,
            steps: Vec::new(),
        }
    }

    fn floor_of_state(&mut self) -> Floor {
        let label = uniform(&mut self.walker.rng);
        Floor::new(self.walker.chain.log_likelihood(), label)
    }

    fn begin(&mut self) {
        for _ in 0..self.num_particles {
            let PriorWalker { chain, rng, .. } = &mut self.walker;
            chain.draw(rng);
            let floor = self.floor_of_state();
            self.particles.push((self.walker.chain.state(), floor));
        }
    }

    /// Takes the worst particle out and begins to move a copy of another in its place.
    fn replace_worst(&mut self) {
        let by_floor = |a: &usize, b: &usize| {
            let floor = |at: &usize| self.particles[*at].1;
            floor(a).partial_cmp(&floor(b)).expect("no likelihood is NaN")
        };
        let worst = (0..self.num_particles).min_by(by_floor).expect("a particle");
        let floor = self.particles[worst].1;
        let count = self.num_particles as f64;
        // X_(t−1) − X_t.
        let log_width = self.log_volume() + ln(1.0 - exp(-1.0 / count));
        self.log_sum = log_sum_exp(&[self.log_sum, floor.log_likelihood + log_width]);
        self.steps.push([floor.log_likelihood, log_width]);
        let mut other = below(self.num_particles - 1, &mut self.walker.rng);
        other += usize::from(other >= worst);
        self.walker.chain.set_state(&self.particles[other].0);
        self.particles[worst].1 = self.particles[other].1;
        self.moved = Some((worst, floor, 0));
    }

    /// Moves the copy by one sweep.
    fn sweep(&mut self, at: usize, floor: Floor) {
        let PriorWalker { chain, rng, .. } = &mut self.walker;
        chain.sweep_above(floor, self.particles[at].1.label, rng);
        let log_likelihood = Floor::new(chain.log_likelihood(), 0.0).log_likelihood;
        // The label is uniform where it can be.
        let least = if log_likelihood > floor.log_likelihood { 0.0 } else { floor.label };
        let label = least + (1.0 - least) * uniform(rng);
        self.particles[at].1 = Floor { log_likelihood, label };
    }

    /// √(H/n).
    fn standard_error(&self, log_z: f64) -> f64 {
        let shares = self.steps.iter().filter(|[log_l, _]| *log_l > f64::NEG_INFINITY);
        let terms =
            shares.map(|[log_l, log_width]| exp(log_l + log_width - log_z) * (log_l - log_z));
        (terms.sum::<f64>().max(0.0) / self.num_particles as f64).sqrt()
    }

    fn log_volume(&self) -> f64 {
        -(self.steps.len() as f64) / self.num_particles as f64
    }

    fn is_done(&self) -> bool {
        let best = self.particles.iter().map(|(_, floor)| floor.log_likelihood);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        let is_hopeless =
            best == f64::NEG_INFINITY && self.steps.len() > HOPELESS_STEPS * self.num_particles;
        is_hopeless
            || self.steps.len() == MAX_STEPS
            || best + self.log_volume() < self.log_sum + LOG_TOLERANCE
    }
}

impl Trial for NestedSampling {
    fn advance(&mut self) -> Option<Outcome> {
        if self.particles.is_empty() {
            self.begin();
            return None;
        }
        for _ in 0..self.walker.sweeps_per_piece {
            match self.moved {
                None if self.is_done() => {
                    let left: Vec<f64> =
                        self.particles.iter().map(|(_, floor)| floor.log_likelihood).collect();
                    let rest = log_mean(&left) + self.log_volume();
                    let log_z = log_sum_exp(&[self.log_sum, rest]);
                    return Some(Outcome {
                        standard_error: self.standard_error(log_z),
                        num_steps: self.steps.len() as f64,
                        state: Some(self.particles[0].0.clone()),
                        ..Outcome::of(log_z)
                    });
                }
                None => self.replace_worst(),
                Some((at, floor, done)) if done < self.num_sweeps => {
                    self.sweep(at, floor);
                    self.moved = Some((at, floor, done + 1));
                }
                Some((at, ..)) => {
                    self.particles[at].0 = self.walker.chain.state();
                    self.moved = None;
                }
            }
        }
        None
    }
}
