//! The Ising model (spin glass, fully visible Boltzmann machine).
//!
//! `E(x) = xᵀJx`, x ∈ {0,1}^D, J symmetric with the biases on its diagonal
//! (Sohl-Dickstein 2012, eq. 3.1 and E.2), so that
//! `E = Σ_i J_ii x_i + 2 Σ_{i<j} J_ij x_i x_j`: **each pair counts twice**.
//!
//! Parameters: `[J_00 … J_{D−1,D−1} | J_ij of the pattern's pairs]`, the D biases and then the P
//! couplings in lexicographic order of (i, j), i < j. A coupling is one parameter, though it is in
//! J twice. Dense: P = D(D−1)/2.
//!
//! Flipping site n changes the energy by `ΔE = J_nn + 2(1 − 2x_n) u_n`, where `u = Jx` includes the
//! diagonal.

mod all_flipped;
mod between_knots;
mod convert;
mod coordinates;
mod dense_flow;
mod dense_terms;
mod even_torus;
mod lattice;
mod neighbours;
pub mod onsager;
mod pattern;
mod sparse_flow;
mod spec;
mod spins;
mod uniform_torus;
mod walk;

pub(crate) use between_knots::IsingBetweenKnots;
pub use convert::Spins;
pub use coordinates::SpinCoordinates;
pub use coordinates::{spin_covariance, spin_means};
pub use even_torus::{EvenTorus, MAX_TORUS_DIM};
pub use lattice::{Grid, Lattice};
pub use pattern::Pattern;
pub use spec::{IsingSpec, MAX_DIM, MAX_SPARSE_DIM, MAX_SPARSE_PAIRS, UniformSpins};
pub use spins::SpinBond;

use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::bits::{WeightedRows, bit, set_bits};
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::coordinates::Coordinates;
use crate::energy::enumeration::{Enumeration, VisibleStates};
use crate::energy::{
    BetweenKnots, Energy, ExponentialFamily, FlipFlow, FlipMemory, FlipWalk, Parametric, SiteFlips,
    Walk,
};
use crate::energy::{Statistic, Statistics};
use crate::linalg::{Batch, axpy, dot};
use neighbours::Neighbours;
use std::sync::Arc;

/// The Ising model; see the module documentation.
#[derive(Debug, Clone)]
pub struct Ising {
    dim: usize,
    pattern: Pattern,
    params: Vec<f64>,
    bonds: Bonds,
}

/// The couplings, by pattern.
#[derive(Debug, Clone)]
enum Bonds {
    /// Every pair: J itself, `[dim, dim]`, kept up to date with the parameters.
    Dense { matrix: Vec<f64> },
    /// Some pairs, which copies of a model share.
    Sparse {
        /// The pairs, in the order of their parameters.
        pairs: Arc<[[usize; 2]]>,
        /// Each site's neighbours, in ascending order.
        neighbours: Arc<Neighbours>,
    },
}

impl Ising {
    /// The model with all parameters zero; `None` for the pairs means every pair.
    fn zeros(dim: usize, pattern: Pattern, pairs: Option<Vec<[usize; 2]>>) -> Self {
        let (num_pairs, bonds) = match pairs {
            None => (dim * (dim - 1) / 2, Bonds::Dense { matrix: vec![0.0; dim * dim] }),
            Some(pairs) => {
                let neighbours = Arc::new(Neighbours::new(dim, &pairs));
                (pairs.len(), Bonds::Sparse { pairs: pairs.into(), neighbours })
            }
        };
        Self { dim, pattern, params: vec![0.0; dim + num_pairs], bonds }
    }

    /// The pattern of coupled pairs.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// J, row-major `[dim, dim]`, for models of up to [`MAX_DIM`] sites, as it takes 8 D² bytes.
    /// Larger models, all sparse, have [`params`](Parametric::params).
    pub fn couplings(&self) -> Vec<f64> {
        match &self.bonds {
            Bonds::Dense { matrix } => matrix.clone(),
            Bonds::Sparse { pairs, .. } => {
                let mut matrix = vec![0.0; self.dim * self.dim];
                for site in 0..self.dim {
                    matrix[site * self.dim + site] = self.params[site];
                }
                for (&[i, j], coupling) in pairs.iter().zip(&self.params[self.dim..]) {
                    matrix[i * self.dim + j] = *coupling;
                    matrix[j * self.dim + i] = *coupling;
                }
                matrix
            }
        }
    }

