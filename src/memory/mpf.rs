//! Minimum probability flow as a learning rule. The objective for patterns D is
//!
//! `K_D(J, θ) = Σ_{x ∈ D} Σ_i exp(½ (J_i x − θ_i) δ_i)`, δ = 1 − 2x
//!
//! (Sohl-Dickstein 2012, eq. 3.10), the flow of the Ising model of the same
//! energy to all single flips. It is convex, and if the patterns can be stored it has **no
//! minimum**: it falls towards 0 as the weights grow. K < 1 means that all are strict local minima
//! (theorem 1), but they may be so long before: a minimizer must check the margins and stop.
//!
//! [`StorageFlow`] is K divided by the number of patterns, with its gradient and the margins.
//! [`OnlineMpf`] descends it one pattern at a time (eq. 3.12, 3.13):
//!
//! `ΔJ_ij = −½ η (δ_i x_j e_i + δ_j x_i e_j)`, `Δθ_i = ½ η δ_i e_i`,
//! with `e_i = exp(½ (J_i x − θ_i) δ_i)`: −η times the gradient of K_{x}.

use super::network::gap;
use super::rule::{LocalRule, Presented, RuleUpdate};
use super::storage::{Patterns, Storage};
use super::{Network, tiles};
use crate::bits::{BitMatrix, WeightedRows, bit};
use crate::energy::FlipFlow;
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::coordinates::Coordinates;
use crate::math::exp;
use crate::models::Model;
use crate::models::ising::{Ising, IsingSpec};

/// The flow K_D, by its definition.
///
/// # Panics
/// If the patterns do not have the network's dimension.
pub fn flow(network: &Network, patterns: &BitMatrix) -> f64 {
    let mut fields = vec![0.0; network.dim()];
    let mut total = 0.0;
    for row in patterns.as_batch().rows() {
        network.fields(row, &mut fields);
        for (site, field) in fields.iter().enumerate() {
            total += exp(-0.5 * gap(*field, bit(row, site)));
        }
    }
    total
}

/// A pull of this size is not applied: the network would soon overflow.
const DIVERGED: f64 = 1e100;

/// The local rule. If a pattern would pull without bounds, the network is left unchanged and the
/// reported margin is NaN: the rate is too large.
#[derive(Debug, Clone, Copy)]
pub struct OnlineMpf {
    /// The learning rate η > 0.
    pub learning_rate: f64,
}

impl LocalRule for OnlineMpf {
    fn present(&self, network: &mut Network, pattern: &[u64]) -> RuleUpdate {
        let presented = Presented::new(network, pattern);
        // −½ η δ_i e_i
        let pulls: Vec<f64> = presented
            .states
            .iter()
            .zip(&presented.fields)
            .map(|(state, field)| {
                let sign = 2.0 * state - 1.0;
                0.5 * self.learning_rate * sign * exp(-0.5 * sign * field)
            })
            .collect();
        if !pulls.iter().all(|pull| pull.abs() < DIVERGED) {
            return RuleUpdate { margin: f64::NAN, has_changed: false };
        }
        network.add_products(&pulls, &presented.states);
        let (thresholds, _) = network.parts_mut();
        thresholds.iter_mut().zip(&pulls).for_each(|(threshold, pull)| *threshold -= pull);
        RuleUpdate { margin: presented.margin, has_changed: true }
    }

    fn is_iterative(&self) -> bool {
        true
    }
}

/// K_D / |D| over training rows, and the storage of the patterns, in shards. The parameters are
/// those of the Ising model ([`Network::ising_params`]).
pub struct StorageFlow {
    flow: Box<dyn Objective>,
    rows: WeightedRows,
    patterns: Patterns,
    network: Network,
    model: Ising,
}

impl StorageFlow {
    /// The flow at a network of zeros.
    ///
    /// # Panics
    /// If the rows differ in dimension.
    pub fn new(rows: WeightedRows, patterns: Patterns) -> Self {
        let dim = rows.dim();
        assert_eq!(dim, patterns.rows().dim());
        let zeros = IsingSpec { dim, ..IsingSpec::default() };
        let model = zeros.build().expect("a model of zeros");
        let flow = model.flip_flow(&rows, FlipLoss::Flow);
        Self { flow, rows, patterns, network: Network::zeros(dim), model }
    }

    /// Coordinates in which the flow is well conditioned.
    pub fn coordinates(&self) -> Box<dyn Coordinates> {
        self.model.coordinates(&self.rows)
    }

    /// Sets other parameters.
    ///
    /// # Panics
    /// If their number is not that of the model's parameters.
    pub fn set_params(&mut self, params: &[f64]) {
        self.flow.set_params(params);
        let dim = self.network.dim();
        let (thresholds, weights) = self.network.parts_mut();
        thresholds.copy_from_slice(&params[..dim]);
        for (weight, coupling) in weights.iter_mut().zip(&params[dim..]) {
            *weight = -2.0 * coupling;
        }
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.flow.num_shards().max(tiles::num_tiles(self.network.dim()))
    }

