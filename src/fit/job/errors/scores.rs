//! The gradients of an objective row by row, and sums of them and of their products; for
//! noise-contrastive estimation also those of its noise, as a second sample.

use super::summary::params_of;
use crate::bits::{BitBatch, WeightedRows};
use crate::bytes::{from_f64s, to_f64s};
use crate::energy::{Objective, shards};
use crate::fit::job::objective;
use crate::fit::job::rows::{Distinct, Rows};
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::noise_contrastive::NoiseContrastive;
use crate::fit::reals::{self, RowLoss};
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PartialSums, ShardWorker, Unfinished, work_by_pieces};
use crate::{Error, Result};

/// Rows to a piece of a shard, for as long as one of up to 512 parameters can be interrupted.
const PIECE: usize = 64;

/// Numbers of a sample in a part: the sum of the gradients, and of their products, the upper triangle
/// row by row.
pub fn sample_len(num_params: usize) -> usize {
    num_params + num_params * (num_params + 1) / 2
}

/// Where the product of two gradients' entries is, among the products; `low ≤ high`.
pub fn place(num_params: usize, low: usize, high: usize) -> usize {
    low * num_params - low * (low + 1) / 2 + high
}

/// Works shards of rows.
pub struct RowScores {
    spec: FitSpec,
    model: Box<dyn Model>,
    data: Data,
}

enum Data {
    /// Rows of numbers, and the loss at them.
    Reals(Vec<f64>, Box<dyn RowLoss>),
    /// Distinct rows of bits, and how often each occurs.
    Bits(WeightedRows),
    /// Rows and noise.
    Contrast(Box<NoiseContrastive>),
}

impl RowScores {
    /// The gradients of the spec's objective at its rows.
    ///
    /// # Errors
    /// Those of the model and the objective; [`Error::TooLarge`] if there are too many parameters.
    pub fn new(spec: &FitSpec, rows: Rows<'_>) -> Result<Self> {
        let model = spec.model.build()?;
        let num_params = params_of(&*model).len();
        if num_params > super::MAX_PARAMS {
            return Err(Error::TooLarge {
                field: "errors".into(),
                problem: format!(
                    "is true, and the model has {num_params} parameters, of at most {}; leave errors \
                     out, or use {{ bootstrap: 200 }}",
                    super::MAX_PARAMS
                ),
            });
        }
        let distinct = Distinct::of(rows);
        let contrast = objective::noise_contrastive(spec, &*model, &distinct)?;
        let data = match rows {
            _ if let Some(contrast) = contrast => Data::Contrast(Box::new(contrast)),
            Rows::Bits(data) => Data::Bits(WeightedRows::from_data(data.as_batch())),
            Rows::Reals(rows) => {
                Data::Reals(rows.data().to_vec(), objective::loss(spec, &*model, rows)?)
            }
        };
        let mut spec = spec.clone();
        spec.states = None;
        Ok(Self { spec, model, data })
    }

    /// Number of rows, and, as a second sample, of states of noise if there are any.
    pub fn counts(&self) -> Vec<usize> {
        match &self.data {
            Data::Reals(rows, _) => vec![rows.len() / self.model.dim()],
            Data::Bits(rows) => vec![rows.total() as usize],
            Data::Contrast(contrast) => contrast.counts().to_vec(),
        }
    }

    /// Number of rows, or of distinct ones.
    fn num_rows(&self) -> usize {
        match &self.data {
            Data::Reals(rows, _) => rows.len() / self.model.dim(),
            Data::Bits(rows) => rows.num_distinct(),
            Data::Contrast(_) => unreachable!("its states are in blocks"),
        }
    }

    fn num_params(&self) -> usize {
        match &self.data {
            Data::Contrast(contrast) => contrast.num_params(),
            _ => params_of(&*self.model).len(),
        }
    }

