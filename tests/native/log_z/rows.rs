//! The log likelihood of rows.

use super::*;
use std::f64::consts::PI;
use unnorm::math::ln;

const BASIS: [f64; 4] = [1.0, 0.5, -0.3, 0.8];
const NOISE: f64 = 0.6;

pub fn generative() -> Value {
    json!({ "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "gaussian",
        "basis": BASIS, "noise": NOISE })
}

/// ln N(x; 0, ΦΦᵀ + σ² I).
pub fn log_likelihood(x: &[f64]) -> f64 {
    let [a, b, c, d] = BASIS;
    let variance = NOISE * NOISE;
    let [p, q, r] = [a * a + b * b + variance, a * c + b * d, c * c + d * d + variance];
    let det = p * r - q * q;
    let square = (r * x[0] * x[0] - 2.0 * q * x[0] * x[1] + p * x[1] * x[1]) / det;
    -0.5 * square - 0.5 * ln(det) - ln(2.0 * PI)
}

const STATES: [f64; 6] = [0.4, -0.2, 1.5, 1.0, -0.7, 2.0];

fn check_rows(result: &LogZResult) {
    let likelihood = result.likelihood.as_ref().expect("of the rows");
    let rows = likelihood.rows.as_ref().expect("a run a row");
    let errors = likelihood.row_standard_errors.as_ref().expect("their errors");
    let truths: Vec<f64> = STATES.chunks_exact(2).map(log_likelihood).collect();
    assert_eq!((rows.len(), errors.len()), (3, 3));
    for ((row, error), truth) in rows.iter().zip(errors).zip(&truths) {
        assert_within(*row, *error, *truth, 0.2);
    }
    let total: f64 = truths.iter().sum();
    assert_within(result.log_z, result.standard_error, total, 0.3);
    let mean = likelihood.mean;
    assert_close(mean.value, result.log_z / 3.0, 1e-14);
    assert_close(mean.standard_error, result.standard_error / 3.0, 1e-14);
    assert!(mean.interval.lower < mean.value && mean.value < mean.interval.upper);
    assert!(result.bounds.lower < total);
    // The spread of three rows about their mean.
    let average = rows.iter().sum::<f64>() / 3.0;
    let squares = rows.iter().map(|row| (row - average) * (row - average)).sum::<f64>();
    assert_close(likelihood.row_error, (squares / 6.0).sqrt(), 1e-9);
}

#[test]
fn a_run_a_row_of_a_generative_model() {
    let spec = json!({
        "model": generative(), "states": STATES, "numChains": 300, "numDistributions": 150, "seed": 2,
        "pilot": { "numDistributions": 200 },
    });
    let forward = run(&spec);
    check_rows(&forward);
    let rows = forward.likelihood.as_ref().unwrap().rows.as_ref().unwrap();
    assert_close(rows.iter().sum(), forward.log_z, 1e-13);
    assert_eq!(forward.forward.log_weights.len(), 3 * 300);
    assert!(forward.forward.bootstrap.lower.is_nan() && forward.exact_log_z.is_none());

    let both = run(&with(&spec, json!({ "reverse": { "start": { "kind": "exact" } } })));
    check_rows(&both);
    let total: f64 = STATES.chunks_exact(2).map(log_likelihood).sum();
    assert_close(both.exact_log_z.expect("known with exact draws"), total, 1e-12);
    assert!(both.bounds.bound_is_certified && both.bounds.upper.unwrap() > total);
    assert_eq!(both.log_z, both.bridge.expect("a bridge").value);
    assert!(both.warnings.is_empty(), "{:?}", both.warnings);

    // One row is one distribution like any other.
    let one = run(&with(&spec, json!({ "states": STATES[..2] })));
    let likelihood = one.likelihood.expect("of the row");
    assert_eq!(likelihood.rows, Some(vec![one.log_z]));
    assert!(one.forward.bootstrap.upper > one.log_z);
    assert_within(one.log_z, one.standard_error, log_likelihood(&STATES[..2]), 0.2);
    let mut observed = with(&spec, json!({ "states": null }));
    observed["model"]["observed"] = json!(STATES[..2]);
    assert_eq!(run(&observed).log_z, one.log_z);
}

