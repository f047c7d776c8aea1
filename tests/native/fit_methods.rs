//! Every way to fit, through jobs: what is reached is stationary by an
//! objective made apart, and what does not go together is refused by field.

use serde_json::{Value, json};
use unnorm::bits::WeightedRows;
use unnorm::energy::Objective;
use unnorm::energy::connectivity::ConnectivitySpec;
use unnorm::exact;
use unnorm::fit::FitResult;
use unnorm::fit::ObjectiveSpec;
use unnorm::fit::mean_field::{self, Order};
use unnorm::fit::regularizer::RegularizerSpec;
use unnorm::fit::{maximum_likelihood, mpf, pseudolikelihood};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream, uniform};

const DIM: usize = 5;

/// 400 rows in which neighbours agree more often than not.
fn values() -> Vec<f64> {
    let mut rng = stream(31, Purpose::Example, 0);
    let mut values = Vec::new();
    for _ in 0..400 {
        let mut is_set = uniform(&mut rng) < 0.4;
        for _ in 0..DIM {
            is_set ^= uniform(&mut rng) < 0.35;
            values.push(f64::from(u8::from(is_set)));
        }
    }
    values
}

fn data() -> WeightedRows {
    crate::common::weighted_rows(DIM, &values())
}

fn fit(fields: Value) -> unnorm::Result<FitResult> {
    crate::common::fit_to(DIM, &values(), &fields)
}

fn model_of(result: &FitResult) -> Box<dyn Model> {
    result.model.build().unwrap()
}

/// The objective of a spec, made without the jobs.
fn made_apart(spec: &Value, model: &dyn Model) -> Box<dyn Objective> {
    let spec: ObjectiveSpec = serde_json::from_value(spec.clone()).unwrap();
    match spec {
        ObjectiveSpec::Mpf { connectivity, exclude_data } => {
            let connectivity = connectivity.unwrap_or(ConnectivitySpec::SingleFlips {});
            mpf::objective(model, &data(), &connectivity, exclude_data, 5)
        }
        ObjectiveSpec::Pseudolikelihood {} => pseudolikelihood::objective(model, &data()),
        ObjectiveSpec::MaximumLikelihood {} => maximum_likelihood::objective(model, &data()),
        _ => panic!("not a sum over the data"),
    }
    .unwrap()
}

fn full_batch_objectives() -> Vec<Value> {
    vec![
        json!({"kind": "mpf"}),
        json!({"kind": "mpf", "connectivity": {"kind": "singleAndAllFlips"}}),
        json!({"kind": "mpf", "connectivity": {"kind": "flipSets", "sets": [[0], [1], [2, 3], [4], [2], [3]]}}),
        json!({"kind": "mpf", "connectivity": {"kind": "sampled", "proposal": {"kind": "flips", "probability": 0.3},
               "numSamples": 8}}),
        json!({"kind": "pseudolikelihood"}),
        json!({"kind": "maximumLikelihood"}),
    ]
}

#[test]
fn fits_end_where_the_gradient_vanishes() {
    let models = [
        json!({"kind": "ising", "dim": DIM}),
        json!({"kind": "rbm", "numVisible": DIM, "numHidden": 2}),
        json!({"kind": "semiRestricted", "numVisible": DIM, "numHidden": 2}),
    ];
    for objective in full_batch_objectives() {
        for model in &models {
            for regularizer in [
                Value::Null,
                json!({"kind": "l2", "strength": 0.02, "includeBiases": true}),
                json!({"kind": "l1", "strength": 0.02, "smoothing": 0.01, "includeBiases": true}),
            ] {
                // Hidden units all alike are a saddle; flat directions need a penalty to converge.
                let is_hidden = model["kind"] != "ising";
                if is_hidden && regularizer.is_null() {
                    continue;
                }
                let result = fit(json!({
                    "objective": objective, "model": model, "regularizer": regularizer,
                    "init": {"kind": "normal", "scale": if is_hidden { 0.5 } else { 0.0 }},
                }))
                .unwrap();
                assert!(result.converged, "{objective} {model}: {}", result.stop_reason);
                let model = model_of(&result);
                let params = model.as_parametric().unwrap().params();
                let mut grad = vec![0.0; params.len()];
                let apart = made_apart(&objective, &*model);
                let mut apart = match serde_json::from_value::<Option<RegularizerSpec>>(regularizer)
                {
                    Ok(Some(spec)) => spec.add_to(apart, model.as_parametric().unwrap()),
                    _ => apart,
                };
                let value = apart.evaluate(params, &mut grad);
                assert!((value - result.objective).abs() < 1e-12 * (1.0 + value), "{objective}");
                assert!(
                    grad.iter().all(|grad| grad.abs() < 1e-3 * (1.0 + value)),
                    "{objective} {grad:?}"
                );
            }
        }
    }
}

