//! What works shards of minibatches, and how minibatches and persistent chains
//! are cut: from the spec and the data alone.

use super::super::bytes::{from_f64s, to_f64s};
use super::super::spec::{FitSpec, ObjectiveSpec, OptimizerSpec};
use super::super::{ShardWorker, Unfinished};
use crate::bits::{BitMatrix, WeightedRows, words_per_row};
use crate::energy::Parametric;
use crate::fit::{
    Objective, check_binary, contrastive_divergence as contrastive, mpf, pseudolikelihood,
};
use crate::linalg::axpy;
use crate::models::Model;
use crate::rng::{ChainRng, Purpose, stream, uniform};
use crate::{Error, Result};
use std::ops::Range;

/// Rows or chains a shard has at least, where there are so many.
const MIN_SHARD: usize = 25;

/// Shards there are at most, unless their work takes long.
const MAX_SHARDS: usize = 16;

/// Work of a piece of a shard, in estimated nanoseconds.
const BUDGET: usize = 20_000_000;

/// Numbers that the parts of a round have together, about: 32 MiB. But at least
/// [`MIN_SHARDS`] workers can share the rows.
const MAX_PART_NUMBERS: usize = 1 << 22;
const MIN_SHARDS: usize = 8;

/// Most bytes of persistent chains, 128 MiB.
const MAX_CHAIN_BYTES: usize = 1 << 27;

/// Works shards of minibatches.
pub struct StochasticWorker {
    model: Box<dyn Model>,
    data: BitMatrix,
    objective: ObjectiveSpec,
    seed: u64,
    batch_size: usize,
    num_epochs: usize,
    num_shards: usize,
    /// Rows, and chains, of a piece of a shard's work.
    piece_rows: usize,
    /// The round: which update, and the order of the rows in its epoch.
    update: u64,
    epoch: Option<u64>,
    order: Vec<usize>,
}

