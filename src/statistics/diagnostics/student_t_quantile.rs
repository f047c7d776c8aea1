//! Quantiles of Student's t distribution, from those of the beta distribution:
//! T² / (ν + T²) is beta(½, ν/2).

use super::beta_quantile::beta_quantile;
use super::normal_quantile::normal_quantile;

/// From this many degrees of freedom on, the expansion about the normal quantile is more accurate.
const MANY: f64 = 1e4;

/// The x below which a number with Student's t distribution falls with this probability, within a
/// relative 10⁻⁹ for probabilities between 10⁻⁶ and 1 − 10⁻⁶. `degrees_of_freedom` is 1 or more,
/// not necessarily an integer, and may be ∞. NaN for a probability outside [0, 1], or less than 1
/// degree of freedom.
pub fn student_t_quantile(probability: f64, degrees_of_freedom: f64) -> f64 {
    let nu = degrees_of_freedom;
    if !((0.0..=1.0).contains(&probability) && nu >= 1.0) {
        return f64::NAN;
    }
    if probability == 0.0 || probability == 1.0 || nu >= MANY {
        // Abramowitz and Stegun 26.7.5; infinite at the ends.
        let z = normal_quantile(probability);
        let square = z * z;
        let first = z * (square + 1.0) / 4.0;
        let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
        return if z.is_infinite() { z } else { z + (first + second / nu) / nu };
    }
    // Use the smaller tail, which keeps its digits.
    let tail = if probability < 0.5 { probability } else { 1.0 - probability };
    let magnitude = if nu >= 2.0 || tail > 0.05 {
        let x = beta_quantile(1.0 - 2.0 * tail, 0.5, 0.5 * nu);
        (nu * x / (1.0 - x)).sqrt()
    } else {
        let x = beta_quantile(2.0 * tail, 0.5 * nu, 0.5);
        (nu * (1.0 - x) / x).sqrt()
    };
    if probability < 0.5 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        for probability in [1e-6, 0.01, 0.025, 0.2, 0.4, 0.6, 0.9, 0.975, 0.999] {
            let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-9, "{x} {y}");
            let angle = std::f64::consts::PI * (probability - 0.5);
            close(
                student_t_quantile(probability, 1.0),
                crate::math::sin(angle) / crate::math::cos(angle),
            );
            let product = probability * (1.0 - probability);
            close(
                student_t_quantile(probability, 2.0),
                (2.0 * probability - 1.0) / (2.0 * product).sqrt(),
            );
        }
    }

    #[test]
    fn the_expansion_meets_the_rest() {
        for probability in [0.0005, 0.025, 0.3, 0.7, 0.995] {
            let below = student_t_quantile(probability, MANY - 1e-6);
            let above = student_t_quantile(probability, MANY + 1e-6);
            assert!((below / above - 1.0).abs() < 1e-9, "{below} {above}");
        }
    }

    #[test]
    fn at_the_edges() {
        assert_eq!(student_t_quantile(0.0, 3.0), f64::NEG_INFINITY);
        assert_eq!(student_t_quantile(1.0, 1.0), f64::INFINITY);
        assert_eq!(student_t_quantile(0.5, 7.0), 0.0);
        assert_eq!(student_t_quantile(0.975, f64::INFINITY), normal_quantile(0.975));
        for (probability, nu) in
            [(-0.1, 3.0), (1.1, 3.0), (f64::NAN, 3.0), (0.5, 0.9), (0.5, f64::NAN)]
        {
            assert!(student_t_quantile(probability, nu).is_nan());
        }
    }
}
