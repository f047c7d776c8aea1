//! Statistics along a plan, step by step: acceptances and increments of log w.

use super::annealing_plan::Direction;
use serde::{Deserialize, Serialize};

/// Statistics of annealing steps, one entry per step, summed over chains.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The acceptance probability of a proposal, averaged over the transitions after the step; for
    /// transitions without proposals, the fraction of sites that changed; 1 for perfect moves and
    /// Gibbs sampling of Gaussians.
    pub acceptance: Vec<f64>,
    /// The terms of log w, over the chains for which they are finite.
    pub increments: Vec<f64>,
    /// The squares of these terms, summed.
    pub squares: Vec<f64>,
}

impl Profile {
    /// Adds the statistics of other chains in the same steps.
    ///
    /// # Panics
    /// If the numbers of steps differ.
    pub fn add(&mut self, other: &Self) {
        for (to, from) in [
            (&mut self.acceptance, &other.acceptance),
            (&mut self.increments, &other.increments),
            (&mut self.squares, &other.squares),
        ] {
            assert_eq!(to.len(), from.len());
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        for values in [&mut self.acceptance, &mut self.increments, &mut self.squares] {
            values.push(0.0);
        }
    }

    /// Adds the acceptances of chains to the present step.
    pub(super) fn accept(&mut self, shares: impl Iterator<Item = f64>) {
        let acceptance = self.acceptance.last_mut().expect("a step has begun");
        *acceptance = shares.fold(*acceptance, |sum, share| sum + share);
    }
}

/// The statistics that chains of all kinds keep of a step.
pub(super) struct Accounts<'a> {
    pub direction: Direction,
    pub log_weights: &'a mut [f64],
    pub integrals: &'a mut [f64],
    pub profile: &'a mut Profile,
}

impl Accounts<'_> {
    /// Records each chain's `log f_k − log f_{k−1}`, before the transition.
    pub fn weigh(&mut self, terms: impl Iterator<Item = f64>) {
        let (mut increment, mut squares) = (0.0, 0.0);
        for (chain, term) in terms.enumerate() {
            let term = self.settle(term);
            self.log_weights[chain] += term;
            self.integrals[chain] += 0.5 * term;
            if term.is_finite() {
                increment += term;
                squares += term * term;
            }
        }
        *self.profile.increments.last_mut().expect("a step has begun") += increment;
        *self.profile.squares.last_mut().expect("a step has begun") += squares;
    }

    /// Records the terms of the integral, after the transition.
    pub fn integrate(&mut self, terms: impl Iterator<Item = f64>) {
        for (chain, term) in terms.enumerate() {
            self.integrals[chain] += 0.5 * self.settle(term);
        }
    }

    /// Replaces NaN, which arises outside the support of the next distribution, by the term for a
    /// weight of 0.
    fn settle(&self, term: f64) -> f64 {
        match (term.is_nan(), self.direction) {
            (false, _) => term,
            (true, Direction::Forward) => f64::NEG_INFINITY,
            (true, Direction::Reverse) => f64::INFINITY,
            (true, Direction::Stay) => 0.0,
        }
    }
}
