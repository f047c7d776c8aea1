//! Means and variances, each sum in order.

/// Mean. It is computed relative to the first value, so that equal values have exactly that mean
/// and no variance, and values far from 0 lose no digits. NaN for no values, or if one is not
/// finite.
pub(super) fn mean(values: &[f64]) -> f64 {
    let Some(&origin) = values.first() else { return f64::NAN };
    let mean = origin + values.iter().map(|x| x - origin).sum::<f64>() / values.len() as f64;
    if mean.is_finite() { mean } else { f64::NAN }
}

/// Σ (x − mean)².
fn sum_of_squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean) * (x - mean)).sum()
}

/// Unbiased variance, over n − 1; NaN for fewer than two values.
pub(super) fn variance(values: &[f64]) -> f64 {
    sum_of_squares(values) / (values.len() as f64 - 1.0)
}

/// Mean square deviation, over n.
pub(super) fn mean_square(values: &[f64]) -> f64 {
    sum_of_squares(values) / values.len() as f64
}

/// Whether finite values are all the same up to rounding: they differ by no more than 10⁻¹⁵ of the
/// largest.
pub(super) fn are_constant(values: &[f64]) -> bool {
    let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
    for &x in values {
        least = least.min(x);
        greatest = greatest.max(x);
    }
    greatest - least <= 1e-15 * greatest.abs().max(least.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_no_variance() {
        for x in [0.1, 1e300, -7.3, 0.0] {
            assert_eq!(mean(&[x; 7]), x);
            assert_eq!(variance(&[x; 7]), 0.0);
        }
    }

    #[test]
    fn small_cases() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(variance(&[1.0, 2.0, 6.0]), 7.0);
        assert_eq!(mean_square(&[1.0, 2.0, 6.0]), 14.0 / 3.0);
        assert!(mean(&[]).is_nan());
        assert!(mean(&[1.0, f64::INFINITY]).is_nan() && mean(&[f64::INFINITY, 1.0]).is_nan());
        assert!(variance(&[1.0, f64::INFINITY]).is_nan());
        assert!(variance(&[1.0]).is_nan());
    }

    #[test]
    fn constant_but_for_rounding() {
        assert!(are_constant(&[0.3, 0.1 + 0.2, 0.3]));
        assert!(are_constant(&[0.0, -0.0]));
        assert!(!are_constant(&[0.0, 1e-300]));
        assert!(!are_constant(&[-1e308, 1e308]));
    }
}
