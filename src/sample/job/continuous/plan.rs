//! The sharding and the rounds of sampling on ℝᴰ.

use crate::energy::Differentiable;
use crate::models::gaussian::PrincipalAxes;
use crate::run::PIECE;
use crate::sample::groups::{Groups, group_width};
use crate::sample::job::memory::MemoryEstimate;
use crate::sample::job::spec::SampleSpec;
use crate::sample::spec::TransitionSpec;
use crate::sample::tuning::ScaleKind;
use std::ops::Range;

/// The sharding and the rounds of a sampling job.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Entries per state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// The chains of each shard.
    groups: Groups,
    /// Draws per chain.
    pub num_draws: usize,
    /// Steps per chain before its first draw.
    pub num_warmup: u64,
    /// Total number of steps per chain.
    pub num_steps: u64,
    /// Steps from one draw to the next.
    pub steps_per_draw: u64,
    /// Estimated cost of a gradient of one chain, in nanoseconds.
    gradient_cost: f64,
    /// Estimated cost per step of rotating draws back to the model's coordinates, in nanoseconds.
    rotation_cost: f64,
    /// Bytes of a chain between two steps, including all its rungs.
    chain_bytes: u64,
    /// Number of rungs of the ladder, if there is one.
    num_rungs: Option<usize>,
}

fn num_rungs(spec: &SampleSpec) -> Option<usize> {
    match &spec.transition {
        TransitionSpec::ParallelTempering(ladder) => Some(ladder.num_rungs),
        TransitionSpec::SimulatedTempering(ladder) => Some(ladder.num_rungs),
        _ => None,
    }
}

/// Approximate size in bytes of a chain between two steps; an overestimate where it is small.
fn chain_bytes(spec: &SampleSpec, dim: usize) -> u64 {
    let dim = dim as u64;
    // The map A, and the mean and sums from which it is estimated.
    let map = match spec.transition.adaptation().map(|adaptation| adaptation.scale) {
        None | Some(ScaleKind::Unit) => 0,
        Some(ScaleKind::Diagonal) => 3 * dim,
        Some(ScaleKind::Dense) => dim + 2 * dim * dim,
    };
    // Position, momentum and gradient, now and at the start of the step, and ten divergences;
    // between two ends, also the gradients of both, twice.
    let untempered = 8 * (16 * dim + map) + 256;
    let between = 8 * (10 * dim + map) + 256;
    // Chains with separately allocated memory allocate it in some forty places.
    let of_ladder = 8 * 10 * dim + 2048;
    match &spec.transition {
        TransitionSpec::ParallelTempering(ladder) => ladder.num_rungs as u64 * between + of_ladder,
        TransitionSpec::SimulatedTempering(ladder) => {
            between + ladder.num_rungs as u64 * 80 + of_ladder
        }
        _ => untempered,
    }
}

/// Whether chains may move along the principal axes of their target: if they move without a map and
/// without a ladder, and make enough steps to make finding the axes worthwhile.
pub fn may_rotate(spec: &SampleSpec, dim: usize) -> bool {
    let is_unit =
        spec.transition.adaptation().is_none_or(|adaptation| adaptation.scale == ScaleKind::Unit);
    let num_steps = (spec.num_draws as u64)
        .saturating_mul(spec.num_steps_per_draw as u64)
        .saturating_add(spec.num_warmup as u64);
    let num_steps = num_steps.saturating_mul(spec.num_chains as u64);
    let is_worth = PrincipalAxes::pay_off(num_steps, dim);
    is_unit && spec.transition.ladder().is_none() && is_worth
}

impl Plan {
    /// The plan of a checked spec. `rotation_cost` is the estimated cost, in nanoseconds, of
    /// rotating a draw back to the model's coordinates if chains move along other axes.
    pub fn new(
        spec: &SampleSpec,
        target: &dyn Differentiable,
        rotation_cost: Option<usize>,
    ) -> Self {
        let num_warmup = spec.num_warmup as u64;
        let steps_per_draw = spec.num_steps_per_draw as u64;
        Self {
            dim: target.dim(),
            num_chains: spec.num_chains,
            groups: Groups::new(spec.num_chains, group_width(spec.num_chains)),
            num_draws: spec.num_draws,
            num_warmup,
            num_steps: num_warmup + spec.num_draws as u64 * steps_per_draw,
            steps_per_draw,
            gradient_cost: target.gradient_cost() as f64,
            rotation_cost: rotation_cost.unwrap_or(0) as f64 / steps_per_draw as f64,
            chain_bytes: chain_bytes(spec, target.dim()),
            num_rungs: num_rungs(spec),
        }
    }

