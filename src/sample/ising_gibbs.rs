//! Gibbs sampling of Ising models, up to eight chains side by side.
//!
//! Sites, order and random numbers are those of [`super::gibbs`], and so are the rows: a site whose
//! flip costs ΔE is flipped where `u < 1 / (1 + exp(ΔE))`, with u uniform. Nearly always that is
//! decided without an exponential, by integers:
//!
//! - The costs are sums of biases and couplings in units of 2⁻ᵏ nats, rounded. So ΔE is known to
//!   half a unit a term.
//! - The top eleven bits of u say in which of 2,048 equal intervals it lies. For each interval
//!   there is an energy up to which all its u flip the site, and one from which none does
//!   ([`Limits`]).
//!
//! Between the two, in one update of some 2,000, the definition itself decides, with the sum of the
//! couplings in double precision. The rounding of the integers thus changes no row.

use super::Transition;
use super::bonds::Adjacency;
use super::gibbs::{GibbsInfo, Scan, flip_probability};
use crate::bits::{BitMatrix, words_per_row};
use crate::energy::{Energy, Parametric};
use crate::math::ln;
use crate::models::ising::Ising;
use crate::rng::{ChainRng, unit_interval};
use rand::Rng;
use std::array;
use std::sync::OnceLock;

/// Maximum number of sites of a dense model: with more, chains that store the fields of their sites
/// are faster (at 1,000 sites by a quarter).
const MAX_DENSE_DIM: usize = 256;

/// Maximum number of chains that are one vector's lanes.
const MAX_WIDTH: usize = 8;

/// Number of sites whose random numbers are drawn together.
const NUM_SITES: usize = 32;

/// Number of the top bits of a random number that choose its interval.
const INTERVAL_BITS: u32 = 11;
const NUM_INTERVALS: usize = 1 << INTERVAL_BITS;

/// The largest k of the unit 2⁻ᵏ nats.
const MAX_UNIT_BITS: i32 = 22;

/// All costs are below two to this power, in units.
const COST_BITS: i32 = 29;

/// Gibbs sampling of an Ising model.
#[derive(Debug, Clone)]
pub struct IsingGibbs {
    scan: Scan,
    params: Vec<f64>,
    /// The biases, in units.
    biases: Vec<i32>,
    couplings: Adjacency<Coupling>,
    /// The couplings' costs, in the order of the parameters.
    costs: Vec<i32>,
    limits: Limits,
}

/// A coupling of a site to another one.
#[derive(Debug, Clone, Copy)]
struct Coupling {
    /// Its place among the couplings' parameters.
    index: u32,
    /// 2J, in units.
    cost: i32,
}

impl IsingGibbs {
    /// A transition for `num_chains` chains of this model in this order, if it is faster than
    /// [`Gibbs`](super::gibbs::Gibbs). For dense models it is faster only with several chains that
    /// visit the sites in the same order. The core has none: to be small, it samples chain by chain.
    pub fn if_faster(model: &Ising, scan: Scan, num_chains: usize) -> Option<Self> {
        let is_sparse = model.pairs().is_some();
        let is_shared = num_chains > 1 && scan != Scan::Random;
        let is_faster = is_sparse || is_shared && model.dim() <= MAX_DENSE_DIM;
        (is_faster).then(|| Self::new(model, scan))
    }

    /// A transition that samples this model in this order.
    pub fn new(model: &Ising, scan: Scan) -> Self {
        let dim = model.dim();
        let num_couplings = model.params().len() - dim;
        let to_bond = |(index, [i, j]): (usize, [usize; 2])| {
            ([i as u32, j as u32], Coupling { index: index as u32, cost: 0 })
        };
        let bonds: Vec<_> = match model.pairs() {
            Some(pairs) => pairs.iter().copied().enumerate().map(to_bond).collect(),
            None => {
                let pairs = (0..dim).flat_map(|i| (i + 1..dim).map(move |j| [i, j]));
                pairs.enumerate().map(to_bond).collect()
            }
        };
        let mut gibbs = Self {
            scan,
            params: vec![0.0; model.params().len()],
            biases: vec![0; dim],
            couplings: Adjacency::new(dim, &bonds),
            costs: Vec::with_capacity(num_couplings),
            limits: Limits::default(),
        };
        gibbs.set(model, scan);
        gibbs
    }

