//! How annealing is cut into shards and rounds. It depends on the spec alone.

use crate::sample::groups::{self, group_width};
use std::ops::Range;

/// Work of a shard in a round, in estimated nanoseconds.
const ROUND: u64 = 10_000_000;

/// Work of a piece of it.
const PIECE: u64 = 5_000_000;

/// Chains of several targets in groups, none of which mixes targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Targets.
    pub num_targets: usize,
    /// Chains of each.
    pub num_chains: usize,
    of_each: groups::Groups,
}

impl Groups {
    /// So many chains of each target.
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

    /// The chains of a group, counted within its target.
    pub fn chains(&self, group: usize) -> Range<usize> {
        self.of_each.chains(group % self.per_target())
    }

    /// Annealing steps of a round, of chains whose steps take so many
    /// nanoseconds each.
    pub fn steps_of_round(&self, step_cost: u64) -> u64 {
        (ROUND / (self.of_each.width() as u64 * step_cost).max(1)).max(1)
    }

    /// Annealing steps of a piece of it.
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
