//! The bootstrap of log mean w: Efron and Tibshirani, "An Introduction to the Bootstrap"
//! (1993), section 12.5, the bootstrap-t.
//!
//! Each resample of the weights, with replacement, gives
//! `T* = (log mean* − log mean) / standard error*`, and quantiles of T* take the place of those
//! of the normal distribution. It covers far better than the percentiles of log mean* do,
//! the more so the more skewed the weights are: the table is in `interval.rs`.

use super::interval::Interval;
use super::mean::log_mean;
use crate::math::{exp, ln_1p};
use crate::rng::{ChainRng, below};

/// Number of resamples. With one more, 95 % are between whole order statistics.
pub const NUM_RESAMPLES: usize = 1999;

/// More weights than this are resampled in groups of consecutive ones, which changes
/// neither mean nor error nor skewness of their mean, and bounds the work.
pub const MAX_ITEMS: usize = 4096;

/// An interval for log E w, in nats: `log mean − T* · standard error` at the quantiles of T*,
/// no lower than Markov's inequality allows. A resample of equal weights has T* = ±∞; where too
/// many are so, as with three weights in all or three above 0, the upper end is ∞.
///
/// The confidence is between 0 and 1; above 0.999 the interval is that of 0.999, for there
/// are no more resamples. NaN for another, for fewer than two weights, if all are 0, or one
/// is ∞ or NaN. Equal weights leave the interval no length.
pub fn interval(log_weights: &[f64], confidence: f64, rng: &mut ChainRng) -> Interval {
    let log_mean = log_mean(log_weights);
    if log_weights.len() < 2 || !log_mean.is_finite() || !(confidence > 0.0 && confidence < 1.0) {
        return Interval::NAN;
    }
    let per_group = log_weights.len().div_ceil(MAX_ITEMS);
    // Relative deviations from the mean, so that nothing cancels in their squares.
    let mut deviations: Vec<f64> = log_weights
        .chunks(per_group)
        .map(|group| {
            group.iter().map(|&l| exp(l - log_mean)).sum::<f64>() / group.len() as f64 - 1.0
        })
        .collect();
    let size = deviations.len() as f64;
    let center = deviations.iter().sum::<f64>() / size;
    deviations.iter_mut().for_each(|deviation| *deviation -= center);
    let sum_of_squares: f64 = deviations.iter().map(|d| d * d).sum();
    let standard_error = (sum_of_squares / (size - 1.0) / size).sqrt();
    if standard_error < 1e-14 {
        // Equal weights, but for rounding.
        return Interval { low: log_mean, high: log_mean };
    }

    let mut statistics = Vec::with_capacity(NUM_RESAMPLES);
    for _ in 0..NUM_RESAMPLES {
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..deviations.len() {
            let deviation = deviations[below(deviations.len(), rng)];
            sum += deviation;
            squares += deviation * deviation;
        }
        let shift = sum / size;
        let variance = (squares / size - shift * shift) / (size - 1.0);
        // What rounding leaves of the variance of equal ones.
        let is_constant = variance * size <= 1e-12 * squares / size;
        statistics.push(match shift {
            shift if !is_constant => ln_1p(shift) * (1.0 + shift) / variance.sqrt(),
            shift if shift < 0.0 => f64::NEG_INFINITY,
            shift if shift > 0.0 => f64::INFINITY,
            _ => 0.0,
        });
    }
    statistics.sort_unstable_by(f64::total_cmp);
    let tail = 0.5 * (1.0 - confidence) * (NUM_RESAMPLES + 1) as f64;
    let tail = (tail.floor() as usize).max(1);
    let (least, greatest) = (statistics[tail - 1], statistics[NUM_RESAMPLES - tail]);
    Interval { low: log_mean - greatest * standard_error, high: log_mean - least * standard_error }
        .above_markov(log_mean, confidence)
}
