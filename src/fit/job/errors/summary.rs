//! The errors of a result: from a covariance, or from the parameters of many fits.

use crate::diagnostics::percentiles;
use crate::fit::job::report::{LogZEstimate, ParameterErrors, ParameterEstimate};
use crate::models::Model;

/// Standard errors to either end of an interval that holds 95 % of a normal distribution.
const REACH: f64 = 1.959963984540054;

/// What a percentile interval of 95 % leaves out at either end.
const TAIL: f64 = 0.025;

/// The errors at a model's parameters, from the covariance of theirs, row-major `[P, P]`.
pub fn of_covariance(
    model: &dyn Model,
    covariance: Vec<f64>,
    log_z: Option<LogZEstimate>,
) -> ParameterErrors {
    let params = params_of(model);
    let count = params.len();
    let standard_errors: Vec<f64> =
        (0..count).map(|param| covariance[param * (count + 1)].max(0.0).sqrt()).collect();
    let ends = [-REACH, REACH].map(|reach| -> Vec<f64> {
        params.iter().zip(&standard_errors).map(|(param, error)| param + reach * error).collect()
    });
    let of_names: Vec<f64> = model
        .named_parameters()
        .iter()
        .zip(&standard_errors)
        .map(|(named, error)| error * named.slope.abs())
        .collect();
    let parameters = named(model, &ends, &of_names);
    let [lower, upper] = ends;
    ParameterErrors {
        standard_errors,
        lower,
        upper,
        covariance: Some(covariance),
        parameters,
        log_z,
        num_fits: None,
    }
}

/// The errors at a model's parameters, from those of two fits to resampled rows or more. Their covariance is
/// left out where there are more than `max_covariance` parameters.
pub fn of_sample(
    model: &dyn Model,
    estimates: &[&[f64]],
    max_covariance: usize,
) -> Option<ParameterErrors> {
    let num_fits = estimates.len();
    let count = params_of(model).len();
    if num_fits < 2 || count == 0 {
        return None;
    }
    let columns = || (0..count).map(|param| estimates.iter().map(move |one| one[param]));
    let means: Vec<f64> = columns().map(|column| column.sum::<f64>() / num_fits as f64).collect();
    let product = |i: usize, j: usize| {
        let products = estimates.iter().map(|one| (one[i] - means[i]) * (one[j] - means[j]));
        products.sum::<f64>() / (num_fits - 1) as f64
    };
    let standard_errors = (0..count).map(|param| product(param, param).sqrt()).collect();
    let covariance = (count <= max_covariance)
        .then(|| (0..count * count).map(|at| product(at / count, at % count)).collect());
    let ends = columns().map(|column| percentiles(&column.collect::<Vec<_>>(), TAIL));
    let (lower, upper) = ends.map(<(f64, f64)>::from).unzip();
    let ends = [lower, upper];
    let parameters = named(model, &ends, &named_errors(model, estimates));
    let [lower, upper] = ends;
    Some(ParameterErrors {
        standard_errors,
        lower,
        upper,
        covariance,
        parameters,
        log_z: None,
        num_fits: Some(num_fits),
    })
}

/// θ of a model; nothing if it has none.
pub fn params_of(model: &dyn Model) -> &[f64] {
    model.as_parametric().map_or(&[][..], |model| model.params())
}

/// The spread of the named parameters themselves, at these θ.
fn named_errors(model: &dyn Model, estimates: &[&[f64]]) -> Vec<f64> {
    if model.named_parameters().is_empty() {
        return Vec::new();
    }
    let values: Vec<Vec<f64>> = estimates.iter().map(|params| values_at(model, params)).collect();
    let count = values.len() as f64;
    (0..values[0].len())
        .map(|name| {
            let mean = values.iter().map(|one| one[name]).sum::<f64>() / count;
            let squares = values.iter().map(|one| (one[name] - mean) * (one[name] - mean));
            (squares.sum::<f64>() / (count - 1.0)).sqrt()
        })
        .collect()
}

/// The values of the named parameters at these θ.
fn values_at(model: &dyn Model, params: &[f64]) -> Vec<f64> {
    let mut moved = model.boxed_clone();
    if let Some(moved) = moved.as_parametric_mut() {
        moved.set_params(params);
    }
    moved.named_parameters().into_iter().map(|named| named.value).collect()
}

/// The parameters that have names, with the intervals of θ in their own terms, so that these are within a
/// parameter's bounds.
fn named(
    model: &dyn Model,
    ends: &[Vec<f64>; 2],
    standard_errors: &[f64],
) -> Option<Vec<ParameterEstimate>> {
    let named = model.named_parameters();
    if named.is_empty() {
        return None;
    }
    let [below, above] = [&ends[0], &ends[1]].map(|params| values_at(model, params));
    let ends = below.into_iter().zip(above);
    let all = named.into_iter().zip(standard_errors).zip(ends);
    let estimate =
        |((named, error), (below, above)): ((crate::models::NamedParameter, &f64), (f64, f64))| {
            ParameterEstimate {
                name: named.name,
                value: named.value,
                standard_error: *error,
                lower: below.min(above),
                upper: below.max(above),
            }
        };
    Some(all.map(estimate).collect())
}
