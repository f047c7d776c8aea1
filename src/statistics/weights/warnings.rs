//! Warnings about an estimate of log Z, as sentences for its user.

use super::bridge::Bridge;
use super::estimate::{Direction, Estimate};
use crate::math::{exp, ln};

/// Below this weight ESS an estimate rests on too few chains: 95 % intervals cover less than 92 %,
/// and the weights do not show the error.
const MIN_ESS: f64 = 10.0;

/// Below this mean acceptance chains hardly move.
const MIN_ACCEPTANCE: f64 = 0.1;

/// The findings of an annealing run, each if available.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnnealingSummary<'a> {
    /// The estimate from forward chains.
    pub forward: Option<&'a Estimate>,
    /// The estimate from reverse chains.
    pub reverse: Option<&'a Estimate>,
    /// The bridge from both.
    pub bridge: Option<&'a Bridge>,
    /// K, the number of distributions after the first; 1 if there are no intermediate ones.
    pub num_distributions: usize,
    /// Whether the reverse chains began at exact samples of the target.
    pub starts_are_exact: bool,
    /// The β, and the mean acceptance of the transitions between consecutive β (one fewer): (β,
    /// mean acceptance). NaN where there were none.
    pub acceptance: Option<(&'a [f64], &'a [f64])>,
    /// With resampling: the number of Eves left, and of particles.
    pub eves: Option<(usize, usize)>,
    /// The exponent a of a target whose tails fall like |x|^−a.
    pub tail_exponent: Option<f64>,
}

/// One or two sentences for each problem: its figures, its meaning, and a remedy. None if no
/// problem was found, which proves nothing: weights that never saw a mode do not show it.
///
/// # Panics
/// If the lengths of the acceptances do not match.
pub fn warnings(findings: &AnnealingSummary<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for estimate in findings.forward.into_iter().chain(findings.reverse) {
        found.extend(of_estimate(estimate));
    }
    found.extend(of_tails(findings));
    found.extend(of_starts(findings));
    found.extend(of_agreement(findings));
    if let Some(bridge) = findings.bridge {
        found.extend(of_bridge(bridge));
    }
    if let Some((betas, rates)) = findings.acceptance {
        found.extend(of_acceptance(betas, rates));
    }
    if let Some((num_eves, num_particles)) = findings.eves
        && num_eves * 10 < num_particles
    {
        found.push(format!(
            "All {num_particles} particles descend from {num_eves} of the first ones: the error of \
             log Z is understated. Use transitions that mix faster, more of them at each β, or \
             several independent groups of particles."
        ));
    }
    found
}

/// At most one warning for each direction: the most serious problem that makes the weights
/// unreliable.
fn of_estimate(estimate: &Estimate) -> Option<String> {
    let count = estimate.num_weights;
    let (chains, side) = match estimate.direction {
        Direction::Forward => ("chains", "low"),
        Direction::Reverse => ("reverse chains", "high"),
    };
    if count == 0 {
        return Some(format!("There are no {chains}, and so no estimate. Run 20 or more."));
    }
    if estimate.num_invalid > 0 {
        return Some(format!(
            "{} of {count} {chains} have a log weight that is NaN or infinite, so nothing can be \
             said. The energy or its gradient overflowed: take smaller steps, or check the model.",
            estimate.num_invalid
        ));
    }
    if estimate.log_z.is_infinite() {
        return Some(format!(
            "The weights of all {count} {chains} are 0: none reached a state possible under the \
             distribution it went to. Use more distributions, or a wider reference."
        ));
    }
    if count == 1 {
        return Some(format!(
            "One of the {chains} alone tells nothing of its error. Run 20 or more."
        ));
    }
    let consequence =
        format!("the estimate is probably too {side}, by more than its intervals say");
    let ess = estimate.weight_ess;
    let carriers = estimate.num_carrying_half;
    if carriers == 1 && count >= 4 {
        return Some(format!(
            "One of {count} {chains} carries {:.0} % of the weight (weight ESS {ess:.1}): \
             {consequence}. {}",
            100.0 * estimate.greatest_share,
            remedy(estimate)
        ));
    }
    if carriers <= 5 && carriers * 20 <= count {
        return Some(format!(
            "{carriers} of {count} {chains} carry half of the weight (weight ESS {ess:.1}): \
             {consequence}. {}",
            remedy(estimate)
        ));
    }
    if ess < MIN_ESS {
        return Some(format!(
            "{count} {chains} are worth no more than {ess:.1} of equal weight: {consequence}. {}",
            remedy(estimate)
        ));
    }
    let spread = estimate.upper_spread;
    let expected = count as f64 * exp(-spread * spread);
    if expected < MIN_ESS {
        return Some(format!(
            "Log weights spread upward by {spread:.1} nats. If they are normal, the greatest weights \
             have not been seen, and {count} {chains} are worth {} of equal weight, whatever their \
             weight ESS of {ess:.1} says: {consequence}. {}",
            if expected < 1.0 { "less than one".into() } else { format!("{expected:.1}") },
            remedy(estimate)
        ));
    }
    None
}

