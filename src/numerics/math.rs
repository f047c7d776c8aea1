//! The only transcendental code. Everything here gives the same bits natively
//! and in WebAssembly, which the standard library's functions do not.

mod deviates;
mod digamma;
mod normal_tail;

pub use deviates::{ln_gamma_deviate, logit_beta_deviate};
pub use digamma::digamma;
pub use normal_tail::{ln_normal_tail, normal_tail};

use crate::linalg::Lanes;

/// ½ ln 2π.
pub const LN_SQRT_2_PI: f64 = 0.918938533204672741780329736406;

/// eˣ, within 0.9 units in the last place; 0, ∞ and NaN for the corresponding arguments.
///
/// x = k ln 2 + r with |r| ≤ ½ ln 2, eʳ = 1 + r + r² q(r) with q of degree 9
/// interpolating at Chebyshev nodes (relative error 2·10⁻¹⁷), and 2ᵏ multiplied in two steps so
/// that overflow and gradual underflow are correct. There is no branch and no table, so the
/// compiler vectorizes it ([`exp_lanes`]), with the same bits.
#[inline]
pub fn exp(x: f64) -> f64 {
    exp_inline(x)
}

/// [`exp`] lane by lane, with the same bits.
#[inline]
pub fn exp_lanes(x: &Lanes) -> Lanes {
    Lanes(x.0.map(exp_inline))
}

#[inline(always)]
fn exp_inline(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 0.6931471803691238; // 32 bits: its products with k are exact
    const LN_2_LOW: f64 = 1.9082149292705877e-10;
    const Q: [f64; 10] = [
        0.5000000000000001,
        0.16666666666666669,
        0.04166666666662413,
        0.008333333333330062,
        0.0013888888917213717,
        0.00019841269863053618,
        2.4801521295954376e-05,
        2.7557268459997064e-06,
        2.7620088445409746e-07,
        2.510038549551032e-08,
    ];
    // Adding this leaves the nearest integer in the low bits.
    const ROUND: f64 = 6755399441055744.0;

    // Beyond these the result is 0 or ∞ anyway; NaN passes both comparisons.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let high = x - k * LN_2_HIGH;
    let low = k * LN_2_LOW;
    let r = high - low;
    let lost = (high - r) - low;
    let mut q = Q[9];
    for coefficient in Q[..9].iter().rev() {
        q = q * r + coefficient;
    }
    let power = 1.0 + (r + (r * r * q + lost));
    // The exponent fields of 2^⌊k/2⌋ and of the rest, kept positive in between.
    let k = rounded.to_bits().wrapping_sub(ROUND.to_bits());
    let half = k.wrapping_add(2048) >> 1;
    let rest = k.wrapping_sub(half).wrapping_add(2047);
    power * f64::from_bits(half.wrapping_sub(1) << 52) * f64::from_bits(rest << 52)
}

/// Natural logarithm, within 1 unit in the last place; −∞ at 0, NaN below.
///
/// x = 2ᵏ (1 + f) with √½ ≤ 1 + f < √2 and, with s = f / (2 + f),
/// ln(1 + f) = f − f²/2 + s (f²/2 + R(s²)), R of degree 7 in s² (fdlibm's
/// expansion, with the bits of [`libm::log`]). There is no branch, so the compiler vectorizes it
/// ([`ln_slice`]).
#[inline]
pub fn ln(x: f64) -> f64 {
    ln_inline(x)
}

/// [`ln`] of each entry, in place, with the same bits.
#[inline]
pub fn ln_slice(x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x = ln_inline(*x));
}

/// [`exp`] of each entry, in place, with the same bits.
#[inline]
pub fn exp_slice(x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x = exp_inline(*x));
}

/// ln 2 in two parts, for logarithms: products of the first with exponents are exact.
const LN_2_HIGH: f64 = 6.93147180369123816490e-01;
const LN_2_LOW: f64 = 1.90821492927058770002e-10;

