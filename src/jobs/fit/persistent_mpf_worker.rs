//! What works shards of persistent minimum probability flow: chains in one kind
//! of round, the two sums of the objective in the other. Rows of the data and
//! chains are cut by the spec and the data alone.

use super::super::ShardWorker;
use super::super::bytes::{from_f64s, to_f64s};
use super::super::spec::{FitSpec, ObjectiveSpec};
use super::stochastic_worker::words_of;
use crate::bits::{BitMatrix, WeightedRows, words_per_row};
use crate::energy::Parametric;
use crate::fit::persistent_mpf::{Side, accumulate};
use crate::fit::{check_binary, contrastive_divergence as chains};
use crate::models::Model;
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

/// Most bytes of chains, 128 MiB.
const MAX_CHAIN_BYTES: usize = 1 << 27;

/// What a round does, as its broadcast begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Phase {
    /// Moves the chains at θⁿ⁻¹.
    Sample = 0,
    /// Sums for Kⁿ(θ).
    Evaluate = 1,
}

/// Works shards of chains and of the objective.
pub struct PersistentMpfWorker {
    /// At θ, and at θⁿ⁻¹.
    model: Box<dyn Model>,
    before: Box<dyn Model>,
    data: WeightedRows,
    /// Where the chains start.
    first_chains: Vec<u64>,
    num_chains: usize,
    num_steps: usize,
    num_refreshes: usize,
    seed: u64,
    num_shards: usize,
    /// The round.
    phase: Phase,
    refresh: u64,
}

impl PersistentMpfWorker {
    /// Checks that the model can be learned so and fits the data.
    ///
    /// # Errors
    /// Of the model's spec; [`Error::MissingCapability`]; [`Error::InvalidSpec`]
    /// if model and data differ in dimension; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let ObjectiveSpec::PersistentMpf { num_chains, num_steps, num_refreshes, .. } =
            spec.objective
        else {
            unreachable!("{} has no samples of its own", spec.objective.kind());
        };
        let model = spec.model.build()?;
        let dim = model.dim();
        let rows = WeightedRows::from_data(data.as_batch());
        check_binary(&*model, &rows, "persistent minimum probability flow")?;
        if num_chains * words_per_row(dim) * 8 > MAX_CHAIN_BYTES {
            return Err(Error::TooLarge {
                field: "objective.numChains".into(),
                problem: format!(
                    "is {num_chains}, and chains of {dim} bits would take more than {} MiB; use fewer",
                    MAX_CHAIN_BYTES >> 20
                ),
            });
        }
        let num_params = model.as_parametric().map_or(0, |model| model.params().len());
        let num_units = dim + model.as_hidden_units().map_or(0, |model| model.num_hidden());
        // A sweep takes a random number a unit and an addition a parameter. An evaluation takes two
        // energies and a gradient of each row and each chain.
        let sweeps = num_steps.saturating_mul(25 * num_units + num_params);
        let row_cost = sweeps.max(8 * num_params);
        let extent = num_chains.max(rows.num_distinct());
        let num_shards = extent
            .div_ceil(MIN_SHARD)
            .min(MAX_SHARDS)
            .max(extent.div_ceil((BUDGET / row_cost).max(1)))
            .min((MAX_PART_NUMBERS / (2 + 2 * num_params)).max(1));
        let starts = (0..num_chains).map(|chain| chain % data.num_rows());
        let first_chains = starts.flat_map(|row| data.row(row).to_vec()).collect();
        Ok(Self {
            before: model.boxed_clone(),
            model,
            data: rows,
            first_chains,
            num_chains,
            num_steps,
            num_refreshes,
            seed: spec.seed.unwrap_or(0),
            num_shards,
            phase: Phase::Sample,
            refresh: 0,
        })
    }

    /// The rows of the data.
    pub fn data(&self) -> &WeightedRows {
        &self.data
    }

    /// Number of chains.
    pub fn num_chains(&self) -> usize {
        self.num_chains
    }

    /// How often the samples are drawn anew.
    pub fn num_refreshes(&self) -> usize {
        self.num_refreshes
    }

    /// Where the chains start: chain c at row c of the data, counted round and
    /// round.
    pub fn first_chains(&self) -> &[u64] {
        &self.first_chains
    }

    /// The chains of a shard.
    pub fn chains(&self, shard: usize) -> Range<usize> {
        self.cut(self.num_chains, shard)
    }

    fn cut(&self, extent: usize, shard: usize) -> Range<usize> {
        let at = |shard: usize| (extent as u64 * shard as u64 / self.num_shards as u64) as usize;
        at(shard)..at(shard + 1)
    }

    /// Chains after their steps.
    fn sample(&self, mut chains: BitMatrix, first: usize) -> Vec<u8> {
        chains::run_chains(&*self.before, &mut chains, self.num_steps, |at| {
            chains::chain_stream(self.seed, self.refresh, first + at)
        });
        chains.as_batch().rows().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The sums over the shard's rows and over its chains.
    fn evaluate(&self, shard: usize, chains: &BitMatrix) -> Vec<u8> {
        let num_params = self.model.as_parametric().map_or(0, |model| model.params().len());
        let mut part = vec![0.0; 2 + 2 * num_params];
        let (data, samples) = part.split_at_mut(1 + num_params);
        let range = self.cut(self.data.num_distinct(), shard);
        let weights = &self.data.weights()[range.clone()];
        let rows = self.data.rows().slice(range);
        accumulate(&*self.model, &*self.before, rows, weights, Side::Data, data);
        let weights = vec![1.0; chains.num_rows()];
        let chains = chains.as_batch();
        accumulate(&*self.model, &*self.before, chains, &weights, Side::Samples, samples);
        from_f64s(&part)
    }
}

impl ShardWorker for PersistentMpfWorker {
    fn num_shards(&self) -> usize {
        self.num_shards
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (head, params) = broadcast.split_at(16);
        let mut head = words_of(head);
        self.phase = match head.next() {
            Some(0) => Phase::Sample,
            _ => Phase::Evaluate,
        };
        self.refresh = head.next().expect("a refresh's number");
        let params = to_f64s(params).expect("parameters are numbers");
        let (before, now) = params.split_at(params.len() / 2);
        let set = |model: &mut Box<dyn Model>, params: &[f64]| {
            let model: &mut dyn Parametric = model.as_parametric_mut().expect("checked before");
            model.set_params(params);
        };
        set(&mut self.before, before);
        set(&mut self.model, now);
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        let range = self.chains(shard);
        let mut words = words_of(scattered);
        let mut chains = BitMatrix::zeros(self.data.dim(), range.len());
        for chain in chains.rows_mut() {
            chain.iter_mut().zip(&mut words).for_each(|(word, sent)| *word = sent);
        }
        match self.phase {
            Phase::Sample => self.sample(chains, range.start),
            Phase::Evaluate => self.evaluate(shard, &chains),
        }
    }
}
