//! Exact maximum likelihood of a Potts model that is small enough to enumerate,
//!
//! `−1/N Σ_{x ∈ data} ln p(x) = 1/N Σ_x E(x) + log Z`,
//!
//! in nats per row, with the gradient `E_data[∂E] − E_model[∂E]`: the energy is minus a sum of
//! parameters, so these are differences of the frequencies of values and of pairs of values. Shards are
//! those of the states ([`ValueEnumeration`]).

use super::{Potts, ValueEnumeration};
use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::{Objective, Parametric};
use crate::linalg::dot;
use crate::site_values::States;

/// Maximum number of states: each evaluation visits all of them.
const MAX_STATES: usize = 1 << 20;

/// The objective of the module documentation.
pub struct ValueLikelihood {
    states: ValueEnumeration,
    /// How often each parameter is a term of minus the energy of a row: means over the data.
    frequencies: Vec<f64>,
}

impl ValueLikelihood {
    /// The objective on these data, at the model's present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if the model has over 2²⁰ states.
    ///
    /// # Panics
    /// If a row stands for no state of the model.
    pub fn new(model: &Potts, data: &WeightedRows) -> Result<Self> {
        States::new(&model.sites, MAX_STATES)?;
        let mut frequencies = vec![0.0; model.params.len()];
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            let values = model.sites.values(row);
            model.terms(&values).for_each(|at| frequencies[at] += weight / data.total());
        }
        Ok(Self { states: ValueEnumeration::new(model)?, frequencies })
    }
}

impl Objective for ValueLikelihood {
    fn num_params(&self) -> usize {
        self.frequencies.len()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.states.set_params(params);
    }

    fn num_shards(&self) -> usize {
        self.states.num_shards()
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        self.states.part(shard)
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(grad.len(), self.num_params());
        let exact = self.states.combine(parts);
        let model = self.states.model();
        let (sites, dim) = (model.sites(), model.sites().dim());
        let (fields, couplings) = grad.split_at_mut(dim);
        for (bit, grad) in fields.iter_mut().enumerate() {
            *grad = exact.moments[bit * dim + bit] - self.frequencies[bit];
        }
        for pair in model.pairs() {
            let [first, second] = pair.sites.map(|site| sites.first(site));
            let [rows, cols] = pair.sites.map(|site| sites.num_values(site));
            for a in 0..rows {
                for b in 0..cols {
                    let at = pair.start + a * cols + b;
                    couplings[at - dim] =
                        exact.moments[(first + a) * dim + second + b] - self.frequencies[at];
                }
            }
        }
        exact.log_z - dot(model.params(), &self.frequencies)
    }
}
