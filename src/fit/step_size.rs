//! The step size of a fit's chains: one for all of them, either given or adapted between updates,
//! never within a proposal.
//!
//! Until the acceptance first crosses the target δ, ε is doubled or halved after each
//! update; from then on, with ā the mean acceptance of all chains and steps of an
//! update,
//!
//! `ln ε ← ln ε + (ā − δ)`,
//!
//! a stochastic approximation (Robbins and Monro 1951) with constant gain, as the model that the
//! chains follow keeps changing. If ε is adapted, each chain multiplies it by a random factor
//! between 0.8 and 1.2, drawn for each update: trajectories all of one length may return to where
//! they began (Neal 2011, 5.4.2.2).

use crate::math::exp;
use crate::rng::{ChainRng, uniform};
use crate::sample::chains::ChainTransition;
use crate::sample::spec::TransitionSpec;
use serde::{Deserialize, Serialize};

/// ε before the first update, if none is given.
const FIRST: f64 = 0.1;

/// Each chain's ε differs from the adapted one by at most this fraction.
const JITTER: f64 = 0.2;

/// The range in which ε is kept.
const RANGE: (f64, f64) = (1e-10, 1e10);

/// ε and the state of its search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepSize {
    size: f64,
    /// The target acceptance δ; none if ε is given.
    target: Option<f64>,
    /// Whether the last change was a doubling (or a halving); none before the first.
    grows: Option<bool>,
    /// Whether the acceptance has crossed the target.
    has_crossed: bool,
}

impl StepSize {
    /// The step size of a transition.
    pub fn new(spec: &TransitionSpec, transition: &dyn ChainTransition) -> Self {
        let target = spec.adaptation().map(|adaptation| {
            adaptation.target_acceptance.unwrap_or_else(|| transition.target_acceptance())
        });
        let size = spec.step_size().unwrap_or(FIRST);
        Self { size, target, grows: None, has_crossed: false }
    }

    /// A step size that is never changed.
    pub fn fixed(size: f64) -> Self {
        Self { size, target: None, grows: None, has_crossed: false }
    }

    /// The present ε.
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

    /// Adapts ε to the mean acceptance of an update. An acceptance of NaN, as without chains,
    /// changes nothing.
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

    /// Whether this can be `fresh` some updates later. For checking states read from outside.
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
