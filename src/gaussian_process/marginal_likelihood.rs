//! −ln p of the values under a kernel and noise, its gradient, and the criterion by which families are compared.
//!
//! −ln p = ½ yᵀK⁻¹y + ½ ln det K + N/2 ln 2π, K with the noise's variance on its diagonal, and
//! ∂(−ln p) = ½ tr((K⁻¹ − ααᵀ) ∂K), α = K⁻¹y (Rasmussen and Williams 2006, equations 2.30 and 5.9).

use crate::covariance::Covariance;
use crate::expression::Kernel;
use crate::factor::Factor;
use crate::linalg::dot;
use crate::math::{LN_SQRT_2_PI, exp, ln};
use crate::params::{chain, num_params, unpack};
use crate::series::{Series, noise_variance};

/// −ln p of the scaled values, in nats; none if the covariance is not positive definite to double precision.
pub fn negative_log_evidence(series: &Series, kernel: &Kernel, noise: f64) -> Option<f64> {
    let size = series.values.len();
    let covariance = Covariance::new(kernel, &series.inputs);
    let factor = Factor::new(size, covariance.upper(size, noise))?;
    Some(combine(&series.values, &factor, &factor.solve(&series.values)))
}

fn combine(values: &[f64], factor: &Factor, alpha: &[f64]) -> f64 {
    0.5 * dot(values, alpha) + 0.5 * factor.ln_det() + values.len() as f64 * LN_SQRT_2_PI
}

/// −ln p and its gradient at parameters: those of [`crate::params`], and last that of the noise. It is infinite where
/// the covariance is not positive definite or a parameter out of reach.
///
/// # Panics
/// If there are too few parameters.
pub fn evaluate(series: &Series, kernel: &Kernel, params: &[f64]) -> (f64, Vec<f64>) {
    let nowhere = || (f64::INFINITY, vec![f64::NAN; params.len()]);
    let (noise, own) = params.split_last().expect("the noise");
    let Some(kernel) = unpack(kernel, series, own) else { return nowhere() };
    if !(noise.abs() <= 50.0) {
        return nowhere();
    }
    let size = series.values.len();
    let covariance = Covariance::new(&kernel, &series.inputs);
    let Some(factor) = Factor::new(size, covariance.upper(size, noise_variance(*noise))) else {
        return nowhere();
    };
    let alpha = factor.solve(&series.values);
    let value = combine(&series.values, &factor, &alpha);
    // The weight of each pair: both of its entries, so that ½ is left of the diagonal's alone.
    let inverse = factor.inverse().upper_inverse();
    let mut weights = Vec::with_capacity(size * (size + 1) / 2);
    let mut trace = 0.0;
    for i in 0..size {
        let from = weights.len();
        let row = &inverse[i * size + i..(i + 1) * size];
        weights.extend(row.iter().zip(&alpha[i..]).map(|(entry, a)| entry - alpha[i] * a));
        weights[from] *= 0.5;
        trace += weights[from];
    }
    let mut leaves = Vec::new();
    covariance.slopes(&series.inputs, &weights, &mut leaves);
    let mut gradient = chain(&kernel, series, own, &leaves);
    gradient.push(trace * exp(*noise));
    (value, gradient)
}

/// BIC = −2 ln p + p ln N of a family, p its effective parameters and the noise's variance.
pub fn bic(shape: &crate::Shape, num_values: usize, log_evidence: f64) -> f64 {
    -2.0 * log_evidence + penalty(shape, num_values)
}

/// ln p of the values at which a family has this BIC.
pub fn log_evidence(shape: &crate::Shape, num_values: usize, bic: f64) -> f64 {
    -0.5 * (bic - penalty(shape, num_values))
}

fn penalty(shape: &crate::Shape, num_values: usize) -> f64 {
    (num_params(shape) + 1) as f64 * ln(num_values as f64)
}

/// ln p of the values given as independent normal numbers of the best variance about their mean, and its BIC.
pub fn independent(series: &Series) -> (f64, f64) {
    let count = series.values.len() as f64;
    let log_evidence = series.log_evidence(count * (0.5 + LN_SQRT_2_PI));
    (log_evidence, -2.0 * log_evidence + ln(count))
}