/// The factor by which to increase the number of distributions: if chains mix, the variance of log
/// weights is inversely proportional to that number.
fn remedy(estimate: &Estimate) -> String {
    let enough = ln(estimate.num_weights as f64 / MIN_ESS);
    let factor = (estimate.upper_spread * estimate.upper_spread / enough).ceil();
    if enough >= 0.5 && (2.0..1e6).contains(&factor) {
        format!(
            "Use {factor:.0} times as many distributions or more; more chains help less. If that does \
             not help, use transitions that mix faster."
        )
    } else if enough < 0.5 {
        "Use more distributions, and more chains.".into()
    } else {
        "Use more distributions, or transitions that mix faster; more chains help less.".into()
    }
}

/// Tails so heavy that the variance is infinite. Chains from a light-tailed reference get there too
/// slowly, and every weight misses the regions that no chain has visited. Exact draws of the target
/// do visit the tails.
fn of_tails(findings: &AnnealingSummary<'_>) -> Option<String> {
    let exponent = findings.tail_exponent.filter(|&a| a < 3.0)?;
    findings.forward?;
    let has_been_there = findings.reverse.is_some() && findings.starts_are_exact;
    (!has_been_there).then(|| {
        format!(
            "The tails of the model fall like |x|^−{exponent:.1}, so that its variance is infinite, \
             and annealing hardly gets there: log Z is probably too low, and weights and intervals do \
             not show by how much. Begin reverse runs at exact draws, where there are any, or use a \
             wider reference."
        )
    })
}

/// The reliability of the reverse estimate, given where its chains began.
fn of_starts(findings: &AnnealingSummary<'_>) -> Vec<String> {
    let mut found = Vec::new();
    if findings.reverse.is_some() && !findings.starts_are_exact {
        found.push(
            "The reverse chains began at approximate samples of the target, so that nothing bounds \
             log Z from above for certain: what such samples miss, both they and the weights miss. \
             Take the reverse estimate as a diagnostic, or give exact samples."
                .into(),
        );
    }
    if findings.reverse.is_some() && findings.num_distributions == 1 {
        found.push(
            "Reverse weights without intermediate distributions make the harmonic mean estimator, \
             whose error is often infinite whatever its intervals say. Use intermediate \
             distributions."
                .into(),
        );
    }
    found
}

/// Contradictions between forward and reverse estimates.
fn of_agreement(findings: &AnnealingSummary<'_>) -> Option<String> {
    let (forward, reverse) = (findings.forward?, findings.reverse?);
    let gap = reverse.log_z - forward.log_z;
    if forward.asymptotic.low > reverse.asymptotic.high {
        let reason = if findings.starts_are_exact {
            "With exact starts this is chance, or a transition that does not leave its distribution \
             unchanged: try another seed and other transitions."
        } else {
            "The samples the reverse chains began at miss a part of the target: take better ones."
        };
        return Some(format!(
            "The reverse estimate is {:.2} nats below the forward one, more than their intervals \
             allow, and should be above. {reason}",
            -gap
        ));
    }
    if forward.asymptotic.high < reverse.asymptotic.low {
        return Some(format!(
            "Forward and reverse estimates are {gap:.2} nats apart, more than their intervals allow: \
             neither has converged, and log Z is between them. Use more distributions."
        ));
    }
    None
}

fn of_bridge(bridge: &Bridge) -> Vec<String> {
    let mut found = Vec::new();
    let ess = if bridge.weight_ess[0] < bridge.weight_ess[1] { 0 } else { 1 };
    // Not NaN: the warnings of each direction explain that case.
    if bridge.weight_ess[ess] < 5.0 {
        found.push(format!(
            "Forward and reverse weights hardly overlap ({:.1e}; 1 would be alike): their combination \
             rests on {:.1} {} chains, and log Z is no better known than to within its interval. Use \
             more distributions.",
            bridge.overlap,
            bridge.weight_ess[ess],
            ["forward", "reverse"][ess]
        ));
    }
    if bridge.standard_error > 1.0 {
        found.push(format!(
            "The standard error of the combined estimate, {:.1} nats, is above 1, where it means \
             little. Go by the bounds, and use more distributions.",
            bridge.standard_error
        ));
    }
    found
}

/// The longest range of β in which proposals are hardly ever accepted.
fn of_acceptance(betas: &[f64], rates: &[f64]) -> Option<String> {
    assert_eq!(betas.len(), rates.len() + 1, "an acceptance between each β and the next");
    let collapsed: Vec<usize> =
        (0..rates.len()).filter(|&bin| rates[bin] < MIN_ACCEPTANCE).collect();
    let stretch = collapsed
        .chunk_by(|a, b| a + 1 == *b)
        .max_by(|a, b| width(betas, a).total_cmp(&width(betas, b)))?;
    let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
    let least = stretch.iter().map(|&bin| rates[bin]).fold(f64::INFINITY, f64::min);
    Some(format!(
        "Acceptance collapsed at β = {}: between there and β = {} it is as low as {:.1} %, and \
         chains hardly move. Take smaller steps, or adapt them along β in a pilot run.",
        betas[first],
        betas[last + 1],
        100.0 * least
    ))
}

fn width(betas: &[f64], bins: &[usize]) -> f64 {
    betas[bins[bins.len() - 1] + 1] - betas[bins[0]]
}

#[cfg(test)]
mod tests;
