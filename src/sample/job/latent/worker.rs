//! The worker of sampling the hidden variables of a table.

use super::plan::Plan;
use super::{Quantity, Round};
use crate::Result;
use crate::arrays::take_arrays;
use crate::diagnostics::{Draws, Summary};
use crate::models::ModelSpec;
use crate::models::latent::{LatentChain, Parts, Scan, Table, TableModel, log_normal};
use crate::rng::{ChainRng, Purpose, stream};
use crate::run::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use crate::sample::job::layout::interleave;
use crate::sample::job::spec::SampleSpec;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A chain between two rounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChainState {
    /// The state of a [`LatentChain`].
    #[serde(with = "crate::bytes::numbers")]
    pub state: Vec<f64>,
    /// Its random numbers.
    pub rng: ChainRng,
}

/// Sums over draws.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Sums {
    /// Σ (m − y), with m = z·features, `[N, D]`.
    #[serde(with = "crate::bytes::numbers")]
    pub errors: Vec<f64>,
    /// Σ (m − y)², `[N, D]`.
    #[serde(with = "crate::bytes::numbers")]
    pub squares: Vec<f64>,
    /// In how many draws two rows i < j share a cluster, row after row.
    pub same: Vec<u64>,
}

/// A shard's part of a round of steps.
#[derive(Serialize, Deserialize)]
pub struct StepsPart {
    /// The chains after the round.
    pub chains: Vec<ChainState>,
    /// Their draws: those of all chains for the first draw, and so on.
    #[serde(with = "crate::bytes::numbers")]
    pub draws: Vec<f64>,
    /// Sums over these draws.
    pub sums: Sums,
}

/// Works groups of chains, then summaries.
pub struct LatentWorker {
    /// Without its rows.
    model: ModelSpec,
    pub(super) table: Arc<Table>,
    pub(super) plan: Plan,
    pub(super) quantities: Vec<Quantity>,
    pub(super) round: Round,
}

/// A shard's chains on their way through a round.
struct Moving {
    chains: Vec<(Box<dyn LatentChain>, ChainRng)>,
    /// The chain that moves, and how many steps it has made.
    at: usize,
    step: usize,
    /// Draws by chain.
    draws: Vec<Vec<f64>>,
    sums: Sums,
}

impl Sums {
    /// Sums of nothing.
    pub fn new(plan: &Plan) -> Self {
        Self {
            errors: vec![0.0; plan.num_entries()],
            squares: vec![0.0; plan.num_entries()],
            same: vec![0; plan.num_pairs()],
        }
    }

    /// Whether the lengths are those of this plan.
    pub fn has_shape_of(&self, plan: &Plan) -> bool {
        [self.errors.len(), self.squares.len()] == [plan.num_entries(); 2]
            && self.same.len() == plan.num_pairs()
    }

    /// Adds other sums.
    pub fn add(&mut self, other: &Self) {
        for (to, from) in [(&mut self.errors, &other.errors), (&mut self.squares, &other.squares)] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        self.same.iter_mut().zip(&other.same).for_each(|(to, from)| *to += from);
    }

    /// Adds a draw whose rows have these means and, if pairs are counted, these clusters.
    fn add_draw(&mut self, table: &Table, means: &[f64], clusters: &[f64]) {
        let sums = self.errors.iter_mut().zip(&mut self.squares);
        for ((error, square), (mean, y)) in sums.zip(means.iter().zip(&table.values)) {
            *error += mean - y;
            *square += (mean - y) * (mean - y);
        }
        if self.same.is_empty() {
            return;
        }
        let mut pairs = self.same.iter_mut();
        for (row, a) in clusters.iter().enumerate() {
            for (b, count) in clusters[row + 1..].iter().zip(&mut pairs) {
                *count += u64::from(a == b);
            }
        }
    }
}

impl LatentWorker {
    /// The worker of a checked spec.
    ///
    /// # Errors
    /// Any error of the model's spec.
    pub fn new(spec: &SampleSpec, model: &dyn TableModel) -> Result<Self> {
        let table = Arc::new(model.table()?);
        let plan = Plan::new(spec, model, table.num_rows());
        let quantities = Quantity::of(model);
        let mut model = spec.model.clone();
        take_arrays(&mut model);
        let round = plan.round(0);
        Ok(Self { model, table, plan, quantities, round })
    }

    fn model(&self) -> &dyn TableModel {
        self.model.as_table_model().expect("checked when the worker was made")
    }

