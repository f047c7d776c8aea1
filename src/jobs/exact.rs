//! The job that enumerates a model's states and, given data, tells their
//! likelihood. It takes one round: a shard of [`crate::exact`] takes about a
//! millisecond. After those come shards of the data's rows, if there are data,
//! and one for the bound of [`crate::fit::mpf_bound`], if it is asked for.

use super::bytes::{from_f64s, to_f64s};
use super::report::{ExactProgress, ExactResult, JobResult, Progress};
use super::spec::ExactSpec;
use super::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::bits::{BitMatrix, WeightedRows};
use crate::digest::Digest;
use crate::exact::{Exact, combine, num_shards, part};
use crate::fit::connectivity::ConnectivitySpec;
use crate::fit::mpf_bound::{MpfBound, Rates};
use crate::fit::{check_dim, mpf_bound, shards};
use crate::linalg::Batch;
use crate::models::Model;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Works shards of the enumeration, of the rows and of the bound.
pub struct ExactWorker {
    model: Box<dyn Model>,
    data: Option<WeightedRows>,
    connectivity: Option<ConnectivitySpec>,
    num_state_shards: usize,
    num_row_shards: usize,
}

impl ExactWorker {
    /// Checks that the model can be enumerated and fits the data.
    ///
    /// # Errors
    /// Of the model's spec; [`Error::TooLarge`] if it has too many sites;
    /// [`Error::MissingCapability`] if its states are not binary;
    /// [`Error::InvalidSpec`] if model and data differ in dimension or the
    /// connectivity cannot be used.
    pub fn new(spec: &ExactSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let model = spec.model.build()?;
        let Some(flips) = model.as_site_flips() else {
            return Err(Error::MissingCapability {
                model: model.kind().into(),
                capability: "SiteFlips",
                needed_by: "enumeration",
            });
        };
        let num_state_shards = num_shards(model.dim())?;
        let data = data.map(|data| WeightedRows::from_data(data.as_batch()));
        if let Some(data) = &data {
            check_dim(&*model, data)?;
        }
        if let Some(connectivity) = &spec.connectivity {
            if data.is_none() {
                return Err(Error::spec(
                    "connectivity",
                    "is given without data; it is for a bound on the likelihood of data, so give both",
                ));
            }
            mpf_bound::check(model.dim())?;
            Rates::new(flips, connectivity).map_err(outside_an_objective)?;
        }
        let num_row_shards =
            data.as_ref().map_or(0, |data| shards::num_shards(data.num_distinct()));
        Ok(Self {
            data,
            connectivity: spec.connectivity.clone(),
            num_state_shards,
            num_row_shards,
            model,
        })
    }

    /// `[Σ E]` over the rows of a shard, weighted.
    fn row_part(&self, data: &WeightedRows, shard: usize) -> Vec<f64> {
        let range = shards::rows(data.num_distinct(), shard);
        let weights = &data.weights()[range.clone()];
        let states = data.rows().slice(range).to_values();
        let mut energies = vec![0.0; weights.len()];
        self.model.energy(Batch::new(self.model.dim(), &states), &mut energies);
        vec![energies.iter().zip(weights).map(|(energy, weight)| energy * weight).sum()]
    }
}

/// An error that names a field of an objective, named as here.
fn outside_an_objective(error: Error) -> Error {
    match error {
        Error::InvalidSpec { field, problem } => {
            Error::spec(field.trim_start_matches("objective."), problem)
        }
        other => other,
    }
}

impl ShardWorker for ExactWorker {
    fn num_shards(&self) -> usize {
        self.num_state_shards + self.num_row_shards + usize::from(self.connectivity.is_some())
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        let flips = self.model.as_site_flips().expect("checked when the worker was made");
        let Some(after) = shard.checked_sub(self.num_state_shards) else {
            return from_f64s(&part(flips, shard));
        };
        let data = self.data.as_ref().expect("without data there are no such shards");
        if after < self.num_row_shards {
            return from_f64s(&self.row_part(data, after));
        }
        let connectivity = self.connectivity.as_ref().expect("asked for, as there is a shard");
        let rates = Rates::new(flips, connectivity).expect("checked when the worker was made");
        pack(&rates.bound(data, rates.lambda2()))
    }
}

