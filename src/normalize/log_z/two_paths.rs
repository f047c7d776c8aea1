//! Two paths to the same model in one job, one after the other. Annealing errs downward, so that where
//! their estimates differ the lower one has lost a part of the model, however calm its weights.

use super::{LogZCoordinator, LogZWorker, result};
use crate::Result;
use crate::bits::BitMatrix;
use crate::normalize::log_z::report::{LogZProgress, LogZResult};
use crate::normalize::log_z::spec::LogZSpec;
use crate::run::{Coordinator, ShardWorker, Unfinished, inconsistent, pack, unpack};

/// The jobs along both paths, and which of them a round belongs to.
pub struct Paths {
    jobs: [LogZCoordinator; 2],
    active: usize,
}

impl Paths {
    /// Both jobs before their first step.
    ///
    /// # Errors
    /// Any error of either spec, with `secondPath` before the fields of the second.
    pub fn new(spec: &LogZSpec, second: &LogZSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let first = LogZWorker::new(spec, data)?;
        let second = LogZWorker::new(second, None).map_err(LogZSpec::of_second_path)?;
        Ok(Self { jobs: [first, second].map(LogZCoordinator::new), active: 0 })
    }

    fn job(&self) -> &LogZCoordinator {
        &self.jobs[self.active]
    }

    /// Turns to the second path once the first is done.
    fn go_on(&mut self) {
        self.active = usize::from(self.jobs[0].is_done());
    }
}

impl ShardWorker for Paths {
    fn num_shards(&self) -> usize {
        self.job().worker().num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (active, broadcast): (u8, Vec<u8>) = unpack(broadcast).expect("a path and its round");
        self.active = usize::from(active);
        self.jobs[self.active].worker_mut().prepare(&broadcast);
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        self.job().worker().work(shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        self.job().worker().work_piece(shard, scattered, unfinished)
    }
}

/// Coordinates both.
pub struct TwoPaths(Paths);

impl TwoPaths {
    /// The coordinator before the first step, or from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(paths: Paths, snapshot: Option<&[u8]>) -> Result<Self> {
        let Some(snapshot) = snapshot else { return Ok(Self(paths)) };
        let snapshots: [Vec<u8>; 2] = unpack(snapshot)?;
        let mut jobs = paths.jobs.into_iter().zip(&snapshots);
        let mut resume = || {
            let (job, snapshot) = jobs.next().ok_or_else(inconsistent)?;
            job.resumed(snapshot)
        };
        let mut paths = Paths { jobs: [resume()?, resume()?], active: 0 };
        paths.go_on();
        Ok(Self(paths))
    }
}

impl Coordinator for TwoPaths {
    type Progress = LogZProgress;
    type Output = LogZResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.0
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.0
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&(self.0.active as u8, self.0.job().broadcast()))
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        self.0.job().scatter(shard)
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.0.jobs.iter_mut().for_each(|job| job.lengthen_rounds(factor));
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        let active = self.0.active;
        self.0.jobs[active].gather(parts);
        self.0.go_on();
    }

    fn is_done(&self) -> bool {
        self.0.jobs.iter().all(LogZCoordinator::is_done)
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.0.jobs.each_ref().map(LogZCoordinator::snapshot))
    }

    fn progress(&self) -> LogZProgress {
        let fractions = self.0.jobs.iter().map(|job| job.progress().fraction);
        LogZProgress {
            fraction: 0.5 * fractions.sum::<f64>(),
            done: self.is_done(),
            ..self.0.job().progress()
        }
    }

    fn progress_since(&self, since: usize) -> LogZProgress {
        LogZProgress { states: self.0.job().progress_since(since).states, ..self.progress() }
    }

    fn result(&self) -> Option<LogZResult> {
        let [first, second] = &self.0.jobs;
        self.is_done().then(|| result::result(first, Some(&result::result(second, None))))
    }
}
