//! The layout of the draws of many chains: draw after draw, one row per chain each, as they are
//! kept and reported; or chain after chain, as diagnostics read them.

use std::ops::Range;

/// Reorders rows of `width` values from draw after draw to chain after chain: all rows of the first
/// of `chains`, then all of the next.
pub fn by_chain<T>(
    values: &[T],
    width: usize,
    num_chains: usize,
    chains: Range<usize>,
) -> impl Iterator<Item = &[T]> {
    chains.flat_map(move |chain| values.chunks_exact(width).skip(chain).step_by(num_chains))
}

/// Appends draws of all chains, from the parts of shards that have some chains each: for every draw
/// the first shard's rows, then the next one's.
///
/// # Panics
/// If a part does not have equally many values for each draw.
pub fn interleave<'a, T: Copy + 'a>(
    to: &mut Vec<T>,
    num_draws: usize,
    parts: impl Iterator<Item = &'a [T]> + Clone,
) {
    for part in parts.clone() {
        assert!(part.len().is_multiple_of(num_draws.max(1)), "a shard's draws are of one size");
    }
    for draw in 0..num_draws {
        for part in parts.clone() {
            let width = part.len() / num_draws;
            to.extend_from_slice(&part[draw * width..(draw + 1) * width]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three chains in two shards, two draws, then one more: rows `[draw, chain]`.
    #[test]
    fn shards_are_interleaved_and_chains_taken_apart() {
        let mut rows = Vec::new();
        let parts = [vec![[0, 0], [0, 1], [1, 0], [1, 1]], vec![[0, 2], [1, 2]]];
        interleave(&mut rows, 2, parts.iter().map(Vec::as_slice));
        let parts = [vec![[2, 0], [2, 1]], vec![[2, 2]]];
        interleave(&mut rows, 1, parts.iter().map(Vec::as_slice));
        let parts: [Vec<[i32; 2]>; 2] = [Vec::new(), Vec::new()];
        interleave(&mut rows, 0, parts.iter().map(Vec::as_slice));
        let expected = (0..3).flat_map(|draw| (0..3).map(move |chain| [draw, chain]));
        assert!(rows.iter().copied().eq(expected), "{rows:?}");

        let values = rows.as_flattened();
        let of_chains = by_chain(values, 2, 3, 1..3).map(<[i32]>::to_vec);
        let expected = (1..3).flat_map(|chain| (0..3).map(move |draw| vec![draw, chain]));
        assert!(of_chains.eq(expected));
    }
}
