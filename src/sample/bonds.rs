//! The parts of cluster moves: which bonds may join two spins, clusters of sites, and their flips.
//!
//! A bond of coupling w is **satisfied** where w s_i s_j > 0, and is then
//! activated with probability `1 − exp(−2|w|)` (Swendsen & Wang 1987; Edwards & Sokal 1988 for
//! couplings of either sign). A field is a bond to one additional spin, the **ghost**, which is
//! always +1.

use crate::math::exp;
use crate::models::ising::Ising;
use crate::rng::ChainRng;
use rand::Rng;

/// A bond's activation probability and its sign in one number: the probability in units of 2⁻⁵³,
/// negative where the spins tend to differ, 0 where there is no bond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Activation(i64);

impl Activation {
    /// The activation of a coupling or field.
    pub(super) fn new(coupling: f64) -> Self {
        let probability = 1.0 - exp(-2.0 * coupling.abs());
        // Rounded up, so that an integer is below it exactly if its quotient by 2⁵³ is below the
        // probability.
        let count = (probability * (1_u64 << 53) as f64).ceil() as i64;
        Self(if coupling < 0.0 { -count } else { count })
    }

    /// Whether the bond can be activated at all.
    pub(super) fn is_bond(self) -> bool {
        self.0 != 0
    }

    /// Whether a bond is activated, given whether its spins agree. Draws a number only if the bond
    /// is satisfied.
    #[inline]
    pub(super) fn draw(self, agree: bool, rng: &mut ChainRng) -> bool {
        (self.0 > 0) == agree && (rng.next_u64() >> 11) < self.0.unsigned_abs()
    }
}

/// The bonds that can be activated, in lexicographic order of their sites.
pub(super) fn bond_activations(model: &Ising) -> Vec<([u32; 2], Activation)> {
    let mut activation = remembering_the_last();
    let bonds = model.spin_bonds().into_iter();
    bonds
        .map(|bond| (bond.sites, activation(bond.coupling)))
        .filter(|(_, activation)| activation.is_bond())
        .collect()
}

/// A caching [`Activation::new`]: equal consecutive couplings, as in a uniform lattice, cost one
/// exponential.
fn remembering_the_last() -> impl FnMut(f64) -> Activation {
    let mut last = (0.0, Activation(0));
    move |coupling| {
        if coupling != last.0 {
            last = (coupling, Activation::new(coupling));
        }
        last.1
    }
}

/// Activations of the fields; empty if there is no field.
pub(super) fn field_activations(model: &Ising) -> Vec<Activation> {
    let all: Vec<_> = model.spin_fields().into_iter().map(remembering_the_last()).collect();
    if all.iter().any(|activation| activation.is_bond()) { all } else { Vec::new() }
}

/// The bonds of every site, each with a value, in ascending order of the other site.
#[derive(Debug, Clone)]
pub(super) struct Adjacency<T> {
    /// The index of each site's first bond, and the end.
    starts: Vec<u32>,
    ends: Vec<(u32, T)>,
}

impl<T: Copy> Adjacency<T> {
    /// Adjacency of bonds in lexicographic order of their sites, the smaller site first.
    pub(super) fn new(num_sites: usize, bonds: &[([u32; 2], T)]) -> Self {
        let mut starts = vec![0_u32; num_sites + 1];
        for site in bonds.iter().flat_map(|(sites, _)| sites) {
            starts[*site as usize + 1] += 1;
        }
        for site in 0..num_sites {
            starts[site + 1] += starts[site];
        }
        let mut next = starts.clone();
        let mut ends = match bonds.first() {
            Some(&(_, any)) => vec![(0, any); 2 * bonds.len()],
            None => Vec::new(),
        };
        // In this order a site gets its smaller neighbours first, and both halves ascend.
        for from_larger in [true, false] {
            for &([i, j], value) in bonds {
                let (from, to) = if from_larger { (j, i) } else { (i, j) };
                ends[next[from as usize] as usize] = (to, value);
                next[from as usize] += 1;
            }
        }
        Self { starts, ends }
    }

    /// The bonds of a site.
    #[inline]
    pub(super) fn of(&self, site: usize) -> &[(u32, T)] {
        &self.ends[self.starts[site] as usize..self.starts[site + 1] as usize]
    }

    /// The bonds of all sites, one site after another.
    pub(super) fn all_mut(&mut self) -> &mut [(u32, T)] {
        &mut self.ends
    }
}

