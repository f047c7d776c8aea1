//! The target of binary chains: what a state is, how it moves, how long that takes, and how a draw
//! is made from it.
//!
//! A state of most models is itself a draw. The state of a deep belief network is the visible layer
//! of the machine on top, and a draw is made by passing it down.

use super::chain::Chain;
use super::report::{push_draw, words_of};
use crate::bits::{BitMatrix, fill_random, words_per_row};
use crate::energy::{Energy, HiddenUnits, Parametric};
use crate::exact::{ExactDraws, exact_draws};
use crate::linalg::Batch;
use crate::models::dbn::Dbn;
use crate::models::ising::EvenTorus;
use crate::models::rbm::Rbm;
use crate::models::site_values::{SiteValues, Sites};
use crate::models::{Model, ModelSpec};
use crate::rng::ChainRng;
use crate::sample::Transition;
use crate::sample::block_gibbs::BlockGibbs;
use crate::sample::checkerboard::Checkerboard;
use crate::sample::ising_gibbs::IsingGibbs;
use crate::sample::single_flips::{FlipMoves, SingleFlips};
use crate::sample::spec::TransitionSpec;
use crate::sample::swendsen_wang::SwendsenWang;
use crate::sample::torus::Torus;
#[cfg(feature = "full")]
use crate::sample::value_clusters::ValueClusters;
use crate::sample::value_gibbs::ValueGibbs;
use crate::sample::wolff::Wolff;
use crate::sample::{discrete_langevin, locally_informed};
use crate::{Error, FULL, Result, not_in_core};
use std::ops::Range;

/// A model and how its chains move.
pub enum Target {
    /// Flips of single sites.
    Flips(Box<dyn Model>, FlipMoves),
    /// Moves that only Ising models have.
    Ising(Box<dyn Model>, IsingMoves),
    /// Checkerboard sampling of an Ising model that is kept as two numbers.
    Torus(EvenTorus, Torus),
    /// Gibbs sampling of sites of several values.
    Values(Box<dyn Model>, Box<ValueGibbs>),
    /// Cluster moves of sites of several values.
    #[cfg(feature = "full")]
    ValueClusters(Box<dyn Model>, Box<ValueClusters>),
    /// Block Gibbs sampling, layer after layer.
    BlockGibbs(Box<dyn Model>),
    /// Block Gibbs sampling of the machine on top of a stack.
    Stack(Dbn),
}

/// The kinds of move that only Ising models have.
pub enum IsingMoves {
    /// Gibbs sampling, site after site, of chains side by side.
    Gibbs(IsingGibbs),
    /// Checkerboard sampling, colour after colour.
    Checkerboard(Checkerboard),
    /// Swendsen–Wang sampling, all clusters.
    SwendsenWang(SwendsenWang),
    /// Wolff sampling, one cluster.
    Wolff(Wolff),
}

/// Chains draw their layers together in blocks of at most [`MAX_BLOCK`], but there are at least this
/// many blocks if there are enough chains.
const MIN_BLOCKS: usize = 8;
const MAX_BLOCK: usize = 16;

const CHECKED: &str = "checked when the target was made";