    /// Changes to this model, which must have the same pattern of couplings, and to this order.
    ///
    /// # Panics
    /// If it has another number of parameters.
    pub fn set(&mut self, model: &Ising, scan: Scan) {
        self.scan = scan;
        self.params.copy_from_slice(model.params());
        let (mut largest, mut most_terms) = (0.0_f64, 0);
        for (site, bias) in self.params[..self.dim()].iter().enumerate() {
            let couplings = self.couplings.of(site).iter();
            most_terms = most_terms.max(1 + couplings.len());
            let size = |coupling: &Coupling| 2.0 * self.coupling(coupling).abs();
            largest = largest.max(couplings.fold(bias.abs(), |sum, (_, of)| sum + size(of)));
        }
        // Costs that are not finite are left to the definition.
        let unit_bits = largest.is_finite().then(|| unit_bits(largest));
        let units = unit_bits.map_or(0.0, power_of_two);
        let (biases, couplings) = self.params.split_at(self.biases.len());
        let in_units = |cost: f64| (cost * units).round_ties_even() as i32;
        self.biases.iter_mut().zip(biases).for_each(|(cost, bias)| *cost = in_units(*bias));
        self.costs.clear();
        self.costs.extend(couplings.iter().map(|coupling| in_units(2.0 * coupling)));
        for (_, coupling) in self.couplings.all_mut() {
            coupling.cost = self.costs[coupling.index as usize];
        }
        self.limits.set(unit_bits, most_terms);
    }

    /// The order of the sites.
    pub fn scan(&self) -> Scan {
        self.scan
    }

    /// Number of sites.
    pub fn dim(&self) -> usize {
        self.biases.len()
    }

    /// Number of chains per block, given the number of all chains: many enough to be fast, and few
    /// enough that several workers can share them.
    pub fn width(&self, num_chains: usize) -> usize {
        match num_chains {
            _ if self.scan == Scan::Random => 1,
            0..=32 => 4,
            _ => MAX_WIDTH,
        }
    }

    /// Chains at these rows, with these random streams. In a random scan each chain visits other
    /// sites, so that they move one after another.
    ///
    /// # Panics
    /// If a row has another dimension.
    pub fn chains<'a>(
        &self,
        chains: impl Iterator<Item = (&'a [u64], &'a ChainRng)>,
    ) -> SideBySide {
        let chains: Vec<_> = chains.collect();
        let width = if self.scan == Scan::Random { 1 } else { MAX_WIDTH };
        let block = |chains: &[(&[u64], &ChainRng)]| -> Box<dyn Block> {
            match chains.len() {
                1 => Box::new(Lanes::<1>::new(self.dim(), chains)),
                2..=4 => Box::new(Lanes::<4>::new(self.dim(), chains)),
                _ => Box::new(Lanes::<MAX_WIDTH>::new(self.dim(), chains)),
            }
        };
        SideBySide { width, blocks: chains.chunks(width).map(block).collect() }
    }

    /// Moves each row by `num_steps` sweeps, with its own random stream.
    ///
    /// # Panics
    /// If there is not a stream for each row, or the rows are not the model's.
    pub fn step_rows(&self, rows: &mut BitMatrix, rngs: &mut [ChainRng], num_steps: usize) {
        assert_eq!(rows.num_rows(), rngs.len());
        let mut chains = self.chains(rows.as_batch().rows().zip(&*rngs));
        (0..num_steps).for_each(|_| chains.sweep(self));
        chains.write_back(rows.rows_mut().zip(rngs));
    }

    /// The parameter of a coupling.
    fn coupling(&self, coupling: &Coupling) -> f64 {
        self.params[self.biases.len() + coupling.index as usize]
    }

    /// Whether a site flips, by definition.
    #[cold]
    fn flips(&self, site: usize, is_set: impl Fn(usize) -> bool, draw: u64) -> bool {
        let couplings = self.couplings.of(site).iter();
        let cost = couplings
            .filter(|(other, _)| is_set(*other as usize))
            .fold(self.params[site], |cost, (_, coupling)| cost + 2.0 * self.coupling(coupling));
        unit_interval(draw) < flip_probability(if is_set(site) { -cost } else { cost })
    }
}

