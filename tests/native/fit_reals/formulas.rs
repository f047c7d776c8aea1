//! Fits of energies that are written down: against built-in twins, and what is refused.

use super::normals;
use crate::common::{fitted, job_of};
use serde_json::{Value, json};
use unnorm::fit::FitResult;
use unnorm::linalg::Batch;
use unnorm::models::ModelSpec;

fn spec_of(model: &Value, states: &[f64], objective: &Value) -> Value {
    json!({
        "verb": "fit", "model": model, "states": states, "objective": objective, "seed": 4,
        "optimizer": {"kind": "lbfgs", "tolerance": 1e-15},
    })
}

fn fit(model: &Value, states: &[f64], objective: &Value) -> FitResult {
    fitted(job_of(&spec_of(model, states, objective), None).expect("a sound job"))
}

/// The fitted values, by name.
fn values(result: &FitResult) -> Vec<(String, f64)> {
    let ModelSpec::Formula(formula) = &result.model else { panic!("another kind") };
    formula.params.iter().map(|(name, param)| (name.clone(), param.value())).collect()
}

fn value(result: &FitResult, name: &str) -> f64 {
    let values = values(result);
    values.iter().find(|(known, _)| known == name).expect("a parameter of that name").1
}

fn built(model: &Value) -> Box<dyn unnorm::models::Model> {
    let spec: ModelSpec = serde_json::from_value(model.clone()).expect("a spec");
    spec.build().expect("a sound model")
}

/// Score matching and flow of a Gaussian as a formula and as the built-in model.
#[test]
fn a_gaussian_written_down_is_fitted_as_the_built_in_one() {
    let plain = normals(800, 90);
    let rows: Vec<f64> =
        plain.chunks_exact(2).flat_map(|x| [1.0 + x[0], x[0] - 0.5 * x[1] - 2.0]).collect();
    let typed = json!({
        "kind": "formula", "expression": "a*(x-m)^2/2 + b*(x-m)*(y-n) + c*(y-n)^2/2",
        "params": {"a": {"value": 1, "lower": 0}, "b": 0, "c": {"value": 1, "lower": 0}, "m": 0, "n": 0},
    });
    let ball = json!({"kind": "ball", "radius": 0.3, "numSamples": 8});
    for (objective, tolerance) in [
        (json!({"kind": "scoreMatching"}), 1e-8),
        // Its differences leave noise of 1e-11 in the value.
        (json!({"kind": "scoreMatching", "numSlices": 2}), 1e-6),
        (json!({"kind": "mpf", "connectivity": ball}), 1e-7),
    ] {
        let known = fit(&json!({"kind": "gaussian", "dim": 2}), &rows, &objective);
        let ModelSpec::Gaussian(known_model) = &known.model else { panic!("another kind") };
        let (mean, precision) = (known_model.mean.as_ref(), known_model.precision.as_ref());
        let (mean, precision) = (mean.expect("all"), precision.expect("all"));
        let found = fit(&typed, &rows, &objective);
        assert!((found.objective - known.objective).abs() < 1e-8, "{objective}");
        for (name, expected) in [
            ("a", precision[0]),
            ("b", precision[1]),
            ("c", precision[3]),
            ("m", mean[0]),
            ("n", mean[1]),
        ] {
            let found = value(&found, name);
            assert!(
                (found - expected).abs() < tolerance * expected.abs().max(1.0),
                "{objective}, {name}: {found} {expected}"
            );
        }
    }
}

/// Parameters at their values are what constants of these values are, to the bit; also after a fit.
#[test]
fn parameters_are_constants_to_all_but_fits() {
    let expression = "a*x^2 + exp(-x*b)*sqrt(1 + (a + b)^2) + softplus(b - y)*y + (a*b)^2*y^2";
    let typed = |params: &Value| {
        json!({
            "kind": "formula", "expression": expression, "params": params,
            "variables": ["x", "y"],
        })
    };
    let rows = normals(200, 91);
    let start = json!({"a": {"value": 0.7, "lower": 0.5, "upper": 3}, "b": 0.3});
    let found = fit(&typed(&start), &rows, &json!({"kind": "scoreMatching"}));
    let fitted = serde_json::to_value(&found.model).expect("JSON");
    for model in [typed(&start), fitted] {
        let constants: Value = ["a", "b"]
            .iter()
            .map(|name| {
                let param = &model["params"][*name];
                (name.to_string(), param.get("value").unwrap_or(param).clone())
            })
            .collect::<serde_json::Map<_, _>>()
            .into();
        let twin = json!({
            "kind": "formula", "expression": expression, "constants": constants,
            "variables": ["x", "y"],
        });
        let energies = [&model, &twin].map(|model| {
            let mut out = vec![0.0; 100];
            built(model).energy(Batch::new(2, &rows), &mut out);
            out
        });
        assert_eq!(energies[0], energies[1]);
    }
    assert!(value(&found, "a") > 0.5 && value(&found, "a") < 3.0);
}

