//! Estimates of log Z by the mean of weights, forward or reverse.

use super::bootstrap;
use super::histogram::Histogram;
use super::interval::{Interval, Moments, hall};
use super::mean::log_mean;
use crate::diagnostics::weight_ess;
use crate::math::exp;
use crate::rng::ChainRng;
use crate::sorting::sorted;
use serde::{Deserialize, Serialize};

/// The direction in which chains were annealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// From the reference to the target: E w is Z, and the estimate tends to be too low.
    Forward,
    /// From the target to the reference: E w is 1/Z, and the estimate tends to be too high.
    Reverse,
}

/// log Z from the log weights of independent chains, with diagnostics. Logs are in nats.
///
/// From reverse weights it is the log of the harmonic mean of 1/w (Grosse's thesis, eq. 7.3). Then
/// log Z, intervals, mean log weight and histogram are those of log 1/w, so that they can be
/// compared with those of forward weights. E w = 1/Z only if the chains start at exact draws of the
/// target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// The direction of the chains.
    pub direction: Direction,
    /// Number of weights, M.
    pub num_weights: usize,
    /// Number of log weights that are NaN or +∞; if there are any, all other values are NaN.
    pub num_invalid: usize,
    /// log mean w (forward) or −log mean w (reverse). ∓∞ if all weights are 0.
    pub log_z: f64,
    /// Standard error of `log_z` by the delta method, `s / (√M mean w)`. It never exceeds 1: it
    /// approaches 1 as one weight dominates, and means little above 0.3.
    pub standard_error: f64,
    /// Interval by Hall's transformation; `src/statistics/weights/interval.rs` says why.
    pub asymptotic: Interval,
    /// Interval by the bootstrap-t. Its upper end (lower, for reverse weights) is ±∞ if hardly any
    /// weights differ from each other.
    pub bootstrap: Interval,
    /// Nominal coverage probability of both intervals.
    pub confidence: f64,
    /// Effective sample size of the weights: the equivalent number of equal weights. It is
    /// unrelated to the ESS of a Markov chain.
    pub weight_ess: f64,
    /// Its standard error, by the bootstrap.
    pub weight_ess_error: f64,
    /// Mean of log w, or of log 1/w for reverse weights. Its expectation is below log Z
    /// (forward) or above it (reverse), by Jensen's inequality (thesis, eq. 2.11). ∓∞ if any
    /// weight is 0.
    pub mean_log_weight: f64,
    /// Standard error of that mean.
    pub mean_log_weight_error: f64,
    /// The share of the greatest weight in the sum of all weights.
    pub greatest_share: f64,
    /// The smallest number of weights with at least half of that sum; 0 where it is not defined.
    pub num_carrying_half: usize,
    /// Upward spread of the log weights: their 84 % quantile minus their median, without weights of
    /// 0; for normal log weights it is the standard deviation. The mass in the unseen tail depends
    /// on it.
    pub upper_spread: f64,
    /// Histogram of the log weights; for reverse weights, of log 1/w.
    pub histogram: Histogram,
}

