//! The evidence ln p(Y) of a table under a model with hidden variables, by twelve estimators: Grosse, PhD
//! thesis (2014), chapters 2, 6 and 7. It is log Z of the energy −ln p(θ, z, Y).
//!
//! A shard is a trial. A table drawn from the model comes with an exact draw of the posterior, the
//! variables that it was made of, and so with certified bounds from above.

mod combine;
mod density;
pub mod estimators;
pub mod report;
pub mod spec;
mod warnings;

use crate::bits::BitMatrix;
use crate::digest::Digest;
use crate::models::latent::exact::TableSum;
use crate::models::latent::{Parts, Table, TableModel, TablePrior, draw_index};
use crate::rng::{ChainRng, Purpose, stream};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Unfinished, Verb, inconsistent,
    pack, unpack, work_by_pieces,
};
use crate::{Error, Result};
use combine::{Combination, both_directions};
use density::{DensityChain, Pair};
use estimators::{
    Annealing, Beginning, Bic, Chib, Compositional, Exact, HarmonicMean, Integration,
    LikelihoodWeighting, NestedSampling, Outcome, ParticleLearning, PriorWalker, ReverseAnnealing,
    SequentialHarmonicMean, Start, Trial, VariationalBayes, Walker,
};
use report::{EvidenceProgress, EvidenceResult, LatentDraw, ReverseTrials, SimulatedTable};
use spec::{EstimatorSpec, EvidenceSpec, LatentModelSpec};
use std::sync::Arc;

/// Maximum number of trials of a round.
const TRIALS_PER_ROUND: usize = 8;

/// Multiplications of a piece of a trial: some milliseconds.
const PIECE_COST: usize = 1 << 20;

/// Works trials.
pub struct EvidenceWorker {
    spec: EvidenceSpec,
    seed: u64,
    table: Arc<Table>,
    /// The density and its reference, in the place of a table.
    pair: Option<Arc<Pair>>,
    /// The sum over all hidden states, if the estimator is exact.
    exact: Option<Arc<TableSum>>,
    /// The state that the table was simulated from.
    truth: Option<Vec<f64>>,
    schedule: Arc<[f64]>,
    /// The first trial of the round, among all.
    first: usize,
}

