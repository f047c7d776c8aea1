//! A histogram of log weights.

use serde::{Deserialize, Serialize};

/// Counts of finite log weights in bins of equal width, which extend from the smallest to the
/// greatest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    /// Edges of the bins, ascending, one more than there are bins, in nats. The upper edge belongs
    /// to the last bin.
    pub edges: Vec<f64>,
    /// Number of log weights in each bin.
    pub counts: Vec<u64>,
    /// Number of log weights that are −∞: weights of 0.
    pub num_zero: u64,
}

impl Histogram {
    /// Number of bins.
    pub const NUM_BINS: usize = 40;

    /// The histogram of these log weights. If all finite ones are equal, the bins together are one
    /// nat wide; if there are none, edges and counts are empty. NaN and +∞ are not counted.
    pub fn of(log_weights: &[f64]) -> Self {
        let finite = || log_weights.iter().copied().filter(|l| l.is_finite());
        let num_zero = log_weights.iter().filter(|&&l| l == f64::NEG_INFINITY).count() as u64;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in finite() {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
        }
        if !low.is_finite() {
            return Self { edges: Vec::new(), counts: Vec::new(), num_zero };
        }
        let bins = Self::NUM_BINS as f64;
        // In this order huge ranges do not overflow.
        let mut width = high / bins - low / bins;
        if width == 0.0 || low + width == low || high - width == high {
            (low, width) = (low - 0.5, 1.0 / bins);
        }
        let mut edges: Vec<f64> =
            (0..=Self::NUM_BINS).map(|bin| low + width * bin as f64).collect();
        edges[Self::NUM_BINS] = edges[Self::NUM_BINS].max(high);
        let mut counts = vec![0; Self::NUM_BINS];
        for value in finite() {
            let bin = ((value / width - low / width).floor() as usize).min(Self::NUM_BINS - 1);
            counts[bin] += 1;
        }
        Self { edges, counts, num_zero }
    }

    /// The histogram of the negated log weights, without those of 0.
    pub(super) fn negated(mut self) -> Self {
        self.edges.reverse();
        self.edges.iter_mut().for_each(|edge| *edge = -*edge);
        self.counts.reverse();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_log_weight_is_in_its_bin() {
        let log_weights: Vec<f64> = (0..=80).map(|i| f64::from(i) - 60.0).collect();
        let histogram = Histogram::of(&log_weights);
        assert_eq!(
            (histogram.edges[0], histogram.edges[1], histogram.edges[40]),
            (-60.0, -58.0, 20.0)
        );
        // Two in each bin; the last has three, including the upper edge.
        assert!(histogram.counts[..39].iter().all(|&count| count == 2));
        assert_eq!(histogram.counts[39], 3);
        let mirrored = histogram.clone().negated();
        assert_eq!((mirrored.edges[0], mirrored.edges[1], mirrored.counts[0]), (-20.0, -18.0, 3));
    }

    #[test]
    fn at_the_edges() {
        let infinite = f64::NEG_INFINITY;
        assert!(Histogram::of(&[]).counts.is_empty());
        let zeros = Histogram::of(&[infinite, infinite, f64::NAN, f64::INFINITY]);
        assert_eq!((zeros.num_zero, zeros.edges.len()), (2, 0));
        for (log_weights, total) in [
            (&[5.0, 5.0, infinite][..], 2),
            (&[1e300, 1e300], 2),
            (&[1e308, -1e308, 0.0], 3),
            (&[1e16, 1e16 + 2.0], 2),
            (&[0.0, 5e-324], 2),
            (&[-0.1, 0.3, 0.7], 3),
        ] {
            let histogram = Histogram::of(log_weights);
            assert_eq!(histogram.counts.iter().sum::<u64>(), total, "{log_weights:?}");
            assert_eq!(histogram.edges.len(), 41);
            assert!(histogram.edges.is_sorted());
        }
        let equal = Histogram::of(&[5.0, 5.0]);
        assert_eq!((equal.edges[0], equal.edges[40], equal.counts[20]), (4.5, 5.5, 2));
    }
}
