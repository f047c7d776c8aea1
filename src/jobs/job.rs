//! A job as its driver holds it: spec resolved, everything checked, ready for
//! rounds here or elsewhere.

use super::checkpoint::{Checkpoint, stamp};
use super::energies::{EnergiesCoordinator, EnergiesWorker};
use super::exact::{ExactCoordinator, ExactWorker};
use super::fit::{self, Rows};
use super::log_z::{LogZCoordinator, LogZWorker};
use super::memorize;
use super::patches::{PatchesCoordinator, PatchesWorker};
use super::recall::{RecallCoordinator, RecallWorker};
use super::report::{JobResult, Progress};
use super::sample::continuous::{ContinuousCoordinator, ContinuousWorker};
use super::sample::{SampleCoordinator, SampleWorker};
use super::spec::{JobSpec, StartSpec};
use super::spline::{SplineCoordinator, SplineWorker};
use super::{Coordinator, ShardWorker};
use crate::bits::BitMatrix;
use crate::value::Value;
use crate::{Error, FULL, Result, not_in_core};
use serde::{Deserialize, Deserializer};

/// A job: its coordinator, with a worker of its own.
pub struct Job {
    spec: JobSpec,
    stamp: [u8; 32],
    coordinator: Box<dyn Coordinator>,
}

impl Job {
    /// Checks everything and makes the job, from its beginning or from a
    /// checkpoint. The data come in the spec or as `data`, not both.
    ///
    /// # Errors
    /// Any [`Error`], before work starts.
    pub fn new(
        mut spec: JobSpec,
        data: Option<BitMatrix>,
        checkpoint: Option<&[u8]>,
    ) -> Result<Self> {
        let checkpoint = checkpoint.map(Checkpoint::decode).transpose()?;
        let data = resolve(&mut spec, data, checkpoint.as_ref().map(|checkpoint| checkpoint.seed))?;
        let stamp = stamp(&mut spec, data.as_ref());
        if let Some(checkpoint) = &checkpoint {
            checkpoint.check(&spec, &stamp)?;
        }
        let snapshot = checkpoint.as_ref().map(|checkpoint| &checkpoint.payload[..]);
        let coordinator: Box<dyn Coordinator> = match &spec {
            JobSpec::Fit(spec) => {
                fit::create_coordinator(spec, Rows::of(spec, data.as_ref())?, snapshot)?
            }
            JobSpec::Sample(spec) if spec.transition.is_continuous() => {
                let worker = ContinuousWorker::new(spec)?;
                Box::new(match snapshot {
                    None => ContinuousCoordinator::new(spec, worker)?,
                    Some(snapshot) => ContinuousCoordinator::resume(spec, worker, snapshot)?,
                })
            }
            JobSpec::Sample(spec) => {
                let worker = SampleWorker::new(spec)?;
                Box::new(match snapshot {
                    None => SampleCoordinator::new(spec, worker, data.as_ref())?,
                    Some(snapshot) => {
                        SampleCoordinator::resume(spec, worker, data.as_ref(), snapshot)?
                    }
                })
            }
            JobSpec::LogZ(spec) => {
                let worker = LogZWorker::new(spec, data.as_ref())?;
                Box::new(match snapshot {
                    None => LogZCoordinator::new(worker),
                    Some(snapshot) => LogZCoordinator::resume(worker, snapshot)?,
                })
            }
            JobSpec::Exact(spec) => {
                let worker = ExactWorker::new(spec, data.as_ref())?;
                Box::new(match snapshot {
                    None => ExactCoordinator::new(worker),
                    Some(snapshot) => ExactCoordinator::resume(worker, snapshot)?,
                })
            }
            _ if !FULL => return Err(not_in_core("verb")),
            JobSpec::Spline(spec) => {
                let worker = SplineWorker::new(spec, data.as_ref())?;
                Box::new(match snapshot {
                    None => SplineCoordinator::new(spec, worker),
                    Some(snapshot) => SplineCoordinator::resume(spec, worker, snapshot)?,
                })
            }
            JobSpec::Energies(spec) => {
                let worker = EnergiesWorker::new(spec)?;
                Box::new(match snapshot {
                    None => EnergiesCoordinator::new(worker),
                    Some(snapshot) => EnergiesCoordinator::resume(worker, snapshot)?,
                })
            }
            JobSpec::Memorize(spec) => {
                memorize::create_coordinator(spec, needed(data.as_ref())?, snapshot)?
            }
            JobSpec::Recall(spec) => {
                let worker = RecallWorker::new(spec, needed(data.as_ref())?)?;
                Box::new(RecallCoordinator::new(spec, worker, snapshot)?)
            }
            JobSpec::Patches(spec) => {
                let worker = PatchesWorker::new(spec)?;
                Box::new(match snapshot {
                    None => PatchesCoordinator::new(worker),
                    Some(snapshot) => PatchesCoordinator::resume(worker, snapshot)?,
                })
            }
        };
        Ok(Self { spec, stamp, coordinator })
    }

