//! What cannot be observed is refused before work starts, by field.

use crate::common::job_of;
use serde_json::{Value, json};

fn field(spec: &Value) -> String {
    let error = job_of(spec, None).err().unwrap_or_else(|| panic!("accepted: {spec}"));
    error.field().map_or_else(|| error.to_string(), str::to_owned)
}

#[test]
fn mistakes_are_named() {
    let observed = json!({"sites": [1], "values": [1]});
    let sample = |fields: Value| {
        let spec = json!({
            "verb": "sample", "model": {"kind": "ising", "dim": 3}, "transition": {"kind": "gibbs"},
            "numChains": 2, "numWarmup": 1, "numDraws": 1, "seed": 1, "observed": observed,
        });
        field(&crate::common::with(spec, &fields))
    };
    assert_eq!(sample(json!({"observed": {"sites": [3], "values": [1]}})), "observed.sites[0]");
    assert_eq!(sample(json!({"observed": {"sites": [1], "values": [0.5]}})), "observed.values[0]");
    assert_eq!(sample(json!({"observed": {"sites": [1], "values": []}})), "observed.values");
    assert_eq!(
        sample(json!({"observed": {"sites": [0, 1, 2], "values": [1, 1, 1]}})),
        "observed.sites"
    );
    let rows = json!({"kind": "data", "data": {"kind": "values", "dim": 2, "values": [1, 0]}});
    assert_eq!(sample(json!({"start": rows})), "model.dim");
    let log_z = |fields: Value| {
        let spec = json!({
            "verb": "logZ", "model": {"kind": "ising", "dim": 3}, "numChains": 2, "numDistributions": 2,
            "seed": 1, "observed": observed,
        });
        field(&crate::common::with(spec, &fields))
    };
    let rows = json!({"kind": "values", "dim": 3, "values": [1, 1, 0, 1, 0, 0]});
    assert_eq!(log_z(json!({"data": rows})), "observed.values");
    assert_eq!(
        log_z(json!({"reference": {"kind": "independent", "logOdds": [0, 0]}})),
        "reference.logOdds"
    );
    let knots = json!({"kind": "knots", "betas": [0.5], "params": [0, 0, 0, 0, 0, 0]});
    assert_eq!(log_z(json!({"path": knots})), "path.kind");
    assert_eq!(log_z(json!({"secondPath": {"path": knots}})), "secondPath.path.kind");
    let gaussian = json!({"kind": "gaussian", "dim": 3});
    let on_reals = |fields: Value| log_z(crate::common::with(json!({"model": gaussian}), &fields));
    let model = json!({"kind": "model", "model": {"kind": "gaussian", "dim": 2}});
    assert_eq!(on_reals(json!({"reference": model})), "reference.model.dim");
    let model =
        json!({"kind": "model", "model": {"kind": "studentT", "dim": 3, "degreesOfFreedom": 3}});
    assert_eq!(on_reals(json!({"reference": model})), "reference.model.kind");
    assert_eq!(on_reals(json!({"states": [0, 0.5, 0]})), "observed.values");
    assert_eq!(on_reals(json!({"states": [0, 1]})), "states");
    let generative =
        json!({"kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "gaussian"});
    let rows = json!({"model": generative, "states": [0.5, 0.1]});
    assert_eq!(log_z(rows), "observed");
}
