//! Gibbs sampling of Ising models on a checkerboard: first the sites of one colour, then those of
//! the next. No bond joins two sites of the same colour.
//!
//! Given the other colours the sites of a colour are independent, so they are
//! updated all at once: site i becomes 1 with probability
//! `1 / (1 + exp(−2h_i))`, `h_i = b_i + Σ_j w_ij s_j` in spins. A step is one sweep over all
//! colours. It leaves p(x) unchanged, but is not reversible, as the order of the colours is fixed:
//! its reversal begins with the last.
//!
//! The colours follow from the nonzero couplings. There are two if these close no odd cycle, and the
//! first site of every connected component has the first. Else each site, in their order, has the first
//! colour that no neighbour before it has.
//!
//! There are two forms. The general one takes one uniform number per site, in ascending order of
//! the sites of a colour, and eight exponentials at a time. A lattice that closes to
//! a torus of even sides, with equal couplings and equal biases, takes the form of `torus.rs`, many
//! sites at a time.

use super::Transition;
use super::bonds::Adjacency;
use super::gibbs::GibbsInfo;
use super::torus::Torus;
use crate::bits::{bit, words_per_row};
use crate::energy::Energy;
use crate::linalg::Lanes;
use crate::math::exp_lanes;
use crate::models::ising::{EvenTorus, Ising};
use crate::rng::{ChainRng, uniform};

/// Checkerboard sampling of a model. It is rebuilt for each model of an annealing path
/// ([`Ising::tempered`]).
#[derive(Debug, Clone)]
pub struct Checkerboard(Form);

#[derive(Debug, Clone)]
enum Form {
    Torus(Torus),
    General(Colours),
}

impl Checkerboard {
    /// A transition that samples this model.
    pub fn new(model: &Ising) -> Self {
        Self(match EvenTorus::of_model(model) {
            Some(torus) => Form::Torus(Torus::new(&torus)),
            None => Form::General(Colours::new(model)),
        })
    }

    /// The reversal of this sweep, in which the last colour comes first.
    pub fn reversed(self) -> Self {
        Self(match self.0 {
            Form::Torus(torus) => Form::Torus(torus.reversed()),
            Form::General(colours) => Form::General(colours.reversed()),
        })
    }

    /// Whether the model is a uniform torus, where many sites move at once.
    pub fn is_uniform(&self) -> bool {
        matches!(self.0, Form::Torus(_))
    }
}

impl Transition for Checkerboard {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        match &self.0 {
            Form::Torus(torus) => torus.step(row, rng),
            Form::General(colours) => colours.step(row, rng),
        }
    }

    fn steps(
        &self,
        row: &mut [u64],
        rng: &mut ChainRng,
        num_steps: usize,
        moved: impl FnMut(GibbsInfo),
    ) {
        match &self.0 {
            Form::Torus(torus) => torus.steps(row, rng, num_steps, moved),
            Form::General(colours) => colours.steps(row, rng, num_steps, moved),
        }
    }
}

/// The general form of the sweep.
#[derive(Debug, Clone)]
struct Colours {
    dim: usize,
    /// The sites of each colour, in ascending order, in the order of the sweep.
    sites: Vec<Vec<u32>>,
    /// The couplings w_ij.
    bonds: Adjacency<f64>,
    /// The fields b_i.
    fields: Vec<f64>,
}

impl Colours {
    fn new(model: &Ising) -> Self {
        let dim = model.dim();
        let bonds = model.spin_bonds().into_iter();
        let bonds: Vec<_> = bonds.map(|bond| (bond.sites, bond.coupling)).collect();
        let bonds = Adjacency::new(dim, &bonds);
        let sites = two_colours(dim, &bonds).unwrap_or_else(|| greedy_colours(dim, &bonds));
        Self { dim, sites, bonds, fields: model.spin_fields() }
    }

    fn reversed(mut self) -> Self {
        self.sites.reverse();
        self
    }
}

