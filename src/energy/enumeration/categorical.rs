//! Draws from a categorical distribution given by its log weights.

use crate::math::{exp, ln};
use crate::rng::{ChainRng, uniform};

/// A distribution on 0 … n − 1, stored as cumulative sums of the weights: a draw is one uniform
/// number and a bisection.
#[derive(Debug, Clone)]
pub struct Categorical {
    max: f64,
    /// Cumulative sums of the weights, with the greatest weight scaled to 1.
    cumulative: Vec<f64>,
}

impl Categorical {
    /// The distribution with these log weights, in nats, up to a constant.
    ///
    /// # Panics
    /// If there are no weights.
    pub fn from_log_weights(mut log_weights: Vec<f64>) -> Self {
        assert!(!log_weights.is_empty());
        let max = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for weight in &mut log_weights {
            sum += exp(*weight - max);
            *weight = sum;
        }
        Self { max, cumulative: log_weights }
    }

    /// The logarithm of the sum of the weights, in nats.
    pub fn log_total(&self) -> f64 {
        self.max + ln(self.total())
    }

    /// Draws an index.
    pub fn draw(&self, rng: &mut ChainRng) -> usize {
        let target = uniform(rng) * self.total();
        // The first index whose sum exceeds the target, which never has weight 0.
        let index = self.cumulative.partition_point(|sum| *sum <= target);
        index.min(self.cumulative.len() - 1)
    }

    fn total(&self) -> f64 {
        self.cumulative[self.cumulative.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// The frequency of each of six is within seven standard errors: a false alarm has probability
    /// 10⁻¹¹.
    #[test]
    fn draws_have_the_odds_of_their_weights() {
        let weights = [0.0, 3.0, 0.0, 1.0, 6.0, 0.0];
        let logs: Vec<f64> = weights.iter().map(|weight| ln(*weight) + 900.0).collect();
        let categorical = Categorical::from_log_weights(logs);
        assert!((categorical.log_total() - 900.0 - ln(10.0)).abs() < 1e-12);
        let mut rng = stream(1, Purpose::Example, 0);
        let mut counts = [0.0; 6];
        let count = 100_000.0;
        (0..100_000).for_each(|_| counts[categorical.draw(&mut rng)] += 1.0);
        for (found, weight) in counts.iter().zip(weights) {
            let p = weight / 10.0;
            assert!(
                (found - count * p).abs() <= 7.0 * (count * p * (1.0 - p)).sqrt(),
                "{counts:?}"
            );
        }
        assert_eq!(Categorical::from_log_weights(vec![-1e9]).draw(&mut rng), 0);
    }
}
