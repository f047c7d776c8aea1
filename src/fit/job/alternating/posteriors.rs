//! Expectation maximization of generative models: chains at each row
//! ([`crate::fit::expectation_maximization`]).

use super::reals::{are_finite, move_chains, numbers, piece_of, piece_rows};
use super::samples::{Round, Samples};
use super::sharding::{self, Sharding};
use crate::energy::Differentiable;
use crate::fit::expectation_maximization::accumulate;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::real_chains::{Moves, Noise, Rows, default_transition};
use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::{Purpose, stream};
use crate::run::{PartialSums, Unfinished};
use crate::sample::posteriors::Posteriors;
use crate::sample::target::Target;
use crate::{Error, Result};
use std::ops::Range;

pub const METHOD: &str = "expectation maximization";

/// The samples of expectation maximization: chains at each row.
pub struct EmSamples {
    /// The rows, one after another.
    data: Vec<f64>,
    num_observed: usize,
    num_rows: usize,
    /// Entries per chain.
    dim: usize,
    /// Chains per row; those of the first row come first.
    chains_per_row: usize,
    first_chains: Vec<u64>,
    num_params: usize,
    moves: Moves,
    first_step_size: StepSize,
    sharding: Sharding,
    /// Rows per piece of the sums.
    piece_rows: usize,
}

impl EmSamples {
    /// Checks that expectation maximization can fit the model.
    ///
    /// # Errors
    /// [`Error::MissingCapability`]; [`Error::InvalidSpec`]; [`Error::TooLarge`].
    pub fn new(spec: &FitSpec, model: &dyn Model, rows: Batch<'_>) -> Result<Self> {
        let ObjectiveSpec::ExpectationMaximization {
            num_chains_per_row,
            num_steps,
            transition,
            ..
        } = &spec.objective
        else {
            unreachable!("{} has no samples of its own", spec.objective.kind());
        };
        let target = Posteriors::of(model, METHOD)?;
        let parametric = model
            .as_parametric()
            .ok_or_else(|| Error::missing(model.kind(), "Parametric", METHOD))?;
        let (dim, num_params) = (model.dim(), parametric.params().len());
        let num_observed = target.num_observed();
        let num_rows = rows.len();
        let num_chains = num_rows.saturating_mul(*num_chains_per_row);
        sharding::check_bytes("objective.numChainsPerRow", num_chains, dim)?;
        let transition = transition.clone().unwrap_or_else(|| default_transition(model));
        transition.target_of(model)?;
        let (moves, first_step_size) = Moves::new(&transition, *num_steps, dim)?;
        let row_cost = (2 * target.gradient_cost() as u64 + 2 * num_params as u64)
            .saturating_mul(*num_chains_per_row as u64);
        let noise = Noise::standard(dim);
        let mut first = vec![0.0; num_chains * dim];
        for (chain, state) in first.chunks_exact_mut(dim).enumerate() {
            let seed = spec.seed.unwrap_or(0);
            let mut rng = stream(seed, Purpose::InitialState, chain as u64);
            noise.draw(&target, &mut rng, state);
        }
        Ok(Self {
            data: rows.data().to_vec(),
            num_observed,
            num_rows,
            dim,
            chains_per_row: *num_chains_per_row,
            first_chains: first.into_iter().map(f64::to_bits).collect(),
            num_params,
            moves,
            first_step_size,
            sharding: Sharding::new(num_rows, 1, 1 + num_params),
            piece_rows: piece_rows(row_cost),
        })
    }

    fn rows(&self, range: Range<usize>) -> &[f64] {
        &self.data[range.start * self.num_observed..range.end * self.num_observed]
    }
}

impl Samples for EmSamples {
    fn num_chains(&self) -> usize {
        self.num_rows * self.chains_per_row
    }

    fn num_words(&self) -> usize {
        self.dim
    }

    /// Standard normal noise, within the model's constraints.
    fn first_chains(&self) -> Vec<u64> {
        self.first_chains.clone()
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
        let rows = self.sharding.of(self.num_rows, shard);
        rows.start * self.chains_per_row..rows.end * self.chains_per_row
    }

    fn num_sums(&self) -> usize {
        1 + self.num_params
    }

    fn sample(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)> {
        let target = Posteriors::of(&*round.before, METHOD).expect("checked before");
        let observed = Rows {
            dim: self.num_observed,
            values: self.rows(self.sharding.of(self.num_rows, shard)),
            num_chains: self.chains_per_row,
        };
        let first = self.chains(shard).start;
        move_chains(
            &self.moves,
            Target::Posteriors(&target),
            Some(observed),
            round,
            first,
            scattered,
            unfinished,
        )
    }

    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        sums: &mut PartialSums,
    ) -> Option<Vec<f64>> {
        let model = round.model.as_generative().expect("checked before");
        let rows = self.sharding.of(self.num_rows, shard);
        let num_pieces = rows.len().div_ceil(self.piece_rows).max(1);
        let piece = piece_of(rows.clone(), sums.num_pieces, num_pieces);
        sums.part.resize(self.num_sums(), 0.0);
        let bytes = 8 * self.dim * self.chains_per_row;
        let at = |row: usize| (row - rows.start) * bytes;
        let states = numbers(&scattered[at(piece.start)..at(piece.end)]);
        let observed: Vec<f64> = self
            .rows(piece)
            .chunks_exact(self.num_observed)
            .flat_map(|row| row.iter().cycle().take(row.len() * self.chains_per_row))
            .copied()
            .collect();
        let observed = Batch::new(self.num_observed, &observed);
        accumulate(model, observed, Batch::new(self.dim, &states), &mut sums.part);
        sums.num_pieces += 1;
        (sums.num_pieces == num_pieces).then(|| std::mem::take(&mut sums.part))
    }

    /// The mean joint energy and its gradient.
    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64 {
        let scale = 1.0 / self.num_chains() as f64;
        grad.iter_mut().zip(&sums[1..]).for_each(|(grad, sum)| *grad = scale * sum);
        scale * sums[0]
    }

    fn is_flow(&self) -> bool {
        false
    }

    fn advice(&self) -> &'static str {
        "start from smaller parameters"
    }
}