impl StochasticWorker {
    /// Checks that the model has the objective and fits the data.
    ///
    /// # Errors
    /// Of the model's spec; [`Error::MissingCapability`]; [`Error::InvalidSpec`]
    /// if model and data differ in dimension; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let (batch_size, num_epochs) = match &spec.optimizer {
            Some(OptimizerSpec::Sgd(sgd)) => (sgd.batch_size, sgd.num_epochs),
            Some(OptimizerSpec::Adam(adam)) => (adam.batch_size, adam.num_epochs),
            _ => unreachable!("a stochastic optimizer"),
        };
        let model = spec.model.build()?;
        check_binary(
            &*model,
            &WeightedRows::from_data(data.as_batch()),
            "learning by minibatches",
        )?;
        let (num_steps, num_chains) = match &spec.objective {
            ObjectiveSpec::ContrastiveDivergence { num_steps, .. } => (*num_steps, 0),
            ObjectiveSpec::PersistentContrastiveDivergence { num_chains, num_steps, .. } => {
                (*num_steps, *num_chains)
            }
            ObjectiveSpec::Mpf { connectivity, .. } => {
                // A spec that does not fit is refused now and not in the middle.
                let first = WeightedRows::from_data(data.as_batch().slice(0..1));
                mpf::objective(&*model, &first, connectivity, false, 0)?;
                (0, 0)
            }
            _ => (0, 0),
        };
        if num_steps > 0 {
            contrastive::check(&*model)?;
        }
        let dim = model.dim();
        if num_chains * words_per_row(dim) * 8 > MAX_CHAIN_BYTES {
            return Err(Error::TooLarge {
                field: "objective.numChains".into(),
                problem: format!(
                    "is {num_chains}, and chains of {dim} bits would take more than {} MiB; use fewer",
                    MAX_CHAIN_BYTES >> 20
                ),
            });
        }
        let batch_size = batch_size.min(data.num_rows());
        let num_updates = (data.num_rows().div_ceil(batch_size) as u64) * num_epochs as u64;
        if num_updates >> 32 != 0 {
            return Err(Error::TooLarge {
                field: "optimizer.numEpochs".into(),
                problem: format!(
                    "makes {num_updates} updates, and the limit is 2^32 − 1; use fewer"
                ),
            });
        }
        let num_params = model.as_parametric().map_or(0, |model| model.params().len());
        let num_units = dim + model.as_hidden_units().map_or(0, |model| model.num_hidden());
        // A sweep takes a random number a unit and an addition a parameter; energies and
        // gradients, of data and chain, some more.
        let row_cost = num_steps.saturating_mul(25 * num_units + num_params) + 8 * num_params;
        let extent = batch_size.max(num_chains);
        let piece_rows = (BUDGET / row_cost).max(1);
        let num_shards = extent
            .div_ceil(MIN_SHARD)
            .min(MAX_SHARDS)
            .max(extent.div_ceil(piece_rows))
            .min((MAX_PART_NUMBERS / (1 + num_params)).max(MIN_SHARDS));
        Ok(Self {
            model,
            data: data.clone(),
            objective: spec.objective.clone(),
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
        self.data.num_rows().div_ceil(self.batch_size) as u64
    }

    /// Updates of the whole fit.
    pub fn num_updates(&self) -> u64 {
        self.batches_an_epoch() * self.num_epochs as u64
    }

    /// Whether an update is the first of its epoch.
    pub fn begins_epoch(&self, update: u64) -> bool {
        update.is_multiple_of(self.batches_an_epoch())
    }

    fn num_chains(&self) -> usize {
        match self.objective {
            ObjectiveSpec::PersistentContrastiveDivergence { num_chains, .. } => num_chains,
            _ => 0,
        }
    }

    /// The persistent chains of a shard.
    pub fn chains(&self, shard: usize) -> Range<usize> {
        self.cut(self.num_chains(), shard)
    }

    /// Where the persistent chains start: chain c at row c of the data, counted
    /// round and round.
    pub fn first_chains(&self) -> Vec<u64> {
        let rows = (0..self.num_chains()).map(|chain| chain % self.data.num_rows());
        rows.flat_map(|row| self.data.row(row).to_vec()).collect()
    }

    fn cut(&self, extent: usize, shard: usize) -> Range<usize> {
        let at = |shard: usize| (extent as u64 * shard as u64 / self.num_shards as u64) as usize;
        at(shard)..at(shard + 1)
    }

    /// Rows of the data in the round's minibatch.
    fn batch(&self) -> &[usize] {
        let start = (self.update % self.batches_an_epoch()) as usize * self.batch_size;
        &self.order[start..self.order.len().min(start + self.batch_size)]
    }

    /// `[objective | gradient]` of a sum over the data, for some of its rows.
    fn sum_over(&self, rows: &BitMatrix, weight: f64) -> Vec<f64> {
        let mut part = vec![0.0; 1 + self.params().len()];
        if rows.num_rows() == 0 {
            return part;
        }
        let data = WeightedRows::from_data(rows.as_batch());
        let objective: Box<dyn Objective> = match &self.objective {
            ObjectiveSpec::Mpf { connectivity, .. } => {
                mpf::objective(&*self.model, &data, connectivity, false, self.seed)
            }
            _ => pseudolikelihood::objective(&*self.model, &data),
        }
        .expect("checked when the worker was made");
        let (value, grad) = part.split_at_mut(1);
        // Made from the model at its present parameters, which need not be set again.
        value[0] = objective.evaluate_here(grad);
        // The objective is a mean over these rows.
        part.iter_mut().for_each(|entry| *entry *= weight * rows.num_rows() as f64);
        part
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)]`; a part that is empty is all zeros.
    fn accumulate(&self, rows: &BitMatrix, weight: f64, part: &mut Vec<f64>) {
        part.resize(1 + self.params().len(), 0.0);
        contrastive::accumulate(&*self.model, rows.as_batch(), weight, part);
    }

    /// Contrastive divergence of some rows, which are moved.
    fn contrast(
        &self,
        rows: &mut BitMatrix,
        indices: &[usize],
        num_steps: usize,
        weight: f64,
        part: &mut Vec<f64>,
    ) {
        self.accumulate(rows, weight, part);
        contrastive::run_chains(&*self.model, rows, num_steps, |at| self.chain(indices[at]));
        self.accumulate(rows, -weight, part);
    }

    /// The other half of the gradient by persistent chains, those from `first`
    /// on, whose words are returned.
    fn persist(
        &self,
        first: usize,
        scattered: &[u8],
        num_steps: usize,
        part: &mut Vec<f64>,
    ) -> Vec<u8> {
        let dim = self.data.dim();
        let mut words = words_of(scattered);
        let mut chains = BitMatrix::zeros(dim, scattered.len() / (8 * words_per_row(dim)));
        for chain in chains.rows_mut() {
            chain.iter_mut().zip(&mut words).for_each(|(word, sent)| *word = sent);
        }
        let rng = |at| self.chain(first + at);
        contrastive::run_chains(&*self.model, &mut chains, num_steps, rng);
        self.accumulate(&chains, -1.0 / self.num_chains() as f64, part);
        chains.as_batch().rows().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn chain(&self, index: usize) -> ChainRng {
        contrastive::chain_stream(self.seed, self.update, index)
    }

    fn params(&self) -> &[f64] {
        self.model.as_parametric().map_or(&[], Parametric::params)
    }
}

impl ShardWorker for StochasticWorker {
    fn num_shards(&self) -> usize {
        self.num_shards
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (update, params) = broadcast.split_first_chunk().expect("an update's number");
        self.update = u64::from_le_bytes(*update);
        let params = to_f64s(params).expect("parameters are numbers");
        self.model.as_parametric_mut().expect("checked before").set_params(&params);
        let epoch = self.update / self.batches_an_epoch();
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.order = shuffled(self.data.num_rows(), self.seed, epoch);
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        let mut unfinished = Unfinished::default();
        loop {
            if let Some(part) = self.work_piece(shard, scattered, &mut unfinished) {
                return part;
            }
        }
    }

    /// A piece is some of the shard's rows and some of its chains.
    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let batch = self.batch();
        let weight = 1.0 / batch.len() as f64;
        let indices = &batch[self.cut(batch.len(), shard)];
        let chains = self.chains(shard);
        let num_pieces = indices.len().max(chains.len()).div_ceil(self.piece_rows).max(1);
        let piece = unfinished.num_pieces;
        let of = |extent: usize| extent * piece / num_pieces..extent * (piece + 1) / num_pieces;
        let indices = &indices[of(indices.len())];
        let mut rows = BitMatrix::zeros(self.data.dim(), indices.len());
        for (row, index) in rows.rows_mut().zip(indices) {
            row.copy_from_slice(self.data.row(*index));
        }
        match self.objective {
            ObjectiveSpec::ContrastiveDivergence { num_steps, .. } => {
                self.contrast(&mut rows, indices, num_steps, weight, &mut unfinished.part);
            }
            ObjectiveSpec::PersistentContrastiveDivergence { num_steps, .. } => {
                let of = of(chains.len());
                let bytes = 8 * words_per_row(self.data.dim());
                let first = chains.start + of.start;
                let scattered = &scattered[of.start * bytes..of.end * bytes];
                self.accumulate(&rows, weight, &mut unfinished.part);
                let moved = self.persist(first, scattered, num_steps, &mut unfinished.part);
                unfinished.chains.extend(moved);
            }
            _ => {
                let part = self.sum_over(&rows, weight);
                match piece {
                    0 => unfinished.part = part,
                    _ => axpy(1.0, &part, &mut unfinished.part),
                }
            }
        }
        unfinished.num_pieces += 1;
        if unfinished.num_pieces < num_pieces {
            return None;
        }
        let Unfinished { part, chains, .. } = std::mem::take(unfinished);
        let mut bytes = from_f64s(&part);
        bytes.extend(chains);
        Some(bytes)
    }
}

/// Words from their bytes.
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
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
