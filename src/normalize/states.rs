//! The states of chains without the chains: to choose among them, and to report them.

use super::annealing_plan::AnnealingPlan;
use crate::bits::{words_per_row, write_values};
use serde::{Deserialize, Serialize};

/// The states of chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum States {
    /// States on ℝᴰ.
    Values {
        /// The dimension D.
        dim: usize,
        /// One state after another, `[width, dim]`.
        values: Vec<f64>,
        /// Momenta in the same layout; empty for chains without momenta.
        momenta: Vec<f64>,
    },
    /// Packed bits, one row per chain.
    Rows(Vec<Vec<u64>>),
}

impl States {
    /// Number of states.
    pub fn len(&self) -> usize {
        match self {
            Self::Values { dim, values, .. } => values.len() / dim,
            Self::Rows(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl States {
    /// Concatenates sets of states.
    ///
    /// # Panics
    /// If there is no set, or they are of different kinds.
    pub fn concat(all: impl Iterator<Item = Self>) -> Self {
        let join = |joined: Self, more: Self| match (joined, more) {
            (
                Self::Values { dim, mut values, mut momenta },
                Self::Values { values: more, momenta: more_momenta, .. },
            ) => {
                values.extend(more);
                momenta.extend(more_momenta);
                Self::Values { dim, values, momenta }
            }
            (Self::Rows(mut rows), Self::Rows(more)) => {
                rows.extend(more);
                Self::Rows(rows)
            }
            _ => panic!("states of different kinds"),
        };
        all.reduce(join).expect("there are states")
    }

    /// The states at these places, which may repeat.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn select(&self, places: &[usize]) -> Self {
        match self {
            Self::Values { dim, values, momenta } => {
                let chosen = |all: &[f64]| -> Vec<f64> {
                    let places = places.iter().filter(|_| !all.is_empty());
                    places.flat_map(|place| &all[place * dim..(place + 1) * dim]).copied().collect()
                };
                Self::Values { dim: *dim, values: chosen(values), momenta: chosen(momenta) }
            }
            Self::Rows(rows) => {
                Self::Rows(places.iter().map(|&place| rows[place].clone()).collect())
            }
        }
    }

    /// The states as numbers, one after another.
    pub fn to_values(&self, dim: usize) -> Vec<f64> {
        match self {
            Self::Values { values, .. } => values.clone(),
            Self::Rows(rows) => {
                let mut values = vec![0.0; rows.len() * dim];
                for (row, values) in rows.iter().zip(values.chunks_exact_mut(dim)) {
                    write_values(row, values);
                }
                values
            }
        }
    }

    /// Whether there are `width` states, of the kind of the plan.
    pub fn is_valid(&self, plan: &AnnealingPlan, width: usize) -> bool {
        let dim = plan.path().dim();
        match self {
            Self::Values { dim: own, values, momenta } => {
                !plan.path().is_binary()
                    && *own == dim
                    && values.len() == width * dim
                    && [0, width * dim].contains(&momenta.len())
            }
            Self::Rows(rows) => {
                let is_row = |row: &Vec<u64>| {
                    row.len() == words_per_row(dim)
                        && (dim.is_multiple_of(64) || row[row.len() - 1] >> (dim % 64) == 0)
                };
                plan.path().is_binary() && rows.len() == width && rows.iter().all(is_row)
            }
        }
    }
}
