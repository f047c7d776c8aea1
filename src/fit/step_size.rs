//! The step size of the chains of a fit: one for all of them, the one given or
//! adapted between updates, never within a proposal.
//!
//! Until the acceptance first crosses the target δ, ε is doubled or halved after each
//! update; from then on, with ā the mean acceptance of all chains and steps of an
//! update,
//!
//! `ln ε ← ln ε + (ā − δ)`,
//!
//! a stochastic approximation (Robbins and Monro 1951) whose gain stays as it is, since
//! the model that the chains follow goes on changing. Where ε is adapted, each chain's
//! own differs from it by a random factor between 0.8 and 1.2, drawn for each update:
//! trajectories of one length for all may come back to where they began (Neal 2011,
//! 5.4.2.2).

use crate::math::exp;
use crate::rng::{ChainRng, uniform};
use crate::sample::chains::ChainTransition;
use crate::sample::spec::TransitionSpec;
use serde::{Deserialize, Serialize};

/// ε before the first update, where none is given.
const FIRST: f64 = 0.1;

/// Each chain's own ε differs from the adapted one by at most this part of it.
const JITTER: f64 = 0.2;

/// ε is kept between these.
const RANGE: (f64, f64) = (1e-10, 1e10);

/// ε, and how its search goes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepSize {
    size: f64,
    /// δ; none if ε is given.
    target: Option<f64>,
    /// Whether the last doubling or halving was a doubling.
    grows: Option<bool>,
    /// Whether the acceptance has crossed the target.
    has_crossed: bool,
}

impl StepSize {
    /// That of a transition.
    pub fn new(spec: &TransitionSpec, transition: &dyn ChainTransition) -> Self {
        let target = spec.adaptation().map(|adaptation| {
            adaptation.target_acceptance.unwrap_or_else(|| transition.target_acceptance())
        });
        let size = spec.step_size().unwrap_or(FIRST);
        Self { size, target, grows: None, has_crossed: false }
    }

    /// One that is never changed.
    pub fn fixed(size: f64) -> Self {
        Self { size, target: None, grows: None, has_crossed: false }
    }

    /// ε.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The ε of one chain in an update.
    pub fn of_chain(&self, rng: &mut ChainRng) -> f64 {
        match self.target {
            None => self.size,
            Some(_) => self.size * (1.0 + JITTER * (2.0 * uniform(rng) - 1.0)),
        }
    }

    /// Learns from the mean acceptance of an update; nothing from one that is no number,
    /// as it is without chains.
    pub fn learn(&mut self, acceptance: f64) {
        let Some(target) = self.target.filter(|_| !acceptance.is_nan()) else { return };
        let is_high = acceptance > target;
        self.has_crossed |= self.grows.is_some_and(|grows| grows != is_high);
        self.size *= match (self.has_crossed, is_high) {
            (true, _) => exp(acceptance - target),
            (false, true) => 2.0,
            (false, false) => 0.5,
        };
        self.size = self.size.clamp(RANGE.0, RANGE.1);
        self.grows = Some(is_high);
    }

    /// Whether this can be `fresh` some updates later. For states read from outside.
    pub fn continues(&self, fresh: &Self) -> bool {
        self.target == fresh.target
            && match self.target {
                None => self == fresh,
                Some(_) => {
                    self.size >= RANGE.0.min(fresh.size) && self.size <= RANGE.1.max(fresh.size)
                }
            }
    }
}
