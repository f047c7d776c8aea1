//! Sets of rows: folds, halves, and rows drawn with replacement.

use super::spec::ChoiceSpec;
use crate::bits::{BitMatrix, WeightedRows};
use crate::rng::{Purpose, below, shuffle, stream};

/// The rows at these places.
fn rows_at(data: &BitMatrix, places: &[usize]) -> WeightedRows {
    WeightedRows::from_data(data.rows_at(places).as_batch())
}

/// All places in random order.
fn shuffled(count: usize, seed: u64, index: u64) -> Vec<usize> {
    let mut rng = stream(seed, Purpose::RowSets, index);
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut order, &mut rng);
    order
}

/// The rows of a set of a choice, from 0, and those that it holds out.
pub fn set(
    data: &BitMatrix,
    choice: &ChoiceSpec,
    set: usize,
    seed: u64,
) -> (WeightedRows, Option<WeightedRows>) {
    let count = data.num_rows();
    match choice {
        ChoiceSpec::Ebic { .. } => (WeightedRows::from_data(data.as_batch()), None),
        ChoiceSpec::CrossValidation { num_folds, .. } => {
            let order = shuffled(count, seed, 0);
            let places = |is_held: bool| -> Vec<usize> {
                let places = order.iter().enumerate();
                places
                    .filter(|(at, _)| (at % num_folds == set) == is_held)
                    .map(|(_, p)| *p)
                    .collect()
            };
            (rows_at(data, &places(false)), Some(rows_at(data, &places(true))))
        }
        ChoiceSpec::Stability { .. } => {
            let order = shuffled(count, seed, set as u64 / 2);
            let half = count / 2;
            let start = if set.is_multiple_of(2) { 0 } else { half };
            (rows_at(data, &order[start..start + half]), None)
        }
    }
}

/// As many rows, drawn with replacement.
pub fn drawn(data: &BitMatrix, fit: usize, seed: u64) -> WeightedRows {
    let mut rng = stream(seed, Purpose::NetworkBootstrap, fit as u64);
    let count = data.num_rows();
    let places: Vec<usize> = (0..count).map(|_| below(count, &mut rng)).collect();
    rows_at(data, &places)
}
