//! Chains of packed bits along a path through a binary model's parameters.
//!
//! After each transition, the quantities that determine a state's energy anywhere on a segment of
//! the path are read once ([`crate::energy::BetweenKnots`]). They give the ratios of densities to
//! other distributions of the path and, for block Gibbs sampling, the hidden units' log odds.

use super::Transition;
use super::checkerboard::Checkerboard;
use super::gibbs::{self, Gibbs, GibbsInfo};
use super::ising_gibbs::IsingGibbs;
use super::param_path::{Leg, ParamPath};
use super::path_moves::{Moves, by_smaller_side, perfect_values};
use super::single_flips::{FlipMoves, SingleFlips};
use super::spec::TransitionSpec;
use super::state_table::StateTable;
use super::swendsen_wang::SwendsenWang;
#[cfg(feature = "full")]
use super::value_clusters::ValueClusters;
use super::wolff::Wolff;
use crate::FULL;
use crate::bits::{BitBatch, are_rows, words_per_row};
use crate::energy::{ExactDraws, ValuesBetweenKnots};
use crate::models::Model;
use crate::models::ising::Ising;
use crate::models::rbm::{SmallerSideDraws, draw_units};
use crate::models::site_values::{draw_value, sweep};
use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Chains of packed bits along a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PathChains {
    dim: usize,
    /// The rows, one after another.
    words: Vec<u64>,
    rngs: Vec<ChainRng>,
    #[serde(skip)]
    memory: Memory,
}

/// How chains move at one distribution of a path.
#[derive(Clone, Copy)]
pub struct PathSweep<'a> {
    /// The path.
    pub path: &'a ParamPath,
    /// The moves.
    pub moves: &'a Moves,
    /// Number of moves.
    pub num_steps: usize,
    /// Whether they go forward; backward their reversals are made.
    pub is_forward: bool,
}

/// Values computed from the rows, and temporary memory: nothing that must be saved.
#[derive(Default)]
struct Memory {
    /// The model with the parameters of the present β.
    model: Option<Box<dyn Model>>,
    model_beta: Option<f64>,
    params: Vec<f64>,
    /// Its Gibbs sampling side by side: the outer `Option` is whether this was tried, the inner
    /// whether it is faster.
    side_by_side: Option<Option<IsingGibbs>>,
    /// What was read of the present rows; the next field is the segment.
    read: Vec<f64>,
    segment: Option<usize>,
    /// Their energies; the next field is the place.
    energies: Vec<f64>,
    place: Option<(usize, f64)>,
    /// log f_to − log f_from of each chain.
    terms: Vec<f64>,
    log_odds: Vec<f64>,
    hidden: Vec<u64>,
    row: Vec<u64>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

const CHECKED: &str = "checked when the moves were";

impl PathChains {
    /// Chains at rows of zeros.
    pub fn new(dim: usize, rngs: Vec<ChainRng>) -> Self {
        let words = vec![0; rngs.len() * words_per_row(dim)];
        Self { dim, words, rngs, memory: Memory::default() }
    }

    /// Draws all rows at β = 0.
    pub fn draw(&mut self, path: &ParamPath) {
        let rows = self.words.chunks_exact_mut(words_per_row(self.dim));
        rows.zip(&mut self.rngs).for_each(|(row, rng)| path.draw_reference(rng, row));
        self.memory.forget();
    }

    /// Puts the chains at these rows.
    ///
    /// # Panics
    /// If there is not one a chain, of its length.
    pub fn set<'a>(&mut self, states: impl ExactSizeIterator<Item = &'a [u64]>) {
        assert_eq!(states.len(), self.rngs.len());
        for (row, state) in self.words.chunks_exact_mut(words_per_row(self.dim)).zip(states) {
            row.copy_from_slice(state);
        }
        self.memory.forget();
    }

