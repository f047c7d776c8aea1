//! Objectives that compare each row of the data with its neighbours, by their
//! definition:
//!
//! `1/N Σ_{x ∈ data} Σ_{x′ ~ x} g φ(E(x) − E(x′))`
//!
//! with φ as in [`FlipLoss`]; the [`Connectivity`] gives the neighbours and their factors g. This
//! is slow, works for any binary model, and is what the fast forms are tested against. The gradient
//! is the same sum of `g φ′(·) [∂E(x) − ∂E(x′)]`.

use crate::Model;
use crate::bits::{WeightedRows, write_values};
use crate::energy::connectivity::Connectivity;
use crate::energy::{FlipLoss, Objective, shards};
use crate::linalg::Batch;

/// The objective of the module documentation. A part is `[value | gradient]` of the shard's rows,
/// not yet divided by N.
pub struct Definition {
    model: Box<dyn Model>,
    data: WeightedRows,
    connectivity: Connectivity,
    loss: FlipLoss,
}

impl Definition {
    /// The objective for a model that is [`Parametric`](crate::energy::Parametric).
    ///
    /// # Panics
    /// If the model is not parametric, or the dimensions differ.
    pub fn new(
        model: &dyn Model,
        data: WeightedRows,
        connectivity: Connectivity,
        loss: FlipLoss,
    ) -> Self {
        assert!(model.as_parametric().is_some() && model.dim() == data.dim());
        Self { model: model.boxed_clone(), data, connectivity, loss }
    }
}

impl Objective for Definition {
    fn num_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    fn set_params(&mut self, params: &[f64]) {
        if let Some(model) = self.model.as_parametric_mut() {
            model.set_params(params);
        }
    }

    fn num_shards(&self) -> usize {
        shards::num_shards(self.data.num_distinct())
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let dim = self.model.dim();
        let mut part = vec![0.0; 1 + self.num_params()];
        let (value, grad) = part.split_at_mut(1);
        let mut state = vec![0.0; dim];
        for index in shards::rows(self.data.num_distinct(), shard) {
            let row = self.data.rows().row(index);
            let weight = self.data.weights()[index];
            write_values(row, &mut state);
            let neighbours = self.connectivity.neighbours(index, row);
            let states = neighbours.rows.as_batch().to_values();
            let mut energy = [0.0];
            self.model.energy(Batch::new(dim, &state), &mut energy);
            let mut slopes = vec![0.0; neighbours.factors.len()];
            self.model.energy(Batch::new(dim, &states), &mut slopes);
            let mut total = 0.0;
            for (slope, factor) in slopes.iter_mut().zip(&neighbours.factors) {
                let (loss, derivative) = self.loss.at(energy[0] - *slope);
                value[0] += weight * factor * loss;
                *slope = -weight * factor * derivative;
                total -= *slope;
            }
            if let Some(model) = self.model.as_parametric() {
                model.accumulate_param_grad(Batch::new(dim, &state), &[total], grad);
                model.accumulate_param_grad(Batch::new(dim, &states), &slopes, grad);
            }
        }
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        shards::combine(parts, 1.0 / self.data.total(), grad)
    }
}
