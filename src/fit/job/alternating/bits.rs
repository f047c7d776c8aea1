//! Persistent minimum probability flow of binary models. Chains move by Gibbs sampling,
//! or block Gibbs sampling where there are hidden units.

use super::samples::{Round, Samples};
use super::sharding::Sharding;
use crate::Result;
use crate::bits::{BitMatrix, WeightedRows, are_rows, words_per_row};
use crate::bytes::to_words;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::persistent_mpf::{Side, accumulate, combine};
use crate::fit::step_size::StepSize;
use crate::fit::{check_binary, contrastive_divergence as chains};
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PIECE, PartialSums, Unfinished};
use std::ops::Range;

/// The samples of a fit to packed bits.
pub struct Bits {
    data: WeightedRows,
    /// Where the chains start.
    first_chains: Vec<u64>,
    num_chains: usize,
    num_steps: usize,
    num_params: usize,
    sharding: Sharding,
}

impl Bits {
    /// Checks that persistent minimum probability flow can fit the model and that the data match
    /// it.
    ///
    /// # Errors
    /// [`Error::MissingCapability`]; [`Error::InvalidSpec`] if model and data differ in
    /// dimension; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, model: &dyn Model, data: &BitMatrix) -> Result<Self> {
        let ObjectiveSpec::PersistentMpf { num_chains, num_steps, .. } = spec.objective else {
            unreachable!("{} has no samples of its own", spec.objective.kind());
        };
        let num_chains = num_chains.unwrap_or(data.num_rows());
        let dim = model.dim();
        let rows = WeightedRows::from_data(data.as_batch());
        check_binary(model, &rows, "persistent minimum probability flow")?;
        super::sharding::check_bytes("objective.numChains", num_chains, words_per_row(dim))?;
        let num_params = model.as_parametric().map_or(0, |model| model.params().len());
        let num_units = dim + model.as_hidden_units().map_or(0, |model| model.num_hidden());
        // A sweep takes a random number per unit and an addition per parameter. An evaluation takes
        // two energies and a gradient for each row and each chain.
        let sweeps = num_steps.saturating_mul(25 * num_units + num_params);
        let row_cost = sweeps.max(8 * num_params);
        let extent = num_chains.max(rows.num_distinct());
        // A shard has at most the work of two pieces.
        let at_least = extent.div_ceil((2 * PIECE / row_cost as u64).max(1) as usize);
        let starts = (0..num_chains).map(|chain| chain % data.num_rows());
        let first_chains = starts.flat_map(|row| data.row(row).to_vec()).collect();
        Ok(Self {
            data: rows,
            first_chains,
            num_chains,
            num_steps,
            num_params,
            sharding: Sharding::new(extent, at_least, 2 + 2 * num_params),
        })
    }

    fn unpack(&self, shard: usize, scattered: &[u8]) -> BitMatrix {
        let mut words = to_words(scattered);
        let mut chains = BitMatrix::zeros(self.data.dim(), self.chains(shard).len());
        for chain in chains.rows_mut() {
            chain.iter_mut().zip(&mut words).for_each(|(word, sent)| *word = sent);
        }
        chains
    }
}

impl Samples for Bits {
    fn num_chains(&self) -> usize {
        self.num_chains
    }

    fn num_words(&self) -> usize {
        words_per_row(self.data.dim())
    }

    /// Chain c starts at row c of the data, modulo the number of rows.
    fn first_chains(&self) -> Vec<u64> {
        self.first_chains.clone()
    }

    fn first_step_size(&self) -> StepSize {
        // Gibbs sampling has no step size.
        StepSize::fixed(1.0)
    }

    fn are_valid(&self, chains: &[u64]) -> bool {
        are_rows(self.data.dim(), chains)
    }

    fn num_shards(&self) -> usize {
        self.sharding.num_shards()
    }

    fn chains(&self, shard: usize) -> Range<usize> {
        self.sharding.of(self.num_chains, shard)
    }

    fn num_sums(&self) -> usize {
        2 + 2 * self.num_params
    }

    fn sample(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        _unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)> {
        let first = self.chains(shard).start;
        let mut chains = self.unpack(shard, scattered);
        chains::run_chains(&*round.before, &mut chains, self.num_steps, |at| {
            chains::chain_stream(round.seed, round.refresh, first + at)
        });
        let words = chains.as_batch().rows().flatten().copied().collect();
        Some((words, f64::NAN))
    }

    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        _sums: &mut PartialSums,
    ) -> Option<Vec<f64>> {
        let model = &*round.model;
        let mut part = vec![0.0; self.num_sums()];
        let (data, samples) = part.split_at_mut(1 + self.num_params);
        let range = self.sharding.of(self.data.num_distinct(), shard);
        let weights = &self.data.weights()[range.clone()];
        let rows = self.data.rows().slice(range).to_values();
        let rows = Batch::new(model.dim(), &rows);
        let states = self.unpack(shard, scattered).as_batch().to_values();
        let states = Batch::new(model.dim(), &states);
        let before = round.energies_before((shard, 0), [rows, states]);
        accumulate(model, &before[0], rows, weights, Side::Data, data);
        accumulate(model, &before[1], states, &vec![1.0; states.len()], Side::Samples, samples);
        Some(part)
    }

    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64 {
        let (data, samples) = sums.split_at(1 + self.num_params);
        combine(data, samples, (self.data.total(), self.num_chains as f64), grad)
    }

    fn advice(&self) -> &'static str {
        "use more chains or fewer optimizer.maxIterations"
    }
}
