//! The inputs, and the distances of all pairs of rows.

use crate::base::Base;
use crate::sorting::sorted;

/// Distances that differ by less than this share of the greatest are one: those of a grid differ by rounding alone.
const SAME: f64 = 1e-12;

/// |x − x′| in one input for all pairs i ≤ j, row after row.
#[derive(Debug, Clone)]
pub enum Distances {
    /// The distances that occur, and which of them each pair has.
    Repeated {
        /// The distances, ascending.
        unique: Vec<f64>,
        /// The place of each pair's.
        places: Vec<u32>,
    },
    /// One for each pair.
    All(Vec<f64>),
}

impl Distances {
    fn new(column: &[f64]) -> Self {
        let mut all = Vec::with_capacity(column.len() * (column.len() + 1) / 2);
        for (i, x) in column.iter().enumerate() {
            all.extend(column[i..].iter().map(|y| (x - y).abs()));
        }
        let sorted = sorted(&all);
        let least = SAME * sorted.last().copied().unwrap_or(0.0);
        let mut unique: Vec<f64> = Vec::new();
        for distance in sorted {
            if unique.last().is_none_or(|last| distance - last > least) {
                unique.push(distance);
            }
        }
        if unique.len() > all.len() / 4 {
            return Self::All(all);
        }
        let place = |distance: &f64| unique.partition_point(|each| each <= distance) - 1;
        let places = all.iter().map(|distance| place(distance) as u32).collect();
        Self::Repeated { unique, places }
    }

    /// The distances at which a kernel is to be computed.
    pub fn distinct(&self) -> &[f64] {
        match self {
            Self::Repeated { unique, .. } => unique,
            Self::All(all) => all,
        }
    }

    /// A value for each pair, from one for each distinct distance.
    pub fn spread(&self, values: &[f64], scale: f64) -> Vec<f64> {
        match self {
            Self::Repeated { places, .. } => {
                places.iter().map(|place| scale * values[*place as usize]).collect()
            }
            Self::All(_) => values.iter().map(|value| scale * value).collect(),
        }
    }

    /// The sum over the pairs of each distinct distance, in the order of the pairs. None if each pair has its own.
    pub fn gather(&self, pairs: &[f64]) -> Option<Vec<f64>> {
        let Self::Repeated { unique, places } = self else { return None };
        let mut sums = vec![0.0; unique.len()];
        places.iter().zip(pairs).for_each(|(place, value)| sums[*place as usize] += value);
        Some(sums)
    }
}

/// Rows of inputs.
#[derive(Debug, Clone)]
pub struct Inputs {
    num_inputs: usize,
    /// `[numRows, numInputs]`.
    rows: Vec<f64>,
    /// One for each input.
    columns: Vec<Vec<f64>>,
    distances: Vec<Distances>,
}

impl Inputs {
    /// Takes rows `[numRows, numInputs]`.
    ///
    /// # Panics
    /// If there are no inputs, or the last row is not whole.
    pub fn new(num_inputs: usize, rows: Vec<f64>) -> Self {
        assert!(num_inputs > 0 && rows.len().is_multiple_of(num_inputs));
        let column = |d: usize| rows.iter().skip(d).step_by(num_inputs).copied().collect();
        let columns: Vec<Vec<f64>> = (0..num_inputs).map(column).collect();
        let distances = columns.iter().map(|column| Distances::new(column)).collect();
        Self { num_inputs, rows, columns, distances }
    }

    /// Number of rows N.
    pub fn num_rows(&self) -> usize {
        self.columns[0].len()
    }

    /// Number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows.chunks_exact(self.num_inputs)
    }

    /// One input of all rows.
    pub fn column(&self, input: usize) -> &[f64] {
        &self.columns[input]
    }

    /// The distances that a base kernel reads.
    pub fn distances(&self, base: Base) -> &Distances {
        &self.distances[base.input]
    }
}
