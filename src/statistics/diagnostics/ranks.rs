//! Rank normalization and folding: VGSCB, sections 4.1 and 4.2.

use super::draws::{Draws, OwnedDraws};
use super::normal_quantile::normal_quantile;
use super::quantile::median;
use crate::sorting::sorted;

/// Replaces every draw by a normal score of its rank among all draws of all chains, z = Φ⁻¹((r −
/// 3/8) / (S + 1/4)) with S draws in total and Blom's offset. Equal draws share the mean of their
/// ranks. No draw may be NaN.
pub(super) fn normal_scores(draws: Draws<'_>) -> OwnedDraws {
    let size = draws.values().len();
    // Equal draws may come in any order here, which takes fewer comparisons than `ascending_order`.
    let mut order: Vec<(f64, usize)> =
        draws.values().iter().enumerate().map(|(at, &x)| (x, at)).collect();
    order.sort_unstable_by(|(x, _), (y, _)| x.total_cmp(y));
    let mut scores = vec![0.0; size];
    let mut rank = 1;
    for equal in order.chunk_by(|(x, _), (y, _)| x == y) {
        let mean_rank = rank as f64 + 0.5 * (equal.len() - 1) as f64;
        let score = normal_quantile((mean_rank - 0.375) / (size as f64 + 0.25));
        for &(_, at) in equal {
            scores[at] = score;
        }
        rank += equal.len();
    }
    OwnedDraws { num_chains: draws.num_chains(), values: scores }
}

/// |x − median of all draws|: it differs between chains of equal centre but unequal width.
pub(super) fn folded(draws: Draws<'_>) -> OwnedDraws {
    let centre = median(&sorted(draws.values()));
    draws.map(|x| (x - centre).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        let values = [3.0, -0.0, 0.0, f64::INFINITY, 3.0, 3.0, f64::NEG_INFINITY, 4.0];
        let scores = normal_scores(Draws::new(2, &values).unwrap());
        let ranks = [5.0, 2.5, 2.5, 8.0, 5.0, 5.0, 1.0, 7.0];
        for (score, rank) in scores.values.iter().zip(ranks) {
            assert_eq!(*score, normal_quantile((rank - 0.375) / 8.25));
        }
    }
}