/// The k of the finest unit 2⁻ᵏ in which costs of this size are below two to the [`COST_BITS`].
fn unit_bits(largest: f64) -> i32 {
    // largest < 2^(exponent + 1).
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    (COST_BITS - 1 - exponent).min(MAX_UNIT_BITS)
}

/// 2ᵏ, for k from −1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// For each interval of u, the costs ΔE that decide a flip, in units.
#[derive(Debug, Clone, Default)]
struct Limits {
    unit_bits: Option<i32>,
    most_terms: usize,
    intervals: Vec<Limit>,
}

/// What decides a flip for the u of one interval.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// A flip that costs no more happens.
    flips_to: i32,
    /// A flip that costs this or more does not.
    stays_from: i32,
}

impl Limits {
    /// Computes the limits in units of 2⁻ᵏ, for costs that are sums of at most `most_terms` rounded
    /// terms. Without a unit, the limits decide nothing.
    fn set(&mut self, unit_bits: Option<i32>, most_terms: usize) {
        if (self.unit_bits, self.most_terms) == (unit_bits, most_terms) {
            return;
        }
        (self.unit_bits, self.most_terms) = (unit_bits, most_terms);
        let Some(unit_bits) = unit_bits else {
            self.intervals =
                vec![Limit { flips_to: i32::MIN, stays_from: i32::MAX }; NUM_INTERVALS];
            return;
        };
        let units = power_of_two(unit_bits);
        // Half a unit a term. The rest is far more than the roundings in double precision: of the
        // limits, of the definition's cost and of its exponential.
        let margin = most_terms as i32 / 2 + 4;
        self.intervals.clear();
        self.intervals.extend(energies().windows(2).map(|ends| Limit {
            flips_to: ((ends[1] * units).floor() as i32).saturating_sub(margin),
            stays_from: ((ends[0] * units).ceil() as i32).saturating_add(margin),
        }));
    }

    /// The limit for a random number.
    #[inline]
    fn of(&self, draw: u64) -> Limit {
        self.intervals[(draw >> (64 - INTERVAL_BITS)) as usize]
    }
}

/// The cost at which a flip has the probability u, for u at the ends of all intervals: ln((1 − u) /
/// u), from +∞ to −∞.
fn energies() -> &'static [f64] {
    static ENERGIES: OnceLock<Vec<f64>> = OnceLock::new();
    ENERGIES.get_or_init(|| {
        let count = NUM_INTERVALS;
        let energy = |end| ln((count - end) as f64 / end as f64);
        let inner = (1..count).map(energy);
        [f64::INFINITY].into_iter().chain(inner).chain([f64::NEG_INFINITY]).collect()
    })
}

/// Chains that move side by side.
pub struct SideBySide {
    /// Number of chains per block.
    width: usize,
    blocks: Vec<Box<dyn Block>>,
}

impl SideBySide {
    /// Moves all chains by one sweep.
    ///
    /// # Panics
    /// If the transition's model has another dimension.
    pub fn sweep(&mut self, gibbs: &IsingGibbs) {
        self.blocks.iter_mut().for_each(|block| block.sweep(gibbs));
    }

