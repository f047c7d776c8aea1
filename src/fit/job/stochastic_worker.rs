//! The worker of fits by minibatches, and the sharding of minibatches and persistent chains, which
//! depends on the spec and the data alone.

use super::estimator::{self, Estimator, Part, Piece};
use super::rows::Rows;
use crate::bytes::{from_words, push_f64s, to_f64s, to_words};
use crate::fit::job::spec::{FitSpec, OptimizerSpec};
use crate::fit::step_size::StepSize;
use crate::rng::{Purpose, stream, uniform};
use crate::run::{PIECE, ShardWorker, Unfinished, pack, work_by_pieces};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Minimum number of rows or chains per shard, if there are that many in all.
const MIN_SHARD: usize = 25;

/// Maximum number of shards, unless their work takes long.
const MAX_SHARDS: usize = 16;

/// Approximate maximum number of values in the parts of a round together, 32 MiB. At least
/// [`MIN_SHARDS`] workers can share the rows nevertheless.
const MAX_PART_NUMBERS: usize = 1 << 22;
const MIN_SHARDS: usize = 8;

/// The broadcast of an update, without the parameters, which follow as bytes.
#[derive(Serialize, Deserialize)]
pub struct Broadcast {
    pub update: u64,
    pub step_size: StepSize,
}

impl Broadcast {
    /// The bytes of the broadcast with these parameters.
    pub fn with_params(&self, params: &[f64]) -> Vec<u8> {
        let mut bytes = pack(self);
        push_f64s(&mut bytes, params);
        bytes
    }
}

/// Works shards of minibatches.
pub struct StochasticWorker {
    estimator: Box<dyn Estimator>,
    seed: u64,
    batch_size: usize,
    num_epochs: usize,
    num_shards: usize,
    /// Rows, and chains, per piece of a shard's work.
    piece_rows: usize,
    /// Index of the round's update; the next fields are its epoch and the order of the rows there.
    update: u64,
    epoch: Option<u64>,
    order: Vec<usize>,
}

impl StochasticWorker {
    /// Checks that the model has the objective and matches the data.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`]; [`Error::InvalidSpec`] if
    /// model, objective and data do not match; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, rows: Rows<'_>) -> Result<Self> {
        let (batch_size, num_epochs) = match &spec.optimizer {
            Some(OptimizerSpec::Sgd(sgd)) => (sgd.batch_size, sgd.num_epochs),
            Some(OptimizerSpec::Adam(adam)) => (adam.batch_size, adam.num_epochs),
            _ => unreachable!("a stochastic optimizer"),
        };
        let estimator = estimator::create(spec, rows)?;
        let batch_size = batch_size.min(estimator.num_rows());
        let num_updates = (estimator.num_rows().div_ceil(batch_size) as u64) * num_epochs as u64;
        if num_updates >> 32 != 0 {
            return Err(Error::TooLarge {
                field: "optimizer.numEpochs".into(),
                problem: format!(
                    "makes {num_updates} updates, and the limit is 2^32 − 1; use fewer"
                ),
            });
        }
        let num_params = estimator.model().as_parametric().map_or(0, |model| model.params().len());
        let extent = batch_size.max(estimator.num_chains());
        let piece_rows =
            (2 * PIECE / estimator.row_cost().max(1)).clamp(1, u64::from(u32::MAX)) as usize;
        let num_shards = extent
            .div_ceil(MIN_SHARD)
            .min(MAX_SHARDS)
            .max(extent.div_ceil(piece_rows))
            .min((MAX_PART_NUMBERS / (1 + num_params)).max(MIN_SHARDS));
        Ok(Self {
            estimator,
            seed: spec.seed.unwrap_or(0),
            batch_size,
            num_epochs,
            num_shards,
            piece_rows,
            update: 0,
            epoch: None,
            order: Vec::new(),
        })
    }

    fn batches_an_epoch(&self) -> u64 {
        self.estimator.num_rows().div_ceil(self.batch_size) as u64
    }

    /// Number of updates of the whole fit.
    pub fn num_updates(&self) -> u64 {
        self.batches_an_epoch() * self.num_epochs as u64
    }

    /// Whether an update is the first of its epoch.
    pub fn begins_epoch(&self, update: u64) -> bool {
        update.is_multiple_of(self.batches_an_epoch())
    }

    /// The estimator of the gradients.
    pub fn estimator(&self) -> &dyn Estimator {
        &*self.estimator
    }

    /// The range of a shard's chains within the words of all chains.
    pub fn chain_words(&self, shard: usize) -> Range<usize> {
        let chains = self.chains(shard);
        let width = self.estimator.words_per_chain();
        chains.start * width..chains.end * width
    }

    /// Indices of the persistent chains of a shard.
    fn chains(&self, shard: usize) -> Range<usize> {
        self.cut(self.estimator.num_chains(), shard)
    }

    fn cut(&self, extent: usize, shard: usize) -> Range<usize> {
        let at = |shard: usize| (extent as u64 * shard as u64 / self.num_shards as u64) as usize;
        at(shard)..at(shard + 1)
    }

    /// Indices of the rows in the round's minibatch.
    fn batch(&self) -> &[usize] {
        let start = (self.update % self.batches_an_epoch()) as usize * self.batch_size;
        &self.order[start..self.order.len().min(start + self.batch_size)]
    }
}