/// fdlibm's R(s²).
#[inline(always)]
fn ln_series(z: f64) -> f64 {
    const R: [f64; 7] = [
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    let w = z * z;
    let even = w * (R[1] + w * (R[3] + w * R[5]));
    let odd = z * (R[0] + w * (R[2] + w * (R[4] + w * R[6])));
    even + odd
}

#[inline(always)]
fn ln_inline(x: f64) -> f64 {
    const SQRT_HALF_HIGH: u64 = 0x3fe6_a09e_0000_0000;
    const ONE: u64 = 0x3ff0_0000_0000_0000;

    let is_small = x < f64::MIN_POSITIVE;
    let scaled = if is_small { x * 18014398509481984.0 } else { x }; // by 2⁵⁴
    let offset = if is_small { 54.0 } else { 0.0 };
    // The exponent is an integer in the low bits of 2⁵²; an integer is subtracted that combines
    // this bias and half of it.
    let bits = scaled.to_bits().wrapping_add(ONE - SQRT_HALF_HIGH);
    let exponent = f64::from_bits((bits >> 52 & 0x7ff) | 0x4330_0000_0000_0000);
    let k = exponent - (4503599627370496.0 + 1023.0) - offset;
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF_HIGH));
    let f = mantissa - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let value =
        s * (half_square + ln_series(s * s)) + k * LN_2_LOW - half_square + f + k * LN_2_HIGH;
    // Of comparisons with 0 and ∞ one after another the compiler makes one of integers without sign, which vectors of
    // WebAssembly do not have.
    let value = if x > f64::MAX { x } else { value };
    let elsewhere = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { value } else { elsewhere }
}

/// ln(1 + x), accurate near 0.
#[inline]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// ln |Γ(x)|.
#[inline]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// erf(x), the probability that a normal number of variance ½ lies within |x| of 0, with the sign of
/// x.
#[inline]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// 1 − erf(x): twice the probability that a normal number of variance ½ exceeds x.
#[inline]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Sine of x, in radians.
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of x, in radians.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Sine and cosine of x, in radians, with the bits of [`sin`] and [`cos`].
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Hyperbolic tangent of x.
#[inline]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// Cube root of x.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// x to the power y.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// ln(1 + eˣ), without overflow.
#[inline]
pub fn softplus(x: f64) -> f64 {
    // Unlike f64::max, this keeps NaN.
    let positive = if x < 0.0 { 0.0 } else { x };
    positive + ln_1p_to_one(exp(-x.abs()))
}

/// [`softplus`] and its slope [`sigmoid`], with the same bits, from one exponential.
#[inline]
pub fn softplus_and_slope(x: f64) -> (f64, f64) {
    softplus_of_small(x, exp(-x.abs()))
}

/// The softplus of x and its slope, given e⁻ˡˣˡ.
#[inline(always)]
fn softplus_of_small(x: f64, small: f64) -> (f64, f64) {
    let positive = if x < 0.0 { 0.0 } else { x };
    let above = if x >= 0.0 { 1.0 } else { small };
    (positive + ln_1p_to_one(small), above / (1.0 + small))
}

/// 1 / (1 + e⁻ˣ), without overflow.
#[inline]
pub fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// [`sigmoid`] lane by lane, with the same bits.
#[inline]
pub fn sigmoid_lanes(x: &Lanes) -> Lanes {
    Lanes(x.0.map(|x| {
        let e = exp_inline(-x.abs());
        let above = if x >= 0.0 { 1.0 } else { e };
        above / (1.0 + e)
    }))
}

/// [`softplus`] and its slope [`sigmoid`] lane by lane, with the same bits.
#[inline]
pub fn softplus_lanes(x: &Lanes) -> (Lanes, Lanes) {
    let small = Lanes(x.0.map(|x| exp_inline(-x.abs())));
    let [mut value, mut slope] = [Lanes::ZERO; 2];
    for lane in 0..Lanes::LEN {
        (value.0[lane], slope.0[lane]) = softplus_of_small(x.0[lane], small.0[lane]);
    }
    (value, slope)
}

