//! Bounds that hold for any number of distributions and chains, however badly the chains mix:
//! Grosse, PhD thesis (2014), sections 2.3.1 and 7.2.1.
//!
//! The mean of forward weights is 0 or more and has the expectation Z, so by Markov's inequality
//! `log mean w > log Z + b` has a probability below e⁻ᵇ (eq. 2.10). The mean of reverse weights has
//! the expectation 1/Z if their chains began at exact samples of the target, and bounds log Z from
//! above in the same way. Neither the weights of a run nor those of the two runs need be
//! independent.

use super::mean::log_mean;
use crate::math::ln;
use crate::sorting::sorted;
use serde::{Deserialize, Serialize};

/// A lower bound on log Z, in nats, that fails with at most this probability: `log mean w − b` with
/// `b = −ln failure_probability`. NaN if the probability is not in (0, 1], there are no weights, or
/// one is NaN.
///
/// ```
/// use unnorm_numerics::math::ln;
/// use unnorm_statistics::weights::bounds;
/// let bound = bounds::lower(&[0.0; 10], 0.01);
/// assert!((bound - ln(0.01)).abs() < 1e-12);
/// ```
pub fn lower(log_weights: &[f64], failure_probability: f64) -> f64 {
    log_mean(log_weights) - margin(failure_probability)
}

/// A lower bound on log Z, in nats, by the ranks of the weights of **independent** chains; it fails
/// with at most this probability (Gogate, Bidyuk and Dechter 2007 bound probabilities by order
/// statistics in this way).
///
/// By Markov's inequality one weight exceeds e^b Z with probability at most e^−b, so k of N weights
/// do so with probability at most `C(N, k) e^{−kb}`. Hence for each k, with its share 1/N of the
/// failures,
///
/// `log Z ≥ w_(k) − (ln C(N, k) + ln(N / failure_probability)) / k`,
///
/// where w_(k) is the k-th greatest log weight; the result is the greatest of these bounds. If most
/// chains do as well as the best, it lies far above that of [`lower`], which uses the mean; if one
/// chain carries the mean, below. NaN if the probability is not in (0, 1], there are no weights, or
/// one is NaN.
pub fn lower_by_ranks(log_weights: &[f64], failure_probability: f64) -> f64 {
    if log_weights.is_empty() || log_weights.iter().any(|weight| weight.is_nan()) {
        return f64::NAN;
    }
    let ascending = sorted(log_weights);
    let num_weights = ascending.len() as f64;
    let each = margin(failure_probability / num_weights);
    let mut log_choices = 0.0;
    let bounds = ascending.iter().rev().enumerate().map(|(before, weight)| {
        let k = before as f64 + 1.0;
        log_choices += ln((num_weights - before as f64) / k);
        weight - (log_choices + each) / k
    });
    // An invalid probability makes every bound NaN, and this −∞.
    let greatest = bounds.fold(f64::NEG_INFINITY, f64::max);
    if each.is_nan() { f64::NAN } else { greatest }
}

/// An upper bound on log Z, in nats, from the log weights of chains annealed from exact
/// samples of the target to the reference: `−log mean w + b`. Otherwise as [`lower`].
pub fn upper(reverse_log_weights: &[f64], failure_probability: f64) -> f64 {
    -log_mean(reverse_log_weights) + margin(failure_probability)
}

/// The margin b.
fn margin(failure_probability: f64) -> f64 {
    let is_probability = failure_probability > 0.0 && failure_probability <= 1.0;
    if is_probability { -ln(failure_probability) } else { f64::NAN }
}

/// An interval for log Z between a lower and an upper bound (Grosse's thesis, eq. 7.4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandwich {
    /// Lower bound, in nats.
    pub low: f64,
    /// Upper bound, in nats. It can be below the lower bound only if one of them fails.
    pub high: f64,
    /// The distance b of the bounds from the two estimates, in nats.
    pub margin: f64,
    /// Maximum probability that either bound fails, 2 e⁻ᵇ: half for each.
    pub failure_probability: f64,
    /// Whether that probability is a theorem: it is if the reverse chains began at exact samples of
    /// the target; otherwise the upper bound is only a diagnostic.
    pub is_certified: bool,
}

