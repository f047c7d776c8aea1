//! Gibbs sampling of Ising models on a checkerboard: first the sites of one colour, then those of
//! the other. No bond joins two sites of the same colour.
//!
//! Given the other colour the sites of a colour are independent, so they are
//! updated all at once: site i becomes 1 with probability
//! `1 / (1 + exp(−2h_i))`, `h_i = b_i + Σ_j w_ij s_j` in spins. A step is one sweep over both
//! colours. It leaves p(x) unchanged, but is not reversible, as the order of the colours is fixed:
//! its reversal begins with the second. The colours follow from the nonzero couplings; the first
//! site of every connected component has the first colour.
//!
//! There are two forms. The general one takes one uniform number per site, in ascending order of
//! the sites of a colour, and eight exponentials at a time. A torus of even sides with equal
//! couplings and equal biases takes the form of `torus.rs`, many sites at a time.

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
use crate::{Error, Result};

/// Checkerboard sampling of a model. It is rebuilt for each model of an annealing path
/// ([`Ising::tempered`]).
#[derive(Debug, Clone)]
pub struct Checkerboard(Form);

#[derive(Debug, Clone)]
enum Form {
    Torus(Torus),
    General(TwoColours),
}

impl Checkerboard {
    /// A transition that samples this model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if its bonds close an odd cycle, so that two colours are not enough.
    pub fn new(model: &Ising) -> Result<Self> {
        match EvenTorus::of_model(model) {
            Some(torus) => Ok(Self(Form::Torus(Torus::new(&torus)))),
            None => Ok(Self(Form::General(TwoColours::new(model)?))),
        }
    }

    /// The reversal of this sweep, in which the second colour comes first.
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
struct TwoColours {
    dim: usize,
    /// The sites of each colour, in ascending order.
    colours: [Vec<u32>; 2],
    /// The couplings w_ij.
    bonds: Adjacency<f64>,
    /// The fields b_i.
    fields: Vec<f64>,
    /// The first and the second colour of a sweep.
    order: [usize; 2],
}

impl TwoColours {
    fn new(model: &Ising) -> Result<Self> {
        let dim = model.dim();
        let bonds = model.spin_bonds().into_iter();
        let bonds: Vec<_> = bonds.map(|bond| (bond.sites, bond.coupling)).collect();
        let bonds = Adjacency::new(dim, &bonds);
        let colours = two_colours(dim, &bonds)?;
        Ok(Self { dim, colours, bonds, fields: model.spin_fields(), order: [0, 1] })
    }

    fn reversed(mut self) -> Self {
        self.order.reverse();
        self
    }
}

impl Transition for TwoColours {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.dim));
        let mut num_flips = 0;
        let colours = self.order.into_iter().map(|colour| &self.colours[colour]);
        for sites in colours.flat_map(|colour| colour.chunks(Lanes::LEN)) {
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
///
/// # Errors
/// As [`Checkerboard::new`].
pub fn colours(model: &Ising) -> Result<[Vec<u32>; 2]> {
    Ok(TwoColours::new(model)?.colours)
}

/// Colours the sites breadth first from the first site of every connected component.
fn two_colours<T: Copy>(dim: usize, bonds: &Adjacency<T>) -> Result<[Vec<u32>; 2]> {
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
                    return Err(Error::spec(
                        "model.pattern",
                        format!(
                            "has an odd cycle of bonds, through sites {site} and {other}, so two colours are \
                             not enough for a checkerboard; give a periodic lattice even sides, or scan \
                             the sites in another order"
                        ),
                    ));
                }
            }
        }
    }
    Ok([false, true].map(|colour| {
        (0..dim as u32).filter(|site| colour_of[*site as usize] == Some(colour)).collect()
    }))
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
    fn odd_cycles_are_refused() {
        let model = |dim, pattern| IsingSpec::random(dim, pattern, 1.0, 1).build().unwrap();
        let tree = Pattern::Pairs { pairs: vec![[0, 3], [1, 3], [2, 4]] };
        for (dim, pattern, is_bipartite) in [
            (12, lattice(3, 4, false), true),
            (9, lattice(3, 3, false), true),
            (16, lattice(4, 4, true), true),
            (24, lattice(4, 6, true), true),
            (12, lattice(3, 4, true), false),
            (20, lattice(4, 5, true), false),
            (5, tree, true),
            (2, Pattern::Dense {}, true),
            (3, Pattern::Dense {}, false),
        ] {
            let made = Checkerboard::new(&model(dim, pattern.clone()));
            assert_eq!(made.is_ok(), is_bipartite, "{pattern:?}");
            if let Err(error) = made {
                assert_eq!(error.field(), Some("model.pattern"));
            }
        }
        // Couplings of 0 are not bonds.
        let zeros = IsingSpec { dim: 3, ..IsingSpec::default() }.build().unwrap();
        assert!(Checkerboard::new(&zeros).is_ok());
    }

    #[test]
    fn the_fast_form_is_taken_where_it_may_be() {
        let is_fast = |model: &Ising| Checkerboard::new(model).unwrap().is_uniform();
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
        for (pattern, order) in
            [(lattice(5, 14, false), [0, 1]), (pairs, [0, 1]), (lattice(5, 14, false), [1, 0])]
        {
            let model = IsingSpec::random(70, pattern, 0.6, 3).build().unwrap();
            let colours = TwoColours::new(&model).unwrap();
            let colours = if order == [0, 1] { colours } else { colours.reversed() };
            let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(4, Purpose::Chain, 0));
            let mut fast = vec![0; 2];
            fill_random(&mut fast, 70, &mut stream(4, Purpose::InitialState, 0));
            let mut slow = fast.clone();
            for _ in 0..200 {
                let info = colours.step(&mut fast, &mut fast_rng);
                let mut num_flips = 0;
                for &site in order.iter().flat_map(|colour| &colours.colours[*colour]) {
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
