//! The Potts model: sites of several values, with fields and couplings of pairs,
//!
//! `E(x) = −Σ_i h_i(x_i) − Σ_{i<j} J_ij(x_i, x_j)`, x_i ∈ {0, …, q_i − 1}
//!
//! (Potts 1952, with any couplings; the model of direct coupling analysis, Ekeberg, Lövkvist, Lan,
//! Weigt and Aurell 2013). Pairs i < j are those of the pattern, each once.
//!
//! A state is a row of bits, as that of any binary model: for each site, in order, one bit for each
//! of its values, of which one is on ([`Sites`]). Rows that stand for no state have the energy +∞,
//! and data with such rows are refused.
//!
//! Parameters: `[h_i (q_i), site by site | J_ij row-major (q_i × q_j), pair by pair in lexicographic
//! order]`. They say more than the distribution does: `J_ij(a, b) + f(a) + g(b)` with h_i − f and
//! h_j − g is the same model in another gauge.
//!
//! Single flips of bits leave the states, so the model has none; what moves instead are values, by
//! the conditional probabilities of [`Conditionals`].

mod between_knots;
mod conditionals;
mod enumeration;
mod likelihood;
mod single_sites;
mod spec;
#[cfg(all(test, feature = "full"))]
mod tests;

pub use conditionals::{Conditionals, Scratch};
pub use enumeration::ValueEnumeration;
pub use likelihood::ValueLikelihood;
pub use single_sites::PottsSingleSites;
pub use spec::{MAX_PARAMS, PottsSpec};

use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::{BetweenKnots, Energy, FlipLoss, Objective, Parametric, SiteConditionals};
use crate::ising::Pattern;
use crate::linalg::Batch;
use crate::math::softplus;
use crate::site_values::{
    NumValues, SiteValues, Sites, States, Value, ValueConditionals, ValueDraws, probabilities,
};
use between_knots::PottsBetweenKnots;
use conditionals::padded;

/// The Potts model; see the module documentation.
#[derive(Debug, Clone)]
pub struct Potts {
    num_values: NumValues,
    pattern: Pattern,
    sites: Sites,
    pairs: Vec<Pair>,
    params: Vec<f64>,
}

/// A coupled pair of sites, i < j.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The sites.
    pub sites: [usize; 2],
    /// The place of J_ij(0, 0) among the parameters.
    pub start: usize,
}

impl Potts {
    /// The model with these parameters; pairs are in lexicographic order.
    fn new(
        num_values: NumValues,
        pattern: Pattern,
        sites: Sites,
        pairs: &[[usize; 2]],
        params: Vec<f64>,
    ) -> Self {
        let mut start = sites.dim();
        let pairs = pairs.iter().map(|&[i, j]| {
            let pair = Pair { sites: [i, j], start };
            start += sites.num_values(i) * sites.num_values(j);
            pair
        });
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(params.len(), start);
        Self { num_values, pattern, sites, pairs, params }
    }

    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> PottsSpec {
        self.spec_with(&self.params)
    }

    fn spec_with(&self, params: &[f64]) -> PottsSpec {
        let (fields, couplings) = params.split_at(self.sites.dim());
        PottsSpec {
            num_sites: self.sites.count(),
            num_values: self.num_values.clone(),
            pattern: self.pattern.clone(),
            fields: Some(fields.to_vec()),
            couplings: Some(couplings.to_vec()),
        }
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Which pairs are coupled.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The coupled pairs, in lexicographic order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The places of the parameters that the energy of a state is minus the sum of.
    fn terms<'a>(&'a self, values: &'a [Value]) -> impl Iterator<Item = usize> + 'a {
        let value = |site: usize| usize::from(values[site]);
        let fields = (0..values.len()).map(move |site| self.sites.first(site) + value(site));
        let couplings = self.pairs.iter().map(move |Pair { sites: [i, j], start }| {
            start + value(*i) * self.sites.num_values(*j) + value(*j)
        });
        fields.chain(couplings)
    }

    /// The energy of the state with these values, in nats.
    fn energy_of(&self, values: &[Value]) -> f64 {
        -self.terms(values).map(|at| self.params[at]).sum::<f64>()
    }
}

impl Energy for Potts {
    fn dim(&self) -> usize {
        self.sites.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len());
        self.sites.for_each_state(x, |index, values| {
            out[index] = values.map_or(f64::INFINITY, |values| self.energy_of(values));
        });
    }
}

impl Parametric for Potts {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
    }

    /// Fields are biases.
    fn is_bias(&self, param: usize) -> bool {
        param < self.sites.dim()
    }

    /// Rows that stand for no state add nothing.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(weights.len() == x.len() && grad.len() == self.params.len());
        self.sites.for_each_state(x, |index, values| {
            let terms = values.into_iter().flat_map(|values| self.terms(values));
            terms.for_each(|at| grad[at] -= weights[index]);
        });
    }
}

impl SiteConditionals for Potts {
    fn conditionals(&self, x: Batch<'_>, out: &mut [f64]) {
        probabilities(&Conditionals::new(self), x, out);
    }
}

impl SiteValues for Potts {
    fn sites(&self) -> &Sites {
        &self.sites
    }

    fn value_conditionals(&self) -> Box<dyn ValueConditionals> {
        Box::new(Conditionals::new(self))
    }

    /// Measured: a random number, the exponentials of a site's values, and an addition per coupling that
    /// is read.
    fn sweep_cost(&self) -> usize {
        let width = |site: usize| padded(self.sites.num_values(site));
        let fields: usize = (0..self.sites.count()).map(width).sum();
        let couplings: usize =
            self.pairs.iter().map(|Pair { sites: [i, j], .. }| width(*i) + width(*j)).sum();
        30 * self.sites.count() + 8 * self.sites.dim() + (fields + couplings) / 2
    }

    fn single_sites(&self, data: &WeightedRows, loss: FlipLoss) -> Option<Box<dyn Objective>> {
        Some(Box::new(PottsSingleSites::new(self, data, loss)))
    }

    fn draws(&self) -> Result<ValueDraws> {
        let states = States::new(&self.sites, ValueDraws::MAX_STATES)?;
        let all = ValueEnumeration::new(self)?;
        let energies = (0..all.num_shards()).flat_map(|shard| all.energies(shard).1);
        Ok(ValueDraws::from_energies(states, energies))
    }
}

impl Model for Potts {
    fn kind(&self) -> &'static str {
        "potts"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Potts(self.to_spec())
    }

    fn spec_at(&self, params: &[f64]) -> ModelSpec {
        assert_eq!(params.len(), self.params.len());
        ModelSpec::Potts(self.spec_with(params))
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Parametric, SiteConditionals);

    fn provide_site_values(&self) -> Option<&dyn SiteValues> {
        Some(self)
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        Some(Box::new(PottsBetweenKnots::new(self, knots)))
    }

    fn provide_potts(&self) -> Option<&Potts> {
        Some(self)
    }

    /// The log odds are those of the bits: fields are the logarithms of their probabilities, which
    /// each site's own sum normalizes.
    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let mut params = vec![0.0; self.params.len()];
        params.iter_mut().zip(log_odds).for_each(|(field, odds)| *field = -softplus(-odds));
        Some(params)
    }
}
