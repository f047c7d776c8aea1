//! A job as the Python package drives it.

use crate::custom::{Custom, check, on_its_thread};
use crate::error::raised;
use crate::pool::pool;
use crate::rows::{rows_field, take_rows};
use crate::{output, spec};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pythonize::pythonize;
use std::sync::{Mutex, PoisonError};
// The driver of the rounds has a clock; they have none.
#[allow(clippy::disallowed_types)]
use std::time::Instant;
use unnorm::bits::BitMatrix;
use unnorm::value::Value;
use unnorm::verbs::{self, JobSpec};

/// A job. Every method may be called by any thread; the work is done without the interpreter's
/// lock.
#[pyclass(frozen)]
pub struct Job {
    job: Mutex<verbs::Job>,
    custom: Option<Custom>,
}

impl Job {
    /// Does something with the job without the interpreter's lock, and on the thread that has a
    /// custom model's function.
    fn with<T: Send>(&self, py: Python<'_>, what: impl FnOnce(&mut verbs::Job) -> T + Send) -> T {
        py.detach(|| {
            let mut locked = self.job.lock().unwrap_or_else(PoisonError::into_inner);
            let job = &mut *locked;
            on_its_thread(self.custom.as_ref(), || what(job))
        })
    }
}

/// Reads a verb's spec, and makes of it and of its rows what is asked for; with the function of a custom model, if it has one.
pub fn made<T: Send>(
    py: Python<'_>,
    verb: &str,
    spec: &Bound<'_, PyDict>,
    make: impl FnOnce(JobSpec, Option<BitMatrix>) -> unnorm::Result<T> + Send,
) -> PyResult<(T, Option<Custom>)> {
    let raised = |error| raised(py, &error, rows_field(verb));
    let (spec, rows) = take_rows(spec, verb)?;
    let custom = Custom::take(py, &spec)?;
    let mut value = spec::read(&spec, "", 0)?;
    if let Value::Fields(fields) = &mut value {
        fields.push(("verb".into(), Value::Text(verb.into())));
    }
    let spec = JobSpec::from_value(value).map_err(raised)?;
    let made = py.detach(|| on_its_thread(custom.as_ref(), || make(spec, rows)));
    // Where a function makes a mistake, the job's own error is about what came of it.
    check(custom.as_ref(), py)?;
    Ok((made.map_err(raised)?, custom))
}

#[pymethods]
impl Job {
    /// Checks everything and makes the job, at its beginning or from a checkpoint.
    #[new]
    fn new(
        py: Python<'_>,
        verb: &str,
        spec: &Bound<'_, PyDict>,
        checkpoint: Option<&[u8]>,
    ) -> PyResult<Self> {
        let (job, custom) =
            made(py, verb, spec, |spec, rows| verbs::Job::new(spec, rows, checkpoint))?;
        Ok(Self { job: Mutex::new(job), custom })
    }

    /// Does rounds for some seconds, at least one, and says whether the job is done.
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let pool = if self.custom.is_none() { Some(pool()?) } else { None };
        #[allow(clippy::disallowed_types)]
        let start = Instant::now();
        let rounds = move |job: &mut verbs::Job| {
            while !job.is_done() {
                job.advance(1);
                if start.elapsed().as_secs_f64() >= seconds {
                    break;
                }
            }
            job.is_done()
        };
        let is_done = self.with(py, move |job| match pool {
            Some(pool) => pool.install(|| rounds(job)),
            None => rounds(job),
        });
        check(self.custom.as_ref(), py)?;
        Ok(is_done)
    }

    /// The seed, given or invented; None where nothing is random.
    fn seed<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        let spec = job.with_spec_and_arrays(|spec, _| pythonize(py, spec))?;
        spec.cast::<PyDict>()?.get_item("seed")
    }

    /// Lets rounds do up to `factor` times the usual work, if the job's kind allows it.
    fn lengthen_rounds(&self, py: Python<'_>, factor: u32) {
        self.with(py, |job| job.coordinator_mut().lengthen_rounds(factor));
    }

    /// Number of shards of the next round.
    fn num_shards(&self, py: Python<'_>) -> usize {
        self.with(py, |job| job.num_shards())
    }

    /// What every shard needs for the next round, and what each of them needs alone.
    fn plan<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>) {
        let (broadcast, scattered) = self.with(py, |job| {
            let broadcast = job.coordinator().broadcast();
            job.coordinator_mut().worker_mut().prepare(&broadcast);
            let scattered: Vec<_> =
                (0..job.num_shards()).map(|shard| job.coordinator().scatter(shard)).collect();
            (broadcast, scattered)
        });
        let each = scattered.iter().map(|bytes| PyBytes::new(py, bytes)).collect();
        (PyBytes::new(py, &broadcast), each)
    }

    /// Ends the round with the parts of all shards, in shard order, and says whether the job is done.
    fn gather(&self, py: Python<'_>, parts: Vec<Vec<u8>>) -> PyResult<bool> {
        let is_done = self.with(py, move |job| {
            job.coordinator_mut().gather(&parts);
            job.is_done()
        });
        check(self.custom.as_ref(), py)?;
        Ok(is_done)
    }

    /// How far the job has come.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        output::progress(py, self.with(py, |job| job.progress()))
    }

    /// A checkpoint of the job.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(py, |job| job.snapshot()))
    }

    /// The result; None before the job is done.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let result = self.with(py, |job| job.result());
        result.map(|result| output::result(py, result)).transpose()
    }
}
