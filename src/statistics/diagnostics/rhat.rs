//! R̂, the potential scale reduction: how much wider the chains are together than separately.
//! VGSCB, sections 3.1, 4.1 and 4.2.

use super::draws::Draws;
use super::moments::{mean, variance};
use super::ranks::{folded, normal_scores};

/// Rank-normalized split R̂: the larger of [`rhat_bulk`] and [`rhat_tail`], as in ArviZ's `rhat`.
/// It is near 1 if the chains, and their first and second halves, have the same distribution; above
/// 1.01 the authors advise against trusting them. NaN for one chain; the other cases are in the
/// table of [`super`].
pub fn rhat(draws: Draws<'_>) -> f64 {
    let (bulk, tail) = (rhat_bulk(draws), rhat_tail(draws));
    // The tail is undefined if all draws are equally far from the median, as balanced draws of 0
    // and 1 are; the bulk then says everything.
    if tail > bulk { tail } else { bulk }
}

/// R̂ of the normal scores of the split chains, sensitive to unequal centres. It uses ranks only,
/// so it is invariant under increasing functions of the draws.
pub fn rhat_bulk(draws: Draws<'_>) -> f64 {
    if !draws.are_valid() || draws.num_chains() < 2 {
        return f64::NAN;
    }
    plain_rhat(normal_scores(draws.split().view()).view())
}

/// R̂ of the normal scores of the distances from the median, sensitive to unequal widths. NaN if
/// all draws are equally far from the median, or it is infinite.
pub fn rhat_tail(draws: Draws<'_>) -> f64 {
    if !draws.are_valid() || draws.num_chains() < 2 {
        return f64::NAN;
    }
    let distances = folded(draws.split().view());
    if distances.values.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    plain_rhat(normal_scores(distances.view()).view())
}

/// √(var⁺ / W), var⁺ = (n − 1)/n W + B/n: VGSCB, section 3.1.
fn plain_rhat(draws: Draws<'_>) -> f64 {
    let n = draws.num_draws() as f64;
    let means: Vec<f64> = draws.chains().map(mean).collect();
    let variances: Vec<f64> = draws.chains().map(variance).collect();
    let between = n * variance(&means);
    let within = mean(&variances);
    ((between / within + n - 1.0) / n).sqrt()
}
