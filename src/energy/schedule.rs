//! Schedules: the K + 1 numbers `0 = β₀ < β₁ < … < β_K = 1` of an annealing path's distributions.
//! "K distributions" counts β₁ to β_K.
//!
//! - [`linear`]: `βₖ = k / K`;
//! - [`sigmoidal`]: dense near both ends, where geometric paths are unstable; Grosse,
//!   PhD thesis (2014), section 7.3.3;
//! - [`geometric`]: `β₁` given and the ratio of neighbours constant, which is best for
//!   the scale of a Gaussian (Neal 1996);
//! - [`binned`]: linear in each of several segments; [`optimal_binned`] with the cheapest
//!   numbers; Grosse, Maddison and Salakhutdinov (2013), **GMS**, Theorem 3;
//! - [`by_barrier`]: neighbours equally far apart, by lengths measured in a pilot run.

use crate::math::{exp, ln, sigmoid};
use crate::sorting::descending_order;
use crate::{Error, Result};

fn invalid(problem: String) -> Error {
    Error::InvalidSpec { field: "schedule".into(), problem }
}

/// Whether these ascend strictly from exactly 0 to exactly 1.
pub fn is_schedule(betas: &[f64]) -> bool {
    betas.is_sorted_by(|a, b| a < b) && betas.first() == Some(&0.0) && betas.last() == Some(&1.0)
}

/// The schedule, if it is valid: spacings too fine for a double make equal β.
fn checked(betas: Vec<f64>) -> Result<Vec<f64>> {
    if is_schedule(&betas) {
        return Ok(betas);
    }
    Err(invalid(format!(
        "the {} beta do not ascend strictly from 0 to 1, some being closer than a double can tell: \
         take fewer of them, or a less extreme shape",
        betas.len()
    )))
}

fn at_least_one(num_distributions: usize) -> Result<()> {
    if num_distributions == 0 {
        return Err(invalid("has no distributions; take 1 or more".into()));
    }
    Ok(())
}

/// `βₖ = k / K`.
///
/// # Errors
/// If K is 0.
pub fn linear(num_distributions: usize) -> Result<Vec<f64>> {
    at_least_one(num_distributions)?;
    let last = num_distributions as f64;
    checked((0..=num_distributions).map(|k| k as f64 / last).collect())
}

/// `βₖ = (β̃ₖ − β̃₀) / (β̃_K − β̃₀)` with `β̃ₖ = 1 / (1 + exp(−δ (2k/K − 1)))`: the unnumbered
/// equations of section 7.3.3 of Grosse's thesis, with k from 0 so that the schedule is symmetric.
/// The thesis uses δ = 4; near 0 the schedule is linear.
///
/// # Errors
/// If K is 0, or δ is not above 0 or so extreme that some β become equal.
pub fn sigmoidal(num_distributions: usize, delta: f64) -> Result<Vec<f64>> {
    at_least_one(num_distributions)?;
    if !(delta > 0.0 && delta.is_finite()) {
        return Err(invalid(format!("has delta {delta}; take a number above 0, such as 4")));
    }
    let last = num_distributions as f64;
    let raw = |k: usize| sigmoid(delta * (2.0 * k as f64 / last - 1.0));
    let (first, range) = (raw(0), raw(num_distributions) - raw(0));
    let inner = (1..num_distributions).map(|k| (raw(k) - first) / range);
    checked(from_0_to_1(inner))
}

/// `β₁` = `first` and `βₖ₊₁ / βₖ` constant; β₀ = 0. With K = 1 it is 0 and 1.
///
/// # Errors
/// If K is 0, or `first` is not between 0 and 1.
pub fn geometric(num_distributions: usize, first: f64) -> Result<Vec<f64>> {
    at_least_one(num_distributions)?;
    if !(first > 0.0 && first < 1.0) {
        return Err(invalid(format!("begins at beta {first}; take a number between 0 and 1")));
    }
    let log_first = ln(first);
    let num_ratios = num_distributions as f64 - 1.0;
    let inner = (1..num_distributions).map(|k| {
        if k == 1 { first } else { exp(log_first * (num_distributions - k) as f64 / num_ratios) }
    });
    checked(from_0_to_1(inner))
}

