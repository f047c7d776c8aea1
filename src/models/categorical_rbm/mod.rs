//! The restricted Boltzmann machine whose visible units take several values each:
//!
//! `E(x, h) = −Σ_i c_i(x_i) − Σ_j b_j h_j − Σ_ij h_j W_ji(x_i)`, x_i ∈ {0, …, q_i − 1},
//!
//! with the hidden units summed out, `E(x) = −Σ_i c_i(x_i) − Σ_j softplus(b_j + Σ_i W_ji(x_i))`
//! (Salakhutdinov, Mnih and Hinton 2007, there for ratings).
//!
//! A state is a row of bits, as that of a Potts model ([`Sites`]): for each site one bit for each of
//! its values, of which one is on. Over such rows it is a machine of bits with the same weights; what
//! differs is that the bits of a site are drawn together, from a softmax.
//!
//! A row may leave sites without a value, as people do not rate all there is. Then the machine is that
//! of the other sites: the missing ones have no weights and are summed over nowhere, so that each
//! such row has a log Z of its own. A row with gaps is no state of the machine of all sites, so its energy
//! there is +∞. Gradients, chains that start at such a row, and [`SoftmaxUnits`] use the smaller machine.
//!
//! Parameters: `[W row-major (H × Σ q_i) | c (Σ q_i) | b (H)]`, as those of
//! [`Rbm`].

mod draws;
mod spec;
#[cfg(all(test, feature = "full"))]
mod tests;
mod units;

pub use draws::HiddenDraws;
pub use spec::CategoricalRbmSpec;

use super::softmax_units::{HiddenSums, Multiplicities, SoftmaxUnits, softmax};
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::bits::{BitBatch, read_values, words_per_row};
use crate::energy::{
    BetweenKnots, Energy, HiddenMeans, OuterGradient, Parametric, SiteConditionals,
};
use crate::linalg::{Batch, dot};
use crate::math::softplus;
use crate::rbm::Rbm;
use crate::site_values::{NumValues, Sites};

/// The machine; see the module documentation.
#[derive(Debug, Clone)]
pub struct CategoricalRbm {
    num_values: NumValues,
    sites: Sites,
    /// The machine of bits with the same parameters.
    machine: Rbm,
}

impl CategoricalRbm {
    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> CategoricalRbmSpec {
        let rbm = self.machine.to_spec();
        CategoricalRbmSpec {
            num_sites: self.sites.count(),
            num_values: self.num_values.clone(),
            num_hidden: rbm.num_hidden,
            weights: rbm.weights,
            visible_bias: rbm.visible_bias,
            hidden_bias: rbm.hidden_bias,
        }
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The machine of bits with the same parameters.
    pub fn machine(&self) -> &Rbm {
        &self.machine
    }

    /// What a row of all sites has.
    pub fn all_sites(&self) -> Multiplicities {
        Multiplicities { hidden: 1.0, groups: vec![1.0; self.sites.count()] }
    }
}

impl Energy for CategoricalRbm {
    fn dim(&self) -> usize {
        self.sites.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.machine.energy(x, out);
        let mut bits = vec![0; words_per_row(self.dim())];
        for (row, out) in x.states().zip(out) {
            read_values(row, &mut bits);
            let are_bits = row.iter().all(|value| *value == 0.0 || *value == 1.0);
            if !(are_bits && self.sites.is_state(&bits)) {
                *out = f64::INFINITY;
            }
        }
    }
}

impl Parametric for CategoricalRbm {
    fn params(&self) -> &[f64] {
        self.machine.params()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.machine.set_params(params);
    }

    fn is_bias(&self, param: usize) -> bool {
        self.machine.is_bias(param)
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        self.machine.accumulate_param_grad(x, weights, grad);
    }

    fn accumulate_rows(&self, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
        self.machine.accumulate_rows(rows, weight, part);
    }
}

impl OuterGradient for CategoricalRbm {
    fn num_factors(&self) -> usize {
        self.machine.num_factors()
    }