    /// What the last sweep did with a chain.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn info(&self, chain: usize) -> GibbsInfo {
        let num_flips = self.blocks[chain / self.width].num_flips(chain % self.width);
        GibbsInfo { num_flips: num_flips as usize }
    }

    /// Writes the rows of all chains.
    ///
    /// # Panics
    /// If there are not as many rows as chains, or one is too short.
    pub fn write_rows<'a>(&self, rows: impl Iterator<Item = &'a mut [u64]>) {
        let mut rows: Vec<_> = rows.collect();
        for (block, rows) in self.blocks.iter().zip(rows.chunks_mut(self.width)) {
            block.write_rows(rows);
        }
    }

    /// Writes the rows and the random streams of all chains.
    ///
    /// # Panics
    /// If there are not as many as chains, or a row is too short.
    pub fn write_back<'a>(&self, chains: impl Iterator<Item = (&'a mut [u64], &'a mut ChainRng)>) {
        let (rows, rngs): (Vec<_>, Vec<_>) = chains.unzip();
        self.write_rows(rows.into_iter());
        rngs.into_iter().zip(self.rngs()).for_each(|(rng, moved)| rng.clone_from(moved));
    }

    /// The random streams of all chains.
    fn rngs(&self) -> impl Iterator<Item = &ChainRng> {
        self.blocks.iter().flat_map(|block| block.rngs())
    }
}

/// Some chains of [`SideBySide`].
trait Block: Send {
    /// Moves the chains by one sweep.
    fn sweep(&mut self, gibbs: &IsingGibbs);

    /// Number of flips of a chain in the last sweep.
    fn num_flips(&self, chain: usize) -> u32;

    /// Writes the chains' rows.
    fn write_rows(&self, rows: &mut [&mut [u64]]);

    /// The chains' random streams.
    fn rngs(&self) -> &[ChainRng];
}

/// A block of up to W chains, each of which is a lane of vectors.
struct Lanes<const W: usize> {
    num_chains: usize,
    /// The states of all sites: all ones where a bit is set, else 0.
    states: Vec<[i32; W]>,
    /// The streams; a lane without a chain repeats the last one.
    rngs: [ChainRng; W],
    num_flips: [u32; W],
}

impl<const W: usize> Lanes<W> {
    fn new(dim: usize, chains: &[(&[u64], &ChainRng)]) -> Self {
        let chain = |lane: usize| chains[lane.min(chains.len() - 1)];
        assert!((0..W).all(|lane| chain(lane).0.len() == words_per_row(dim)));
        let mut states = vec![[0; W]; dim];
        for (at, states) in states.chunks_mut(64).enumerate() {
            let words: [u64; W] = array::from_fn(|lane| chain(lane).0[at]);
            for (site, state) in states.iter_mut().enumerate() {
                *state = words.map(|word| -((word >> site & 1) as i32));
            }
        }
        let rngs = array::from_fn(|lane| chain(lane).1.clone());
        Self { num_chains: chains.len(), states, rngs, num_flips: [0; W] }
    }

    /// Updates a site of all chains with their random numbers.
    #[inline]
    fn update(&mut self, gibbs: &IsingGibbs, site: usize, draws: &[u64; W]) {
        let mut costs = [gibbs.biases[site]; W];
        for (other, coupling) in gibbs.couplings.of(site) {
            let other = &self.states[*other as usize];
            for lane in 0..W {
                costs[lane] += coupling.cost & other[lane];
            }
        }
        let limits = draws.map(|draw| gibbs.limits.of(draw));
        let states = &self.states[site];
        let mut flips = [0; W];
        let mut is_unsure = 0;
        for lane in 0..W {
            // −cost where the bit is set.
            let cost = (costs[lane] ^ states[lane]) - states[lane];
            flips[lane] = -i32::from(cost <= limits[lane].flips_to);
            is_unsure |= !flips[lane] & -i32::from(cost < limits[lane].stays_from);
        }
        if is_unsure != 0 {
            for (lane, draw) in draws.iter().enumerate() {
                let is_set = |other: usize| self.states[other][lane] != 0;
                flips[lane] = -i32::from(gibbs.flips(site, is_set, *draw));
            }
        }
        let states = &mut self.states[site];
        for lane in 0..W {
            states[lane] ^= flips[lane];
            self.num_flips[lane] += (flips[lane] & 1) as u32;
        }
    }
}

