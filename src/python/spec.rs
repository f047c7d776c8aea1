//! Specs: Python's plain data, and arrays, as the tree that specs are read from.

use crate::error::refused;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple,
};
use unnorm::value::Value;

/// Dicts and lists nested deeper than this are refused, as they may contain themselves.
const MAX_DEPTH: usize = 16;

/// Integers up to this magnitude are exact as doubles, 2^53 − 1.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Fields that are arrays of arrays. Elsewhere an array of any shape means its numbers, row-major.
const NESTED: &[&str] = &["rows", "sets", "pairs"];

/// Reads a value; `field` is its path, empty for the whole spec.
pub fn read(value: &Bound<'_, PyAny>, field: &str, depth: usize) -> PyResult<Value> {
    let refuse = |problem: &str| Err(refused(value.py(), field, problem));
    if depth > MAX_DEPTH {
        return refuse("is nested too deeply");
    }
    if value.is_none() {
        Ok(Value::Null)
    } else if let Ok(value) = value.cast::<PyBool>() {
        Ok(Value::Bool(value.is_true()))
    } else if let Some(number) = number(value, field)? {
        Ok(Value::Number(number))
    } else if let Ok(value) = value.cast::<PyString>() {
        Ok(Value::Text(value.extract()?))
    } else if let Ok(value) = value.cast::<PyBytes>() {
        Ok(Value::Bytes(value.as_bytes().to_vec()))
    } else if let Ok(value) = value.cast::<PyByteArray>() {
        Ok(Value::Bytes(value.to_vec()))
    } else if let Ok(value) = value.cast::<PyDict>() {
        read_fields(value, field, depth)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        read_list(value, field, depth)
    } else if is_array(value) {
        read_array(value, field)
    } else {
        let kind = value.get_type().name()?;
        refuse(&format!(
            "is a value of type {kind}; it must be a number, a string, a bool, None, a list, a \
             dict or an array"
        ))
    }
}

/// Whether a value is an array, or converts itself to one.
pub fn is_array(value: &Bound<'_, PyAny>) -> bool {
    value.hasattr("__array__").unwrap_or(false)
}

/// The number that an int or a float is.
fn number(value: &Bound<'_, PyAny>, field: &str) -> PyResult<Option<f64>> {
    if value.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(Some(value.value()));
    }
    let Ok(value) = value.cast::<PyInt>() else { return Ok(None) };
    match value.extract::<i64>() {
        Ok(integer) if (-MAX_INTEGER..=MAX_INTEGER).contains(&integer) => Ok(Some(integer as f64)),
        _ => Err(refused(value.py(), field, &beyond_doubles())),
    }
}

fn beyond_doubles() -> String {
    format!("is an integer beyond ±{MAX_INTEGER}, 2^53 − 1; give a smaller one, or a float")
}

fn read_fields(dict: &Bound<'_, PyDict>, path: &str, depth: usize) -> PyResult<Value> {
    let mut fields = Vec::with_capacity(dict.len());
    for (name, value) in dict {
        let Ok(name) = name.extract::<String>() else {
            let problem = format!("has a key that is no string: {}", name.repr()?);
            return Err(refused(dict.py(), path, &problem));
        };
        let field = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        fields.push((name, read(&value, &field, depth + 1)?));
    }
    Ok(Value::Fields(fields))
}

fn read_list(list: &Bound<'_, PyAny>, field: &str, depth: usize) -> PyResult<Value> {
    let mut numbers = Vec::with_capacity(list.len()?);
    for (index, item) in list.try_iter()?.enumerate() {
        match number(&item?, "")
            .map_err(|_| refused(list.py(), &format!("{field}[{index}]"), &beyond_doubles()))?
        {
            Some(number) => numbers.push(number),
            None => return read_mixed(list, field, depth),
        }
    }
    Ok(Value::Numbers(numbers))
}

fn read_mixed(list: &Bound<'_, PyAny>, field: &str, depth: usize) -> PyResult<Value> {
    let items = list.try_iter()?.enumerate();
    let values = items.map(|(index, item)| read(&item?, &format!("{field}[{index}]"), depth + 1));
    values.collect::<PyResult<_>>().map(Value::List)
}

/// Reads an array, or one of NumPy's numbers.
fn read_array(value: &Bound<'_, PyAny>, field: &str) -> PyResult<Value> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let dtype = array.getattr("dtype")?;
    let (kind, size): (char, usize) =
        (dtype.getattr("kind")?.extract()?, dtype.getattr("itemsize")?.extract()?);
    if !"biuf".contains(kind) {
        let problem = format!("is an array of {dtype}; its numbers must be real");
        return Err(refused(py, field, &problem));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape.is_empty() {
        let number = array.call_method0("item")?;
        return match number.cast::<PyBool>() {
            Ok(truth) => Ok(Value::Bool(truth.is_true())),
            Err(_) => read(&number, field, 0),
        };
    }
    if (kind, size) == ('u', 1) {
        return Ok(Value::Bytes(bytes_of(&array)?));
    }
    if "iu".contains(kind) && size == 8 && shape.iter().all(|&len| len > 0) {
        let [least, most] = ["min", "max"].map(|end| array.call_method0(end)?.extract::<i128>());
        if least? < -i128::from(MAX_INTEGER) || most? > i128::from(MAX_INTEGER) {
            return Err(refused(
                py,
                field,
                "has integers beyond 2^53 − 1; give smaller ones, or floats",
            ));
        }
    }
    let numbers = doubles_of(&array)?;
    let name = field.rsplit(['.', ']']).next().unwrap_or(field);
    if let [_, width, ..] = shape[..]
        && NESTED.contains(&name)
    {
        let rows = numbers.chunks(width.max(1)).map(|row| Value::Numbers(row.to_vec()));
        return Ok(Value::List(rows.collect()));
    }
    Ok(Value::Numbers(numbers))
}

/// The bytes of an array of bytes, row-major.
pub fn bytes_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(array.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The numbers of an array, row-major.
pub fn doubles_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let doubles = array.call_method("astype", ("<f8",), None)?.call_method0("tobytes")?;
    let numbers = doubles.cast::<PyBytes>()?.as_bytes().chunks_exact(8);
    Ok(numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect())
}
