//! The rows that a model is fitted to: bits or real numbers, as the model's states are.

use crate::bits::{BitMatrix, WeightedRows};
use crate::fit::job::spec::FitSpec;
use crate::linalg::Batch;
use crate::{Error, FULL, Result, not_in_core};
use std::cell::OnceCell;

/// Maximum number of entries in all rows, 128 MiB.
const MAX_NUMBERS: usize = 1 << 24;

/// The data of a fit.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a> {
    /// Rows of zeros and ones.
    Bits(&'a BitMatrix),
    /// Rows of numbers: the observed variables of generative models, the states of other models.
    Reals(Batch<'a>),
}

/// Rows whose distinct rows are found once, on first use.
pub struct Distinct<'a> {
    /// All rows.
    pub rows: Rows<'a>,
    found: OnceCell<WeightedRows>,
}

impl<'a> Distinct<'a> {
    /// Wraps rows.
    pub fn of(rows: Rows<'a>) -> Self {
        Self { rows, found: OnceCell::new() }
    }

    /// The distinct rows of bits and how often each occurs; none for numbers.
    pub fn bits(&self) -> Option<&WeightedRows> {
        match self.rows {
            Rows::Bits(data) => {
                Some(self.found.get_or_init(|| WeightedRows::from_data(data.as_batch())))
            }
            Rows::Reals(_) => None,
        }
    }
}

/// Refuses missing data and data that are not of the model's kind.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub fn check(spec: &FitSpec, has_data: bool) -> Result<()> {
    let (field, problem) = match (spec.model.is_binary(), has_data, spec.states.is_some()) {
        (true, true, false) | (false, false, true) => return Ok(()),
        (true, _, true) => (
            "states",
            "is given, but the states of a binary model are zeros and ones; give rows of them as \
             data instead",
        ),
        (true, false, false) => ("data", "is missing; give rows of zeros and ones"),
        (false, true, _) => (
            "data",
            "is given, but it holds zeros and ones, and the model is one of real numbers; give its \
             rows as states instead",
        ),
        (false, false, false) => {
            ("states", "is missing; give the rows of the data, one after another")
        }
    };
    Err(Error::spec(field, problem))
}

impl<'a> Rows<'a> {
    /// The data of a spec; rows of bits may be passed separately as `data`.
    ///
    /// # Errors
    /// Any error of the model's spec; the errors of [`check`]; [`Error::InvalidSpec`] or
    /// [`Error::TooLarge`] if the states are not rows for the model.
    pub fn of(spec: &'a FitSpec, data: Option<&'a BitMatrix>) -> Result<Self> {
        check(spec, data.is_some())?;
        match (data, &spec.states) {
            (Some(data), _) => Ok(Self::Bits(data)),
            (None, Some(_)) if !FULL => Err(not_in_core("states")),
            (None, Some(states)) => {
                let model = spec.model.build()?;
                let dim = model.as_generative().map_or(model.dim(), |model| model.num_observed());
                check_numbers(dim, states)?;
                Ok(Self::Reals(Batch::new(dim, states)))
            }
            (None, None) => unreachable!("checked"),
        }
    }

    /// Number of rows.
    pub fn num_rows(self) -> usize {
        match self {
            Self::Bits(data) => data.num_rows(),
            Self::Reals(rows) => rows.len(),
        }
    }

    /// The bits, for an algorithm that takes nothing else.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if the rows are numbers.
    pub fn bits(self, spec: &FitSpec) -> Result<&'a BitMatrix> {
        match self {
            Self::Bits(data) => Ok(data),
            Self::Reals(_) => {
                let kind = spec.objective.kind();
                Err(Error::spec(
                    "objective.kind",
                    format!(
                        "is {kind}, which is for binary models; of real numbers fit a model by \
                         scoreMatching, denoisingScoreMatching or maximumLikelihood"
                    ),
                ))
            }
        }
    }
}

/// Refuses numbers that are not rows of `dim` finite entries.
fn check_numbers(dim: usize, states: &[f64]) -> Result<()> {
    let count = states.len();
    if count == 0 || !count.is_multiple_of(dim) {
        return Err(Error::spec(
            "states",
            format!(
                "has {count} numbers, but a row of the model's data has {dim}; give one row or \
                 more, one after another"
            ),
        ));
    }
    if count > MAX_NUMBERS {
        return Err(Error::TooLarge {
            field: "states".into(),
            problem: format!("has {count} numbers, and the limit is {MAX_NUMBERS}; use fewer rows"),
        });
    }
    match states.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("states[{at}]"),
            format!("is {}; every entry must be a finite number", states[at]),
        )),
    }
}
