//! Specs of memories, and the jobs they make.

use serde_json::{Value, json};
use unnorm::Job;
use unnorm::JobResult;
use unnorm::JobSpec;
use unnorm::bits::BitMatrix;
use unnorm::models::ModelSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::rng::{Purpose, stream, uniform};
use unnorm::sample::Draws;

/// Random patterns.
pub fn patterns(dim: usize, count: usize, seed: u64) -> BitMatrix {
    let mut rng = stream(seed, Purpose::Example, (dim * count) as u64);
    let mut rows = BitMatrix::zeros(dim, count);
    for row in rows.rows_mut() {
        for site in 0..dim {
            row[site / 64] |= u64::from(uniform(&mut rng) < 0.5) << (site % 64);
        }
    }
    rows
}

/// Rows of up to 64 bits.
pub fn rows_of(dim: usize, states: &[u64]) -> BitMatrix {
    let mut rows = BitMatrix::zeros(dim, states.len());
    rows.rows_mut().zip(states).for_each(|(row, state)| row[0] = *state);
    rows
}

/// A dense model with random couplings.
pub fn coupled(dim: usize, seed: u64) -> IsingSpec {
    IsingSpec::random(dim, Pattern::Dense {}, 0.5, seed)
}

pub fn bits_of(draws: &Draws) -> BitMatrix {
    BitMatrix::from_bytes(draws.dim, draws.num_rows, &draws.bits).expect("sound bits")
}

fn data(rows: &BitMatrix) -> Value {
    json!({"kind": "bits", "dim": rows.dim(), "numRows": rows.num_rows(), "bits": rows.to_bytes()})
}

pub fn memorize(patterns: &BitMatrix, rule: Value) -> Value {
    json!({
        "verb": "memorize", "model": {"kind": "ising", "dim": patterns.dim()},
        "patterns": data(patterns), "rule": rule, "seed": 1,
    })
}

pub fn noisy(mut spec: Value, num_flips: usize, num_copies: usize) -> Value {
    spec["noise"] = json!({"numFlips": num_flips, "numCopies": num_copies});
    spec
}

pub fn recall(model: &ModelSpec, cues: &BitMatrix) -> Value {
    let model = serde_json::to_value(model).expect("plain data");
    json!({"verb": "recall", "model": model, "cues": data(cues), "seed": 2})
}

pub fn spec(json: &Value) -> unnorm::Result<JobSpec> {
    JobSpec::from_value(serde_json::from_value(json.clone()).expect("a tree"))
}

pub fn job(json: &Value) -> unnorm::Result<Job> {
    Job::new(spec(json)?, None, None)
}

pub fn finished(mut job: Job) -> JobResult {
    job.advance(usize::MAX);
    job.result().expect("the job is done")
}

/// Code and field of the error; "none" where there is none.
pub fn refused(json: &Value) -> (&'static str, String) {
    match job(json) {
        Ok(_) => ("none", String::new()),
        Err(error) => (error.code(), error.field().unwrap_or_default().to_owned()),
    }
}
