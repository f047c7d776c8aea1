//! A job as the Python package drives it.

use crate::custom::Custom;
use crate::error::raised;
use crate::pool::pool;
use crate::rows::{rows_field, take_rows};
use crate::{output, spec};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, PoisonError};
// The driver of the rounds has a clock; they have none.
#[allow(clippy::disallowed_types)]
use std::time::Instant;
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
            match &self.custom {
                Some(custom) => custom.pool.install(|| what(job)),
                None => what(job),
            }
        })
    }
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
        let raised = |error| raised(py, &error, rows_field(verb));
        let (spec, rows) = take_rows(spec, verb)?;
        let custom = Custom::take(py, &spec)?;
        let mut value = spec::read(&spec, "", 0)?;
        if let Value::Fields(fields) = &mut value {
            fields.push(("verb".into(), Value::Text(verb.into())));
        }
        let spec = JobSpec::from_value(value).map_err(raised)?;
        let new = || verbs::Job::new(spec, rows, checkpoint);
        let job = py.detach(|| match &custom {
            Some(custom) => custom.pool.install(new),
            None => new(),
        });
        // Where a function makes a mistake, the job's own error is about what came of it.
        match custom.as_ref().and_then(|custom| custom.mistake(py)) {
            Some(mistake) => Err(mistake),
            None => Ok(Self { job: Mutex::new(job.map_err(raised)?), custom }),
        }
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
        match self.custom.as_ref().and_then(|custom| custom.mistake(py)) {
            Some(mistake) => Err(mistake),
            None => Ok(is_done),
        }
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