fn from_0_to_1(inner: impl Iterator<Item = f64>) -> Vec<f64> {
    std::iter::once(0.0).chain(inner).chain(std::iter::once(1.0)).collect()
}

/// `counts[j]` evenly spaced distributions in each segment from `edges[j]` to `edges[j + 1]`,
/// including its upper edge.
///
/// # Errors
/// If the edges do not ascend from 0 to 1, or there is not one count, at least 1, for
/// each segment.
pub fn binned(edges: &[f64], counts: &[usize]) -> Result<Vec<f64>> {
    checked_edges(edges, counts.len())?;
    if let Some(empty) = counts.iter().position(|&count| count == 0) {
        return Err(invalid(format!(
            "has no distribution in the segment from beta {} to {}; take 1 or more",
            edges[empty],
            edges[empty + 1]
        )));
    }
    let mut betas = vec![0.0];
    for (edge, &count) in edges.windows(2).zip(counts) {
        let width = edge[1] - edge[0];
        betas.extend((1..count).map(|i| edge[0] + width * (i as f64 / count as f64)));
        betas.push(edge[1]);
    }
    checked(betas)
}

fn checked_edges(edges: &[f64], num_segments: usize) -> Result<()> {
    if !is_schedule(edges) {
        return Err(invalid("has edges that do not ascend strictly from 0 to 1".into()));
    }
    if edges.len() != num_segments + 1 {
        return Err(invalid(format!(
            "has {} edges and numbers for {num_segments} segments; there is a segment between each \
             edge and the next",
            edges.len()
        )));
    }
    Ok(())
}

/// `(ηⱼ₊₁ − ηⱼ)ᵀ(sⱼ₊₁ − sⱼ)`, twice the cost of the segment from knot j to the next (GMS Theorem
/// 2), from the natural parameters η and the moments s of an exponential family at both knots, in
/// the same order. For exact moments it is never negative.
///
/// # Panics
/// If the lengths differ.
pub fn segment_cost(natural: [&[f64]; 2], moments: [&[f64]; 2]) -> f64 {
    let lengths = [natural[0].len(), natural[1].len(), moments[0].len(), moments[1].len()];
    assert!(lengths.iter().all(|&length| length == lengths[0]), "lengths {lengths:?} differ");
    (0..lengths[0]).map(|i| (natural[1][i] - natural[0][i]) * (moments[1][i] - moments[0][i])).sum()
}

/// [`binned`] with K distributions in total, distributed by [`allocate`].
///
/// # Errors
/// Those of both.
pub fn optimal_binned(edges: &[f64], costs: &[f64], num_distributions: usize) -> Result<Vec<f64>> {
    checked_edges(edges, costs.len())?;
    binned(edges, &allocate(costs, num_distributions)?)
}

