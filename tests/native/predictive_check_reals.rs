//! What fits of models on ℝᴰ say where the model has its probability far from the rows, and that they say nothing where
//! it is near them. The truth is the normalizer in closed form.

use crate::common::chains::{fit, hmc};
use crate::common::{fitted, job_of, spec_of, with};
use serde_json::{Value, json};
use unnorm::Job;
use unnorm::JobResult;
use unnorm::fit::FitResult;
use unnorm::linalg::Batch;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

/// So many rows of two independent normal numbers.
fn rows(count: usize) -> Vec<f64> {
    let mut rng = stream(89, Purpose::Example, 0);
    (0..2 * count).map(|_| normal(&mut rng)).collect()
}

/// A standard normal distribution and, 16 standard deviations away, another with e^40 times its probability: a hidden
/// unit that no row comes near. The other units say nothing; over 16 the normalizer is not known in closed form.
fn with_a_mode_far_away(num_hidden: usize) -> Value {
    let mut weights = vec![0.0; 2 * num_hidden];
    let mut biases = vec![0.0; num_hidden];
    weights[0] = 16.0;
    biases[0] = -88.0;
    json!({"kind": "gaussianRbm", "numVisible": 2, "numHidden": num_hidden, "weights": weights,
        "hiddenBias": biases})
}

fn score_matching() -> Value {
    json!({"objective": {"kind": "scoreMatching"}})
}

/// In nats a row.
fn log_likelihood(model: &dyn Model, rows: &[f64]) -> f64 {
    let log_z = model.as_reference().expect("a known normalizer").log_z();
    let rows = Batch::new(model.dim(), rows);
    let mut energies = vec![0.0; rows.len()];
    model.energy(rows, &mut energies);
    -energies.iter().sum::<f64>() / rows.len() as f64 - log_z
}

fn built(result: &FitResult) -> Box<dyn Model> {
    result.model.build().expect("a sound model")
}

/// Where log Z is known, and where chains must find the mode.
#[test]
fn a_mode_that_no_row_comes_near_is_told_of() {
    let states = rows(2000);
    for num_hidden in [1, 17] {
        let result = fit(&with_a_mode_far_away(num_hidden), &states, &score_matching());
        let said = result.warnings.concat();
        assert!(said.contains("nats a row less likely"), "{num_hidden}: {said}");
        assert!(said.contains("maximumLikelihood") == (num_hidden == 1), "{said}");
        if num_hidden == 1 {
            // The fit has moved the near mode a little and the far one not at all.
            let gap = log_likelihood(&*built(&result), &states);
            assert!(gap < -40.0, "{gap}");
        }
    }
}

/// Exact draws of two Student's t experts.
fn heavy_rows(count: usize) -> Vec<f64> {
    let spec = json!({"kind": "productOfExperts", "dim": 2, "expert": "studentT",
        "filters": [1.0, 0.5, -0.3, 1.0], "lambda": [2.0, 3.0]});
    let spec: ModelSpec = serde_json::from_value(spec).unwrap();
    let model = spec.build().unwrap();
    let reference = model.as_reference().unwrap();
    let mut rng = stream(89, Purpose::Example, 1);
    let mut states = vec![0.0; 2 * count];
    states.chunks_exact_mut(2).for_each(|state| reference.draw(&mut rng, state));
    states
}

fn three_experts() -> Value {
    json!({"kind": "productOfExperts", "dim": 2, "expert": "studentT", "numExperts": 3,
        "filters": [1.0, 0.2, -0.3, 1.0, 0.5, 0.5], "lambda": [1.0, 1.0, 1.0]})
}

/// Of three experts where two would do, score matching turns one off and makes another a wall of a height of millions:
/// the rows lie far up on it.
#[test]
fn a_fit_that_ran_away_is_told_of() {
    let states = heavy_rows(2000);
    let result = fit(&three_experts(), &states, &score_matching());
    let model = built(&result);
    let mean_energy = |states: &[f64]| {
        let mut energies = vec![0.0; states.len() / 2];
        model.energy(Batch::new(2, states), &mut energies);
        energies.iter().sum::<f64>() / energies.len() as f64
    };
    let height = mean_energy(&states) - mean_energy(&[0.0, 0.0]);
    assert!(height > 1e6, "{height}");
    let said = result.warnings.concat();
    assert!(said.contains("next to impossible"), "{said}");
}

