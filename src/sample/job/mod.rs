//! The job that draws from a model with independent Markov chains ([`target`]). Rounds of sweeps
//! come first: a shard is scattered the states and generators of its group of chains, and returns
//! them after the sweeps, with the draws taken. Then come rounds that count, in the draws of each
//! chain, how often two bits are both 1.
//!
//! With n_c the count of a pair in chain c of C with N draws each, the moment is Σ n_c / (C N). Its
//! standard error from the variance between chains is `√((C Σ n_c² − (Σ n_c)²) / (C² (C − 1) N²))`,
//! computed from exact integers.

#[cfg(feature = "full")]
mod agreement;
mod chain;
#[cfg(feature = "full")]
pub mod continuous;
#[cfg(feature = "full")]
mod device;
#[cfg(feature = "full")]
pub mod latent;
mod layout;
mod memory;
pub mod motion;
#[cfg(feature = "full")]
mod observed;
pub mod output;
mod plan;
pub mod report;
pub mod spec;
pub mod target;
#[cfg(feature = "full")]
pub mod tempered;
#[cfg(feature = "full")]
pub mod tempering_report;
mod verb;
mod worker;

pub use memory::MAX_BYTES;
pub use worker::SampleWorker;

use crate::bits::{BitMatrix, words_per_row};
use crate::diagnostics::{self, Summary};
use crate::digest::Digest;
use crate::rng::{Purpose, stream};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::sample::job::output::SampleOutput;
use crate::sample::job::report::{Draws, NewDraws, SampleProgress, SampleResult};
use crate::sample::job::spec::{SampleSpec, StartSpec};
use crate::{Error, Result};
use layout::{by_chain, interleave};
use memory::MemoryEstimate;
use motion::Motion;
use plan::Round;
use serde::{Deserialize, Serialize};
use worker::{CountPart, SweepPart};

/// Maximum number of sites: the moments of pairs and their errors take 32 D² bytes in total, 2 GiB.
pub const MAX_DIM: usize = 1 << 13;

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct State<M: Motion> {
    /// Number of rounds done.
    round: u64,
    chains: Vec<M::Chain>,
    record: M::Record,
    /// All draws, draw-major.
    draws: Vec<u8>,
    /// The energies of the draws, if asked for.
    energies: Vec<f64>,
    /// Σ n_c and Σ n_c² for the pairs i ≤ j; empty before they are counted.
    sums: Vec<u64>,
    squares: Vec<u64>,
}

/// Coordinates sampling of binary states.
pub struct SampleCoordinator<M: Motion> {
    worker: SampleWorker<M>,
    seed: u64,
    /// Most rounds of the plan that are done as one.
    round_factor: u32,
    state: State<M>,
}

