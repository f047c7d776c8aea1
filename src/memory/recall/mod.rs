//! The job that recalls: each cue, or each corrupted copy of one, descends the energy to a fixed
//! point. A shard is some rows; a round has as many shards as workers could share.

#[cfg(feature = "full")]
mod observed;
mod result;
mod rows;

use super::report::{RecallProgress, RecallResult};
use super::spec::RecallSpec;
use crate::bits::{BitMatrix, words_per_row};
use crate::memory::Network;
use crate::memory::dynamics::Recall;
#[cfg(feature = "full")]
use crate::run::observed::Observing;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Unfinished, Verb, inconsistent,
    needed, pack, per_piece, unpack,
};
use crate::{Error, Result};
use rows::Rows;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum number of shards of a round.
const MAX_SHARDS: usize = 16;

/// Maximum number of bits of all rows together if paths are recorded.
const MAX_PATH_BITS: usize = 1 << 20;

/// Works shards of rows.
pub struct RecallWorker {
    network: Network,
    rows: Rows,
    max_updates: usize,
    paths: bool,
    rows_a_shard: usize,
    /// Index of the first row of the round.
    first: usize,
}

/// The result of one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RecalledRow {
    row: Vec<u64>,
    energy: f64,
    num_updates: u64,
    num_flips: u64,
    is_at_rest: bool,
    /// The unit, the update and the energy after it for each flip; empty unless paths are recorded.
    path: Vec<(u32, u32, f64)>,
}

/// The state of a shard between two pieces of its work.
#[derive(Debug)]
pub struct ShardUnderWay {
    ended: Vec<RecalledRow>,
    recall: Option<Recall>,
    path: Vec<(u32, u32, f64)>,
}

impl RecallWorker {
    /// Checks that the cues are states of the model.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::InvalidSpec`] or [`Error::TooLarge`].
    pub fn new(spec: &RecallSpec, cues: &BitMatrix) -> Result<Self> {
        let ising = super::spec::ising_of(&spec.model)?;
        let dim = cues.dim();
        if ising.dim != dim {
            let problem =
                format!("is {}, but the cues have {dim} bits a row; make them equal", ising.dim);
            return Err(Error::spec("model.dim", problem));
        }
        let rows = Rows::new(spec, cues)?;
        if spec.paths && rows.len() * dim > MAX_PATH_BITS {
            return Err(Error::TooLarge {
                field: "paths".into(),
                problem: format!(
                    "are wanted of {} rows of {dim} bits, and the limit is {} rows; ask for fewer at a time",
                    rows.len(),
                    MAX_PATH_BITS / dim
                ),
            });
        }
        // Computing the fields twice, and a flip for some of the units.
        let rows_a_shard = per_piece((2 * dim * dim) as u64);
        Ok(Self {
            network: Network::from_ising(ising)?,
            rows,
            max_updates: spec.max_updates,
            paths: spec.paths,
            rows_a_shard,
            first: 0,
        })
    }

    /// The rows of the present round.
    fn round(&self) -> Range<usize> {
        self.first..self.rows.len().min(self.first + MAX_SHARDS * self.rows_a_shard)
    }

    fn shard(&self, shard: usize) -> Range<usize> {
        let round = self.round();
        let start = round.start + shard * self.rows_a_shard;
        start..round.end.min(start + self.rows_a_shard)
    }

    /// Makes at most `max_flips` flips; returns whether the shard is done.
    fn advance(&self, shard: usize, max_flips: usize, under_way: &mut ShardUnderWay) -> bool {
        let ShardUnderWay { ended, recall, path } = under_way;
        let rows = self.shard(shard);
        while ended.len() < rows.len() {
            let index = rows.start + ended.len();
            let recall_now = recall.get_or_insert_with(|| {
                Recall::new(&self.network, &self.rows.start(index), self.rows.order(index))
            });
            let is_done = recall_now.advance(&self.network, self.max_updates, max_flips, |flip| {
                if self.paths {
                    path.push((flip.site as u32, flip.update as u32, flip.energy));
                }
            });
            if !is_done {
                return false;
            }
            if let Some(recall) = recall.take() {
                ended.push(RecalledRow {
                    row: recall.state().to_vec(),
                    energy: recall.energy(),
                    num_updates: recall.num_updates() as u64,
                    num_flips: recall.num_flips() as u64,
                    is_at_rest: recall.is_at_rest(),
                    path: std::mem::take(path),
                });
            }
        }
        true
    }
}