/// How many of K distributions each segment gets: `Kⱼ ∝ √costⱼ` (GMS Theorem 3, eq. 20), which
/// minimizes `Σ costⱼ / Kⱼ`, rounded so that every segment has at least one and the sum is exactly
/// K. What rounding down leaves goes to the largest remainders, the first ones if equal.
///
/// Costs may be estimates from a noisy pilot run: a negative cost counts as 0, NaN as the mean of
/// the others, and if one is ∞ all finite ones count as 0. If all are 0, they count as equal.
///
/// # Errors
/// If K is less than the number of segments, or there are none.
pub fn allocate(costs: &[f64], num_distributions: usize) -> Result<Vec<usize>> {
    let num_segments = costs.len();
    if num_segments == 0 || num_distributions < num_segments {
        return Err(invalid(format!(
            "has {num_distributions} distributions for {num_segments} segments; take one for each \
             at least"
        )));
    }
    let roots = roots(costs);
    // Segments with a share below 1 get 1, and the rest is distributed again, until there are none.
    let mut is_least = vec![false; num_segments];
    let shares = loop {
        let num_least = is_least.iter().filter(|&&least| least).count();
        let total: f64 = (0..num_segments).filter(|&j| !is_least[j]).map(|j| roots[j]).sum();
        let rest = (num_distributions - num_least) as f64;
        let shares: Vec<f64> = (0..num_segments)
            .map(|j| if is_least[j] { 1.0 } else { rest * (roots[j] / total) })
            .collect();
        let mut is_settled = true;
        for j in 0..num_segments {
            if !is_least[j] && shares[j] < 1.0 {
                is_least[j] = true;
                is_settled = false;
            }
        }
        if is_settled {
            break shares;
        }
    };
    let mut counts: Vec<usize> = shares.iter().map(|share| share.floor() as usize).collect();
    let remainders: Vec<f64> = shares.iter().map(|share| share - share.floor()).collect();
    let by_remainder = descending_order(&remainders);
    // Rounding of the shares can leave the sum one too low or too high.
    let mut sum: usize = counts.iter().sum();
    for &j in by_remainder.iter().cycle().take(2 * num_segments) {
        if sum < num_distributions {
            counts[j] += 1;
            sum += 1;
        } else if sum > num_distributions && counts[j] > 1 {
            counts[j] -= 1;
            sum -= 1;
        }
    }
    assert_eq!(sum, num_distributions, "all distributions are placed");
    Ok(counts)
}

/// √cost of each segment, relative to the greatest, with the rules of [`allocate`]; never all 0.
fn roots(costs: &[f64]) -> Vec<f64> {
    let greatest = costs.iter().copied().fold(0.0, f64::max);
    if greatest == f64::INFINITY {
        return costs.iter().map(|&cost| if cost == f64::INFINITY { 1.0 } else { 0.0 }).collect();
    }
    if greatest == 0.0 {
        return vec![1.0; costs.len()];
    }
    let relative = |cost: f64| if cost > 0.0 { cost / greatest } else { 0.0 };
    let known: Vec<f64> =
        costs.iter().filter(|cost| !cost.is_nan()).map(|&c| relative(c)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    costs
        .iter()
        .map(|&cost| if cost.is_nan() { mean.sqrt() } else { relative(cost).sqrt() })
        .collect()
}

/// K + 1 β that divide a piecewise linear barrier into K equal parts. `lengths[j]` is the distance
/// between the distributions at `betas[j]` and `betas[j + 1]`: a mean rejection of swaps (Syed et
/// al. 2022), or the root of a variance of increments of log weights. A length below a thousandth
/// of the mean length counts as that, or some β would become equal.
///
/// # Errors
/// If K is 0, the β do not ascend from 0 to 1, there is not one finite length of 0 or
/// more for each pair, or all lengths are 0.
pub fn by_barrier(betas: &[f64], lengths: &[f64], num_distributions: usize) -> Result<Vec<f64>> {
    at_least_one(num_distributions)?;
    checked_edges(betas, lengths.len())?;
    let total: f64 = lengths.iter().sum();
    if !(lengths.iter().all(|&length| length >= 0.0) && total > 0.0 && total.is_finite()) {
        return Err(invalid(
            "has lengths that are negative, infinite, NaN or all 0: measure them in a longer pilot \
             run"
                .into(),
        ));
    }
    let least = 1e-3 * total / lengths.len() as f64;
    let mut barrier = vec![0.0];
    for &length in lengths {
        let length = if length < least { least } else { length };
        barrier.push(barrier[barrier.len() - 1] + length);
    }
    checked(divide(betas, &barrier, num_distributions))
}

/// β that divide the barrier, increasing and linear between the old β, into `num_parts` equal
/// parts.
fn divide(betas: &[f64], barrier: &[f64], num_parts: usize) -> Vec<f64> {
    let height = barrier[barrier.len() - 1];
    let mut at = 0;
    let inner = (1..num_parts).map(|part| {
        let level = height * part as f64 / num_parts as f64;
        while barrier[at + 1] < level {
            at += 1;
        }
        let share = (level - barrier[at]) / (barrier[at + 1] - barrier[at]);
        betas[at] + share * (betas[at + 1] - betas[at])
    });
    from_0_to_1(inner)
}

#[cfg(test)]
mod tests;
