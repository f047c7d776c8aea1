//! Posteriors of the hidden variables of tables: `sample` against `exact`, and `exact` against normal
//! distributions of whole tables; what is refused; and what is warned about.
//!
//! That a sweep leaves the posterior invariant is held by Geweke's test of the same chains
//! (`evidence/geweke.rs`).

mod draws;
mod exact;
mod refusals;

use crate::common::{finished, job_of, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::exact::ExactResult;
use unnorm::sample::{LatentResult, SampleOutput};

/// Six rows of two columns, in two lumps.
fn rows() -> Value {
    json!([1.5, -0.2, 2.1, 0.3, 0.4, 0.1, -1.7, 0.4, -0.6, -0.1, -1.4, 0.6])
}

fn fixed() -> Value {
    json!({"kind": "fixed", "signal": 1.5, "noise": 0.7})
}

/// Shapes at which squares of variances have finite means, too.
fn sampled() -> Value {
    json!({"kind": "sampled", "shape": 6, "scale": 5})
}

fn clustering(variances: Value, states: Value) -> Value {
    json!({
        "kind": "clustering", "dim": 2, "numClusters": 2, "concentration": 0.8, "variances": variances,
        "states": states,
    })
}

fn attributes(variances: Value, states: Value) -> Value {
    json!({
        "kind": "binaryAttributes", "dim": 2, "numAttributes": 2, "priorOn": 0.7, "priorOff": 1.2,
        "variances": variances, "states": states,
    })
}

/// Of one column, which is what `exact` has.
fn low_rank(variances: Value) -> Value {
    json!({
        "kind": "lowRank", "dim": 1, "numFactors": 2, "variances": variances,
        "states": [1.5, -0.2, 2.1, 0.3, -1.9],
    })
}

fn exact(model: &Value) -> ExactResult {
    match unnorm::run(json!({"verb": "exact", "model": model})).expect("no error") {
        JobResult::Exact(result) => result,
        _ => unreachable!(),
    }
}

fn sample_spec(model: &Value, fields: &Value) -> Value {
    let spec = json!({
        "verb": "sample", "model": model, "transition": {"kind": "gibbs"}, "numChains": 4,
        "numWarmup": 100, "numDraws": 500, "seed": 1,
    });
    with(spec, fields)
}

fn sample(model: &Value, fields: &Value) -> LatentResult {
    match finished(job_of(&sample_spec(model, fields), None).expect("a sound spec")) {
        JobResult::Sample(SampleOutput::Latent(result)) => *result,
        _ => unreachable!(),
    }
}
