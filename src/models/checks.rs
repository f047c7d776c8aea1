//! Checks that the specs of several models share.

use crate::{Error, Result};

/// A number of things between `min` and `max`. `what` is the thing in the
/// plural, e.g. "dimensions".
pub(super) fn check_count(
    field: &str,
    count: usize,
    min: usize,
    max: usize,
    what: &str,
) -> Result<()> {
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

/// Appends an array of a spec, or `default` so many times, to the parameters.
pub(super) fn append(
    field: &str,
    values: &Option<Vec<f64>>,
    count: usize,
    default: f64,
    params: &mut Vec<f64>,
) -> Result<()> {
    match values {
        None => params.resize(params.len() + count, default),
        Some(values) => {
            super::gaussian::check_numbers(field, values, count)?;
            params.extend_from_slice(values);
        }
    }
    Ok(())
}
