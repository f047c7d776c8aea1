//! Fits in the coordinates of a metric, through jobs.

use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};
use unnorm::bits::WeightedRows;
use unnorm::fit::FitResult;
use unnorm::fit::maximum_likelihood;
use unnorm::fit::metric::{Form, Kind, Metric, States};
use unnorm::fit::pseudolikelihood;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream, uniform};

const DIM: usize = 8;

/// 500 rows of mostly ones, in which neighbours agree: in 0/1 parameters
/// fields and couplings then pull on one another.
fn values() -> Vec<f64> {
    let mut rng = stream(51, Purpose::Example, 0);
    let mut values = Vec::new();
    for _ in 0..500 {
        let mut is_set = uniform(&mut rng) < 0.8;
        for _ in 0..DIM {
            let rate = if is_set { 0.1 } else { 0.4 };
            is_set ^= uniform(&mut rng) < rate;
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

fn coordinates(metric: &str, form: &str, damping: &Value) -> Value {
    json!({"kind": "metric", "metric": metric, "form": form, "damping": damping})
}

fn params_of(result: &FitResult) -> DVector<f64> {
    let model = result.model.build().unwrap();
    DVector::from_column_slice(model.as_parametric().unwrap().params())
}

/// One update with all rows in its minibatch is the step −ε H ∇J, H the damped
/// inverse of the metric at the starting parameters, noise and all.
#[test]
fn gradient_descent_takes_natural_steps() {
    let rate = 0.05;
    let models = [
        json!({"kind": "ising", "dim": DIM}),
        json!({"kind": "rbm", "numVisible": DIM, "numHidden": 2}),
    ];
    for model in models {
        let init = json!({"kind": "normal", "scale": 0.3});
        let still = fit(json!({
            "model": model, "init": init,
            "objective": {"kind": "pseudolikelihood"},
            "optimizer": {"kind": "sgd", "learningRate": {"start": 1e-300, "end": 1e-300},
                          "batchSize": 500, "numEpochs": 1},
        }));
        let start: Box<dyn Model> = still.unwrap().model.build().unwrap();
        let before = DVector::from_column_slice(start.as_parametric().unwrap().params());
        let mut gradient = DVector::zeros(before.len());
        pseudolikelihood::objective(&*start, &data())
            .unwrap()
            .evaluate(before.as_slice(), gradient.as_mut_slice());
        let identity = DMatrix::<f64>::identity(before.len(), before.len());
        for (name, kind) in [
            ("fisher", Kind::Fisher),
            ("empiricalFisher", Kind::EmpiricalFisher),
            ("energyApproximation", Kind::EnergyApproximation),
            ("energyCovariance", Kind::EnergyCovariance),
        ] {
            let forms =
                [("full", Form::Full), ("blocks", Form::Blocks), ("diagonal", Form::Diagonal)];
            for (form, entries) in forms {
                let metric = Metric::new(&*start, &States::from(&data()), kind, entries, 0);
                let entries = metric.unwrap().to_matrix();
                let entries = DMatrix::from_row_slice(before.len(), before.len(), &entries);
                let robust =
                    (&entries * &entries + 0.02 * &identity).try_inverse().unwrap() * &entries;
                let ridge = (&entries + 0.01 * &identity).try_inverse().unwrap();
                for (damping, inverse) in [
                    (json!({"kind": "stochasticRobust", "strength": 0.02}), &robust),
                    (json!({"kind": "ridge", "strength": 0.01}), &ridge),
                ] {
                    let result = fit(json!({
                        "model": model, "init": init,
                        "objective": {"kind": "pseudolikelihood"},
                        "optimizer": {"kind": "sgd", "learningRate": {"start": rate, "end": rate},
                                      "batchSize": 500, "numEpochs": 1,
                                      "coordinates": coordinates(name, form, &damping)},
                    }));
                    let step = params_of(&result.unwrap()) - &before;
                    let expected = -rate * inverse * &gradient;
                    let difference = (&step - &expected).amax();
                    assert!(difference < 1e-9 * (1.0 + expected.amax()), "{name} {form} {damping}");
                    // And not the steepest one, which a metric that was passed over would give.
                    assert!((step + rate * &gradient).amax() > 1e-3 * rate, "{name} {form}");
                }
            }
        }
    }
}

/// The ridge is what is meant where nothing is said.
#[test]
fn the_damping_may_be_left_out() {
    let by = |coordinates: Value| {
        let result =
            fit(json!({"optimizer": {"kind": "adam", "numEpochs": 1, "coordinates": coordinates}}));
        result.unwrap().digest
    };
    let short = json!({"kind": "metric", "metric": "fisher", "form": "full"});
    let ridge = |strength: f64| {
        coordinates("fisher", "full", &json!({"kind": "ridge", "strength": strength}))
    };
    assert_eq!(by(short.clone()), by(ridge(0.01)));
    assert_ne!(by(short), by(ridge(0.02)));
}

/// The optimum is where it was, and nearer in steps.
#[test]
fn lbfgs_needs_fewer_evaluations_in_natural_coordinates() {
    for objective in ["maximumLikelihood", "mpf"] {
        let by = |coordinates: Value| {
            fit(json!({
                "objective": {"kind": objective},
                "optimizer": {"kind": "lbfgs", "tolerance": 1e-12, "coordinates": coordinates},
            }))
            .unwrap()
        };
        let plain = by(json!({"kind": "params"}));
        let best = by(json!({"kind": "model"})).objective;
        assert!(plain.converged, "{}", plain.stop_reason);
        let mut counts = Vec::new();
        let ridge = json!({"kind": "ridge", "strength": 0.001});
        for metric in ["fisher", "empiricalFisher", "energyApproximation", "energyCovariance"] {
            let full = by(coordinates(metric, "full", &ridge));
            assert!(full.converged, "{metric}: {}", full.stop_reason);
            assert!((full.objective / best - 1.0).abs() < 1e-9, "{objective} {metric}");
            let distance = (params_of(&full) - params_of(&plain)).amax();
            assert!(distance < 1e-3, "{objective} {metric}: {distance}");
            counts.push(full.num_evaluations);
        }
        println!("{objective}: {} plain, {counts:?} in the coordinates", plain.num_evaluations);
        assert!(counts.iter().all(|count| 2 * count < plain.num_evaluations), "{objective}");
    }
    // With the exact metric the first steps of the likelihood are Newton's.
    let model =
        ModelSpec::Ising(serde_json::from_value(json!({"dim": DIM})).unwrap()).build().unwrap();
    let mut likelihood = maximum_likelihood::objective(&*model, &data()).unwrap();
    let count = model.as_parametric().unwrap().params().len();
    let mut gradient = vec![0.0; count];
    let at_zero = likelihood.evaluate(&vec![0.0; count], &mut gradient);
    let result = fit(json!({
        "objective": {"kind": "maximumLikelihood"},
        "optimizer": {"kind": "lbfgs", "maxIterations": 2,
                      "coordinates": coordinates("fisher", "full", &json!({"kind": "ridge", "strength": 1e-9}))},
    }))
    .unwrap();
    let best = fit(json!({"objective": {"kind": "maximumLikelihood"}})).unwrap().objective;
    let left = (result.objective - best) / (at_zero - best);
    assert!(left < 0.2, "{left} of the way left after two steps");
}

#[test]
fn what_is_too_large_or_wrong_is_refused_by_field() {
    let ridge = json!({"kind": "ridge", "strength": 0.01});
    let wide = |dim: usize| {
        let rows = json!({"kind": "values", "dim": dim, "values": vec![0; 2 * dim]});
        json!({"model": {"kind": "ising", "dim": dim}, "data": rows})
    };
    let at = |mut fields: Value, optimizer: &str, coordinates: Value| {
        fields["optimizer"] = json!({"kind": optimizer, "coordinates": coordinates});
        fields
    };
    let small = || json!({});
    let many = json!({"kind": "bits", "dim": 20, "numRows": 1, "bits": vec![0; 3]});
    for (fields, code, field, words) in [
        // 32 · 33 / 2 = 528 parameters.
        (
            at(wide(32), "lbfgs", coordinates("energyApproximation", "full", &ridge)),
            "too-large",
            "optimizer.coordinates.form",
            "528 parameters",
        ),
        (
            at(wide(32), "sgd", coordinates("energyApproximation", "full", &ridge)),
            "too-large",
            "optimizer.coordinates.form",
            "choose blocks or diagonal",
        ),
        (
            at(
                json!({"model": {"kind": "formula", "binary": true, "expression": "a*x*y", "params": {"a": 0}},
                       "data": {"kind": "bits", "dim": 2, "numRows": 1, "bits": [1]}}),
                "lbfgs",
                coordinates("energyCovariance", "blocks", &ridge),
            ),
            "invalid-spec",
            "optimizer.coordinates.form",
            "choose full or diagonal",
        ),
        (
            at(wide(21), "lbfgs", coordinates("fisher", "diagonal", &ridge)),
            "too-large",
            "optimizer.coordinates.metric",
            "choose energyCovariance",
        ),
        (
            at(wide(21), "adam", coordinates("empiricalFisher", "diagonal", &ridge)),
            "too-large",
            "optimizer.coordinates.metric",
            "20 sites",
        ),
        (
            at(
                json!({"model": {"kind": "ising", "dim": 20}, "data": many}),
                "lbfgs",
                coordinates("fisher", "full", &ridge),
            ),
            "too-large",
            "optimizer.coordinates.form",
            "1048576 states",
        ),
        (
            at(
                small(),
                "lbfgs",
                coordinates("fisher", "full", &json!({"kind": "ridge", "strength": 0})),
            ),
            "invalid-spec",
            "optimizer.coordinates.damping.strength",
            "greater than 0",
        ),
        (
            at(
                small(),
                "sgd",
                coordinates("fisher", "full", &json!({"kind": "stochasticRobust", "strength": -1})),
            ),
            "invalid-spec",
            "optimizer.coordinates.damping.strength",
            "greater than 0",
        ),
        (
            at(small(), "adam", json!({"kind": "metric", "form": "full"})),
            "invalid-spec",
            "optimizer.coordinates",
            "metric",
        ),
        (at(small(), "adam", json!("params")), "invalid-spec", "optimizer.coordinates", "kind"),
        (
            at(small(), "lbfgs", json!({"kind": "params", "form": "full"})),
            "invalid-spec",
            "optimizer.coordinates.form",
            "form",
        ),
        (
            at(
                json!({"init": {"kind": "normal", "scale": 1e308}}),
                "lbfgs",
                coordinates("fisher", "full", &ridge),
            ),
            "invalid-spec",
            "init",
            "not finite",
        ),
    ] {
        let error = fit(fields.clone()).err().unwrap_or_else(|| panic!("{fields} was let pass"));
        assert_eq!((error.code(), error.field()), (code, Some(field)), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    // What the full form refuses the diagonal takes.
    assert!(
        fit(at(wide(32), "lbfgs", coordinates("energyApproximation", "diagonal", &ridge))).is_ok()
    );
    assert!(fit(at(wide(31), "lbfgs", coordinates("energyApproximation", "full", &ridge))).is_ok());
}
