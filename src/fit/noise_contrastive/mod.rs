//! Noise-contrastive estimation: telling rows x of the data from states y of a known density q,
//! ν of them for each row:
//!
//! `J(θ, c) = −1/N [Σ_n ln σ(G(x_n)) + Σ_m ln(1 − σ(G(y_m)))]`,
//! `G(u) = −E(u; θ) + c − ln q(u) − ln ν`
//!
//! (Gutmann and Hyvärinen 2012, eq. 6 to 8; 2010 for ν = 1). G is the log odds that u is a row if
//! rows have the density `exp(c − E)`, so c, which is searched for with θ, comes to −log Z.
//!
//! Each block of noise has its own random stream and is drawn again at every evaluation. So no noise is
//! stored, and the objective is one smooth function. The model's density is 0 at noise outside of its
//! support, where the energy is infinite or not a number: such noise adds nothing.

mod bits;
mod reals;

use crate::bits::WeightedRows;
use crate::energy::{Objective, OwnParameter, shards};
use crate::linalg::{Batch, axpy};
use crate::math::{ln, log_sum_exp, sigmoid, softplus};
use crate::models::Model;
use crate::rng::{ChainRng, Purpose, stream};
use crate::run::per_piece;
use crate::{Error, Result};
use bits::SiteNoise;
use reals::NormalNoise;
use std::ops::Range;

/// States in a block.
const BLOCK: usize = 64;

/// Maximum number of blocks of noise, and of rows, that the search for c starts from.
const NUM_START_BLOCKS: usize = 64;

/// A density with exact draws.
trait Noise: Send + Sync {
    /// Draws a state and returns its ln q.
    fn draw(&self, rng: &mut ChainRng, state: &mut [f64]) -> f64;

    /// ln q of a state.
    fn log_density(&self, state: &[f64]) -> f64;

    /// Estimated cost of a draw, in nanoseconds.
    fn cost(&self) -> usize;
}

/// The rows, or the distinct ones with how often each occurs.
enum Rows {
    Reals(Vec<f64>),
    Bits(WeightedRows),
}

/// States side by side, all of them rows or all of them noise.
pub struct Block {
    is_noise: bool,
    states: Vec<f64>,
    /// `ln q + ln ν` of each.
    offsets: Vec<f64>,
    /// How often each counts.
    weights: Vec<f64>,
}

impl Block {
    /// Number of states.
    pub fn num_states(&self) -> usize {
        self.weights.len()
    }

    /// Whether the states are noise.
    pub fn is_noise(&self) -> bool {
        self.is_noise
    }

    /// How often a state counts.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }

    /// One of the states by itself, counted once.
    pub fn alone(&self, at: usize) -> Self {
        let dim = self.states.len() / self.num_states();
        Self {
            is_noise: self.is_noise,
            states: self.states[at * dim..][..dim].to_vec(),
            offsets: vec![self.offsets[at]],
            weights: vec![1.0],
        }
    }

    fn keep(&mut self, dim: usize, is_kept: impl Fn(usize, &[f64]) -> bool) {
        let states = std::mem::take(&mut self.states);
        let all = states.chunks_exact(dim).enumerate();
        let kept: Vec<_> = all.filter(|(at, state)| is_kept(*at, state)).collect();
        self.states = kept.iter().flat_map(|(_, state)| state.iter().copied()).collect();
        self.offsets = kept.iter().map(|(at, _)| self.offsets[*at]).collect();
        self.weights = kept.iter().map(|(at, _)| self.weights[*at]).collect();
    }
}

/// The objective. Its parameters are those of the model, and c. A part is `[value | gradient]` of the
/// shard's blocks, not yet divided by N; first come the blocks of rows, then those of noise.
pub struct NoiseContrastive {
    model: Box<dyn Model>,
    /// c.
    constant: f64,
    rows: Rows,
    /// `ln q + ln ν` of each row.
    offsets: Vec<f64>,
    num_rows: usize,
    noise: Box<dyn Noise>,
    num_noise: usize,
    ln_ratio: f64,
    seed: u64,
}

impl NoiseContrastive {
    /// The objective for rows of numbers, with ν normal states for each.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model has no parameters; [`Error::InvalidData`] if the rows
    /// have no density; [`Error::TooLarge`].
    ///
    /// # Panics
    /// If the dimensions differ or there is no row.
    pub fn of_reals(model: &dyn Model, rows: Batch<'_>, ratio: usize, seed: u64) -> Result<Self> {
        assert!(model.dim() == rows.dim() && !rows.is_empty());
        if model.as_parametric().is_none() {
            return Err(Error::missing(model.kind(), "Parametric", "noise-contrastive estimation"));
        }
        let noise = Box::new(NormalNoise::of(rows)?);
        let count = rows.len();
        Self::new(model, Rows::Reals(rows.data().to_vec()), noise, count, ratio, seed)
    }