    /// The spec that rebuilds this model: with J up to [`MAX_DIM`] sites, with the parameters
    /// above.
    pub fn to_spec(&self) -> IsingSpec {
        let is_small = self.dim <= MAX_DIM;
        IsingSpec {
            dim: self.dim,
            pattern: self.pattern.clone(),
            couplings: is_small.then(|| self.couplings()),
            params: (!is_small).then(|| self.params.clone()),
            uniform: None,
        }
    }

    /// The coupled pairs [i, j], i < j, in the order of their parameters; none if every pair is
    /// coupled.
    pub fn pairs(&self) -> Option<&[[usize; 2]]> {
        match &self.bonds {
            Bonds::Dense { .. } => None,
            Bonds::Sparse { pairs, .. } => Some(pairs),
        }
    }

    fn is_sparse(&self) -> bool {
        matches!(self.bonds, Bonds::Sparse { .. })
    }

    fn num_params(&self) -> usize {
        self.params.len()
    }

    /// Sets the couplings from the upper triangle of J, for the pairs of the pattern.
    fn set_couplings(&mut self, matrix: &[f64]) {
        let dim = self.dim;
        let mut params = Vec::with_capacity(self.params.len());
        params.extend((0..dim).map(|site| matrix[site * dim + site]));
        match &self.bonds {
            Bonds::Dense { .. } => {
                for i in 0..dim {
                    params.extend_from_slice(&matrix[i * dim + i + 1..(i + 1) * dim]);
                }
            }
            Bonds::Sparse { pairs, .. } => {
                params.extend(pairs.iter().map(|&[i, j]| matrix[i * dim + j]));
            }
        }
        self.set_params(&params);
    }

    /// The field u_n = Σ_i J_ni x_i.
    fn field(&self, row: &[u64], site: usize) -> f64 {
        match &self.bonds {
            Bonds::Dense { matrix } => {
                let line = &matrix[site * self.dim..(site + 1) * self.dim];
                set_bits(row).map(|other| line[other]).sum()
            }
            Bonds::Sparse { neighbours, .. } => {
                let own = if bit(row, site) { self.params[site] } else { 0.0 };
                let coupled = neighbours[site].iter().filter(|other| bit(row, other.site));
                coupled.fold(own, |sum, other| sum + self.params[other.param])
            }
        }
    }

    /// The mean energy with a site on minus that with it off, where the other sites are independent with
    /// these means: `J_nn + 2 Σ_{i≠n} J_ni μ_i`. The site's own mean is not read.
    ///
    /// # Panics
    /// If there is no such site, or means are missing.
    pub fn cost_at_means(&self, site: usize, means: &[f64]) -> f64 {
        let others: f64 = match &self.bonds {
            Bonds::Dense { matrix } => {
                let line = &matrix[site * self.dim..(site + 1) * self.dim];
                let (before, after) = (&line[..site], &line[site + 1..]);
                dot(before, &means[..site]) + dot(after, &means[site + 1..])
            }
            Bonds::Sparse { neighbours, .. } => neighbours[site]
                .iter()
                .map(|other| self.params[other.param] * means[other.site])
                .sum(),
        };
        self.params[site] + 2.0 * others
    }

    /// The energy change of a flip, from the field u_n.
    fn delta_from_field(&self, site: usize, field: f64, is_set: bool) -> f64 {
        let bias = self.params[site];
        if is_set { bias - 2.0 * field } else { bias + 2.0 * field }
    }
}

impl Energy for Ising {
    fn dim(&self) -> usize {
        self.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim && x.len() == out.len());
        let (biases, couplings) = self.params.split_at(self.dim);
        for (state, out) in x.states().zip(out) {
            let pairs: f64 = match &self.bonds {
                Bonds::Dense { .. } => {
                    let mut rest = couplings;
                    let mut sum = 0.0;
                    for i in 0..self.dim {
                        let (line, after) = rest.split_at(self.dim - i - 1);
                        sum += state[i] * dot(line, &state[i + 1..]);
                        rest = after;
                    }
                    sum
                }
                Bonds::Sparse { pairs, .. } => pairs
                    .iter()
                    .zip(couplings)
                    .map(|(&[i, j], coupling)| coupling * state[i] * state[j])
                    .sum(),
            };
            *out = dot(biases, state) + 2.0 * pairs;
        }
    }
}

