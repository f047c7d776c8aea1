//! The tails of the standard normal distribution.

use super::{LN_SQRT_2_PI, erfc, ln, ln_1p};
use std::f64::consts::FRAC_1_SQRT_2;

/// From here on the asymptotic series is used, as erfc would lose digits, then be 0.
const FAR: f64 = 37.0;

/// Φ(−u), the probability that a standard normal number exceeds u; accurate where it is small.
#[inline]
pub fn normal_tail(u: f64) -> f64 {
    0.5 * erfc(u * FRAC_1_SQRT_2)
}

/// ln Φ(−u), for any u. Beyond u = 37 by the asymptotic series (Abramowitz and Stegun 1964, 26.2.12),
/// whose first omitted term is 2·10⁻¹⁵ there.
pub fn ln_normal_tail(u: f64) -> f64 {
    if u < 0.0 {
        return ln_1p(-normal_tail(-u));
    }
    if u <= FAR {
        return ln(normal_tail(u));
    }
    let inverse = 1.0 / (u * u);
    let series = [-1.0, 3.0, -15.0, 105.0, -945.0];
    let correction = series.iter().rev().fold(0.0, |sum, term| (sum + term) * inverse);
    -0.5 * u * u - LN_SQRT_2_PI - ln(u) + ln_1p(correction)
}
