//! Transition probabilities of cluster moves, exactly.
//!
//! In a state of an Ising model each satisfied bond is active with probability `1 − e^−2|w|`, and the
//! sites fall into clusters ([`crate::sample::swendsen_wang`]); fields are bonds to the ghost, a spin
//! that is always +1. With `cut(B, R)` the probability that no bond between two sets is active,
//!
//! - `connected(A)`, the probability that the bonds within A make A one cluster, is
//!   `1 − Σ_B connected(B) cut(B, A∖B)` over the sets B ⊂ A that have A's first member and are not A;
//! - `coins(A)`, the mean of `2^−(number of clusters of A without the ghost)`, is
//!   `Σ_B coin(B) connected(B) cut(B, A∖B) coins(A∖B)` over the B ⊆ A that have A's first member.
//!
//! Both take 3^D operations for D sites, where there are up to 2^(D(D+1)/2) ways for bonds to be active.

use crate::energy::Energy;
use crate::models::ising::Ising;

/// Bit 0 of a set is the ghost, and bit i + 1 site i.
type Set = usize;

const GHOST: Set = 1;

/// The clusters of an Ising model's states.
pub(super) struct ClusterMoves {
    dim: usize,
    /// Couplings and fields between members: i, j and the coupling of their spins.
    bonds: Vec<([usize; 2], f64)>,
}

/// Probabilities of the clusters of one state, by set.
struct StateClusters {
    connected: Vec<f64>,
    coins: Vec<f64>,
    /// For each member and set, the probability that no bond between them is active.
    apart: Vec<Vec<f64>>,
}

impl ClusterMoves {
    pub(super) fn new(model: &Ising) -> Self {
        let site = |site: u32| site as usize + 1;
        let bonds = model.spin_bonds().into_iter();
        let mut bonds: Vec<_> = bonds.map(|bond| (bond.sites.map(site), bond.coupling)).collect();
        let fields = model.spin_fields().into_iter().enumerate();
        bonds.extend(fields.map(|(site, field)| ([0, site + 1], field)));
        Self { dim: model.dim(), bonds }
    }

    fn all_sites(&self) -> Set {
        ((1 << self.dim) - 1) << 1
    }

    /// The clusters of a state, whose bits are the sites that are up.
    fn clusters(&self, state: usize) -> StateClusters {
        let num_members = self.dim + 1;
        let ups = state << 1 | GHOST;
        let mut keeps = vec![1.0; num_members * num_members];
        for &([i, j], coupling) in &self.bonds {
            let agree = (ups >> i & 1) == (ups >> j & 1);
            if coupling != 0.0 && (coupling > 0.0) == agree {
                let keep = crate::math::exp(-2.0 * coupling.abs());
                keeps[i * num_members + j] = keep;
                keeps[j * num_members + i] = keep;
            }
        }
        let num_sets = 1 << num_members;
        let apart = keeps.chunks_exact(num_members).map(|keeps| {
            let mut products = vec![1.0; num_sets];
            for set in 1..num_sets {
                products[set] = products[set & (set - 1)] * keeps[set.trailing_zeros() as usize];
            }
            products
        });
        let mut clusters = StateClusters {
            connected: vec![1.0; num_sets],
            coins: vec![1.0; num_sets],
            apart: apart.collect(),
        };
        for set in 1..num_sets {
            clusters.fill(set);
        }
        clusters
    }

    /// A row of Swendsen and Wang's matrix: the sites that differ are whole clusters that flip, and the
    /// others whole clusters that do not.
    pub(super) fn swendsen_wang(&self, state: usize) -> Vec<f64> {
        let clusters = self.clusters(state);
        let all = self.all_sites();
        (0..1 << self.dim)
            .map(|other: usize| {
                let flipped = (state ^ other) << 1;
                let rest = (all ^ flipped) | GHOST;
                clusters.cut(flipped, rest) * clusters.coins[flipped] * clusters.coins[rest]
            })
            .collect()
    }

    /// A row of Wolff's matrix. A cluster is begun at one of its sites with a probability proportional
    /// to their number. Instead of a cluster with the ghost, all others are flipped.
    pub(super) fn wolff(&self, state: usize) -> Vec<f64> {
        let clusters = self.clusters(state);
        let all = self.all_sites();
        let mut row = vec![0.0; 1 << self.dim];
        for sites in (1..1 << self.dim).map(|set: usize| set << 1) {
            let begun = f64::from(sites.count_ones()) / self.dim as f64;
            let without = clusters.connected[sites] * clusters.cut(sites, (all ^ sites) | GHOST);
            row[state ^ sites >> 1] += begun * without;
            let with = clusters.connected[sites | GHOST] * clusters.cut(sites | GHOST, all ^ sites);
            row[state ^ (all ^ sites) >> 1] += begun * with;
        }
        row
    }
}

impl StateClusters {
    /// The probability that no bond between two sets is active.
    fn cut(&self, one: Set, other: Set) -> f64 {
        let members = self.apart.iter().enumerate().filter(|(member, _)| one >> member & 1 == 1);
        members.map(|(_, apart)| apart[other]).product()
    }

    /// Computes the probabilities of a set, after those of its subsets.
    fn fill(&mut self, set: Set) {
        let first = set & set.wrapping_neg();
        let others = set ^ first;
        let coin = if first == GHOST { 1.0 } else { 0.5 };
        let (mut connected, mut coins) = (1.0, 0.0);
        // All sets with the first member that are not the whole set.
        let mut left_out = others;
        while left_out != 0 {
            let cluster = set ^ left_out;
            let alone = self.connected[cluster] * self.cut(cluster, left_out);
            connected -= alone;
            coins += coin * alone * self.coins[left_out];
            left_out = (left_out - 1) & others;
        }
        // What is left of 1 may be below 0 by rounding.
        self.connected[set] = f64::max(connected, 0.0);
        self.coins[set] = coins + coin * self.connected[set];
    }
}
