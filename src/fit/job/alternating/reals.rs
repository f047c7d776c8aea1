//! Persistent minimum probability flow of models on ℝᴰ (Sohl-Dickstein 2012, 2.9.4). Expectation
//! maximization shares its chains, which move by the transitions of sampling on ℝᴰ.

use super::samples::{Round, Samples};
use super::sharding::{self, Sharding};
use crate::fit::contrastive_divergence::chain_stream;
use crate::fit::job::objective::refuse_generative;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::persistent_mpf::{Side, accumulate, combine};
use crate::fit::real_chains::{Moves, Rows, Run, default_transition};
use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PartialSums, Unfinished, per_piece};
use crate::sample::target::Target;
use crate::{Error, Result};
use std::ops::Range;

/// The numbers stored in these bytes.
pub fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}

/// Whether all words are the bits of finite numbers.
pub fn are_finite(words: &[u64]) -> bool {
    words.iter().all(|word| f64::from_bits(*word).is_finite())
}

/// Moves some chains piece by piece; the first of them has index `first` among all.
pub fn move_chains(
    moves: &Moves,
    target: Target<'_>,
    observed: Option<Rows<'_>>,
    round: &Round,
    first: usize,
    scattered: &[u8],
    unfinished: &mut Unfinished,
) -> Option<(Vec<u64>, f64)> {
    let run = unfinished.get_or_insert_with(|| Run::new(numbers(scattered)));
    let rng = |chain: usize| chain_stream(round.seed, round.refresh, first + chain);
    if !run.piece(moves, target, observed, &round.step_size, &rng) {
        return None;
    }
    let (states, acceptance) = std::mem::take(run).finish();
    Some((states.into_iter().map(f64::to_bits).collect(), acceptance))
}

/// Rows that fit into a piece.
pub fn piece_rows(row_cost: u64) -> usize {
    // Kernels take rows four at a time.
    (per_piece(row_cost) / 4 * 4).clamp(4, 1 << 12)
}

/// The sub-range of `range` that piece `piece` of `num_pieces` has.
pub fn piece_of(range: Range<usize>, piece: usize, num_pieces: usize) -> Range<usize> {
    let at = |piece: usize| range.start + range.len() * piece / num_pieces;
    at(piece)..at(piece + 1)
}

/// The samples of a fit to rows of real numbers.
pub struct Reals {
    /// The rows, one after another.
    data: Vec<f64>,
    dim: usize,
    num_chains: usize,
    num_params: usize,
    moves: Moves,
    first_step_size: StepSize,
    sharding: Sharding,
    /// Rows, and chains, per piece of the sums.
    piece_rows: usize,
}

impl Reals {
    /// Checks that persistent minimum probability flow can fit the model.
    ///
    /// # Errors
    /// [`Error::MissingCapability`]; [`Error::InvalidSpec`]; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, model: &dyn Model, rows: Batch<'_>) -> Result<Self> {
        let ObjectiveSpec::PersistentMpf { num_chains, num_steps, transition, .. } =
            &spec.objective
        else {
            unreachable!("{} has no samples of its own", spec.objective.kind());
        };
        let num_chains = num_chains.unwrap_or(rows.len());
        refuse_generative(spec, model)?;
        let missing = |capability| {
            Error::missing(model.kind(), capability, "persistent minimum probability flow")
        };
        let target = model.as_differentiable().ok_or_else(|| missing("Differentiable"))?;
        let parametric = model.as_parametric().ok_or_else(|| missing("Parametric"))?;
        let (dim, num_params) = (model.dim(), parametric.params().len());
        sharding::check_bytes("objective.numChains", num_chains, dim)?;
        let transition = transition.clone().unwrap_or_else(|| default_transition(model));
        transition.target_of(model)?;
        let (moves, first_step_size) = Moves::new(&transition, *num_steps, dim)?;
        // Two energies and a gradient per row.
        let row_cost = 2 * target.gradient_cost() as u64 + 2 * num_params as u64;
        Ok(Self {
            data: rows.data().to_vec(),
            dim,
            num_chains,
            num_params,
            moves,
            first_step_size,
            sharding: Sharding::new(num_chains.max(rows.len()), 1, 2 + 2 * num_params),
            piece_rows: piece_rows(row_cost),
        })
    }
}

impl Samples for Reals {
    fn num_chains(&self) -> usize {
        self.num_chains
    }

    fn num_words(&self) -> usize {
        self.dim
    }

    /// Chain c starts at row c of the data, modulo the number of rows.
    fn first_chains(&self) -> Vec<u64> {
        let numbers = self.data.iter().map(|x| x.to_bits()).cycle();
        numbers.take(self.num_chains * self.dim).collect()
    }

    fn first_step_size(&self) -> StepSize {
        self.first_step_size
    }

    fn are_valid(&self, chains: &[u64]) -> bool {
        are_finite(chains)
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
        unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)> {
        let target = round.before.as_differentiable().expect("checked before");
        let first = self.chains(shard).start;
        move_chains(&self.moves, Target::Model(target), None, round, first, scattered, unfinished)
    }

    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        sums: &mut PartialSums,
    ) -> Option<Vec<f64>> {
        let model = &*round.model;
        let rows = self.sharding.of(self.data.len() / self.dim, shard);
        let chains = 0..self.chains(shard).len();
        let num_pieces = rows.len().max(chains.len()).div_ceil(self.piece_rows).max(1);
        let piece = sums.num_pieces;
        sums.part.resize(self.num_sums(), 0.0);
        let (data, samples) = sums.part.split_at_mut(1 + self.num_params);
        let rows = piece_of(rows, piece, num_pieces);
        let rows = Batch::new(self.dim, &self.data[rows.start * self.dim..rows.end * self.dim]);
        let chains = piece_of(chains, piece, num_pieces);
        let bytes = 8 * self.dim;
        let states = numbers(&scattered[chains.start * bytes..chains.end * bytes]);
        let states = Batch::new(self.dim, &states);
        let before = round.energies_before((shard, piece), [rows, states]);
        accumulate(model, &before[0], rows, &vec![1.0; rows.len()], Side::Data, data);
        accumulate(model, &before[1], states, &vec![1.0; states.len()], Side::Samples, samples);
        sums.num_pieces += 1;
        (sums.num_pieces == num_pieces).then(|| std::mem::take(&mut sums.part))
    }

    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64 {
        let (data, samples) = sums.split_at(1 + self.num_params);
        let num_rows = (self.data.len() / self.dim) as f64;
        combine(data, samples, (num_rows, self.num_chains as f64), grad)
    }

    fn advice(&self) -> &'static str {
        "use more chains or fewer optimizer.maxIterations"
    }
}
