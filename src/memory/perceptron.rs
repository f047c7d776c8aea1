//! The perceptron rule with symmetric weights (Rosenblatt 1957; Sohl-Dickstein 2012, section
//! 3.4.1). If a pattern's bit is not what its field makes it, `e_i = x_i − H(J_i x − θ_i)` is not
//! 0, and weights and thresholds are corrected:
//!
//! `ΔJ_ij = η (e_i x_j + e_j x_i)`,  `Δθ_i = −η e_i`.
//!
//! If the patterns can be made fixed points, a finite number of passes over them does so; near the
//! capacity it is very large.
//!
//! With a margin κ > 0 a bit is also corrected if its gap is smaller: H(field − κ) must be 1 if it
//! is set, H(field + κ) must be 0 if it is clear.

use super::Network;
use super::network::heaviside;
use super::rule::{LocalRule, Presented, RuleUpdate};

/// The perceptron rule.
#[derive(Debug, Clone, Copy)]
pub struct Perceptron {
    /// The learning rate η > 0. Starting from a network of zeros, it only scales the weights.
    pub learning_rate: f64,
    /// The margin κ ≥ 0, in nats.
    pub margin: f64,
}

impl LocalRule for Perceptron {
    fn present(&self, network: &mut Network, pattern: &[u64]) -> RuleUpdate {
        let presented = Presented::new(network, pattern);
        let mut has_changed = false;
        let errors: Vec<f64> = presented
            .states
            .iter()
            .zip(&presented.fields)
            .map(|(state, field)| {
                let margin = if *state == 1.0 { -self.margin } else { self.margin };
                let error = state - f64::from(u8::from(heaviside(field + margin)));
                has_changed |= error != 0.0;
                self.learning_rate * error
            })
            .collect();
        if has_changed {
            network.add_products(&errors, &presented.states);
            let (thresholds, _) = network.parts_mut();
            thresholds.iter_mut().zip(&errors).for_each(|(threshold, error)| *threshold -= error);
        }
        RuleUpdate { margin: presented.margin, has_changed }
    }

    fn is_iterative(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Perceptron = Perceptron { learning_rate: 1.0, margin: 0.0 };

    #[test]
    fn two_units_by_hand() {
        let mut network = Network::zeros(2);
        // All fields are 0, which is right for clear bits.
        assert!(!PLAIN.present(&mut network, &[0b00]).has_changed);
        // Both should be set: e = (1, 1), J_01 = 2, θ = (−1, −1).
        let shown = PLAIN.present(&mut network, &[0b11]);
        assert_eq!((shown.margin, shown.has_changed), (0.0, true));
        assert_eq!((network.weights(), network.thresholds()), (&[2.0][..], &[-1.0, -1.0][..]));
        // 00 has fields (1, 1) now: e = (−1, −1), no weight as both are clear, θ = (0, 0).
        assert_eq!(PLAIN.present(&mut network, &[0b00]).margin, -1.0);
        assert_eq!((network.weights(), network.thresholds()), (&[2.0][..], &[0.0, 0.0][..]));
        // Both are fixed points.
        assert!(!PLAIN.present(&mut network, &[0b00]).has_changed);
        assert!(!PLAIN.present(&mut network, &[0b11]).has_changed);
    }

    #[test]
    fn a_margin_is_a_gap_of_that_size() {
        let rule = Perceptron { learning_rate: 0.25, margin: 1.5 };
        let mut network = Network::zeros(3);
        let passes = (0..100).find(|_| {
            let shown = [0b011, 0b110].map(|pattern| rule.present(&mut network, &[pattern]));
            shown.iter().all(|shown| !shown.has_changed)
        });
        assert!(passes.is_some_and(|passes| passes > 2), "{passes:?}");
        assert!(network.margin(&[0b011]) >= 1.5 && network.margin(&[0b110]) >= 1.5);
        assert!(network.margin(&[0b011]) < 2.5);
    }
}
