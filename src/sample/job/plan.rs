//! The rounds and the sharding of sampling. They depend on the spec alone, so that any number of
//! workers gives the same numbers, and a shard's work in a round takes milliseconds.

use super::motion::Motion;
use crate::run::per_piece;
use crate::sample::job::spec::SampleSpec;
use std::ops::Range;

/// Maximum number of shards, if no sweep takes long.
const NUM_SHARDS: usize = 16;

/// Maximum number of pair counts that a shard returns in a round.
const MAX_PAIRS: usize = 1 << 16;

/// Maximum number of sites for which moments are counted by default.
const MAX_DEFAULT_MOMENTS: usize = 1024;

/// How many parts fit into a shard of a round, at least 1, given the estimated nanoseconds of each. A shard is half a
/// piece, because pages draw what each round reports.
fn per_shard(cost: usize) -> usize {
    per_piece((cost as u64).saturating_mul(2))
}

/// The kind of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Round {
    /// Every chain makes these sweeps, counted from 0.
    Sweeps(Range<usize>),
    /// Each shard counts pairs of ones in the draws of some of its chains.
    Moments {
        /// Places of the chains within the shard.
        chains: Range<usize>,
        /// The first sites of the pairs.
        sites: Range<usize>,
    },
}

/// The rounds and the sharding of a sampling job.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Bits per state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Number of shards.
    pub num_shards: usize,
    /// Draws per chain.
    pub num_draws: usize,
    /// Whether the draws' energies are computed.
    pub has_energies: bool,
    /// Whether the moments are counted.
    pub has_moments: bool,
    /// Number of chains per block.
    width: usize,
    /// Maximum number of chains per shard.
    shard_chains: usize,
    num_warmup: usize,
    /// Numbers of sweeps at which a round ends, ascending; the last is that of all.
    ends: Vec<usize>,
    sweeps_per_draw: usize,
    sweeps_per_round: usize,
    num_sweep_rounds: usize,
    chains_per_round: usize,
    sites_per_round: usize,
}

impl Plan {
    /// The plan of a checked spec whose chains move this way.
    pub fn new(spec: &SampleSpec, motion: &impl Motion) -> Self {
        let (dim, num_chains) = (motion.target().dim(), spec.num_chains);
        let sweep_cost = motion.sweep_cost(spec.num_steps_per_draw);
        let width = motion.width(num_chains);
        let num_sweeps = spec.num_warmup + spec.num_draws * spec.num_steps_per_draw;
        let mut ends = motion.adaptations();
        ends.retain(|&end| end > 0);
        ends.push(num_sweeps);
        let most_chains = per_shard(sweep_cost);
        let num_blocks = num_chains.div_ceil(width);
        let num_shards = num_blocks.min(NUM_SHARDS).max(num_chains.div_ceil(most_chains));
        // Blocks are kept whole, unless there are too few of them.
        let width = if num_shards > num_blocks { 1 } else { width };
        let shard_chains = num_chains.div_ceil(width).div_ceil(num_shards) * width;
        // One nanosecond for 64 draws of a pair, plus packing the draws' bits.
        let site_cost = dim * spec.num_draws.div_ceil(64);
        let sites_per_round = per_shard(site_cost).min(MAX_PAIRS / dim).clamp(1, dim);
        let chain_cost = site_cost * sites_per_round + 3 * dim * spec.num_draws;
        let sweeps_per_round = per_shard(sweep_cost.saturating_mul(shard_chains));
        let (mut num_sweep_rounds, mut start) = (0, 0);
        for &end in &ends {
            num_sweep_rounds += (end - start).div_ceil(sweeps_per_round);
            start = end;
        }
        Self {
            dim,
            num_chains,
            num_shards,
            width,
            shard_chains,
            num_draws: spec.num_draws,
            has_energies: spec.energies,
            has_moments: spec.moments.unwrap_or(dim <= MAX_DEFAULT_MOMENTS),
            num_warmup: spec.num_warmup,
            ends,
            sweeps_per_draw: spec.num_steps_per_draw,
            sweeps_per_round,
            num_sweep_rounds,
            chains_per_round: per_shard(chain_cost).min(shard_chains),
            sites_per_round,
        }
    }