    fn write_factors(&self, rows: BitBatch<'_>, weight: f64, factors: &mut [f64]) -> f64 {
        self.machine.write_factors(rows, weight, factors)
    }

    fn add_products(&self, groups: &[(BitBatch<'_>, &[f64])], grad: &mut [f64]) {
        self.machine.add_products(groups, grad);
    }
}

impl HiddenMeans for CategoricalRbm {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        self.machine.hidden_means(x)
    }
}

impl SiteConditionals for CategoricalRbm {
    /// Of a site without a value: given all that have one.
    fn conditionals(&self, x: Batch<'_>, out: &mut [f64]) {
        let (dim, num_hidden) = (self.dim(), self.machine.hidden_bias().len());
        let weights = self.machine.weights();
        let mut activations = vec![0.0; num_hidden];
        let mut others = vec![0.0; num_hidden];
        for (row, out) in x.states().zip(out.chunks_exact_mut(dim)) {
            let lines = weights.chunks_exact(dim).zip(self.machine.hidden_bias());
            for (activation, (line, bias)) in activations.iter_mut().zip(lines) {
                *activation = bias + dot(line, row);
            }
            for site in 0..self.sites.count() {
                let bits = self.sites.first(site)..self.sites.first(site + 1);
                others.copy_from_slice(&activations);
                for bit in bits.clone().filter(|bit| row[*bit] != 0.0) {
                    for (unit, other) in others.iter_mut().enumerate() {
                        *other -= weights[unit * dim + bit] * row[bit];
                    }
                }
                for bit in bits.clone() {
                    let free = others.iter().enumerate();
                    let free = free.map(|(unit, a)| softplus(a + weights[unit * dim + bit]));
                    out[bit] = self.machine.visible_bias()[bit] + free.sum::<f64>();
                }
                softmax(&mut out[bits]);
            }
        }
    }
}

impl SoftmaxUnits for CategoricalRbm {
    fn multiplicities(&self, row: &[f64]) -> std::result::Result<Multiplicities, &'static str> {
        let sites = &self.sites;
        let mut groups = vec![0.0; sites.count()];
        for (bit, value) in row.iter().enumerate() {
            groups[sites.site_of(bit)] += value;
        }
        let is_row = row.iter().chain(&groups).all(|count| *count == 0.0 || *count == 1.0);
        if is_row {
            Ok(Multiplicities { hidden: 1.0, groups })
        } else {
            Err("entries are 0 or 1, and of a site at most one is 1")
        }
    }

    fn energies_of_rows(&self, x: Batch<'_>, out: &mut [f64]) {
        self.machine.energy(x, out);
    }

    fn hidden_sums(&self) -> Result<HiddenSums> {
        let first = (0..=self.sites.count()).map(|site| self.sites.first(site)).collect();
        let machine = &self.machine;
        HiddenSums::new(machine.weights(), machine.visible_bias(), machine.hidden_bias(), first)
    }
}

impl Model for CategoricalRbm {
    fn kind(&self) -> &'static str {
        "categoricalRbm"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::CategoricalRbm(self.to_spec())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Parametric, HiddenUnits, OuterGradient, HiddenMeans, SiteConditionals);

    fn provide_softmax_units(&self) -> Option<&dyn SoftmaxUnits> {
        Some(self)
    }

    fn provide_sites(&self) -> Option<&Sites> {
        Some(&self.sites)
    }

    /// The log odds are those of the bits: biases are the logarithms of their probabilities, which
    /// each site's own sum normalizes, gaps included.
    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let log_probabilities: Vec<f64> = log_odds.iter().map(|odds| -softplus(-odds)).collect();
        self.machine.independent_params(&log_probabilities)
    }

    /// Over states of the sites the energy is that of the machine of bits.
    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        self.machine.between_knots(knots)
    }

    fn provide_categorical_rbm(&self) -> Option<&CategoricalRbm> {
        Some(self)
    }
}
