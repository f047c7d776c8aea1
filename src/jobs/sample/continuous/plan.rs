//! How sampling on ℝᴰ is cut into shards and rounds.

use super::super::super::spec::SampleSpec;
use super::super::memory::Demand;
use crate::energy::Differentiable;
use std::ops::Range;

/// Shards there are, if there are so many chains.
const NUM_SHARDS: usize = 16;

/// Most chains a group: what a step touches should stay in the nearer caches.
const MAX_WIDTH: usize = 64;

/// Work of a shard in a round, in estimated nanoseconds.
const BUDGET: f64 = 5e6;

/// The cut.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Entries a state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Number of shards, a group of chains each.
    pub num_shards: usize,
    /// Chains of a shard; the last may have fewer.
    width: usize,
    /// Draws a chain.
    pub num_draws: usize,
    /// Steps a chain before its first draw.
    pub num_warmup: u64,
    /// Steps a chain in all.
    pub num_steps: u64,
    /// Steps from one draw to the next.
    pub steps_per_draw: u64,
    /// Estimated nanoseconds of a gradient of one chain.
    gradient_cost: f64,
}

/// Chains of a group. Kernels take four at a time, so that more than two are
/// made a multiple of it.
fn width(num_chains: usize) -> usize {
    match num_chains.div_ceil(NUM_SHARDS) {
        width @ 0..=2 => width,
        width => width.next_multiple_of(4).min(MAX_WIDTH),
    }
}

impl Plan {
    /// The cut of a checked spec.
    pub fn new(spec: &SampleSpec, target: &dyn Differentiable) -> Self {
        let num_warmup = spec.num_warmup as u64;
        let steps_per_draw = spec.num_steps_per_draw as u64;
        let width = width(spec.num_chains);
        Self {
            dim: target.dim(),
            num_chains: spec.num_chains,
            num_shards: spec.num_chains.div_ceil(width),
            width,
            num_draws: spec.num_draws,
            num_warmup,
            num_steps: num_warmup + spec.num_draws as u64 * steps_per_draw,
            steps_per_draw,
            gradient_cost: target.gradient_cost() as f64,
        }
    }

    /// The chains of a shard.
    pub fn chains(&self, shard: usize) -> Range<usize> {
        let start = shard * self.width;
        start..self.num_chains.min(start + self.width)
    }

    /// What it asks to be kept.
    pub fn demand(&self) -> Demand {
        Demand {
            num_chains: self.num_chains,
            num_draws: self.num_draws,
            draw_bytes: 8 * (self.dim as u64 + 1),
            // A state has position, momentum, gradient, scale and what they are estimated from.
            chain_bytes: 8 * 6 * self.dim as u64 + 64,
            state: format!("{} numbers", self.dim),
        }
    }

    /// Whether a draw is taken after this step.
    pub fn is_draw(&self, step: u64) -> bool {
        step >= self.num_warmup && (step - self.num_warmup + 1).is_multiple_of(self.steps_per_draw)
    }

    /// Draws a chain has given when it has made so many steps.
    pub fn draws_before(&self, step: u64) -> u64 {
        step.saturating_sub(self.num_warmup) / self.steps_per_draw
    }

    /// Steps of the next round, when the last had so many and took so many
    /// gradients of single chains.
    pub fn next_steps(&self, num_steps: u64, num_gradients: u64) -> u64 {
        let gradients = num_gradients as f64 / (num_steps as f64 * self.num_chains as f64);
        // Besides gradients, a step draws momenta and writes the chain's state.
        let cost =
            self.width as f64 * (gradients * self.gradient_cost + 40.0 * self.dim as f64 + 100.0);
        // Not at once as many as the estimate says: early steps may not be typical.
        ((BUDGET / cost) as u64).clamp(1, 8 * num_steps)
    }

    /// The part done: summaries count as much as a tenth of the steps.
    pub fn fraction(&self, step: u64, num_summaries: usize) -> f64 {
        let steps = step as f64 / self.num_steps as f64;
        let summaries = num_summaries as f64 / self.dim as f64;
        (10.0 * steps + summaries) / 11.0
    }
}