    /// The row of each chain.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words.chunks_exact(words_per_row(self.dim))
    }

    /// The random stream of each chain.
    pub fn rngs(&self) -> &[ChainRng] {
        &self.rngs
    }

    /// The random stream of each chain.
    pub fn rngs_mut(&mut self) -> &mut [ChainRng] {
        &mut self.rngs
    }

    /// Whether the lengths are those of chains known to be valid, and the rows have no bits beyond the last site.
    pub fn has_shape_of(&self, valid: &Self) -> bool {
        self.dim == valid.dim
            && self.words.len() == valid.words.len()
            && self.rngs.len() == valid.rngs.len()
            && are_rows(self.dim, &self.words)
    }

    /// Exchanges the rows of a chain here and a chain there; each keeps its random stream.
    ///
    /// # Panics
    /// If there is no such chain, or the dimensions differ.
    pub fn exchange(&mut self, other: &mut Self, chain: usize) {
        let width = words_per_row(self.dim);
        let place = chain * width..(chain + 1) * width;
        self.words[place.clone()].swap_with_slice(&mut other.words[place]);
        let (one, two) = (&mut self.memory, &mut other.memory);
        if one.segment.is_none() || one.segment != two.segment {
            one.forget();
            two.forget();
            return;
        }
        let num_read = one.read.len() / self.rngs.len();
        let place = chain * num_read..(chain + 1) * num_read;
        one.read[place.clone()].swap_with_slice(&mut two.read[place]);
        (one.place, two.place) = (None, None);
    }

    /// The place of `to`, and log f_to − log f_from of each chain's state.
    pub fn terms(&mut self, path: &ParamPath, from: f64, to: f64) -> (Leg, &[f64]) {
        let width = self.rngs.len();
        self.memory.terms.clear();
        self.memory.terms.resize(width, 0.0);
        let mut last = None;
        for leg in path.legs(from, to) {
            self.read(path, leg.segment);
            let Memory { read, energies, place, terms, .. } = &mut self.memory;
            let num_read = path.energies().num_read();
            let energy = |chain: usize, t: f64| {
                let read = &read[chain * num_read..(chain + 1) * num_read];
                path.energies().energy(leg.segment, read, t)
            };
            if *place != Some((leg.segment, leg.from)) {
                energies.clear();
                energies.extend((0..width).map(|chain| energy(chain, leg.from)));
            }
            for (chain, (term, before)) in terms.iter_mut().zip(energies).enumerate() {
                let after = energy(chain, leg.to);
                *term += *before - after;
                *before = after;
            }
            *place = Some((leg.segment, leg.to));
            last = Some(leg);
        }
        (last.expect("two values of beta"), &self.memory.terms)
    }

    /// Reads the rows for a segment, unless they have been read.
    fn read(&mut self, path: &ParamPath, segment: usize) {
        let memory = &mut self.memory;
        if memory.segment != Some(segment) {
            memory.read.resize(self.rngs.len() * path.energies().num_read(), 0.0);
            let rows = BitBatch::new(self.dim, &self.words);
            path.energies().read(segment, rows, &mut memory.read);
            (memory.segment, memory.place) = (Some(segment), None);
        }
    }

    /// Moves all chains at β, where `place` ends, and passes to `moved` the number of sites that
    /// each move changed.
    pub(crate) fn sweep(
        &mut self,
        how: PathSweep<'_>,
        beta: f64,
        place: Leg,
        mut moved: impl FnMut(usize),
    ) {
        let PathSweep { path, moves, num_steps, is_forward } = how;
        if let Moves::By(TransitionSpec::BlockGibbs {}) = moves {
            (0..num_steps).for_each(|_| self.move_sides(path, place, &mut moved));
            return;
        }
        if let Moves::By(spec) = moves
            && let Some(FlipMoves::Gibbs(scan)) = flip_moves(spec, is_forward)
            && let Some(energies) = path.energies().as_values()
        {
            return self.move_values(path, energies, place, scan, num_steps, moved);
        }
        let mut model = self.memory.model.take().unwrap_or_else(|| path.model().boxed_clone());
        let is_set = self.memory.model_beta == Some(beta);
        if !is_set {
            self.memory.params.resize(path.knots()[0].params.len(), 0.0);
            path.params_at(beta, &mut self.memory.params);
            model.as_parametric_mut().expect(CHECKED).set_params(&self.memory.params);
            self.memory.model_beta = Some(beta);
        }
        let flips = || model.as_site_flips().expect(CHECKED);
        let ising = || model.as_ising().expect(CHECKED);
        match moves {
            Moves::Perfect => {
                let dim = self.dim;
                let rows = self.words.chunks_exact_mut(words_per_row(dim)).zip(&mut self.rngs);
                match by_smaller_side(&*model) {
                    Some(rbm) => {
                        let draws = SmallerSideDraws::new(rbm).expect(CHECKED);
                        rows.for_each(|(row, rng)| draws.draw(rng, row));
                    }
                    None if model.as_sites().is_some() => {
                        let draws = perfect_values(&*model).expect(CHECKED);
                        rows.for_each(|(row, rng)| draws.draw(rng, row));
                    }
                    None => {
                        let table = StateTable::new(flips());
                        rows.for_each(|(row, rng)| row[0] = table.draw(rng));
                    }
                }
                self.rngs.iter().for_each(|_| moved(num_steps * path.num_sites()));
            }
            Moves::By(spec) => match (flip_moves(spec, is_forward), spec) {
                (Some(FlipMoves::Gibbs(scan)), _) => {
                    let num_chains = self.rngs.len();
                    let make = || {
                        let ising = model.as_ising().filter(|_| FULL)?;
                        IsingGibbs::if_faster(ising, scan, num_chains)
                    };
                    let mut gibbs = self.memory.side_by_side.take().unwrap_or_else(make);
                    match &mut gibbs {
                        Some(gibbs) if FULL => {
                            if !(is_set && gibbs.scan() == scan) {
                                gibbs.set(ising(), scan);
                            }
                            self.step_side_by_side(gibbs, num_steps, |info| moved(info.num_flips));
                        }
                        _ => {
                            let transition = Gibbs::by(flips(), scan);
                            self.step(&transition, num_steps, |info| moved(info.num_flips));
                        }
                    }
                    self.memory.side_by_side = Some(gibbs);
                }
                _ if !FULL => unreachable!("the core moves one site after another"),
                (Some(moves), _) => {
                    let transition = SingleFlips::new(flips(), moves);
                    self.step(&transition, num_steps, |info| moved(info.num_flips));
                }
                (_, TransitionSpec::Checkerboard {}) => {
                    let transition = checkerboard(ising(), is_forward);
                    self.step(&transition, num_steps, |info| moved(info.num_flips));
                }
                #[cfg(feature = "full")]
                (_, TransitionSpec::SwendsenWang {}) if model.as_potts().is_some() => {
                    let transition = ValueClusters::new(model.as_potts().expect(CHECKED));
                    self.step(&transition, num_steps, |info| moved(info.num_flips));
                }
                (_, TransitionSpec::SwendsenWang {}) => {
                    let transition = SwendsenWang::new(ising());
                    self.step(&transition, num_steps, |info| moved(info.num_flips));
                }
                _ => {
                    let transition = Wolff::new(ising());
                    self.step(&transition, num_steps, |info| moved(info.num_flips));
                }
            },
        }
        self.memory.model = Some(model);
        self.memory.forget();
    }

    /// Makes the steps of each chain.
    fn step<T: Transition>(
        &mut self,
        transition: &T,
        num_steps: usize,
        mut moved: impl FnMut(T::Info),
    ) {
        let rows = self.words.chunks_exact_mut(words_per_row(self.dim));
        for (row, rng) in rows.zip(&mut self.rngs) {
            transition.steps(row, rng, num_steps, &mut moved);
        }
    }

    /// [`PathChains::step`] of all chains at once, with the same calls of `moved`.
    fn step_side_by_side(
        &mut self,
        gibbs: &IsingGibbs,
        num_steps: usize,
        mut moved: impl FnMut(GibbsInfo),
    ) {
        let width = words_per_row(self.dim);
        let mut chains = gibbs.chains(self.words.chunks_exact(width).zip(&self.rngs));
        let mut infos = vec![Vec::with_capacity(num_steps); self.rngs.len()];
        for _ in 0..num_steps {
            chains.sweep(gibbs);
            infos.iter_mut().enumerate().for_each(|(chain, infos)| infos.push(chains.info(chain)));
        }
        infos.into_iter().flatten().for_each(&mut moved);
        chains.write_back(self.words.chunks_exact_mut(width).zip(&mut self.rngs));
    }

    /// Gibbs steps of all chains, over sites of several values.
    fn move_values(
        &mut self,
        path: &ParamPath,
        energies: &dyn ValuesBetweenKnots,
        place: Leg,
        scan: gibbs::Scan,
        num_steps: usize,
        mut moved: impl FnMut(usize),
    ) {
        let sites = path.model().as_sites().expect(CHECKED);
        let mut conditional = energies.log_weights(place.segment, place.to);
        let mut weights = Vec::new();
        let rows = self.words.chunks_exact_mut(words_per_row(self.dim));
        for (row, rng) in rows.zip(&mut self.rngs) {
            for _ in 0..num_steps {
                let num_changes = sweep(sites, scan, row, rng, |site, values, rng| {
                    conditional(site, values, &mut weights);
                    draw_value(&mut weights, rng)
                });
                moved(num_changes);
            }
        }
        self.memory.forget();
    }

    /// A block Gibbs step of all chains.
    fn move_sides(&mut self, path: &ParamPath, place: Leg, moved: &mut impl FnMut(usize)) {
        let (segment, t) = (place.segment, place.to);
        self.read(path, segment);
        let sides = path.energies().as_sides().expect(CHECKED);
        let Self { dim, words, rngs, memory } = self;
        let Memory { read, log_odds, hidden, row, .. } = memory;
        let (num_words, num_hidden) = (words_per_row(*dim), sides.num_hidden());
        let hidden_words = words_per_row(num_hidden);
        hidden.resize(rngs.len() * hidden_words, 0);
        log_odds.resize(num_hidden, 0.0);
        let states = read.chunks_exact(sides.num_read()).zip(hidden.chunks_exact_mut(hidden_words));
        for ((read, hidden), rng) in states.zip(&mut *rngs) {
            sides.hidden_log_odds(segment, read, t, log_odds);
            draw_units(log_odds, rng, hidden);
        }
        log_odds.resize(rngs.len() * *dim, 0.0);
        sides.visible_log_odds(segment, BitBatch::new(num_hidden, hidden), t, log_odds);
        row.resize(num_words, 0);
        let sites = path.model().as_sites();
        let visible = words.chunks_exact_mut(num_words).zip(log_odds.chunks_exact_mut(*dim));
        for ((words, log_odds), rng) in visible.zip(rngs) {
            row.copy_from_slice(words);
            match sites {
                Some(sites) => sites.draw(log_odds, rng, words),
                None => draw_units(log_odds, rng, words),
            }
            let changed = words.iter().zip(&*row).map(|(a, b)| (a ^ b).count_ones() as usize);
            // Of a site with another value two bits have changed.
            moved(changed.sum::<usize>() / if sites.is_some() { 2 } else { 1 });
        }
        memory.forget();
    }
}

impl Memory {
    /// Discards what was read, after the rows changed.
    fn forget(&mut self) {
        (self.segment, self.place) = (None, None);
    }
}

/// The flips of a spec, or those of their reversal.
fn flip_moves(spec: &TransitionSpec, is_forward: bool) -> Option<FlipMoves> {
    FlipMoves::of(spec).map(|moves| if is_forward { moves } else { moves.reversed() })
}

fn checkerboard(model: &Ising, is_forward: bool) -> Checkerboard {
    let transition = Checkerboard::new(model);
    if is_forward { transition } else { transition.reversed() }
}
