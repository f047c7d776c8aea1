//! An Ising model with some sites summed out, the last H of its D:
//!
//! `E(v) = −ln Σ_h exp(−E(v, h))`, `∂E(v)/∂θ = E[∂E(v, h)/∂θ | v]`,
//!
//! over all 2^H states h. v ∈ {0,1}^{D−H} is what rows of data show of a Boltzmann machine whose hidden
//! units may be coupled to one another. Every method that fits models of bits fits this one.
//!
//! With `c_j(v) = J_jj + 2 Σ_i J_ji v_i` over the visible sites i and the energies U(h) of the pairs of
//! hidden sites, kept in a table, `E(v, h) = E(v, 0) + Σ_j c_j h_j + U(h)`.
//!
//! Parameters: those of the Ising model.

mod between_knots;
mod spec;
#[cfg(all(test, feature = "full"))]
mod tests;

pub use spec::{MAX_HIDDEN, MarginalSpec};

use super::ising::Ising;
use super::{Model, ModelSpec, capabilities};
use crate::bits::{BitBatch, flip, read_values, words_per_row};
use crate::energy::{BetweenKnots, Energy, FlipMemory, HiddenMeans, Parametric, SiteFlips};
use crate::linalg::Batch;
use crate::math::{exp, log_sum_exp};
use between_knots::MarginalBetweenKnots;

/// An Ising model with its last sites summed out; see the module documentation.
#[derive(Debug, Clone)]
pub struct Marginal {
    joint: Ising,
    num_hidden: usize,
    /// U(h), `[2^H]`.
    pair_energies: Vec<f64>,
    /// The pairs of hidden sites, counted from the first of these, and their parameters.
    hidden_pairs: Vec<([usize; 2], usize)>,
}

impl Marginal {
    /// `joint` with its last sites summed out.
    fn new(joint: Ising, num_hidden: usize) -> Self {
        let first = joint.dim() - num_hidden;
        let all_pairs: Vec<[usize; 2]> = match joint.pairs() {
            Some(pairs) => pairs.to_vec(),
            None => {
                (0..joint.dim()).flat_map(|i| (i + 1..joint.dim()).map(move |j| [i, j])).collect()
            }
        };
        let hidden_pairs = (all_pairs.iter().enumerate())
            .filter(|(_, [i, _])| *i >= first)
            .map(|(at, [i, j])| ([i - first, j - first], joint.dim() + at))
            .collect();
        let mut model = Self { joint, num_hidden, pair_energies: Vec::new(), hidden_pairs };
        model.set_pair_energies();
        model
    }

    /// The model with all sites.
    pub fn joint(&self) -> &Ising {
        &self.joint
    }

    /// Number of sites summed out.
    pub fn num_hidden(&self) -> usize {
        self.num_hidden
    }

    fn set_pair_energies(&mut self) {
        let params = self.joint.params();
        let mut coupled = vec![0.0; self.num_hidden * self.num_hidden];
        for &([j, k], param) in &self.hidden_pairs {
            coupled[k * self.num_hidden + j] = 2.0 * params[param];
        }
        self.pair_energies = vec![0.0];
        for k in 0..self.num_hidden {
            let with_k: Vec<f64> = (self.pair_energies.iter().enumerate())
                .map(|(state, energy)| {
                    let on = (0..k).filter(|j| state >> j & 1 == 1);
                    energy + on.map(|j| coupled[k * self.num_hidden + j]).sum::<f64>()
                })
                .collect();
            self.pair_energies.extend(with_k);
        }
    }

    /// The row of all sites, the hidden ones off.
    fn joint_row(&self, row: &[u64]) -> Vec<u64> {
        let mut joint = row.to_vec();
        joint.resize(words_per_row(self.joint.dim()), 0);
        joint
    }

    /// `E(v, 0) − E(v, h)` of each h, `[2^H]`, given the row of all sites with the hidden ones off.
    fn log_weights(&self, joint: &[u64]) -> Vec<f64> {
        let mut logs = vec![0.0];
        for site in self.dim()..self.joint.dim() {
            let cost = self.joint.flip_delta(joint, site);
            let with_site: Vec<f64> = logs.iter().map(|log| log - cost).collect();
            logs.extend(with_site);
        }
        logs.iter_mut().zip(&self.pair_energies).for_each(|(log, energy)| *log -= energy);
        logs
    }

    /// `−ln Σ_h exp(E(v, 0) − E(v, h))`.
    fn free_energy(&self, joint: &[u64]) -> f64 {
        -log_sum_exp(&self.log_weights(joint))
    }

    /// p(h | v) of each h, `[2^H]`.
    fn posterior(&self, joint: &[u64]) -> Vec<f64> {
        let mut logs = self.log_weights(joint);
        let total = log_sum_exp(&logs);
        logs.iter_mut().for_each(|log| *log = exp(*log - total));
        logs
    }

