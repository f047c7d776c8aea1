//! The gradients of an objective row by row, and sums of them and of their products.

use crate::bits::{BitBatch, WeightedRows};
use crate::bytes::{from_f64s, to_f64s};
use crate::energy::shards;
use crate::fit::job::objective;
use crate::fit::job::rows::Rows;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::reals::{self, RowLoss};
use crate::linalg::Batch;
use crate::models::Model;
use crate::run::{PartialSums, ShardWorker, Unfinished, work_by_pieces};
use crate::{Error, Result};

/// Rows to a piece of a shard, for as long as one of up to 512 parameters can be interrupted.
const PIECE: usize = 64;

/// Numbers in a part: the sum of the gradients, and of their products, the upper triangle row by row.
pub fn part_len(num_params: usize) -> usize {
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
}

impl RowScores {
    /// The gradients of the spec's objective at its rows.
    ///
    /// # Errors
    /// Those of the model and the objective; [`Error::TooLarge`] if there are too many parameters.
    pub fn new(spec: &FitSpec, rows: Rows<'_>) -> Result<Self> {
        let model = spec.model.build()?;
        let num_params = model.as_parametric().map_or(0, |model| model.params().len());
        if num_params > super::MAX_PARAMS {
            return Err(Error::TooLarge {
                field: "errors".into(),
                problem: format!(
                    "is true, and the model has {num_params} parameters, of at most {}; leave errors \
                     out, or fit resampled rows",
                    super::MAX_PARAMS
                ),
            });
        }
        let data = match rows {
            Rows::Bits(data) => Data::Bits(WeightedRows::from_data(data.as_batch())),
            Rows::Reals(rows) => {
                Data::Reals(rows.data().to_vec(), objective::loss(spec, &*model, rows)?)
            }
        };
        let mut spec = spec.clone();
        spec.states = None;
        Ok(Self { spec, model, data })
    }

    /// Number of rows, or of distinct ones.
    fn num_rows(&self) -> usize {
        match &self.data {
            Data::Reals(rows, _) => rows.len() / self.model.dim(),
            Data::Bits(rows) => rows.num_distinct(),
        }
    }

    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    /// Adds a piece to a part, which is empty at first.
    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        let count = self.num_params();
        part.resize(part_len(count), 0.0);
        let rows = shards::rows(self.num_rows(), shard);
        let start = rows.start + piece * PIECE;
        let mut score = vec![0.0; 1 + count];
        for row in start..rows.end.min(start + PIECE) {
            score.fill(0.0);
            let weight = self.add_score(row, &mut score);
            let gradient = &score[1..];
            let (sums, products) = part.split_at_mut(count);
            sums.iter_mut().zip(gradient).for_each(|(sum, entry)| *sum += weight * entry);
            let mut rest = products;
            for (low, entry) in gradient.iter().enumerate() {
                let (products, after) = rest.split_at_mut(count - low);
                let weighted = weight * entry;
                for (product, other) in products.iter_mut().zip(&gradient[low..]) {
                    *product += weighted * other;
                }
                rest = after;
            }
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
        }
    }
}

impl ShardWorker for RowScores {
    fn num_shards(&self) -> usize {
        shards::num_shards(self.num_rows())
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let params = to_f64s(broadcast).expect("parameters are numbers");
        if let Some(model) = self.model.as_parametric_mut() {
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
        if sums.num_pieces < shards::rows(self.num_rows(), shard).len().div_ceil(PIECE) {
            return None;
        }
        unfinished.take().map(|PartialSums { part, .. }| from_f64s(&part))
    }
}
