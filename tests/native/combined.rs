//! Combined energies in jobs: log Z by annealing, weights found by fits, samples.

use crate::common::{fitted, job_of, spec_of, with};
use serde_json::{Value, json};
use unnorm::sample::SampleOutput;
use unnorm::verbs::JobResult;

fn finished(spec: &Value) -> JobResult {
    crate::common::finished(job_of(spec, None).unwrap())
}

fn glass(dim: usize, seed: u64) -> Value {
    use unnorm::models::ising::{IsingSpec, Pattern};
    let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.4, seed);
    serde_json::to_value(unnorm::models::ModelSpec::Ising(spec)).unwrap()
}

fn sum(parts: &[(Value, f64)]) -> Value {
    let part = |(model, weight): &(Value, f64)| json!({"model": model, "weight": weight});
    json!({"kind": "combined", "how": "sum", "parts": parts.iter().map(part).collect::<Vec<_>>()})
}

fn log_z(spec: &Value) -> (f64, f64) {
    match finished(spec) {
        JobResult::LogZ(result) => (result.log_z, result.standard_error),
        _ => panic!("of another verb"),
    }
}

fn exact(model: &Value) -> f64 {
    match finished(&json!({"verb": "exact", "model": model})) {
        JobResult::Exact(result) => result.log_z,
        _ => panic!("of another verb"),
    }
}

/// From equally probable states to a sum of bits, and from a Gaussian to either of two densities, within
/// six standard errors: a false alarm has a chance below 1e-7.
#[test]
fn annealing_finds_log_z() {
    let settings = json!({"verb": "logZ", "numChains": 200, "numDistributions": 200, "seed": 5});
    let model = sum(&[(glass(10, 1), 1.0), (glass(10, 2), -0.7)]);
    let (found, error) = log_z(&with(settings.clone(), &json!({"model": model})));
    assert!((found - exact(&model)).abs() < 6.0 * error && error < 0.1, "{found} ± {error}");

    let normal = |mean: [f64; 2]| json!({"kind": "gaussian", "dim": 2, "mean": mean});
    let either = json!({"kind": "combined", "how": "either", "parts": [
        {"model": normal([-1.0, 0.0])},
        {"model": {"kind": "ring", "sharpness": 10}, "weight": 2},
    ]});
    assert!(exact(&either).abs() < 1e-12);
    let (found, error) = log_z(&with(settings, &json!({"model": either})));
    assert!(found.abs() < 6.0 * error && error < 0.1, "{found} ± {error}");
}

/// What a fit of a sum finds are its weights: those of exact draws, within six standard errors:
/// a false alarm has a chance below 1e-7.
#[test]
fn fits_find_the_weights() {
    let truth = [0.8, 0.5];
    let bits = sum(&[(glass(8, 3), truth[0]), (glass(8, 4), truth[1])]);
    let normal = |mean: [f64; 2]| json!({"kind": "gaussian", "dim": 2, "mean": mean});
    let sample = json!({"verb": "sample", "numChains": 4000, "numWarmup": 0, "numDraws": 1, "seed": 6,
        "start": {"kind": "exact"}});
    let rows =
        match finished(&with(sample, &json!({"model": bits, "transition": {"kind": "gibbs"}}))) {
            JobResult::Sample(SampleOutput::Bits(result)) => result.draws.bits,
            _ => panic!("of another verb"),
        };
    let fit = |parts: [Value; 2], data: &Value| {
        let [first, second] = parts;
        let model = sum(&[(first, 1.0), (second, 1.0)]);
        let fields = json!({"verb": "fit", "model": model, "errors": true, "seed": 7});
        let result = fitted(job_of(&with(fields, data), None).unwrap());
        let errors = result.errors.expect("asked for");
        let weights = serde_json::to_value(&result.model).unwrap();
        for (part, truth) in truth.iter().enumerate() {
            let weight = weights["parts"][part]["weight"].as_f64().unwrap();
            let error = errors.standard_errors[part];
            assert!((weight - truth).abs() < 6.0 * error && error < 0.1, "{weight} ± {error}");
        }
    };
    for objective in ["mpf", "pseudolikelihood", "maximumLikelihood"] {
        let data = json!({"data": {"kind": "bits", "dim": 8, "numRows": 4000, "bits": rows},
            "objective": {"kind": objective}});
        fit([glass(8, 3), glass(8, 4)], &data);
    }

    // A product of two round Gaussians is one, whose draws are exact.
    let precision = truth[0] + truth[1];
    let mean = (-truth[0] + 2.0 * truth[1]) / precision;
    let exact = json!({"kind": "gaussian", "dim": 2, "mean": [mean, 0.0],
        "precision": [precision, 0.0, 0.0, precision]});
    let sample = json!({"verb": "sample", "model": exact, "transition": {"kind": "hmc", "stepSize": 0.3}, "numChains": 4000,
        "numWarmup": 0, "numDraws": 1, "seed": 8, "start": {"kind": "exact"}});
    let states = match finished(&sample) {
        JobResult::Sample(SampleOutput::Reals(result)) => result.draws.values,
        _ => panic!("of another verb"),
    };
    for objective in [json!({"kind": "scoreMatching"}), json!({"kind": "noiseContrastive"})] {
        let data = json!({"states": states, "objective": objective});
        fit([normal([-1.0, 0.0]), normal([2.0, 0.0])], &data);
    }
}

/// Verbs that need what a combination has not say so, by name.
#[test]
fn what_is_missing_is_said() {
    let either = json!({"kind": "combined", "how": "either", "parts": [
        {"model": glass(4, 1), "logZ": 2}, {"model": glass(4, 2), "logZ": 2}]});
    let rows = json!({"kind": "values", "dim": 4, "values": [0, 1, 0, 1]});
    for (spec, words) in [
        (
            json!({"verb": "logZ", "model": either, "numChains": 2, "numDistributions": 2}),
            "independent parameters",
        ),
        (json!({"verb": "fit", "model": either, "data": rows}), "Parametric"),
    ] {
        let error = spec_of(&spec).and_then(|_| job_of(&spec, None)).err().unwrap().to_string();
        assert!(error.contains("combined") && error.contains(words), "{error}");
    }
    let odds = json!({"verb": "logZ", "model": sum(&[(glass(4, 1), 1.0)]), "numChains": 2,
        "numDistributions": 2, "reference": {"kind": "independent", "logOdds": [1, 0, 0, 0]}});
    let error = job_of(&odds, None).err().unwrap().to_string();
    assert!(error.contains("independent"), "{error}");
}
