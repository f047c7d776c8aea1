//! Energies that a Python function computes: the model `{"kind": "custom", "dim": D, "energy": f}`.
//! `f` takes states `[B, D]` and returns their energies `[B]` and gradients `[B, D]`. Of a model with
//! `params` it also takes their values `[P]`, and returns the gradients in these, `[B, P]`, too.
//!
//! A function is registered with the thread that calls it, so such a job has one thread, on which
//! everything is done; the function takes the interpreter's lock for each batch.

use crate::error::{raised, refused};
use crate::pool::started;
use crate::spec::doubles_of;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, PoisonError};
use unnorm::Error;
use unnorm::models::custom::{self, Arguments};

/// The function of a job, and its thread.
pub struct Custom {
    pool: Arc<ThreadPool>,
    /// What the function raised first.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Custom {
    /// Takes the function out of a spec's model, which gets the function's name as its URL in its
    /// place, and registers it. None for models of other kinds.
    pub fn take(py: Python<'_>, spec: &Bound<'_, PyDict>) -> PyResult<Option<Self>> {
        let Some(Ok(model)) = spec.get_item("model")?.map(|model| model.cast_into::<PyDict>())
        else {
            return Ok(None);
        };
        let kind = model.get_item("kind")?;
        if !kind.is_some_and(|kind| kind.eq("custom").unwrap_or(false)) {
            return Ok(None);
        }
        let function = match model.get_item("energy")? {
            Some(function) if function.is_callable() => function,
            given => {
                let problem = if given.is_some() { "is no function" } else { "is missing" };
                let remedy = "give a function of states [B, dim]";
                return Err(refused(py, "model.energy", &format!("{problem}; {remedy}")));
            }
        };
        let model = model.copy()?;
        spec.set_item("model", &model)?;
        model.del_item("energy")?;
        let name = |of: &str| function.getattr(of).and_then(|name| name.extract::<String>());
        let [module, own] = ["__module__", "__qualname__"].map(|of| name(of).unwrap_or_default());
        let url = format!("python:{module}.{own}");
        model.set_item("url", &url)?;
        let made = Self { pool: started(1)?, raised: Arc::default() };
        let (function, raised) = (function.unbind(), made.raised.clone());
        py.detach(|| {
            made.pool.install(|| {
                let call = move |arguments: Arguments<'_>| {
                    Python::attach(|py| call(py, &function, arguments)).map_err(|error| {
                        let words = format!("raised {error}");
                        let mut first = raised.lock().unwrap_or_else(PoisonError::into_inner);
                        first.get_or_insert(error);
                        words
                    })
                };
                custom::register(&url, Box::new(call));
            });
        });
        Ok(Some(made))
    }

    /// The exception for a mistake of the function since the last call, caused by what it raised.
    fn mistake(&self, py: Python<'_>) -> Option<PyErr> {
        let mut mistake = py.detach(|| self.pool.install(custom::take_mistake))?;
        if let Error::InvalidModel { field, .. } = &mut mistake {
            *field = "model.energy".into();
        }
        let error = raised(py, &mistake, "data");
        error.set_cause(py, self.raised.lock().unwrap_or_else(PoisonError::into_inner).take());
        Some(error)
    }
}

/// Does something on the thread that has the function, or here if there is none.
pub fn on_its_thread<T: Send>(custom: Option<&Custom>, what: impl FnOnce() -> T + Send) -> T {
    match custom {
        Some(custom) => custom.pool.install(what),
        None => what(),
    }
}

/// The exception for a mistake of the function since the last call, if there is one.
pub fn check(custom: Option<&Custom>, py: Python<'_>) -> PyResult<()> {
    custom.and_then(|custom| custom.mistake(py)).map_or(Ok(()), Err)
}

/// Calls the function for one batch.
fn call(py: Python<'_>, function: &Py<PyAny>, arguments: Arguments<'_>) -> PyResult<()> {
    let Arguments { x, params, energy, grad, param_grad } = arguments;
    let (width, dim) = (energy.len(), x.len() / energy.len());
    let states = crate::output::doubles(py, x)?.call_method1("reshape", ((width, dim),))?;
    let returned: Vec<Bound<'_, PyAny>> = if params.is_empty() {
        function.call1(py, (states,))?
    } else {
        function.call1(py, (states, crate::output::doubles(py, params)?))?
    }
    .extract(py)?;
    let needed = if params.is_empty() { 2 } else { 3 };
    if returned.len() != needed {
        return Err(pyo3::exceptions::PyValueError::new_err(format!(
            "{} arrays were returned where {needed} are needed: energies, gradients{}",
            returned.len(),
            if params.is_empty() { "" } else { " and gradients in the parameters" }
        )));
    }
    let numpy = py.import("numpy")?;
    let shapes = [vec![width], vec![width, dim], vec![width, params.len()]];
    for ((part, to), shape) in returned.into_iter().zip([energy, grad, param_grad]).zip(shapes) {
        let array = numpy.call_method1("asarray", (part,))?;
        let has: Vec<usize> = array.getattr("shape")?.extract()?;
        if has != shape {
            return Err(pyo3::exceptions::PyValueError::new_err(format!(
                "an array of shape {has:?} was returned where {shape:?} is needed"
            )));
        }
        // Gradients in the parameters are not always asked for.
        if !to.is_empty() {
            to.copy_from_slice(&doubles_of(&array)?);
        }
    }
    Ok(())
}
