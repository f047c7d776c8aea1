//! Errors of the library as Python's `UnnormError`.

use pyo3::prelude::*;
use unnorm::Error;

/// The exception for an error. The library calls rows of bits `data`; `rows_field` is their path in
/// the caller's spec.
pub fn raised(py: Python<'_>, error: &Error, rows_field: &str) -> PyErr {
    let place = |words: &str| match words.strip_prefix("data") {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => format!("{rows_field}{rest}"),
        _ => words.into(),
    };
    let made = || {
        let class = py.import("unnorm._errors")?.getattr("UnnormError")?;
        class.call1((error.code(), place(&error.to_string()), error.field().map(place)))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

/// The exception for a field of a spec that cannot be used.
pub fn refused(py: Python<'_>, field: &str, problem: &str) -> PyErr {
    let field = if field.is_empty() { "spec" } else { field };
    raised(py, &Error::spec(field, problem), "data")
}