/// [`ln_1p`] for x from 0 to 1, with the same bits: fdlibm's expansion of [`ln`] for 1 + f, which is
/// 1 + x or, if that is above √2, half of it, corrected for what 1 + x has lost. There is no branch.
#[inline(always)]
fn ln_1p_to_one(x: f64) -> f64 {
    const ROOT_2_LESS_1: f64 = f64::from_bits(0x3fda_827a_0000_0000);
    const NEGLIGIBLE: f64 = f64::from_bits(0x3ca0_0000_0000_0000); // 2⁻⁵³
    let is_small = x < ROOT_2_LESS_1;
    let sum = 1.0 + x;
    let lost = (x - (sum - 1.0)) / sum;
    let k = if is_small { 0.0 } else { 1.0 };
    let lost = if is_small { 0.0 } else { lost };
    let f = if is_small { x } else { 0.5 * sum - 1.0 };
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let value = s * (half_square + ln_series(s * s)) + (k * LN_2_LOW + lost) - half_square
        + f
        + k * LN_2_HIGH;
    if x < NEGLIGIBLE { x } else { value }
}

/// ln Σ exp(xᵢ), in order, without overflow; −∞ for an empty slice, NaN if any entry is NaN.
#[inline]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if max.is_infinite() {
        return if x.iter().any(|x| x.is_nan()) { f64::NAN } else { max };
    }
    max + ln(x.iter().map(|x| exp(x - max)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_libm_to_the_bit() {
        let mut rng = stream(5, Purpose::Example, 0);
        use rand::Rng;
        for _ in 0..1_000_000 {
            // All positive numbers by their bits, and numbers near 1.
            let any = f64::from_bits(rng.next_u64() >> 1);
            let near = 0.5 + uniform(&mut rng);
            for x in [any, near] {
                assert!(x.is_nan() || ln(x) == libm::log(x), "{x:e}");
            }
        }
        for x in [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, 1.0, f64::MAX, f64::INFINITY] {
            assert_eq!(ln(x), libm::log(x));
        }
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && ln(f64::NEG_INFINITY).is_nan());
    }

    #[test]
    fn logarithms_from_1_to_2_are_those_of_libm_to_the_bit() {
        let mut rng = stream(6, Purpose::Example, 0);
        for _ in 0..1_000_000 {
            let x = uniform(&mut rng);
            for x in [x, x * 1e-8, exp(-800.0 * x), 0.41421 + 1e-5 * x] {
                assert_eq!(ln_1p_to_one(x), ln_1p(x), "{x:e}");
            }
        }
        for x in [0.0, 5e-324, 1.0, f64::EPSILON / 2.0, std::f64::consts::SQRT_2 - 1.0] {
            assert_eq!(ln_1p_to_one(x), ln_1p(x), "{x:e}");
        }
        assert!(ln_1p_to_one(f64::NAN).is_nan());
    }

    use crate::rng::{Purpose, stream, uniform};

    /// A number with twice the digits: the sum of the pair, the second far smaller than the first.
    type Double = (f64, f64);

    fn sum((a, b): Double, (c, d): Double) -> Double {
        let s = a + c;
        let v = s - a;
        let low = (a - (s - v)) + (c - v) + b + d;
        (s + low, low - ((s + low) - s))
    }

    fn product((a, b): Double, (c, d): Double) -> Double {
        let split = |x: f64| {
            let high = 134217729.0 * x - (134217729.0 * x - x);
            (high, x - high)
        };
        let p = a * c;
        let ((ah, al), (ch, cl)) = (split(a), split(c));
        let low = ((ah * ch - p) + ah * cl + al * ch) + al * cl + a * d + b * c;
        (p + low, low - ((p + low) - p))
    }

    fn quotient((a, b): Double, n: f64) -> Double {
        let q = a / n;
        let (p, low) = product((q, 0.0), (n, 0.0));
        (q, ((a - p) - low + b) / n)
    }

    /// eˣ to some 100 bits: k ln 2 is subtracted, the Taylor series of the rest / 2¹⁰ is squared
    /// ten times.
    fn exact_exp(x: f64) -> Double {
        let k = (x * std::f64::consts::LOG2_E).round();
        let ln_2 = (std::f64::consts::LN_2, 2.3190468138462996e-17);
        let (high, low) = sum((x, 0.0), product((-k, 0.0), ln_2));
        let mut term = (1.0, 0.0);
        let mut total = (1.0, 0.0);
        for n in 1..12 {
            term = quotient(product(term, (high / 1024.0, low / 1024.0)), f64::from(n));
            total = sum(total, term);
        }
        for _ in 0..10 {
            total = product(total, total);
        }
        let scale = f64::from_bits(((1023.0 + k) as u64) << 52);
        (total.0 * scale, total.1 * scale)
    }

    #[test]
    fn exp_keeps_its_stated_error() {
        let mut rng = stream(1, Purpose::Example, 0);
        let (mut worst, mut worst_libm) = (0.0_f64, 0.0_f64);
        for index in 0..400_000 {
            let scale = if index % 2 == 0 { 2.0 } else { 1400.0 };
            let x = scale * (uniform(&mut rng) - 0.5);
            let (high, low) = exact_exp(x);
            let ulp = f64::from_bits(high.to_bits() + 1) - high;
            worst = worst.max((((exp(x) - high) - low) / ulp).abs());
            worst_libm = worst_libm.max((((libm::exp(x) - high) - low) / ulp).abs());
        }
        // libm's known error, below 1, validates the reference.
        assert!(worst_libm > 0.5 && worst_libm < 1.0, "libm: {worst_libm} ulp");
        assert!(worst > 0.5 && worst < 0.9, "{worst} ulp");
    }

    #[test]
    fn exp_at_the_edges() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(f64::NAN).is_nan());
        assert_eq!(exp(709.79), f64::INFINITY);
        assert_eq!(exp(1e300), f64::INFINITY);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(-745.14), 0.0);
        let largest = exp(709.782712893384);
        assert!((largest / libm::exp(709.782712893384) - 1.0).abs() < 1e-15);
        for tenths in -7451..-7080 {
            let x = f64::from(tenths) / 10.0;
            let apart = exp(x).to_bits().abs_diff(libm::exp(x).to_bits());
            assert!(apart <= 1, "{x}: {apart} units of the last, subnormal place");
        }
    }

    #[test]
    fn lanes_have_the_bits_of_the_scalar() {
        let mut rng = stream(2, Purpose::Example, 0);
        for index in 0..20_000 {
            let mut x = Lanes::ZERO;
            for lane in &mut x.0 {
                *lane = 1600.0 * (uniform(&mut rng) - 0.5);
            }
            x.0[index % 8] = [f64::NAN, f64::INFINITY, -800.0, 0.0][index % 4];
            for (lane, x) in exp_lanes(&x).0.iter().zip(x.0) {
                assert_eq!(lane.to_bits(), exp(x).to_bits(), "{x}");
            }
            for (lane, x) in sigmoid_lanes(&x).0.iter().zip(x.0) {
                assert_eq!(lane.to_bits(), sigmoid(x).to_bits(), "{x}");
            }
            let (values, slopes) = softplus_lanes(&x);
            for ((value, slope), x) in values.0.iter().zip(slopes.0).zip(x.0) {
                let is_same = value.to_bits() == softplus(x).to_bits();
                assert!(is_same || value.is_nan() && x.is_nan(), "{x}");
                assert_eq!(slope.to_bits(), sigmoid(x).to_bits(), "{x}");
            }
        }
    }

    #[test]
    fn softplus_and_sigmoid_at_the_edges() {
        assert_eq!(softplus(0.0), std::f64::consts::LN_2);
        assert_eq!(softplus(1000.0), 1000.0);
        assert_eq!(softplus(-1000.0), 0.0);
        assert!((softplus(-40.0) / exp(-40.0) - 1.0).abs() < 1e-15);
        assert_eq!(softplus(f64::INFINITY), f64::INFINITY);
        assert_eq!(softplus(f64::NEG_INFINITY), 0.0);
        assert!(softplus(f64::NAN).is_nan());
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(1000.0), 1.0);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert!((sigmoid(-700.0) / exp(-700.0) - 1.0).abs() < 1e-15);
        assert!(sigmoid(f64::NAN).is_nan());
        for x in [0.1, 1.0, 5.0, 30.0] {
            assert!((sigmoid(x) + sigmoid(-x) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn log_sum_exp_at_the_edges() {
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[3.0, f64::NEG_INFINITY]), 3.0);
        assert_eq!(log_sum_exp(&[0.0, f64::INFINITY]), f64::INFINITY);
        assert!(log_sum_exp(&[f64::NAN]).is_nan());
        assert!(log_sum_exp(&[1.0, f64::NAN]).is_nan());
        assert!(log_sum_exp(&[f64::INFINITY, f64::NAN]).is_nan());
        let far = log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - std::f64::consts::LN_2;
        assert!(far.abs() < 1e-12);
    }
}
