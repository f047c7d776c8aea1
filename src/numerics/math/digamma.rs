//! The logarithmic derivative of Γ.

use super::ln;

/// ψ(x) = d ln Γ(x)/dx for x > 0, within some 10⁻¹⁵ (1 + |ψ|); NaN elsewhere.
///
/// Up to x = 10 by ψ(x) = ψ(x + 1) − 1/x, beyond by the asymptotic series (Abramowitz and Stegun
/// 1964, 6.3.5 and 6.3.18), whose first omitted term is 4·10⁻¹⁷ there.
pub fn digamma(x: f64) -> f64 {
    // B_2k / 2k, k from 1.
    const SERIES: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
    ];
    if !(x > 0.0) {
        return f64::NAN;
    }
    let (mut x, mut below) = (x, 0.0);
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    let series = SERIES.iter().rev().fold(0.0, |sum, term| (sum + term) * inverse_square);
    ln(x) - 0.5 / x - series - below
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{LN_2, PI};

    /// −γ at 1, −γ − 2 ln 2 at ½, −γ − π/2 − 3 ln 2 at ¼, H_n − γ at n + 1.
    #[test]
    fn values_that_are_known() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let harmonic = |n: u32| (1..=n).map(|k| 1.0 / f64::from(k)).sum::<f64>();
        let known = [
            (1.0, -EULER),
            (0.5, -EULER - 2.0 * LN_2),
            (0.25, -EULER - 0.5 * PI - 3.0 * LN_2),
            (6.0, harmonic(5) - EULER),
            (10.0, harmonic(9) - EULER),
            (101.0, harmonic(100) - EULER),
        ];
        for (x, expected) in known {
            assert!((digamma(x) - expected).abs() < 3e-15 * (1.0 + expected.abs()), "{x}");
        }
        // −1/x − γ near 0.
        assert!((digamma(1e-10) + 1e10 + EULER).abs() < 1e-5);
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
        for x in [0.0, -0.5, f64::NAN] {
            assert!(digamma(x).is_nan());
        }
    }

    /// There is no jump where the series takes over from the recurrence.
    #[test]
    fn it_is_the_derivative_of_ln_gamma() {
        for step in 1..300 {
            let x = 0.07 * f64::from(step);
            let slope = (crate::math::ln_gamma(x + 1e-5) - crate::math::ln_gamma(x - 1e-5)) / 2e-5;
            assert!((digamma(x) - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{x}");
        }
    }
}