    /// E[h_j | v] of each hidden site, from p(h | v).
    fn means(&self, posterior: &[f64]) -> Vec<f64> {
        (0..self.num_hidden).map(|site| mass(posterior, 1 << site)).collect()
    }

    /// The row of all sites of a state of numbers, the hidden ones off.
    fn read(&self, state: &[f64]) -> Vec<u64> {
        let mut row = vec![0; words_per_row(self.dim())];
        read_values(state, &mut row);
        self.joint_row(&row)
    }

    /// The change of the energy by a flip, from the free energy before it.
    fn delta_from(&self, joint: &mut [u64], site: usize, free_energy: f64) -> f64 {
        let cost = self.joint.flip_delta(joint, site);
        flip(joint, site);
        let after = self.free_energy(joint);
        flip(joint, site);
        cost + (after - free_energy)
    }
}

/// The probability that all sites of a mask are on.
fn mass(posterior: &[f64], mask: usize) -> f64 {
    let on = posterior.iter().enumerate().filter(|(state, _)| state & mask == mask);
    on.map(|(_, probability)| probability).sum()
}

impl Energy for Marginal {
    fn dim(&self) -> usize {
        self.joint.dim() - self.num_hidden
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        let mut state = vec![0.0; self.joint.dim()];
        for (visible, out) in x.states().zip(out) {
            state[..visible.len()].copy_from_slice(visible);
            let mut energy = [0.0];
            self.joint.energy(Batch::new(self.joint.dim(), &state), &mut energy);
            *out = energy[0] + self.free_energy(&self.read(visible));
        }
    }
}

impl SiteFlips for Marginal {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        let mut joint = self.joint_row(row);
        let free_energy = self.free_energy(&joint);
        self.delta_from(&mut joint, site, free_energy)
    }

    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len() * self.dim());
        for (row, out) in x.rows().zip(out.chunks_exact_mut(self.dim())) {
            let mut joint = self.joint_row(row);
            let free_energy = self.free_energy(&joint);
            for (site, out) in out.iter_mut().enumerate() {
                *out = self.delta_from(&mut joint, site, free_energy);
            }
        }
    }

    fn memory<'a>(&'a self, row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        Box::new(Memory { model: self, free_energy: self.free_energy(&self.joint_row(row)) })
    }
}

/// The free energy of the present state.
struct Memory<'a> {
    model: &'a Marginal,
    free_energy: f64,
}

impl FlipMemory for Memory<'_> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        self.model.delta_from(&mut self.model.joint_row(row), site, self.free_energy)
    }

    fn flipped(&mut self, row: &[u64], _site: usize) {
        self.free_energy = self.model.free_energy(&self.model.joint_row(row));
    }
}

impl Parametric for Marginal {
    fn params(&self) -> &[f64] {
        self.joint.params()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.joint.set_params(params);
        self.set_pair_energies();
    }

    fn is_bias(&self, param: usize) -> bool {
        self.joint.is_bias(param)
    }

    /// The gradient is linear in each site: it is that at the means of the hidden sites, but for pairs of
    /// these, `∂E/∂J_jk = 2 E[h_j h_k | v]`.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(weights.len() == x.len() && grad.len() == self.params().len());
        let mut state = vec![0.0; self.joint.dim()];
        for (visible, weight) in x.states().zip(weights) {
            let posterior = self.posterior(&self.read(visible));
            let means = self.means(&posterior);
            let (shown, hidden) = state.split_at_mut(visible.len());
            shown.copy_from_slice(visible);
            hidden.copy_from_slice(&means);
            self.joint.accumulate_param_grad(
                Batch::new(self.joint.dim(), &state),
                &[*weight],
                grad,
            );
            for &([j, k], param) in &self.hidden_pairs {
                let both = mass(&posterior, 1 << j | 1 << k);
                grad[param] += 2.0 * weight * (both - means[j] * means[k]);
            }
        }
    }
}

impl HiddenMeans for Marginal {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        x.states().flat_map(|state| self.means(&self.posterior(&self.read(state)))).collect()
    }
}

impl Model for Marginal {
    fn kind(&self) -> &'static str {
        "marginal"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Marginal(MarginalSpec {
            model: Box::new(self.joint.spec()),
            num_hidden: self.num_hidden,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    /// Of a flip: a term of the sum over hidden states for each.
    fn num_terms(&self) -> usize {
        self.joint.num_terms() + (self.dim() << self.num_hidden)
    }

    capabilities!(SiteFlips, Parametric, HiddenMeans);

    /// Visible sites at these log odds, hidden ones at even odds, and no couplings.
    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let hidden = vec![0.0; self.num_hidden];
        self.joint.independent_params(&[log_odds, &hidden].concat())
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        Some(Box::new(MarginalBetweenKnots::new(self, knots)))
    }
}
