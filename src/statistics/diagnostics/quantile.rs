//! Order statistics: sample quantiles and the median.

use crate::sorting::sorted;

/// The greatest value not above the `probability` quantile of ascending values, used to separate
/// draws at or below the quantile from those above. The quantile is linear between order
/// statistics, type 7 of Hyndman and Fan (1996), the default of R, NumPy and ArviZ. But
/// interpolation between equal values may round to less, and towards ∞ it is ∞. NaN for a
/// probability outside [0, 1].
///
/// # Panics
/// If there are no values.
pub(super) fn greatest_within(ascending: &[f64], probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let n = ascending.len();
    let position = n as f64 * probability + (1.0 - probability);
    ascending[(position.floor() as usize).clamp(1, n) - 1]
}

/// The middle one of ascending values, or the mean of the two in the middle.
///
/// # Panics
/// If there are no values.
pub(super) fn median(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    (ascending[(n - 1) / 2] + ascending[n / 2]) / 2.0
}

/// The percentiles that leave this share of the values on either side, linear between order statistics.
///
/// # Panics
/// If there are no values, or `tail` is not between 0 and 1.
pub fn percentiles(values: &[f64], tail: f64) -> [f64; 2] {
    let ascending = sorted(values);
    let last = ascending.len() - 1;
    [tail, 1.0 - tail].map(|share| {
        let place = share * last as f64;
        let below = place.floor() as usize;
        let above = (below + 1).min(last);
        ascending[below] + (place - below as f64) * (ascending[above] - ascending[below])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_definition() {
        let ascending = sorted(&[4.0, 1.0, 2.0, 3.0, f64::INFINITY]);
        // The quantile is the (4 probability + 1)-th of the five.
        for (probability, value) in [
            (0.0, 1.0),
            (0.2, 1.0),
            (0.25, 2.0),
            (0.5, 3.0),
            (0.7, 3.0),
            (0.99, 4.0),
            (1.0, f64::INFINITY),
        ] {
            assert_eq!(greatest_within(&ascending, probability), value);
        }
        for outside in [-0.1, 1.1, f64::NAN] {
            assert!(greatest_within(&ascending, outside).is_nan());
        }
        assert_eq!(median(&ascending), 3.0);
        assert_eq!(median(&ascending[..4]), 2.5);
    }

    #[test]
    fn percentiles_interpolate() {
        let values = [4.0, 0.0, 3.0, 1.0, 2.0];
        assert_eq!(percentiles(&values, 0.25), [1.0, 3.0]);
        assert_eq!(percentiles(&values, 0.125), [0.5, 3.5]);
        assert_eq!(percentiles(&values[..1], 0.1), [4.0, 4.0]);
    }
}
