//! What an alternating fit needs of its samples: to move them, and to sum over them.

use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PartialSums, Unfinished};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What workers need to work a round's shards.
pub struct Round {
    /// The model at θ, and at θⁿ⁻¹.
    pub model: Box<dyn Model>,
    pub before: Box<dyn Model>,
    pub refresh: u64,
    pub step_size: StepSize,
    pub seed: u64,
    /// Energies at θⁿ⁻¹, by shard and piece: rows and chains stay fixed while θ is searched for.
    pub(super) energies_before: Mutex<BTreeMap<(usize, usize), Energies>>,
}

/// Energies of rows, and of chains.
type Energies = Arc<[Vec<f64>; 2]>;

impl Round {
    /// Energies at θⁿ⁻¹ of a piece's rows and chains, computed on first use.
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

/// The samples of an alternating fit, and the sums that make up its objective. Chains are stored as
/// words: packed bits, or the bits of numbers.
pub trait Samples: Send + Sync {
    /// Number of chains.
    fn num_chains(&self) -> usize;

    /// Words per chain.
    fn num_words(&self) -> usize;

    /// Where the chains start, one after another.
    fn first_chains(&self) -> Vec<u64>;

    /// The step size the chains start with.
    fn first_step_size(&self) -> StepSize;

    /// Whether these words, whose number is right, are valid chains.
    fn are_valid(&self, chains: &[u64]) -> bool;

    /// Number of shards of a round.
    fn num_shards(&self) -> usize;

    /// The chains of a shard.
    fn chains(&self, shard: usize) -> Range<usize>;

    /// Number of values in a shard's sums.
    fn num_sums(&self) -> usize;

    /// Moves a shard's chains, whose words are scattered, piece by piece
    /// ([`crate::run::ShardWorker::work_piece`]). Returns them once they have moved, with the sum
    /// of the acceptances of all their steps.
    fn sample(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)>;

    /// A shard's sums over its rows and its chains, which stay fixed, piece by piece.
    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        sums: &mut PartialSums,
    ) -> Option<Vec<f64>>;

    /// The objective from the sums of all shards; writes the gradient to `grad`.
    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64;

    /// Whether the objective is flow to samples of the model, which is 1 at their own parameters.
    fn is_flow(&self) -> bool {
        true
    }

    /// Advice to the user if the objective is not finite at the samples' own parameters.
    fn advice(&self) -> &'static str;
}
