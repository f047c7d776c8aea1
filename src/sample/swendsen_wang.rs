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
use super::bonds::{Activation, Clusters, bond_activations, field_activations};
use crate::bits::{bit, words_per_row};
use crate::energy::Energy;
use crate::models::ising::Ising;
use crate::rng::ChainRng;
use rand::Rng;

/// Swendsen–Wang sampling of a model: 16 bytes per bond. It is rebuilt for each model of an
/// annealing path ([`Ising::tempered`]), which costs about as much as a few steps.
#[derive(Debug, Clone)]
pub struct SwendsenWang {
    dim: usize,
    bonds: Vec<([u32; 2], Activation)>,
    /// Activations of the fields per site; empty without fields.
    fields: Vec<Activation>,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClustersInfo {
    /// Number of clusters, including single sites and that of the ghost if it has any site.
    pub num_clusters: usize,
    /// Number of sites of the largest cluster.
    pub largest_cluster: usize,
    /// Number of sites that changed.
    pub num_flips: usize,
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
        let ghost = clusters.first(self.dim as u32);
        // By a cluster's first site: its size, with the top bit saying whether it flips.
        const FLIPS: u32 = 1 << 31;
        let mut sizes = vec![0_u32; self.dim + 1];
        let mut info = ClustersInfo { num_clusters: 0, largest_cluster: 0, num_flips: 0 };
        let (mut coins, mut coins_left) = (0_u64, 0);
        for site in 0..self.dim {
            let first = clusters.first(site as u32);
            if first as usize == site {
                info.num_clusters += 1;
                if first != ghost {
                    if coins_left == 0 {
                        (coins, coins_left) = (rng.next_u64(), 64);
                    }
                    sizes[site] = if coins & 1 == 1 { FLIPS } else { 0 };
                    (coins, coins_left) = (coins >> 1, coins_left - 1);
                }
            }
            let size = &mut sizes[first as usize];
            *size += 1;
            info.largest_cluster = info.largest_cluster.max((*size & !FLIPS) as usize);
            let flips = *size & FLIPS != 0;
            info.num_flips += usize::from(flips);
            row[site / 64] ^= u64::from(flips) << (site % 64);
        }
        info
    }
}
