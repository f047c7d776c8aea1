//! Parallel tempering (Geyer 1991; Syed et al. 2022): replicas at the rungs of
//! a ladder ([`super::ladder`]) from a reference to the target, each moved by
//! any transition and exchanged with its neighbours. The states at the highest
//! rung are draws from the target.
//!
//! If the reference can be drawn from exactly, the state at the lowest rung is: what moves up the
//! ladder is then independent of earlier states.

use super::annealed::Annealed;
use super::chains::{ChainTransition, Chains, StepInfo};
use super::ladder::{FIRST_ADAPTATION, Ladder};
use super::target::Target;
use super::tuning::Tuning;
use super::warmup::Warmup;
use crate::energy::{Differentiable, HalfSpace, Reference};
use crate::linalg::dot;
use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};

/// Replicas on ℝᴰ: a block of chains, one per rung, with all the state needed to resume them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Replicas {
    /// The chain at each rung.
    pub chains: Chains,
    /// The step size and map of each rung.
    pub tuning: Tuning,
    /// The rungs, with their swaps and round trips.
    pub ladder: Ladder,
    /// Number of warm-up steps so far.
    num_warmup: u64,
    #[serde(skip)]
    info: Vec<StepInfo>,
    #[serde(skip)]
    differences: Vec<f64>,
    #[serde(skip)]
    accepted: Vec<usize>,
}

/// Maximum number of tries to draw from the reference within the constraints; then the replica
/// keeps its state. The decision does not depend on that state, so the move stays exact.
const MAX_TRIES: usize = 1000;

impl Replicas {
    /// Replicas at `states`, one after another, `[rungs, dim]`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn new(
        path: &Annealed<'_>,
        ladder: Ladder,
        states: &[f64],
        tuning: Tuning,
        rngs: Vec<ChainRng>,
    ) -> Self {
        let chains = Chains::annealed(path, states, ladder.betas(), rngs);
        assert_eq!(tuning.step_size.len(), chains.width());
        Self {
            chains,
            tuning,
            ladder,
            num_warmup: 0,
            info: vec![],
            differences: vec![],
            accepted: vec![],
        }
    }

    /// Whether the lengths are those of `num_rungs` rungs, as they are unless a checkpoint was
    /// tampered with.
    pub fn is_valid(&self, dim: usize, num_rungs: usize) -> bool {
        self.chains.is_valid_annealed(dim, num_rungs)
            && self.tuning.is_valid(dim, num_rungs)
            && self.ladder.is_valid(num_rungs)
    }

    /// One step: every replica moves, the lowest is drawn anew if `exact` can draw from the
    /// reference, and a round of swaps follows.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn step(
        &mut self,
        path: &Annealed<'_>,
        exact: Option<&dyn Reference>,
        inner: &dyn ChainTransition,
    ) {
        self.info.resize(self.chains.width(), StepInfo::default());
        inner.step(Target::Annealed(path), &self.tuning, &mut self.chains, &mut self.info);
        self.exchange(path, exact);
    }

    /// A step in warm-up: `warmup` adapts the tuning of each rung, and the ladder is adapted after
    /// 16, 32, 64, … steps. The last step of warm-up resets the counts of swaps.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn warm_up(
        &mut self,
        path: &Annealed<'_>,
        exact: Option<&dyn Reference>,
        inner: &dyn ChainTransition,
        warmup: &mut Warmup,
        is_last: bool,
    ) {
        self.info.resize(self.chains.width(), StepInfo::default());
        warmup.step(
            Target::Annealed(path),
            inner,
            &mut self.tuning,
            &mut self.chains,
            &mut self.info,
        );
        self.exchange(path, exact);
        self.num_warmup += 1;
        if self.num_warmup >= FIRST_ADAPTATION && self.num_warmup.is_power_of_two() {
            self.ladder.adapt();
            for (rung, &beta) in self.ladder.betas().iter().enumerate() {
                self.chains.set_beta(rung, beta);
            }
        }
        if is_last {
            self.ladder.restart_counts();
        }
    }

    /// What the last step did at each rung, before the swaps.
    pub fn info(&self) -> &[StepInfo] {
        &self.info
    }

    /// The rung of the target: the last.
    pub fn target_rung(&self) -> usize {
        self.chains.width() - 1
    }

    fn exchange(&mut self, path: &Annealed<'_>, exact: Option<&dyn Reference>) {
        if let Some(reference) = exact {
            self.draw_lowest(path, reference);
        }
        let ends = self.chains.ends.as_ref().expect("replicas between two ends");
        self.differences.clear();
        self.differences.extend(ends.differences());
        self.ladder.swap_by_differences(
            &self.differences,
            &mut self.chains.rngs,
            &mut self.accepted,
        );
        for &rung in &self.accepted {
            self.chains.swap(rung, rung + 1);
        }
    }

    fn draw_lowest(&mut self, path: &Annealed<'_>, reference: &dyn Reference) {
        let mut lowest = self.chains.select(&[0]);
        let mut state = vec![0.0; lowest.dim()];
        for _ in 0..MAX_TRIES {
            reference.draw(&mut lowest.rngs[0], &mut state);
            if is_inside(path.constraints(), &state) {
                lowest.position.copy_from_slice(&state);
                lowest.evaluate(Target::Annealed(path));
                break;
            }
        }
        self.chains.put_back(&[0], &lowest);
    }
}

fn is_inside(constraints: &[HalfSpace], x: &[f64]) -> bool {
    constraints.iter().all(|half_space| dot(&half_space.normal, x) >= half_space.offset)
}
