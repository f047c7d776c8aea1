//! The neighbours of all sites of a sparse pattern in one array, so that a lattice of 512 × 512
//! needs no million small allocations.

use std::ops::Index;

/// A neighbour of a site.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    pub site: usize,
    /// Index of the coupling in the parameters.
    pub param: usize,
}

/// The neighbours of every site, in ascending order: `neighbours[site]`.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// The index of each site's first neighbour, and the end.
    starts: Vec<usize>,
    all: Vec<Neighbour>,
}

impl Neighbours {
    /// The neighbours given pairs [i, j], i < j < dim, in lexicographic order; the coupling of pair
    /// p is parameter dim + p.
    pub(super) fn new(dim: usize, pairs: &[[usize; 2]]) -> Self {
        let mut starts = vec![0; dim + 1];
        for site in pairs.iter().flatten() {
            starts[site + 1] += 1;
        }
        for site in 0..dim {
            starts[site + 1] += starts[site];
        }
        let mut all = vec![Neighbour { site: 0, param: 0 }; 2 * pairs.len()];
        let mut next = starts.clone();
        // In lexicographic order a site gets its smaller neighbours first, and both halves ascend.
        for larger_ends in [true, false] {
            for (index, &[i, j]) in pairs.iter().enumerate() {
                let (from, to) = if larger_ends { (j, i) } else { (i, j) };
                all[next[from]] = Neighbour { site: to, param: dim + index };
                next[from] += 1;
            }
        }
        Self { starts, all }
    }

    /// The neighbours of each site in turn.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Neighbour]> {
        self.starts.windows(2).map(|range| &self.all[range[0]..range[1]])
    }
}

impl Index<usize> for Neighbours {
    type Output = [Neighbour];

    fn index(&self, site: usize) -> &[Neighbour] {
        &self.all[self.starts[site]..self.starts[site + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ising::Pattern;

    #[test]
    fn every_pair_is_seen_from_both_ends_in_order() {
        let torus = Pattern::Lattice { num_rows: 3, num_cols: 5, periodic: true };
        let star = Pattern::Pairs { pairs: vec![[1, 3], [0, 1], [2, 3], [1, 2]] };
        for (dim, pattern) in [(15, torus), (5, star)] {
            let pairs = pattern.sparse_pairs(dim).unwrap().unwrap();
            let neighbours = Neighbours::new(dim, &pairs);
            assert_eq!(neighbours.iter().map(<[_]>::len).sum::<usize>(), 2 * pairs.len());
            for site in 0..dim {
                let found = &neighbours[site];
                assert!(found.windows(2).all(|two| two[0].site < two[1].site));
                for other in found {
                    let pair = [site.min(other.site), site.max(other.site)];
                    assert_eq!(pairs[other.param - dim], pair);
                }
            }
        }
    }
}