impl Transition for Colours {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.dim));
        let mut num_flips = 0;
        for sites in self.sites.iter().flat_map(|of_colour| of_colour.chunks(Lanes::LEN)) {
            let mut odds = Lanes::ZERO;
            for (odds, &site) in odds.0.iter_mut().zip(sites) {
                let mut field = self.fields[site as usize];
                for &(other, coupling) in self.bonds.of(site as usize) {
                    // The sign is set by its bit, as a branch on a spin's direction cannot be
                    // predicted.
                    let is_down = !bit(row, other as usize);
                    field += f64::from_bits(coupling.to_bits() ^ u64::from(is_down) << 63);
                }
                *odds = -2.0 * field;
            }
            let odds = exp_lanes(&odds);
            for (odds, &site) in odds.0.iter().zip(sites) {
                // Infinite odds times 0 are NaN, which rightly does not give 1.
                let becomes_one = uniform(rng) * (1.0 + odds) < 1.0;
                let site = site as usize;
                let changes = becomes_one != bit(row, site);
                row[site / 64] ^= u64::from(changes) << (site % 64);
                num_flips += usize::from(changes);
            }
        }
        GibbsInfo { num_flips }
    }
}

/// The sites of each colour, in ascending order, the first colour first: a sweep of [`Checkerboard`]
/// updates them in this order.
pub fn colours(model: &Ising) -> Vec<Vec<u32>> {
    Colours::new(model).sites
}

/// Colours the sites breadth first from the first site of every connected component; none if two
/// colours are not enough.
fn two_colours<T: Copy>(dim: usize, bonds: &Adjacency<T>) -> Option<Vec<Vec<u32>>> {
    let mut colour_of = vec![None; dim];
    let mut found = Vec::new();
    for start in 0..dim {
        if colour_of[start].is_some() {
            continue;
        }
        colour_of[start] = Some(false);
        found.clear();
        found.push(start);
        let mut next = 0;
        while next < found.len() {
            let site = found[next];
            next += 1;
            for &(other, _) in bonds.of(site) {
                let other = other as usize;
                if colour_of[other].is_none() {
                    colour_of[other] = colour_of[site].map(|colour: bool| !colour);
                    found.push(other);
                } else if colour_of[other] == colour_of[site] {
                    return None;
                }
            }
        }
    }
    let of_colour = |colour: bool| {
        (0..dim as u32).filter(|site| colour_of[*site as usize] == Some(colour)).collect()
    };
    Some(vec![of_colour(false), of_colour(true)])
}