    /// The spec with all defaults filled in; the seed too, but not the data.
    pub fn spec(&self) -> &JobSpec {
        &self.spec
    }

    /// Shows the same in two parts: the spec without its large arrays, and these with the paths
    /// of the fields they belong in.
    pub fn with_spec_and_arrays<T>(
        &mut self,
        show: impl FnOnce(&JobSpec, &[(Vec<&'static str>, Vec<f64>)]) -> T,
    ) -> T {
        let arrays = self.spec.take_arrays();
        let shown = show(&self.spec, &arrays);
        self.spec.put_arrays(arrays);
        shown
    }

    /// Into how many shards the next round is cut.
    pub fn num_shards(&self) -> usize {
        self.coordinator.worker().num_shards()
    }

    /// The coordinator, to drive rounds from outside.
    pub fn coordinator(&self) -> &dyn Coordinator {
        &*self.coordinator
    }

    /// [`Job::coordinator`], mutable.
    pub fn coordinator_mut(&mut self) -> &mut dyn Coordinator {
        &mut *self.coordinator
    }

    /// Does up to `max_rounds` rounds here: shards in parallel with the feature
    /// `threads`, else one after another.
    pub fn advance(&mut self, max_rounds: usize) {
        for _ in 0..max_rounds {
            if self.coordinator.is_done() {
                return;
            }
            let broadcast = self.coordinator.broadcast();
            self.coordinator.worker_mut().prepare(&broadcast);
            let parts = work_all(&*self.coordinator);
            self.coordinator.gather(&parts);
        }
    }

    /// Whether there is no further round.
    pub fn is_done(&self) -> bool {
        self.coordinator.is_done()
    }

    /// How far the job has come.
    pub fn progress(&self) -> Progress {
        self.coordinator.progress()
    }

    /// The same, with the draws of each chain after its first `since`, if it
    /// is a sampling job, and with where the chains are, if it is annealing.
    pub fn progress_since(&self, since: usize) -> Progress {
        let mut progress = self.progress();
        match &mut progress {
            Progress::Sample(progress) => {
                progress.new_draws = self.coordinator.new_draws(since);
            }
            Progress::LogZ(progress) => progress.states = self.coordinator.chain_states(),
            _ => {}
        }
        progress
    }

    /// The result, once the job is done.
    pub fn result(&self) -> Option<JobResult> {
        self.coordinator.result()
    }

    /// Everything needed to go on from here, in any process, but for spec and
    /// data: see [`super::checkpoint`].
    pub fn snapshot(&self) -> Vec<u8> {
        Checkpoint {
            verb: self.spec.verb(),
            seed: self.spec.seed().unwrap_or(0),
            stamp: self.stamp,
            payload: self.coordinator.snapshot(),
        }
        .encode()
    }
}

#[doc = include_str!("verbs.md")]
pub fn run<'de>(spec: impl Deserializer<'de>) -> Result<JobResult> {
    let spec = Value::deserialize(spec).map_err(|error| Error::spec("spec", error.to_string()))?;
    let mut job = Job::new(JobSpec::from_value(spec)?, None, None)?;
    job.advance(usize::MAX);
    Ok(job.result().expect("the job is done"))
}

/// A worker for shards of a job, from its resolved spec and data.
///
/// # Errors
/// Any [`Error`] of the spec or the data.
pub fn create_worker(mut spec: JobSpec, data: Option<BitMatrix>) -> Result<Box<dyn ShardWorker>> {
    let data = resolve(&mut spec, data, None)?;
    Ok(match &spec {
        JobSpec::Fit(spec) => fit::create_worker(spec, Rows::of(spec, data.as_ref())?)?,
        JobSpec::Sample(spec) if spec.transition.is_continuous() => {
            Box::new(ContinuousWorker::new(spec)?)
        }
        JobSpec::Sample(spec) => Box::new(SampleWorker::new(spec)?),
        JobSpec::LogZ(spec) => Box::new(LogZWorker::new(spec, data.as_ref())?),
        JobSpec::Exact(spec) => Box::new(ExactWorker::new(spec, data.as_ref())?),
        _ if !FULL => return Err(not_in_core("verb")),
        JobSpec::Spline(spec) => Box::new(SplineWorker::new(spec, data.as_ref())?),
        JobSpec::Energies(spec) => Box::new(EnergiesWorker::new(spec)?),
        JobSpec::Memorize(spec) => memorize::create_worker(spec, needed(data.as_ref())?)?,
        JobSpec::Recall(spec) => Box::new(RecallWorker::new(spec, needed(data.as_ref())?)?),
        JobSpec::Patches(spec) => Box::new(PatchesWorker::new(spec)?),
    })
}

/// Checks the spec, fills in what it leaves open, and finds the data.
fn resolve(
    spec: &mut JobSpec,
    data: Option<BitMatrix>,
    known_seed: Option<u64>,
) -> Result<Option<BitMatrix>> {
    spec.check()?;
    spec.fill_defaults();
    let data = match (spec.take_data()?, data) {
        (Some(_), Some(_)) => {
            return Err(Error::spec("data", "is given twice, in the spec and beside it"));
        }
        (inside, beside) => inside.or(beside),
    };
    let wants_data = match &*spec {
        JobSpec::Fit(spec) => {
            fit::check_rows(spec, data.is_some())?;
            data.is_some()
        }
        JobSpec::Memorize(_) | JobSpec::Recall(_) => true,
        JobSpec::Sample(spec) => matches!(spec.start, StartSpec::Data { .. }),
        // With or without.
        JobSpec::LogZ(_) | JobSpec::Spline(_) | JobSpec::Exact(_) => data.is_some(),
        JobSpec::Energies(_) | JobSpec::Patches(_) => false,
    };
    match (&data, wants_data) {
        (None, true) => return Err(Error::spec("data", "is missing; give rows of zeros and ones")),
        (Some(_), false) => {
            return Err(Error::spec(
                "data",
                format!("is given, but `{}` of this spec uses none", spec.verb()),
            ));
        }
        _ => {}
    }
    spec.fill_seed(known_seed);
    spec.fill_model()?;
    if let JobSpec::Fit(spec) = spec {
        spec.fill_for_data(data.as_ref());
    }
    Ok(data)
}

fn needed(data: Option<&BitMatrix>) -> Result<&BitMatrix> {
    data.ok_or_else(|| Error::spec("data", "is missing; give rows of zeros and ones"))
}

#[cfg(feature = "threads")]
fn work_all(coordinator: &dyn Coordinator) -> Vec<Vec<u8>> {
    use rayon::prelude::*;
    let worker = coordinator.worker();
    // Whoever is free takes the next one: ranges of them, shared out beforehand, end with one thread at the last
    // of a range while the others wait.
    let parts = (0..worker.num_shards())
        .par_bridge()
        .map(|shard| (shard, worker.work(shard, &coordinator.scatter(shard))));
    let mut parts: Vec<_> = parts.collect();
    parts.sort_unstable_by_key(|(shard, _)| *shard);
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(not(feature = "threads"))]
fn work_all(coordinator: &dyn Coordinator) -> Vec<Vec<u8>> {
    let worker = coordinator.worker();
    (0..worker.num_shards()).map(|shard| worker.work(shard, &coordinator.scatter(shard))).collect()
}