/// State of a shard between two pieces of its work.
#[derive(Default)]
struct UnfinishedShard {
    num_pieces: usize,
    part: Part,
    /// Chains that have moved, as bytes.
    chains: Vec<u8>,
}

impl ShardWorker for StochasticWorker {
    fn num_shards(&self) -> usize {
        self.num_shards
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (Broadcast { update, step_size }, params) =
            postcard::take_from_bytes(broadcast).expect("an update's beginning");
        let params = to_f64s(params).expect("parameters are numbers");
        self.update = update;
        self.estimator.set_step_size(step_size);
        let model = self.estimator.model_mut().as_parametric_mut().expect("checked before");
        model.set_params(&params);
        let epoch = self.update / self.batches_an_epoch();
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.order = shuffled(self.estimator.num_rows(), self.seed, epoch);
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    /// A piece has some of the shard's rows and some of its chains.
    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let batch = self.batch();
        let rows = &batch[self.cut(batch.len(), shard)];
        let chains = self.chains(shard);
        let num_pieces = rows.len().max(chains.len()).div_ceil(self.piece_rows).max(1);
        let UnfinishedShard { num_pieces: piece, part, chains: all_moved } =
            unfinished.get_or_insert_with(UnfinishedShard::default);
        let of = |extent: usize| extent * *piece / num_pieces..extent * (*piece + 1) / num_pieces;
        let own = of(chains.len());
        let bytes = 8 * self.estimator.words_per_chain();
        let words: Vec<u64> = to_words(&scattered[own.start * bytes..own.end * bytes]).collect();
        let moved = self.estimator.accumulate(
            &Piece {
                update: self.update,
                rows: &rows[of(rows.len())],
                batch_size: batch.len(),
                chains: chains.start + own.start..chains.start + own.end,
                words: &words,
                is_first: (shard, *piece) == (0, 0),
            },
            part,
        );
        all_moved.extend(from_words(&moved));
        *piece += 1;
        if *piece < num_pieces {
            return None;
        }
        let mut bytes = part.to_bytes();
        bytes.append(all_moved);
        unfinished.clear();
        Some(bytes)
    }
}

/// The numbers 0 to n − 1 in the order of an epoch (Fisher and Yates).
fn shuffled(count: usize, seed: u64, epoch: u64) -> Vec<usize> {
    let mut rng = stream(seed, Purpose::Minibatches, epoch);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = (uniform(&mut rng) * (last + 1) as f64) as usize;
        order.swap(last, other);
    }
    order
}