    /// Works a shard: `[margins | numWrong | part of the flow]`.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn part(&self, shard: usize) -> Vec<f64> {
        assert!(shard < self.num_shards());
        let storage = if shard < tiles::num_tiles(self.network.dim()) {
            self.patterns.check_tile(&self.network, shard)
        } else {
            Storage::new(self.patterns.rows().num_rows())
        };
        let mut part: Vec<f64> = storage.to_numbers().collect();
        if shard < self.flow.num_shards() {
            part.extend(self.flow.part(shard));
        }
        part
    }

    /// Combines the parts: writes the gradient, and returns the flow and how well the patterns are
    /// stored.
    ///
    /// # Panics
    /// If the parts are not those of all shards, or the gradient has another length.
    pub fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> (f64, Storage) {
        assert_eq!(parts.len(), self.num_shards());
        let count = self.patterns.rows().num_rows();
        let mut storage = Storage::new(count);
        let mut of_flow = Vec::with_capacity(parts.len());
        for part in parts {
            let (numbers, rest) = part.split_at(2 * count);
            storage.merge(&Storage::from_numbers(numbers));
            of_flow.push(rest.to_vec());
        }
        of_flow.truncate(self.flow.num_shards());
        (self.flow.combine(&of_flow, grad), storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ising::Pattern;

    fn random(dim: usize) -> Network {
        let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.4, 5);
        Network::from_ising(&spec).expect("a sound spec")
    }

    fn rows(dim: usize, states: &[u64]) -> BitMatrix {
        let mut rows = BitMatrix::zeros(dim, states.len());
        rows.rows_mut().zip(states).for_each(|(row, state)| row[0] = *state);
        rows
    }

    /// K at zero counts the neighbours; that for one unit is computed by hand.
    #[test]
    fn flows_by_hand() {
        assert_eq!(flow(&Network::zeros(7), &rows(7, &[0, 5, 127])), 21.0);
        let one = Network::new(vec![2.0], vec![]);
        let expected = exp(1.0) + exp(-1.0);
        assert!((flow(&one, &rows(1, &[0, 1])) - expected).abs() < 1e-15);
    }

    /// One step of the rule is −η times the gradient of K_{x}, by finite differences.
    #[test]
    fn the_online_rule_goes_down_the_flow_of_its_pattern() {
        let (dim, eta, h) = (5, 0.3, 1e-5);
        let network = random(dim);
        for pattern in [0b00000, 0b10110, 0b11111] {
            let pattern = rows(dim, &[pattern]);
            let mut after = network.clone();
            OnlineMpf { learning_rate: eta }.present(&mut after, pattern.row(0));
            let slope = |change: &dyn Fn(&mut Network, f64)| {
                let at = |step: f64| {
                    let mut moved = network.clone();
                    change(&mut moved, step);
                    flow(&moved, &pattern)
                };
                (at(h) - at(-h)) / (2.0 * h)
            };
            for i in 0..dim {
                let grad = slope(&|network, step| network.parts_mut().0[i] += step);
                let change = after.thresholds()[i] - network.thresholds()[i];
                assert!((change + eta * grad).abs() < 1e-8, "θ_{i}: {change} {grad}");
            }
            for at in 0..network.weights().len() {
                let grad = slope(&|network, step| network.parts_mut().1[at] += step);
                let change = after.weights()[at] - network.weights()[at];
                assert!((change + eta * grad).abs() < 1e-8, "J at {at}: {change} {grad}");
            }
        }
    }

    /// The online rule computed by hand: for two units, none set, e = (1, 1).
    #[test]
    fn the_online_rule_by_hand() {
        let mut network = Network::zeros(2);
        let rule = OnlineMpf { learning_rate: 0.5 };
        assert_eq!(rule.present(&mut network, &[0b00]).margin, 0.0);
        assert_eq!((network.weights(), network.thresholds()), (&[0.0][..], &[0.25, 0.25][..]));
        // Both set: fields −¼, δ = −1, e = e^{1/8}.
        rule.present(&mut network, &[0b11]);
        let e = exp(0.125);
        assert_eq!(network.weights(), [0.25 * e + 0.25 * e]);
        assert_eq!(network.thresholds(), [0.25 - 0.25 * e; 2]);
    }

    #[test]
    fn shards_add_up_to_the_definition() {
        for dim in [1, 7, 40] {
            let network = random(dim);
            let states: Vec<u64> =
                (0..9u64).map(|at| (at * 0x9e37_79b9) & ((1 << dim) - 1)).collect();
            let patterns = rows(dim, &states);
            let weighted = WeightedRows::from_data(patterns.as_batch());
            let mut shards = StorageFlow::new(weighted, Patterns::new(patterns.clone()));
            shards.set_params(&network.ising_params());
            let parts: Vec<_> = (0..shards.num_shards()).map(|shard| shards.part(shard)).collect();
            let mut grad = vec![0.0; network.ising_params().len()];
            let (value, storage) = shards.combine(&parts, &mut grad);
            let expected = flow(&network, &patterns) / 9.0;
            assert!((value - expected).abs() < 1e-12 * expected, "{value} {expected}");
            assert_eq!(storage, Patterns::new(patterns.clone()).check(&network));
            // The gradient in θ is the sum of the online rule's changes.
            let mut moved = vec![0.0; dim];
            for row in patterns.as_batch().rows() {
                let mut after = network.clone();
                OnlineMpf { learning_rate: 1.0 }.present(&mut after, row);
                for (moved, (after, before)) in
                    moved.iter_mut().zip(after.thresholds().iter().zip(network.thresholds()))
                {
                    *moved -= (after - before) / 9.0;
                }
            }
            for (grad, expected) in grad.iter().zip(&moved) {
                assert!((grad - expected).abs() < 1e-12, "{grad} {expected}");
            }
        }
    }
}
