//! The sharding and the rounds of annealing, which depend on the spec alone.

use crate::sample::groups::{self, group_width};
use std::ops::Range;

/// Usual work per shard in a round, in estimated nanoseconds.
const ROUND: u64 = 10_000_000;

/// Work per piece of a shard, in estimated nanoseconds.
const PIECE: u64 = 5_000_000;

/// Groups of chains of several targets; no group mixes targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Number of targets.
    pub num_targets: usize,
    /// Number of chains of each target.
    pub num_chains: usize,
    of_each: groups::Groups,
}

impl Groups {
    /// Groups of `num_chains` chains of each of `num_targets` targets.
    pub fn new(num_targets: usize, num_chains: usize) -> Self {
        let width = group_width(num_targets * num_chains).min(num_chains);
        Self { num_targets, num_chains, of_each: groups::Groups::new(num_chains, width) }
    }

    fn per_target(&self) -> usize {
        self.of_each.count()
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.num_targets * self.per_target()
    }

    /// The target of a group.
    pub fn target(&self, group: usize) -> usize {
        group / self.per_target()
    }

    /// The groups of a target.
    pub fn of_target(&self, target: usize) -> Range<usize> {
        target * self.per_target()..(target + 1) * self.per_target()
    }

    /// The chains of a group, as indices within its target.
    pub fn chains(&self, group: usize) -> Range<usize> {
        self.of_each.chains(group % self.per_target())
    }

    /// Number of annealing steps of a round, if a step of one chain takes `step_cost` nanoseconds.
    pub fn steps_of_round(&self, step_cost: u64) -> u64 {
        (ROUND / (self.of_each.width() as u64 * step_cost).max(1)).max(1)
    }

    /// Number of annealing steps of a piece.
    pub fn steps_of_piece(&self, step_cost: u64) -> usize {
        (PIECE / (self.of_each.width() as u64 * step_cost).max(1)).max(1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn every_chain_is_in_one_group() {
        for (num_targets, num_chains) in [(1, 2), (1, 1000), (3, 7), (100, 200), (1, 100_000)] {
            let groups = Groups::new(num_targets, num_chains);
            for target in 0..num_targets {
                let of_target = groups.of_target(target);
                assert!(of_target.clone().all(|group| groups.target(group) == target));
                let chains: Vec<usize> = of_target.flat_map(|group| groups.chains(group)).collect();
                assert!(chains.into_iter().eq(0..num_chains), "{num_targets} {num_chains}");
            }
            assert_eq!(groups.of_target(num_targets - 1).end, groups.count());
        }
    }
}
