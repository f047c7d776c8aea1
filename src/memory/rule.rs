//! Learning rules that take one pattern after another.

use super::Network;
use super::network::{gap, lower};
use crate::bits::{bit, write_values};

/// A rule that changes weights and thresholds given a training pattern.
pub trait LocalRule: Send + Sync {
    /// Learns a pattern. Returns the margin it had before, if the rule computes fields, and whether
    /// the network has changed.
    ///
    /// # Panics
    /// If the pattern does not have the network's dimension.
    fn present(&self, network: &mut Network, pattern: &[u64]) -> RuleUpdate;

    /// Whether showing the patterns again may improve the network.
    fn is_iterative(&self) -> bool;
}

/// The effect of showing a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleUpdate {
    /// The pattern's least gap before, in nats; NaN if it was not computed, or if learning has
    /// diverged.
    pub margin: f64,
    /// Whether the network has changed.
    pub has_changed: bool,
}

/// A pattern in the forms that rules need.
pub(super) struct Presented {
    /// The states x, zeros and ones.
    pub states: Vec<f64>,
    /// The fields Jx − θ.
    pub fields: Vec<f64>,
    /// The least gap.
    pub margin: f64,
}

impl Presented {
    pub(super) fn new(network: &Network, pattern: &[u64]) -> Self {
        let dim = network.dim();
        let (mut states, mut fields) = (vec![0.0; dim], vec![0.0; dim]);
        write_values(pattern, &mut states);
        network.fields(pattern, &mut fields);
        let gaps = fields.iter().enumerate().map(|(site, field)| gap(*field, bit(pattern, site)));
        let margin = gaps.fold(f64::INFINITY, lower);
        Self { states, fields, margin }
    }
}

/// A pattern in spins, s = 2x − 1.
pub(super) fn spins(dim: usize, pattern: &[u64]) -> Vec<f64> {
    (0..dim).map(|site| if bit(pattern, site) { 1.0 } else { -1.0 }).collect()
}
