//! Rows of zeros and ones as arrays, which are packed here; in any other form they stay in the
//! spec.

use crate::error::raised;
use crate::spec::{bytes_of, doubles_of, is_array};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use unnorm::bits::BitMatrix;
use unnorm::{Error, data};

/// The path of the rows in the spec of a verb.
pub fn rows_field(verb: &str) -> &'static str {
    match verb {
        "memorize" => "patterns",
        "recall" => "cues",
        "sample" => "start.data",
        _ => "data",
    }
}

/// Takes rows that are an array out of a spec, and packs them. A list of lists becomes what it
/// abbreviates, `{"kind": "rows", "rows": …}`. The dicts are the caller's: they are copied, not
/// changed.
pub fn take_rows<'py>(
    spec: &Bound<'py, PyDict>,
    verb: &str,
) -> PyResult<(Bound<'py, PyDict>, Option<BitMatrix>)> {
    let field = rows_field(verb);
    let spec = spec.copy()?;
    let (dict, name) = match field.split_once('.') {
        None => (spec.clone(), field),
        Some((outer, name)) => match spec.get_item(outer)?.map(|value| value.cast_into::<PyDict>())
        {
            Some(Ok(inner)) => {
                let inner = inner.copy()?;
                spec.set_item(outer, &inner)?;
                (inner, name)
            }
            _ => return Ok((spec, None)),
        },
    };
    let Some(value) = dict.get_item(name)? else { return Ok((spec, None)) };
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let rows = PyDict::new(spec.py());
        rows.set_item("kind", "rows")?;
        rows.set_item("rows", value)?;
        dict.set_item(name, rows)?;
        return Ok((spec, None));
    }
    if !is_array(&value) {
        return Ok((spec, None));
    }
    dict.del_item(name)?;
    Ok((spec, Some(packed(&value, field)?)))
}

/// Packs an array `[num_rows, dim]` of 0 and 1, or of −1 and 1.
fn packed(value: &Bound<'_, PyAny>, field: &str) -> PyResult<BitMatrix> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let refuse = |problem: String| Err(raised(py, &Error::data("data", problem), field));
    let [num_rows, dim] = shape[..] else {
        return refuse(format!("is an array of {} dimensions; give [num_rows, dim]", shape.len()));
    };
    let dtype = array.getattr("dtype")?;
    let kind: char = dtype.getattr("kind")?.extract()?;
    if !"biuf".contains(kind) {
        return refuse(format!("is an array of {dtype}; give numbers or bools"));
    }
    // NumPy packs an eighth of the memory that doubles would take; those are for the refusal, which
    // names the place.
    let ones = array.call_method1("__eq__", (1,))?;
    let is = |low: i32| -> PyResult<bool> {
        let others = array.call_method1("__eq__", (low,))?;
        ones.call_method1("__or__", (others,))?.call_method0("all")?.extract()
    };
    let rows = if num_rows > 0 && dim > 0 && (kind == 'b' || is(0)? || is(-1)?) {
        let order = PyDict::new(py);
        order.set_item("axis", 1)?;
        order.set_item("bitorder", "little")?;
        let bits = numpy.call_method("packbits", (ones,), Some(&order))?;
        data::from_bits(dim, num_rows, &bytes_of(&bits)?)
    } else {
        data::from_values(dim, &doubles_of(&array)?)
    };
    rows.map_err(|error| raised(py, &error, field))
}
