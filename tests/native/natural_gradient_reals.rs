//! The natural gradient of models on ℝᴰ: metrics, relative changes of filters, and coordinates that are taken anew.

use crate::common::metrics::{forms, kept, matrix};
use crate::common::{fitted, job_of, with};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};
use unnorm::energy::coordinates::Coordinates;
use unnorm::fit::FitResult;
use unnorm::fit::metric::{Form, Kind, Metric, Relative, States};
use unnorm::linalg::Batch;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, laplace, normal, stream};

const DIM: usize = 3;
const NUM_ROWS: usize = 400;

/// Laplace numbers, mixed.
fn rows() -> DMatrix<f64> {
    let mut rng = stream(71, Purpose::Example, 0);
    let sources = DMatrix::from_fn(DIM, NUM_ROWS, |_, _| laplace(&mut rng));
    DMatrix::from_row_slice(DIM, DIM, &[1.0, 0.4, -0.2, 0.3, 0.8, 0.5, -0.6, 0.1, 1.2]) * sources
}

/// A map that scales by a factor of twenty.
fn map() -> DMatrix<f64> {
    DMatrix::from_row_slice(DIM, DIM, &[4.0, 1.0, -0.5, 0.2, 0.2, 0.1, -1.0, 0.3, 1.5])
}

/// W, as a spec has it.
fn row_major(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}

fn spec(model: Value, states: &[f64], optimizer: &Value) -> Value {
    json!({
        "verb": "fit", "model": model, "states": states, "seed": 5,
        "objective": {"kind": "maximumLikelihood"}, "optimizer": optimizer,
    })
}

fn fit(model: Value, states: &[f64], optimizer: &Value) -> FitResult {
    fitted(job_of(&spec(model, states, optimizer), None).unwrap())
}

fn params_of(result: &FitResult) -> Vec<f64> {
    result.model.build().unwrap().as_parametric().unwrap().params().to_vec()
}

/// The models on the reals whose metric can be had, with states of theirs.
fn models() -> Vec<(Box<dyn Model>, Vec<f64>)> {
    let all = ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap());
    let mut rng = stream(72, Purpose::Example, 0);
    let models: Vec<_> = all
        .filter(|model| model.as_differentiable().is_some() && model.as_generative().is_none())
        .filter(|model| model.as_parametric().is_some_and(|model| !model.params().is_empty()))
        .map(|model| {
            let states = (0..40 * model.dim()).map(|_| normal(&mut rng)).collect();
            (model, states)
        })
        .collect();
    assert!(models.len() > 8, "{}", models.len());
    models
}

/// ∂E of one state by differences of the energy.
fn numeric_gradient(model: &dyn Model, state: &[f64]) -> DVector<f64> {
    let params = model.as_parametric().unwrap().params().to_vec();
    let at = |index: usize, step: f64| {
        let mut moved = model.boxed_clone();
        let mut params = params.clone();
        params[index] += step;
        moved.as_parametric_mut().unwrap().set_params(&params);
        let mut energy = [0.0];
        moved.energy(Batch::new(state.len(), state), &mut energy);
        energy[0]
    };
    DVector::from_fn(params.len(), |index, _| (at(index, 1e-5) - at(index, -1e-5)) / 2e-5)
}

#[test]
fn averages_over_the_data_are_as_defined() {
    for (model, states) in models() {
        let gradients: Vec<_> = states
            .chunks_exact(model.dim())
            .map(|state| numeric_gradient(&*model, state))
            .collect();
        let count = gradients.len() as f64;
        let mean: DVector<f64> = gradients.iter().sum::<DVector<f64>>() / count;
        let of = |kind, about: &DVector<f64>| {
            let products = gradients.iter().map(|g| (g - about) * (g - about).transpose());
            let expected: DMatrix<f64> = products.sum::<DMatrix<f64>>() / count;
            let rows = States::from(Batch::new(model.dim(), &states));
            for form in forms(&*model) {
                let found = matrix(&Metric::new(&*model, &rows, kind, form, 1).unwrap());
                let expected = kept(&*model, form, &expected);
                let scale = 1.0 + expected.amax();
                assert!((found - expected).amax() < 1e-5 * scale, "{} {kind:?}", model.kind());
            }
        };
        of(Kind::EnergyApproximation, &DVector::zeros(mean.len()));
        of(Kind::EnergyCovariance, &mean);
        if let Some(log_z) = model.as_log_z_gradient() {
            let mut mean = vec![0.0; mean.len()];
            log_z.accumulate_log_z_grad(-1.0, &mut mean);
            of(Kind::EmpiricalFisher, &mean.into());
        }
    }
}