    /// The objective for rows of bits, with ν states of independent sites for each.
    ///
    /// # Errors
    /// Those of [`super::check_binary`]; [`Error::TooLarge`].
    pub fn of_bits(
        model: &dyn Model,
        data: &WeightedRows,
        ratio: usize,
        seed: u64,
    ) -> Result<Self> {
        super::check_binary(model, data, "noise-contrastive estimation")?;
        let noise = Box::new(SiteNoise::of(data));
        let count = data.total() as usize;
        Self::new(model, Rows::Bits(data.clone()), noise, count, ratio, seed)
    }

    fn new(
        model: &dyn Model,
        rows: Rows,
        noise: Box<dyn Noise>,
        num_rows: usize,
        ratio: usize,
        seed: u64,
    ) -> Result<Self> {
        let num_noise = (num_rows as u64).saturating_mul(ratio as u64);
        let num_noise = u32::try_from(num_noise).map_err(|_| Error::TooLarge {
            field: "objective.numNoise".into(),
            problem: format!(
                "is {ratio}, which makes {num_noise} states of noise with {num_rows} rows, and the \
                 limit is 2^32 − 1; use fewer of either"
            ),
        })?;
        let mut objective = Self {
            model: model.boxed_clone(),
            constant: 0.0,
            rows,
            offsets: Vec::new(),
            num_rows,
            noise,
            num_noise: num_noise as usize,
            ln_ratio: ln(ratio as f64),
            seed,
        };
        objective.offsets = (0..objective.num_row_blocks())
            .flat_map(|block| {
                let states = objective.row_states(objective.row_range(block));
                let offsets = states
                    .chunks_exact(model.dim())
                    .map(|state| objective.noise.log_density(state) + objective.ln_ratio);
                offsets.collect::<Vec<_>>()
            })
            .collect();
        Ok(objective)
    }

    /// Number of rows, and of states of noise.
    pub fn counts(&self) -> [usize; 2] {
        [self.num_rows, self.num_noise]
    }

    fn num_distinct(&self) -> usize {
        match &self.rows {
            Rows::Reals(rows) => rows.len() / self.model.dim(),
            Rows::Bits(rows) => rows.num_distinct(),
        }
    }

    fn num_row_blocks(&self) -> usize {
        self.num_distinct().div_ceil(BLOCK)
    }

    fn row_range(&self, block: usize) -> Range<usize> {
        block * BLOCK..self.num_distinct().min((block + 1) * BLOCK)
    }

    fn row_states(&self, range: Range<usize>) -> Vec<f64> {
        match &self.rows {
            Rows::Reals(rows) => Batch::new(self.model.dim(), rows).rows(range).to_vec(),
            Rows::Bits(rows) => rows.rows().slice(range).to_values(),
        }
    }

    /// The blocks of a shard.
    pub fn blocks(&self, shard: usize) -> Range<usize> {
        let num_blocks = self.num_row_blocks() + self.num_noise.div_ceil(BLOCK);
        let num_shards = self.num_shards();
        num_blocks * shard / num_shards..num_blocks * (shard + 1) / num_shards
    }

    /// The states of a block that the model may take.
    pub fn block(&self, index: usize) -> Block {
        match index.checked_sub(self.num_row_blocks()) {
            None => {
                let range = self.row_range(index);
                let weights = match &self.rows {
                    Rows::Reals(_) => vec![1.0; range.len()],
                    Rows::Bits(rows) => rows.weights()[range.clone()].to_vec(),
                };
                Block {
                    is_noise: false,
                    states: self.row_states(range.clone()),
                    offsets: self.offsets[range].to_vec(),
                    weights,
                }
            }
            Some(index) => {
                let mut block = self.noise_block(index);
                let constraints =
                    self.model.as_differentiable().map_or(&[][..], |model| model.constraints());
                if !constraints.is_empty() {
                    block.keep(self.model.dim(), |_, state| {
                        constraints.iter().all(|half| half.contains(state))
                    });
                }
                block
            }
        }
    }

    fn noise_block(&self, index: usize) -> Block {
        let dim = self.model.dim();
        let count = BLOCK.min(self.num_noise - index * BLOCK);
        let mut rng = stream(self.seed, Purpose::ContrastNoise, index as u64);
        let mut states = vec![0.0; count * dim];
        let draw = |state| self.noise.draw(&mut rng, state) + self.ln_ratio;
        let offsets = states.chunks_exact_mut(dim).map(draw).collect();
        Block { is_noise: true, states, offsets, weights: vec![1.0; count] }
    }

    /// `part += Σ weight [ℓ | ∂ℓ/∂θ | ∂ℓ/∂c]` over a block, ℓ being −ln σ(G) of rows and
    /// −ln(1 − σ(G)) of noise.
    pub fn accumulate(&self, block: &mut Block, part: &mut [f64]) {
        let dim = self.model.dim();
        let mut found = vec![0.0; part.len()];
        loop {
            if block.num_states() == 0 {
                return;
            }
            let impossible = self.sums(block, &mut found);
            if impossible.is_empty() {
                break axpy(1.0, &found, part);
            }
            // Their gradients may be infinite, and would be multiplied by 0.
            block.keep(dim, |at, _| !impossible.contains(&at));
            found.fill(0.0);
        }
    }

