//! Models on ℝᴰ: Gaussians in closed form, others by quadrature.

use super::{MAX_ERRORS, assert_close, log_z};
use crate::common::{finished, job_of};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::linalg::Batch;
use unnorm::math::exp;
use unnorm::models::ModelSpec;
use unnorm::sample::{ContinuousResult, SampleOutput};

fn sampled(spec: &Value) -> ContinuousResult {
    match finished(job_of(spec, None).expect("a sound spec")) {
        JobResult::Sample(SampleOutput::Reals(result)) => *result,
        _ => panic!("not on the reals"),
    }
}

/// Covariance AAᵀ of three entries, with mean (1, −2, 0.5), and the second is observed at 0.7.
const COVARIANCE: [f64; 9] = [2.0, 0.8, 0.3, 0.8, 1.5, -0.4, 0.3, -0.4, 1.0];
const MEAN: [f64; 3] = [1.0, -2.0, 0.5];

fn gaussian() -> Value {
    json!({"kind": "gaussian", "dim": 3, "mean": MEAN, "covariance": COVARIANCE})
}

/// Mean and covariance of entries 0 and 2 given entry 1, by the Schur complement; ln p of what is observed.
fn conditional() -> ([f64; 2], [f64; 3], f64) {
    let (variance, off) = (COVARIANCE[4], 0.7 - MEAN[1]);
    let [a, c] = [COVARIANCE[1], COVARIANCE[7]];
    let mean = [MEAN[0] + a / variance * off, MEAN[2] + c / variance * off];
    let covariance = [
        COVARIANCE[0] - a * a / variance,
        COVARIANCE[2] - a * c / variance,
        COVARIANCE[8] - c * c / variance,
    ];
    let log_p = -0.5 * (off * off / variance)
        - 0.5 * unnorm::math::ln(2.0 * std::f64::consts::PI * variance);
    (mean, covariance, log_p)
}

#[test]
fn gaussians_are_those_of_the_schur_complement() {
    let observed = json!({"sites": [1], "values": [0.7]});
    let (mean, covariance, log_p) = conditional();
    let whole = super::exact(&json!({"verb": "exact", "model": gaussian()}));
    let given = super::exact(&json!({"verb": "exact", "model": gaussian(), "observed": observed}));
    assert_close(given.log_z - whole.log_z, log_p, 1e-12);
    for transition in ["nuts", "hmc"] {
        let result = sampled(&json!({
            "verb": "sample", "model": gaussian(), "observed": observed, "numChains": 8,
            "transition": {"kind": transition}, "numWarmup": 500, "numDraws": 2000, "seed": 4,
            "start": {"kind": "states", "states": [0.0, 9.0, 0.0]},
        }));
        assert_eq!(result.draws.dim, 3);
        assert!(result.draws.values.chunks_exact(3).all(|state| state[1] == 0.7));
        let summary = &result.summary;
        for (entry, (mean, variance)) in
            [(0, (mean[0], covariance[0])), (2, (mean[1], covariance[2]))]
        {
            let off = (summary.mean[entry] - mean) / summary.mcse_mean[entry];
            assert!(off.abs() < MAX_ERRORS, "{transition}: mean of {entry} is {off} errors off");
            let off = (summary.sd[entry] - variance.sqrt()) / summary.mcse_sd[entry];
            assert!(off.abs() < MAX_ERRORS, "{transition}: sd of {entry} is {off} errors off");
        }
        assert_eq!((summary.mean[1], summary.sd[1], summary.mcse_mean[1]), (0.7, 0.0, 0.0));
        assert!(summary.rhat[1].is_nan() && summary.ess_bulk[1].is_nan());
        let model = serde_json::from_value::<ModelSpec>(gaussian()).unwrap().build().unwrap();
        let mut energies = vec![0.0; result.energies.len()];
        model.energy(Batch::new(3, &result.draws.values), &mut energies);
        energies.iter().zip(&result.energies).for_each(|(a, b)| assert_close(*a, *b, 1e-10));
    }
    let reference =
        json!({"kind": "gaussian", "dim": 3, "covariance": [4, 0, 0, 0, 4, 0, 0, 0, 4]});
    for reference in [Value::Null, json!({"kind": "model", "model": reference})] {
        let mut spec = json!({
            "verb": "logZ", "model": gaussian(), "observed": observed, "numChains": 500,
            "numDistributions": 50, "seed": 6, "states": [0.2, 0.7, 0.3], "keepStates": true,
        });
        if !reference.is_null() {
            spec["reference"] = reference;
        }
        let result = log_z(&spec);
        assert_close(result.exact_log_z.unwrap(), given.log_z, 1e-12);
        let off = (result.log_z - given.log_z) / result.standard_error;
        assert!(off.abs() < MAX_ERRORS && result.standard_error < 0.1, "{off}");
        assert!(result.states.unwrap().chunks_exact(3).all(|state| state[1] == 0.7));
        // The density of the bivariate normal distribution.
        let [u, v] = [0.2 - mean[0], 0.3 - mean[1]];
        let determinant = covariance[0] * covariance[2] - covariance[1] * covariance[1];
        let square = (covariance[2] * u * u - 2.0 * covariance[1] * u * v + covariance[0] * v * v)
            / determinant;
        let density = -0.5 * square
            - unnorm::math::ln(2.0 * std::f64::consts::PI)
            - 0.5 * unnorm::math::ln(determinant);
        let likelihood = result.likelihood.unwrap().mean;
        let off = (likelihood.value - density) / likelihood.standard_error;
        assert!(off.abs() < MAX_ERRORS, "{off}");
    }
}

