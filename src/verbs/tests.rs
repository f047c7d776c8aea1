//! Values that JavaScript may pass, and the errors for invalid ones.

use super::JobSpec;
use crate::arrays::{Array, put_arrays, take_arrays};
use crate::fit::job::spec::FitSpec;
use crate::value::Value;

fn fields(fields: &[(&str, Value)]) -> Value {
    Value::Fields(fields.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())
}

fn ising() -> Value {
    fields(&[
        ("kind", Value::Text("ising".into())),
        ("dim", Value::Number(2.0)),
        ("couplings", Value::Numbers(vec![0.5, 1.0, 1.0, -0.0])),
    ])
}

/// A sum of two Ising models, the second with this weight.
fn combined(weight: Value) -> Value {
    let part = |weight| fields(&[("model", ising()), ("weight", weight)]);
    let parts = Value::List(vec![part(Value::Number(1.0)), part(weight)]);
    fields(&[
        ("kind", Value::Text("combined".into())),
        ("how", Value::Text("sum".into())),
        ("parts", parts),
    ])
}

fn fit(mut spec: Value) -> crate::Result<JobSpec> {
    if let Value::Fields(fields) = &mut spec {
        fields.push(("verb".into(), Value::Text("fit".into())));
    }
    JobSpec::from_value(spec)
}

fn error_of(spec: Value) -> String {
    fit(spec).expect_err("refused").to_string()
}

#[test]
fn reads_what_serde_json_reads() {
    let spec = fields(&[
        ("model", ising()),
        ("seed", Value::Number(3.0)),
        ("objective", fields(&[("kind", Value::Text("mpf".into()))])),
    ]);
    let json = r#"{"model": {"kind": "ising", "dim": 2, "couplings": [0.5, 1, 1, -0.0]}, "seed": 3,
                   "objective": {"kind": "mpf"}}"#;
    let straight: FitSpec = serde_json::from_str(json).expect("a sound spec");
    assert_eq!(fit(spec), Ok(JobSpec::Fit(straight.clone())));
    let tree: Value = serde_json::from_str(json).expect("a tree");
    assert_eq!(fit(tree), Ok(JobSpec::Fit(straight)));
}

#[test]
fn bytes_are_numbers_where_numbers_are_wanted() {
    let with = |couplings| {
        let model = fields(&[
            ("kind", Value::Text("ising".into())),
            ("dim", Value::Number(2.0)),
            ("couplings", couplings),
        ]);
        fit(fields(&[("model", model)]))
    };
    let numbers = with(Value::Numbers(vec![1.0, 0.0, 0.0, 255.0]));
    assert!(numbers.is_ok());
    assert_eq!(with(Value::Bytes(vec![1, 0, 0, 255])), numbers);
}

#[test]
fn unknown_fields_are_refused_wherever_they_stand() {
    let odd = ("odd", Value::Bool(true));
    let kind = |kind: &str| ("kind", Value::Text(kind.into()));
    let error = error_of(fields(&[("model", ising()), odd.clone()]));
    assert!(error.starts_with("odd: unknown field `odd`"), "{error}");
    for (field, kind) in [
        ("model", kind("ising")),
        ("objective", kind("mpf")),
        ("optimizer", kind("lbfgs")),
        ("init", kind("model")),
        ("data", kind("rows")),
    ] {
        let inner = fields(&[kind, odd.clone()]);
        let others = fields(&[("model", ising())]);
        let Value::Fields(mut spec) = others else { unreachable!() };
        spec.retain(|(name, _)| name != field);
        spec.push((field.into(), inner));
        let error = error_of(Value::Fields(spec));
        assert!(error.starts_with(&format!("{field}.odd: unknown field `odd`")), "{error}");
    }
    let empty = fields(&[kind("mpf"), ("connectivity", fields(&[kind("singleFlips"), odd]))]);
    let error = error_of(fields(&[("model", ising()), ("objective", empty)]));
    assert!(error.ends_with("unknown field `odd`, expected only `kind`"), "{error}");
}

