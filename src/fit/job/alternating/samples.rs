//! What a fit by turns asks of its samples: to move, and to be summed over.

use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PartialSums, Unfinished};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What a round's shards are worked with.
pub struct Round {
    /// The model at θ, and at θⁿ⁻¹.
    pub model: Box<dyn Model>,
    pub before: Box<dyn Model>,
    pub refresh: u64,
    pub step_size: StepSize,
    pub seed: u64,
    /// Energies at θⁿ⁻¹, by shard and piece: while θ is searched for, rows and chains
    /// stay as they are.
    pub(super) energies_before: Mutex<BTreeMap<(usize, usize), Energies>>,
}

/// Energies of rows, and of chains.
type Energies = Arc<[Vec<f64>; 2]>;

impl Round {
    /// Energies at θⁿ⁻¹ of a piece's rows and chains, computed when they are first asked
    /// for.
    pub fn energies_before(&self, piece: (usize, usize), states: [Batch<'_>; 2]) -> Energies {
        let kept = || self.energies_before.lock().expect("no thread panics with it");
        if let Some(energies) = kept().get(&piece) {
            return energies.clone();
        }
        let energies = Arc::new(states.map(|states| {
            let mut energies = vec![0.0; states.len()];
            self.before.energy(states, &mut energies);
            energies
        }));
        kept().insert(piece, energies.clone());
        energies
    }
}

/// The samples of a fit by turns, and the sums that its objective is made of. Chains are
/// words: packed bits, or the bits of numbers.
pub trait Samples: Send + Sync {
    /// Number of chains.
    fn num_chains(&self) -> usize;

    /// Words a chain.
    fn num_words(&self) -> usize;

    /// Where the chains start, one after another.
    fn first_chains(&self) -> Vec<u64>;

    /// The step size they start with.
    fn first_step_size(&self) -> StepSize;

    /// Whether these words, of the right number, can be chains.
    fn are_valid(&self, chains: &[u64]) -> bool;

    /// Into how many shards rounds are cut.
    fn num_shards(&self) -> usize;

    /// The chains of a shard.
    fn chains(&self, shard: usize) -> Range<usize>;

    /// Numbers of a shard's sums.
    fn num_sums(&self) -> usize;

    /// Moves a shard's chains, whose words are scattered, piece by piece
    /// ([`crate::run::ShardWorker::work_piece`]): returns them once they have moved, with the sum of
    /// the acceptances of all their steps.
    fn sample(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)>;

    /// A shard's sums, piece by piece, of rows and of chains as they are.
    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        sums: &mut PartialSums,
    ) -> Option<Vec<f64>>;

    /// The objective from the sums of all shards; writes the gradient to `grad`.
    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64;

    /// Whether the objective is flow to samples of the model, 1 at their own parameters.
    fn is_flow(&self) -> bool {
        true
    }

    /// What to do where the objective is not finite at the samples' own parameters.
    fn advice(&self) -> &'static str;
}
