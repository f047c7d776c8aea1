//! A job as its driver holds it: with a resolved spec, everything checked, ready for rounds in this
//! process or elsewhere.

use super::any::AnyCoordinator;
use super::{JobResult, JobSpec, Progress, VERBS};
use crate::arrays::{Array, Path, put_arrays, take_arrays};
use crate::bits::BitMatrix;
use crate::rng::invent_seed;
use crate::run::checkpoint::{Checkpoint, bad, mismatch, stamp};
use crate::run::{Bits, Coordinator, ShardWorker};
use crate::value::Value;
use crate::{Error, Result};
use serde::{Deserialize, Deserializer};

/// A job: its resolved spec and its coordinator, which has its own worker.
pub struct Job {
    spec: JobSpec,
    /// 0 where nothing is random.
    seed: u64,
    stamp: [u8; 32],
    coordinator: AnyCoordinator,
}

impl Job {
    /// Checks everything and makes the job, at its beginning or from a checkpoint. The data come in
    /// the spec or as `data`, not both.
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
        let seed = spec.seed().unwrap_or(0);
        let stamp = {
            let arrays = take_arrays(&mut spec);
            let stamp = stamp(&spec, &arrays, data.as_ref());
            put_arrays(&mut spec, arrays);
            stamp
        };
        if let Some(checkpoint) = &checkpoint {
            check_verb(checkpoint, &spec)?;
            checkpoint.check(seed, &stamp)?;
        }
        let snapshot = checkpoint.as_ref().map(|checkpoint| &checkpoint.payload[..]);
        let coordinator = spec.any().coordinator(data.as_ref(), snapshot)?;
        Ok(Self { spec, seed, stamp, coordinator })
    }

    /// The spec with all defaults filled in; the seed too, but not the data.
    pub fn spec(&self) -> &JobSpec {
        &self.spec
    }

    /// Calls `show` with [`Job::spec`] in two parts: the spec without its large arrays, and these
    /// arrays with the paths of their fields.
    pub fn with_spec_and_arrays<T>(
        &mut self,
        show: impl FnOnce(&JobSpec, &[(Path, Array)]) -> T,
    ) -> T {
        let arrays = take_arrays(&mut self.spec);
        let shown = show(&self.spec, &arrays);
        put_arrays(&mut self.spec, arrays);
        shown
    }

    /// Number of shards of the next round.
    pub fn num_shards(&self) -> usize {
        self.coordinator.worker().num_shards()
    }

    /// The coordinator, to drive rounds from outside.
    pub fn coordinator(&self) -> &dyn Coordinator<Progress = Progress, Output = JobResult> {
        &*self.coordinator
    }

    /// [`Job::coordinator`], mutable.
    pub fn coordinator_mut(
        &mut self,
    ) -> &mut dyn Coordinator<Progress = Progress, Output = JobResult> {
        &mut *self.coordinator
    }

    /// Does up to `max_rounds` rounds in this process: the shards in parallel with the feature
    /// `threads`, else one after another.
    pub fn advance(&mut self, max_rounds: usize) {
        for _ in 0..max_rounds {
            if self.coordinator.is_done() {
                return;
            }
            let broadcast = self.coordinator.broadcast();
            self.coordinator.worker_mut().prepare(&broadcast);
            let parts = work_all(&self.coordinator);
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

    /// [`Job::progress`]; for sampling also the draws of each chain after its first `since`, for
    /// annealing also where the chains are.
    pub fn progress_since(&self, since: usize) -> Progress {
        self.coordinator.progress_since(since)
    }

    /// The result, once the job is done.
    pub fn result(&self) -> Option<JobResult> {
        self.coordinator.result()
    }

    /// Everything needed to continue in any process, except spec and data: see
    /// [`crate::run::checkpoint`].
    pub fn snapshot(&self) -> Vec<u8> {
        Checkpoint {
            verb: number(&self.spec),
            seed: self.seed,
            stamp: self.stamp,
            payload: self.coordinator.snapshot(),
        }
        .encode()
    }
}

#[doc = include_str!("run.md")]
pub fn run<'de>(spec: impl Deserializer<'de>) -> Result<JobResult> {
    let spec = Value::deserialize(spec).map_err(|error| Error::spec("spec", error.to_string()))?;
    let mut job = Job::new(JobSpec::from_value(spec)?, None, None)?;
    job.advance(usize::MAX);
    Ok(job.result().expect("the job is done"))
}

/// A worker for shards of a job, from its resolved spec and data.
///
/// # Errors
/// Any [`Error`] in the spec or the data.
pub fn create_worker(mut spec: JobSpec, data: Option<BitMatrix>) -> Result<Box<dyn ShardWorker>> {
    let data = resolve(&mut spec, data, None)?;
    spec.any().worker(data.as_ref())
}

/// Checks the spec, fills in its defaults, and finds the data.
fn resolve(
    spec: &mut JobSpec,
    data: Option<BitMatrix>,
    known_seed: Option<u64>,
) -> Result<Option<BitMatrix>> {
    spec.check()?;
    spec.any_mut().fill_defaults();
    let data = match (spec.take_data()?, data) {
        (Some(_), Some(_)) => {
            return Err(Error::spec("data", "is given twice, in the spec and beside it"));
        }
        (inside, beside) => inside.or(beside),
    };
    let (verb, keeps_model) = (spec.verb(), spec.keeps_model());
    let spec = spec.any_mut();
    match (spec.bits(data.is_some())?, &data) {
        (Bits::Required, None) => {
            return Err(Error::spec("data", "is missing; give rows of zeros and ones"));
        }
        (Bits::Unused, Some(_)) => {
            let problem = format!("is given, but `{verb}` of this spec uses none");
            return Err(Error::spec("data", problem));
        }
        _ => {}
    }
    let shared = spec.shared_fields();
    if let Some(seed) = shared.seed {
        seed.get_or_insert_with(|| known_seed.unwrap_or_else(invent_seed));
    }
    if let Some(model) = shared.model
        && !keeps_model
    {
        *model = model.filled()?;
    }
    spec.fill_for_data(data.as_ref());
    Ok(data)
}

/// The index of a spec's verb in the registry.
fn number(spec: &JobSpec) -> u8 {
    VERBS.iter().position(|verb| *verb == spec.verb()).unwrap_or(VERBS.len()) as u8
}

fn check_verb(checkpoint: &Checkpoint, spec: &JobSpec) -> Result<()> {
    let Some(verb) = VERBS.get(usize::from(checkpoint.verb)) else {
        return Err(bad("is of an unknown kind of job"));
    };
    if *verb != spec.verb() {
        return Err(mismatch(format!("is of a job to {verb}, not to {}", spec.verb())));
    }
    Ok(())
}

#[cfg(feature = "threads")]
fn work_all(coordinator: &AnyCoordinator) -> Vec<Vec<u8>> {
    use rayon::prelude::*;
    let worker = coordinator.worker();
    // Idle threads take the next shard. Ranges of shards assigned beforehand would leave one thread
    // busy at the end of its range while the others wait.
    let parts = (0..worker.num_shards())
        .par_bridge()
        .map(|shard| (shard, worker.work(shard, &coordinator.scatter(shard))));
    let mut parts: Vec<_> = parts.collect();
    parts.sort_unstable_by_key(|(shard, _)| *shard);
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(not(feature = "threads"))]
fn work_all(coordinator: &AnyCoordinator) -> Vec<Vec<u8>> {
    let worker = coordinator.worker();
    (0..worker.num_shards()).map(|shard| worker.work(shard, &coordinator.scatter(shard))).collect()
}