    /// `part += [ℓ | ∂ℓ/∂θ | ∂ℓ/∂c]`, of use if no state of noise turns out to be outside of the
    /// support; returns those that do.
    fn sums(&self, block: &Block, part: &mut [f64]) -> Vec<usize> {
        let model = self.model.as_parametric().expect("checked when the objective was made");
        let mut impossible = Vec::new();
        let sign = if block.is_noise { 1.0 } else { -1.0 };
        let (value, grad) = part.split_at_mut(1);
        let (grad, of_constant) = grad.split_at_mut(model.params().len());
        let mut weigh = |range: Range<usize>, energies: &mut [f64]| {
            for (at, energy) in range.zip(energies) {
                if block.is_noise && (energy.is_nan() || *energy == f64::INFINITY) {
                    impossible.push(at);
                    continue;
                }
                let weight = block.weights[at];
                let log_odds = self.constant - *energy - block.offsets[at];
                value[0] += weight * softplus(sign * log_odds);
                let slope = weight * sign * sigmoid(sign * log_odds);
                of_constant[0] += slope;
                *energy = -slope;
            }
        };
        model.accumulate_weighted_by(Batch::new(self.model.dim(), &block.states), &mut weigh, grad);
        impossible
    }

    /// −log Z by importance sampling, from some of the noise.
    fn start(&self, model: &dyn Model) -> f64 {
        let (mut log_weights, mut count) = (Vec::new(), 0.0);
        for index in 0..self.num_noise.div_ceil(BLOCK).min(NUM_START_BLOCKS) {
            count += BLOCK.min(self.num_noise - index * BLOCK) as f64;
            let block = self.block(self.num_row_blocks() + index);
            let mut energies = vec![0.0; block.num_states()];
            model.energy(Batch::new(model.dim(), &block.states), &mut energies);
            let weights = energies.iter().zip(&block.offsets);
            let weights = weights.map(|(energy, offset)| self.ln_ratio - energy - offset);
            log_weights.extend(weights.filter(|weight| !weight.is_nan()));
        }
        let start = ln(count) - log_sum_exp(&log_weights);
        if start.is_finite() { start } else { 0.0 }
    }

    /// The mean of ∂E/∂θ over some of the rows; 0 where it is not finite.
    fn mean_slopes(&self, model: &dyn Model) -> Vec<f64> {
        let mut slopes = vec![0.0; self.num_model_params()];
        let model = model.as_parametric().expect("checked when the objective was made");
        let (num_blocks, mut total) = (self.num_row_blocks(), 0.0);
        let num_taken = num_blocks.min(NUM_START_BLOCKS);
        for index in 0..num_taken {
            let block = self.block(index * num_blocks / num_taken);
            let states = Batch::new(self.model.dim(), &block.states);
            model.accumulate_param_grad(states, &block.weights, &mut slopes);
            total += block.weights.iter().sum::<f64>();
        }
        slopes.iter().map(|slope| if slope.is_finite() { slope / total } else { 0.0 }).collect()
    }

    fn num_model_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    /// Blocks to a piece of a shard.
    fn piece_blocks(&self) -> usize {
        let of_model = self.model.as_differentiable().map_or(0, |model| model.gradient_cost());
        let cost = self.noise.cost() + of_model + 2 * self.num_model_params() + 50;
        per_piece(cost.saturating_mul(BLOCK) as u64)
    }
}

impl Objective for NoiseContrastive {
    fn num_params(&self) -> usize {
        self.num_model_params() + 1
    }

    fn set_params(&mut self, params: &[f64]) {
        let (constant, params) = params.split_last().expect("c comes last");
        self.constant = *constant;
        let model = self.model.as_parametric_mut();
        model.expect("checked when the objective was made").set_params(params);
    }

    /// c: it starts at the estimate of −log Z by importance sampling, or at 0 if that is not finite, and
    /// follows the rows' mean energy.
    fn own_parameter(&self, params: &[f64]) -> Option<OwnParameter> {
        let mut model = self.model.boxed_clone();
        let parametric = model.as_parametric_mut();
        parametric.expect("checked when the objective was made").set_params(params);
        Some(OwnParameter { start: self.start(&*model), slopes: self.mean_slopes(&*model) })
    }

    fn num_shards(&self) -> usize {
        shards::num_shards(self.num_distinct() + self.num_noise)
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let mut part = Vec::new();
        (0..self.num_pieces(shard)).for_each(|piece| self.add_piece(shard, piece, &mut part));
        part
    }

    fn num_pieces(&self, shard: usize) -> usize {
        self.blocks(shard).len().div_ceil(self.piece_blocks())
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        part.resize(1 + self.num_params(), 0.0);
        let of_piece = self.piece_blocks();
        for index in self.blocks(shard).skip(piece * of_piece).take(of_piece) {
            self.accumulate(&mut self.block(index), part);
        }
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        shards::combine(parts, 1.0 / self.num_rows as f64, grad)
    }
}
