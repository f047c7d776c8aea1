//! Quantiles of the normal distribution: Wichura, "Algorithm AS 241: The
//! Percentage Points of the Normal Distribution", Applied Statistics 37 (1988),
//! routine PPND16.
//!
//! It takes three ratios of polynomials of degree 7 and, in the tails, one logarithm from this
//! crate, so that the bits are the same everywhere. The `statrs` crate takes its logarithms from
//! `num-traits`, which takes them from the platform as soon as any crate in the build asks for its
//! `std`.

use crate::math::ln;

/// The distance from ½ within which [`CENTRE`] applies.
const CENTRE_HALF_WIDTH: f64 = 0.425;

/// Up to this √(−ln p), [`TAIL`] applies; beyond it [`FAR_TAIL`].
const FAR: f64 = 5.0;

/// Numerator and denominator, lowest degree first.
type Ratio = [[f64; 8]; 2];

const CENTRE: Ratio = [
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
];

const TAIL: Ratio = [
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
];

const FAR_TAIL: Ratio = [
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
];

/// The x below which a standard normal number falls with this probability, within a relative 10⁻¹⁵.
/// −∞ at 0, ∞ at 1, NaN outside [0, 1].
pub fn normal_quantile(probability: f64) -> f64 {
    let from_centre = probability - 0.5;
    if from_centre.abs() <= CENTRE_HALF_WIDTH {
        let r = CENTRE_HALF_WIDTH * CENTRE_HALF_WIDTH - from_centre * from_centre;
        return from_centre * evaluate(&CENTRE, r);
    }
    let tail = if from_centre < 0.0 { probability } else { 1.0 - probability };
    if !(tail >= 0.0) {
        return f64::NAN;
    }
    let r = (-ln(tail)).sqrt();
    let magnitude = if r == f64::INFINITY {
        f64::INFINITY
    } else if r <= FAR {
        evaluate(&TAIL, r - 1.6)
    } else {
        evaluate(&FAR_TAIL, r - FAR)
    };
    if from_centre < 0.0 { -magnitude } else { magnitude }
}

fn evaluate([numerator, denominator]: &Ratio, r: f64) -> f64 {
    let horner = |polynomial: &[f64; 8]| polynomial.iter().rev().fold(0.0, |sum, c| sum * r + c);
    horner(numerator) / horner(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_edges() {
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        for outside in [-1e-300, 1.0000001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(normal_quantile(outside).is_nan(), "{outside}");
        }
    }

    #[test]
    fn odd_and_increasing_across_the_pieces() {
        let mut last = f64::NEG_INFINITY;
        for step in 1..4096 {
            let probability = f64::from(step) / 4096.0;
            let x = normal_quantile(probability);
            assert!(x > last);
            assert_eq!(x, -normal_quantile(1.0 - probability));
            last = x;
        }
    }
}
