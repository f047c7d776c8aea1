//! The division of chains into groups, whose chains move side by side: a shard's work.

use std::ops::Range;

/// Number of chains per group, which gives some 16 groups. Kernels take four chains at a time. A
/// group has at most 64, so that the data of a step stay in the nearer caches. (Narrower groups
/// would balance the load better, but of 200 chains, groups of 8 took a tenth longer than groups of
/// 16 on one worker, and on two as long.)
pub(crate) fn group_width(num_chains: usize) -> usize {
    match num_chains.div_ceil(16) {
        width @ 0..=2 => width,
        width => width.next_multiple_of(4).min(64),
    }
}

/// Groups of one width. If their number is odd, the last one is cut in two, so that two workers
/// have equal work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups {
    num_chains: usize,
    width: usize,
    count: usize,
    /// Index of the last group's first chain.
    last: usize,
}

/// Minimum number of chains to be cut into two groups.
const MIN_TO_CUT: usize = 8;

impl Groups {
    /// Groups of `num_chains` chains, at least one.
    pub fn new(num_chains: usize, width: usize) -> Self {
        let count = num_chains.div_ceil(width);
        let last = (count - 1) * width;
        let rest = num_chains - last;
        if count > 1 && count % 2 == 1 && rest >= MIN_TO_CUT {
            let last = last + (rest / 2).next_multiple_of(4);
            return Self { num_chains, width, count: count + 1, last };
        }
        Self { num_chains, width, count, last }
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of chains of the widest group.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The chains of a group.
    pub fn chains(&self, group: usize) -> Range<usize> {
        if group + 1 == self.count {
            return self.last..self.num_chains;
        }
        let start = group * self.width;
        start..(start + self.width).min(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_enough_to_be_shared_and_not_too_wide() {
        for num_chains in 1..5000 {
            let width = group_width(num_chains);
            let num_groups = num_chains.div_ceil(width);
            assert!((1..=64).contains(&width), "{num_chains}: {width}");
            assert!(num_groups >= num_chains.min(9), "{num_chains}: {num_groups}");
            assert!(num_groups <= 16 || width == 64, "{num_chains}: {num_groups}");
        }
    }

    #[test]
    fn groups_have_every_chain_once_and_two_workers_as_many() {
        for num_chains in 1..1000 {
            for width in [1, 2, 4, 16, 64] {
                let groups = Groups::new(num_chains, width);
                let all: Vec<_> = (0..groups.count()).map(|group| groups.chains(group)).collect();
                assert!(all.iter().all(|chains| !chains.is_empty() && chains.len() <= width));
                assert!(all.iter().cloned().flatten().eq(0..num_chains), "{num_chains} {width}");
                let is_even = groups.count().is_multiple_of(2);
                assert!(is_even || groups.count() == 1 || all[all.len() - 1].len() < MIN_TO_CUT);
            }
        }
        let lens: Vec<_> = (11..14).map(|group| Groups::new(200, 16).chains(group).len()).collect();
        assert_eq!(lens, [16, 4, 4]);
    }
}