/// Of independent Laplace numbers |J x| with J diagonal: ∂E/∂J_kk = |x_k| − 1/J_kk has the variance 1/J_kk², and
/// ∂E/∂J_kl = sign(x_k) x_l − 0 the variance 2/J_ll². Within six standard errors of 10,000 draws.
#[test]
fn the_fisher_information_is_that_of_exact_draws() {
    let model: ModelSpec =
        serde_json::from_value(json!({"kind": "ica", "dim": 2, "filters": [2.0, 0.0, 0.0, 0.5]}))
            .unwrap();
    let model = model.build().unwrap();
    let none = [0.0; 2];
    let rows = States::from(Batch::new(2, &none));
    let metric = matrix(&Metric::new(&*model, &rows, Kind::Fisher, Form::Full, 3).unwrap());
    let expected = [0.25, 8.0, 0.5, 4.0];
    for (at, expected) in expected.into_iter().enumerate() {
        // The fourth moments of exponential numbers: relative errors below √(23/10,000).
        assert!((metric[(at, at)] / expected - 1.0).abs() < 6.0 * 0.048, "{metric}");
    }
    // ⟨(|x_1| − m) sign(x_2) x_1⟩ = 0, but ⟨sign(x_1) x_2 sign(x_2) x_1⟩ = ⟨|x_1|⟩⟨|x_2|⟩ = 1.
    assert!((metric[(1, 2)] - 1.0).abs() < 6.0 * 0.03, "{metric}");
    assert!(metric[(0, 3)].abs() < 6.0 * 0.01, "{metric}");
}

/// (4.43): a step of gradient descent is `−ε ∂J/∂W W₀ᵀ W₀`, and other parameters take the plain one.
#[test]
fn relative_steps_are_natural() {
    let states = rows().as_slice().to_vec();
    let filters = row_major(&map());
    let rate = 1e-3;
    let sgd = |coordinates: &str| {
        json!({"kind": "sgd", "learningRate": rate, "batchSize": NUM_ROWS, "numEpochs": 1,
               "coordinates": {"kind": coordinates}})
    };
    for model in [
        json!({"kind": "ica", "dim": DIM, "filters": filters}),
        json!({"kind": "productOfExperts", "dim": DIM, "expert": "studentT", "filters": filters,
               "lambda": [1.5, 2.0, 1.2]}),
    ] {
        let step = |coordinates: &str| {
            let after = params_of(&fit(model.clone(), &states, &sgd(coordinates)));
            let built: ModelSpec = serde_json::from_value(model.clone()).unwrap();
            let built = built.build().unwrap();
            let before = built.as_parametric().unwrap().params();
            after.iter().zip(before).map(|(a, b)| a - b).collect::<Vec<f64>>()
        };
        let (plain, relative) = (step("params"), step("relative"));
        let of_filters = |step: &[f64]| DMatrix::from_row_slice(DIM, DIM, &step[..DIM * DIM]);
        let expected = of_filters(&plain) * map().transpose() * map();
        assert!((of_filters(&relative) - &expected).amax() < 1e-10 * (1.0 + expected.amax()));
        assert!((of_filters(&plain) - expected).amax() > 1e-3);
        for (plain, relative) in plain.iter().zip(&relative).skip(DIM * DIM) {
            assert!((plain - relative).abs() < 1e-12 && plain.abs() > 1e-6);
        }
    }
}

/// Both uses of the map agree, and the origin is W₀.
#[test]
fn relative_coordinates_are_one_linear_map() {
    let params: Vec<f64> = row_major(&map()).into_iter().chain([0.3, -0.7]).collect();
    let coordinates = Relative::new(DIM, &params);
    assert_eq!(coordinates.num_coordinates(), params.len());
    for at in 0..params.len() {
        let mut unit = vec![0.0; params.len()];
        unit[at] = 1.0;
        let mut moved = vec![0.0; params.len()];
        coordinates.add_to_params(&unit, &mut moved);
        for (to, moved) in moved.iter().enumerate() {
            let mut other = vec![0.0; params.len()];
            let mut back = vec![0.0; params.len()];
            other[to] = 1.0;
            coordinates.pull_back(&other, &mut back);
            assert_eq!(back[at].to_bits(), moved.to_bits());
        }
    }
}