#[test]
fn errors_name_the_field() {
    let with = |name: &str, value: Value| fields(&[("model", ising()), (name, value)]);
    for (spec, expected) in [
        (
            with("seed", Value::Number(1.5)),
            "seed: invalid type: number `1.5`, expected an integer from 0",
        ),
        (
            with("seed", Value::Number(-1.0)),
            "seed: invalid value: number `-1`, expected an integer from 0",
        ),
        (with("seed", Value::Number(9_007_199_254_740_992.0)), "seed: invalid type: number"),
        (
            with("seed", Value::Text("1".into())),
            "seed: invalid type: string \"1\", expected an integer",
        ),
        (fields(&[]), "spec: missing field `model`"),
        (Value::Numbers(vec![]), "spec: is not an object"),
        (
            with(
                "optimizer",
                fields(&[("kind", Value::Text("lbfgs".into())), ("memory", Value::Number(-2.0))]),
            ),
            "optimizer.memory: invalid value: number `-2`, expected a whole number, 0 or more",
        ),
        (with("init", fields(&[])), "init: missing field `kind`"),
        (
            with("init", fields(&[("kind", Value::Number(1.0))])),
            "init.kind: invalid type: number `1`, expected the name of a kind",
        ),
        (
            with("init", fields(&[("kind", Value::Text("odd".into()))])),
            "init.kind: unknown variant `odd`, expected",
        ),
        (
            fields(&[("model", combined(Value::Text("1".into())))]),
            "model.parts[1].weight: invalid type: string \"1\", expected a number",
        ),
        (
            with("init", Value::Number(2.0)),
            "init: invalid type: number `2`, expected an object with a kind",
        ),
    ] {
        let error = error_of(spec);
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(fit(with("seed", Value::Null)).is_ok());
}

#[test]
fn large_arrays_arrive_whole_by_their_own_way() {
    let dim = 48;
    let couplings: Vec<f64> = (0..dim * dim).map(|at| ((at % dim) * (at / dim)) as f64).collect();
    let model = |couplings: Vec<f64>| {
        fields(&[
            ("kind", Value::Text("ising".into())),
            ("dim", Value::Number(dim as f64)),
            ("couplings", Value::Numbers(couplings)),
        ])
    };
    let Ok(JobSpec::Fit(spec)) = fit(fields(&[("model", model(couplings.clone()))])) else {
        panic!("refused");
    };
    let crate::models::ModelSpec::Ising(ising) = &spec.model else { panic!("of another kind") };
    assert_eq!(ising.couplings.as_ref(), Some(&couplings));
    let mut tree = fields(&[("list", Value::List(vec![Value::Null, model(couplings.clone())]))]);
    let before = tree.clone();
    let arrays = tree.take_large();
    let path: Vec<_> = ["list", "1", "couplings"].map(String::from).to_vec();
    assert_eq!(arrays, [(path, couplings)]);
    assert_ne!(tree, before);
    tree.put_back(arrays);
    assert_eq!(tree, before);
}

#[test]
fn arrays_are_found_in_kinds_lists_and_options() {
    let betas = Value::Numbers(vec![0.0, 0.5, 1.0]);
    let spec = JobSpec::from_value(fields(&[
        ("verb", Value::Text("logZ".into())),
        ("model", combined(Value::Number(2.0))),
        ("numChains", Value::Number(2.0)),
        ("numDistributions", Value::Number(2.0)),
        ("schedule", fields(&[("kind", Value::Text("given".into())), ("betas", betas)])),
    ]));
    let mut spec = spec.expect("a sound spec");
    let before = spec.clone();
    let taken = take_arrays(&mut spec);
    let couplings = Array::F64(vec![0.5, 1.0, 1.0, -0.0]);
    let found: Vec<_> = taken.iter().map(|(path, array)| (path.join("."), array)).collect();
    let expected = [
        ("model.parts.0.model.couplings", &couplings),
        ("model.parts.1.model.couplings", &couplings),
        ("schedule.betas", &Array::F64(vec![0.0, 0.5, 1.0])),
    ];
    assert_eq!(found, expected.map(|(path, array)| (path.to_string(), array)));
    assert_ne!(spec, before);
    put_arrays(&mut spec, taken);
    assert_eq!(spec, before);
}

#[test]
fn large_arrays_without_a_place_of_their_own_are_seen_whole() {
    let betas: Vec<f64> = (0..=2000).map(|at| f64::from(at) / 2000.0).collect();
    let schedule =
        fields(&[("kind", Value::Text("given".into())), ("betas", Value::Numbers(betas.clone()))]);
    let spec = |schedule| {
        JobSpec::from_value(fields(&[
            ("verb", Value::Text("logZ".into())),
            ("model", ising()),
            ("numChains", Value::Number(2.0)),
            ("numDistributions", Value::Number(2000.0)),
            ("schedule", schedule),
        ]))
    };
    let Ok(JobSpec::LogZ(read)) = spec(schedule) else { panic!("refused") };
    let text = format!("{:?}", read.schedule);
    assert!(text.contains("0.0005, 0.001, 0.0015"), "{text}");
    let large = || Value::Numbers(vec![1.5; 2000]);
    let error = spec(large()).expect_err("refused").to_string();
    assert!(
        error.starts_with("schedule: invalid type: array, expected an object with a kind"),
        "{error}"
    );
    let odd = fields(&[("model", ising()), ("odd", large())]);
    assert!(error_of(odd).starts_with("odd: unknown field `odd`"));
    let seed = fields(&[("model", ising()), ("seed", large())]);
    let error = error_of(seed);
    assert!(error.starts_with("seed: invalid type: array"), "{error}");
}
