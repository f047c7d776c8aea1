//! Estimates gradients of losses at rows of numbers. The draws of a loss at row n in update u come
//! from the streams u 2³² + n S + s, s below the number of draws S.

use super::{Estimator, Part, Piece};
use crate::Result;
use crate::fit::job::objective;
use crate::fit::job::spec::FitSpec;
use crate::fit::reals::{RowLoss, accumulate, check_draws};
use crate::linalg::Batch;
use crate::models::Model;

/// Estimates gradients of a loss.
pub struct RealEstimator {
    model: Box<dyn Model>,
    rows: Vec<f64>,
    loss: Box<dyn RowLoss>,
}

impl RealEstimator {
    /// Checks that the model has the objective.
    ///
    /// # Errors
    /// See [`super::create`].
    pub fn new(spec: &FitSpec, rows: Batch<'_>) -> Result<Self> {
        let model = spec.model.build()?;
        let loss = objective::loss(spec, &*model, rows)?;
        check_draws(&*loss, rows.len())?;
        Ok(Self { model, rows: rows.data().to_vec(), loss })
    }
}

impl Estimator for RealEstimator {
    fn model(&self) -> &dyn Model {
        &*self.model
    }

    fn model_mut(&mut self) -> &mut dyn Model {
        &mut *self.model
    }

    fn num_rows(&self) -> usize {
        self.rows.len() / self.model.dim()
    }

    fn row_cost(&self) -> u64 {
        self.loss.unit_cost(&*self.model) * self.loss.num_draws() as u64
    }

    fn accumulate(&self, piece: &Piece<'_>, part: &mut Part) -> Vec<u64> {
        let part = &mut part.numbers;
        part.resize(self.num_sums(), 0.0);
        let sums = self.num_sums() - 1;
        let part = &mut part[..sums];
        if piece.is_first {
            self.loss.accumulate_once(&*self.model, 1.0, part);
        }
        let num_draws = self.loss.num_draws();
        let units = piece.rows.iter().flat_map(|&row| {
            let first = piece.update << 32 | (row * num_draws) as u64;
            (0..num_draws as u64).map(move |draw| (row, first + draw))
        });
        let weight = 1.0 / (piece.batch_size * num_draws) as f64;
        let rows = Batch::new(self.model.dim(), &self.rows);
        accumulate(&*self.loss, &*self.model, rows, units, weight, part);
        Vec::new()
    }
}
