//! Jobs from specs in JSON, and what they come to.

pub mod chains;
pub mod metrics;

use serde_json::{Value, json};
use unnorm::Job;
use unnorm::JobResult;
use unnorm::JobSpec;
use unnorm::bits::fill_random;
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::data::from_values;
use unnorm::fit::FitResult;
use unnorm::linalg::Batch;
use unnorm::models::Model;
use unnorm::rng::ChainRng;
use unnorm::sample::SampleOutput;
use unnorm::sample::SampleResult;

/// A spec.
pub fn spec_of(json: &Value) -> unnorm::Result<JobSpec> {
    JobSpec::from_value(serde_json::from_value(json.clone()).expect("a tree"))
}

/// A job from its beginning, or from a checkpoint on.
pub fn job_of(json: &Value, checkpoint: Option<&[u8]>) -> unnorm::Result<Job> {
    Job::new(spec_of(json)?, None, checkpoint)
}

/// A job whose data come beside the spec.
pub fn job_with(json: &Value, data: BitMatrix) -> unnorm::Result<Job> {
    Job::new(spec_of(json)?, Some(data), None)
}

/// The result of all rounds that are left.
pub fn finished(mut job: Job) -> JobResult {
    job.advance(usize::MAX);
    job.result().expect("the job is done")
}

/// [`finished`], of a fit.
pub fn fitted(job: Job) -> FitResult {
    match finished(job) {
        JobResult::Fit(result) => result,
        _ => panic!("not of a fit"),
    }
}

/// [`finished`], of sampling binary states.
pub fn sampled(job: Job) -> SampleResult {
    match finished(job) {
        JobResult::Sample(SampleOutput::Bits(result)) => result,
        _ => panic!("not of sampling"),
    }
}

/// An object with the fields of another, instead of its own or besides.
pub fn with(mut object: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().expect("fields") {
        object[name] = value.clone();
    }
    object
}

/// Rows whose bits are 0 or 1 alike.
pub fn random_rows(dim: usize, num_rows: usize, rng: &mut ChainRng) -> BitMatrix {
    let mut rows = BitMatrix::zeros(dim, num_rows);
    rows.rows_mut().for_each(|row| fill_random(row, dim, rng));
    rows
}

/// All states of so many bits, the first bit the fastest.
pub fn every_state(dim: usize) -> BitMatrix {
    let mut rows = BitMatrix::zeros(dim, 1 << dim);
    rows.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    rows
}

/// The energies of rows.
pub fn energies(model: &dyn Model, rows: &BitMatrix) -> Vec<f64> {
    let mut energies = vec![f64::NAN; rows.num_rows()];
    model.energy(Batch::new(model.dim(), &rows.as_batch().to_values()), &mut energies);
    energies
}

/// Rows of 0 and 1 that lie one after another.
pub fn weighted_rows(dim: usize, values: &[f64]) -> WeightedRows {
    WeightedRows::from_data(from_values(dim, values).expect("sound data").as_batch())
}

/// A fit to such rows, of an Ising model unless the fields say otherwise.
pub fn fit_to(dim: usize, values: &[f64], fields: &Value) -> unnorm::Result<FitResult> {
    let spec = json!({
        "verb": "fit", "model": {"kind": "ising", "dim": dim}, "seed": 5,
        "data": {"kind": "values", "dim": dim, "values": values},
    });
    Ok(fitted(job_of(&with(spec, fields), None)?))
}
