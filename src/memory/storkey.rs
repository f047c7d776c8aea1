//! Storkey's rule: the outer product minus what the network already predicts (Storkey 1997; Storkey
//! and Valabregue 1999, eq. 2). For ±1 units, weights W and a new pattern s,
//!
//! `n ΔW_ij = s_i s_j − s_i h_ji − h_ij s_j`, with `h_ij = Σ_{k≠i,j} W_ik s_k`.
//!
//! It is local and sees each pattern once. In {0,1} that network is `J = 4W`
//! and `θ_i = ½ Σ_j J_ij`, whose energy differs by a constant.

use super::Network;
use super::network::row_start;
use super::rule::{LocalRule, RuleUpdate, spins};
use crate::linalg::dot;

/// Storkey's rule.
#[derive(Debug, Clone, Copy)]
pub struct Storkey;

impl LocalRule for Storkey {
    fn present(&self, network: &mut Network, pattern: &[u64]) -> RuleUpdate {
        let dim = network.dim();
        let spins = spins(dim, pattern);
        // J_i x − θ_i = ½ Σ_j J_ij s_j = 2 Σ_j W_ij s_j.
        let mut fields = vec![0.0; dim];
        network.fields(pattern, &mut fields);
        fields.iter_mut().for_each(|field| *field *= 0.5);
        let (_, weights) = network.parts_mut();
        let n = dim as f64;
        let mut change = vec![0.0; dim];
        for i in 0..dim {
            let line = &mut weights[row_start(dim, i)..][..dim - i - 1];
            let mut sum = 0.0;
            for (weight, j) in line.iter_mut().zip(i + 1..) {
                let own = 0.25 * *weight;
                let h_ij = fields[i] - own * spins[j];
                let h_ji = fields[j] - own * spins[i];
                let step = 4.0 / n * (spins[i] * spins[j] - spins[i] * h_ji - h_ij * spins[j]);
                *weight += step;
                sum += step;
                change[j] += step;
            }
            change[i] += sum;
        }
        let (thresholds, _) = network.parts_mut();
        for (threshold, change) in thresholds.iter_mut().zip(&change) {
            *threshold += 0.5 * change;
        }
        RuleUpdate { margin: f64::NAN, has_changed: dot(&change, &change) > 0.0 }
    }

    fn is_iterative(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of the rule, on a full matrix.
    fn by_definition(dim: usize, patterns: &[u64]) -> Vec<f64> {
        let mut w = vec![0.0; dim * dim];
        for pattern in patterns {
            let s = spins(dim, &[*pattern]);
            let before = w.clone();
            let h = |i: usize, j: usize| {
                (0..dim)
                    .filter(|k| *k != i && *k != j)
                    .map(|k| before[i * dim + k] * s[k])
                    .sum::<f64>()
            };
            for i in 0..dim {
                for j in (0..dim).filter(|j| *j != i) {
                    w[i * dim + j] += (s[i] * s[j] - s[i] * h(j, i) - h(i, j) * s[j]) / dim as f64;
                }
            }
        }
        w
    }

    #[test]
    fn weights_are_those_of_the_definition() {
        let (dim, patterns) = (7, [0b0110101, 0b1110010, 0b0001111, 0b0110101]);
        let mut network = Network::zeros(dim);
        patterns.iter().for_each(|pattern| {
            Storkey.present(&mut network, &[*pattern]);
        });
        let w = by_definition(dim, &patterns);
        for i in 0..dim {
            let line = &w[i * dim..(i + 1) * dim];
            assert!((network.thresholds()[i] - 2.0 * line.iter().sum::<f64>()).abs() < 1e-14);
            for (j, weight) in line.iter().enumerate() {
                assert!((network.weight(i, j) - 4.0 * weight).abs() < 1e-14);
            }
        }
    }

    /// Two patterns of three units: the first gives W = s sᵀ/3, the second is computed by hand.
    #[test]
    fn two_patterns_of_three_units_by_hand() {
        let mut network = Network::zeros(3);
        // s = (1, 1, 1): W_ij = 1/3.
        Storkey.present(&mut network, &[0b111]);
        for weight in network.weights() {
            assert!((weight - 4.0 / 3.0).abs() < 1e-15);
        }
        // s = (1, 1, −1): h_01 = h_10 = −1/3, h_02 = h_12 = 1/3, h_20 = h_21 = 1/3; so
        // 3 ΔW_01 = 1 + 1/3 + 1/3, and 3 ΔW_02 = 3 ΔW_12 = −1 − 1/3 + 1/3.
        Storkey.present(&mut network, &[0b011]);
        for (weight, expected) in network.weights().iter().zip([8.0 / 9.0, 0.0, 0.0]) {
            assert!((weight - 4.0 * expected).abs() < 1e-14, "{:?}", network.weights());
        }
    }
}
