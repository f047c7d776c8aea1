//! What has no such objective is refused by the name of the field.

use super::normals;
use crate::common::{job_of, with};
use serde_json::{Value, json};

fn refused(fields: &Value) -> unnorm::Error {
    let spec =
        with(json!({"verb": "fit", "seed": 1, "objective": {"kind": "noiseContrastive"}}), fields);
    job_of(&spec, None).err().unwrap_or_else(|| panic!("accepted: {spec}"))
}

#[test]
fn what_does_not_suit_is_refused_by_name() {
    let gaussian = json!({"kind": "gaussian", "dim": 2});
    let states = normals(40, 1);
    let flat: Vec<f64> = normals(20, 2).iter().flat_map(|x| [*x, 2.0 * x + 1.0]).collect();
    let constant: Vec<f64> = normals(20, 3).iter().flat_map(|x| [7.1, *x]).collect();
    let data = json!({"kind": "rows", "rows": [[0, 1, 1], [1, 0, 0], [1, 1, 0]]});
    let ising = json!({"kind": "ising", "dim": 3});
    let metric = json!({"kind": "metric", "metric": "fisher", "form": "full"});
    for (fields, field, words) in [
        (
            json!({"model": gaussian, "states": states, "optimizer": {"kind": "sgd"}}),
            "optimizer",
            "use lbfgs",
        ),
        (
            json!({"model": ising, "data": data, "optimizer": {"kind": "adam"}}),
            "optimizer",
            "use lbfgs",
        ),
        (
            json!({"model": ising, "data": data, "optimizer": {"kind": "lbfgs", "coordinates": metric}}),
            "optimizer.coordinates.kind",
            "use model or params",
        ),
        (
            json!({"model": gaussian, "states": states,
                "objective": {"kind": "noiseContrastive", "numNoise": 0}}),
            "objective.numNoise",
            "1",
        ),
        (
            json!({"model": gaussian, "states": states,
                "objective": {"kind": "noiseContrastive", "numNoise": 1001}}),
            "objective.numNoise",
            "1000",
        ),
        (json!({"model": gaussian, "states": flat}), "states", "covariance is singular: column 1"),
        (json!({"model": gaussian, "states": constant}), "states", "column 0 is constant"),
        (json!({"model": gaussian, "states": [1, 2]}), "states", "too few rows"),
        (
            json!({"model": {"kind": "gaussian", "dim": 257}, "states": vec![0.5; 257]}),
            "objective.kind",
            "257 entries",
        ),
        (
            json!({"model": {"kind": "potts", "numSites": 1, "numValues": 3},
                "data": {"kind": "rows", "rows": [[0, 1, 0]]}}),
            "objective.kind",
            "pseudolikelihood",
        ),
        (
            json!({"model": {"kind": "replicatedSoftmax", "numWords": 2, "numHidden": 1}, "states": [1, 0, 2, 3]}),
            "objective.kind",
            "softmax units",
        ),
        (
            json!({"model": {"kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "laplace"}, "states": states}),
            "objective.kind",
            "expectationMaximization",
        ),
        (
            json!({"model": {"kind": "formula", "expression": "x^2"}, "states": states}),
            "model.params",
            "values to start from",
        ),
        (
            json!({"model": {"kind": "formula", "expression": "a*x^2", "params": {"a": 1},
                "constraints": [{"normal": [1], "offset": 0}]}, "states": [1, -1, 2]}),
            "states",
            "outside of the model's constraints",
        ),
        (
            json!({"model": gaussian, "states": states, "errors": true,
                "regularizer": {"kind": "l1", "strength": 0.1}}),
            "errors",
            "L1 penalty",
        ),
    ] {
        let error = refused(&fields);
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// A stack is fitted machine by machine; without errors nothing of c is in the result.
#[test]
fn stacks_are_fitted_machine_by_machine() {
    let rows: Vec<Vec<u8>> = (0..60u32)
        .map(|row| (0..4).map(|site| ((row * 7919) >> site & 1) as u8).collect())
        .collect();
    let spec = json!({
        "verb": "fit", "model": {"kind": "dbn", "sizes": [4, 3, 2]}, "seed": 1,
        "data": {"kind": "rows", "rows": rows}, "init": {"kind": "normal", "scale": 0.1},
        "objective": {"kind": "noiseContrastive"}, "optimizer": {"kind": "lbfgs", "maxIterations": 5},
    });
    let result = crate::common::fitted(job_of(&spec, None).expect("a sound job"));
    assert_eq!(result.layers.expect("machines").len(), 2);
    assert!(result.objective.is_finite() && result.errors.is_none());
}