    fn chain(&self) -> Box<dyn LatentChain> {
        self.model().chain(self.table.clone())
    }

    /// A chain at a draw of the prior.
    pub fn begin(&self, seed: u64, index: usize) -> ChainState {
        let mut rng = stream(seed, Purpose::Chain, index as u64);
        let mut chain = self.chain();
        chain.draw_prior(self.plan.num_rows, &mut rng);
        ChainState { state: chain.state(), rng }
    }

    /// Whether this is a state of a chain, as it is unless a checkpoint was tampered with.
    pub fn is_state(&self, state: &[f64]) -> bool {
        if state.len() != self.plan.state_width() || !state.iter().all(|entry| entry.is_finite()) {
            return false;
        }
        let hidden = &state[..self.plan.num_hidden()];
        if let Some(choices) = self.model().enumerated(self.table.clone()) {
            let choices = 0..choices.num_choices();
            if !hidden.iter().all(|z| choices.clone().any(|choice| choice as f64 == *z)) {
                return false;
            }
        }
        let mut chain = self.chain();
        chain.set_state(state);
        let Parts { variances, .. } = chain.parts();
        variances.signal > 0.0 && variances.noise > 0.0
    }

    fn moving(&self, scattered: &[u8]) -> Moving {
        let states: Vec<ChainState> = unpack(scattered).expect("chains");
        let draws = vec![Vec::new(); states.len()];
        let chains = states.into_iter().map(|ChainState { state, rng }| {
            let mut chain = self.chain();
            chain.set_state(&state);
            (chain, rng)
        });
        Moving { chains: chains.collect(), at: 0, step: 0, draws, sums: Sums::new(&self.plan) }
    }

    /// Moves a shard's chains, one after another, by a piece; its part, once all are there.
    fn move_piece(&self, moving: &mut Moving, [start, end]: [usize; 2]) -> Option<StepsPart> {
        let num_steps = end - start;
        let until = num_steps.min(moving.step + self.plan.steps_per_piece);
        let (chain, rng) = &mut moving.chains[moving.at];
        for step in moving.step..until {
            chain.sweep(1.0, Scan::Forward, rng);
            if self.plan.is_draw(start + step) {
                chain.complete(rng);
                self.add_draw(&**chain, &mut moving.draws[moving.at], &mut moving.sums);
            }
        }
        moving.step = until;
        if until < num_steps {
            return None;
        }
        (moving.at, moving.step) = (moving.at + 1, 0);
        if moving.at < moving.chains.len() {
            return None;
        }
        let num_draws = self.plan.draws_before(end) - self.plan.draws_before(start);
        let mut draws = Vec::new();
        interleave(&mut draws, num_draws, moving.draws.iter().map(Vec::as_slice));
        let chains = moving.chains.iter();
        let chains =
            chains.map(|(chain, rng)| ChainState { state: chain.state(), rng: rng.clone() });
        let chains = chains.collect();
        Some(StepsPart { chains, draws, sums: std::mem::take(&mut moving.sums) })
    }

    fn add_draw(&self, chain: &dyn LatentChain, draws: &mut Vec<f64>, sums: &mut Sums) {
        let Parts { hidden, features, variances, .. } = chain.parts();
        let means = chain.means();
        let errors = means.iter().zip(&self.table.values).map(|(mean, y)| mean - y);
        let square = errors.map(|error| error * error).sum();
        let log_likelihood = log_normal(square, variances.noise, means.len());
        sums.add_draw(&self.table, &means, &hidden);
        draws.extend(hidden);
        draws.extend(features);
        draws.extend([variances.signal, variances.noise, chain.log_complete_joint()]);
        draws.extend([log_likelihood, chain.num_in_use().map_or(0.0, |count| count as f64)]);
    }
}

impl ShardWorker for LatentWorker {
    fn num_shards(&self) -> usize {
        match self.round {
            Round::Steps { .. } => self.plan.num_shards(),
            Round::Summaries => self.quantities.len(),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.round = unpack(broadcast).expect("a round");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        _shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        match self.round {
            Round::Steps { start, end } => {
                let moving = unfinished.get_or_insert_with(|| self.moving(scattered));
                let part = self.move_piece(moving, [start as usize, end as usize])?;
                unfinished.clear();
                Some(pack(&part))
            }
            Round::Summaries => {
                let values: Vec<f64> = unpack(scattered).expect("a quantity's draws");
                let draws = Draws::new(self.plan.num_chains, &values).expect("chains of draws");
                Some(pack(&Summary::of(draws)))
            }
        }
    }
}