impl EvidenceWorker {
    /// Makes the table and checks it.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn new(spec: &EvidenceSpec) -> Result<Self> {
        let seed = spec.seed.unwrap_or(0);
        let dim = spec.model.dim();
        let pair = match &spec.model {
            LatentModelSpec::Density { energy, reference } => {
                Some(Arc::new(Pair::new(energy, reference.as_deref())?))
            }
            _ => None,
        };
        let (table, truth) = match (&spec.states, &spec.simulate) {
            _ if pair.is_some() => (Table::new(dim, Vec::new()), None),
            (_, Some(simulate)) => {
                let num_rows = simulate.num_rows;
                let rng = &mut stream(simulate.seed.unwrap_or(seed), Purpose::SimulatedTable, 0);
                let mut chain =
                    spec.model.chain(Arc::new(Table::new(dim, vec![0.0; num_rows * dim])));
                chain.draw_prior(num_rows, rng);
                let table = Table::new(dim, chain.draw_rows(rng));
                (table, Some(chain.state()))
            }
            (Some(states), None) => (Table::new(dim, states.clone()), None),
            (None, None) => return Err(Error::spec("states", "are missing")),
        };
        let table = Arc::new(table);
        let exact = match spec.estimator {
            EstimatorSpec::Exact {} => Some(Exact::sum(spec.model.table_model(), table.clone())?),
            _ => None,
        };
        let schedule = spec.estimator.schedule().transpose()?.unwrap_or_default();
        Ok(Self {
            spec: spec.clone(),
            seed,
            table,
            pair,
            exact: exact.map(Arc::new),
            truth,
            schedule: schedule.into(),
            first: 0,
        })
    }

    /// Whether there are trials back, too.
    fn has_reverse(&self) -> bool {
        match self.spec.estimator {
            EstimatorSpec::Annealing { reverse, .. } => {
                reverse.unwrap_or(self.spec.simulate.is_some())
            }
            _ => false,
        }
    }

    /// Number of trials in one direction.
    fn num_trials(&self) -> usize {
        if self.spec.estimator.is_deterministic() { 1 } else { self.spec.num_trials }
    }

    /// Number of trials in all directions.
    fn num_all_trials(&self) -> usize {
        self.num_trials() * if self.has_reverse() { 2 } else { 1 }
    }

    fn walker(&self, rng: ChainRng) -> Walker {
        self.walker_of(self.spec.model.table_model(), rng)
    }

    fn walker_of(&self, model: &dyn TableModel, rng: ChainRng) -> Walker {
        let cost = model.sweep_cost(self.table.num_rows());
        Walker {
            chain: model.chain(self.table.clone()),
            rng,
            sweeps_per_piece: (PIECE_COST / cost).max(1),
        }
    }

    /// A chain over the prior of all rows, or over a density's reference.
    fn prior_walker(&self, rng: ChainRng) -> PriorWalker {
        if let Some(pair) = &self.pair {
            let sweeps_per_piece = (PIECE_COST / self.spec.model.sweep_cost(1)).max(1);
            let chain = Box::new(DensityChain::new(pair.clone()));
            return PriorWalker { chain, rng, sweeps_per_piece };
        }
        let Walker { chain, rng, sweeps_per_piece } = self.walker(rng);
        PriorWalker { chain: Box::new(TablePrior(chain)), rng, sweeps_per_piece }
    }

    fn beginning(&self) -> Beginning {
        Beginning::new(match &self.truth {
            Some(state) => Start::Simulated(state.clone()),
            None => Start::Warmup(self.spec.num_warmup),
        })
    }

    /// One trial, at its beginning.
    fn trial(&self, index: usize) -> Box<dyn Trial> {
        let num_trials = self.num_trials();
        let is_reverse = index >= num_trials;
        let purpose = if is_reverse { Purpose::EvidenceReverse } else { Purpose::EvidenceTrial };
        let rng = stream(self.seed, purpose, (index % num_trials) as u64);
        let schedule = || self.schedule.clone();
        let model = &self.spec.model;
        match self.spec.estimator {
            EstimatorSpec::LikelihoodWeighting { num_draws } => {
                Box::new(LikelihoodWeighting::new(self.prior_walker(rng), num_draws))
            }
            EstimatorSpec::NestedSampling { num_particles, num_sweeps } => {
                Box::new(NestedSampling::new(self.prior_walker(rng), num_particles, num_sweeps))
            }
            EstimatorSpec::Exact {} => {
                Box::new(Exact::new(self.exact.clone().expect("made with the worker")))
            }
            EstimatorSpec::HarmonicMean { num_draws } => {
                Box::new(HarmonicMean::new(self.walker(rng), self.beginning(), num_draws))
            }
            EstimatorSpec::Bic { num_restarts } => {
                Box::new(Bic::new(model.clone(), self.walker(rng), num_restarts))
            }
            EstimatorSpec::VariationalBayes { num_restarts, symmetry } => {
                Box::new(VariationalBayes::new(model, &self.table, num_restarts, symmetry, rng))
            }
            EstimatorSpec::Chib { num_sweeps } => {
                Box::new(Chib::new(self.walker(rng), self.beginning(), num_sweeps))
            }
            EstimatorSpec::ParticleLearning { num_sweeps } => {
                Box::new(ParticleLearning::new(self.walker(rng), num_sweeps))
            }
            EstimatorSpec::SequentialHarmonicMean { num_sweeps } => Box::new(
                SequentialHarmonicMean::new(self.walker(rng), self.beginning(), num_sweeps),
            ),
            EstimatorSpec::Annealing { .. } if is_reverse => {
                Box::new(ReverseAnnealing::new(self.walker(rng), self.beginning(), schedule()))
            }
            EstimatorSpec::Annealing { .. } => {
                Box::new(Annealing::new(self.walker(rng), schedule()))
            }
            EstimatorSpec::Compositional { .. } => {
                let LatentModelSpec::ClusteredLowRank(model) = model else {
                    panic!("refused by the check of the spec")
                };
                let walker = self.walker_of(&model.without_clusters(), rng);
                Box::new(Compositional::new(model.clone(), walker, schedule(), PIECE_COST))
            }
            EstimatorSpec::ThermodynamicIntegration { .. } => {
                Box::new(Integration::new(self.walker(rng), schedule()))
            }
        }
    }

    /// Number of entries of a state.
    fn state_len(&self) -> usize {
        match &self.pair {
            Some(pair) => pair.dim(),
            None => self.spec.model.table_model().state_len(self.table.num_rows()),
        }
    }

    /// What a state says, with all that is integrated out in it drawn by `rng`, if given.
    fn latent_draw(&self, state: &[f64], rng: Option<&mut ChainRng>) -> LatentDraw {
        let mut chain = self.spec.model.chain(self.table.clone());
        chain.set_state(state);
        if let Some(rng) = rng {
            chain.complete(rng);
        }
        let Parts { hidden, features, variances, column_clusters } = chain.parts();
        LatentDraw {
            hidden,
            features,
            column_clusters,
            signal_variance: variances.signal,
            noise_variance: variances.noise,
        }
    }
}