pub fn bilinear(basis: Value, num_observed: usize, noise: f64) -> Value {
    json!({ "kind": "bilinearGenerative", "numObserved": num_observed, "numCoefficients": 1,
        "numSigned": 1, "numPositive": 1, "basis": basis, "theta": [0.7], "psi": [1.2],
        "noise": noise })
}

/// Reflection at d ≥ 0: rows of which nothing tells but noise (5.25), and rows whose
/// likelihood is a sum over both factors.
#[test]
fn rows_of_a_bilinear_model() {
    let spec = json!({
        "states": STATES, "numChains": 300, "numDistributions": 150, "seed": 3,
        "pilot": { "numDistributions": 200 },
    });
    let check = |model: Value, truths: &[f64]| {
        let result = run(&with(&spec, json!({ "model": model })));
        let likelihood = result.likelihood.as_ref().expect("of the rows");
        let errors = likelihood.row_standard_errors.as_ref().expect("their errors");
        let rows = likelihood.rows.as_ref().expect("a run a row");
        assert_eq!(rows.len(), truths.len());
        for ((row, error), truth) in rows.iter().zip(errors).zip(truths) {
            assert_within(*row, *error, *truth, 0.2);
        }
    };
    let of_noise = STATES.chunks_exact(2).map(|x| log_normal(x[0] * x[0] + x[1] * x[1], 2.0));
    check(bilinear(json!([0.0, 0.0]), 2, NOISE), &of_noise.collect::<Vec<_>>());
    let likelihoods = STATES.map(|x| bilinear_log_likelihood(x, 0.02, 20.0));
    check(bilinear(json!([1.5]), 1, NOISE), &likelihoods);
}

/// The log density of noise whose squares have this sum.
fn log_normal(square: f64, dim: f64) -> f64 {
    -0.5 * square / (NOISE * NOISE) - 0.5 * dim * ln(2.0 * PI * NOISE * NOISE)
}

/// ln p(x) of the bilinear model with basis 1.5, by a sum over both factors up to `most`.
pub fn bilinear_log_likelihood(x: f64, step: f64, most: f64) -> f64 {
    let count = (most / step) as i32;
    let mut total = 0.0;
    for c in (-count..count).map(|at| (f64::from(at) + 0.5) * step) {
        for d in (0..count).map(|at| (f64::from(at) + 0.5) * step) {
            let off = x - 1.5 * (0.7 * c) * (1.2 * d);
            total += unnorm::math::exp(log_normal(off * off, 1.0) - f64::abs(c) - d);
        }
    }
    ln(0.5 * step * step * total)
}

/// A row far out is explained by large factors, at which the energy is far steeper: with
/// the steps that suit the other its chains would stay where they are.
#[test]
fn every_row_has_its_own_step_sizes() {
    let (noise, slope) = (0.1, 1.5 * 0.7 * 1.2);
    let states = [0.5, 40.0];
    // c = (x − σz) / ad, so that N(x; adc, σ²) dc = φ(z) dz / ad.
    let truth = |x: f64| {
        let (step, width) = (0.01, 0.1);
        let mut total = 0.0;
        for d in (0..10_000).map(|at| (f64::from(at) + 0.5) * step) {
            for z in (-80..80).map(|at| (f64::from(at) + 0.5) * width) {
                let c = (x - noise * z) / (slope * d);
                total += unnorm::math::exp(-0.5 * z * z - f64::abs(c) - d) / (slope * d);
            }
        }
        ln(0.5 * step * width * total / f64::sqrt(2.0 * PI))
    };
    let result = run(&json!({
        "model": bilinear(json!([1.5]), 1, noise), "states": states, "numChains": 300,
        "numDistributions": 500, "seed": 4, "pilot": { "numRuns": 3 },
        "transition": { "kind": "hmc", "numLeapfrogSteps": 10 },
        "schedule": { "kind": "geometric", "first": 1e-6 },
    }));
    assert_eq!((result.step_size_betas.len(), result.step_sizes.len()), (50, 100));
    let [near, far] = [result.step_sizes[49], result.step_sizes[99]];
    println!("steps of {near} and {far} at the end");
    assert!(near > 3.0 * far, "{near} and {far}");
    let likelihood = result.likelihood.expect("of the rows");
    let (rows, errors) = (likelihood.rows.unwrap(), likelihood.row_standard_errors.unwrap());
    for ((row, error), x) in rows.iter().zip(errors).zip(states) {
        println!("{x}: {row} ± {error}, {} in truth", truth(x));
        assert_within(*row, error, truth(x), 0.3);
    }
}