/// At the maximum of the likelihood the model's moments are the data's.
#[test]
fn maximum_likelihood_matches_the_moments() {
    let result =
        fit(json!({"objective": {"kind": "maximumLikelihood"}, "optimizer": {"kind": "lbfgs", "tolerance": 1e-13}}))
            .unwrap();
    let model = model_of(&result);
    let exact = exact::enumerate(model.as_site_flips().unwrap()).unwrap();
    let values = values();
    for i in 0..DIM {
        for j in 0..DIM {
            let both: f64 =
                values.chunks_exact(DIM).map(|row| row[i] * row[j]).sum::<f64>() / 400.0;
            assert!((exact.moments[i * DIM + j] - both).abs() < 1e-6);
        }
    }
    // The least loss is the entropy, up to the gradient times the parameters.
    assert!((result.objective - exact.entropy).abs() < 1e-5);
}

#[test]
fn neighbours_that_are_data_may_be_left_out() {
    // 32 states and 400 rows: most neighbours are data.
    let [with, without] = [true, false]
        .map(|exclude| json!({"objective": {"kind": "mpf", "excludeData": exclude}, "regularizer": {"kind": "l2", "strength": 0.1, "includeBiases": true}}))
        .map(|fields| fit(fields).unwrap().objective);
    assert!(with < 0.5 * without, "{with} {without}");
}

#[test]
fn mean_field_is_the_inversion_and_warns() {
    for (name, order) in [("naive", Order::Naive), ("tap", Order::Tap)] {
        let result =
            fit(json!({"objective": {"kind": "meanField", "order": name, "strength": 0.1}}))
                .unwrap();
        let expected = mean_field::fit(&data(), order, 0.1).unwrap();
        assert_eq!(result.model, ModelSpec::Ising(expected.model.to_spec()));
        assert!(result.objective.is_nan() && result.converged);
        assert!(result.warnings.is_empty(), "{:?}", result.warnings);
        assert!(result.stop_reason.contains("closed form"));
    }
    // A site that never varies, two that are equal.
    let rows = json!({"kind": "rows", "rows": [[1, 0, 0], [1, 1, 1], [1, 0, 0]]});
    let result = fit(
        json!({"model": {"kind": "ising", "dim": 3}, "data": rows, "objective": {"kind": "meanField"}}),
    );
    let warnings = result.unwrap().warnings.join("\n");
    assert!(warnings.contains("singular, of rank 1 for 3 sites"), "{warnings}");
    assert!(warnings.contains("1 sites never vary"), "{warnings}");
    // Rare bits that repel each other: the quadratic of TAP has no real root.
    let rows: Vec<[u8; 2]> = (0..9).map(|row| [u8::from(row == 7), u8::from(row == 8)]).collect();
    let result =
        fit(json!({"model": {"kind": "ising", "dim": 2}, "data": {"kind": "rows", "rows": rows},
        "objective": {"kind": "meanField"}}));
    let warnings = result.unwrap().warnings.join("\n");
    assert!(warnings.contains("complex roots for 1 of 1 pairs"), "{warnings}");
}

