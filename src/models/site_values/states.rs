//! Enumeration of all states of sites of several values, for any energy of them.
//!
//! States are numbered in mixed radix, the first site the fastest. A shard is some of them in a row;
//! shards depend on the numbers of values alone.

use super::{Sites, Value};
use crate::bits::{set_bits, words_per_row, write_values};
use crate::energy::enumeration::{Categorical, Exact, combine_parts};
use crate::energy::{Energy, ExactDraws};
use crate::linalg::Batch;
use crate::math::exp;
use crate::rng::ChainRng;
use crate::{Error, Model, Result};
use std::fmt;
use std::ops::Range;

/// Number of states of a shard.
const SHARD_STATES: usize = 1 << 12;

/// The states of some sites.
#[derive(Debug, Clone)]
pub struct States {
    sites: Sites,
    count: usize,
}

impl States {
    /// Maximum number of states that are enumerated by their energies alone.
    pub const MAX: usize = 1 << 20;

    /// All states.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are more than `most`.
    pub fn new(sites: &Sites, most: usize) -> Result<Self> {
        let all = (0..sites.count()).map(|site| sites.num_values(site));
        let count = all.fold(1, usize::saturating_mul);
        if count <= most {
            return Ok(Self { sites: sites.clone(), count });
        }
        Err(Error::TooLarge {
            field: "model.numValues".into(),
            problem: format!(
                "gives {} sites over {most} states to enumerate; sample the model instead",
                sites.count()
            ),
        })
    }

    /// Number of states, ∏ q_i.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.count.div_ceil(SHARD_STATES)
    }

    /// The states of a shard.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn of_shard(&self, shard: usize) -> Range<usize> {
        assert!(shard < self.num_shards());
        shard * SHARD_STATES..self.count.min((shard + 1) * SHARD_STATES)
    }

    /// The values of the sites in a state.
    pub fn values(&self, state: usize) -> Vec<Value> {
        let mut rest = state;
        let of_site = |site: usize| {
            let value = rest % self.sites.num_values(site);
            rest /= self.sites.num_values(site);
            value as Value
        };
        (0..self.sites.count()).map(of_site).collect()
    }

    /// The rows of a shard's states, and the same as numbers, `[states, dim]`.
    fn rows(&self, shard: usize) -> (Vec<Vec<u64>>, Vec<f64>) {
        let dim = self.sites.dim();
        let mut numbers = vec![0.0; self.of_shard(shard).len() * dim];
        let states = self.of_shard(shard).zip(numbers.chunks_exact_mut(dim));
        let write = |(state, numbers): (usize, &mut [f64])| {
            let mut row = vec![0; words_per_row(dim)];
            self.sites.write(&self.values(state), &mut row);
            write_values(&row, numbers);
            row
        };
        (states.map(write).collect(), numbers)
    }

    /// A shard's states as numbers, `[states, dim]`, and their energies, in nats.
    ///
    /// # Panics
    /// If there is no such shard, or the model has other sites.
    pub fn energies(&self, model: &(impl Energy + ?Sized), shard: usize) -> (Vec<f64>, Vec<f64>) {
        let (_, numbers) = self.rows(shard);
        let energies = energies(model, &numbers);
        (numbers, energies)
    }
}

fn energies(model: &(impl Energy + ?Sized), numbers: &[f64]) -> Vec<f64> {
    let batch = Batch::new(model.dim(), numbers);
    let mut energies = vec![0.0; batch.len()];
    model.energy(batch, &mut energies);
    energies
}

/// Enumeration of a model's states, in shards.
pub struct StateEnumeration {
    model: Box<dyn Model>,
    states: States,
}

impl StateEnumeration {
    /// The enumeration of a model's states at its present parameters.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are over [`States::MAX`].
    pub fn new(model: &dyn Model, sites: &Sites) -> Result<Self> {
        Ok(Self { model: model.boxed_clone(), states: States::new(sites, States::MAX)? })
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.states.num_shards()
    }

    /// Length of a shard's part.
    pub fn part_len(&self) -> usize {
        let dim = self.model.dim();
        3 + dim * (dim + 1) / 2
    }

    /// Works one shard: `[E_min, Σw, ΣwE, Σ w x_a x_b for bits a ≤ b]` with w = exp(E_min − E).
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn part(&self, shard: usize) -> Vec<f64> {
        let dim = self.model.dim();
        let (rows, numbers) = self.states.rows(shard);
        let energies = energies(&*self.model, &numbers);
        let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
        let mut part = vec![0.0; self.part_len()];
        part[0] = min;
        for (row, energy) in rows.iter().zip(energies) {
            let weight = exp(min - energy);
            part[1] += weight;
            // A state of infinite energy adds nothing.
            part[2] += if weight > 0.0 { weight * energy } else { 0.0 };
            let on: Vec<usize> = set_bits(row).collect();
            for (at, low) in on.iter().enumerate() {
                let start = 3 + low * dim - low * low.saturating_sub(1) / 2;
                on[at..].iter().for_each(|high| part[start + high - low] += weight);
            }
        }
        part
    }

    /// Combines the parts of all shards, in order.
    ///
    /// # Panics
    /// If a part is missing or has the wrong length.
    pub fn combine(&self, parts: &[Vec<f64>]) -> Exact {
        assert_eq!(parts.len(), self.num_shards());
        combine_parts(self.model.dim(), parts)
    }
}

/// Draws from a table of all states.
#[derive(Debug, Clone)]
pub struct ValueDraws {
    states: States,
    table: Categorical,
}

impl ValueDraws {
    /// Maximum number of states in a table: 8 MB.
    pub const MAX_STATES: usize = 1 << 20;

    /// Draws of states with these energies, in their order.
    ///
    /// # Panics
    /// If there are none.
    pub fn from_energies(states: States, energies: impl Iterator<Item = f64>) -> Self {
        let table = Categorical::from_log_weights(energies.map(|energy| -energy).collect());
        Self { states, table }
    }
}

impl ExactDraws for ValueDraws {
    fn log_z(&self) -> f64 {
        self.table.log_total()
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        let state = self.table.draw(rng);
        self.states.sites.write(&self.states.values(state), row);
    }
}

impl Clone for StateEnumeration {
    fn clone(&self) -> Self {
        Self { model: self.model.boxed_clone(), states: self.states.clone() }
    }
}

impl fmt::Debug for StateEnumeration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateEnumeration").field("states", &self.states).finish_non_exhaustive()
    }
}