/// Bounds that the data push against are approached, and not reached.
#[test]
fn values_stay_within_their_bounds() {
    let rows = normals(400, 92);
    for (bounds, near) in [
        (json!({"value": 3, "lower": 2}), 2.0),
        (json!({"value": 0.2, "upper": 0.5}), 0.5),
        (json!({"value": 3, "lower": 2, "upper": 4}), 2.0),
    ] {
        let model = json!({"kind": "formula", "expression": "a*x^2/2", "params": {"a": bounds}});
        let found = fit(&model, &rows, &json!({"kind": "scoreMatching"}));
        let a = value(&found, "a");
        assert!(a != near && (a - near).abs() < 1e-3, "{a} by {near}");
        built(&serde_json::to_value(&found.model).expect("JSON"));
    }
}

/// Chains of a formula go by the transitions of sampling there; ½ a x² at a fixed start and end.
#[test]
fn chains_fit_formulas_too() {
    let rows: Vec<f64> = normals(1000, 93).iter().map(|x| 0.5 * x).collect();
    let variance = rows.iter().map(|x| x * x).sum::<f64>() / rows.len() as f64;
    let model = json!({
        "kind": "formula", "expression": "a*x^2/2", "params": {"a": {"value": 1, "lower": 0}},
    });
    let spec = json!({
        "verb": "fit", "model": model, "states": rows, "seed": 4,
        "objective": {"kind": "persistentContrastiveDivergence", "numChains": 1000, "numSteps": 2},
        "optimizer": {"kind": "adam", "learningRate": {"start": 0.1, "end": 0.001}, "numEpochs": 400,
            "batchSize": 1000},
    });
    let found = fitted(job_of(&spec, None).expect("a sound job"));
    // The chains' own noise: √2/√1000 for ln a, and it is averaged over hundreds of updates.
    assert!((value(&found, "a") * variance - 1.0).abs() < 0.1, "{}", value(&found, "a"));
}

#[test]
fn what_does_not_suit_is_refused_by_name() {
    let (a, b) = (json!({"a": 1}), json!({"a": 1, "b": 2}));
    let scores = json!({"kind": "scoreMatching"});
    let ball =
        json!({"kind": "mpf", "connectivity": {"kind": "ball", "radius": 0.3, "numSamples": 2}});
    let half_line = json!([{"normal": [1], "offset": 0}]);
    for (model, objective, field, words) in [
        (json!({"expression": "x^2"}), &scores, "model.params", "values to start from"),
        (json!({"expression": "a*x^2", "params": b}), &scores, "model.params.b", "does not occur"),
        (json!({"expression": "a", "params": a}), &scores, "model.expression", "no variable"),
        (
            json!({"expression": "a*x", "params": {"a": {"value": 0, "lower": 0}}}),
            &scores,
            "model.params.a.value",
            "within its bounds",
        ),
        (
            json!({"expression": "a*x", "params": {"a": {"value": 0, "lower": 1, "upper": 0}}}),
            &scores,
            "model.params.a.upper",
            "greater than lower",
        ),
        (
            json!({"expression": "a*x", "params": a, "constants": {"a": 2}}),
            &scores,
            "model.constants.a",
            "is a parameter, too",
        ),
        (
            json!({"expression": "a*x", "params": a, "variables": ["a", "x"]}),
            &scores,
            "model.variables[0]",
            "given twice",
        ),
        (json!({"expression": "exp*x", "params": {"exp": 1}}), &scores, "model.params", "meaning"),
        (json!({"expression": "a*abs(x)", "params": a}), &scores, "objective.kind", "bend"),
        (
            json!({"expression": "a*x^2", "params": a, "constraints": half_line}),
            &ball,
            "states",
            "row 1 is outside",
        ),
    ] {
        let model = crate::common::with(json!({"kind": "formula"}), &model);
        let spec = spec_of(&model, &[0.5, -0.5, 1.0], objective);
        let error = job_of(&spec, None).err().unwrap_or_else(|| panic!("accepted: {spec}"));
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let model = json!({
        "kind": "formula", "expression": "a*x^2", "params": a, "constraints": half_line,
    });
    let error = job_of(&spec_of(&model, &[0.5, 1.0], &ball), None).err().expect("refused");
    assert!(error.to_string().contains("boundary"), "{error}");
    // An absolute value of parameters alone does no harm, and flow takes one of the state.
    let smooth = json!({"kind": "formula", "expression": "abs(a)*x^2", "params": a});
    assert!(job_of(&spec_of(&smooth, &[0.5, -0.5, 1.0], &scores), None).is_ok());
    let bent = json!({"kind": "formula", "expression": "a*abs(x)", "params": a});
    assert!(job_of(&spec_of(&bent, &[0.5, -0.5, 1.0], &ball), None).is_ok());
    let text = json!({"kind": "formula", "expression": "a*x^2", "params": {"a": "one"}});
    let error = job_of(&spec_of(&text, &[0.5], &scores), None).err().expect("refused");
    assert!(error.to_string().contains("a number, or an object with value"), "{error}");
}