    fn num_pieces(&self, shard: usize) -> usize {
        match &self.data {
            Data::Contrast(contrast) => contrast.blocks(shard).len(),
            _ => shards::rows(self.num_rows(), shard).len().div_ceil(PIECE),
        }
    }

    /// Adds a piece to a part, which is empty at first.
    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        let count = self.num_params();
        part.resize(self.counts().len() * sample_len(count), 0.0);
        let mut score = vec![0.0; 1 + count];
        if let Data::Contrast(contrast) = &self.data {
            let block = contrast.block(contrast.blocks(shard).start + piece);
            let start = if block.is_noise() { sample_len(count) } else { 0 };
            for at in 0..block.num_states() {
                score.fill(0.0);
                contrast.accumulate(&mut block.alone(at), &mut score);
                add_products(
                    &score[1..],
                    block.weight(at),
                    &mut part[start..][..sample_len(count)],
                );
            }
            return;
        }
        let rows = shards::rows(self.num_rows(), shard);
        let start = rows.start + piece * PIECE;
        for row in start..rows.end.min(start + PIECE) {
            score.fill(0.0);
            let weight = self.add_score(row, &mut score);
            add_products(&score[1..], weight, part);
        }
    }

    /// `score += [ℓ | ∂ℓ/∂θ]` of one row, but for terms that are the same for all; returns how often the
    /// row occurs.
    fn add_score(&self, row: usize, score: &mut [f64]) -> f64 {
        match &self.data {
            Data::Reals(rows, loss) => {
                let num_draws = loss.num_draws();
                let draws = (row * num_draws..(row + 1) * num_draws).map(|draw| (row, draw as u64));
                let rows = Batch::new(self.model.dim(), rows);
                let weight = 1.0 / num_draws as f64;
                reals::accumulate(&**loss, &*self.model, rows, draws, weight, score);
                1.0
            }
            Data::Bits(rows) => {
                let own = rows.rows().row(row);
                if let ObjectiveSpec::MaximumLikelihood {} = self.spec.objective {
                    let model = self.model.as_parametric().expect("fitted models have parameters");
                    model.accumulate_rows(BitBatch::new(self.model.dim(), own), 1.0, score);
                } else {
                    let alone = WeightedRows::from_data(BitBatch::new(self.model.dim(), own));
                    let objective = objective::over_bits(&self.spec, &*self.model, &alone);
                    let objective = objective.expect("checked over all rows");
                    score[0] += objective.evaluate_here(&mut score[1..]);
                }
                rows.weights()[row]
            }
            Data::Contrast(_) => unreachable!("its states are in blocks"),
        }
    }
}

/// Adds `weight` times a gradient, and `weight` times the products of its entries, to the sums of a sample.
fn add_products(gradient: &[f64], weight: f64, sums: &mut [f64]) {
    let count = gradient.len();
    let (sums, mut rest) = sums.split_at_mut(count);
    sums.iter_mut().zip(gradient).for_each(|(sum, entry)| *sum += weight * entry);
    for (low, entry) in gradient.iter().enumerate() {
        let (products, after) = rest.split_at_mut(count - low);
        let weighted = weight * entry;
        for (product, other) in products.iter_mut().zip(&gradient[low..]) {
            *product += weighted * other;
        }
        rest = after;
    }
}

impl ShardWorker for RowScores {
    fn num_shards(&self) -> usize {
        match &self.data {
            Data::Contrast(contrast) => contrast.num_shards(),
            _ => shards::num_shards(self.num_rows()),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let params = to_f64s(broadcast).expect("parameters are numbers");
        if let Data::Contrast(contrast) = &mut self.data {
            contrast.set_params(&params);
        } else if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(&params);
        }
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
        let sums = unfinished.sums();
        self.add_piece(shard, sums.num_pieces, &mut sums.part);
        sums.num_pieces += 1;
        if sums.num_pieces < self.num_pieces(shard) {
            return None;
        }
        unfinished.take().map(|PartialSums { part, .. }| from_f64s(&part))
    }
}
