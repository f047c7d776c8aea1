//! A job as the Python package drives it.

use crate::error::raised;
use crate::pool::pool;
use crate::rows::{rows_field, take_rows};
use crate::{output, spec};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError};
// The driver of the rounds has a clock; they have none.
#[allow(clippy::disallowed_types)]
use std::time::Instant;
use unnorm::value::Value;
use unnorm::verbs::{self, JobSpec};

/// A job. Every method may be called by any thread; the work is done without the interpreter's
/// lock.
#[pyclass(frozen)]
pub struct Job(Mutex<verbs::Job>);

impl Job {
    fn locked(&self) -> MutexGuard<'_, verbs::Job> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut value = spec::read(&spec, "", 0)?;
        if let Value::Fields(fields) = &mut value {
            fields.push(("verb".into(), Value::Text(verb.into())));
        }
        let spec = JobSpec::from_value(value).map_err(raised)?;
        let job = py.detach(|| verbs::Job::new(spec, rows, checkpoint)).map_err(raised)?;
        Ok(Self(Mutex::new(job)))
    }

    /// Does rounds for some seconds, at least one, and says whether the job is done.
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let pool = pool()?;
        #[allow(clippy::disallowed_types)]
        let start = Instant::now();
        Ok(py.detach(|| {
            let mut locked = self.locked();
            let job = &mut *locked;
            pool.install(|| {
                while !job.is_done() {
                    job.advance(1);
                    if start.elapsed().as_secs_f64() >= seconds {
                        break;
                    }
                }
            });
            job.is_done()
        }))
    }

    /// How far the job has come.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        output::progress(py, py.detach(|| self.locked().progress()))
    }

    /// A checkpoint of the job.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.locked().snapshot()))
    }

    /// The result; None before the job is done.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let result = py.detach(|| self.locked().result());
        result.map(|result| output::result(py, result)).transpose()
    }
}
