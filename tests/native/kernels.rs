//! The search for kernels: what it finds in known series, its numbers against the dense Gaussian, and what is refused.

use crate::common::{finished, job_of, with};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use unnorm::JobResult;
use unnorm::energy::Energy;
use unnorm::kernels::report::KernelsResult;
use unnorm::linalg::Batch;
use unnorm::math::sin;
use unnorm::models::ModelSpec;
use unnorm::rng::{Purpose, normal, stream};

fn search(fields: &Value) -> KernelsResult {
    let spec = with(json!({"verb": "kernels", "seed": 1}), fields);
    match finished(job_of(&spec, None).expect("a sound job")) {
        JobResult::Kernels(result) => result,
        _ => panic!("not of kernels"),
    }
}

fn refusal(fields: &Value) -> String {
    let spec = with(json!({"verb": "kernels", "seed": 1}), fields);
    job_of(&spec, None).err().expect("a refusal").to_string()
}

/// Times 0 to n − 1 and what `at` makes of them, with normal noise.
fn series(count: usize, noise: f64, at: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(3, Purpose::Example, 0);
    let times: Vec<f64> = (0..count).map(|t| t as f64).collect();
    let values = times.iter().map(|t| at(*t) + noise * normal(&mut rng)).collect();
    (times, values)
}

fn trend_and_season(t: f64) -> f64 {
    50.0 + 0.4 * t + 5.0 * sin(TAU * t / 12.0) + 2.0 * sin(TAU * t / 6.0)
}

#[test]
fn finds_a_season_on_a_trend_and_continues_it() {
    let (inputs, values) = series(60, 0.5, trend_and_season);
    let predict: Vec<f64> = (60..84).map(f64::from).collect();
    let result = search(&json!({
        "inputs": inputs, "values": values, "maxDepth": 5, "predict": predict,
    }));
    assert_eq!(result.text, "PER + LIN");
    assert_eq!(result.stop_reason, "noImprovement");
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    let period = result.kernel.numbers()[2];
    assert!((period - 12.0).abs() < 0.1, "{period}");
    assert!((result.noise_variance.sqrt() - 0.5).abs() < 0.15, "{}", result.noise_variance);
    let prediction = result.prediction.expect("a prediction");
    for (at, t) in predict.iter().enumerate() {
        let error = prediction.means[at] - trend_and_season(*t);
        assert!(error.abs() < 5.0 * prediction.variances[at].sqrt(), "{t} {error}");
        assert!(error.abs() < 1.5, "{t} {error}");
    }
    // The components' predictions add up to the function's.
    let sum = |at: usize| -> f64 {
        let parts = result.components.iter();
        parts.map(|part| part.predicted.as_ref().expect("a prediction").means[at]).sum()
    };
    for at in 0..predict.len() {
        assert!((sum(at) + result.mean - prediction.means[at]).abs() < 1e-8);
    }
    let bics: Vec<f64> = result.levels.iter().map(|level| level.bic).collect();
    let (last, before) = bics.split_last().expect("a level");
    assert!(before.is_sorted_by(|a, b| a > b) && last >= &before[before.len() - 1], "{bics:?}");
    assert_eq!(result.bic, before[before.len() - 1]);
    for level in &result.levels {
        assert!(level.candidates.is_sorted_by(|a, b| a.bic <= b.bic));
        assert_eq!(level.bic, level.candidates[0].bic);
    }
    // Families are abandoned where they are worse than what was found by then, and the levels' best never.
    let mut num_abandoned = 0;
    let mut best = f64::INFINITY;
    for level in &result.levels {
        best = best.min(level.bic);
        for candidate in level.candidates.iter().filter(|candidate| candidate.abandoned) {
            assert!(candidate.bic > best, "{candidate:?}");
            num_abandoned += 1;
        }
    }
    assert!(num_abandoned > 0);
    assert!(!result.levels.iter().any(|level| level.bic == best && level.candidates[0].abandoned));
}

/// ln p of the values by the `gaussian` model of the result, and the sum of all parts.
#[test]
fn the_parts_add_up_and_the_model_has_the_evidence() {
    let (inputs, values) = series(40, 0.5, trend_and_season);
    for fields in [json!({"maxDepth": 3}), json!({"maxDepth": 2, "baseKernels": ["SE", "RQ"]})] {
        let data = json!({"inputs": inputs, "values": values, "numRestarts": 1});
        let result = search(&with(data, &fields));
        for (at, value) in values.iter().enumerate() {
            let parts: f64 = result.components.iter().map(|part| part.means[at]).sum();
            assert!((parts + result.noise[at] + result.mean - value).abs() < 1e-8);
            assert!((parts + result.mean - result.fitted.means[at]).abs() < 1e-8);
        }
        let ModelSpec::Gaussian(spec) = &result.model else { panic!("another model") };
        let gaussian = spec.build().expect("a model");
        let mut energy = [0.0];
        gaussian.energy(Batch::new(values.len(), &values), &mut energy);
        let exact = unnorm::run(json!({"verb": "exact", "model": result.model})).expect("log Z");
        let JobResult::Exact(exact) = exact else { panic!("not of exact") };
        let log_density = -energy[0] - exact.log_z;
        assert!((log_density - result.log_evidence).abs() < 1e-9 * log_density.abs().max(1.0));
    }
}

