//! The outer-product rule, Hebb's rule for ±1 units: `J_ij += s_i s_j` with s = 2x − 1 (Hopfield
//! 1982), and the thresholds `θ_i = ½ Σ_j J_ij`, so that `J_i x − θ_i = ½ Σ_j J_ij s_j`. The
//! network in {0,1} then has the dynamics of the one in ±1, whose capacity of n / (4 ln n) patterns
//! is known (McEliece et al. 1987). With θ = 0, as in Hopfield's paper, the fields would have a
//! second noise term as large as the first.
//!
//! Weights are integers and thresholds half integers, so ties are exact.

use super::Network;
use super::rule::{LocalRule, RuleUpdate, spins};

/// The outer-product rule.
#[derive(Debug, Clone, Copy)]
pub struct OuterProduct;

impl LocalRule for OuterProduct {
    fn present(&self, network: &mut Network, pattern: &[u64]) -> RuleUpdate {
        let spins = spins(network.dim(), pattern);
        let halves: Vec<f64> = spins.iter().map(|spin| 0.5 * spin).collect();
        network.add_products(&spins, &halves);
        let total: f64 = spins.iter().sum();
        let (thresholds, _) = network.parts_mut();
        for (threshold, spin) in thresholds.iter_mut().zip(&spins) {
            *threshold += 0.5 * spin * (total - spin);
        }
        RuleUpdate { margin: f64::NAN, has_changed: network.dim() > 1 }
    }

    fn is_iterative(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_patterns_of_three_units_by_hand() {
        let mut network = Network::zeros(3);
        // s = (1, 1, −1) and (−1, 1, 1).
        OuterProduct.present(&mut network, &[0b011]);
        OuterProduct.present(&mut network, &[0b110]);
        assert_eq!(network.weights(), [0.0, -2.0, 0.0]);
        assert_eq!(network.thresholds(), [-1.0, 0.0, -1.0]);
    }

    /// A single pattern has gaps ½(n − 1); so has its complement.
    #[test]
    fn one_pattern_is_stored_with_its_complement() {
        let mut network = Network::zeros(9);
        OuterProduct.present(&mut network, &[0b1_0011_0101]);
        assert_eq!(network.margin(&[0b1_0011_0101]), 4.0);
        assert_eq!(network.margin(&[0b0_1100_1010]), 4.0);
    }
}
