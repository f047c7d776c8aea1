//! The spec of `structure`.

use crate::checks::{check_numbers, check_positive, in_range};
use crate::run::seed;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Numbers of rows and of columns.
const MIN_SIZE: usize = 6;
const MAX_SIZE: usize = 1000;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 100_000;

/// Greatest number, and least standard deviation relative to it, that can be standardized.
const GREATEST: f64 = 1e100;
const LEAST_SPREAD: f64 = 1e-12;

/// What is subtracted from a table, and divided by, before its structure is searched.
#[spec]
#[derive(Copy, Eq, Default)]
pub enum Standardization {
    /// Mean and standard deviation of each column, for columns in units of their own.
    #[default]
    Columns,
    /// Those of the whole table, for entries in one unit.
    Whole,
}

/// The spec of `structure`: a search for the structure of a table, over sums and products of simple random matrices.
#[spec]
pub struct StructureSpec {
    /// The rows of the table, one after another, `[numRows, dim]`. Rows and columns, 6 to 1,000 each; at most 100,000 entries.
    pub states: Vec<f64>,
    /// Number of columns.
    pub dim: usize,
    /// What the table is standardized by; columns if absent.
    #[serde(default)]
    pub standardize: Standardization,
    /// Maximum number of productions, 1 to 5; 3 if absent.
    #[serde(default = "three")]
    pub max_depth: usize,
    /// Number of structures of a level that are expanded, 1 to 10; 3 if absent.
    #[serde(default = "three")]
    pub keep: usize,
    /// What a level's best structure has to gain on that of the level before, in nats a row and column; 1 if absent.
    #[serde(default = "one")]
    pub min_gain: f64,
    /// Number of parts of rows and of columns that are held out in turn, 2 to 20; 5 if absent.
    #[serde(default = "five")]
    pub num_folds: usize,
    /// Number of chains over which a prediction is averaged, each with five of its states, 1 to 20; 2 if absent.
    #[serde(default = "two")]
    pub num_samples: usize,
    /// Sweeps of Gibbs sampling after a production, 1 to 10,000; 100 if absent.
    #[serde(default = "hundred")]
    pub num_sweeps: usize,
    /// Steps of annealed importance sampling for a prediction with scales, 10 to 10,000; 300 if absent.
    #[serde(default = "three_hundred")]
    pub annealing_steps: usize,
    /// Whether M and B are expanded as well: M → MG + G, B → BG + G, M → B; false if absent.
    #[serde(default)]
    pub expand_discrete: bool,
    /// Seed, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn one() -> f64 {
    1.0
}
fn two() -> usize {
    2
}
fn three() -> usize {
    3
}
fn five() -> usize {
    5
}
fn hundred() -> usize {
    100
}
fn three_hundred() -> usize {
    300
}

/// Mean and standard deviation.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let square = values.map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (square / count).sqrt())
}

impl StructureSpec {
    /// Number of rows.
    pub(super) fn num_rows(&self) -> usize {
        self.states.len() / self.dim
    }

    /// Of each column what is subtracted, and what is divided by.
    pub(super) fn standardization(&self) -> Vec<(f64, f64)> {
        match self.standardize {
            Standardization::Whole => vec![moments(self.states.iter().copied()); self.dim],
            Standardization::Columns => (0..self.dim)
                .map(|col| moments(self.states.iter().copied().skip(col).step_by(self.dim)))
                .collect(),
        }
    }

    /// Checks everything.
    pub(super) fn check(&self) -> Result<()> {
        in_range("maxDepth", self.max_depth, 1, 5)?;
        in_range("keep", self.keep, 1, 10)?;
        in_range("numFolds", self.num_folds, 2, 20)?;
        in_range("numSamples", self.num_samples, 1, 20)?;
        in_range("numSweeps", self.num_sweeps, 1, 10_000)?;
        in_range("annealingSteps", self.annealing_steps, 10, 10_000)?;
        check_positive("minGain", self.min_gain)?;
        in_range("dim", self.dim, MIN_SIZE, MAX_SIZE)?;
        let count = self.states.len();
        if !count.is_multiple_of(self.dim) {
            let problem = format!("has {count} entries; give rows of {}", self.dim);
            return Err(Error::spec("states", problem));
        }
        let num_rows = self.num_rows();
        if num_rows < MIN_SIZE || num_rows.min(self.dim) < self.num_folds {
            let problem = format!(
                "has {num_rows} rows of {}; a search needs {MIN_SIZE} or more of each, and no fewer than numFolds, {}",
                self.dim, self.num_folds
            );
            return Err(Error::spec("states", problem));
        }
        if num_rows > MAX_SIZE || count > MAX_ENTRIES {
            return Err(Error::TooLarge {
                field: "states".into(),
                problem: format!(
                    "has {num_rows} rows of {}, and the limit is {MAX_SIZE} rows and {MAX_ENTRIES} entries; take some of the rows",
                    self.dim
                ),
            });
        }
        check_numbers("states", &self.states, count)?;
        if let Some(at) = self.states.iter().position(|value| value.abs() > GREATEST) {
            let problem =
                format!("is {}, greater than {GREATEST}; take another unit", self.states[at]);
            return Err(Error::spec(format!("states[{at}]"), problem));
        }
        let all = self.standardization();
        let is_constant = |(mean, deviation): &(f64, f64)| {
            !(*deviation > LEAST_SPREAD * mean.abs().max(f64::MIN_POSITIVE))
        };
        match all.iter().position(is_constant) {
            None => Ok(()),
            Some(col) => {
                let what = match self.standardize {
                    Standardization::Columns => {
                        format!("are all the same in column {col}, counted from 0; leave it out")
                    }
                    Standardization::Whole => "are all the same".into(),
                };
                Err(Error::spec("states", what))
            }
        }
    }
}
