//! Effective sample size of Markov chains: the number of independent draws that would estimate a
//! quantity equally well. VGSCB, sections 3.2, 4.1 and 4.3; Geyer, "Practical Markov Chain Monte
//! Carlo", Statistical Science 7 (1992).
//!
//! All use split chains and count the draws of all chains together. They may exceed the number of
//! draws S if draws alternate, but never S log₁₀ S. Their values for constant, infinite or too few
//! draws are in the table of [`super`]. For importance weights there is [`super::weight_ess`].

use super::autocovariance::mean_autocovariance;
use super::draws::Draws;
use super::moments::{are_constant, mean, variance};
use super::quantile::greatest_within;
use super::ranks::normal_scores;
use crate::math::ln;
use crate::sorting::sorted;

/// ESS of the normal scores of the ranks: how well the bulk of the distribution is known, even if
/// it has no mean. It is invariant under increasing functions of the draws.
pub fn ess_bulk(draws: Draws<'_>) -> f64 {
    if !draws.are_valid() {
        return f64::NAN;
    }
    plain_ess(normal_scores(draws.split().view()).view())
}

/// The smaller ESS of the 5 % and 95 % quantiles: how well the tails are known.
pub fn ess_tail(draws: Draws<'_>) -> f64 {
    let (low, high) = (ess_quantile(draws, 0.05), ess_quantile(draws, 0.95));
    if low.is_nan() || high.is_nan() { f64::NAN } else { low.min(high) }
}

/// ESS of the mean.
pub fn ess_mean(draws: Draws<'_>) -> f64 {
    if !draws.are_valid() {
        return f64::NAN;
    }
    plain_ess(draws.split().view())
}

/// ESS of the standard deviation: of (x − mean)².
pub fn ess_sd(draws: Draws<'_>) -> f64 {
    let mean = mean(draws.values());
    ess_mean(draws.map(|x| (x - mean) * (x - mean)).view())
}

/// ESS of the `probability` quantile q: of the indicator of x ≤ q. NaN for a
/// probability outside [0, 1].
pub fn ess_quantile(draws: Draws<'_>, probability: f64) -> f64 {
    if !draws.are_valid() {
        return f64::NAN;
    }
    let limit = greatest_within(&sorted(draws.values()), probability);
    if limit.is_nan() {
        return f64::NAN;
    }
    ess_mean(draws.map(|x| if x <= limit { 1.0 } else { 0.0 }).view())
}

/// Integrated autocorrelation time of the mean, in draws: S / [`ess_mean`], the number of draws
/// equivalent to one independent draw. 1 for independent draws, (1 + ρ)/(1 − ρ) for an
/// autoregression.
pub fn integrated_autocorrelation_time(draws: Draws<'_>) -> f64 {
    draws.values().len() as f64 / ess_mean(draws)
}

/// S / τ with τ = −1 + 2 Σ P_k over Geyer's initial monotone sequence of the sums P_k = ρ(2k) +
/// ρ(2k+1), and ρ(t) = 1 − (W − c(t)) / var⁺ from all chains together: c(t) is the mean of their
/// autocovariances, and var⁺ includes the variance between them. VGSCB, section 3.2.
fn plain_ess(chains: Draws<'_>) -> f64 {
    let size = chains.values().len() as f64;
    if chains.values().iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    if are_constant(chains.values()) {
        return size;
    }
    let num_draws = chains.num_draws();
    let n = num_draws as f64;
    let covariances = mean_autocovariance(chains);
    let within = covariances[0] * n / (n - 1.0);
    let mut total = covariances[0];
    if chains.num_chains() > 1 {
        let means: Vec<f64> = chains.chains().map(mean).collect();
        total += variance(&means);
    }
    let rho = |lag: usize| 1.0 - (within - covariances[lag]) / total;

    let mut tau = -1.0;
    let mut least_sum = f64::INFINITY;
    let mut lag = 0;
    let (mut even, mut odd) = (1.0, rho(1));
    // The last lags are means over too few products to be useful.
    while even + odd > 0.0 && lag + 5 <= num_draws {
        least_sum = least_sum.min(even + odd);
        tau += 2.0 * least_sum;
        lag += 2;
        (even, odd) = (rho(lag), rho(lag + 1));
    }
    // The even term of the pair that ended the sequence is still added, once: this improves the
    // estimate for alternating chains.
    if even > 0.0 || even + odd >= 0.0 {
        tau += even;
    }
    if tau.is_nan() {
        return f64::NAN;
    }
    let least_tau = std::f64::consts::LN_10 / ln(size);
    size / tau.max(least_tau)
}
