//! Checks that specs share: each error names the field, the problem and the remedy.

use crate::{Error, Result};

/// Checks that a count is between `min` and `max`. `what` names the counted things in the plural,
/// e.g. "dimensions".
pub fn check_count(field: &str, count: usize, min: usize, max: usize, what: &str) -> Result<()> {
    if count < min {
        return Err(Error::spec(field, format!("is {count}; there must be {min} {what} or more")));
    }
    if count > max {
        return Err(Error::TooLarge {
            field: field.into(),
            problem: format!("is {count}, and the limit is {max}; use fewer {what}"),
        });
    }
    Ok(())
}

/// Appends `count` numbers to the parameters: those of a spec's array, or `default` if the array is
/// absent.
pub fn append(
    field: &str,
    values: &Option<Vec<f64>>,
    count: usize,
    default: f64,
    params: &mut Vec<f64>,
) -> Result<()> {
    match values {
        None => params.resize(params.len() + count, default),
        Some(values) => {
            check_numbers(field, values, count)?;
            params.extend_from_slice(values);
        }
    }
    Ok(())
}

/// Checks that the weights of this many hidden units, with a line of `num_inputs` each, are few enough.
///
/// # Errors
/// [`Error::TooLarge`] at `model.numHidden`.
pub fn check_num_weights(num_hidden: usize, num_inputs: usize, max: usize) -> Result<()> {
    let count = num_hidden.saturating_mul(num_inputs);
    if count <= max {
        return Ok(());
    }
    let problem = format!(
        "is {num_hidden}, which makes {count} weights, and the limit is {max}; use fewer units"
    );
    Err(Error::TooLarge { field: "model.numHidden".into(), problem })
}

/// Checks that a number is finite and above 0.
pub fn check_positive(field: &str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::spec(field, format!("is {value}; it must be a finite number greater than 0")))
}

/// Checks that an array has `count` finite numbers.
pub fn check_numbers(field: &str, values: &[f64], count: usize) -> Result<()> {
    if values.len() != count {
        let problem = format!("has {} entries; give {count}", values.len());
        return Err(Error::spec(field, problem));
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("{field}[{at}]"),
            format!("is {}; every entry must be a finite number", values[at]),
        )),
    }
}

/// Checks that a count is from `min` to `max`, both included.
pub fn in_range(field: &str, value: usize, min: usize, max: usize) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::spec(field, format!("is {value}; it must be from {min} to {max}")))
}