/// Three rows in five are near the mean and two far from it, in 8 dimensions, as contrasts of patches of photographs
/// are; the model, the normal distribution of their variance, is between the two, where there are none.
#[test]
fn states_where_no_rows_are_are_told_of() {
    let mut rng = stream(89, Purpose::Example, 2);
    let widths = (0..2000).map(|row| if row % 5 < 3 { 0.05 } else { 2.5_f64.sqrt() });
    let states: Vec<f64> =
        widths.flat_map(|width| [width; 8]).map(|width| width * normal(&mut rng)).collect();
    let model = json!({"kind": "gaussianRbm", "numVisible": 8, "numHidden": 17});
    let stay = json!({"kind": "lbfgs", "maxIterations": 0});
    let result = fit(&model, &states, &with(score_matching(), &json!({"optimizer": stay})));
    let said = result.warnings.concat();
    assert!(said.contains("100 % of those") && said.contains("farther from the rows"), "{said}");
}

fn noises(noises: &[f64]) -> Value {
    json!({"kind": "denoisingScoreMatching", "noises": noises})
}

/// In the plane a point does not tell how large its noise is, and one Gaussian for a noise of 3 and one of
/// 0.03 is a hundred times too narrow at the smaller.
#[test]
fn one_energy_for_noises_that_cannot_be_told_apart_is_told_of() {
    let result = fit(
        &json!({"kind": "gaussian", "dim": 2}),
        &rows(2000),
        &json!({"objective": noises(&[3.0, 0.03])}),
    );
    assert!(!result.warnings.is_empty());
}

/// Every objective, with models that suit the rows.
#[test]
fn fits_that_are_near_the_rows_say_nothing() {
    let states = rows(2000);
    let heavy = heavy_rows(2000);
    let gaussian = json!({"kind": "gaussian", "dim": 2});
    let experts = three_experts();
    let complete = json!({"kind": "productOfExperts", "dim": 2, "expert": "studentT"});
    let machine = json!({"kind": "gaussianRbm", "numVisible": 2, "numHidden": 17});
    let network = json!({"kind": "neural", "dim": 2, "numHidden": [16]});
    let noise = json!({"kind": "normal", "scale": 0.1});
    let adam = json!({"kind": "adam", "numEpochs": 30, "batchSize": 100, "learningRate": 0.01});
    let ball =
        json!({"kind": "mpf", "connectivity": {"kind": "ball", "radius": 0.5, "numSamples": 4}});
    let short = json!({"kind": "lbfgs", "maxIterations": 50});
    let denoising = json!({"kind": "denoisingScoreMatching", "noise": 0.3});
    let persistent = json!({"kind": "persistentContrastiveDivergence", "numSteps": 2, "numChains": 200,
        "transition": hmc()});
    let contrastive = json!({"kind": "contrastiveDivergence", "numSteps": 2, "transition": hmc()});
    let flow = json!({"kind": "persistentMpf", "numChains": 1000, "numSteps": 2, "numRefreshes": 20,
        "transition": hmc()});
    let mut said = Vec::new();
    for (model, states, fields) in [
        (&gaussian, &states, score_matching()),
        (&gaussian, &states, json!({"objective": {"kind": "scoreMatching", "numSlices": 2}})),
        (&gaussian, &heavy, json!({"objective": ball})),
        (&gaussian, &states, json!({"objective": denoising})),
        (&gaussian, &states, json!({"objective": noises(&[0.4, 0.3])})),
        (&experts, &heavy, json!({"objective": ball})),
        (&complete, &heavy, score_matching()),
        (&experts, &heavy, json!({"objective": flow})),
        (&experts, &heavy, json!({"objective": persistent, "optimizer": adam})),
        (&experts, &heavy, json!({"objective": contrastive, "optimizer": adam})),
        (&machine, &states, json!({"objective": persistent, "optimizer": adam, "init": noise})),
        (&machine, &states, json!({"objective": {"kind": "scoreMatching"}, "init": noise})),
        (&network, &states, json!({"objective": denoising, "init": noise, "optimizer": short})),
    ] {
        let result = fit(model, states, &fields);
        if !result.warnings.is_empty() {
            said.push(format!("{model} {fields}: {:?}", result.warnings));
        }
    }
    assert!(said.is_empty(), "{said:#?}");
}

/// The check is part of the job: a stop between fit and check changes nothing.
#[test]
fn a_fit_stopped_before_its_check_goes_on_to_the_same_warnings() {
    let spec = json!({"verb": "fit", "model": with_a_mode_far_away(17), "states": rows(500),
        "objective": {"kind": "scoreMatching"}, "seed": 3});
    let whole = fitted(job_of(&spec, None).unwrap());
    let mut job = job_of(&spec, None).unwrap();
    let mut before_last = job.snapshot();
    while !job.is_done() {
        before_last = job.snapshot();
        job.advance(1);
    }
    let mut resumed = Job::new(spec_of(&spec).unwrap(), None, Some(&before_last)).unwrap();
    assert!(!resumed.is_done() && resumed.result().is_none());
    resumed.advance(1);
    let Some(JobResult::Fit(resumed)) = resumed.result() else { panic!("it is done") };
    assert!(!whole.warnings.is_empty());
    assert_eq!(whole, resumed);
}