impl<M: Motion> SampleCoordinator<M> {
    /// The coordinator before the first sweep. `data` are the rows to start from, if the spec asks
    /// for that.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if draws or chains would take too much memory;
    /// [`Error::InvalidSpec`] if the data have another dimension;
    /// [`Error::MissingCapability`] if chains start at exact draws and the model has none.
    pub fn new(
        spec: &SampleSpec,
        worker: SampleWorker<M>,
        data: Option<&BitMatrix>,
    ) -> Result<Self> {
        check(&worker, data)?;
        let (seed, target) = (spec.seed.unwrap_or(0), worker.motion.target());
        let exact = match spec.start {
            StartSpec::Exact {} => Some(target.exact_draws()?),
            _ => None,
        };
        let state_dim = target.state_dim();
        let chains = (0..worker.plan.num_chains).map(|index| {
            let rng = &mut stream(seed, Purpose::InitialState, index as u64);
            let mut state = || match (&exact, data) {
                (None, Some(data)) => target.state_of(data.row(index % data.num_rows()), rng),
                (exact, _) => {
                    let mut row = vec![0; words_per_row(state_dim)];
                    match exact {
                        Some(draws) => draws.draw(rng, &mut row),
                        None => target.fill_random(&mut row, rng),
                    }
                    row
                }
            };
            worker.motion.begin(seed, index, &mut state)
        });
        let state = State {
            round: 0,
            chains: chains.collect(),
            record: M::Record::default(),
            draws: Vec::new(),
            energies: Vec::new(),
            sums: Vec::new(),
            squares: Vec::new(),
        };
        Ok(Self { worker, seed, round_factor: 1, state })
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// The errors of [`SampleCoordinator::new`], except for exact draws; [`Error::BadCheckpoint`]
    /// if the snapshot is not one of this job.
    pub fn resume(
        spec: &SampleSpec,
        worker: SampleWorker<M>,
        data: Option<&BitMatrix>,
        snapshot: &[u8],
    ) -> Result<Self> {
        check(&worker, data)?;
        let state: State<M> = unpack(snapshot)?;
        let plan = &worker.plan;
        let round = usize::try_from(state.round).ok().filter(|&round| round <= plan.num_rounds());
        let num_rows = round.map(|round| plan.draws_before(round) * plan.num_chains);
        let sound = num_rows.is_some_and(|rows| rows * plan.draw_bytes() == state.draws.len())
            && state.chains.len() == plan.num_chains
            && state.chains.iter().all(|chain| worker.motion.is_valid(chain))
            && (!plan.has_energies
                || num_rows.is_some_and(|rows| [0, rows].contains(&state.energies.len())))
            && state.sums.len() == state.squares.len()
            && (state.sums.is_empty() || state.sums.len() == plan.num_pairs())
            && are_counts(&state.sums, &state.squares, plan.num_chains, plan.num_draws);
        if !sound {
            return Err(inconsistent());
        }
        Ok(Self { worker, seed: spec.seed.unwrap_or(0), round_factor: 1, state })
    }

    /// What the next round does, and the number of rounds of the plan that are then done.
    fn next(&self) -> (Round, usize) {
        self.worker.plan.merged(self.state.round as usize, self.round_factor as usize)
    }

    /// The draws of these chains, chain after chain.
    fn draws_by_chain(&self, chains: std::ops::Range<usize>) -> Vec<u8> {
        let plan = &self.worker.plan;
        let mut bytes = Vec::with_capacity(chains.len() * plan.num_draws * plan.draw_bytes());
        by_chain(&self.state.draws, plan.draw_bytes(), plan.num_chains, chains)
            .for_each(|draw| bytes.extend_from_slice(draw));
        bytes
    }

    /// The shard's chains that are counted in a round.
    fn counted_chains(
        &self,
        shard: usize,
        places: &std::ops::Range<usize>,
    ) -> std::ops::Range<usize> {
        let chains = self.worker.plan.chains(shard);
        let at = |place: usize| (chains.start + place).min(chains.end);
        at(places.start)..at(places.end)
    }

    fn gather_sweeps(&mut self, parts: &[Vec<u8>], num_draws: usize, num_sweeps: usize) {
        let parts: Vec<SweepPart<M>> =
            parts.iter().map(|part| unpack(part).expect("swept chains")).collect();
        interleave(&mut self.state.draws, num_draws, parts.iter().map(|part| &part.draws[..]));
        interleave(
            &mut self.state.energies,
            num_draws,
            parts.iter().map(|part| &part.energies[..]),
        );
        self.state.chains.clear();
        for part in parts {
            self.state.chains.extend(part.chains);
            M::join(&mut self.state.record, part.record);
        }
        assert_eq!(self.state.chains.len(), self.worker.plan.num_chains);
        if self.worker.motion.adaptations().contains(&num_sweeps) {
            self.worker.motion.adapt(&mut self.state.chains, num_sweeps);
        }
    }

    fn gather_counts(&mut self, parts: &[Vec<u8>], sites: std::ops::Range<usize>) {
        let plan = &self.worker.plan;
        self.state.sums.resize(plan.num_pairs(), 0);
        self.state.squares.resize(plan.num_pairs(), 0);
        let pairs = plan.first_pair(sites.start)..plan.first_pair(sites.end);
        for part in parts {
            let part: CountPart = unpack(part).expect("counts");
            add(&mut self.state.sums[pairs.clone()], &part.sums);
            add(&mut self.state.squares[pairs.clone()], &part.squares);
        }
    }

    /// The summary of the energies, if they are known.
    fn energy_summary(&self) -> Option<Summary> {
        let num_chains = self.worker.plan.num_chains;
        let energies =
            by_chain(&self.state.energies, 1, num_chains, 0..num_chains).flatten().copied();
        let energies: Vec<f64> = energies.collect();
        diagnostics::Draws::new(num_chains, &energies).ok().map(Summary::of)
    }

    /// Moments and their standard errors, `[dim, dim]` each.
    fn moments(&self) -> (Vec<f64>, Vec<f64>) {
        let plan = &self.worker.plan;
        if !plan.has_moments {
            return (Vec::new(), Vec::new());
        }
        let (dim, num_chains, num_draws) =
            (plan.dim, plan.num_chains as f64, plan.num_draws as f64);
        let mut moments = vec![0.0; dim * dim];
        let mut errors = vec![0.0; dim * dim];
        let mut pairs = self.state.sums.iter().zip(&self.state.squares);
        for i in 0..dim {
            for (j, (&sum, &square)) in (i..dim).zip(&mut pairs) {
                let moment = sum as f64 / (num_chains * num_draws);
                // It is negative only for sums that no draws have, from a forged checkpoint.
                let spread = (plan.num_chains as u128 * u128::from(square))
                    .saturating_sub(u128::from(sum) * u128::from(sum));
                let error = (spread as f64 / (num_chains - 1.0)).sqrt() / (num_chains * num_draws);
                for at in [i * dim + j, j * dim + i] {
                    moments[at] = moment;
                    errors[at] = if plan.num_chains > 1 { error } else { f64::NAN };
                }
            }
        }
        (moments, errors)
    }
}

/// Maximum size of the draws in a report, 4 MiB: older ones are left out.
const MAX_REPORTED: usize = 1 << 22;

/// The first draw to report, if the first `since` are known and each has `draw_bytes` bytes.
fn first_reported(since: usize, num_draws: usize, draw_bytes: usize) -> usize {
    since.clamp(num_draws.saturating_sub((MAX_REPORTED / draw_bytes).max(1)), num_draws)
}

/// Whether `num_chains` chains of `num_draws` draws each can have these Σ n_c and Σ n_c².
fn are_counts(sums: &[u64], squares: &[u64], num_chains: usize, num_draws: usize) -> bool {
    let num_draws = num_draws as u128;
    let most = num_chains as u128 * num_draws;
    let is_most = |counts: &[u64], most: u128| counts.iter().all(|&n| u128::from(n) <= most);
    is_most(sums, most) && is_most(squares, most * num_draws)
}

fn add(sums: &mut [u64], more: &[u64]) {
    assert_eq!(sums.len(), more.len());
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Checks that chains and draws fit into memory, and that the data to start from match the model.
fn check<M: Motion>(worker: &SampleWorker<M>, data: Option<&BitMatrix>) -> Result<()> {
    let plan = &worker.plan;
    let dim = plan.dim;
    let (target, num_states) = (worker.motion.target(), worker.motion.num_states());
    let state_dim = target.state_dim();
    let estimate = MemoryEstimate {
        num_chains: plan.num_chains,
        num_draws: plan.num_draws,
        draw_bytes: plan.draw_bytes() as u64,
        chain_bytes: (8 * (words_per_row(state_dim) + 8) * num_states) as u64,
        state: format!("{dim} bits"),
    };
    estimate.check()?;
    if plan.has_moments && dim > MAX_DIM {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!(
                "is {dim}, and the moments of all pairs are counted up to {MAX_DIM} sites; set `moments` \
                     to false"
            ),
        });
    }
    if let Some(data) = data.filter(|data| data.dim() != dim) {
        return Err(Error::spec(
            "model.dim",
            format!(
                "is {dim}, but the data to start from have {} bits a row; make them equal",
                data.dim()
            ),
        ));
    }
    data.map_or(Ok(()), |data| target.check_rows(data))
}

