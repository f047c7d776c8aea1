//! Sums over the states of binary hidden units, in shards.

use super::Multiplicities;
use crate::linalg::axpy;
use crate::math::{exp_slice, ln, log_sum_exp};
use crate::{Error, Result};

/// Maximum number of hidden units whose states are enumerated.
pub const MAX_HIDDEN: usize = 20;

/// Cost of a shard, in exponentials and additions: some milliseconds.
const SHARD_COST: usize = 1 << 21;

/// Maximum number of states of a shard, which bounds what additions and subtractions of weights
/// leave of rounding.
const MAX_SHARD: usize = 1 << 10;

/// Sums over the hidden states of a machine with softmax units.
#[derive(Debug, Clone)]
pub struct HiddenSums {
    /// W, `[hidden, values of all groups]`.
    weights: Vec<f64>,
    visible_bias: Vec<f64>,
    hidden_bias: Vec<f64>,
    /// Where each group begins, and the number of all values.
    first: Vec<usize>,
}

impl HiddenSums {
    /// Sums for these parameters; group g has the values `first[g]..first[g + 1]`.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are over [`MAX_HIDDEN`] hidden units.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn new(
        weights: &[f64],
        visible_bias: &[f64],
        hidden_bias: &[f64],
        first: Vec<usize>,
    ) -> Result<Self> {
        assert_eq!(weights.len(), visible_bias.len() * hidden_bias.len());
        assert_eq!(first.last(), Some(&visible_bias.len()));
        let count = hidden_bias.len();
        if count > MAX_HIDDEN {
            return Err(Error::TooLarge {
                field: "model.numHidden".into(),
                problem: format!(
                    "is {count}, and log Z is a sum over 2^(this number) hidden states; the limit is \
                     {MAX_HIDDEN}: use fewer hidden units"
                ),
            });
        }
        Ok(Self {
            weights: weights.to_vec(),
            visible_bias: visible_bias.to_vec(),
            hidden_bias: hidden_bias.to_vec(),
            first,
        })
    }

    /// Number of states of a shard if there are sums for `num_rows` kinds of rows.
    pub fn shard_states(&self, num_rows: usize) -> usize {
        let most = (SHARD_COST / self.state_cost(num_rows)).clamp(1, MAX_SHARD);
        let most = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
        most.min(1 << self.hidden_bias.len())
    }

    /// Estimated cost of a state, in exponentials and additions.
    fn state_cost(&self, num_rows: usize) -> usize {
        4 * self.visible_bias.len() + num_rows * self.first.len()
    }

    /// Number of shards if there are sums for `num_rows` kinds of rows.
    pub fn num_shards(&self, num_rows: usize) -> usize {
        (1 << self.hidden_bias.len()) / self.shard_states(num_rows)
    }

    /// The hidden state with this number within a shard. Consecutive ones differ in one unit.
    pub fn state(&self, shard: usize, shard_states: usize, index: usize) -> u64 {
        ((shard * shard_states) | (index ^ (index >> 1))) as u64
    }

    /// The activations of all values given a hidden state.
    pub fn activations(&self, hidden: u64) -> Vec<f64> {
        let mut activations = self.visible_bias.clone();
        for (unit, line) in self.weights.chunks_exact(activations.len()).enumerate() {
            if hidden >> unit & 1 == 1 {
                axpy(1.0, line, &mut activations);
            }
        }
        activations
    }

    /// `ln p` of each hidden state of a shard and what a row has, up to log Z, state by state:
    /// `[states, rows]`.
    fn log_weights(&self, shard: usize, rows: &[Multiplicities]) -> Vec<f64> {
        let shard_states = self.shard_states(rows.len());
        let dim = self.visible_bias.len();
        let mut hidden = self.state(shard, shard_states, 0);
        let mut activations = self.activations(hidden);
        let mut normalizers = vec![0.0; self.first.len() - 1];
        let mut exponentials = vec![0.0; dim];
        let mut log_weights = Vec::with_capacity(shard_states * rows.len());
        for index in 0..shard_states {
            let next = self.state(shard, shard_states, index);
            let changed = hidden ^ next;
            if changed != 0 {
                let unit = changed.trailing_zeros() as usize;
                let sign = if next & changed != 0 { 1.0 } else { -1.0 };
                axpy(sign, &self.weights[unit * dim..(unit + 1) * dim], &mut activations);
                hidden = next;
            }
            for (group, normalizer) in normalizers.iter_mut().enumerate() {
                let range = self.first[group]..self.first[group + 1];
                let activations = &activations[range.clone()];
                let max = activations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let exponentials = &mut exponentials[range];
                exponentials.iter_mut().zip(activations).for_each(|(to, a)| *to = a - max);
                exp_slice(exponentials);
                *normalizer = max + ln(exponentials.iter().sum());
            }
            let bias = self.hidden_bias.iter().enumerate();
            let bias: f64 =
                bias.filter(|(unit, _)| hidden >> unit & 1 == 1).map(|(_, bias)| bias).sum();
            log_weights.extend(rows.iter().map(|row| {
                let own = normalizers.iter().zip(&row.groups);
                row.hidden * bias + own.map(|(normalizer, count)| count * normalizer).sum::<f64>()
            }));
        }
        log_weights
    }

    /// For each kind of row, the logarithm of its sum over the states of a shard.
    ///
    /// # Panics
    /// If there is no such shard, or a row has another number of groups.
    pub fn shard(&self, shard: usize, rows: &[Multiplicities]) -> Vec<f64> {
        assert!(shard < self.num_shards(rows.len()));
        assert!(rows.iter().all(|row| row.groups.len() + 1 == self.first.len()));
        let log_weights = self.log_weights(shard, rows);
        let of_row = |row| -> Vec<f64> {
            log_weights.iter().skip(row).step_by(rows.len()).copied().collect()
        };
        (0..rows.len()).map(|row| log_sum_exp(&of_row(row))).collect()
    }

    /// log Z for each kind of row, from the sums of all shards in order.
    pub fn combine(shards: &[Vec<f64>], num_rows: usize) -> Vec<f64> {
        let of_row = |row| -> Vec<f64> { shards.iter().map(|sums| sums[row]).collect() };
        (0..num_rows).map(|row| log_sum_exp(&of_row(row))).collect()
    }

    /// The hidden states of a shard, with their log weights for one kind of row.
    pub fn states(&self, shard: usize, row: &Multiplicities) -> (Vec<u64>, Vec<f64>) {
        let count = self.shard_states(1);
        let states = (0..count).map(|index| self.state(shard, count, index)).collect();
        (states, self.log_weights(shard, std::slice::from_ref(row)))
    }
}
