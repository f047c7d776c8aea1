//! The sharding and the rounds of sampling the hidden variables of a table. They depend on the spec
//! alone.

use super::Round;
use crate::models::latent::{MAX_PAIRED_ROWS, TableModel};
use crate::sample::groups::{Groups, group_width};
use crate::sample::job::memory::MemoryEstimate;
use crate::sample::job::spec::SampleSpec;
use std::ops::Range;

/// Multiplications of a piece of work: some milliseconds.
const PIECE_COST: usize = 1 << 20;

/// Pieces of a shard in a round.
const PIECES_PER_ROUND: usize = 8;

/// Maximum number of sums that all shards return together.
const MAX_SUMS: usize = 1 << 24;

/// Cost of a step of any size, in multiplications.
const STEP_COST: usize = 1 << 9;

/// Numbers of a draw besides hidden variables and features: both variances, the log joint density,
/// the log likelihood and the number in use.
pub const NUM_SCALARS: usize = 5;

/// The sharding and the rounds of a job.
#[derive(Debug, Clone)]
pub struct Plan {
    /// N, the number of rows.
    pub num_rows: usize,
    /// D, the number of columns.
    pub dim: usize,
    /// K.
    pub order: usize,
    /// Hidden variables of a row.
    pub hidden_width: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Draws of a chain.
    pub num_draws: usize,
    /// Whether pairs of rows are counted that share a cluster.
    pub has_pairs: bool,
    num_warmup: usize,
    steps_per_draw: usize,
    /// Steps of a chain.
    pub num_steps: usize,
    /// Steps of a piece.
    pub steps_per_piece: usize,
    steps_per_round: usize,
    groups: Groups,
}

impl Plan {
    /// The plan of a checked spec for a table of this many rows.
    pub fn new(spec: &SampleSpec, model: &dyn TableModel, num_rows: usize) -> Self {
        let (dim, num_chains) = (model.dim(), spec.num_chains);
        let has_pairs = model.has_clusters() && num_rows <= MAX_PAIRED_ROWS;
        let num_pairs = if has_pairs { num_rows * (num_rows - 1) / 2 } else { 0 };
        let num_sums = 2 * num_rows * dim + num_pairs;
        let most_groups = (MAX_SUMS / num_sums.max(1)).max(1);
        let width = group_width(num_chains).max(num_chains.div_ceil(most_groups));
        let groups = Groups::new(num_chains, width);
        let draw_cost = (6 * num_rows * dim + num_pairs) / spec.num_steps_per_draw;
        let step_cost = model.sweep_cost(num_rows) + draw_cost + STEP_COST;
        let steps_per_piece = (PIECE_COST / step_cost).max(1);
        let steps_of_all = (PIECES_PER_ROUND * PIECE_COST / step_cost).max(1);
        Self {
            num_rows,
            dim,
            order: model.order(),
            hidden_width: model.hidden_width(),
            num_chains,
            num_draws: spec.num_draws,
            has_pairs,
            num_warmup: spec.num_warmup,
            steps_per_draw: spec.num_steps_per_draw,
            num_steps: spec.num_warmup + spec.num_draws * spec.num_steps_per_draw,
            steps_per_piece,
            steps_per_round: (steps_of_all / groups.width()).max(1),
            groups,
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

    /// The round after this many steps; none of steps if all are done.
    pub fn round(&self, step: usize) -> Round {
        if step == self.num_steps {
            return Round::Summaries;
        }
        let end = self.num_steps.min(step + self.steps_per_round);
        Round::Steps { start: step as u64, end: end as u64 }
    }

    /// Whether a round begins after this many steps.
    pub fn begins_round(&self, step: usize) -> bool {
        step == self.num_steps || step < self.num_steps && step.is_multiple_of(self.steps_per_round)
    }

    /// The fraction of all rounds that is done.
    pub fn fraction(&self, step: usize, is_done: bool) -> f64 {
        let num_rounds = |steps: usize| steps.div_ceil(self.steps_per_round) as f64;
        let num_done = num_rounds(step) + f64::from(is_done);
        num_done / (num_rounds(self.num_steps) + 1.0)
    }

    /// Whether a draw is taken after this step.
    pub fn is_draw(&self, step: usize) -> bool {
        step >= self.num_warmup && (step - self.num_warmup + 1).is_multiple_of(self.steps_per_draw)
    }

    /// Number of draws a chain has given after this many steps.
    pub fn draws_before(&self, step: usize) -> usize {
        step.saturating_sub(self.num_warmup) / self.steps_per_draw
    }

    /// Hidden variables of all rows.
    pub fn num_hidden(&self) -> usize {
        self.num_rows * self.hidden_width
    }

    /// Numbers of a state: hidden variables, features and variances.
    pub fn state_width(&self) -> usize {
        self.num_hidden() + self.order * self.dim + 2
    }

    /// Numbers of a draw.
    pub fn draw_width(&self) -> usize {
        self.state_width() + NUM_SCALARS - 2
    }

    /// Entries of the table.
    pub fn num_entries(&self) -> usize {
        self.num_rows * self.dim
    }

    /// Number of pairs of rows that are counted.
    pub fn num_pairs(&self) -> usize {
        if self.has_pairs { self.num_rows * (self.num_rows - 1) / 2 } else { 0 }
    }

    /// The memory that draws and chains take.
    pub fn memory_estimate(&self) -> MemoryEstimate {
        MemoryEstimate {
            num_chains: self.num_chains,
            num_draws: self.num_draws,
            draw_bytes: 8 * self.draw_width() as u64,
            // A chain that moves has sums of its rows, too.
            chain_bytes: 8 * 3 * self.state_width() as u64 + 512,
            state: format!("{} numbers", self.draw_width()),
        }
    }
}
