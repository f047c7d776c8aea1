//! Quantiles of the beta distribution, which place order statistics: Newton's method on the
//! regularized incomplete beta function, kept within a bracket. That function is computed by its
//! continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22) with Lentz's
//! method. `statrs` has both, but takes elementary functions from the platform (see
//! [`super::normal_quantile()`]).

use crate::math::{exp, ln, ln_1p, ln_gamma};

/// The x in [0, 1] below which a beta(a, b) number falls with this probability, within a relative
/// 10⁻⁸ up to a + b = 10⁶, and 10⁻¹² if that is small. NaN for a probability outside [0, 1], or a
/// or b below ½ or infinite.
pub fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    if !((0.0..=1.0).contains(&probability) && a >= 0.5 && b >= 0.5 && (a + b).is_finite()) {
        return f64::NAN;
    }
    if probability == 0.0 || probability == 1.0 {
        return probability;
    }
    let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let (mut low, mut high) = (0.0, 1.0);
    let mut x = a / (a + b);
    for _ in 0..200 {
        // xᵃ (1 − x)ᵇ / B(a, b): the density times x (1 − x).
        let power = exp(a * ln(x) + b * ln_1p(-x) - log_beta);
        let excess = incomplete_beta(x, a, b, power) - probability;
        if excess == 0.0 {
            return x;
        }
        if excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let newton = x - excess * x * (1.0 - x) / power;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-15 * x || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}

/// I_x(a, b), given xᵃ (1 − x)ᵇ / B(a, b).
fn incomplete_beta(x: f64, a: f64, b: f64, power: f64) -> f64 {
    // The fraction converges fast on this side of the mean.
    if x <= (a + 1.0) / (a + b + 2.0) {
        power / a * continued_fraction(x, a, b)
    } else {
        1.0 - power / b * continued_fraction(1.0 - x, b, a)
    }
}

/// 1/(1 + d₁/(1 + d₂/(1 + …))).
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    // Replaces a quotient of 0.
    const TINY: f64 = 1e-300;
    let kept = |quotient: f64| if quotient.abs() < TINY { TINY } else { quotient };
    let mut value = 1.0;
    // The ratio of the numerators of consecutive convergents, and that of the denominators.
    let (mut numerators, mut denominators) = (1.0, f64::INFINITY);
    for step in 1..100_000 {
        let m = f64::from(step / 2);
        let d = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        numerators = kept(1.0 + d / numerators);
        denominators = kept(1.0 + d / denominators);
        let factor = numerators / denominators;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    1.0 / value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        for probability in [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999] {
            let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-13, "{x} {y}");
            close(beta_quantile(probability, 1.0, 1.0), probability);
            // 1 − (1 − x)³ and x³.
            let cube_root = |x: f64| exp(ln(x) / 3.0);
            close(beta_quantile(probability, 3.0, 1.0), cube_root(probability));
            close(1.0 - beta_quantile(probability, 1.0, 3.0), cube_root(1.0 - probability));
        }
        assert!((beta_quantile(0.5, 700.5, 700.5) - 0.5).abs() < 1e-12);
        // The arcsine distribution, sin²(½ π p), whose density is infinite at both ends.
        for (probability, value) in [(0.5, 0.5), (1.0 / 3.0, 0.25), (2.0 / 3.0, 0.75)] {
            assert!((beta_quantile(probability, 0.5, 0.5) - value).abs() < 1e-14);
        }
    }

    #[test]
    fn at_the_edges() {
        assert_eq!(beta_quantile(0.0, 2.0, 3.0), 0.0);
        assert_eq!(beta_quantile(1.0, 2.0, 3.0), 1.0);
        for (p, a, b) in [
            (-0.1, 2.0, 2.0),
            (f64::NAN, 2.0, 2.0),
            (0.5, 0.49, 2.0),
            (0.5, 2.0, f64::INFINITY),
            (0.5, f64::NAN, 2.0),
        ] {
            assert!(beta_quantile(p, a, b).is_nan());
        }
    }
}