/// Few chains far apart, so that those of each row are resampled.
#[test]
fn resampled_rows() {
    let spec = json!({
        "model": generative(), "states": STATES, "numChains": 400, "numDistributions": 30, "seed": 2,
        "pilot": { "numDistributions": 200 }, "resampling": { "threshold": 0.9 },
        "reverse": { "start": { "kind": "exact" } },
    });
    let result = run(&spec);
    assert!(result.forward.num_resamplings > 0 && result.bridge.is_none());
    check_rows(&result);
    let rows = result.likelihood.as_ref().unwrap().rows.as_ref().unwrap();
    assert_close(rows.iter().sum(), result.log_z, 1e-13);
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
}

/// −mean E − log Z, the interval turned over, against what enumeration says.
#[test]
fn data_under_binary_models() {
    let values: Vec<u8> =
        (0..50 * 9).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 17 & 1) as u8).collect();
    let data = json!({ "kind": "values", "dim": 9, "values": values });
    for model in [model("ising", ising(9, 0.4, 3)), model("rbm", rbm(9, 5, 0.8, 4))] {
        let exact = json!({ "verb": "exact", "model": model, "data": data });
        let spec = JobSpec::from_value(serde_json::from_value(exact).unwrap()).unwrap();
        let mut exact = Job::new(spec, None, None).unwrap();
        exact.advance(usize::MAX);
        let Some(JobResult::Exact(exact)) = exact.result() else { panic!() };
        let truth = exact.log_likelihood.expect("with data");
        let spec = json!({
            "model": model, "data": data, "numChains": 300, "numDistributions": 150, "seed": 2,
            "pilot": { "numDistributions": 200 },
        });
        let result = run(&spec);
        let likelihood = result.likelihood.expect("with data");
        let mean = likelihood.mean;
        assert_within(mean.value, mean.standard_error, truth, 0.1);
        // Exactly as far off as log Z is.
        assert_close(mean.value - truth, exact.log_z - result.log_z, 1e-10);
        assert_close(mean.interval.lower - mean.value, result.log_z - result.interval.upper, 1e-10);
        assert_close(mean.interval.upper - mean.value, result.log_z - result.interval.lower, 1e-10);
        assert!(likelihood.row_error > 0.0 && likelihood.rows.is_none());
        assert!(likelihood.row_standard_errors.is_none());
    }
}

/// 9,000 states, of which shards sum up parts, under a Gaussian.
#[test]
fn states_under_a_model_on_the_reals() {
    let states: Vec<f64> =
        (0..9000).map(|at| (f64::from(at) * 0.37).rem_euclid(4.0) - 2.0).collect();
    let energies: Vec<f64> = states.iter().map(|x| 0.5 * 3.0 * (x - 0.5) * (x - 0.5)).collect();
    let count = states.len() as f64;
    let mean = energies.iter().sum::<f64>() / count;
    let squares = energies.iter().map(|energy| (energy - mean) * (energy - mean)).sum::<f64>();
    let result = run(&json!({
        "model": { "kind": "gaussian", "dim": 1, "mean": [0.5], "precision": [3.0] }, "states": states,
        "numChains": 100, "numDistributions": 50, "seed": 2, "transition": { "kind": "perfect" },
    }));
    let likelihood = result.likelihood.expect("with states");
    assert_close(likelihood.mean.value, -mean - result.log_z, 1e-12);
    assert_eq!(likelihood.mean.standard_error, result.standard_error);
    assert_close(likelihood.row_error, (squares / (count - 1.0) / count).sqrt(), 1e-9);
}
