//! What is said of specs with values of the wrong type names no type of Rust's.

use crate::common::spec_of;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Names of the structs and enums of the sources.
fn type_names(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            type_names(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            while let Some(word) = words.next() {
                if word == "struct" || word == "enum" {
                    names.extend(
                        words
                            .next()
                            .filter(|name| name.starts_with(char::is_uppercase))
                            .map(str::to_string),
                    );
                }
            }
        }
    }
}

/// Paths of all values in a tree, its own first.
fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.into());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| paths(value, &format!("{path}/{name}"), found));
        }
        Value::Array(values) => {
            let first = values.iter().take(2).enumerate();
            first.for_each(|(index, value)| paths(value, &format!("{path}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn no_message_names_a_type_of_rust() {
    let mut names = BTreeSet::new();
    type_names(Path::new("src"), &mut names);
    assert!(names.contains("FitSpec") && names.contains("Rate"));
    let more = [
        "usize", "u8", "u32", "u64", "i64", "f64", "struct", "enum", "tuple", "newtype", "Option",
        "Vec",
    ];
    names.extend(more.map(str::to_string));

    let wrong = [
        json!(null),
        json!(true),
        json!(0.05),
        json!(-1),
        json!(1e300),
        json!("x"),
        json!([]),
        json!(["x"]),
        json!({}),
        json!({"kind": 3}),
        json!({"kind": "x"}),
        json!({"x": 1}),
    ];
    let mut num_refused = 0;
    for entry in std::fs::read_dir("tests/golden").expect("the folder") {
        let golden = crate::golden::read(&entry.expect("an entry").path());
        let mut spec = golden["spec"].clone();
        if spec["data"].is_object() {
            spec["data"] = json!({"kind": "rows", "rows": [[0, 1], [1, 0]]});
        }
        let mut all = Vec::new();
        paths(&spec, "", &mut all);
        for path in all {
            for value in &wrong {
                let mut changed = spec.clone();
                *changed.pointer_mut(&path).expect("a path of the spec") = value.clone();
                let Err(error) = spec_of(&changed).and_then(|mut spec| spec.check()) else {
                    continue;
                };
                num_refused += 1;
                let said = error.to_string();
                // What is quoted is the spec's own.
                let words = said.split(['`', '"']).step_by(2);
                let words = words.flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
                let named: Vec<_> = words.filter(|word| names.contains(*word)).collect();
                assert!(named.is_empty(), "{path} = {value}: {said} names {named:?}");
            }
        }
    }
    assert!(num_refused > 5_000, "{num_refused}");
}

#[test]
fn a_rate_may_be_a_number() {
    let fit = |rate: Value| {
        spec_of(&json!({"verb": "fit", "model": {"kind": "ising", "dim": 2}, "seed": 1,
            "objective": {"kind": "persistentContrastiveDivergence"},
            "optimizer": {"kind": "sgd", "learningRate": rate, "batchSize": 7}}))
    };
    assert_eq!(fit(json!(0.05)).unwrap(), fit(json!({"start": 0.05, "end": 0.05})).unwrap());
    assert_eq!(fit(json!(1)).unwrap(), fit(json!({"start": 1, "end": 1})).unwrap());
    let said = fit(json!("fast")).unwrap_err().to_string();
    assert!(said.contains("expected a number, or an object with start and end"), "{said}");
    let said = fit(json!({"start": 1})).unwrap_err().to_string();
    assert!(said.contains("missing field `end`"), "{said}");
    assert!(fit(json!(-1)).unwrap().check().is_err());
}

#[test]
fn chains_are_as_many_as_follow_from_the_rest_of_the_spec() {
    let rows = json!({"kind": "rows", "rows": [[0, 1], [1, 0], [1, 1]]});
    let resolved = |objective: Value, optimizer: Value| {
        let job = crate::common::job_of(
            &json!({"verb": "fit", "model": {"kind": "ising", "dim": 2}, "seed": 1, "data": rows,
                "objective": objective, "optimizer": optimizer}),
            None,
        );
        serde_json::to_value(job.unwrap().spec()).unwrap()["objective"].clone()
    };
    let sgd = json!({"kind": "sgd", "batchSize": 7});
    let persistent = resolved(json!({"kind": "persistentContrastiveDivergence"}), sgd.clone());
    assert_eq!((&persistent["numChains"], &persistent["numSteps"]), (&json!(7), &json!(1)));
    assert_eq!(resolved(json!({"kind": "contrastiveDivergence"}), sgd)["numSteps"], json!(1));
    let lbfgs = json!({"kind": "lbfgs"});
    let flow = resolved(json!({"kind": "persistentMpf"}), lbfgs.clone());
    assert_eq!((&flow["numChains"], &flow["numSteps"]), (&json!(3), &json!(10)));
    assert_eq!(
        resolved(json!({"kind": "mpf"}), lbfgs)["connectivity"]["kind"],
        json!("singleFlips")
    );
}
