//! Gibbs chains of a binary model, each with one stream for all its steps.

use crate::bits::{BitBatch, are_rows, words_per_row};
use crate::models::Model;
use crate::rng::{ChainRng, uniform};
use crate::sample::Transition;
use crate::sample::block_gibbs::BlockGibbs;
use crate::sample::gibbs::Gibbs;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Gibbs chains of packed bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chains {
    dim: usize,
    /// The rows, one per chain.
    words: Vec<u64>,
    streams: Vec<ChainRng>,
}

impl Chains {
    /// One chain per stream. It starts at a draw of independent sites with these means, or where
    /// `start` puts it.
    pub fn new(
        means: &[f64],
        streams: impl Iterator<Item = ChainRng>,
        mut start: impl FnMut(usize, &mut ChainRng) -> Option<Vec<u64>>,
    ) -> Self {
        let mut streams: Vec<ChainRng> = streams.collect();
        let mut words = Vec::with_capacity(streams.len() * words_per_row(means.len()));
        for (chain, rng) in streams.iter_mut().enumerate() {
            words.extend(start(chain, rng).unwrap_or_else(|| independent_row(means, rng)));
        }
        Self { dim: means.len(), words, streams }
    }

    /// Number of chains.
    pub fn len(&self) -> usize {
        self.streams.len()
    }

    /// The rows of some chains.
    pub fn rows(&self, chains: Range<usize>) -> BitBatch<'_> {
        BitBatch::new(self.dim, &self.words).slice(chains)
    }

    /// Moves some chains by one step each: a sweep of Gibbs sampling over the sites. If the visible
    /// units are independent given the hidden ones, a step draws all hidden units and then all
    /// visible ones.
    ///
    /// # Panics
    /// If the model has no Gibbs sampling, or has another dimension.
    pub fn step(&mut self, model: &dyn Model, chains: Range<usize>) {
        match (model.as_hidden_units(), model.as_site_flips()) {
            (Some(hidden), _) => self.step_by(&BlockGibbs::new(hidden), chains),
            (None, Some(flips)) => self.step_by(&Gibbs::new(flips), chains),
            (None, None) => panic!("the model cannot be sampled"),
        }
    }

    fn step_by(&mut self, transition: &impl Transition, chains: Range<usize>) {
        let width = words_per_row(self.dim);
        let rows = self.words[chains.start * width..chains.end * width].chunks_exact_mut(width);
        for (row, rng) in rows.zip(&mut self.streams[chains]) {
            transition.step(row, rng);
        }
    }

    /// Whether this can be `fresh` some steps later. For checking states read from outside.
    pub fn has_shape_of(&self, fresh: &Self) -> bool {
        self.dim == fresh.dim
            && self.words.len() == fresh.words.len()
            && self.streams.len() == fresh.streams.len()
            && are_rows(self.dim, &self.words)
    }
}

/// A draw of independent sites.
fn independent_row(means: &[f64], rng: &mut ChainRng) -> Vec<u64> {
    let mut row = vec![0; words_per_row(means.len())];
    for (site, mean) in means.iter().enumerate() {
        row[site / 64] |= u64::from(uniform(rng) < *mean) << (site % 64);
    }
    row
}

/// `sums += Σ_x ∂E(x)/∂θ` over rows; the first entry is for the energies.
pub fn add_statistics(model: &dyn Model, rows: BitBatch<'_>, sums: &mut [f64]) {
    let model = model.as_parametric().expect("a family has parameters");
    model.accumulate_rows(rows, 1.0, sums);
}

/// Estimated cost of a step of one chain, in nanoseconds.
pub fn step_cost(model: &dyn Model, num_params: usize) -> usize {
    match model.as_hidden_units() {
        Some(hidden) => 10 * (model.dim() + hidden.num_hidden()) + num_params / 4,
        None => 20 * model.dim() + 2 * num_params,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn chains_with_a_bit_past_the_last_site_are_none() {
        let streams = || (0..3).map(|chain| stream(1, Purpose::Chain, chain));
        let fresh = Chains::new(&[0.5; 5], streams(), |_, _| None);
        let mut read = fresh.clone();
        assert!(read.has_shape_of(&fresh));
        read.words[1] |= 1 << 5;
        assert!(!read.has_shape_of(&fresh));
    }
}