impl Sandwich {
    /// The bounds from the log weights of both directions.
    pub fn of(
        forward_log_weights: &[f64],
        reverse_log_weights: &[f64],
        failure_probability: f64,
        starts_are_exact: bool,
    ) -> Self {
        let each = 0.5 * failure_probability;
        let is_probability = failure_probability > 0.0 && failure_probability <= 1.0;
        let margin = if is_probability { margin(each) } else { f64::NAN };
        Self {
            low: log_mean(forward_log_weights) - margin,
            high: -log_mean(reverse_log_weights) + margin,
            margin,
            failure_probability,
            is_certified: starts_are_exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream, uniform};

    /// A weight of a/δ with probability δ/a, else 0, has mean 1, and fails the bound as often as
    /// Markov allows, up to a factor a. 20,000 times δ = 0.05: within six standard errors, 6 ·
    /// 0.0015, with a false-alarm rate below 1e-8.
    #[test]
    fn markov_is_tight_for_weights_of_two_values() {
        let mut rng = stream(1, Purpose::Example, 0);
        let (failure, factor) = (0.05, 1.01);
        let mut failures = [0, 0];
        for _ in 0..20_000 {
            let chance = failure / factor;
            let mut draw =
                || if uniform(&mut rng) < chance { -ln(chance) } else { f64::NEG_INFINITY };
            let log_weights = [draw()];
            failures[0] += u32::from(lower(&log_weights, failure) > 0.0);
            failures[1] += u32::from(upper(&log_weights, failure) < 0.0);
        }
        for count in failures {
            assert!((f64::from(count) / 20_000.0 - failure / factor).abs() < 0.0093, "{count}");
        }
    }

    /// With one weight the bound by ranks is Markov's; with N equal ones the last rank is off by
    /// `ln(N / δ) / N`.
    #[test]
    fn ranks_of_one_and_of_equal_weights() {
        assert!((lower_by_ranks(&[2.0], 0.01) - lower(&[2.0], 0.01)).abs() < 1e-12);
        let equal = 2.0 - ln(64.0 / 0.01) / 64.0;
        assert!((lower_by_ranks(&[2.0; 64], 0.01) - equal).abs() < 1e-12);
        assert!(lower_by_ranks(&[], 0.01).is_nan());
        assert!(lower_by_ranks(&[1.0, f64::NAN], 0.01).is_nan());
        assert!(lower_by_ranks(&[1.0], 0.0).is_nan());
    }

    /// Compares with the definition, rank by rank, with C(5, k) written out.
    #[test]
    fn ranks_give_the_greatest_of_their_bounds() {
        let log_weights = [0.5, -1.0, 3.0, 0.0, -40.0];
        let ranked = [3.0, 0.5, 0.0, -1.0, -40.0];
        let choices = [5.0, 10.0, 10.0, 5.0, 1.0];
        let bounds =
            (1..=5).map(|k| ranked[k - 1] - (ln(choices[k - 1]) + ln(5.0 / 1e-3)) / k as f64);
        let greatest = bounds.fold(f64::NEG_INFINITY, f64::max);
        assert!((lower_by_ranks(&log_weights, 1e-3) - greatest).abs() < 1e-12);
    }

    /// Weights of two values, the worst case of Markov's inequality, each a/δ' with probability
    /// δ'/a: in 20,000 runs of eight the bound fails in at most the stated 0.1, within six standard
    /// errors, 6 · 0.0021, with a false-alarm rate below 1e-8. For log-normal weights it lies above
    /// the bound of the mean.
    #[test]
    fn the_bound_by_ranks_holds_as_often_as_it_says() {
        let mut rng = stream(3, Purpose::Example, 0);
        for chance in [0.01, 0.1, 0.3] {
            let mut failures = 0;
            for _ in 0..20_000 {
                let log_weights: Vec<f64> =
                    (0..8)
                        .map(|_| {
                            if uniform(&mut rng) < chance { -ln(chance) } else { f64::NEG_INFINITY }
                        })
                        .collect();
                failures += u32::from(lower_by_ranks(&log_weights, 0.1) > 0.0);
            }
            assert!(f64::from(failures) / 20_000.0 < 0.1 + 0.0127, "{chance}: {failures}");
        }
        let log_normal: Vec<f64> = (0..64).map(|_| normal(&mut rng) - 0.5).collect();
        assert!(lower_by_ranks(&log_normal, 1e-6) > lower(&log_normal, 1e-6) + 10.0);
    }

    /// Log-normal weights, forward and reverse, about log Z = 3: both bounds hold in at least the
    /// stated fraction of 5,000 runs. The allowed failure rate of 10 % is far above the actual one:
    /// the sum of ten such weights almost never is e times its mean.
    #[test]
    fn the_sandwich_holds_as_often_as_it_says() {
        let mut rng = stream(2, Purpose::Example, 0);
        let num_runs = 5000;
        let mut failures = 0;
        for _ in 0..num_runs {
            let mut run = |log_mean: f64| -> Vec<f64> {
                (0..10).map(|_| log_mean - 0.5 * 4.0 + 2.0 * normal(&mut rng)).collect()
            };
            let sandwich = Sandwich::of(&run(3.0), &run(-3.0), 0.1, true);
            assert!((sandwich.margin - ln(20.0)).abs() < 1e-12 && sandwich.is_certified);
            failures += u32::from(!(sandwich.low <= 3.0 && 3.0 <= sandwich.high));
        }
        assert!(failures > 0 && failures < num_runs / 10, "{failures}");
    }

    #[test]
    fn at_the_edges() {
        assert_eq!(lower(&[f64::NEG_INFINITY; 2], 0.1), f64::NEG_INFINITY);
        assert_eq!(upper(&[f64::NEG_INFINITY; 2], 0.1), f64::INFINITY);
        assert_eq!((lower(&[7.0], 1.0), upper(&[7.0], 1.0)), (7.0, -7.0));
        for failure in [0.0, -0.1, 1.1, f64::NAN] {
            let sandwich = Sandwich::of(&[0.0], &[0.0], failure, true);
            assert!(lower(&[0.0], failure).is_nan() && upper(&[0.0], failure).is_nan());
            assert!(sandwich.low.is_nan() && sandwich.high.is_nan());
        }
        assert!(lower(&[], 0.1).is_nan() && upper(&[0.0, f64::NAN], 0.1).is_nan());
    }
}