impl ShardWorker for EvidenceWorker {
    fn num_shards(&self) -> usize {
        (self.num_all_trials() - self.first).clamp(1, TRIALS_PER_ROUND)
    }

    /// The index of the round's first trial.
    fn prepare(&mut self, broadcast: &[u8]) {
        self.first = unpack::<u64>(broadcast).expect("an index") as usize;
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let trial = unfinished.get_or_insert_with(|| self.trial(self.first + shard));
        let outcome = trial.advance()?;
        unfinished.clear();
        Some(pack(&outcome))
    }
}

/// Collects the outcomes of the trials.
pub struct EvidenceCoordinator {
    worker: EvidenceWorker,
    outcomes: Vec<Outcome>,
}

impl EvidenceCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(mut worker: EvidenceWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let outcomes: Vec<Outcome> = snapshot.map_or(Ok(Vec::new()), unpack)?;
        let num_all = worker.num_all_trials();
        let begins_round = outcomes.len().is_multiple_of(TRIALS_PER_ROUND);
        let width = worker.state_len();
        let is_state = |state: &Vec<f64>| state.len() == width;
        if outcomes.len() > num_all
            || !(begins_round || outcomes.len() == num_all)
            || !outcomes.iter().filter_map(|outcome| outcome.state.as_ref()).all(is_state)
        {
            return Err(inconsistent());
        }
        worker.first = outcomes.len();
        Ok(Self { worker, outcomes })
    }

    fn trials(&self) -> Vec<f64> {
        self.outcomes.iter().map(|outcome| outcome.log_evidence).collect()
    }

    /// The last state of a trial, chosen by the weights where they are weights of these states.
    fn draw(&self) -> Option<LatentDraw> {
        let worker = &self.worker;
        if worker.pair.is_some() {
            return None;
        }
        let outcomes = &self.outcomes[..worker.num_trials()];
        let states: Vec<&Vec<f64>> =
            outcomes.iter().filter_map(|outcome| outcome.state.as_ref()).collect();
        let rng = &mut stream(worker.seed, Purpose::EvidenceTrial, u64::MAX);
        let is_weighted = Combination::of(&worker.spec.estimator) == Combination::Mean;
        let chosen = if is_weighted && states.len() == outcomes.len() {
            let mut log_weights: Vec<f64> =
                outcomes.iter().map(|outcome| outcome.log_evidence).collect();
            states[draw_index(&mut log_weights, rng)]
        } else {
            states.first()?
        };
        Some(worker.latent_draw(chosen, Some(rng)))
    }
}

