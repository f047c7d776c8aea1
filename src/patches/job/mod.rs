//! The job that takes patches from pictures and makes states from them, as in [`crate::patches`].
//! Rounds sum the patches, then their products; one round finds the principal components, which
//! cannot be interrupted; the last rounds make the states. A shard is 512 patches.

pub mod report;
pub mod spec;
mod worker;

pub use worker::PatchesWorker;

use crate::Result;
use crate::bits::BitMatrix;
use crate::bytes::to_f64s;
use crate::digest::Digest;
use crate::linalg::axpy;
use crate::patches::job::report::{PatchesProgress, PatchesResult};
use crate::patches::{PatchTransform, packed_len};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use serde::{Deserialize, Serialize};
use spec::PatchesSpec;
use worker::Round;

/// Coordinates the patches. The worker holds the kind of the round.
pub struct PatchesCoordinator {
    worker: PatchesWorker,
    gathered: Gathered,
}

/// The gathered results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Gathered {
    /// Sums of patches, or of products, so far.
    sums: Vec<f64>,
    total_variance: Option<f64>,
    /// States of training patches, then of test patches, so far.
    states: Vec<f64>,
}

impl PatchesCoordinator {
    /// The coordinator before the first round.
    pub fn new(worker: PatchesWorker) -> Self {
        Self { worker, gathered: Gathered::default() }
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(worker: PatchesWorker, snapshot: &[u8]) -> Result<Self> {
        let mut resumed = Self::new(worker);
        (resumed.worker.round, resumed.gathered) = unpack(snapshot)?;
        if resumed.is_valid() { Ok(resumed) } else { Err(inconsistent()) }
    }

    /// Whether all lengths are possible at some point of the job.
    fn is_valid(&self) -> bool {
        let Self { worker, gathered: Gathered { sums, states, .. } } = self;
        let (dim, first) = (worker.source.dim(), worker.first());
        let is_sum = |len: usize| sums.len() == if first == 0 { 0 } else { len };
        let fits = |transform: &PatchTransform, num_states: usize| {
            let count = transform.num_components();
            transform.is_for(worker.source.sampling())
                && transform.mean.len() == dim
                && transform.components.len() == count * dim
                && count <= worker.num_components
                && sums.is_empty()
                && states.len() == num_states * count
        };
        let is_first = first < worker.num_all_shards();
        match &worker.round {
            Round::Mean { .. } => is_first && is_sum(dim) && states.is_empty(),
            Round::Covariance { mean, .. } => {
                is_first && mean.len() == dim && is_sum(packed_len(dim)) && states.is_empty()
            }
            Round::Components { covariance, mean } => {
                covariance.len() == packed_len(dim)
                    && mean.len() == dim
                    && sums.is_empty()
                    && states.is_empty()
            }
            Round::States { transform, .. } => {
                is_first && fits(transform, worker.patches_of(0).start)
            }
            Round::Done { transform } => fits(transform, worker.source.num_all()),
        }
    }

    /// Adds parts to the sums; after the last part returns them as means.
    fn add(&mut self, parts: &[Vec<f64>]) -> Option<Vec<f64>> {
        let sums = &mut self.gathered.sums;
        sums.resize(parts[0].len(), 0.0);
        parts.iter().for_each(|part| axpy(1.0, part, sums));
        if self.worker.first() + parts.len() < self.worker.num_all_shards() {
            return None;
        }
        let count = self.worker.source.sampling().num_patches as f64;
        let mut means = std::mem::take(sums);
        means.iter_mut().for_each(|value| *value /= count);
        Some(means)
    }

    fn transform(&self, mean: Vec<f64>, part: &[f64]) -> PatchTransform {
        let sampling = self.worker.source.sampling();
        let (scales, components) = part.split_at(part.len() / (1 + self.worker.source.dim()));
        PatchTransform {
            patch_size: sampling.patch_size,
            offset: sampling.offset,
            remove_patch_means: sampling.remove_patch_means,
            mean,
            components: components.to_vec(),
            scales: scales.to_vec(),
        }
    }
}

impl Coordinator for PatchesCoordinator {
    type Progress = PatchesProgress;
    type Output = PatchesResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.worker.round)
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert_eq!(parts.len(), self.worker.num_shards());
        let parts: Vec<Vec<f64>> =
            parts.iter().map(|part| to_f64s(part).expect("numbers")).collect();
        let next = (self.worker.first() + parts.len()) as u64;
        let dim = self.worker.source.dim();
        self.worker.round = match self.worker.round.clone() {
            Round::Mean { .. } => match self.add(&parts) {
                None => Round::Mean { first: next },
                Some(mean) => Round::Covariance { first: 0, mean },
            },
            Round::Covariance { mean, .. } => match self.add(&parts) {
                None => Round::Covariance { first: next, mean },
                Some(covariance) => {
                    // Row i begins with its diagonal entry and has dim − i entries.
                    let diagonal = (0..dim).map(|row| covariance[row * (2 * dim - row + 1) / 2]);
                    self.gathered.total_variance = Some(diagonal.sum());
                    Round::Components { covariance, mean }
                }
            },
            Round::Components { mean, .. } => {
                Round::States { first: 0, transform: self.transform(mean, &parts[0]) }
            }
            Round::States { transform, .. } => {
                self.gathered.states.extend(parts.iter().flatten());
                if (next as usize) < self.worker.num_all_shards() {
                    Round::States { first: next, transform }
                } else {
                    Round::Done { transform }
                }
            }
            Round::Done { .. } => panic!("the job is done"),
        };
    }

    fn is_done(&self) -> bool {
        matches!(self.worker.round, Round::Done { .. })
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&(&self.worker.round, &self.gathered))
    }

    fn progress(&self) -> PatchesProgress {
        let worker = &self.worker;
        // Approximate number of multiplications of each phase.
        let (dim, num_patches) = (worker.source.dim() as f64, worker.source.sampling().num_patches);
        let logs = 32.0 * dim * num_patches as f64;
        let of_states =
            worker.source.num_all() as f64 * dim * (32.0 + worker.num_components as f64);
        let products = 0.5 * dim * dim * num_patches as f64;
        let mut costs = [logs, logs + products, 10.0 * dim * dim * dim, of_states];
        let (phase, name) = match &worker.round {
            Round::Mean { .. } => (0, "mean"),
            Round::Covariance { .. } => (1, "covariance"),
            Round::Components { .. } => (2, "components"),
            Round::States { .. } | Round::Done { .. } => (3, "states"),
        };
        if phase == 3 && self.gathered.total_variance.is_none() {
            costs[..3].fill(0.0);
        }
        let of_phase = worker.first() as f64 / worker.num_all_shards() as f64;
        let done = costs[..phase].iter().sum::<f64>() + of_phase * costs[phase];
        let fraction = if self.is_done() { 1.0 } else { done / costs.iter().sum::<f64>() };
        let done = self.is_done();
        PatchesProgress { verb: "patches", phase: name, fraction, done }
    }

    fn result(&self) -> Option<PatchesResult> {
        let Round::Done { transform } = &self.worker.round else { return None };
        let Gathered { states, total_variance, .. } = &self.gathered;
        let sampling = self.worker.source.sampling();
        let (states, test_states) =
            states.split_at(sampling.num_patches * transform.num_components());
        let variances: Vec<f64> = transform.scales.iter().map(|scale| scale * scale).collect();
        let mut digest = Digest::new()
            .f64s("mean", &transform.mean)
            .f64s("components", &transform.components)
            .f64s("scales", &transform.scales)
            .f64s("states", states)
            .f64s("testStates", test_states);
        if let Some(total) = total_variance {
            digest = digest.f64s("totalVariance", &[*total]);
        }
        Some(PatchesResult {
            states: states.to_vec(),
            test_states: test_states.to_vec(),
            transform: transform.clone(),
            variances,
            total_variance: *total_variance,
            seed: sampling.seed,
            digest: digest.hex(),
        })
    }
}

impl Verb for PatchesSpec {
    const NAME: &'static str = "patches";
    type Progress = PatchesProgress;
    type Output = PatchesResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { seed: Some(&mut self.seed), ..SharedFields::default() }
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn fill_defaults(&mut self) {
        Self::fill_defaults(self);
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        let worker = PatchesWorker::new(self)?;
        Ok(Box::new(match snapshot {
            None => PatchesCoordinator::new(worker),
            Some(snapshot) => PatchesCoordinator::resume(worker, snapshot)?,
        }))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Ok(Box::new(PatchesWorker::new(self)?))
    }
}