impl<M: Motion> Coordinator for SampleCoordinator<M> {
    type Progress = SampleProgress;
    type Output = SampleOutput;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&(self.state.round, self.round_factor))
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match self.next().0 {
            Round::Sweeps(_) => pack(&&self.state.chains[self.worker.plan.chains(shard)]),
            Round::Moments { chains, .. } => {
                self.draws_by_chain(self.counted_chains(shard, &chains))
            }
        }
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.round_factor = factor;
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.plan.num_shards);
        let plan = &self.worker.plan;
        let start = self.state.round as usize;
        let (round, end) = self.next();
        let num_draws = plan.draws_before(end) - plan.draws_before(start);
        match round {
            Round::Sweeps(sweeps) => self.gather_sweeps(parts, num_draws, sweeps.end),
            Round::Moments { sites, .. } => self.gather_counts(parts, sites),
        }
        self.state.round = end as u64;
    }

    fn is_done(&self) -> bool {
        self.state.round as usize == self.worker.plan.num_rounds()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> SampleProgress {
        let plan = &self.worker.plan;
        SampleProgress {
            verb: "sample",
            num_draws: plan.draws_before(self.state.round as usize),
            fraction: self.state.round as f64 / plan.num_rounds() as f64,
            done: self.is_done(),
            new_draws: None,
        }
    }

    fn progress_since(&self, since: usize) -> SampleProgress {
        let plan = &self.worker.plan;
        let width = plan.num_chains * plan.draw_bytes();
        let num_draws = self.state.draws.len() / width;
        let first_draw = first_reported(since, num_draws, width);
        let new_draws = NewDraws {
            dim: plan.dim,
            num_chains: plan.num_chains,
            first_draw,
            num_draws: num_draws - first_draw,
            bits: Some(self.state.draws[first_draw * width..].to_vec()),
            values: None,
            energies: (!self.state.energies.is_empty())
                .then(|| self.state.energies[first_draw * plan.num_chains..].to_vec()),
            paths: None,
        };
        SampleProgress { new_draws: Some(new_draws), ..self.progress() }
    }

    fn result(&self) -> Option<SampleOutput> {
        if !self.is_done() {
            return None;
        }
        let plan = &self.worker.plan;
        let (moments, moment_errors) = self.moments();
        let bits = self.state.draws.clone();
        #[cfg(feature = "full")]
        let tempering = self.worker.motion.report(&self.state.chains, &self.state.record);
        let digest = Digest::new()
            .bytes("draws", &bits)
            .f64s("moments", &moments)
            // Absent with one chain, as the bits of a NaN are not specified.
            .f64s("momentErrors", if plan.num_chains > 1 { &moment_errors } else { &[] });
        #[cfg(feature = "full")]
        let digest = match &tempering {
            Some(tempering) => tempering.add_to(digest),
            None => digest,
        };
        let draws = Draws { dim: plan.dim, num_rows: plan.num_chains * plan.num_draws, bits };
        Some(SampleOutput::Bits(SampleResult {
            draws,
            energies: self.state.energies.clone(),
            energy_summary: self.energy_summary(),
            moments,
            moment_errors,
            num_differences: self
                .worker
                .motion
                .differences_per_sweep()
                .map(|each| each * (plan.num_chains * plan.num_sweeps()) as u64),
            #[cfg(feature = "full")]
            tempering,
            seed: self.seed,
            digest: digest.hex(),
        }))
    }
}
