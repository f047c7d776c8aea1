//! Results and progress as dicts, with NumPy arrays in their fields.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};
use pythonize::pythonize;
use unnorm::arrays::{Array, Path, take_arrays};
use unnorm::verbs::{JobResult, Progress};

/// A result as a dict.
pub fn result(py: Python<'_>, mut result: JobResult) -> PyResult<Bound<'_, PyAny>> {
    let arrays = take_arrays(&mut result);
    placed(pythonize(py, &result)?, arrays)
}

/// Progress as a dict.
pub fn progress(py: Python<'_>, mut progress: Progress) -> PyResult<Bound<'_, PyAny>> {
    let arrays = take_arrays(&mut progress);
    placed(pythonize(py, &progress)?, arrays)
}

/// Sets the arrays' fields.
fn placed(dict: Bound<'_, PyAny>, arrays: Vec<(Path, Array)>) -> PyResult<Bound<'_, PyAny>> {
    for (path, array) in arrays {
        let Some((name, outer)) = path.split_last() else { continue };
        let mut target = dict.clone();
        for name in outer {
            target = match target.cast::<PyList>() {
                Ok(list) => list.get_item(index(name)?)?,
                Err(_) => target.get_item(name)?,
            };
        }
        target.set_item(name, to_numpy(dict.py(), &array)?)?;
    }
    Ok(dict)
}

fn index(name: &str) -> PyResult<usize> {
    name.parse().map_err(|_| PyTypeError::new_err(format!("{name} is no place in a list")))
}

fn to_numpy<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    match array {
        Array::U8(values) => from_buffer(PyByteArray::new(py, values), "u1"),
        Array::F64(values) => doubles(py, values),
    }
}

/// Numbers as an array of one dimension.
pub fn doubles<'py>(py: Python<'py>, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let fill = |bytes: &mut [u8]| {
        for (bytes, value) in bytes.chunks_exact_mut(8).zip(values) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    };
    from_buffer(PyByteArray::new_with(py, 8 * values.len(), fill)?, "<f8")
}

/// An array over memory of Python's, so that it can be written to.
fn from_buffer<'py>(bytes: Bound<'py, PyByteArray>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    bytes.py().import("numpy")?.call_method1("frombuffer", (bytes, dtype))
}
