//! The bootstrap of log mean w, and of the effective sample size: Efron and Tibshirani, "An Introduction to the Bootstrap"
//! (1993), section 12.5, the bootstrap-t.
//!
//! Each resample of the weights, with replacement, gives `T* = (log mean* − log mean) / standard
//! error*`, and quantiles of T* replace those of the normal distribution. The interval covers far
//! better than the percentiles of log mean* do, the more so the more skewed the weights are: the
//! table is in `interval.rs`.

use super::interval::Interval;
use super::mean::log_mean;
use crate::math::{exp, ln_1p};
use crate::rng::{ChainRng, below};
use crate::sorting::sort;

/// Number of resamples. With 1999, 95 % of a resampled distribution lies between order statistics
/// exactly.
pub const NUM_RESAMPLES: usize = 1999;

/// Larger sets of weights are resampled in groups of consecutive ones, which changes neither mean
/// nor error nor skewness of their mean, and bounds the work.
pub const MAX_ITEMS: usize = 4096;

/// Results of the bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampled {
    /// An interval for log E w, in nats.
    pub interval: Interval,
    /// The standard error of the effective sample size (Σw)²/Σw²: the standard deviation over the
    /// resamples. If a few weights carry almost everything, it says little, as the resamples
    /// contain no others.
    pub ess_error: f64,
}

impl Resampled {
    /// The result where the bootstrap is not defined.
    pub const NAN: Self = Self { interval: Interval::NAN, ess_error: f64::NAN };
}

/// Resamples the weights. The interval for log E w is `log mean − T* · standard error` at the
/// quantiles of T*, with a lower end no lower than Markov's inequality allows. A resample of equal
/// weights has T* = ±∞. If too many are such, as with three weights in total or three above 0, the
/// upper end is ∞.
///
/// The confidence is between 0 and 1; above 0.999 the interval is that of 0.999, as there are too
/// few resamples. The result is NaN for any other confidence, for fewer than two weights, if all
/// are 0, or if one is ∞ or NaN. Equal weights give an interval of length 0.
pub fn resample(log_weights: &[f64], confidence: f64, rng: &mut ChainRng) -> Resampled {
    let log_mean = log_mean(log_weights);
    if log_weights.len() < 2 || !log_mean.is_finite() || !(confidence > 0.0 && confidence < 1.0) {
        return Resampled::NAN;
    }
    let per_group = log_weights.len().div_ceil(MAX_ITEMS);
    // Relative deviations from the mean, so that nothing cancels in their squares, and means of squares.
    let (mut deviations, own_squares): (Vec<f64>, Vec<f64>) = log_weights
        .chunks(per_group)
        .map(|group| {
            let sums = group.iter().map(|&l| exp(l - log_mean));
            let [sum, squares] =
                sums.fold([0.0; 2], |[sum, squares], w| [sum + w, squares + w * w]);
            (sum / group.len() as f64 - 1.0, squares / group.len() as f64)
        })
        .unzip();
    let size = deviations.len() as f64;
    let center = deviations.iter().sum::<f64>() / size;
    deviations.iter_mut().for_each(|deviation| *deviation -= center);
    let sum_of_squares: f64 = deviations.iter().map(|d| d * d).sum();
    let standard_error = (sum_of_squares / (size - 1.0) / size).sqrt();
    if standard_error < 1e-14 {
        // Equal weights, up to rounding.
        let interval = Interval { low: log_mean, high: log_mean };
        return Resampled { interval, ess_error: 0.0 };
    }

    let mut statistics = Vec::with_capacity(NUM_RESAMPLES);
    let mut ess_shares = Vec::with_capacity(NUM_RESAMPLES);
    for _ in 0..NUM_RESAMPLES {
        let (mut sum, mut squares, mut weight_squares) = (0.0, 0.0, 0.0);
        for _ in 0..deviations.len() {
            let item = below(deviations.len(), rng);
            let deviation = deviations[item];
            sum += deviation;
            squares += deviation * deviation;
            weight_squares += own_squares[item];
        }
        let shift = sum / size;
        // Not if all resampled weights are 0.
        if weight_squares > 0.0 {
            ess_shares.push(size * (1.0 + shift) * (1.0 + shift) / weight_squares);
        }
        let variance = (squares / size - shift * shift) / (size - 1.0);
        // What rounding leaves of the variance of equal weights.
        let is_constant = variance * size <= 1e-12 * squares / size;
        statistics.push(match shift {
            shift if !is_constant => ln_1p(shift) * (1.0 + shift) / variance.sqrt(),
            shift if shift < 0.0 => f64::NEG_INFINITY,
            shift if shift > 0.0 => f64::INFINITY,
            _ => 0.0,
        });
    }
    sort(&mut statistics);
    let tail = 0.5 * (1.0 - confidence) * (NUM_RESAMPLES + 1) as f64;
    let tail = (tail.floor() as usize).max(1);
    let (least, greatest) = (statistics[tail - 1], statistics[NUM_RESAMPLES - tail]);
    let interval = Interval {
        low: log_mean - greatest * standard_error,
        high: log_mean - least * standard_error,
    }
    .above_markov(log_mean, confidence);
    // Each share is an effective sample size divided by the number of weights.
    let ess_error = log_weights.len() as f64 * standard_deviation(&ess_shares);
    Resampled { interval, ess_error }
}

fn standard_deviation(values: &[f64]) -> f64 {
    let size = values.len() as f64;
    let mean = values.iter().sum::<f64>() / size;
    (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (size - 1.0)).sqrt()
}
