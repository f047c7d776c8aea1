//! Numbers with gamma and beta distributions from standard normal ones: the x with F(x) = Φ(u).
//!
//! Logarithms of the smaller of F and 1 − F are solved for by Newton's method, in coordinates in which
//! the density is log-concave, ln x and ln x/(1 − x). Both logarithms are concave there, so that the method cannot cycle;
//! and neither tail loses digits. F comes from its series or continued fraction (NIST Digital
//! Library of Mathematical Functions, 8.7.1, 8.9.2 and 8.17.22). The crates that have these
//! quantiles (`statrs`, `special`, `puruspe`) take a probability, which has no upper tail, and elementary functions
//! from the platform.

use super::{LN_SQRT_2_PI, exp, ln, ln_1p, ln_gamma, ln_normal_tail, sigmoid, softplus};

/// Maximum number of steps of Newton's method; some five are taken.
const MAX_STEPS: usize = 200;

/// The longest step.
const MAX_STEP: f64 = 3.0;

/// Maximum number of terms of a series or fraction.
const MAX_TERMS: usize = 100_000;

/// Beyond a difference of this relative size, terms no longer matter.
const NEGLIGIBLE: f64 = 1e-17;

/// From here on Stirling's series is used.
const STIRLING_FROM: f64 = 16.0;

/// For a gamma number with this shape and rate 1, ln x and its slope d ln x/du, at a standard
/// normal u. x is within a relative 10⁻¹² for |u| ≤ 8 and shapes from 0.05 to 10,000.
pub fn ln_gamma_deviate(shape: f64, u: f64) -> (f64, f64) {
    if !u.is_finite() {
        return (u, f64::NAN);
    }
    let root = 1.0 - 1.0 / (9.0 * shape) + u / (3.0 * shape.sqrt());
    let start = if root > 0.1 {
        // Wilson and Hilferty (1931).
        ln(shape) + 3.0 * ln(root)
    } else {
        // F(x) is about x^a / Γ(a + 1).
        (ln_normal_tail(-u) + ln_gamma(shape + 1.0)) / shape
    };
    solve(u, start, |y| gamma_tails(shape, y))
}

/// For a beta(a, b) number, y = ln x/(1 − x) and its slope dy/du, at a standard normal u. x is within
/// a relative 10⁻¹² for |u| ≤ 8 and a, b from 0.05 to 10,000.
pub fn logit_beta_deviate(a: f64, b: f64, u: f64) -> (f64, f64) {
    if !u.is_finite() {
        return (u, f64::NAN);
    }
    // In the smaller tail F(x) is about x^a / (a B(a, b)), or the same of 1 − x.
    let (shape, sign) = if u < 0.0 { (a, 1.0) } else { (b, -1.0) };
    let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let far = (ln_normal_tail(u.abs()) + ln(shape) + log_beta) / shape;
    let start = if far < -3.0 { sign * far } else { ln(a / b) + u * (1.0 / a + 1.0 / b).sqrt() };
    solve(u, start, |y| beta_tails(a, b, y))
}

/// ln F, ln(1 − F) and the log density in y, at some y.
struct Tails {
    below: f64,
    above: f64,
    density: f64,
}

impl Tails {
    /// From the logarithm of one of both.
    fn new(log_tail: f64, is_below: bool, density: f64) -> Self {
        let other = ln_1p(-exp(log_tail));
        let (below, above) = if is_below { (log_tail, other) } else { (other, log_tail) };
        Self { below, above, density }
    }
}

/// The y with F(y) = Φ(u), and dy/du.
fn solve(u: f64, start: f64, tails: impl Fn(f64) -> Tails) -> (f64, f64) {
    let target = ln_normal_tail(u.abs());
    let mut y = start;
    for _ in 0..MAX_STEPS {
        let Tails { below, above, density } = tails(y);
        let step = if u < 0.0 {
            (target - below) * exp(below - density)
        } else {
            (above - target) * exp(above - density)
        };
        let step = step.clamp(-MAX_STEP, MAX_STEP);
        y += step;
        // The error is the square of the last step, some hundred times.
        if !(step.abs() > 1e-9) {
            break;
        }
    }
    let log_slope = -0.5 * u * u - LN_SQRT_2_PI - tails(y).density;
    (y, exp(log_slope))
}

/// Of a gamma number at ln x = y; the density is that of y, `x^a e^(−x) / Γ(a)`.
fn gamma_tails(a: f64, y: f64) -> Tails {
    let x = exp(y);
    let off = (x - a) / a;
    let log_ratio = if off.abs() < 0.5 { ln_1p(off) } else { y - ln(a) };
    let density = a * (log_ratio - off) + 0.5 * ln(a) - LN_SQRT_2_PI - stirling(a);
    if x < a + 1.0 {
        Tails::new(density - ln(a) + ln(gamma_series(a, x)), true, density)
    } else {
        Tails::new(density + ln(gamma_fraction(a, x)), false, density)
    }
}

/// Σ_n xⁿ / ((a + 1) … (a + n)).
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..MAX_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if !(term > NEGLIGIBLE * sum) {
            break;
        }
    }
    sum
}

/// Γ(a, x) / (x^a e^(−x)), by Lentz's method.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut value = d;
    for n in 1..MAX_TERMS {
        let n = n as f64;
        let numerator = n * (a - n);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        value *= factor;
        if !((factor - 1.0).abs() > 2e-16) {
            break;
        }
    }
    value
}

/// Of a beta number at the logit y; the density is that of y, `x^a (1 − x)^b / B(a, b)`.
fn beta_tails(a: f64, b: f64, y: f64) -> Tails {
    let sum = a + b;
    let density = -a * (softplus(-y) + ln(a / sum)) - b * (softplus(y) + ln(b / sum))
        + 0.5 * ln(a * (b / sum))
        - LN_SQRT_2_PI
        + stirling(sum)
        - stirling(a)
        - stirling(b);
    let (x, rest) = (sigmoid(y), sigmoid(-y));
    if x <= (a + 1.0) / (sum + 2.0) {
        Tails::new(density - ln(a) + ln(beta_fraction(a, b, x)), true, density)
    } else {
        Tails::new(density - ln(b) + ln(beta_fraction(b, a, rest)), false, density)
    }
}

/// a I_x(a, b) B(a, b) / (x^a (1 − x)^b), by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |quotient: f64| if quotient.abs() < TINY { TINY } else { quotient };
    let (mut c, mut d) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for n in 1..MAX_TERMS {
        let n = n as f64;
        let even = n * (b - n) * x / ((a + 2.0 * n - 1.0) * (a + 2.0 * n));
        let odd = -(a + n) * (a + b + n) * x / ((a + 2.0 * n) * (a + 2.0 * n + 1.0));
        let mut factor = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / kept(1.0 + numerator * d);
            c = kept(1.0 + numerator / c);
            factor = c * d;
            value *= factor;
        }
        if !((factor - 1.0).abs() > 2e-16) {
            break;
        }
    }
    value
}

/// ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, by Stirling's series (Abramowitz and Stegun 1964, 6.1.41), whose
/// first omitted term is 10⁻¹⁶ where it begins.
fn stirling(x: f64) -> f64 {
    const SERIES: [f64; 5] = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0];
    if x < STIRLING_FROM {
        return ln_gamma(x) - (x - 0.5) * ln(x) + x - LN_SQRT_2_PI;
    }
    let inverse_square = 1.0 / (x * x);
    SERIES.iter().rev().fold(0.0, |sum, term| sum * inverse_square + term) / x
}
