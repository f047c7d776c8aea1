//! Wolff's single-cluster sampling of Ising models with any couplings and
//! fields.
//!
//! A step starts a cluster at a site drawn uniformly and grows it over
//! satisfied bonds, each activated with probability `1 − exp(−2|w|)`; then the whole cluster is
//! flipped (Wolff 1989). Fields are bonds to a ghost spin, which may join like any other. The ghost
//! must stay +1, and flipping all spins including the ghost changes no energy: so a cluster with
//! the ghost is flipped by flipping all other sites instead (Kent-Dobias & Sethna 2018). The step
//! is reversible.
//!
//! The cluster grows last in, first out; a site's bonds are tried in ascending
//! order of the other site, then its field.

use super::Transition;
use super::bonds::{Activation, Adjacency, bond_activations, field_activations};
use crate::bits::{bit, flip, words_per_row};
use crate::energy::Energy;
use crate::models::ising::Ising;
use crate::rng::{ChainRng, below};

/// Wolff sampling of a model: 32 bytes per bond. It is rebuilt for each model of an annealing path
/// ([`Ising::tempered`]), which costs about as much as a few sweeps.
#[derive(Debug, Clone)]
pub struct Wolff {
    dim: usize,
    bonds: Adjacency<Activation>,
    /// Activations of the fields per site; empty without fields.
    fields: Vec<Activation>,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterInfo {
    /// Number of sites of the cluster, without the ghost.
    pub cluster_size: usize,
    /// Whether the ghost was in the cluster.
    pub has_ghost: bool,
    /// Number of sites that changed: those of the cluster, or all others.
    pub num_flips: usize,
}

impl Wolff {
    /// A transition that samples this model.
    pub fn new(model: &Ising) -> Self {
        let dim = model.dim();
        let bonds = Adjacency::new(dim, &bond_activations(model));
        Self { dim, bonds, fields: field_activations(model) }
    }
}

/// A growing cluster. The ghost is site D.
struct Growth {
    members: Vec<u64>,
    /// Members whose bonds have not been tried.
    open: Vec<u32>,
    size: usize,
}

impl Growth {
    fn has(&self, site: usize) -> bool {
        bit(&self.members, site)
    }

    fn add(&mut self, site: usize) {
        flip(&mut self.members, site);
        self.open.push(site as u32);
        self.size += 1;
    }
}

impl Transition for Wolff {
    type Info = ClusterInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> ClusterInfo {
        assert_eq!(row.len(), words_per_row(self.dim));
        let ghost = self.dim;
        let members = vec![0; words_per_row(self.dim + 1)];
        let mut cluster = Growth { members, open: Vec::new(), size: 0 };
        cluster.add(below(self.dim, rng));
        while let Some(site) = cluster.open.pop().map(|site| site as usize) {
            if site == ghost {
                for (other, activation) in self.fields.iter().enumerate() {
                    let tried = activation.is_bond() && !cluster.has(other);
                    if tried && activation.draw(bit(row, other), rng) {
                        cluster.add(other);
                    }
                }
                continue;
            }
            let spin = bit(row, site);
            for &(other, activation) in self.bonds.of(site) {
                let other = other as usize;
                if !cluster.has(other) && activation.draw(spin == bit(row, other), rng) {
                    cluster.add(other);
                }
            }
            if let Some(activation) = self.fields.get(site)
                && activation.is_bond()
                && !cluster.has(ghost)
                && activation.draw(spin, rng)
            {
                cluster.add(ghost);
            }
        }
        let has_ghost = cluster.has(ghost);
        let cluster_size = cluster.size - usize::from(has_ghost);
        let others = if has_ghost { u64::MAX } else { 0 };
        for (word, members) in row.iter_mut().zip(&cluster.members) {
            *word ^= members ^ others;
        }
        if !self.dim.is_multiple_of(64) {
            row[self.dim / 64] &= (1 << (self.dim % 64)) - 1;
        }
        let num_flips = if has_ghost { self.dim - cluster_size } else { cluster_size };
        ClusterInfo { cluster_size, has_ghost, num_flips }
    }
}
