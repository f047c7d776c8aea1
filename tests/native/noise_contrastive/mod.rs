//! Noise-contrastive estimation: the objective against its definition and differences, parameters and
//! log Z against the truth, how often intervals hold it, and what is refused.

mod coverage;
mod laws;
mod refusals;
mod truths;

use crate::common::{fitted, job_of, job_with};
use serde_json::{Value, json};
use unnorm::bits::BitMatrix;
use unnorm::fit::{FitResult, ParameterErrors};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

fn built(model: &Value) -> Box<dyn Model> {
    let spec: ModelSpec = serde_json::from_value(model.clone()).expect("a spec");
    spec.build().expect("a sound model")
}

fn spec_of(model: &Value, num_noise: usize, seed: u64) -> Value {
    json!({
        "verb": "fit", "model": model, "seed": seed, "errors": true,
        "objective": {"kind": "noiseContrastive", "numNoise": num_noise},
        "optimizer": {"kind": "lbfgs", "tolerance": 1e-12},
    })
}

/// A fit to rows of numbers, with errors.
fn reals(model: &Value, states: &[f64], num_noise: usize, seed: u64) -> FitResult {
    let mut spec = spec_of(model, num_noise, seed);
    spec["states"] = states.into();
    fitted(job_of(&spec, None).expect("a sound job"))
}

/// A fit to rows of bits, with errors.
fn bits(model: &Value, data: &BitMatrix, num_noise: usize, seed: u64) -> FitResult {
    fitted(job_with(&spec_of(model, num_noise, seed), data.clone()).expect("a sound job"))
}

fn errors(result: &FitResult) -> &ParameterErrors {
    result.errors.as_ref().unwrap_or_else(|| panic!("no errors: {:?}", result.warnings))
}

/// log Z and its standard error.
fn log_z(result: &FitResult) -> [f64; 2] {
    let log_z = errors(result).log_z.as_ref().expect("log Z");
    [log_z.value, log_z.standard_error]
}

/// The fitted θ and their standard errors.
fn theta(result: &FitResult) -> Vec<[f64; 2]> {
    let model = built(&serde_json::to_value(&result.model).expect("JSON"));
    let params = model.as_parametric().expect("parameters").params().to_vec();
    params.into_iter().zip(&errors(result).standard_errors).map(|(a, b)| [a, *b]).collect()
}

fn normals(count: usize, index: u64) -> Vec<f64> {
    let mut rng = stream(12, Purpose::Example, index);
    (0..count).map(|_| normal(&mut rng)).collect()
}

/// Exact draws, one after another.
fn draws(model: &Value, count: usize, seed: u64) -> Vec<f64> {
    let model = built(model);
    let reference = model.as_reference().expect("a reference");
    let mut rng = stream(seed, Purpose::Example, 1);
    let mut states = vec![0.0; count * model.dim()];
    states.chunks_exact_mut(model.dim()).for_each(|state| reference.draw(&mut rng, state));
    states
}

/// Exact draws of a binary model.
fn rows(model: &Value, count: usize, seed: u64) -> BitMatrix {
    let model = built(model);
    let exact = unnorm::exact::exact_draws(&*model).expect("few enough states");
    let mut rng = stream(seed, Purpose::Example, 1);
    let mut rows = BitMatrix::zeros(model.dim(), count);
    rows.rows_mut().for_each(|row| exact.draw(&mut rng, row));
    rows
}

/// log Z by enumeration.
fn enumerated(model: &Value) -> f64 {
    unnorm::exact::exact_draws(&*built(model)).expect("few enough states").log_z()
}

const ISING: [f64; 10] = [-0.5, 0.3, 0.1, -0.2, 0.8, -0.6, 0.4, 0.2, -0.7, 0.5];