/// What the round gives.
struct Answers {
    exact: Exact,
    log_likelihood: Option<f64>,
    bound: Option<MpfBound>,
}

/// The same, in a snapshot.
#[derive(Serialize, Deserialize)]
struct State {
    /// log Z, mean energy, entropy and the moments.
    exact: Vec<f64>,
    log_likelihood: Option<f64>,
    bound: Option<MpfBound>,
}

/// The answers, once they are there.
pub struct ExactCoordinator {
    worker: ExactWorker,
    answers: Option<Answers>,
}

impl ExactCoordinator {
    /// Nothing yet.
    pub fn new(worker: ExactWorker) -> Self {
        Self { worker, answers: None }
    }

    /// From a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if it is none of this job's.
    pub fn resume(worker: ExactWorker, snapshot: &[u8]) -> Result<Self> {
        let dim = worker.model.dim();
        let answers = match unpack::<Option<State>>(snapshot)? {
            None => None,
            Some(State { exact, log_likelihood, bound })
                if log_likelihood.is_some() == worker.data.is_some()
                    && bound.is_some() == worker.connectivity.is_some() =>
            {
                match exact.split_at_checked(3) {
                    Some((&[log_z, mean_energy, entropy], moments))
                        if moments.len() == dim * dim =>
                    {
                        let moments = moments.to_vec();
                        let exact = Exact { log_z, mean_energy, entropy, moments };
                        Some(Answers { exact, log_likelihood, bound })
                    }
                    _ => return Err(inconsistent()),
                }
            }
            Some(_) => return Err(inconsistent()),
        };
        Ok(Self { worker, answers })
    }
}

impl Coordinator for ExactCoordinator {
    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        Vec::new()
    }

    fn scatter(&self, _shard: usize) -> Vec<u8> {
        Vec::new()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(self.answers.is_none(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let (states, parts) = parts.split_at(self.worker.num_state_shards);
        let (rows, bound) = parts.split_at(self.worker.num_row_shards);
        let numbers = |part: &Vec<u8>| to_f64s(part).expect("a part is numbers");
        let exact =
            combine(self.worker.model.dim(), &states.iter().map(numbers).collect::<Vec<_>>());
        let log_likelihood = self.worker.data.as_ref().map(|data| {
            let energy: f64 = rows.iter().map(|part| numbers(part)[0]).sum();
            -energy / data.total() - exact.log_z
        });
        let bound = bound.first().map(|part| unpack(part).expect("a part is a bound"));
        self.answers = Some(Answers { exact, log_likelihood, bound });
    }

    fn is_done(&self) -> bool {
        self.answers.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.answers.as_ref().map(|Answers { exact, log_likelihood, bound }| {
            let mut numbers = vec![exact.log_z, exact.mean_energy, exact.entropy];
            numbers.extend_from_slice(&exact.moments);
            State { exact: numbers, log_likelihood: *log_likelihood, bound: *bound }
        }))
    }

    fn progress(&self) -> Progress {
        let done = self.is_done();
        Progress::Exact(ExactProgress { verb: "exact", fraction: f64::from(u8::from(done)), done })
    }

    fn result(&self) -> Option<JobResult> {
        let Answers { exact, log_likelihood, bound } = self.answers.as_ref()?;
        let mut digest = Digest::new()
            .f64s("logZ", &[exact.log_z])
            .f64s("meanEnergy", &[exact.mean_energy])
            .f64s("entropy", &[exact.entropy])
            .f64s("moments", &exact.moments);
        if let Some(log_likelihood) = log_likelihood {
            digest = digest.f64s("logLikelihood", &[*log_likelihood]);
        }
        if let Some(MpfBound { lambda2, log_likelihood, num_vacuous }) = bound {
            // A NaN's bits are nobody's promise.
            let lambda2 = if lambda2.is_nan() { vec![] } else { vec![*lambda2] };
            digest = digest.f64s("lambda2", &lambda2);
            digest = digest.f64s("bound", &[*log_likelihood, *num_vacuous]);
        }
        Some(JobResult::Exact(ExactResult {
            log_z: exact.log_z,
            moments: exact.moments.clone(),
            mean_energy: exact.mean_energy,
            entropy: exact.entropy,
            log_likelihood: *log_likelihood,
            mpf_bound: *bound,
            digest: digest.hex(),
        }))
    }
}
