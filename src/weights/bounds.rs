//! Bounds that hold for any number of distributions and chains, however badly these mix:
//! Grosse, PhD thesis (2014), sections 2.3.1 and 7.2.1.
//!
//! The mean of forward weights is 0 or more and has the expectation Z, so that by Markov's
//! inequality `log mean w > log Z + b` has a probability below e⁻ᵇ (eq. 2.10). The mean of
//! reverse weights has the expectation 1/Z, if their chains began at exact samples of the
//! target, and bounds log Z from above in the same way. Neither the weights of a run nor
//! those of the two runs need be independent of each other.

use super::mean::log_mean;
use crate::math::ln;
use serde::{Deserialize, Serialize};

/// A lower bound on log Z, in nats, that fails with this probability at most:
/// `log mean w − b` with `b = −ln failure_probability`. NaN if that is not above 0 and at
/// most 1, there are no weights, or one is NaN.
///
/// ```
/// use unnorm::math::ln;
/// use unnorm::weights::bounds;
/// let bound = bounds::lower(&[0.0; 10], 0.01);
/// assert!((bound - ln(0.01)).abs() < 1e-12);
/// ```
pub fn lower(log_weights: &[f64], failure_probability: f64) -> f64 {
    log_mean(log_weights) - margin(failure_probability)
}

/// An upper bound on log Z, in nats, from the log weights of chains annealed from exact
/// samples of the target to the reference: `−log mean w + b`. Otherwise as [`lower`].
pub fn upper(reverse_log_weights: &[f64], failure_probability: f64) -> f64 {
    -log_mean(reverse_log_weights) + margin(failure_probability)
}

/// b.
fn margin(failure_probability: f64) -> f64 {
    let is_probability = failure_probability > 0.0 && failure_probability <= 1.0;
    if is_probability { -ln(failure_probability) } else { f64::NAN }
}

/// log Z between a lower and an upper bound (Grosse's thesis, eq. 7.4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandwich {
    /// Lower bound, in nats.
    pub low: f64,
    /// Upper bound, in nats. It can be below the other only where one of them fails.
    pub high: f64,
    /// b, by which the bounds are outside the two estimates, in nats.
    pub margin: f64,
    /// The probability that either bound fails is at most this, 2 e⁻ᵇ: each may take half.
    pub failure_probability: f64,
    /// Whether that is a theorem. It is where the reverse chains began at exact samples of
    /// the target; otherwise the upper bound is a diagnostic only.
    pub is_certified: bool,
}

impl Sandwich {
    /// From the log weights of both directions.
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

    /// A weight of a/δ with probability δ/a, else 0, has the mean 1, and fails the bound as
    /// often as Markov allows but for a factor a. 20,000 times δ = 0.05: within six standard
    /// errors, 6 · 0.0015, the false-alarm rate being below 1e-8.
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

    /// Log-normal weights, forward and reverse, about log Z = 3: both bounds hold in at least
    /// as many of 5,000 runs as is stated. That 10 % fail is far beyond what happens: the
    /// sum of ten such weights never is e times its mean so often.
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
