//! The only transcendental code. Everything here gives the same bits natively
//! and in WebAssembly, which the standard library's functions do not.

/// eˣ.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln(1 + x), accurate near 0.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// ln(1 + eˣ), without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + ln_1p(exp(-x.abs()))
}

/// 1 / (1 + e⁻ˣ), without overflow.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + exp(-x))
    } else {
        let e = exp(x);
        e / (1.0 + e)
    }
}

/// ln Σ exp(xᵢ), in order, without overflow; −∞ for an empty slice.
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A maximum ignores NaN; the sum below does not.
    if max.is_infinite() && !x.iter().any(|x| x.is_nan()) {
        return max;
    }
    max + ln(x.iter().map(|x| exp(x - max)).sum())
}