    /// The chains of a shard.
    pub fn chains(&self, shard: usize) -> Range<usize> {
        let num_blocks = self.num_chains.div_ceil(self.width);
        let at = |shard: usize| {
            let block = (num_blocks as u64 * shard as u64 / self.num_shards as u64) as usize;
            (block * self.width).min(self.num_chains)
        };
        at(shard)..at(shard + 1)
    }

    /// The sweeps of a round, counted from 0; none if it is none of sweeps.
    fn sweeps(&self, mut index: usize) -> Option<Range<usize>> {
        let (length, mut start) = (self.sweeps_per_round, 0);
        for &end in &self.ends {
            let num_rounds = (end - start).div_ceil(length);
            if index < num_rounds {
                start += index * length;
                return Some(start..end.min(start + length));
            }
            index -= num_rounds;
            start = end;
        }
        None
    }

    fn num_site_blocks(&self) -> usize {
        self.dim.div_ceil(self.sites_per_round)
    }

    /// Number of rounds.
    pub fn num_rounds(&self) -> usize {
        if !self.has_moments {
            return self.num_sweep_rounds;
        }
        let chain_groups = self.shard_chains.div_ceil(self.chains_per_round);
        self.num_sweep_rounds + chain_groups * self.num_site_blocks()
    }

    /// The kind of round `index`.
    pub fn round(&self, index: usize) -> Round {
        if let Some(sweeps) = self.sweeps(index) {
            return Round::Sweeps(sweeps);
        }
        let index = index - self.num_sweep_rounds;
        let chain = index / self.num_site_blocks() * self.chains_per_round;
        let site = index % self.num_site_blocks() * self.sites_per_round;
        Round::Moments {
            chains: chain..chain + self.chains_per_round,
            sites: site..self.dim.min(site + self.sites_per_round),
        }
    }

    /// Up to `count` rounds of sweeps from round `index` on as one, or round `index` if it is of
    /// another kind; and the number of the round after it. Chains are adapted between two rounds
    /// only, so none goes beyond that.
    pub fn merged(&self, index: usize, count: usize) -> (Round, usize) {
        let Some(first) = self.sweeps(index) else { return (self.round(index), index + 1) };
        let mut end = first.end;
        let mut next = index + 1;
        while next < index + count
            && !self.ends.contains(&end)
            && let Some(sweeps) = self.sweeps(next)
        {
            end = sweeps.end;
            next += 1;
        }
        (Round::Sweeps(first.start..end), next)
    }

    /// Number of sweeps of each chain, warm-up included.
    pub fn num_sweeps(&self) -> usize {
        self.num_warmup + self.num_draws * self.sweeps_per_draw
    }

    /// Whether a draw is taken after this sweep.
    pub fn is_draw(&self, sweep: usize) -> bool {
        sweep >= self.num_warmup
            && (sweep - self.num_warmup + 1).is_multiple_of(self.sweeps_per_draw)
    }

    /// Number of draws per chain before round `index`.
    pub fn draws_before(&self, index: usize) -> usize {
        let all = self.ends.last().copied().unwrap_or(0);
        let sweeps = self.sweeps(index).map_or(all, |sweeps| sweeps.start);
        sweeps.saturating_sub(self.num_warmup) / self.sweeps_per_draw
    }

    /// Size of one draw in bytes.
    pub fn draw_bytes(&self) -> usize {
        self.dim.div_ceil(8)
    }

    /// Number of pairs i ≤ j.
    pub fn num_pairs(&self) -> usize {
        self.dim * (self.dim + 1) / 2
    }

    /// Index of the first of the pairs (site, site), (site, site + 1), ….
    pub fn first_pair(&self, site: usize) -> usize {
        site * (2 * self.dim + 1 - site) / 2
    }
}