impl Coordinator for EvidenceCoordinator {
    type Progress = EvidenceProgress;
    type Output = EvidenceResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&(self.outcomes.len() as u64))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        self.outcomes.extend(parts.iter().map(|part| unpack::<Outcome>(part).expect("an outcome")));
        self.worker.first = self.outcomes.len();
    }

    fn is_done(&self) -> bool {
        self.outcomes.len() == self.worker.num_all_trials()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.outcomes)
    }

    fn progress(&self) -> EvidenceProgress {
        EvidenceProgress {
            verb: "evidence",
            trials: self.trials(),
            fraction: self.outcomes.len() as f64 / self.worker.num_all_trials() as f64,
            done: self.is_done(),
        }
    }

    fn result(&self) -> Option<EvidenceResult> {
        if !self.is_done() {
            return None;
        }
        let worker = &self.worker;
        let spec = &worker.spec;
        let all = self.trials();
        let (trials, reverse) = all.split_at(worker.num_trials());
        let combination = Combination::of(&spec.estimator);
        let trial_errors: Vec<f64> =
            self.outcomes[..trials.len()].iter().map(|outcome| outcome.standard_error).collect();
        let mut forward = combination.estimate(trials, spec.confidence);
        if let ([error], true) = (&trial_errors[..], forward.standard_error.is_nan()) {
            forward.standard_error = *error;
        }
        let reverse = (!reverse.is_empty()).then(|| ReverseTrials {
            log_z: Combination::HarmonicMean.estimate(reverse, spec.confidence),
            trials: reverse.to_vec(),
        });
        let best = match &reverse {
            Some(reverse) if worker.truth.is_some() => {
                both_directions(trials, &reverse.trials, [forward, reverse.log_z], spec.confidence)
            }
            _ => forward,
        };
        let of_reverse = reverse.as_ref().map(|reverse| reverse.log_z.value);
        let bounds = combination.bounds(
            &spec.estimator,
            forward.value,
            of_reverse,
            spec.confidence,
            worker.truth.is_some(),
        );
        let simulated = worker.truth.as_ref().map(|truth| SimulatedTable {
            states: worker.table.values.clone(),
            truth: worker.latent_draw(truth, None),
        });
        let num_steps: Vec<f64> =
            self.outcomes[..trials.len()].iter().map(|outcome| outcome.num_steps).collect();
        let mut result = EvidenceResult {
            log_z: best.value,
            standard_error: best.standard_error,
            interval: best.interval,
            combination: combination.name(),
            trials: trials.to_vec(),
            trial_errors: (!trial_errors.iter().all(|error| error.is_nan()))
                .then_some(trial_errors),
            num_steps,
            reverse,
            bounds,
            draw: self.draw(),
            simulated,
            warnings: warnings::warnings(spec, &worker.table, trials, forward.value, of_reverse),
            seed: worker.seed,
            digest: String::new(),
        };
        result.digest = digest(&result);
        Some(result)
    }
}

fn digest(result: &EvidenceResult) -> String {
    // The bits of a NaN are not specified.
    let numbers = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }).collect()
    };
    let mut digest = Digest::new()
        .f64s("logZ", &numbers(&[result.log_z, result.standard_error]))
        .f64s("trials", &numbers(&result.trials))
        .f64s("numSteps", &result.num_steps);
    if let Some(reverse) = &result.reverse {
        digest = digest.f64s("reverse", &numbers(&reverse.trials));
    }
    if let Some(draw) = &result.draw {
        digest = digest.f64s("hidden", &draw.hidden).f64s("features", &draw.features);
        if let Some(clusters) = &draw.column_clusters {
            digest = digest.f64s("columnClusters", clusters);
        }
    }
    if let Some(simulated) = &result.simulated {
        digest = digest.f64s("states", &simulated.states);
    }
    digest.hex()
}

impl Verb for EvidenceSpec {
    const NAME: &'static str = "evidence";
    type Progress = EvidenceProgress;
    type Output = EvidenceResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { seed: Some(&mut self.seed), ..SharedFields::default() }
    }

    fn check(&self) -> Result<()> {
        EvidenceSpec::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        Ok(Box::new(EvidenceCoordinator::new(EvidenceWorker::new(self)?, snapshot)?))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Ok(Box::new(EvidenceWorker::new(self)?))
    }
}
