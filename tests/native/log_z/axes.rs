//! Gaussians that are annealed along their principal axes.

use super::*;
use std::f64::consts::PI;
use unnorm::Progress;
use unnorm::linalg::Batch;
use unnorm::math::ln;
use unnorm::models::ModelSpec;

const DIM: usize = 40;

/// Λ with −1 beside a diagonal of 2.5, and log Z.
fn banded() -> (Value, f64) {
    let entry = |at: usize| match (at / DIM).abs_diff(at % DIM) {
        0 => 2.5,
        1 => -1.0,
        _ => 0.0,
    };
    let precision: Vec<f64> = (0..DIM * DIM).map(entry).collect();
    let log_z = 0.5 * DIM as f64 * ln(2.0 * PI) - half_log_det(DIM, &precision);
    let mean: Vec<f64> = (0..DIM).map(|d| d as f64 / 20.0 - 1.0).collect();
    (json!({ "kind": "gaussian", "dim": DIM, "mean": mean, "precision": precision }), log_z)
}

/// A start away from the model's mean, narrower than N(0, I) in the last dimension if asked.
fn start(last: f64) -> Value {
    let entry = |at: usize| match (at / DIM == at % DIM, at == DIM * DIM - 1) {
        (true, true) => last,
        (true, false) => 0.8,
        _ => 0.0,
    };
    json!({ "kind": "model", "model": {
        "kind": "gaussian", "dim": DIM, "mean": vec![0.2; DIM],
        "precision": (0..DIM * DIM).map(entry).collect::<Vec<f64>>(),
    } })
}

fn spec(model: &Value, last: f64) -> Value {
    json!({
        "model": model, "numChains": 200, "numDistributions": 400, "seed": 3,
        "reference": start(last), "reverse": { "start": { "kind": "exact" } },
    })
}

/// Both ways, and as well as from a start that differs so little that only the axes are lost:
/// the weights' spreads are alike (within a quarter; their own errors are some 8 %).
#[test]
fn estimates_are_those_of_the_gaussian() {
    let (model, log_z) = banded();
    let [along, plain] = [0.8, 0.800001].map(|last| {
        let result = run(&spec(&model, last));
        let reverse = result.reverse.as_ref().expect("reverse runs");
        for estimated in [result.forward.log_z, reverse.log_z, result.bridge.expect("a bridge")] {
            assert_within(estimated.value, estimated.standard_error, log_z, 0.15);
        }
        assert_close(result.exact_log_z.expect("known"), log_z, 1e-10);
        result
    });
    assert_ne!(along.forward.log_weights, plain.forward.log_weights, "no axes were taken");
    let ratio = along.forward.log_z.standard_error / plain.forward.log_z.standard_error;
    assert!((0.75..1.33).contains(&ratio), "{ratio}");
}

/// States on the way are told in the model's coordinates: near the end of the way their energies
/// are ½ χ² with 40 degrees of freedom, whose mean is 20; 200 chains, seven standard errors.
#[test]
fn states_are_the_models() {
    let (model, _) = banded();
    let mut job = job(&with(&spec(&model, 0.8), json!({ "reverse": null }))).expect("a sound job");
    let mut last = Vec::new();
    while !job.is_done() {
        let Progress::LogZ(progress) = job.progress_since(0) else { panic!() };
        if progress.phase == "forward" && progress.beta > 0.95 {
            last = progress.states.expect("states");
        }
        job.advance(1);
    }
    assert_eq!(last.len(), 200 * DIM);
    let built = serde_json::from_value::<ModelSpec>(model).expect("a model").build().unwrap();
    let mut energies = vec![0.0; 200];
    built.energy(Batch::new(DIM, &last), &mut energies);
    let mean = energies.iter().sum::<f64>() / 200.0;
    assert!((mean - 20.0).abs() < 7.0 * (20.0_f64 / 200.0).sqrt(), "{mean}");
}

/// A start so far off that the way there has no numbers is left as it is.
#[test]
fn means_too_far_apart_do_no_harm() {
    let (model, _) = banded();
    let far = |value: f64| vec![value; DIM];
    let spec = json!({
        "model": with(&model, json!({ "mean": far(1.7e308) })), "numChains": 20,
        "numDistributions": 50, "seed": 1, "transition": { "kind": "hmc", "stepSize": 0.1 },
        "reference": { "kind": "model", "model": {
            "kind": "gaussian", "dim": DIM, "mean": far(-1.7e308) } },
    });
    if let Ok(mut job) = job(&spec) {
        job.advance(usize::MAX);
    }
}