impl<const W: usize> Block for Lanes<W> {
    fn sweep(&mut self, gibbs: &IsingGibbs) {
        let dim = self.states.len();
        assert_eq!(dim, gibbs.dim());
        self.num_flips = [0; W];
        if W == 1 {
            for index in 0..dim {
                let site = gibbs.scan.site(index, dim, &mut self.rngs[0]);
                let draws = array::from_fn(|_| self.rngs[0].next_u64());
                self.update(gibbs, site, &draws);
            }
            return;
        }
        let mut draws = [[0; W]; NUM_SITES];
        for first in (0..dim).step_by(NUM_SITES) {
            let draws = &mut draws[..NUM_SITES.min(dim - first)];
            draw(&mut self.rngs, draws);
            for (index, draws) in (first..).zip(&*draws) {
                let site = if gibbs.scan == Scan::Reversed { dim - 1 - index } else { index };
                self.update(gibbs, site, draws);
            }
        }
    }

    fn num_flips(&self, chain: usize) -> u32 {
        self.num_flips[chain]
    }

    fn write_rows(&self, rows: &mut [&mut [u64]]) {
        assert_eq!(rows.len(), self.num_chains);
        for (at, states) in self.states.chunks(64).enumerate() {
            let mut words = [0; W];
            for (site, state) in states.iter().enumerate() {
                for lane in 0..W {
                    words[lane] |= ((state[lane] & 1) as u64) << site;
                }
            }
            rows.iter_mut().zip(words).for_each(|(row, word)| row[at] = word);
        }
    }

    fn rngs(&self) -> &[ChainRng] {
        &self.rngs[..self.num_chains]
    }
}

/// Draws the numbers of some sites, lane by lane.
#[inline(never)]
fn draw<const W: usize>(rngs: &mut [ChainRng; W], draws: &mut [[u64; W]]) {
    for (lane, rng) in rngs.iter_mut().enumerate() {
        // A copy stays in registers.
        let mut own = rng.clone();
        draws.iter_mut().for_each(|draws| draws[lane] = own.next_u64());
        *rng = own;
    }
}