impl ShardUnderWay {
    fn new() -> Self {
        Self { ended: Vec::new(), recall: None, path: Vec::new() }
    }
}

impl ShardWorker for RecallWorker {
    fn num_shards(&self) -> usize {
        self.round().len().div_ceil(self.rows_a_shard).max(1)
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let first = broadcast.first_chunk::<8>().expect("the round's first row");
        self.first = u64::from_le_bytes(*first) as usize;
    }

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        assert!(shard < self.num_shards());
        let mut under_way = ShardUnderWay::new();
        let is_done = self.advance(shard, usize::MAX, &mut under_way);
        assert!(is_done, "without a limit of flips");
        pack(&under_way.ended)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        assert!(shard < self.num_shards());
        let under_way = unfinished.get_or_insert_with(ShardUnderWay::new);
        let max_flips = per_piece(5 * self.network.dim() as u64);
        if !self.advance(shard, max_flips, under_way) {
            return None;
        }
        let part = pack(&under_way.ended);
        unfinished.clear();
        Some(part)
    }
}

/// Coordinates recall.
pub struct RecallCoordinator {
    worker: RecallWorker,
    seed: u64,
    /// The results of the rows recalled so far.
    ended: Vec<RecalledRow>,
}

impl RecallCoordinator {
    /// The coordinator before the first round, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(
        spec: &RecallSpec,
        mut worker: RecallWorker,
        snapshot: Option<&[u8]>,
    ) -> Result<Self> {
        let ended: Vec<RecalledRow> = snapshot.map_or_else(|| Ok(Vec::new()), unpack)?;
        let width = words_per_row(worker.network.dim());
        let is_valid = ended.len() <= worker.rows.len()
            && (ended.len() == worker.rows.len()
                || ended.len().is_multiple_of(MAX_SHARDS * worker.rows_a_shard))
            && ended.iter().all(|ended| ended.row.len() == width)
            && ended.iter().all(|ended| worker.rows.is_row(&ended.row));
        if !is_valid {
            return Err(inconsistent());
        }
        worker.first = ended.len();
        Ok(Self { worker, seed: spec.seed.unwrap_or(0), ended })
    }

    fn num_recovered(&self) -> usize {
        let rows = &self.worker.rows;
        let came_back = |(index, ended): &(usize, &RecalledRow)| rows.cue(*index) == ended.row;
        self.ended.iter().enumerate().filter(came_back).count()
    }
}

impl Coordinator for RecallCoordinator {
    type Progress = RecallProgress;
    type Output = RecallResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        (self.ended.len() as u64).to_le_bytes().to_vec()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        for part in parts {
            let ended: Vec<RecalledRow> = unpack(part).expect("rows");
            self.ended.extend(ended);
        }
        self.worker.first = self.ended.len();
    }

    fn is_done(&self) -> bool {
        self.ended.len() == self.worker.rows.len()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.ended)
    }

    fn progress(&self) -> RecallProgress {
        RecallProgress {
            verb: "recall",
            num_recalled: self.ended.len(),
            num_recovered: self.num_recovered(),
            fraction: self.ended.len() as f64 / self.worker.rows.len() as f64,
            done: self.is_done(),
        }
    }

    fn result(&self) -> Option<RecallResult> {
        let result =
            || result::result(&self.worker.rows, &self.ended, self.worker.paths, self.seed);
        self.is_done().then(result)
    }
}

impl Verb for RecallSpec {
    const NAME: &'static str = "recall";
    const KEEPS_MODEL: bool = true;
    type Progress = RecallProgress;
    type Output = RecallResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            data: Some(&mut self.cues),
            seed: Some(&mut self.seed),
        }
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Required)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.coordinator_on_free(data, snapshot)? {
            return Ok(of_free);
        }
        let worker = RecallWorker::new(self, needed(data)?)?;
        Ok(Box::new(RecallCoordinator::new(self, worker, snapshot)?))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.worker_on_free(data)? {
            return Ok(of_free);
        }
        Ok(Box::new(RecallWorker::new(self, needed(data)?)?))
    }
}
