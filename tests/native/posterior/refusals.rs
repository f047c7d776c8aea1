//! What is refused, with the field, the problem and the remedy.

use super::*;

#[track_caller]
fn refused(model: Value, field: &str, words: &str) {
    let error = match serde_json::from_value::<ModelSpec>(model) {
        Ok(spec) => spec.build().err().expect("refused"),
        Err(error) => panic!("not read: {error}"),
    };
    assert_eq!(error.field(), Some(field), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

fn normal() -> Value {
    json!({"kind": "normal", "mean": 0, "sd": 1})
}

fn line(log_likelihood: &str) -> Value {
    let data = json!({"x": [1.0, 2.0], "y": [3.0, 4.0]});
    typed(&[("a", normal()), ("b", normal())], log_likelihood, data)
}

#[test]
fn names_have_one_meaning() {
    build(&line("-(y - a - b*x)^2"));
    refused(
        line("-(y - c)^2"),
        "model.logLikelihood",
        "at column 7: `c` is unknown; the variables are a, b, x, y; give it a prior, or a column in data",
    );
    refused(line("-(y - a"), "model.logLikelihood", "the formula ends");
    refused(line(""), "model.logLikelihood", "1 characters or more");
    let mut model = line("a");
    model["data"]["a"] = json!([1.0, 2.0]);
    refused(model, "model.data.a", "has the name of a parameter; choose another name");
    for (name, words) in
        [("exp", "has a meaning already"), ("pi", "has a meaning already"), ("2x", "is no name")]
    {
        refused(typed(&[(name, normal())], "0", Value::Null), "model.prior[0].name", words);
        refused(typed(&[("a", normal())], "0", json!({name: [1.0]})), "model.data", words);
    }
    let twice = typed(&[("a", normal()), ("a", normal())], "a", Value::Null);
    refused(twice, "model.prior[1].name", "given twice; choose another name");
    refused(typed(&[], "0", Value::Null), "model.prior", "1 parameters or more");
}

#[test]
fn data_are_columns_of_equal_length() {
    let with_data = |data: Value| typed(&[("a", normal())], "a", data);
    refused(with_data(json!({})), "model.data", "has no columns; leave it out");
    refused(with_data(json!({"x": []})), "model.data.x", "1 rows or more");
    let unequal = with_data(json!({"x": [1.0, 2.0], "y": [1.0]}));
    refused(unequal, "model.data.y", "has 1 rows where x has 2; give columns of equal length");
    let many = vec![0.0; unnorm::models::posterior::MAX_ROWS + 1];
    refused(with_data(json!({"x": many})), "model.data.x", "the limit is 1048576; use fewer rows");
    // A sum that is no number for any parameters.
    refused(
        typed(&[("a", normal())], "a*y + ln(x)", json!({"x": [1.0, 0.0], "y": [1.0, 1.0]})),
        "model.logLikelihood",
        "has a part without parameters whose sum over the rows is -inf; check the columns",
    );
    // So many parts of columns that they would not fit.
    let parts: Vec<String> = (1..40).map(|n| format!("(a + sin({n}*x))^2")).collect();
    let many = vec![0.0; 1 << 19];
    let model = typed(&[("a", normal())], &parts.join("+"), json!({"x": many}));
    refused(model, "model.logLikelihood", "compute them yourself as fewer columns");
}

#[test]
fn numbers_of_priors_are_checked() {
    for (distribution, field) in [
        (json!({"kind": "normal", "mean": 0, "sd": 0}), "sd"),
        (json!({"kind": "logNormal", "mean": 0, "sd": -1}), "sd"),
        (json!({"kind": "uniform", "min": 1, "max": 1}), "max"),
        (json!({"kind": "uniform", "min": -1e308, "max": 1e308}), "max"),
        (json!({"kind": "logUniform", "min": 0, "max": 1}), "min"),
        (json!({"kind": "logUniform", "min": 2, "max": 1}), "max"),
        (json!({"kind": "exponential", "rate": 0}), "rate"),
        (json!({"kind": "halfNormal", "scale": 0}), "scale"),
        (json!({"kind": "laplace", "location": 0, "scale": 0}), "scale"),
        (json!({"kind": "cauchy", "location": 0, "scale": -2}), "scale"),
        (json!({"kind": "halfCauchy", "scale": 0}), "scale"),
        (json!({"kind": "gamma", "shape": 0.01, "rate": 1}), "shape"),
        (json!({"kind": "gamma", "shape": 1, "rate": 0}), "rate"),
        (json!({"kind": "inverseGamma", "shape": 1e5, "scale": 1}), "shape"),
        (json!({"kind": "inverseGamma", "shape": 1, "scale": 0}), "scale"),
        (json!({"kind": "beta", "a": 0, "b": 1}), "a"),
        (json!({"kind": "beta", "a": 1, "b": 20_000}), "b"),
    ] {
        let model = typed(&[("ok", normal()), ("t", distribution)], "0", Value::Null);
        refused(model, &format!("model.prior[1].distribution.{field}"), "must be");
    }
}

#[test]
fn other_models_have_no_parameters() {
    let job = json!({
        "verb": "energies", "model": {"kind": "ring"}, "states": [1, 2], "parameters": true,
    });
    let error = crate::common::job_of(&job, None).err().expect("refused");
    assert_eq!(error.field(), Some("parameters"), "{error}");
}
