//! Gibbs sampling of Ising models in which no site is coupled to more than a few others. The cost
//! of a flip then depends on so few bits that the probabilities of all flips fit in a table. Sites,
//! order and random numbers are those of [`super::gibbs`]; a site takes one lookup by its
//! neighbours and one comparison.
//!
//! The table belongs to one set of parameters. Each model of an annealing path rebuilds it in the
//! same memory.

use super::Transition;
use super::gibbs::{GibbsInfo, Scan};
use crate::bits::{bit, words_per_row};
use crate::energy::{Energy, Parametric};
use crate::linalg::Lanes;
use crate::math::exp_lanes;
use crate::models::ising::Ising;
use crate::rng::{ChainRng, uniform};

/// Maximum number of neighbours of a site.
pub const MAX_NEIGHBOURS: usize = 6;

/// Gibbs sampling by a table of flip probabilities.
#[derive(Debug, Clone)]
pub struct TableGibbs {
    dim: usize,
    scan: Scan,
    /// The index of each site's first neighbour, and the end.
    starts: Vec<u32>,
    /// The other site and the index of the coupling's parameter.
    neighbours: Vec<(u32, u32)>,
    /// The index of each site's first probability.
    places: Vec<u32>,
    /// The probabilities of flipping a site that is 0 and one that is 1, indexed by the neighbours
    /// that are 1, the first in the lowest bit.
    probabilities: Vec<[f64; 2]>,
}

impl TableGibbs {
    /// A transition that samples this model in this order; none if one of its sites has too many
    /// neighbours.
    pub fn new(model: &Ising, scan: Scan) -> Option<Self> {
        let dim = model.dim();
        let mut of_site = vec![Vec::new(); dim];
        for (index, &[i, j]) in model.pairs()?.iter().enumerate() {
            let param = (dim + index) as u32;
            of_site[i].push((j as u32, param));
            of_site[j].push((i as u32, param));
        }
        if of_site.iter().any(|neighbours| neighbours.len() > MAX_NEIGHBOURS) {
            return None;
        }
        let (mut starts, mut places) = (vec![0], vec![0]);
        for site in 0..dim {
            starts.push(starts[site] + of_site[site].len() as u32);
            places.push(places[site] + (1 << of_site[site].len()));
        }
        let probabilities = vec![[0.0; 2]; places[dim] as usize];
        let neighbours = of_site.concat();
        let mut table = Self { dim, scan, starts, neighbours, places, probabilities };
        table.set(model, scan);
        Some(table)
    }

    /// Changes to this model, which must have the same pattern of couplings.
    ///
    /// # Panics
    /// If it has another number of parameters.
    pub fn set(&mut self, model: &Ising, scan: Scan) {
        self.scan = scan;
        let params = model.params();
        assert_eq!(params.len(), self.dim + self.neighbours.len() / 2);
        for site in 0..self.dim {
            let first = self.places[site] as usize;
            let probabilities = &mut self.probabilities[first..self.places[site + 1] as usize];
            // The cost of setting the site, doubled up neighbour by neighbour.
            probabilities[0][0] = params[site];
            let range = self.starts[site] as usize..self.starts[site + 1] as usize;
            for (at, (_, param)) in self.neighbours[range].iter().enumerate() {
                let (known, new) = probabilities.split_at_mut(1 << at);
                for (known, new) in known.iter().zip(new) {
                    new[0] = known[0] + 2.0 * params[*param as usize];
                }
            }
        }
        for chunk in self.probabilities.chunks_mut(Lanes::LEN) {
            let mut costs = Lanes::ZERO;
            costs.0.iter_mut().zip(&*chunk).for_each(|(cost, entry)| *cost = entry[0]);
            let small = exp_lanes(&Lanes(costs.0.map(|cost| -cost.abs())));
            for (entry, (cost, small)) in chunk.iter_mut().zip(costs.0.iter().zip(small.0)) {
                let likely = 1.0 / (1.0 + small);
                let unlikely = small * likely;
                *entry = if *cost >= 0.0 { [unlikely, likely] } else { [likely, unlikely] };
            }
        }
    }
}

impl Transition for TableGibbs {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.dim));
        let mut num_flips = 0;
        for index in 0..self.dim {
            let site = self.scan.site(index, self.dim, rng);
            let range = self.starts[site] as usize..self.starts[site + 1] as usize;
            let neighbours = self.neighbours[range].iter().enumerate();
            let which = neighbours.fold(0, |which, (at, (other, _))| {
                which | usize::from(bit(row, *other as usize)) << at
            });
            let own = usize::from(bit(row, site));
            let probability = self.probabilities[self.places[site] as usize + which][own];
            // No branch, as it cannot be predicted which sites flip.
            let flips = uniform(rng) < probability;
            row[site / 64] ^= u64::from(flips) << (site % 64);
            num_flips += usize::from(flips);
        }
        GibbsInfo { num_flips }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::fill_random;
    use crate::models::ising::{IsingSpec, Pattern};
    use crate::rng::{Purpose, stream};
    use crate::sample::gibbs::Gibbs;

    /// The same numbers give the same rows, for every order and for reused tables.
    #[test]
    fn sweeps_are_those_of_gibbs_sampling() {
        let star = Pattern::Pairs { pairs: (1..7).map(|site| [0, site]).collect() };
        let lattice = |periodic| Pattern::Lattice { num_rows: 7, num_cols: 10, periodic };
        for (dim, pattern) in [(70, lattice(true)), (70, lattice(false)), (8, star)] {
            let spec = |seed| IsingSpec::random(dim, pattern.clone(), 1.0, seed);
            let [first, second] = [1, 2].map(|seed| spec(seed).build().unwrap());
            for scan in [Scan::Systematic, Scan::Reversed, Scan::Random] {
                let mut table = TableGibbs::new(&first, scan).unwrap();
                for model in [&first, &second] {
                    table.set(model, scan);
                    let plain = Gibbs::by(model, scan);
                    let [mut fast_rng, mut slow_rng] =
                        [(); 2].map(|()| stream(4, Purpose::Chain, 0));
                    let mut fast = vec![0; words_per_row(dim)];
                    fill_random(&mut fast, dim, &mut stream(4, Purpose::InitialState, 0));
                    let mut slow = fast.clone();
                    for _ in 0..200 {
                        let info = table.step(&mut fast, &mut fast_rng);
                        assert_eq!(info, plain.step(&mut slow, &mut slow_rng));
                        assert_eq!(fast, slow);
                    }
                }
            }
        }
    }

    #[test]
    fn many_neighbours_have_no_table() {
        let dense = IsingSpec::random(4, Pattern::Dense {}, 1.0, 1).build().unwrap();
        assert!(TableGibbs::new(&dense, Scan::Systematic).is_none());
        let pairs = (1..8).map(|site| [0, site]).collect();
        let star = IsingSpec::random(8, Pattern::Pairs { pairs }, 1.0, 1).build().unwrap();
        assert!(TableGibbs::new(&star, Scan::Systematic).is_none());
    }
}
