//! The worker of binary sampling: it makes the sweeps of chains, then counts pairs in their draws.

use super::motion::Motion;
use super::plan::{Plan, Round};
#[cfg(feature = "full")]
use crate::run::LatticeWork;
use crate::run::{ShardWorker, pack, unpack};
use crate::sample::job::spec::SampleSpec;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A shard's part of a round of sweeps.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SweepPart<M: Motion> {
    /// The chains after the round.
    pub chains: Vec<M::Chain>,
    /// What was recorded of them.
    pub record: M::Record,
    /// Their draws: those of all chains for the first draw, and so on.
    pub draws: Vec<u8>,
    /// The draws' energies, if asked for.
    pub energies: Vec<f64>,
}

/// Counts of pairs of ones, for the pairs of a round's sites.
#[derive(Serialize, Deserialize)]
pub struct CountPart {
    /// Σ over chains of the number of draws in which both bits are 1.
    pub sums: Vec<u64>,
    /// Σ over chains of the square of that number.
    pub squares: Vec<u64>,
}

/// Works shards of chains.
pub struct SampleWorker<M> {
    pub(super) motion: M,
    pub(super) plan: Plan,
    round: Round,
}

impl<M: Motion> SampleWorker<M> {
    /// The worker of a checked spec, whose chains move this way.
    pub fn new(spec: &SampleSpec, motion: M) -> Self {
        let plan = Plan::new(spec, &motion);
        let round = plan.round(0);
        Self { motion, plan, round }
    }

    fn sweep(&self, mut chains: Vec<M::Chain>, sweeps: Range<usize>) -> SweepPart<M> {
        let swept = self.motion.sweep(&mut chains, sweeps, |sweep| self.plan.is_draw(sweep));
        self.part(chains, swept)
    }

    fn part(&self, chains: Vec<M::Chain>, (draws, record): (Vec<u8>, M::Record)) -> SweepPart<M> {
        let energies = match self.plan.has_energies {
            true => self.motion.target().energies(&draws),
            false => Vec::new(),
        };
        SweepPart { chains, record, draws, energies }
    }

    /// Counts pairs; `draws` are in order of chains.
    fn count(&self, draws: &[u8], sites: Range<usize>) -> CountPart {
        let plan = &self.plan;
        let num_pairs = plan.first_pair(sites.end) - plan.first_pair(sites.start);
        let mut counted = CountPart { sums: vec![0; num_pairs], squares: vec![0; num_pairs] };
        for draws in draws.chunks_exact(plan.num_draws * plan.draw_bytes()) {
            let columns = columns_of(draws, plan.dim, sites.start);
            let width = plan.num_draws.div_ceil(64);
            let column = |site: usize| &columns[(site - sites.start) * width..][..width];
            let mut pair = 0;
            for i in sites.clone() {
                for j in i..plan.dim {
                    let both = column(i)
                        .iter()
                        .zip(column(j))
                        .map(|(a, b)| u64::from((a & b).count_ones()));
                    let count = both.sum::<u64>();
                    counted.sums[pair] += count;
                    counted.squares[pair] += count * count;
                    pair += 1;
                }
            }
        }
        counted
    }
}

/// The bits of draws by site, starting at site `first`: 64 draws per word.
fn columns_of(draws: &[u8], dim: usize, first: usize) -> Vec<u64> {
    let draw_bytes = dim.div_ceil(8);
    let width = (draws.len() / draw_bytes).div_ceil(64);
    let mut columns = vec![0u64; (dim - first) * width];
    for (draw, bytes) in draws.chunks_exact(draw_bytes).enumerate() {
        for site in first..dim {
            let bit = u64::from(bytes[site / 8] >> (site % 8) & 1);
            columns[(site - first) * width + draw / 64] |= bit << (draw % 64);
        }
    }
    columns
}

impl<M: Motion> ShardWorker for SampleWorker<M> {
    fn num_shards(&self) -> usize {
        self.plan.num_shards
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (index, count): (u64, u32) = unpack(broadcast).expect("a round's number");
        self.round = self.plan.merged(index as usize, count as usize).0;
    }

    fn work(&self, _shard: usize, scattered: &[u8]) -> Vec<u8> {
        match self.round.clone() {
            Round::Sweeps(sweeps) => pack(&self.sweep(unpack(scattered).expect("chains"), sweeps)),
            Round::Moments { sites, .. } => pack(&self.count(scattered, sites)),
        }
    }

    #[cfg(feature = "full")]
    fn is_lattice_work(&self) -> bool {
        self.motion.is_lattice_work() && matches!(self.round, Round::Sweeps(_))
    }

    #[cfg(feature = "full")]
    fn lattice_work(&self, scattered: &[u8]) -> Option<LatticeWork> {
        let Round::Sweeps(sweeps) = self.round.clone() else { return None };
        let chains: Vec<M::Chain> = unpack(scattered).expect("chains");
        self.motion.lattice_work(&chains, sweeps, |sweep| self.plan.is_draw(sweep))
    }

    #[cfg(feature = "full")]
    fn take_lattices(&self, scattered: &[u8], states: &[u32]) -> Vec<u8> {
        let Round::Sweeps(sweeps) = self.round.clone() else { panic!("a round of sweeps") };
        let mut chains: Vec<M::Chain> = unpack(scattered).expect("chains");
        let is_draw = |sweep| self.plan.is_draw(sweep);
        let swept = self.motion.take_lattices(&mut chains, sweeps, is_draw, states);
        pack(&self.part(chains, swept))
    }
}