impl Target {
    /// Checks that the model's chains can move this way.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`] if its states cannot move this
    /// way.
    pub fn new(model: &ModelSpec, transition: &TransitionSpec, num_chains: usize) -> Result<Self> {
        let (capability, needed_by) = match transition {
            TransitionSpec::Gibbs { .. } => ("SiteFlips", "Gibbs sampling"),
            #[cfg(feature = "full")]
            TransitionSpec::FlipMetropolis { .. } => ("SiteFlips", "single flips by Metropolis"),
            #[cfg(feature = "full")]
            TransitionSpec::LocallyInformed {} => ("SiteFlips", "locally informed proposals"),
            #[cfg(feature = "full")]
            TransitionSpec::DiscreteLangevin { .. } => ("SiteFlips", "Langevin dynamics of bits"),
            TransitionSpec::Checkerboard {} => ("pairwise energies", "the checkerboard"),
            TransitionSpec::SwendsenWang {} => {
                ("pairwise energies", "Swendsen and Wang's clusters")
            }
            TransitionSpec::Wolff {} => ("pairwise energies", "Wolff's clusters"),
            TransitionSpec::BlockGibbs {} => ("HiddenUnits", "block Gibbs sampling"),
            _ => unreachable!("it moves no binary states"),
        };
        let missing = |model: &str| Err(Error::missing(model, capability, needed_by));
        if FULL && let ModelSpec::Dbn(dbn) = model {
            let dbn = dbn.build()?;
            return match transition {
                TransitionSpec::BlockGibbs {} => Ok(Self::Stack(dbn)),
                _ => missing("dbn"),
            };
        }
        let model = model.build()?;
        if FULL
            && let TransitionSpec::Gibbs { scan } = *transition
            && let Some(ising) = model.as_ising()
            && let Some(gibbs) = IsingGibbs::if_faster(ising, scan.into(), num_chains)
        {
            return Ok(Self::Ising(model, IsingMoves::Gibbs(gibbs)));
        }
        if let TransitionSpec::Gibbs { scan } = *transition
            && let Some(values) = model.as_site_values()
        {
            let gibbs = Box::new(ValueGibbs::by(values, scan.into()));
            return Ok(Self::Values(model, gibbs));
        }
        #[cfg(feature = "full")]
        if let (TransitionSpec::SwendsenWang {}, Some(potts)) = (transition, model.as_potts()) {
            let clusters = Box::new(ValueClusters::new(potts));
            return Ok(Self::ValueClusters(model, clusters));
        }
        if let Some(moves) = FlipMoves::of(transition) {
            if model.as_site_flips().is_none() {
                return missing(model.kind());
            }
            moves.check(model.dim())?;
            return Ok(Self::Flips(model, moves));
        }
        match *transition {
            TransitionSpec::BlockGibbs {} if model.as_hidden_units().is_some() => {
                Ok(Self::BlockGibbs(model))
            }
            TransitionSpec::BlockGibbs {} => missing(model.kind()),
            _ if !FULL => Err(not_in_core("transition.kind")),
            _ => {
                let Some(ising) = model.as_ising() else { return missing(model.kind()) };
                let moves = match transition {
                    TransitionSpec::Checkerboard {} => {
                        IsingMoves::Checkerboard(Checkerboard::new(ising))
                    }
                    TransitionSpec::SwendsenWang {} => {
                        IsingMoves::SwendsenWang(SwendsenWang::new(ising))
                    }
                    _ => IsingMoves::Wolff(Wolff::new(ising)),
                };
                Ok(Self::Ising(model, moves))
            }
        }
    }

    /// The same, for chains that need the model for nothing else: where one coupling and one bias
    /// say all of it, it is not built.
    ///
    /// # Errors
    /// As [`Target::new`].
    pub fn of_chains(
        model: &ModelSpec,
        transition: &TransitionSpec,
        num_chains: usize,
    ) -> Result<Self> {
        if FULL
            && let (ModelSpec::Ising(spec), TransitionSpec::Checkerboard {}) = (model, transition)
            && let Some(torus) = EvenTorus::of_spec(spec)?
        {
            return Ok(Self::Torus(torus, Torus::new(&torus)));
        }
        Self::new(model, transition, num_chains)
    }

    /// Number of bits of a draw.
    pub fn dim(&self) -> usize {
        match self {
            Self::Stack(dbn) => dbn.dim(),
            Self::Torus(torus, _) => torus.dim(),
            _ => self.model().map_or(0, Energy::dim),
        }
    }

    /// The model, unless it is a deep belief network, which is none, or is not built.
    pub fn model(&self) -> Option<&dyn Model> {
        match self {
            Self::Flips(model, _)
            | Self::Ising(model, _)
            | Self::Values(model, _)
            | Self::BlockGibbs(model) => Some(&**model),
            #[cfg(feature = "full")]
            Self::ValueClusters(model, _) => Some(&**model),
            Self::Torus(..) | Self::Stack(_) => None,
        }
    }

    /// Number of bits of a state.
    pub fn state_dim(&self) -> usize {
        match self {
            Self::Stack(dbn) => dbn.top().dim(),
            _ => self.dim(),
        }
    }

    /// Which values a state stands for, if the sites have several.
    fn sites(&self) -> Option<&Sites> {
        self.model()?.as_sites()
    }

    /// Writes a state of independent fair coin tosses, or of values drawn uniformly.
    pub fn fill_random(&self, row: &mut [u64], rng: &mut ChainRng) {
        match self.sites() {
            Some(sites) => sites.fill_random(row, rng),
            None => fill_random(row, self.state_dim(), rng),
        }
    }

    /// Whether a row of the right length is a state.
    pub fn is_state(&self, row: &[u64]) -> bool {
        self.sites().is_none_or(|sites| sites.is_state(row))
    }

    /// Refuses data to start from that are no states of the model.
    ///
    /// # Errors
    /// [`Error::InvalidData`], naming row and site.
    pub fn check_rows(&self, data: &BitMatrix) -> Result<()> {
        self.sites().map_or(Ok(()), |sites| sites.check_rows(data))
    }

    /// Exact draws of states.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model has none.
    pub fn exact_draws(&self) -> Result<Box<dyn ExactDraws>> {
        let draws = match self {
            Self::Torus(torus, _) => torus.to_model().and_then(|model| exact_draws(&model)),
            _ => self.model().and_then(exact_draws),
        };
        let kind = match self {
            Self::Torus(..) => "ising",
            _ => self.model().map_or("dbn", Model::kind),
        };
        let needed_by = "chains that start exactly (start them at random or from data)";
        draws.ok_or_else(|| Error::missing(kind, "exact draws", needed_by))
    }

