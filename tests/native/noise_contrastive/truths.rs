//! Parameters and log Z from exact draws, within six of their standard errors of the truth.

use super::{ISING, bits, draws, enumerated, errors, log_z, normals, reals, rows, theta};
use serde_json::{Value, json};
use unnorm::fit::FitResult;
use unnorm::math::ln;

/// Six of its standard errors: a false alarm in 10⁸, of each.
fn assert_holds(name: &str, [found, error]: [f64; 2], truth: f64) {
    let off = (found - truth) / error;
    println!("{name}: {found:.4} ± {error:.4}, {off:.2}");
    assert!(off.abs() < 6.0, "{name}: {found} ± {error}, and not {truth}");
}

fn assert_named(result: &FitResult, truths: &[(&str, f64)], of_log_z: f64) {
    let named = errors(result).parameters.as_ref().expect("names");
    assert_eq!(named.len(), truths.len());
    for (found, (name, truth)) in named.iter().zip(truths) {
        assert_eq!(&found.name, name);
        assert_holds(name, [found.value, found.standard_error], *truth);
    }
    assert_holds("log Z", log_z(result), of_log_z);
    assert!(result.converged, "{}", result.stop_reason);
}

#[test]
fn a_gaussian_and_its_normalization() {
    let truth = json!({
        "kind": "gaussian", "dim": 2, "mean": [1.0, -0.5], "precision": [2.0, 0.6, 0.6, 1.0],
    });
    let states = draws(&truth, 10_000, 1);
    let result = reals(&json!({"kind": "gaussian", "dim": 2}), &states, 10, 4);
    let model = super::built(&truth);
    let params = model.as_parametric().expect("parameters").params().to_vec();
    for (found, truth) in theta(&result).into_iter().zip(params) {
        assert_holds("θ", found, truth);
    }
    assert_holds("log Z", log_z(&result), model.as_reference().expect("a reference").log_z());
    println!("{} evaluations: {}", result.num_evaluations, result.stop_reason);
}

#[test]
fn typed_energies_and_their_normalization() {
    let pi = std::f64::consts::PI;
    let banana = draws(&json!({"kind": "banana", "a": 0.5, "b": 2.0, "mean": 0.5}), 10_000, 2);
    let typed: Value = json!({
        "kind": "formula", "expression": "a*(x-m)^2 + b*(y-x^2)^2",
        "params": {"a": {"value": 1, "lower": 0}, "b": {"value": 1, "lower": 0}, "m": 0},
    });
    let result = reals(&typed, &banana, 10, 4);
    assert_named(&result, &[("a", 0.5), ("b", 2.0), ("m", 0.5)], ln(pi));
    println!("{} evaluations", result.num_evaluations);
    // Far from 0, and on a scale of its own.
    let far: Vec<f64> = normals(10_000, 3).iter().map(|x| 1000.0 + 20.0 * x).collect();
    let typed = json!({
        "kind": "formula", "expression": "a*(x-m)^2/2", "params": {"a": {"value": 0.001, "lower": 0}, "m": 900},
    });
    let result = reals(&typed, &far, 5, 4);
    assert_named(&result, &[("a", 0.0025), ("m", 1000.0)], 0.5 * ln(2.0 * pi * 400.0));
    println!("{} evaluations", result.num_evaluations);
}

/// The half of a normal distribution where x > 0, which no other objective over all rows fits.
#[test]
fn a_truncated_energy_and_its_normalization() {
    let states: Vec<f64> = normals(10_000, 4).iter().map(|x| 0.5 * x.abs()).collect();
    let typed = json!({
        "kind": "formula", "expression": "a*x^2/2", "params": {"a": {"value": 1, "lower": 0}},
        "constraints": [{"normal": [1], "offset": 0}],
    });
    let result = reals(&typed, &states, 10, 4);
    assert_named(&result, &[("a", 4.0)], 0.5 * ln(std::f64::consts::PI / 8.0));
}

#[test]
fn binary_models_and_their_normalization() {
    let ising = json!({"kind": "ising", "dim": 4, "params": ISING});
    let result = bits(&json!({"kind": "ising", "dim": 4}), &rows(&ising, 10_000, 5), 10, 4);
    for (found, truth) in theta(&result).into_iter().zip(ISING) {
        assert_holds("J", found, truth);
    }
    assert_holds("log Z", log_z(&result), enumerated(&ising));
    println!("{} evaluations: {}", result.num_evaluations, result.stop_reason);
    let typed = |h: f64, j: f64, k: f64| {
        json!({
            "kind": "formula", "binary": true,
            "expression": "h*(a+b+c+d+e) + j*(a*b + b*c + c*d + d*e) + k*a*b*c",
            "params": {"h": h, "j": j, "k": k},
        })
    };
    let truth = typed(0.3, -0.8, 1.2);
    let result = bits(&typed(0.0, 0.0, 0.0), &rows(&truth, 10_000, 6), 10, 4);
    assert_named(&result, &[("h", 0.3), ("j", -0.8), ("k", 1.2)], enumerated(&truth));
}

/// Without errors there is no log Z, and the same fit; with an L2 penalty c is not penalized.
#[test]
fn log_z_comes_with_its_error_and_is_not_penalized() {
    let states: Vec<f64> = normals(2000, 7).iter().map(|x| 50.0 * x).collect();
    let typed = json!({
        "kind": "formula", "expression": "a*x^2/2", "params": {"a": {"value": 0.001, "lower": 0}},
    });
    let mut spec = super::spec_of(&typed, 5, 4);
    spec["states"] = states.clone().into();
    let with_errors = crate::common::fitted(crate::common::job_of(&spec, None).expect("sound"));
    spec["errors"] = false.into();
    let without = crate::common::fitted(crate::common::job_of(&spec, None).expect("sound"));
    assert_eq!(without.model, with_errors.model);
    assert!(without.errors.is_none() && with_errors.errors.is_some());
    spec["errors"] = true.into();
    spec["regularizer"] = json!({"kind": "l2", "strength": 0.01, "includeBiases": true});
    let penalized = crate::common::fitted(crate::common::job_of(&spec, None).expect("sound"));
    let value = |result: &FitResult| errors(result).parameters.as_ref().expect("names")[0].value;
    assert!(
        value(&penalized) > 1.005 * value(&with_errors),
        "{} {}",
        value(&penalized),
        value(&with_errors)
    );
    // c is near −4.8; with 0.01 c in the gradient it would be off by 0.05 or so.
    let exactly = 0.5 * ln(2.0 * std::f64::consts::PI / value(&penalized));
    assert!((log_z(&penalized)[0] - exactly).abs() < 0.1, "{:?} {exactly}", log_z(&penalized));
}
