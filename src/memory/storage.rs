//! How well a network stores patterns: whether each is a fixed point, and its
//! margin ([`super::network`]).

use super::bit_product::{BitGroups, Line, TILE, Tables};
use super::network::{gap, heaviside, lower};
use super::{Network, bit_product, tiles};
use crate::bits::BitMatrix;
use serde::{Deserialize, Serialize};

/// The storage of each of some patterns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Storage {
    /// Least gaps, in nats: positive exactly for strict local minima.
    pub margins: Vec<f64>,
    /// Number of bits that the dynamics would change if each unit were updated at the pattern; 0
    /// exactly for fixed points.
    pub num_wrong: Vec<u64>,
}

impl Storage {
    /// The storage of `count` patterns before any unit has been checked.
    pub fn new(count: usize) -> Self {
        Self { margins: vec![f64::INFINITY; count], num_wrong: vec![0; count] }
    }

    /// Adds the results of other units.
    ///
    /// # Panics
    /// If it has another number of patterns.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.margins.len(), other.margins.len());
        for (margin, other) in self.margins.iter_mut().zip(&other.margins) {
            *margin = lower(*margin, *other);
        }
        for (count, other) in self.num_wrong.iter_mut().zip(&other.num_wrong) {
            *count += other;
        }
    }

    /// Adds the fields of a tile's units at a pattern.
    pub(super) fn add(&mut self, pattern: usize, fields: &[f64], bits: u64) {
        for (lane, field) in fields.iter().enumerate() {
            let is_set = bits >> lane & 1 == 1;
            self.margins[pattern] = lower(self.margins[pattern], gap(*field, is_set));
            self.num_wrong[pattern] += u64::from(heaviside(*field) != is_set);
        }
    }

    /// Number of fixed points.
    pub fn num_stored(&self) -> usize {
        self.num_wrong.iter().filter(|count| **count == 0).count()
    }

    /// The least margin among all patterns.
    pub fn least_margin(&self) -> f64 {
        self.margins.iter().copied().fold(f64::INFINITY, lower)
    }

    /// Whether every pattern is a strict local minimum with at least this margin.
    pub fn has_margin(&self, margin: f64) -> bool {
        let least = self.least_margin();
        least > 0.0 && least >= margin
    }

    /// The storage as numbers, `[margins | numWrong]`.
    pub fn to_numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.margins.iter().copied().chain(self.num_wrong.iter().map(|count| *count as f64))
    }

    /// The inverse of [`Storage::to_numbers`].
    pub fn from_numbers(numbers: &[f64]) -> Self {
        let (margins, counts) = numbers.split_at(numbers.len() / 2);
        Self {
            margins: margins.to_vec(),
            num_wrong: counts.iter().map(|count| *count as u64).collect(),
        }
    }
}

/// Patterns prepared for checking tile by tile.
#[derive(Debug, Clone)]
pub struct Patterns {
    rows: BitMatrix,
    groups: BitGroups,
}

impl Patterns {
    /// Patterns to be stored.
    pub fn new(rows: BitMatrix) -> Self {
        let groups = BitGroups::new(rows.as_batch());
        Self { rows, groups }
    }

    /// The patterns.
    pub fn rows(&self) -> &BitMatrix {
        &self.rows
    }

    /// Checks the units of a tile.
    ///
    /// # Panics
    /// If the network has another dimension, or there is no such tile.
    pub fn check_tile(&self, network: &Network, tile: usize) -> Storage {
        let dim = network.dim();
        assert_eq!(dim, self.rows.dim());
        let units = tiles::units(dim, tile);
        let mut columns = Vec::new();
        tiles::columns(dim, network.weights(), tile, &mut columns);
        let mut start = Line([0.0; TILE]);
        for (start, threshold) in start.0.iter_mut().zip(&network.thresholds()[units.clone()]) {
            *start = -threshold;
        }
        let mut fields = vec![start; self.rows.num_rows()];
        self.groups.add_product(&columns, &mut fields, &mut Tables::default());
        let mut storage = Storage::new(self.rows.num_rows());
        for (pattern, (row, fields)) in self.rows.as_batch().rows().zip(&fields).enumerate() {
            storage.add(pattern, &fields.0[..units.len()], tiles::bits(row, tile));
        }
        storage
    }

    /// Estimated cost of [`Patterns::check_tile`], in nanoseconds.
    pub fn tile_cost(&self) -> usize {
        let num_rows = self.rows.num_rows();
        2 * bit_product::cost(num_rows, self.rows.dim()) + 50 * num_rows
    }

    /// Checks all units.
    ///
    /// # Panics
    /// If the network has another dimension.
    pub fn check(&self, network: &Network) -> Storage {
        let mut storage = Storage::new(self.rows.num_rows());
        for tile in 0..tiles::num_tiles(network.dim()) {
            storage.merge(&self.check_tile(network, tile));
        }
        storage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ising::{IsingSpec, Pattern};
    use crate::rng::{Purpose, stream, uniform};

    #[test]
    fn patterns_by_the_networks_own_tests() {
        for (dim, num_rows) in [(1, 2), (5, 3), (70, 40), (130, 9)] {
            let spec = IsingSpec::random(dim, Pattern::Dense {}, 1.0, 3);
            let network = Network::from_ising(&spec).expect("a sound spec");
            let mut rng = stream(2, Purpose::Example, dim as u64);
            let mut rows = BitMatrix::zeros(dim, num_rows);
            for row in rows.rows_mut() {
                for site in 0..dim {
                    row[site / 64] |= u64::from(uniform(&mut rng) < 0.5) << (site % 64);
                }
            }
            let storage = Patterns::new(rows.clone()).check(&network);
            for (at, row) in rows.as_batch().rows().enumerate() {
                assert!((storage.margins[at] - network.margin(row)).abs() < 1e-11);
                assert_eq!(storage.num_wrong[at] == 0, network.is_fixed_point(row));
            }
            let numbers: Vec<f64> = storage.to_numbers().collect();
            assert_eq!(Storage::from_numbers(&numbers), storage);
        }
    }

    #[test]
    fn ties_are_stored_without_a_margin() {
        let mut rows = BitMatrix::zeros(20, 2);
        rows.rows_mut().nth(1).expect("a row")[0] = 0b101;
        let storage = Patterns::new(rows).check(&Network::zeros(20));
        assert_eq!(storage.num_wrong, [0, 2]);
        assert_eq!((storage.num_stored(), storage.least_margin()), (1, 0.0));
        assert!(!storage.has_margin(0.0));
    }

    #[test]
    fn no_number_is_no_margin() {
        let storage = Storage { margins: vec![2.0, f64::NAN, 1.0], num_wrong: vec![0; 3] };
        assert!(storage.least_margin().is_nan() && !storage.has_margin(0.5));
    }
}
