//! What works shards of chains: first their sweeps, then pair counts of their
//! draws.

use super::super::spec::{SampleSpec, TransitionSpec};
use super::super::{ShardWorker, pack, unpack};
use super::plan::{Plan, Round};
use super::transition::{check, sweep_cost};
use crate::Result;
use crate::models::Model;
use crate::rng::ChainRng;
use crate::sample::Transition;
use crate::sample::block_gibbs::BlockGibbs;
use crate::sample::gibbs::Gibbs;
use serde::{Deserialize, Serialize};

/// A chain between two sweeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The state's words.
    pub row: Vec<u64>,
    /// The stream of its moves.
    pub rng: ChainRng,
}

/// What a shard makes of its chains in a round of sweeps.
#[derive(Serialize, Deserialize)]
pub struct Swept {
    /// The chains after it.
    pub chains: Vec<Chain>,
    /// Their draws, all chains of the first draw and so on.
    pub draws: Vec<u8>,
}

/// Counts of pairs of ones, for the pairs of a round's sites.
#[derive(Serialize, Deserialize)]
pub struct Counted {
    /// Σ over chains of the number of draws with both ones.
    pub sums: Vec<u64>,
    /// Σ over chains of its square.
    pub squares: Vec<u64>,
}

/// Works shards of chains.
pub struct SampleWorker {
    pub(super) model: Box<dyn Model>,
    transition: TransitionSpec,
    pub(super) plan: Plan,
    round: Round,
}

impl SampleWorker {
    /// Checks that the model can be sampled so.
    ///
    /// # Errors
    /// Of the model's spec; [`crate::Error::MissingCapability`] if its states
    /// cannot move so.
    pub fn new(spec: &SampleSpec) -> Result<Self> {
        let model = spec.model.build()?;
        check(&spec.transition, &*model)?;
        let plan = Plan::new(spec, model.dim(), sweep_cost(&spec.transition, &*model));
        let round = plan.round(0);
        Ok(Self { model, transition: spec.transition.clone(), plan, round })
    }

    fn sweep(&self, chains: Vec<Chain>, sweeps: std::ops::Range<usize>) -> Swept {
        const CHECKED: &str = "checked when the worker was made";
        match self.transition {
            TransitionSpec::Gibbs {} => {
                let model = self.model.as_site_flips().expect(CHECKED);
                self.sweep_by(&Gibbs::new(model), chains, sweeps)
            }
            TransitionSpec::BlockGibbs {} => {
                let model = self.model.as_hidden_units().expect(CHECKED);
                self.sweep_by(&BlockGibbs::new(model), chains, sweeps)
            }
        }
    }

    fn sweep_by(
        &self,
        transition: &impl Transition,
        mut chains: Vec<Chain>,
        sweeps: std::ops::Range<usize>,
    ) -> Swept {
        let mut draws = Vec::new();
        for sweep in sweeps {
            for chain in &mut chains {
                transition.step(&mut chain.row, &mut chain.rng);
                if self.plan.is_draw(sweep) {
                    let bytes = chain.row.iter().flat_map(|word| word.to_le_bytes());
                    draws.extend(bytes.take(self.plan.draw_bytes()));
                }
            }
        }
        Swept { chains, draws }
    }

    /// `draws`: those of one chain after those of another.
    fn count(&self, draws: &[u8], sites: std::ops::Range<usize>) -> Counted {
        let plan = &self.plan;
        let num_pairs = plan.first_pair(sites.end) - plan.first_pair(sites.start);
        let mut counted = Counted { sums: vec![0; num_pairs], squares: vec![0; num_pairs] };
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

/// The bits of draws by site, from site `first` on: 64 draws to a word.
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

impl ShardWorker for SampleWorker {
    fn num_shards(&self) -> usize {
        self.plan.num_shards
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let index: u64 = unpack(broadcast).expect("a round's number");
        self.round = self.plan.round(index as usize);
    }

    fn work(&self, _shard: usize, scattered: &[u8]) -> Vec<u8> {
        match self.round.clone() {
            Round::Sweeps(sweeps) => pack(&self.sweep(unpack(scattered).expect("chains"), sweeps)),
            Round::Moments { sites, .. } => pack(&self.count(scattered, sites)),
        }
    }
}
