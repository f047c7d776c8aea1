//! Swendsen–Wang sampling of Ising models with any couplings and fields.
//!
//! A step activates each satisfied bond with probability `1 − exp(−2|w|)`,
//! and each satisfied field as a bond to the ghost spin; then each connected
//! cluster without the ghost is flipped with probability ½ (Swendsen & Wang
//! 1987). It alternates Gibbs steps on bonds and spins (Edwards & Sokal 1988), so it leaves p(x)
//! unchanged and is reversible. With frustrated couplings it stays correct, but clusters soon
//! contain almost all sites and it becomes slow.
//!
//! Bonds are drawn in lexicographic order of their sites, then fields, then one coin per cluster in
//! order of its first site.

use super::Transition;
pub use super::bonds::ClustersInfo;
use super::bonds::{Activation, Clusters, bond_activations, field_activations};
use crate::bits::{bit, words_per_row};
use crate::energy::Energy;
use crate::models::ising::Ising;
use crate::rng::ChainRng;

/// Swendsen–Wang sampling of a model: 16 bytes per bond. It is rebuilt for each model of an
/// annealing path ([`Ising::tempered`]), which costs about as much as a few steps.
#[derive(Debug, Clone)]
pub struct SwendsenWang {
    dim: usize,
    bonds: Vec<([u32; 2], Activation)>,
    /// Activations of the fields per site; empty without fields.
    fields: Vec<Activation>,
}

impl SwendsenWang {
    /// A transition that samples this model.
    pub fn new(model: &Ising) -> Self {
        Self { dim: model.dim(), bonds: bond_activations(model), fields: field_activations(model) }
    }

    /// Draws the bonds and returns the clusters they make; the ghost is site D.
    fn clusters(&self, row: &[u64], rng: &mut ChainRng) -> Clusters {
        let mut clusters = Clusters::new(self.dim + 1);
        for &([i, j], activation) in &self.bonds {
            let agree = bit(row, i as usize) == bit(row, j as usize);
            if activation.draw(agree, rng) {
                clusters.join(i, j);
            }
        }
        for (site, activation) in self.fields.iter().enumerate() {
            if activation.is_bond() && activation.draw(bit(row, site), rng) {
                clusters.join(site as u32, self.dim as u32);
            }
        }
        clusters
    }
}

impl Transition for SwendsenWang {
    type Info = ClustersInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> ClustersInfo {
        assert_eq!(row.len(), words_per_row(self.dim));
        let mut clusters = self.clusters(row, rng);
        clusters
            .flip_at_random(rng, |site, flips| row[site / 64] ^= u64::from(flips) << (site % 64))
    }
}
