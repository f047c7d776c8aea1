//! Specs that make no sense for models of tables.

use super::{attributes, clustering, fixed, rows, sample_spec, sampled};
use crate::common::{job_of, with};
use serde_json::{Value, json};

/// The field and the problem that a spec is refused for.
fn refused(spec: &Value) -> (String, String) {
    let error = job_of(spec, None).err().unwrap_or_else(|| panic!("taken: {spec}"));
    (error.field().expect("a field").into(), error.to_string())
}

fn check(spec: &Value, field: &str, words: &str) {
    let (found, problem) = refused(spec);
    assert_eq!(found, field, "{problem}");
    assert!(problem.contains(words), "{problem}");
}

#[test]
fn sampling_is_refused_what_makes_no_sense() {
    let model = clustering(fixed(), rows());
    for (fields, field, words) in [
        (json!({"transition": {"kind": "hmc"}}), "transition.kind", "say gibbs"),
        (json!({"transition": {"kind": "blockGibbs"}}), "transition.kind", "say gibbs"),
        (
            json!({"transition": {"kind": "parallelTempering", "transition": {"kind": "gibbs"}}}),
            "transition.kind",
            "say gibbs",
        ),
        (
            json!({"transition": {"kind": "gibbs", "scan": "random"}}),
            "transition.scan",
            "systematic",
        ),
        (json!({"start": {"kind": "exact"}}), "start.kind", "draws of the prior"),
        (json!({"start": {"kind": "states", "states": [1]}}), "start.kind", "leave it out"),
        (
            json!({"start": {"kind": "data", "data": {"kind": "rows", "rows": [[1, 0]]}}}),
            "start.kind",
            "leave it out",
        ),
        (json!({"observed": {"sites": [0], "values": [1]}}), "observed", "model.states"),
        (json!({"moments": true}), "moments", "leave it out"),
        (json!({"recordPath": true}), "recordPath", "leave it out"),
        (json!({"numChains": 0}), "numChains", "1"),
        (json!({"numDraws": 100_000_000, "numChains": 100}), "numDraws", "are kept"),
    ] {
        check(&sample_spec(&model, &fields), field, words);
    }
    // These say nothing, and are taken.
    let fields = json!({"moments": false, "energies": true, "recordPath": false, "start": {"kind": "random"}});
    assert!(job_of(&sample_spec(&model, &fields), None).is_ok());
}

#[test]
fn models_are_checked_by_both_verbs() {
    for (fields, field, words) in [
        (json!({"states": null}), "model.states", "are missing"),
        (json!({"states": [1, 2, 3]}), "model.states", "a row has 2"),
        (json!({"states": []}), "model.states", "one row or more"),
        (json!({"states": [1, 1e9]}), "model.states[1]", "scale the table"),
        (json!({"dim": 0}), "model.dim", "0"),
        (json!({"numClusters": 65}), "model.numClusters", "64"),
        (json!({"concentration": -1}), "model.concentration", "-1"),
        (json!({"variances": {"kind": "fixed", "noise": 0}}), "model.variances.noise", "0"),
    ] {
        let model = with(clustering(fixed(), rows()), &fields);
        check(&sample_spec(&model, &json!({})), field, words);
        check(&json!({"verb": "exact", "model": model}), field, words);
    }
}

#[test]
fn exact_is_refused_large_tables_and_the_fields_of_others() {
    let spec =
        |model: Value, fields: Value| with(json!({"verb": "exact", "model": model}), &fields);
    let many = json!(vec![0.5; 100]);
    let seven = json!(vec![0.5; 14]);
    let factors = json!({"kind": "lowRank", "dim": 2, "numFactors": 1, "states": rows()});
    for (spec, field, words) in [
        (spec(clustering(fixed(), many), json!({})), "model.states", "1048576"),
        (spec(attributes(sampled(), seven), json!({})), "model.states", "572"),
        (spec(factors, json!({})), "model.kind", "one row or one column"),
        (
            spec(clustering(fixed(), rows()), json!({"data": {"kind": "rows", "rows": [[1, 0]]}})),
            "data",
            "model.states",
        ),
        (
            spec(clustering(fixed(), rows()), json!({"connectivity": {"kind": "singleFlips"}})),
            "connectivity",
            "leave it out",
        ),
        (
            spec(clustering(fixed(), rows()), json!({"observed": {"sites": [0], "values": [1]}})),
            "observed",
            "leave it out",
        ),
    ] {
        check(&spec, field, words);
    }
}

#[test]
fn other_verbs_say_which_take_models_of_tables() {
    let model = clustering(fixed(), rows());
    for spec in [
        json!({"verb": "fit", "model": model, "states": [1, 2]}),
        json!({"verb": "fit", "model": model, "data": {"kind": "rows", "rows": [[1, 0]]}}),
        json!({"verb": "logZ", "model": model, "numChains": 4, "numDistributions": 10}),
        json!({"verb": "energies", "model": model, "states": [1, 2]}),
        json!({"verb": "mode", "model": model}),
        json!({"verb": "recall", "model": model, "cues": {"kind": "rows", "rows": [[1, 0]]}}),
        json!({"verb": "chain", "model": model, "transition": {"kind": "gibbs"}}),
        json!({
            "verb": "spline", "model": model, "reference": {"kind": "independent", "logOdds": [0, 0]},
            "momentAverages": {
                "knots": [0.5], "moments": {"kind": "exact"}, "matching": {"kind": "exact"},
            },
        }),
    ] {
        let (field, problem) = refused(&spec);
        assert_eq!(field, "model.kind", "{problem}: {spec}");
        for verb in ["`sample`", "`exact`", "`evidence`"] {
            assert!(problem.contains(verb), "{problem}: {spec}");
        }
    }
}

#[test]
fn evidence_has_its_own_field_for_the_rows() {
    let model = clustering(fixed(), rows());
    check(&json!({"verb": "evidence", "model": model}), "model.states", "move them to states");
    let spec = json!({"verb": "evidence", "model": model, "states": rows()});
    check(&spec, "model.states", "move them to states");
}