#[test]
fn what_does_not_go_together_is_refused_by_field() {
    let cd = json!({"kind": "contrastiveDivergence", "numSteps": 1});
    let pcd = json!({"kind": "persistentContrastiveDivergence", "numSteps": 1, "numChains": 10});
    let mean_field = json!({"kind": "meanField"});
    let (lbfgs, sgd) = (json!({"kind": "lbfgs"}), json!({"kind": "sgd"}));
    let rbm = json!({"kind": "rbm", "numVisible": DIM, "numHidden": 2});
    let lattice =
        json!({"kind": "ising", "dim": DIM, "pattern": {"kind": "pairs", "pairs": [[0, 1]]}});
    let large = json!({"kind": "values", "dim": 21, "values": vec![0; 42]});
    let sampled = json!({"kind": "sampled", "proposal": {"kind": "independent"}, "numSamples": 2});
    for (fields, field, words) in [
        (json!({"objective": cd, "optimizer": lbfgs}), "optimizer", "sgd or adam"),
        (json!({"objective": pcd, "optimizer": lbfgs}), "optimizer", "sgd or adam"),
        (
            json!({"objective": {"kind": "maximumLikelihood"}, "optimizer": sgd}),
            "optimizer",
            "lbfgs",
        ),
        (
            json!({"objective": {"kind": "mpf", "excludeData": true}, "optimizer": sgd}),
            "optimizer",
            "lbfgs",
        ),
        (
            json!({"objective": {"kind": "mpf", "connectivity": sampled}, "optimizer": sgd}),
            "optimizer",
            "lbfgs",
        ),
        (json!({"objective": mean_field, "optimizer": lbfgs}), "optimizer", "leave it out"),
        (
            json!({"objective": mean_field, "init": {"kind": "normal", "scale": 1}}),
            "init",
            "leave it out",
        ),
        (
            json!({"objective": mean_field, "regularizer": {"kind": "l2", "strength": 1}}),
            "regularizer",
            "strength",
        ),
        (json!({"objective": mean_field, "model": rbm}), "objective.kind", "Ising"),
        (json!({"objective": mean_field, "model": lattice}), "model.pattern", "dense"),
        (
            json!({"objective": {"kind": "meanField", "strength": -1}}),
            "objective.strength",
            "at least 0",
        ),
        (
            json!({"objective": {"kind": "contrastiveDivergence", "numSteps": 0}}),
            "objective.numSteps",
            "1",
        ),
        (
            json!({"objective": {"kind": "persistentContrastiveDivergence", "numSteps": 1, "numChains": 0}}),
            "objective.numChains",
            "1",
        ),
        (json!({"optimizer": {"kind": "sgd", "momentum": 1}}), "optimizer.momentum", "less than 1"),
        (
            json!({"optimizer": {"kind": "sgd", "learningRate": {"start": 0, "end": 1}}}),
            "optimizer.learningRate.start",
            "greater than 0",
        ),
        (
            json!({"optimizer": {"kind": "adam", "epsilon": 0}}),
            "optimizer.epsilon",
            "greater than 0",
        ),
        (json!({"optimizer": {"kind": "adam", "batchSize": 0}}), "optimizer.batchSize", "1"),
        (
            json!({"regularizer": {"kind": "l2", "strength": -1}}),
            "regularizer.strength",
            "at least 0",
        ),
        (
            json!({"regularizer": {"kind": "l1", "strength": 1, "smoothing": 0}}),
            "regularizer.smoothing",
            "0",
        ),
        (
            json!({"objective": {"kind": "maximumLikelihood"}, "model": {"kind": "ising", "dim": 21}, "data": large}),
            "model.dim",
            "20",
        ),
        (
            json!({"optimizer": sgd, "objective": {"kind": "mpf", "connectivity": {"kind": "flipSets", "sets": [[9]]}}}),
            "objective.connectivity.sets[0]",
            "9",
        ),
    ] {
        let error = fit(fields.clone()).err().unwrap_or_else(|| panic!("{fields} was let pass"));
        assert_eq!(error.field(), Some(field), "{fields}: {error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// With one minibatch of all rows an epoch is one step down the gradient of
/// objective and penalty together, of the length the rate says.
#[test]
fn an_update_is_a_step_down_the_gradient() {
    let start: Vec<f64> =
        (0..DIM * DIM).map(|at| 0.1 * ((at / DIM + at % DIM) as f64 - 4.0)).collect();
    let model = json!({"kind": "ising", "dim": DIM, "couplings": start});
    let (rate, penalty) = (0.01, json!({"kind": "l2", "strength": 0.3, "includeBiases": true}));
    let update = |optimizer: Value, objective: &Value| {
        let result = fit(json!({
            "model": model, "objective": objective, "regularizer": penalty, "optimizer": optimizer,
        }));
        let result = result.unwrap();
        assert_eq!((result.num_iterations, result.converged), (1, false));
        (model_of(&result).as_parametric().unwrap().params().to_vec(), result.objective)
    };
    let from = serde_json::from_value::<ModelSpec>(model.clone()).unwrap().build().unwrap();
    let before = from.as_parametric().unwrap().params();
    for objective in [json!({"kind": "mpf"}), json!({"kind": "pseudolikelihood"})] {
        let spec: RegularizerSpec = serde_json::from_value(penalty.clone()).unwrap();
        let mut whole = spec.add_to(made_apart(&objective, &*from), from.as_parametric().unwrap());
        let mut grad = vec![0.0; before.len()];
        let value = whole.evaluate(before, &mut grad);
        let common = json!({"learningRate": {"start": rate, "end": rate}, "batchSize": 1000, "numEpochs": 1,
            "coordinates": {"kind": "params"}});
        for kind in ["sgd", "adam"] {
            let mut optimizer = common.clone();
            optimizer["kind"] = kind.into();
            let (after, reported) = update(optimizer, &objective);
            assert!((reported - value).abs() < 1e-12 * value, "{objective}: {reported} {value}");
            for ((after, before), grad) in after.iter().zip(before).zip(&grad) {
                // The first step of Adam has the rate's length whatever the gradient.
                let size = if kind == "adam" { grad.abs() + 1e-8 } else { 1.0 };
                let step = rate * grad / size;
                assert!(
                    (before - after - step).abs() < 1e-8,
                    "{objective} {kind}: {} {step}",
                    before - after
                );
            }
        }
    }
}

/// Minibatches lead near the optimum that L-BFGS finds over all data.
#[test]
fn minibatches_lead_near_the_optimum() {
    for objective in [json!({"kind": "mpf"}), json!({"kind": "pseudolikelihood"})] {
        let best = fit(json!({"objective": objective})).unwrap();
        let model = model_of(&best);
        let params = model.as_parametric().unwrap().params();
        for optimizer in [
            json!({"kind": "sgd", "learningRate": {"start": 0.2, "end": 0.001}, "momentum": 0.5, "batchSize": 50, "numEpochs": 200}),
            json!({"kind": "adam", "batchSize": 50, "numEpochs": 200}),
        ] {
            let found = fit(json!({"objective": objective, "optimizer": optimizer})).unwrap();
            let found = model_of(&found);
            let mut apart = made_apart(&objective, &*model);
            let mut unused = vec![0.0; params.len()];
            let value = apart.evaluate(found.as_parametric().unwrap().params(), &mut unused);
            assert!(value >= best.objective * (1.0 - 1e-9), "below the least value");
            assert!(
                value < best.objective * (1.0 + 1e-4),
                "{objective}: {value} {}",
                best.objective
            );
        }
    }
}

/// No steps: the objective of the model given, and its gradient's norm.
#[test]
fn no_steps_evaluate_the_objective() {
    let rbm = unnorm::models::rbm::RbmSpec::random(DIM, 3, 0.8, 2);
    let model = rbm.build().unwrap();
    for (kind, optimizer) in [("pseudolikelihood", "lbfgs"), ("mpf", "lbfgs")] {
        let objective = json!({"kind": kind});
        let result = fit(json!({
            "model": ModelSpec::Rbm(rbm.clone()), "objective": objective,
            "optimizer": {"kind": optimizer, "maxIterations": 0},
        }))
        .unwrap();
        let params = model_of(&result).as_parametric().unwrap().params().to_vec();
        let mut grad = vec![0.0; params.len()];
        let value = made_apart(&objective, &model).evaluate(&params, &mut grad);
        assert_eq!((result.objective, result.num_evaluations), (value, 1));
        assert_eq!(result.model, model.spec());
    }
}

/// Starting from the data's means, a model without noise has them.
#[test]
fn fits_may_start_from_the_means_of_the_data() {
    let data = data();
    let sums = unnorm::bits::BitColumns::new(&data).pair_sums();
    for model in [
        json!({"kind": "ising", "dim": DIM}),
        json!({"kind": "rbm", "numVisible": DIM, "numHidden": 3}),
        json!({"kind": "semiRestricted", "numVisible": DIM, "numHidden": 3}),
    ] {
        let at_start = |scale: f64| {
            let result = fit(json!({
                "model": model, "init": {"kind": "dataMeans", "scale": scale},
                "optimizer": {"kind": "lbfgs", "maxIterations": 0},
            }));
            model_of(&result.unwrap())
        };
        let exact = exact::enumerate(at_start(0.0).as_site_flips().unwrap()).unwrap();
        for i in 0..DIM {
            let mean = (sums[i * DIM + i] + 0.5) / (data.total() + 1.0);
            assert!((exact.moments[i * DIM + i] - mean).abs() < 1e-12);
            let other = exact.moments[(i + 1) % DIM * (DIM + 1)];
            let both = exact.moments[i * DIM + (i + 1) % DIM];
            assert!((both - mean * other).abs() < 1e-12);
        }
        let (quiet, noisy) = (at_start(0.0), at_start(0.5));
        let (quiet, noisy) = (quiet.as_parametric().unwrap(), noisy.as_parametric().unwrap());
        for (index, (a, b)) in quiet.params().iter().zip(noisy.params()).enumerate() {
            assert_eq!(a == b, quiet.is_bias(index), "{index}");
        }
    }
}
