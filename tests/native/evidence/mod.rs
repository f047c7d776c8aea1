//! Evidence of tables under models with hidden variables: exact values, laws of the estimators, Geweke's
//! test on the rows, and errors.

mod bounds;
mod compositional;
mod estimators;
mod geweke;
mod truths;

use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::evidence::report::EvidenceResult;

/// y_ij = A sin(1 + 1.3 i + 2.1 j² + 0.7 i j), i and j from 1.
fn waves(num_rows: usize, num_cols: usize, size: f64) -> Vec<f64> {
    (0..num_rows * num_cols)
        .map(|at| {
            let [i, j] = [(at / num_cols + 1) as f64, (at % num_cols + 1) as f64];
            size * unnorm::math::sin(1.0 + 1.3 * i + 2.1 * j * j + 0.7 * i * j)
        })
        .collect()
}

fn run(mut spec: Value) -> EvidenceResult {
    spec["verb"] = json!("evidence");
    match unnorm::run(spec).expect("no error") {
        JobResult::Evidence(result) => result,
        _ => unreachable!(),
    }
}

fn fixed() -> Value {
    json!({"kind": "fixed"})
}

fn clustering(dim: usize, num_clusters: usize, variances: Value) -> Value {
    json!({"kind": "clustering", "dim": dim, "numClusters": num_clusters, "variances": variances})
}

fn low_rank(dim: usize, num_factors: usize, variances: Value) -> Value {
    json!({"kind": "lowRank", "dim": dim, "numFactors": num_factors, "variances": variances})
}

/// Of two clusters of the columns.
fn clustered_low_rank(dim: usize, num_factors: usize, variances: Value) -> Value {
    json!({
        "kind": "clusteredLowRank", "dim": dim, "numFactors": num_factors, "numClusters": 2,
        "variances": variances,
    })
}

fn binary(dim: usize, num_attributes: usize, variances: Value) -> Value {
    json!({
        "kind": "binaryAttributes", "dim": dim, "numAttributes": num_attributes, "variances": variances,
    })
}
