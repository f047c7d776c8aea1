//! The mean of weights given by their logs.

use crate::math::{ln, log_sum_exp};

/// log mean w, in nats, without overflow. NaN if there is no weight, or one is NaN.
pub fn log_mean(log_weights: &[f64]) -> f64 {
    if log_weights.is_empty() {
        return f64::NAN;
    }
    log_sum_exp(log_weights) - ln(log_weights.len() as f64)
}
