//! Effective sample size of importance weights. It is unrelated to that of Markov chains
//! ([`super::ess_mean`] and others).

use crate::math::exp;

/// M / (1 + s²(w*)) for M weights, where w* are the weights divided by their mean and s² is their
/// mean square deviation: Neal, "Annealed Importance Sampling" (2001); the footnote on ESS in
/// section 5 of Grosse, Maddison and Salakhutdinov (2013). It is also (Σw)² / Σw²: M if all weights
/// are equal, 1 if one has everything.
///
/// `log_weights` are in nats, of any size; only their differences count, and a weight of 0 is −∞.
/// NaN if there are none, all weights are 0, or one is ∞ or NaN.
///
/// A large value proves nothing: weights that never saw a mode do not show it.
pub fn weight_ess(log_weights: &[f64]) -> f64 {
    // f64::max ignores NaN, which then reappears in the sums.
    let greatest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !greatest.is_finite() {
        return f64::NAN;
    }
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for log_weight in log_weights {
        let weight = exp(log_weight - greatest);
        sum += weight;
        sum_of_squares += weight * weight;
    }
    sum * sum / sum_of_squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    #[test]
    fn by_the_definition() {
        let mut rng = stream(1, Purpose::Example, 0);
        let log_weights: Vec<f64> = (0..500).map(|_| 1.5 * normal(&mut rng)).collect();
        let weights: Vec<f64> = log_weights.iter().map(|&l| exp(l)).collect();
        let mean = weights.iter().sum::<f64>() / 500.0;
        let deviations = weights.iter().map(|w| (w / mean - 1.0) * (w / mean - 1.0));
        let expected = 500.0 / (1.0 + deviations.sum::<f64>() / 500.0);
        assert!((weight_ess(&log_weights) / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn at_the_edges() {
        assert_eq!(weight_ess(&[-3.7; 12]), 12.0);
        assert_eq!(weight_ess(&[5.0]), 1.0);
        assert_eq!(weight_ess(&[1e6, -1e6, f64::NEG_INFINITY]), 1.0);
        assert_eq!(weight_ess(&[-1e300, -1e300]), 2.0);
        assert_eq!(weight_ess(&[1e308, -1e308]), 1.0);
        let nowhere = [f64::NEG_INFINITY; 2];
        let infinite = [0.0, f64::INFINITY];
        for bad in [&[][..], &nowhere, &infinite, &[f64::NAN], &[0.0, f64::NAN], &[f64::NAN, 0.0]] {
            assert!(weight_ess(bad).is_nan(), "{bad:?}");
        }
    }

    #[test]
    fn only_differences_count() {
        let log_weights = [-2.0, 0.5, 1.0, -0.25];
        let moved = log_weights.map(|l| l + 1024.0);
        assert_eq!(weight_ess(&log_weights), weight_ess(&moved));
    }
}