/// (4.44): rows A x and W₀ A⁻¹ give the path of x and W₀, times A⁻¹.
#[test]
fn relative_paths_do_not_depend_on_the_basis() {
    let (rows, map) = (rows(), map());
    let inverse = map.clone().try_inverse().unwrap();
    let distance = |optimizer: &Value| {
        let path = |rows: &DMatrix<f64>, start: &DMatrix<f64>| {
            let model = json!({"kind": "ica", "dim": DIM, "filters": row_major(start)});
            let result = fit(model, rows.as_slice(), optimizer);
            DMatrix::from_row_slice(DIM, DIM, &params_of(&result))
        };
        let plain = path(&rows, &DMatrix::identity(DIM, DIM));
        let mapped = path(&(&map * &rows), &inverse);
        (mapped * &map - plain).amax()
    };
    let sgd = |coordinates: Value| {
        json!({"kind": "sgd", "learningRate": 0.05, "momentum": 0.5, "batchSize": NUM_ROWS,
               "numEpochs": 60, "coordinates": coordinates})
    };
    let lbfgs = |coordinates: Value| json!({"kind": "lbfgs", "maxIterations": 12, "coordinates": coordinates});
    for refresh in [1, 7, 1000] {
        let relative = json!({"kind": "relative", "refreshEvery": refresh});
        for optimizer in [sgd(relative.clone()), lbfgs(relative)] {
            let distance = distance(&optimizer);
            assert!(distance < 1e-9, "{optimizer} {distance}");
        }
    }
    assert!(distance(&sgd(json!({"kind": "params"}))) > 0.1);
}

/// A fit whose coordinates are taken anew is fits with few steps, each from where the last ended.
#[test]
fn fresh_coordinates_are_those_of_a_new_fit() {
    let states = rows().as_slice().to_vec();
    let metric = |metric: &str| json!({"kind": "metric", "metric": metric, "form": "full"});
    let gaussian = json!({"kind": "gaussian", "dim": DIM});
    let ica = json!({"kind": "ica", "dim": DIM});
    for (model, coordinates) in [
        (gaussian.clone(), metric("energyCovariance")),
        (gaussian, metric("fisher")),
        (ica, json!({"kind": "relative"})),
    ] {
        for optimizer in [
            json!({"kind": "sgd", "learningRate": 0.02, "momentum": 0.9, "batchSize": NUM_ROWS}),
            json!({"kind": "adam", "learningRate": 0.02, "batchSize": NUM_ROWS}),
            json!({"kind": "lbfgs", "tolerance": 1e-15}),
        ] {
            let steps = |count: usize, refresh: usize| {
                let fresh = with(coordinates.clone(), &json!({"refreshEvery": refresh}));
                let counts = match optimizer["kind"].as_str() {
                    Some("lbfgs") => json!({"maxIterations": count, "coordinates": fresh}),
                    _ => json!({"numEpochs": count, "coordinates": fresh}),
                };
                with(optimizer.clone(), &counts)
            };
            let at_once = fit(model.clone(), &states, &steps(12, 4));
            let mut by_parts = model.clone();
            for _ in 0..3 {
                let part = fit(by_parts, &states, &steps(4, 1000));
                assert_eq!(part.num_iterations, 4, "{optimizer}");
                by_parts = serde_json::to_value(&part.model).unwrap();
            }
            let by_parts: ModelSpec = serde_json::from_value(by_parts).unwrap();
            let by_parts = by_parts.build().unwrap();
            let expected = by_parts.as_parametric().unwrap().params();
            for (found, expected) in params_of(&at_once).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{optimizer}");
            }
            // And the coordinates of the start would lead elsewhere.
            let kept = params_of(&fit(model.clone(), &states, &steps(12, 1000)));
            let farthest =
                kept.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(farthest > 1e-6, "{optimizer} {farthest}");
        }
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let states = rows().as_slice().to_vec();
    let relative = json!({"kind": "lbfgs", "coordinates": {"kind": "relative"}});
    let metric = |kind: &str| json!({"kind": "lbfgs", "coordinates": {"kind": "metric", "metric": kind, "form": "full"}});
    let refresh = |every: usize| json!({"kind": "lbfgs", "coordinates": {"kind": "relative", "refreshEvery": every}});
    let ica = json!({"kind": "ica", "dim": DIM});
    let gaussian = json!({"kind": "gaussian", "dim": DIM});
    let of = |model: &Value, optimizer: &Value, objective: &str| {
        let spec = with(
            spec(model.clone(), &states, optimizer),
            &json!({"objective": {"kind": objective}}),
        );
        job_of(&spec, None).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let likelihood = "maximumLikelihood";
    let neural = json!({"kind": "neural", "dim": DIM, "numHidden": [4]});
    for (found, words) in [
        (of(&gaussian, &relative, likelihood), "as many filters as dimensions"),
        (of(&ica, &refresh(0), likelihood), "optimizer.coordinates.refreshEvery"),
        (of(&ica, &refresh(3), "persistentMpf"), "leave it out"),
        (of(&ica, &relative, "noiseContrastive"), "noiseContrastive"),
        (of(&neural, &metric("fisher"), "scoreMatching"), "fisher"),
        (of(&neural, &metric("empiricalFisher"), "scoreMatching"), "empiricalFisher"),
    ] {
        assert!(found.contains(words), "{found:?} without {words:?}");
    }
}