    /// The state for a row of the data; draws from `rng` only if the two differ.
    pub fn state_of(&self, row: &[u64], rng: &mut ChainRng) -> Vec<u64> {
        match self {
            Self::Stack(dbn) => {
                let mut state = vec![0; words_per_row(self.state_dim())];
                dbn.sample_up(row, rng, &mut state);
                state
            }
            _ => row.to_vec(),
        }
    }

    /// Moves each chain one sweep at a time, and takes a draw from every chain after each sweep for
    /// which `is_draw` is true.
    pub fn sweep(
        &self,
        chains: &mut [Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> Vec<u8> {
        match self {
            Self::Flips(model, moves) => {
                let flips = model.as_site_flips().expect(CHECKED);
                self.sweep_by(&SingleFlips::new(flips, *moves), chains, sweeps, is_draw)
            }
            Self::Values(_, gibbs) => self.sweep_by(&**gibbs, chains, sweeps, is_draw),
            #[cfg(feature = "full")]
            Self::ValueClusters(_, clusters) => self.sweep_by(&**clusters, chains, sweeps, is_draw),
            Self::Ising(..) if !FULL => unreachable!("the core samples site after site"),
            Self::Ising(_, IsingMoves::Gibbs(gibbs)) => {
                sweep_side_by_side(gibbs, chains, sweeps, is_draw)
            }
            Self::Ising(_, IsingMoves::Checkerboard(moves)) => {
                self.sweep_by(moves, chains, sweeps, is_draw)
            }
            Self::Ising(_, IsingMoves::SwendsenWang(moves)) => {
                self.sweep_by(moves, chains, sweeps, is_draw)
            }
            Self::Ising(_, IsingMoves::Wolff(moves)) => {
                self.sweep_by(moves, chains, sweeps, is_draw)
            }
            Self::Torus(..) if !FULL => unreachable!("the core samples site after site"),
            Self::Torus(_, moves) => self.sweep_by(moves, chains, sweeps, is_draw),
            Self::BlockGibbs(model) => {
                let transition = BlockGibbs::new(model.as_hidden_units().expect(CHECKED));
                sweep_rows(&transition, model.dim(), chains, sweeps, is_draw)
            }
            Self::Stack(dbn) => self.sweep_by(&BlockGibbs::new(dbn.top()), chains, sweeps, is_draw),
        }
    }

    fn sweep_by(
        &self,
        transition: &impl Transition,
        chains: &mut [Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> Vec<u8> {
        let mut draws = Vec::new();
        let mut push = |row: &[u64]| push_draw(&mut draws, row, self.dim());
        let mut visible = vec![0; words_per_row(self.dim())];
        let mut first = sweeps.start;
        while first < sweeps.end {
            // All sweeps up to the next draw at once.
            let end = (first..sweeps.end)
                .find(|sweep| is_draw(*sweep))
                .map_or(sweeps.end, |draw| draw + 1);
            for chain in &mut *chains {
                transition.steps(&mut chain.row, &mut chain.rng, end - first, |_| ());
                if !is_draw(end - 1) {
                    continue;
                }
                match self {
                    Self::Stack(dbn) => {
                        dbn.sample_down(&chain.row, &mut chain.rng, &mut visible);
                        push(&visible);
                    }
                    _ => push(&chain.row),
                }
            }
            first = end;
        }
        draws
    }

    /// Energies of draws, one after another; none if the model has no energy.
    pub fn energies(&self, draws: &[u8]) -> Vec<f64> {
        let dim = self.dim();
        let rows = draws.chunks_exact(dim.div_ceil(8));
        if let Self::Torus(torus, _) = self {
            let mut words = vec![0; words_per_row(dim)];
            let energies = rows.map(|row| {
                words_of(row, &mut words);
                torus.energy(&words)
            });
            return energies.collect();
        }
        let Some(model) = self.model() else { return Vec::new() };
        let mut state = vec![0.0; dim];
        let mut energy = [0.0];
        rows.map(|row| {
            for (site, value) in state.iter_mut().enumerate() {
                *value = f64::from(row[site / 8] >> (site % 8) & 1);
            }
            model.energy(Batch::new(dim, &state), &mut energy);
            energy[0]
        })
        .collect()
    }

    /// Number of differences of energies that a sweep of a chain takes, if it flips single sites.
    pub fn differences_per_sweep(&self) -> Option<u64> {
        match self {
            Self::Flips(model, moves) => Some(moves.differences_per_step(model.dim())),
            Self::Ising(model, IsingMoves::Gibbs(_)) => Some(model.dim() as u64),
            _ => None,
        }
    }

    /// Number of chains that move side by side, given the number of all chains.
    pub fn width(&self, num_chains: usize) -> usize {
        match self {
            Self::Ising(_, IsingMoves::Gibbs(gibbs)) => gibbs.width(num_chains),
            // Fewer would read the weights more often, and more leave workers idle.
            Self::BlockGibbs(_) => num_chains.div_ceil(MIN_BLOCKS).min(MAX_BLOCK),
            _ => 1,
        }
    }

    /// Estimated cost of a sweep and its share of a draw, in nanoseconds.
    pub fn sweep_cost(&self, num_steps_per_draw: usize) -> usize {
        // Measured: a uniform number and a sigmoid per unit, and, for about half the units of each
        // layer, an addition per weight, with too many weights for the nearest cache.
        let block_cost = |num_units: usize, num_params: usize| 10 * num_units + 3 * num_params / 10;
        let uniform_cost = |num_sites: usize| 100 + num_sites / 3;
        let rbm_cost = |rbm: &Rbm| block_cost(rbm.dim() + rbm.num_hidden(), rbm.params().len());
        match self {
            Self::Flips(model, FlipMoves::LocallyInformed) => locally_informed::step_cost(&**model),
            Self::Flips(model, FlipMoves::DiscreteLangevin(_)) => {
                discrete_langevin::step_cost(&**model)
            }
            // Measured: a uniform number and a sigmoid per site, and for flips about an addition
            // per parameter.
            Self::Flips(model, _) => 50 * model.dim() + 2 * model.num_terms() / 3,
            Self::Values(model, _) => model.as_site_values().map_or(0, SiteValues::sweep_cost),
            #[cfg(feature = "full")]
            Self::ValueClusters(model, _) => model.as_potts().map_or(0, ValueClusters::step_cost),
            // Measured: a random number and its limits per site; an addition per coupling at both
            // of its sites; and the draw.
            Self::Ising(model, IsingMoves::Gibbs(_)) => {
                20 + 4 * model.dim() + model.num_terms() / 3
            }
            // Measured: on a uniform torus many sites at once; else a random number per site, and for
            // clusters one per bond.
            Self::Torus(torus, _) => uniform_cost(torus.dim()),
            Self::Ising(model, IsingMoves::Checkerboard(moves)) if moves.is_uniform() => {
                uniform_cost(model.dim())
            }
            Self::Ising(model, IsingMoves::Checkerboard(_)) => 50 * model.dim(),
            Self::Ising(model, _) => 25 * model.num_terms(),
            Self::BlockGibbs(model) => {
                let num_hidden = model.as_hidden_units().expect(CHECKED).num_hidden();
                block_cost(model.dim() + num_hidden, model.num_terms())
            }
            Self::Stack(dbn) => {
                let below = dbn.layers().len() - 1;
                let draw: usize = dbn.layers()[..below].iter().map(rbm_cost).sum();
                rbm_cost(dbn.top()) + draw / num_steps_per_draw
            }
        }
    }
}

/// [`Target::sweep`] of an Ising model's chains side by side.
fn sweep_side_by_side(
    gibbs: &IsingGibbs,
    chains: &mut [Chain],
    sweeps: Range<usize>,
    is_draw: impl Fn(usize) -> bool,
) -> Vec<u8> {
    let mut draws = Vec::new();
    let mut moved = gibbs.chains(chains.iter().map(|chain| (&*chain.row, &chain.rng)));
    for sweep in sweeps {
        moved.sweep(gibbs);
        if is_draw(sweep) {
            moved.write_rows(chains.iter_mut().map(|chain| &mut *chain.row));
            chains.iter().for_each(|chain| push_draw(&mut draws, &chain.row, gibbs.dim()));
        }
    }
    moved.write_back(chains.iter_mut().map(|chain| (&mut *chain.row, &mut chain.rng)));
    draws
}

/// [`Target::sweep`] of chains that draw their layers together.
fn sweep_rows(
    transition: &BlockGibbs<'_>,
    dim: usize,
    chains: &mut [Chain],
    sweeps: Range<usize>,
    is_draw: impl Fn(usize) -> bool,
) -> Vec<u8> {
    let mut draws = Vec::new();
    let mut rows = BitMatrix::zeros(dim, chains.len());
    rows.rows_mut().zip(&*chains).for_each(|(row, chain)| row.copy_from_slice(&chain.row));
    let mut rngs: Vec<_> = chains.iter().map(|chain| chain.rng.clone()).collect();
    for sweep in sweeps {
        transition.step_rows(&mut rows, &mut rngs);
        if is_draw(sweep) {
            rows.as_batch().rows().for_each(|row| push_draw(&mut draws, row, dim));
        }
    }
    for ((chain, row), rng) in chains.iter_mut().zip(rows.as_batch().rows()).zip(rngs) {
        chain.row.copy_from_slice(row);
        chain.rng = rng;
    }
    draws
}