impl SiteFlips for Ising {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        self.delta_from_field(site, self.field(row, site), bit(row, site))
    }

    fn memory<'a>(&'a self, row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        Box::new(walk::IsingMemory::new(self, row))
    }

    fn walk<'a>(&'a self, row: &'a mut [u64]) -> Box<dyn FlipWalk + 'a> {
        let memory = walk::IsingMemory::new(self, row);
        Box::new(Walk { row, memory })
    }
}

impl Parametric for Ising {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        if let Bonds::Dense { matrix } = &mut self.bonds {
            let (biases, mut rest) = params.split_at(self.dim);
            for i in 0..self.dim {
                let (line, after) = rest.split_at(self.dim - i - 1);
                matrix[i * self.dim + i] = biases[i];
                for (j, coupling) in (i + 1..self.dim).zip(line) {
                    matrix[i * self.dim + j] = *coupling;
                    matrix[j * self.dim + i] = *coupling;
                }
                rest = after;
            }
        }
    }

    fn is_bias(&self, param: usize) -> bool {
        param < self.dim
    }

    /// One a site: its bias, and its couplings to the sites after it.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let biases = 0..self.dim;
        Some(match self.pairs() {
            Some(pairs) => biases.chain(pairs.iter().map(|pair| pair[0])).collect(),
            None => biases
                .chain((0..self.dim).flat_map(|site| (site + 1..self.dim).map(move |_| site)))
                .collect(),
        })
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(x.dim() == self.dim && x.len() == weights.len() && grad.len() == self.num_params());
        let (biases, couplings) = grad.split_at_mut(self.dim);
        for (state, weight) in x.states().zip(weights) {
            axpy(*weight, state, biases);
            match &self.bonds {
                Bonds::Dense { .. } => {
                    let mut rest = &mut couplings[..];
                    for i in 0..self.dim {
                        let (line, after) = rest.split_at_mut(self.dim - i - 1);
                        axpy(2.0 * weight * state[i], &state[i + 1..], line);
                        rest = after;
                    }
                }
                Bonds::Sparse { pairs, .. } => {
                    for (&[i, j], grad) in pairs.iter().zip(couplings.iter_mut()) {
                        *grad += 2.0 * weight * state[i] * state[j];
                    }
                }
            }
        }
    }
}

impl FlipFlow for Ising {
    fn flip_flow(&self, data: &WeightedRows, loss: FlipLoss) -> Box<dyn Objective> {
        assert_eq!(data.dim(), self.dim);
        match &self.bonds {
            Bonds::Sparse { neighbours, .. }
                if neighbours.iter().all(|list| list.len() <= sparse_flow::MAX_NEIGHBOURS) =>
            {
                Box::new(sparse_flow::SparseFlow::new(self.clone(), data, loss))
            }
            _ => Box::new(dense_flow::DenseFlow::new(self.clone(), data, loss)),
        }
    }

    fn all_flipped_flow(&self, data: &WeightedRows) -> Option<Box<dyn Objective>> {
        Some(Box::new(all_flipped::AllFlipped::new(self, data)))
    }
}

impl ExponentialFamily for Ising {
    fn statistics(&self) -> Statistics {
        let units = (0..self.dim).map(|site| Statistic::unit(site, 1.0));
        let pair = |[i, j]: [usize; 2]| Statistic::pair(i, j, 2.0);
        let terms = match &self.bonds {
            Bonds::Dense { .. } => {
                let all = (0..self.dim).flat_map(|i| (i + 1..self.dim).map(move |j| [i, j]));
                units.chain(all.map(pair)).collect()
            }
            Bonds::Sparse { pairs, .. } => units.chain(pairs.iter().copied().map(pair)).collect(),
        };
        Statistics { num_visible: self.dim, num_hidden: 0, terms }
    }

    fn enumeration(&self) -> Result<Box<dyn Enumeration>> {
        Ok(Box::new(VisibleStates::new(self.clone(), self.statistics())?))
    }
}

impl Model for Ising {
    fn kind(&self) -> &'static str {
        "ising"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Ising(self.to_spec())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(SiteFlips, Parametric, FlipFlow, ExponentialFamily);

    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let mut params = vec![0.0; self.params.len()];
        params.iter_mut().zip(log_odds).for_each(|(bias, odds)| *bias = -odds);
        Some(params)
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        Some(Box::new(IsingBetweenKnots::new(self, knots)))
    }

    fn provide_ising(&self) -> Option<&Ising> {
        Some(self)
    }

    fn coordinates(&self, data: &WeightedRows) -> Box<dyn Coordinates> {
        Box::new(SpinCoordinates::new(self, data))
    }
}