impl Transition for IsingGibbs {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let mut chain = self.chains([(&*row, &*rng)].into_iter());
        chain.sweep(self);
        chain.write_back([(row, rng)].into_iter());
        chain.info(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::fill_random;
    use crate::models::ising::{IsingSpec, Pattern};
    use crate::rng::{Purpose, stream};
    use crate::sample::gibbs::Gibbs;

    /// Models of every kind: sparse, dense, with many neighbours, weak, strong, and without any
    /// coupling or bias.
    fn models() -> Vec<(usize, Pattern, f64)> {
        let star = Pattern::Pairs { pairs: (1..40).map(|site| [0, site]).collect() };
        let alone = Pattern::Pairs { pairs: vec![[2, 4]] };
        let lattice = |periodic| Pattern::Lattice { num_rows: 7, num_cols: 10, periodic };
        vec![
            (70, lattice(true), 1.0),
            (70, lattice(false), 0.0),
            (40, star, 0.5),
            (5, alone, 1e9),
            (70, Pattern::Dense {}, 0.2),
            (33, Pattern::Dense {}, 1e-9),
        ]
    }

    /// The same numbers give the same rows, for every order, for any number of chains, and for
    /// changed models.
    #[test]
    fn sweeps_are_those_of_gibbs_sampling() {
        for (dim, pattern, scale) in models() {
            let spec = |seed| IsingSpec::random(dim, pattern.clone(), scale, seed);
            let [first, second] = [1, 2].map(|seed| spec(seed).build().unwrap());
            for scan in [Scan::Systematic, Scan::Reversed, Scan::Random] {
                let mut fast = IsingGibbs::new(&first, scan);
                for model in [&first, &second] {
                    fast.set(model, scan);
                    let plain = Gibbs::by(model, scan);
                    for num_chains in [1, 3, 8, 13] {
                        let mut rngs: Vec<_> =
                            (0..num_chains).map(|chain| stream(4, Purpose::Chain, chain)).collect();
                        let mut rows = vec![vec![0; words_per_row(dim)]; rngs.len()];
                        for (row, rng) in rows.iter_mut().zip(&mut rngs) {
                            fill_random(row, dim, rng);
                        }
                        let chains = rows.iter().map(Vec::as_slice).zip(&rngs);
                        let mut chains = fast.chains(chains);
                        let mut found = rows.clone();
                        for _ in 0..100 {
                            chains.sweep(&fast);
                            chains.write_rows(found.iter_mut().map(Vec::as_mut_slice));
                            let slow = rows.iter_mut().zip(&mut rngs).enumerate();
                            for (chain, (row, rng)) in slow {
                                assert_eq!(chains.info(chain), plain.step(row, rng));
                            }
                            assert_eq!(found, rows);
                        }
                        assert!(chains.rngs().eq(&rngs));
                    }
                }
            }
        }
    }

    /// Where one number decides for all u of an interval, the definition agrees at both its ends.
    #[test]
    fn limits_are_safe_and_close() {
        for unit_bits in [MAX_UNIT_BITS, 12] {
            let mut limits = Limits::default();
            limits.set(Some(unit_bits), 5);
            let units = power_of_two(unit_bits);
            for interval in 0..NUM_INTERVALS as u64 {
                let first = interval << (64 - INTERVAL_BITS);
                let last = first | u64::MAX >> INTERVAL_BITS;
                let Limit { flips_to, stays_from } = limits.of(first);
                assert!(flips_to < stays_from);
                // The true cost may be off by two and a half units.
                let flips = |cost: i32, off: f64, draw| {
                    unit_interval(draw) < flip_probability((f64::from(cost) + off) / units)
                };
                assert!(flips_to == i32::MIN || flips(flips_to, 2.5, last));
                assert!(stays_from == i32::MAX || !flips(stays_from, -2.5, first));
                // Few costs are left to the definition.
                assert!(flips_to == i32::MIN || !flips(flips_to + 16, 0.0, last));
                assert!(stays_from == i32::MAX || flips(stays_from - 16, 0.0, first));
            }
        }
    }

    /// Energies beyond all numbers: a site stays where its flip costs +∞.
    #[test]
    fn infinite_costs_are_left_to_the_definition() {
        let mut params = vec![1e308; 6];
        params[2] = -1e308;
        let spec = IsingSpec { dim: 3, params: Some(params), ..IsingSpec::default() };
        let gibbs = IsingGibbs::new(&spec.build().unwrap(), Scan::Systematic);
        let mut row = [0b010];
        assert_eq!(gibbs.step(&mut row, &mut stream(1, Purpose::Chain, 0)).num_flips, 2);
        assert_eq!(row, [0b100]);
    }

    #[test]
    fn units_are_as_fine_as_costs_allow() {
        for (largest, bits) in [(0.0, 22), (1.0, 22), (127.9, 22), (128.0, 21), (1e300, -968)] {
            assert_eq!(unit_bits(largest), bits, "{largest}");
            assert!(largest * power_of_two(bits) < power_of_two(COST_BITS));
        }
    }

    #[test]
    fn dense_models_of_many_sites_or_one_chain_are_left_to_others() {
        let is_taken = |dim, pattern, scan, num_chains| {
            let model = IsingSpec { dim, pattern, ..IsingSpec::default() }.build().unwrap();
            IsingGibbs::if_faster(&model, scan, num_chains).is_some()
        };
        assert!(is_taken(256, Pattern::Dense {}, Scan::Systematic, 2));
        assert!(!is_taken(257, Pattern::Dense {}, Scan::Systematic, 2));
        assert!(!is_taken(4, Pattern::Dense {}, Scan::Systematic, 1));
        assert!(!is_taken(4, Pattern::Dense {}, Scan::Random, 2));
        let pairs = Pattern::Pairs { pairs: vec![[0, 1]] };
        assert!(is_taken(4, pairs, Scan::Random, 1));
    }
}
