//! The spec of `kernels`.

use crate::checks::{check_numbers, in_range};
use crate::run::seed;
use crate::{Error, Result};
use unnorm_gaussian_process::Family;
use unnorm_wire::spec;

/// Numbers of values.
const MIN_VALUES: usize = 10;
const MAX_VALUES: usize = 1000;

/// Maximum number of inputs at which the function is predicted.
const MAX_PREDICTIONS: usize = 2000;

/// Greatest number, and least and greatest spread, that does not overflow when squared.
const GREATEST: f64 = 1e100;
const LEAST_SPREAD: f64 = 1e-100;

/// Predictions further from the inputs than their range times this mean nothing.
const FURTHEST: f64 = 1e6;

/// The spec of `kernels`: a search for the kernel of a Gaussian process that explains values at inputs, over sums
/// and products of base kernels.
#[spec]
pub struct KernelsSpec {
    /// The inputs, row-major `[N, numInputs]`; of a time series the times.
    pub inputs: Vec<f64>,
    /// Number of inputs of each value, 1 to 8; 1 if absent.
    #[serde(default = "one")]
    pub num_inputs: usize,
    /// The N values, 10 to 1,000. Their mean is subtracted.
    pub values: Vec<f64>,
    /// The base kernels; all four if absent.
    #[serde(default = "all_families")]
    pub base_kernels: Vec<Family>,
    /// Maximum number of levels, 1 to 10; the base kernels are the first. 4 if absent.
    #[serde(default = "four")]
    pub max_depth: usize,
    /// Number of random starts of a fit's new parameters, beside one that is not random, 0 to 20; 2 if absent.
    #[serde(default = "two")]
    pub num_restarts: usize,
    /// Number of kernels of a level that are expanded, 1 to 10; 1 if absent.
    #[serde(default = "one")]
    pub keep: usize,
    /// Inputs at which to predict the function, row-major, at most 2,000 rows.
    pub predict: Option<Vec<f64>>,
    /// Seed, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn one() -> usize {
    1
}
fn two() -> usize {
    2
}
fn four() -> usize {
    4
}
fn all_families() -> Vec<Family> {
    Family::ALL.to_vec()
}

impl KernelsSpec {
    /// Checks everything.
    pub(super) fn check(&self) -> Result<()> {
        in_range("numInputs", self.num_inputs, 1, 8)?;
        in_range("maxDepth", self.max_depth, 1, 10)?;
        in_range("numRestarts", self.num_restarts, 0, 20)?;
        in_range("keep", self.keep, 1, 10)?;
        self.check_base_kernels()?;
        let count = self.values.len();
        if count < MIN_VALUES {
            let problem = format!("has {count} entries; a search needs {MIN_VALUES} or more");
            return Err(Error::spec("values", problem));
        }
        if count > MAX_VALUES {
            return Err(Error::TooLarge {
                field: "values".into(),
                problem: format!(
                    "has {count} entries, and the limit is {MAX_VALUES}; take means over longer intervals, or every \
                     second value"
                ),
            });
        }
        check_moderate("values", &self.values, count)?;
        check_moderate("inputs", &self.inputs, count * self.num_inputs)?;
        if !(spread(self.values.iter().copied()) > LEAST_SPREAD) {
            let problem = "are all the same, so that there is nothing to explain; leave them out, or multiply them \
                           by a number if they only seem so";
            return Err(Error::spec("values", problem));
        }
        let ranges: Vec<f64> = (0..self.num_inputs)
            .map(|d| spread(self.inputs.iter().skip(d).step_by(self.num_inputs).copied()))
            .collect();
        if let Some(d) = ranges.iter().position(|range| *range > 0.0 && *range < LEAST_SPREAD) {
            let problem = format!(
                "are too close to one another in column {d}, counted from 0; take another unit"
            );
            return Err(Error::spec("inputs", problem));
        }
        self.check_predict(&ranges)
    }

    fn check_base_kernels(&self) -> Result<()> {
        let all = &self.base_kernels;
        if all.is_empty() {
            return Err(Error::spec("baseKernels", "is empty; give one or more"));
        }
        match (0..all.len()).find(|at| all[..*at].contains(&all[*at])) {
            None => Ok(()),
            Some(at) => {
                let problem = format!("is {} again; give each once", all[at].name());
                Err(Error::spec(format!("baseKernels[{at}]"), problem))
            }
        }
    }

    fn check_predict(&self, ranges: &[f64]) -> Result<()> {
        let Some(rows) = &self.predict else { return Ok(()) };
        let count = rows.len() / self.num_inputs;
        if rows.is_empty() || !rows.len().is_multiple_of(self.num_inputs) {
            let problem = format!("has {} entries; give rows of {}", rows.len(), self.num_inputs);
            return Err(Error::spec("predict", problem));
        }
        if count > MAX_PREDICTIONS {
            return Err(Error::TooLarge {
                field: "predict".into(),
                problem: format!(
                    "has {count} rows, and the limit is {MAX_PREDICTIONS}; use fewer rows"
                ),
            });
        }
        check_moderate("predict", rows, rows.len())?;
        for (at, x) in rows.iter().enumerate() {
            let d = at % self.num_inputs;
            let range = if ranges[d] > 0.0 { ranges[d] } else { 1.0 };
            if (x - self.inputs[d]).abs() > FURTHEST * range {
                let problem = format!("is {x}, too far from the inputs; stay closer to them");
                return Err(Error::spec(format!("predict[{at}]"), problem));
            }
        }
        Ok(())
    }
}

fn check_moderate(field: &str, values: &[f64], count: usize) -> Result<()> {
    check_numbers(field, values, count)?;
    match values.iter().position(|value| value.abs() > GREATEST) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("{field}[{at}]"),
            format!("is {}, greater than {GREATEST}; take another unit", values[at]),
        )),
    }
}

/// The greatest less the least.
fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
}
