//! The worker that computes shards of patches.

use crate::Result;
use crate::bytes::from_f64s;
use crate::patches::job::spec::PatchesSpec;
use crate::patches::{
    PatchSource, PatchTransform, covariance_of_rows, packed_len, principal_components,
};
use crate::run::{PartialSums, ShardWorker, Unfinished, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Number of patches per shard.
const PATCHES_PER_SHARD: usize = 512;

/// Maximum number of shards per round.
const MAX_SHARDS: usize = 64;

/// Maximum number of values in all parts of a round, 32 MiB, unless it has one shard.
const MAX_NUMBERS: usize = 1 << 22;

/// Number of rows of the covariance per piece: some milliseconds of products.
const ROWS_PER_PIECE: usize = 32;

/// Number of multiplications per piece of states: some milliseconds.
const PIECE_COST: usize = 1 << 22;

/// Approximate cost of a logarithm, in multiplications.
const LOG_COST: usize = 32;

/// The task of the shards of a round. `first` is the index of its first shard, among all shards
/// with this task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Round {
    /// Sum training patches.
    Mean { first: u64 },
    /// Sum the products of training patches about the mean, packed.
    Covariance { first: u64, mean: Vec<f64> },
    /// Find the principal components of the packed covariance.
    Components { covariance: Vec<f64>, mean: Vec<f64> },
    /// Make the states of training patches, then of test patches.
    States { first: u64, transform: PatchTransform },
    /// No task is left.
    Done { transform: PatchTransform },
}

/// Works shards of patches.
pub struct PatchesWorker {
    pub(super) source: PatchSource,
    pub(super) num_components: usize,
    pub(super) round: Round,
}

impl PatchesWorker {
    /// Checks the pictures.
    ///
    /// # Errors
    /// The errors of [`PatchSource::new`].
    pub fn new(spec: &PatchesSpec) -> Result<Self> {
        let source = PatchSource::new(spec.pictures.clone(), spec.sampling())?;
        let round = match &spec.transform {
            None => Round::Mean { first: 0 },
            Some(transform) => Round::States { first: 0, transform: transform.clone() },
        };
        let num_components = spec.transform.as_ref().map(PatchTransform::num_components);
        let num_components = num_components.or(spec.num_components).unwrap_or(0);
        Ok(Self { source, num_components, round })
    }

    /// Number of patches in all shards with the round's task.
    fn num_patches(&self) -> usize {
        match &self.round {
            Round::States { .. } => self.source.num_all(),
            _ => self.source.sampling().num_patches,
        }
    }

    /// The index of the round's first shard.
    pub fn first(&self) -> usize {
        match &self.round {
            Round::Mean { first } | Round::Covariance { first, .. } => *first as usize,
            Round::States { first, .. } => *first as usize,
            Round::Components { .. } | Round::Done { .. } => 0,
        }
    }

    /// Number of shards with the round's task, in all rounds.
    pub fn num_all_shards(&self) -> usize {
        match &self.round {
            Round::Components { .. } | Round::Done { .. } => 1,
            _ => self.num_patches().div_ceil(PATCHES_PER_SHARD),
        }
    }

    /// Patches of a shard of the round.
    pub fn patches_of(&self, shard: usize) -> Range<usize> {
        let start = (self.first() + shard) * PATCHES_PER_SHARD;
        start..self.num_patches().min(start + PATCHES_PER_SHARD)
    }

    /// Length of a shard's part.
    pub fn part_len(&self, shard: usize) -> usize {
        let dim = self.source.dim();
        match &self.round {
            Round::Mean { .. } => dim,
            Round::Covariance { .. } => packed_len(dim),
            Round::Components { .. } => self.num_components * (1 + dim),
            Round::States { transform, .. } => {
                self.patches_of(shard).len() * transform.num_components()
            }
            Round::Done { .. } => 0,
        }
    }

    /// Training patches minus their mean.
    fn centred(&self, range: Range<usize>, mean: &[f64]) -> Vec<f64> {
        let mut patches = self.source.patches(range);
        for patch in patches.chunks_exact_mut(mean.len()) {
            for (value, mean) in patch.iter_mut().zip(mean) {
                *value -= mean;
            }
        }
        patches
    }

    fn sum(&self, shard: usize) -> Vec<f64> {
        let dim = self.source.dim();
        let mut sum = vec![0.0; dim];
        for patch in self.source.patches(self.patches_of(shard)).chunks_exact(dim) {
            for (sum, value) in sum.iter_mut().zip(patch) {
                *sum += value;
            }
        }
        sum
    }

    /// Adds some rows of a shard's products to the sums, after its patches are stored there;
    /// returns whether these were the last.
    fn add_rows(&self, shard: usize, mean: &[f64], sums: &mut PartialSums) -> bool {
        let (dim, range) = (self.source.dim(), self.patches_of(shard));
        let num_kept = range.len() * dim;
        if sums.num_pieces == 0 {
            sums.part = self.centred(range, mean);
        } else {
            let start = (sums.num_pieces - 1) * ROWS_PER_PIECE;
            let rows = start..dim.min(start + ROWS_PER_PIECE);
            let mut packed = Vec::new();
            covariance_of_rows(dim, &sums.part[..num_kept], rows, &mut packed);
            sums.part.extend(packed);
        }
        sums.num_pieces += 1;
        sums.part.len() == num_kept + packed_len(dim)
    }

    /// Adds some states of a shard; returns whether these were the last.
    fn add_states(&self, shard: usize, transform: &PatchTransform, sums: &mut PartialSums) -> bool {
        let cost = transform.dim() * (LOG_COST + transform.num_components());
        let patches_per_piece = (PIECE_COST / cost).max(1);
        let range = self.patches_of(shard);
        let start = range.start + sums.num_pieces * patches_per_piece;
        let piece = start..range.end.min(start + patches_per_piece);
        sums.part.extend(transform.apply(&self.source.patches(piece.clone())));
        sums.num_pieces += 1;
        piece.end == range.end
    }
}

impl ShardWorker for PatchesWorker {
    fn num_shards(&self) -> usize {
        let dim = self.source.dim();
        let part_len = match &self.round {
            Round::Mean { .. } => dim,
            Round::Covariance { .. } => packed_len(dim),
            Round::States { transform, .. } => PATCHES_PER_SHARD * transform.num_components(),
            Round::Components { .. } | Round::Done { .. } => return 1,
        };
        let most = (MAX_NUMBERS / part_len.max(1)).clamp(1, MAX_SHARDS);
        most.min(self.num_all_shards() - self.first())
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.round = unpack(broadcast).expect("a round");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        assert!(shard < self.num_shards());
        let numbers = match &self.round {
            Round::Mean { .. } => self.sum(shard),
            Round::Covariance { mean, .. } => {
                if !self.add_rows(shard, mean, unfinished.sums()) {
                    return None;
                }
                let num_kept = self.patches_of(shard).len() * self.source.dim();
                unfinished.sums().part.split_off(num_kept)
            }
            Round::Components { covariance, .. } => {
                let (scales, components) =
                    principal_components(self.source.dim(), covariance, self.num_components);
                [scales, components].concat()
            }
            Round::States { transform, .. } => {
                if !self.add_states(shard, transform, unfinished.sums()) {
                    return None;
                }
                std::mem::take(&mut unfinished.sums().part)
            }
            Round::Done { .. } => panic!("the job is done"),
        };
        unfinished.clear();
        Some(from_f64s(&numbers))
    }
}