/// Gives each site, in their order, the first colour that no neighbour before it has.
fn greedy_colours<T: Copy>(dim: usize, bonds: &Adjacency<T>) -> Vec<Vec<u32>> {
    let mut colour_of = vec![usize::MAX; dim];
    let mut colours: Vec<Vec<u32>> = Vec::new();
    let mut is_taken = Vec::new();
    for site in 0..dim {
        is_taken.clear();
        is_taken.resize(colours.len(), false);
        for &(other, _) in bonds.of(site) {
            if let Some(taken) = is_taken.get_mut(colour_of[other as usize]) {
                *taken = true;
            }
        }
        let colour = is_taken.iter().position(|taken| !taken).unwrap_or(colours.len());
        if colour == colours.len() {
            colours.push(Vec::new());
        }
        colours[colour].push(site as u32);
        colour_of[site] = colour;
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::fill_random;
    use crate::bits::flip;
    use crate::energy::SiteFlips;
    use crate::models::ising::{IsingSpec, Pattern, UniformSpins};
    use crate::rng::{Purpose, stream};
    use crate::sample::gibbs::flip_probability;

    fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
        Pattern::Lattice { num_rows, num_cols, periodic }
    }

    fn uniform_torus(num_rows: usize, num_cols: usize) -> Ising {
        let uniform = Some(UniformSpins { coupling: 0.4, field: 0.05 });
        let pattern = lattice(num_rows, num_cols, true);
        IsingSpec { dim: num_rows * num_cols, pattern, uniform, ..IsingSpec::default() }
            .build()
            .unwrap()
    }

    #[test]
    fn no_bond_joins_two_sites_of_a_colour() {
        let tree = Pattern::Pairs { pairs: vec![[0, 3], [1, 3], [2, 4]] };
        let triangular =
            |num_rows, num_cols, periodic| Pattern::Triangular { num_rows, num_cols, periodic };
        let cubic = |side| Pattern::Cubic {
            num_layers: side,
            num_rows: side,
            num_cols: side,
            periodic: true,
        };
        // Without an odd cycle two colours; else at most one more than a site has neighbours.
        for (dim, pattern, num_colours) in [
            (12, lattice(3, 4, false), 2..=2),
            (9, lattice(3, 3, false), 2..=2),
            (16, lattice(4, 4, true), 2..=2),
            (24, lattice(4, 6, true), 2..=2),
            (12, lattice(3, 4, true), 3..=5),
            (20, lattice(4, 5, true), 3..=5),
            (12, triangular(3, 4, false), 3..=7),
            (9, triangular(3, 3, true), 3..=7),
            (64, cubic(4), 2..=2),
            (5, tree, 2..=2),
            (2, Pattern::Dense {}, 2..=2),
            (3, Pattern::Dense {}, 3..=3),
            (7, Pattern::Dense {}, 7..=7),
        ] {
            let model = IsingSpec::random(dim, pattern.clone(), 1.0, 1).build().unwrap();
            let found = colours(&model);
            assert!(num_colours.contains(&found.len()), "{pattern:?}: {}", found.len());
            let mut all = found.concat();
            all.sort_unstable();
            assert_eq!(all, (0..dim as u32).collect::<Vec<_>>());
            for bond in model.spin_bonds() {
                let has_both =
                    |colour: &Vec<u32>| bond.sites.iter().all(|site| colour.contains(site));
                assert!(!found.iter().any(has_both));
            }
        }
        // Couplings of 0 are not bonds.
        let zeros = IsingSpec { dim: 3, ..IsingSpec::default() }.build().unwrap();
        assert_eq!(colours(&zeros), [vec![0, 1, 2], vec![]]);
    }

    #[test]
    fn the_fast_form_is_taken_where_it_may_be() {
        let is_fast = |model: &Ising| Checkerboard::new(model).is_uniform();
        assert!(is_fast(&uniform_torus(4, 6)));
        assert!(is_fast(&uniform_torus(4, 6).tempered(0.3, None)));
        assert!(is_fast(&uniform_torus(4, 6).tempered(0.3, Some(&[0.5; 24]))));
        let mut reference = [0.5; 24];
        reference[3] = 0.25;
        assert!(!is_fast(&uniform_torus(4, 6).tempered(0.3, Some(&reference))));
        let random = IsingSpec::random(24, lattice(4, 6, true), 0.5, 1).build().unwrap();
        assert!(!is_fast(&random));
    }

    /// Compares with a direct implementation of the general form.
    #[test]
    fn a_sweep_is_one_colour_and_then_the_other() {
        let pairs = Pattern::Pairs { pairs: vec![[0, 69], [3, 68]] };
        let triangles = Pattern::Triangular { num_rows: 5, num_cols: 14, periodic: false };
        for (pattern, is_reversed) in [
            (lattice(5, 14, false), false),
            (pairs, false),
            (lattice(5, 14, false), true),
            (triangles.clone(), false),
            (triangles, true),
        ] {
            let model = IsingSpec::random(70, pattern, 0.6, 3).build().unwrap();
            let mut order = colours(&model);
            let mut transition = Checkerboard::new(&model);
            if is_reversed {
                order.reverse();
                transition = transition.reversed();
            }
            let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(4, Purpose::Chain, 0));
            let mut fast = vec![0; 2];
            fill_random(&mut fast, 70, &mut stream(4, Purpose::InitialState, 0));
            let mut slow = fast.clone();
            for _ in 0..200 {
                let info = transition.step(&mut fast, &mut fast_rng);
                let mut num_flips = 0;
                for &site in order.iter().flatten() {
                    let site = site as usize;
                    let flips = flip_probability(model.flip_delta(&slow, site));
                    let one = if bit(&slow, site) { 1.0 - flips } else { flips };
                    if (uniform(&mut slow_rng) < one) != bit(&slow, site) {
                        flip(&mut slow, site);
                        num_flips += 1;
                    }
                }
                assert_eq!(fast, slow);
                assert_eq!(info.num_flips, num_flips);
            }
        }
    }
}
