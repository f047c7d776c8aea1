//! Specs that are no chains.

use crate::common::job_of;
use serde_json::{Value, json};

#[track_caller]
fn refused(mut spec: Value, code: &str, field: &str) {
    spec["verb"] = json!("chain");
    let error = job_of(&spec, None).err().expect("a refusal");
    assert_eq!((error.code(), error.field()), (code, Some(field)), "{error}");
}

#[test]
fn chains_are_given_in_one_way() {
    let model = json!({"kind": "ising", "dim": 2});
    let line = json!({"up": [0.5, 0], "down": [0, 0.5]});
    refused(json!({}), "invalid-spec", "transitions");
    refused(json!({"transitions": [1], "birthDeath": line}), "invalid-spec", "birthDeath");
    refused(json!({ "model": model }), "invalid-spec", "transition");
    refused(
        json!({"transitions": [1], "transition": {"kind": "gibbs"}}),
        "invalid-spec",
        "transition",
    );
    refused(json!({"weights": [1]}), "invalid-spec", "proposal");
    refused(json!({"transitions": [1], "proposal": [1]}), "invalid-spec", "proposal");
    for epsilon in [0.0, 1.0, -0.5] {
        refused(json!({"transitions": [1], "epsilon": epsilon}), "invalid-spec", "epsilon");
    }
}

#[test]
fn rows_are_probabilities() {
    refused(json!({"transitions": []}), "invalid-spec", "transitions");
    refused(json!({"transitions": [1, 0]}), "invalid-spec", "transitions");
    refused(json!({"transitions": [1, 0, 0.5, 0.4]}), "invalid-spec", "transitions");
    refused(json!({"transitions": [1, 0, 1.5, -0.5]}), "invalid-spec", "transitions[3]");
    refused(json!({"transitions": vec![1.0; 1025 * 1025]}), "too-large", "transitions");
    refused(json!({"weights": [1, 0], "proposal": [1, 0, 0, 1]}), "invalid-spec", "weights[1]");
    refused(json!({"weights": [1], "proposal": [1, 0, 0, 1]}), "invalid-spec", "weights");
    let apart = json!({"weights": [1e-300, 1e300], "proposal": [1, 0, 0, 1]});
    refused(apart, "invalid-spec", "weights[0]");
}

#[test]
fn lines_are_whole() {
    let line = |up: Value, down: Value| json!({"birthDeath": {"up": up, "down": down}});
    refused(line(json!([0]), json!([0])), "invalid-spec", "birthDeath.up");
    refused(line(json!([0.5, 0]), json!([0])), "invalid-spec", "birthDeath.down");
    refused(line(json!([0.5, 0.5]), json!([0, 0.5])), "invalid-spec", "birthDeath.up[1]");
    refused(line(json!([0.5, 0]), json!([0.1, 0.5])), "invalid-spec", "birthDeath.down[0]");
    refused(line(json!([0.0, 0]), json!([0, 0.5])), "invalid-spec", "birthDeath.up[0]");
    refused(line(json!([0.5, 0.7, 0]), json!([0, 0.5, 1])), "invalid-spec", "birthDeath.down[1]");
    let model = |num_spins: usize, beta: f64| json!({"curieWeiss": {"numSpins": num_spins, "beta": beta}, "transition": {"kind": "singleSite", "rule": "gibbs"}});
    let swept = json!({"curieWeiss": {"numSpins": 4, "beta": 1}, "transition": {"kind": "gibbs"}});
    refused(swept, "invalid-spec", "transition.kind");
    let alone = json!({"curieWeiss": {"numSpins": 4, "beta": 1}});
    refused(alone, "invalid-spec", "transition");
    refused(model(0, 1.0), "invalid-spec", "curieWeiss.numSpins");
    refused(model(10, -1.0), "invalid-spec", "curieWeiss.beta");
    refused(model(10, 1000.0), "invalid-spec", "curieWeiss.beta");
}

#[test]
fn models_are_binary_and_small() {
    let chain = |model: Value, kind: &str| json!({"model": model, "transition": {"kind": kind}});
    let ising = |dim: usize| json!({"kind": "ising", "dim": dim});
    refused(chain(ising(11), "gibbs"), "too-large", "model.dim");
    refused(chain(json!({"kind": "ring"}), "gibbs"), "missing-capability", "model.kind");
    refused(chain(ising(3), "blockGibbs"), "missing-capability", "model.kind");
    let machine =
        |num_hidden: usize| json!({"kind": "rbm", "numVisible": 3, "numHidden": num_hidden});
    refused(chain(machine(2), "swendsenWang"), "missing-capability", "model.kind");
    refused(chain(machine(11), "blockGibbs"), "too-large", "model.numHidden");
}