    /// Number of shards, one group of chains each.
    pub fn num_shards(&self) -> usize {
        self.groups.count()
    }

    /// The chains of a shard.
    pub fn chains(&self, shard: usize) -> Range<usize> {
        self.groups.chains(shard)
    }

    /// The memory that the draws and chains take.
    pub fn memory_estimate(&self) -> MemoryEstimate {
        MemoryEstimate {
            num_chains: self.num_chains,
            num_draws: self.num_draws,
            draw_bytes: 8 * (self.dim as u64 + 1),
            chain_bytes: self.chain_bytes,
            state: match self.num_rungs {
                Some(num_rungs) => format!("{} numbers and {num_rungs} rungs", self.dim),
                None => format!("{} numbers", self.dim),
            },
        }
    }

    /// Whether a draw is taken after this step.
    pub fn is_draw(&self, step: u64) -> bool {
        step >= self.num_warmup && (step - self.num_warmup + 1).is_multiple_of(self.steps_per_draw)
    }

    /// Number of draws a chain has given after `step` steps.
    pub fn draws_before(&self, step: u64) -> u64 {
        step.saturating_sub(self.num_warmup) / self.steps_per_draw
    }

    /// Number of steps of the next round, which does `factor` times the usual work, given the steps
    /// of the last one and the single-chain gradients these took.
    pub fn next_steps(&self, num_steps: u64, num_gradients: u64, factor: u32) -> u64 {
        let gradients = num_gradients as f64 / (num_steps as f64 * self.num_chains as f64);
        // Besides gradients, a step draws momenta and writes the chain's state.
        let rest = 40.0 * self.dim as f64 + 100.0 + self.rotation_cost;
        let cost = self.groups.width() as f64 * (gradients * self.gradient_cost + rest);
        // The growth is limited, as early steps may not be typical.
        ((f64::from(factor) * PIECE as f64 / cost) as u64).clamp(1, 8 * num_steps)
    }

    /// The fraction done; summaries count as much as a tenth of the steps.
    pub fn fraction(&self, step: u64, num_summaries: usize) -> f64 {
        let steps = step as f64 / self.num_steps as f64;
        let summaries = num_summaries as f64 / self.dim as f64;
        (10.0 * steps + summaries) / 11.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with what chains certainly hold, so that nothing is left out.
    #[test]
    fn ladders_and_dense_maps_count() {
        let bytes = |transition: &str| {
            let spec = format!(
                r#"{{ "model": {{ "kind": "gaussian", "dim": 30 }}, "numChains": 4, "numWarmup": 9, "numDraws": 1,
                    "transition": {transition} }}"#
            );
            chain_bytes(&serde_json::from_str(&spec).expect("a spec"), 30)
        };
        let given = bytes(r#"{ "kind": "hmc", "numLeapfrogSteps": 2, "stepSize": 0.1 }"#);
        let adapted = bytes(r#"{ "kind": "hmc", "numLeapfrogSteps": 2 }"#);
        let dense = bytes(
            r#"{ "kind": "hmc", "numLeapfrogSteps": 2, "adaptation": { "scale": "dense" } }"#,
        );
        let ladder = |kind: &str, num_rungs: usize| {
            bytes(&format!(
                r#"{{ "kind": "{kind}", "numRungs": {num_rungs}, "transition": {{ "kind": "metropolis" }} }}"#
            ))
        };
        // Position, momentum and gradient; the map, its mean and sum; two matrices of 30 × 30.
        assert!(given > 3 * 8 * 30 && adapted >= given + 3 * 8 * 30 && dense > 2 * 8 * 30 * 30);
        // Both ends' gradients too: on each rung of one chain, and once for the other.
        let [few, many] = [4, 200].map(|rungs| ladder("parallelTempering", rungs));
        assert!(many - few >= 196 * 5 * 8 * 30);
        let [few, many] = [4, 200].map(|rungs| ladder("simulatedTempering", rungs));
        assert!(few > 5 * 8 * 30 && (196 * 48..196 * 5 * 8 * 30).contains(&(many - few)));
    }
}