#[test]
fn other_models_are_sections() {
    let models = [
        (json!({"kind": "banana", "dim": 2}), 1, 1.5, [-3.0, 3.0]),
        (json!({"kind": "ring", "radius": 1.0, "sharpness": 20.0}), 0, 0.4, [-4.0, 4.0]),
        (
            json!({"kind": "formula", "variables": ["x", "y"], "expression": "x^4/4 + x*y + y^2"}),
            1,
            -0.8,
            [-5.0, 5.0],
        ),
    ];
    for (model, site, value, [from, to]) in models {
        let Ok(spec) = serde_json::from_value::<ModelSpec>(model.clone()) else {
            panic!("{model}")
        };
        let built = spec.build().unwrap_or_else(|error| panic!("{error}"));
        // The trapezoidal rule: all densities are smooth and vanish at the ends.
        let steps = 40_000;
        let (mut sum, mut mean) = (0.0, 0.0);
        for step in 0..=steps {
            let x = from + (to - from) * f64::from(step) / f64::from(steps);
            let state = if site == 1 { [x, value] } else { [value, x] };
            let density = exp(-super::energy(&*built, &state));
            sum += density;
            mean += density * x;
        }
        mean /= sum;
        let truth = unnorm::math::ln(sum * (to - from) / f64::from(steps));
        let observed = json!({"sites": [site], "values": [value]});
        let result = sampled(&json!({
            "verb": "sample", "model": model, "observed": observed, "numChains": 16,
            "transition": {"kind": "nuts"}, "numWarmup": 500, "numDraws": 2000, "seed": 3,
        }));
        let (found, error) = (result.summary.mean[1 - site], result.summary.mcse_mean[1 - site]);
        // The ring has two arcs, and chains stay on theirs: as many begin on either.
        if model["kind"] != "ring" {
            assert!((found - mean).abs() < MAX_ERRORS * error, "{found} ± {error}, and {mean}");
        }
        let result = log_z(&json!({
            "verb": "logZ", "model": model, "observed": observed, "numChains": 1000,
            "numDistributions": 300, "seed": 6,
        }));
        let off = (result.log_z - truth) / result.standard_error;
        assert!(off.abs() < MAX_ERRORS && result.standard_error < 0.1, "{model}: {off}");
        assert!(result.exact_log_z.is_none());
    }
}

#[test]
fn a_ladder_and_recorded_paths_are_of_whole_states() {
    let result = sampled(&json!({
        "verb": "sample", "model": gaussian(), "observed": {"sites": [1], "values": [0.7]},
        "numChains": 4, "numWarmup": 200, "numDraws": 500, "seed": 4,
        "transition": {
            "kind": "parallelTempering", "numRungs": 4, "transition": {"kind": "hmc"},
            "reference": {"dim": 3, "covariance": [9, 0, 0, 0, 9, 0, 0, 0, 9]},
        },
    }));
    let (mean, ..) = conditional();
    let off = (result.summary.mean[0] - mean[0]) / result.summary.mcse_mean[0];
    assert!(off.abs() < MAX_ERRORS, "{off}");
    let result = sampled(&json!({
        "verb": "sample", "model": gaussian(), "observed": {"sites": [1], "values": [0.7]},
        "numChains": 1, "numWarmup": 50, "numDraws": 20, "seed": 4, "recordPath": true,
        "transition": {"kind": "hmc"},
    }));
    let paths = result.paths.unwrap();
    assert!(!paths.points.is_empty() && paths.points.chunks_exact(3).all(|point| point[1] == 0.7));
}