/// Other units of time and value change the numbers and not the kernel.
#[test]
fn units_do_not_matter() {
    let (inputs, values) = series(48, 0.5, trend_and_season);
    let fields = json!({"maxDepth": 2, "inputs": inputs, "values": values});
    let plain = search(&fields);
    let scaled = |by: f64, from: f64, all: &[f64]| -> Vec<f64> {
        all.iter().map(|value| from + by * value).collect()
    };
    let other = search(&json!({
        "maxDepth": 2, "inputs": scaled(0.25, 8.0, &inputs), "values": scaled(8.0, 0.0, &values),
    }));
    assert_eq!(plain.text, other.text);
    let shift = 48.0 * unnorm::math::ln(8.0);
    assert!((plain.log_evidence - other.log_evidence - shift).abs() < 1e-6);
    assert!((64.0 * plain.noise_variance / other.noise_variance - 1.0).abs() < 1e-3);
}

/// Of independent numbers the search has nothing to tell: a base kernel, and a warning.
#[test]
fn white_noise_has_no_structure() {
    let (inputs, values) = series(80, 1.0, |_| 7.0);
    let result = search(&json!({"inputs": inputs, "values": values, "maxDepth": 3}));
    assert_eq!(result.text, "SE");
    assert_eq!((result.stop_reason, result.levels.len()), ("noImprovement", 2));
    assert!(result.warnings[0].starts_with("No kernel has a lower BIC than noise alone"));
    assert!((result.noise_variance - 1.0).abs() < 0.4, "{}", result.noise_variance);
}

/// Values at the same inputs are allowed: the noise tells them apart.
#[test]
fn inputs_may_be_equal() {
    let (inputs, values) = series(30, 0.5, trend_and_season);
    let doubled = [&inputs[..], &inputs[..]].concat();
    let moved: Vec<f64> = values.iter().map(|value| value + 1.0).collect();
    let values = [&values[..], &moved[..]].concat();
    let result = search(&json!({"inputs": doubled, "values": values, "maxDepth": 1}));
    assert!(result.noise_variance > 0.2 && result.log_evidence.is_finite());
    let same = search(&json!({"inputs": vec![3.0; 60], "values": values, "maxDepth": 1}));
    assert!(same.log_evidence.is_finite());
}

#[test]
fn what_makes_no_series_is_refused() {
    let (inputs, values) = series(20, 0.5, trend_and_season);
    let with_entry = |all: &[f64], value: f64| {
        let mut all = all.to_vec();
        all[3] = value;
        all
    };
    let long = vec![1.0; 1001];
    for (fields, words) in [
        (json!({"values": &values[..9], "inputs": &inputs[..9]}), "values: has 9 entries"),
        (json!({"values": &values[..19]}), "inputs: has 20 entries; give 19"),
        (json!({"numInputs": 2}), "inputs: has 20 entries; give 40"),
        (json!({"numInputs": 0}), "numInputs"),
        (json!({"numInputs": 9}), "numInputs"),
        (json!({"values": vec![2.5; 20]}), "values: are all the same"),
        (json!({"values": with_entry(&values, 1e200)}), "values[3]: is 1"),
        (json!({"inputs": with_entry(&inputs, 1e200)}), "inputs[3]: is 1"),
        (
            json!({"values": long, "inputs": long}),
            "values: has 1001 entries, and the limit is 1000",
        ),
        (json!({"baseKernels": []}), "baseKernels: is empty"),
        (json!({"baseKernels": ["SE", "SE"]}), "baseKernels[1]: is SE again"),
        (json!({"baseKernels": ["MATERN"]}), "baseKernels"),
        (json!({"maxDepth": 0}), "maxDepth"),
        (json!({"maxDepth": 11}), "maxDepth"),
        (json!({"numRestarts": 21}), "numRestarts"),
        (json!({"keep": 0}), "keep"),
        (json!({"predict": []}), "predict: has 0 entries"),
        (json!({"predict": [1e9]}), "predict[0]: is 1000000000, too far"),
        (json!({"predict": vec![1.0; 2001]}), "predict: has 2001 rows"),
        (json!({"seed": -1}), "seed"),
    ] {
        let all = with(json!({"inputs": inputs, "values": values}), &fields);
        let refusal = refusal(&all);
        assert!(refusal.contains(words), "{fields}: {refusal}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let spec = |inputs: Vec<f64>, values: Vec<f64>| {
            let mut spec: unnorm::kernels::spec::KernelsSpec =
                serde_json::from_value(json!({"inputs": [], "values": []})).expect("a spec");
            (spec.inputs, spec.values) = (inputs, values);
            unnorm::Job::new(unnorm::JobSpec::Kernels(spec), None, None).err().expect("a refusal")
        };
        let of_values = spec(inputs.clone(), with_entry(&values, bad));
        assert_eq!(of_values.field(), Some("values[3]"));
        let of_inputs = spec(with_entry(&inputs, bad), values.clone());
        assert_eq!(of_inputs.field(), Some("inputs[3]"));
    }
}