/// Disjoint sets of sites: each site points to an earlier one of its set, or to itself if it is the
/// first (Tarjan & van Leeuwen 1984: path halving).
pub(super) struct Clusters(Vec<u32>);

impl Clusters {
    /// One set for every site.
    pub(super) fn new(num_sites: usize) -> Self {
        Self((0..num_sites as u32).collect())
    }

    /// The first site of a site's set.
    #[inline]
    pub(super) fn first(&mut self, mut site: u32) -> u32 {
        let parents = &mut self.0;
        while parents[site as usize] != site {
            let grandparent = parents[parents[site as usize] as usize];
            parents[site as usize] = grandparent;
            site = grandparent;
        }
        site
    }

    /// Joins two sets.
    #[inline]
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Flips each cluster without the ghost, the last of all sites, with probability ½: passes to `flip`
    /// each site in ascending order, and whether it flips. The coins are drawn in the order of the
    /// clusters' first sites.
    pub(super) fn flip_at_random(
        &mut self,
        rng: &mut ChainRng,
        mut flip: impl FnMut(usize, bool),
    ) -> ClustersInfo {
        let ghost_site = self.0.len() - 1;
        let ghost = self.first(ghost_site as u32);
        // By a cluster's first site: its size, with the top bit saying whether it flips.
        const FLIPS: u32 = 1 << 31;
        let mut sizes = vec![0_u32; self.0.len()];
        let mut info = ClustersInfo { num_clusters: 0, largest_cluster: 0, num_flips: 0 };
        let (mut coins, mut coins_left) = (0_u64, 0);
        for site in 0..ghost_site {
            let first = self.first(site as u32);
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
            flip(site, flips);
        }
        info
    }
}

/// What a step of all clusters did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClustersInfo {
    /// Number of clusters, including single sites and that of the ghost if it has any site.
    pub num_clusters: usize,
    /// Number of sites of the largest cluster.
    pub largest_cluster: usize,
    /// Number of sites that changed.
    pub num_flips: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    /// Compares with the definition `uniform < p`, on the same numbers.
    #[test]
    fn activation_is_a_uniform_number_below_the_probability() {
        for coupling in [0.3, -0.3, 1e-3, -20.0, 50.0] {
            let [mut fast, mut slow] = [(); 2].map(|()| stream(1, Purpose::Example, 0));
            let activation = Activation::new(coupling);
            for _ in 0..2000 {
                assert!(!activation.draw(coupling < 0.0, &mut fast), "not satisfied");
                let probability = 1.0 - exp(-2.0 * coupling.abs());
                let expected = uniform(&mut slow) < probability;
                assert_eq!(activation.draw(coupling > 0.0, &mut fast), expected);
            }
        }
        assert!(!Activation::new(0.0).is_bond());
        assert_eq!(Activation::new(1e9).0, 1 << 53);
    }

    #[test]
    fn bonds_are_seen_from_both_ends_in_order() {
        let bonds = [([0, 2], 'a'), ([0, 4], 'b'), ([1, 2], 'c'), ([2, 4], 'd')];
        let adjacency = Adjacency::new(5, &bonds);
        assert_eq!(adjacency.of(0), [(2, 'a'), (4, 'b')]);
        assert_eq!(adjacency.of(2), [(0, 'a'), (1, 'c'), (4, 'd')]);
        assert_eq!(adjacency.of(3), []);
        assert_eq!(adjacency.of(4), [(0, 'b'), (2, 'd')]);
    }

    #[test]
    fn clusters_are_the_connected_components() {
        let mut rng = stream(2, Purpose::Example, 0);
        for num_bonds in [0, 10, 25, 60] {
            let mut clusters = Clusters::new(50);
            let mut labels: Vec<u32> = (0..50).collect();
            for _ in 0..num_bonds {
                let [a, b] = [(); 2].map(|()| (50.0 * uniform(&mut rng)) as u32);
                clusters.join(a, b);
                let [from, to] = [labels[a as usize], labels[b as usize]];
                labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
            }
            for a in 0..50 {
                assert!(clusters.first(a) <= a);
                for b in 0..50 {
                    let together = labels[a as usize] == labels[b as usize];
                    assert_eq!(clusters.first(a) == clusters.first(b), together);
                }
            }
        }
    }
}