impl Estimate {
    /// The estimate from forward log weights. `rng` is the stream of the bootstrap's resamples
    /// ([`crate::rng::Purpose::Bootstrap`]); without one there is no bootstrap, which takes 2,000
    /// times as long as the rest. A confidence not between 0 and 1 makes the intervals NaN.
    pub fn of(log_weights: &[f64], confidence: f64, rng: Option<&mut ChainRng>) -> Self {
        let num_weights = log_weights.len();
        let is_invalid = |l: &&f64| l.is_nan() || **l == f64::INFINITY;
        let num_invalid = log_weights.iter().filter(is_invalid).count();
        let mut estimate = Self {
            direction: Direction::Forward,
            num_weights,
            num_invalid,
            log_z: f64::NAN,
            standard_error: f64::NAN,
            asymptotic: Interval::NAN,
            bootstrap: Interval::NAN,
            confidence,
            weight_ess: weight_ess(log_weights),
            weight_ess_error: f64::NAN,
            mean_log_weight: f64::NAN,
            mean_log_weight_error: f64::NAN,
            greatest_share: f64::NAN,
            num_carrying_half: 0,
            upper_spread: f64::NAN,
            histogram: Histogram::of(log_weights),
        };
        if num_weights == 0 || num_invalid > 0 {
            return estimate;
        }
        estimate.log_z = log_mean(log_weights);
        (estimate.mean_log_weight, estimate.mean_log_weight_error) = mean_and_error(log_weights);
        if estimate.log_z == f64::NEG_INFINITY {
            return estimate;
        }
        let ascending = sorted(log_weights);
        (estimate.greatest_share, estimate.num_carrying_half) = concentration(&ascending);
        estimate.upper_spread = upper_spread(&ascending);
        if num_weights >= 2 {
            let moments = moments(log_weights, estimate.log_z, estimate.weight_ess);
            estimate.standard_error = moments.standard_error;
            if confidence > 0.0 && confidence < 1.0 {
                estimate.asymptotic = hall(&moments, confidence);
            }
            if let Some(rng) = rng {
                let resampled = bootstrap::resample(log_weights, confidence, rng);
                estimate.bootstrap = resampled.interval;
                estimate.weight_ess_error = resampled.ess_error;
            }
        }
        estimate
    }

    /// The estimate from the log weights of chains annealed from the target to the reference.
    pub fn of_reverse(log_weights: &[f64], confidence: f64, rng: Option<&mut ChainRng>) -> Self {
        let inverse = Self::of(log_weights, confidence, rng);
        Self {
            direction: Direction::Reverse,
            log_z: -inverse.log_z,
            asymptotic: inverse.asymptotic.negated(),
            bootstrap: inverse.bootstrap.negated(),
            mean_log_weight: -inverse.mean_log_weight,
            histogram: inverse.histogram.negated(),
            ..inverse
        }
    }
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let size = values.len() as f64;
    // In this order huge values do not overflow.
    let mean: f64 = values.iter().map(|x| x / size).sum();
    let sum_of_squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, (sum_of_squares / (size - 1.0) / size).sqrt())
}

/// The share of the greatest weight, and the smallest number of weights with half of the sum.
fn concentration(ascending: &[f64]) -> (f64, usize) {
    let greatest = ascending[ascending.len() - 1];
    let weight = |l: &f64| exp(l - greatest);
    let total: f64 = ascending.iter().map(weight).sum();
    let mut sum = 0.0;
    let before = ascending.iter().rev().take_while(|l| {
        sum += weight(l);
        sum < 0.5 * total
    });
    let num_before = before.count();
    (1.0 / total, num_before + 1)
}

/// 84 % quantile minus median of finite log weights, both as nearest order statistics.
fn upper_spread(ascending: &[f64]) -> f64 {
    /// The fraction of normal numbers less than one standard deviation above the mean.
    const ONE_SD: f64 = 0.841344746068543;
    let num_zero = ascending.iter().take_while(|&&l| l == f64::NEG_INFINITY).count();
    let positive = &ascending[num_zero..];
    let quantile = |p: f64| positive[(p * (positive.len() - 1) as f64).round() as usize];
    quantile(ONE_SD) - quantile(0.5)
}

fn moments(log_weights: &[f64], log_mean: f64, ess: f64) -> Moments {
    let size = log_weights.len() as f64;
    let (mut second, mut third) = (0.0, 0.0);
    for log_weight in log_weights {
        let deviation = exp(log_weight - log_mean) - 1.0;
        second += deviation * deviation;
        third += deviation * deviation * deviation;
    }
    let (second, third) = (second / size, third / size);
    let skewness = if second > 0.0 { third / (second * second.sqrt()) } else { 0.0 };
    Moments {
        log_mean,
        standard_error: (second / (size - 1.0)).sqrt(),
        scaled_skewness: skewness / size.sqrt(),
        ess,
    }
}

#[cfg(test)]
mod tests;
