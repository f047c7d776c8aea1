//! Objectives over rows of numbers, for models on ℝᴰ:
//!
//! `1/(N S) Σ_{x ∈ data} Σ_s ℓ(x, s) + c`
//!
//! with S draws s at each of N rows, if the loss ℓ takes any, and a term c of the parameters alone.
//! A [`RowLoss`] is ℓ with its gradient. [`RowSum`] makes an objective over all data from it;
//! minibatches evaluate it at some rows.
//!
//! The draws at a row come from that row's stream each time they are needed, so nothing is stored,
//! and every worker that evaluates ℓ draws the same.

pub mod ball;
pub mod denoising;
pub mod maximum_likelihood;
pub mod score_matching;
pub mod sliced;

use crate::energy::ScoreGradient;
use crate::energy::{Objective, shards};
use crate::linalg::{Batch, Block, transpose};
use crate::models::Model;
use crate::run::per_piece;
use crate::{Error, Result};
use std::ops::Range;

/// Maximum number of rows, or draws at rows, that are evaluated side by side.
const BLOCK: usize = 128;

/// A loss at a row, and at a draw there if it takes one, with its gradient in θ.
pub trait RowLoss: Send + Sync {
    /// Number of draws at each row, S; 1 also if the loss takes none.
    fn num_draws(&self) -> usize {
        1
    }

    /// As [`Objective::scale`], for states of `dim` entries.
    fn scale(&self, _dim: usize) -> f64 {
        1.0
    }

    /// Estimated cost of the loss with its gradient at one row and draw, in nanoseconds.
    fn unit_cost(&self, model: &dyn Model) -> u64;

    /// `part += weight Σ_b [ℓ(x_b, s_b) | ∂ℓ/∂θ]` at the model's present parameters,
    /// s_b being drawn from the stream with index `streams[b]`.
    ///
    /// # Panics
    /// If the shapes do not match, or the loss was made for another model.
    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        streams: &[u64],
        weight: f64,
        part: &mut [f64],
    );

    /// `part += weight [c | ∂c/∂θ]`; nothing by default.
    ///
    /// # Panics
    /// As [`RowLoss::accumulate`].
    fn accumulate_once(&self, _model: &dyn Model, _weight: f64, _part: &mut [f64]) {}
}

/// `part += weight Σ [ℓ | ∂ℓ/∂θ]` over rows, given by their indices with the stream of each, in
/// that order.
///
/// # Panics
/// If there is no such row; see also [`RowLoss::accumulate`].
pub fn accumulate(
    loss: &dyn RowLoss,
    model: &dyn Model,
    rows: Batch<'_>,
    units: impl Iterator<Item = (usize, u64)>,
    weight: f64,
    part: &mut [f64],
) {
    let dim = rows.dim();
    let (mut x, mut streams) = (Vec::with_capacity(BLOCK * dim), Vec::with_capacity(BLOCK));
    let mut units = units.peekable();
    while units.peek().is_some() {
        x.clear();
        streams.clear();
        for (row, stream) in units.by_ref().take(BLOCK) {
            x.extend_from_slice(rows.rows(row..row + 1));
            streams.push(stream);
        }
        loss.accumulate(model, Batch::new(dim, &x), &streams, weight, part);
    }
}

/// The objective over all data. A part is `[value | gradient]` of the shard's rows
/// and draws, not yet divided by their number.
pub struct RowSum {
    model: Box<dyn Model>,
    rows: Vec<f64>,
    loss: Box<dyn RowLoss>,
    piece_units: usize,
}

impl RowSum {
    /// The objective for a model that is [`Parametric`](crate::energy::Parametric) and rows of its
    /// dimension. The draw s at row n comes from the stream n S + s.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are 2³² draws or more.
    ///
    /// # Panics
    /// If the dimensions differ or there is no row.
    pub fn new(model: &dyn Model, rows: Batch<'_>, loss: Box<dyn RowLoss>) -> Result<Self> {
        assert!(model.as_parametric().is_some() && model.dim() == rows.dim() && !rows.is_empty());
        check_draws(&*loss, rows.len())?;
        let affordable = per_piece(loss.unit_cost(model)).min(1 << 20);
        Ok(Self {
            model: model.boxed_clone(),
            rows: rows.data().to_vec(),
            loss,
            // Pieces are whole blocks, unless one takes too long.
            piece_units: if affordable < BLOCK { affordable } else { affordable / BLOCK * BLOCK },
        })
    }

