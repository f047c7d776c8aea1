//! The job that estimates log Z, from spec to result, on models whose log Z is
//! known otherwise.

mod axes;
mod glass;
mod pilots;
mod refused;
mod rows;
mod simple;
mod simulated;
mod truths;
mod two_paths;
mod values;

use serde_json::{Value, json};
use unnorm::Job;
use unnorm::JobResult;
use unnorm::JobSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::normalize::LogZResult;

/// Standard errors within which an estimate must lie. A normal one is beyond
/// them once in 5·10⁸; with the hundred or so comparisons in this file's modules
/// the chance of a false alarm is below 10⁻⁶. The weights here have relative
/// standard deviations below 1.5 or so, and chains are many, so that their means
/// are nearly normal; the bridge's terms are between 0 and 1.
const MAX_ERRORS: f64 = 6.0;

fn job(spec: &Value) -> unnorm::Result<Job> {
    let mut spec = spec.clone();
    spec["verb"] = "logZ".into();
    let value = serde_json::from_value(spec).expect("a tree");
    Job::new(JobSpec::from_value(value)?, None, None)
}

fn run(spec: &Value) -> LogZResult {
    let mut job = job(spec).unwrap_or_else(|error| panic!("{error}: {spec:.200}"));
    job.advance(usize::MAX);
    match job.result() {
        Some(JobResult::LogZ(result)) => result,
        other => panic!("{other:?}"),
    }
}

/// With fields of a spec changed or added.
fn with(spec: &Value, fields: Value) -> Value {
    let mut spec = spec.clone();
    for (name, value) in fields.as_object().expect("an object") {
        spec[name] = value.clone();
    }
    spec
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

/// `value ± error` against the truth; the error must be small enough to tell.
#[track_caller]
fn assert_within(value: f64, error: f64, truth: f64, most: f64) {
    assert!(error > 0.0 && error < most, "the error {error} is none of use");
    let off = (value - truth).abs() / error;
    assert!(off < MAX_ERRORS, "{value} ± {error} is {off:.1} errors from {truth}");
}

fn ising(dim: usize, scale: f64, seed: u64) -> IsingSpec {
    IsingSpec::random(dim, Pattern::Dense {}, scale, seed)
}

fn rbm(num_visible: usize, num_hidden: usize, scale: f64, seed: u64) -> RbmSpec {
    RbmSpec::random(num_visible, num_hidden, scale, seed)
}

/// As a model in a job's spec.
fn model(kind: &str, spec: impl serde::Serialize) -> Value {
    with(&serde_json::to_value(spec).expect("plain data"), json!({ "kind": kind }))
}

/// log Z of a binary model by enumeration.
fn enumerated(model: &Value) -> f64 {
    let spec: unnorm::models::ModelSpec = serde_json::from_value(model.clone()).expect("a model");
    let model = spec.build().expect("a sound model");
    unnorm::exact::enumerate(model.as_site_flips().expect("bits")).expect("few sites").log_z
}

/// ½ ln |A| of a positive definite matrix, by elimination.
fn half_log_det(dim: usize, matrix: &[f64]) -> f64 {
    let mut rows = matrix.to_vec();
    let mut sum = 0.0;
    for pivot in 0..dim {
        let head = rows[pivot * dim + pivot];
        sum += 0.5 * unnorm::math::ln(head);
        for row in pivot + 1..dim {
            let factor = rows[row * dim + pivot] / head;
            for column in pivot..dim {
                rows[row * dim + column] -= factor * rows[pivot * dim + column];
            }
        }
    }
    sum
}
