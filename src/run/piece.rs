//! How much work is done before a worker attends to something else.

/// Work of a piece, in estimated nanoseconds.
///
/// Where sums are added up piece by piece, or the number of shards follows from it, their last bits depend on it.
pub const PIECE: u64 = 10_000_000;

/// How many parts fit into a piece, at least 1, given the estimated nanoseconds of each.
pub fn per_piece(cost: u64) -> usize {
    (PIECE / cost.max(1)).clamp(1, u64::from(u32::MAX)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_fit_and_one_that_does_not() {
        assert_eq!(per_piece(3), 3_333_333);
        assert_eq!(per_piece(PIECE), 1);
        assert_eq!(per_piece(u64::MAX), 1);
        assert_eq!(per_piece(0), 10_000_000);
    }
}
