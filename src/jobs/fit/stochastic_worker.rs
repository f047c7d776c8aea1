//! What works shards of minibatches, and how minibatches and persistent chains
//! are cut: from the spec and the data alone.

use super::super::ShardWorker;
use super::super::bytes::{from_f64s, to_f64s};
use super::super::spec::{FitSpec, ObjectiveSpec, OptimizerSpec};
use crate::bits::{BitMatrix, WeightedRows, words_per_row};
use crate::energy::Parametric;
use crate::fit::{
    Objective, check_binary, contrastive_divergence as contrastive, mpf, pseudolikelihood,
};
use crate::models::Model;
use crate::rng::{Purpose, stream, uniform};
use crate::{Error, Result};
use std::ops::Range;

/// Rows or chains a shard has at least, where there are so many.
const MIN_SHARD: usize = 25;

/// Shards there are at most, unless their work takes long.
const MAX_SHARDS: usize = 16;

/// Work of a shard in a round, in estimated nanoseconds.
const BUDGET: usize = 20_000_000;

/// Most numbers in the parts of a round, 128 MiB.
const MAX_PART_NUMBERS: usize = 1 << 24;

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
            ObjectiveSpec::ContrastiveDivergence { num_steps } => (*num_steps, 0),
            ObjectiveSpec::PersistentContrastiveDivergence { num_chains, num_steps } => {
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
        let num_shards = extent
            .div_ceil(MIN_SHARD)
            .min(MAX_SHARDS)
            .max(extent.div_ceil((BUDGET / row_cost).max(1)))
            .min((MAX_PART_NUMBERS / (1 + num_params)).max(1));
        Ok(Self {
            model,
            data: data.clone(),
            objective: spec.objective.clone(),
            seed: spec.seed.unwrap_or(0),
            batch_size,
            num_epochs,
            num_shards,
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
        let mut objective: Box<dyn Objective> = match &self.objective {
            ObjectiveSpec::Mpf { connectivity, .. } => {
                mpf::objective(&*self.model, &data, connectivity, false, self.seed)
            }
            _ => pseudolikelihood::objective(&*self.model, &data),
        }
        .expect("checked when the worker was made");
        let (value, grad) = part.split_at_mut(1);
        value[0] = objective.evaluate(self.params(), grad);
        // The objective is a mean over these rows.
        part.iter_mut().for_each(|entry| *entry *= weight * rows.num_rows() as f64);
        part
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
        let batch = self.batch();
        let weight = 1.0 / batch.len() as f64;
        let indices = &batch[self.cut(batch.len(), shard)];
        let mut rows = BitMatrix::zeros(self.data.dim(), indices.len());
        for (row, index) in rows.rows_mut().zip(indices) {
            row.copy_from_slice(self.data.row(*index));
        }
        let num_steps = match self.objective {
            ObjectiveSpec::ContrastiveDivergence { num_steps }
            | ObjectiveSpec::PersistentContrastiveDivergence { num_steps, .. } => num_steps,
            _ => return from_f64s(&self.sum_over(&rows, weight)),
        };
        let model = &*self.model;
        let mut part = vec![0.0; 1 + self.params().len()];
        contrastive::accumulate(model, rows.as_batch(), weight, &mut part);
        let rng = |chain| contrastive::chain_stream(self.seed, self.update, chain);
        if self.num_chains() == 0 {
            contrastive::run_chains(model, &mut rows, num_steps, |at| rng(indices[at]));
            contrastive::accumulate(model, rows.as_batch(), -weight, &mut part);
            return from_f64s(&part);
        }
        let range = self.chains(shard);
        let mut words = words_of(scattered);
        let mut chains = BitMatrix::zeros(self.data.dim(), range.len());
        for chain in chains.rows_mut() {
            chain.iter_mut().zip(&mut words).for_each(|(word, sent)| *word = sent);
        }
        contrastive::run_chains(model, &mut chains, num_steps, |at| rng(range.start + at));
        let weight = -1.0 / self.num_chains() as f64;
        contrastive::accumulate(model, chains.as_batch(), weight, &mut part);
        let mut bytes = from_f64s(&part);
        bytes.extend(chains.as_batch().rows().flatten().flat_map(|word| word.to_le_bytes()));
        bytes
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