    fn num_units(&self) -> usize {
        self.rows.len() / self.model.dim() * self.loss.num_draws()
    }

    /// The range of a piece, in units of a row and a draw.
    fn units(&self, shard: usize, piece: usize) -> Range<usize> {
        let units = shards::rows(self.num_units(), shard);
        let start = units.start + piece * self.piece_units;
        start..units.end.min(start + self.piece_units)
    }
}

/// Refuses more draws than an update has streams.
///
/// # Errors
/// [`Error::TooLarge`].
pub fn check_draws(loss: &dyn RowLoss, num_rows: usize) -> Result<()> {
    let num_draws = loss.num_draws() as u64;
    if (num_rows as u64) * num_draws < 1 << 32 && num_rows.checked_mul(num_draws as usize).is_some()
    {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: "objective".into(),
        problem: format!(
            "makes {num_draws} draws at each of {num_rows} rows, and the limit is 2^32 − 1 in all; \
             use fewer of either"
        ),
    })
}

impl Objective for RowSum {
    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    fn set_params(&mut self, params: &[f64]) {
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn num_shards(&self) -> usize {
        shards::num_shards(self.num_units())
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let mut part = Vec::new();
        (0..self.num_pieces(shard)).for_each(|piece| self.add_piece(shard, piece, &mut part));
        part
    }

    fn num_pieces(&self, shard: usize) -> usize {
        shards::rows(self.num_units(), shard).len().div_ceil(self.piece_units)
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        if piece == 0 {
            part.resize(1 + self.num_params(), 0.0);
        }
        if (shard, piece) == (0, 0) {
            // Multiplied by the number of units, as the sum will be divided by it.
            self.loss.accumulate_once(&*self.model, self.num_units() as f64, part);
        }
        let rows = Batch::new(self.model.dim(), &self.rows);
        let num_draws = self.loss.num_draws();
        let units = self.units(shard, piece).map(|unit| (unit / num_draws, unit as u64));
        accumulate(&*self.loss, &*self.model, rows, units, 1.0, part);
    }

    fn scale(&self) -> f64 {
        self.loss.scale(self.model.dim())
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        shards::combine(parts, 1.0 / self.num_units() as f64, grad)
    }
}

/// Energies of states, one after another, and their gradients in x, in the same order.
fn energies_and_gradients(model: &dyn Model, x: Batch<'_>) -> (Vec<f64>, Vec<f64>) {
    let (dim, width) = (x.dim(), x.len());
    let mut block = vec![0.0; dim * width];
    transpose(dim, width, x.data(), &mut block);
    let (mut energies, mut grads) = (vec![0.0; width], vec![0.0; dim * width]);
    let model = model.as_differentiable().expect("the model is on the reals");
    model.energy_grad(Block::new(dim, &block), &mut energies, &mut grads);
    transpose(width, dim, &grads, &mut block);
    (energies, block)
}

/// Estimated cost of an energy and its gradient in x, in nanoseconds.
fn gradient_cost(model: &dyn Model) -> u64 {
    model.as_differentiable().map_or(0, |model| model.gradient_cost() as u64)
}

/// Estimated cost of the gradient in θ of an energy, or of its directional derivative, in
/// nanoseconds.
fn param_cost(model: &dyn Model) -> u64 {
    model.as_parametric().map_or(0, |model| 2 * model.params().len() as u64)
}

/// The model as one that can compute how its gradients in x change with θ.
///
/// # Errors
/// [`Error::MissingCapability`].
fn score_gradient<'a>(
    model: &'a dyn Model,
    needed_by: &'static str,
) -> Result<&'a dyn ScoreGradient> {
    model
        .as_score_gradient()
        .ok_or_else(|| Error::missing(model.kind(), "ScoreGradient", needed_by))
}
