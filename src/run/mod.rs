//! Resumable jobs: long work in rounds that any number of workers may share.
//!
//! A job runs in **rounds**. In each, the coordinator *broadcasts* what every shard needs and
//! *scatters* what one shard alone needs; workers *work* the shards; the coordinator *gathers* the
//! parts in shard order. The number of shards depends on the spec and the data, never on who works
//! them. Work is a pure function of its inputs. The coordinator changes only while it gathers. This
//! gives three guarantees: any number of workers gives the same bits, a shard lost with its worker
//! can be done again, and a snapshot between two gathers is the whole state.
//!
//! Nothing here knows of clocks, callbacks or threads: the driver of the rounds decides when to
//! report, pause or stop. What the rounds do is up to a [`Verb`]; `crate::verbs` lists them.

pub mod checkpoint;
#[cfg(feature = "full")]
mod lattice_work;
#[cfg(feature = "full")]
pub(crate) mod observed;
mod piece;
mod seed;
mod simulate;
mod unfinished;
mod verb;

#[cfg(feature = "full")]
pub use lattice_work::LatticeWork;
pub(crate) use piece::{PIECE, per_piece};
pub(crate) use seed::seed;
pub use simulate::SimulateSpec;
pub use unfinished::{PartialSums, Unfinished};
pub(crate) use verb::needed;
pub use verb::{Bits, BoxedCoordinator, Outcome, SharedFields, Verb};

use crate::Error;
use crate::bytes::to_f64s;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The parts of all shards, which are numbers.
pub(crate) fn to_numbers(parts: &[Vec<u8>]) -> Vec<Vec<f64>> {
    parts.iter().map(|part| to_f64s(part).expect("a part is numbers")).collect()
}

/// Works shards. It holds the spec and the data, and nothing that a snapshot would need.
pub trait ShardWorker: Send + Sync {
    /// Number of shards of the round, at least 1. Where it changes from round to round, the
    /// coordinator's own worker knows it once the last round is gathered, other workers once they
    /// are prepared.
    fn num_shards(&self) -> usize;

    /// Takes the broadcast of a round, once before its shards.
    ///
    /// # Panics
    /// If the bytes are not a broadcast of this job's coordinator.
    fn prepare(&mut self, broadcast: &[u8]);

    /// Works one shard of the round.
    ///
    /// # Panics
    /// If there is no such shard, or the bytes are not what the coordinator scatters to it.
    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8>;

    /// One piece of a shard's work, so that the caller can attend to something else in between.
    /// Call it with the same arguments until it returns the part. `unfinished` is empty before a
    /// shard's first piece, and again once the part is returned.
    ///
    /// # Panics
    /// As [`ShardWorker::work`].
    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        _unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        Some(self.work(shard, scattered))
    }

    /// Whether a graphics processor may do the work of the round.
    #[cfg(feature = "full")]
    fn is_lattice_work(&self) -> bool {
        false
    }

    /// A shard's work for a graphics processor; none where [`ShardWorker::is_lattice_work`] is false.
    ///
    /// # Panics
    /// As [`ShardWorker::work`].
    #[cfg(feature = "full")]
    fn lattice_work(&self, _scattered: &[u8]) -> Option<LatticeWork> {
        None
    }

    /// What [`ShardWorker::work`] returns, from the states that a processor has made of
    /// [`ShardWorker::lattice_work`]: those of all chains at each stop, `[stop][chain][..]`.
    ///
    /// # Panics
    /// If there was no such work, or the states are not as many.
    #[cfg(feature = "full")]
    fn take_lattices(&self, _scattered: &[u8], _states: &[u32]) -> Vec<u8> {
        panic!("no processor has work of this kind")
    }
}

/// All pieces of a shard's work, one after another.
pub(crate) fn work_by_pieces(worker: &dyn ShardWorker, shard: usize, scattered: &[u8]) -> Vec<u8> {
    let mut unfinished = Unfinished::default();
    loop {
        if let Some(part) = worker.work_piece(shard, scattered, &mut unfinished) {
            return part;
        }
    }
}

/// The state of a job and what it makes of its workers' parts.
pub trait Coordinator: Send + Sync {
    /// The progress that the job reports.
    type Progress;
    /// The result of the job.
    type Output;

    /// The coordinator's own worker.
    fn worker(&self) -> &dyn ShardWorker;

    /// [`Coordinator::worker`], mutable: to prepare it.
    fn worker_mut(&mut self) -> &mut dyn ShardWorker;

    /// What every shard needs for the next round.
    fn broadcast(&self) -> Vec<u8>;

    /// What shard `shard` alone needs for the next round; nothing by default.
    fn scatter(&self, _shard: usize) -> Vec<u8> {
        Vec::new()
    }

    /// Lets rounds do up to `factor` times the usual work, for workers that take long to reach.
    /// No number depends on it. Most jobs ignore it.
    fn lengthen_rounds(&mut self, _factor: u32) {}

    /// Ends the round with the parts of all shards, in shard order.
    ///
    /// # Panics
    /// If the job is done, or the parts are not those of its workers.
    fn gather(&mut self, parts: &[Vec<u8>]);

    /// Whether there is no further round.
    fn is_done(&self) -> bool;

    /// The whole state as bytes, without the envelope.
    fn snapshot(&self) -> Vec<u8>;

    /// How far the job has come.
    fn progress(&self) -> Self::Progress;

    /// [`Coordinator::progress`] with what an observer may want besides: where the chains are, or
    /// the draws of each chain after its first `since`.
    fn progress_since(&self, _since: usize) -> Self::Progress {
        self.progress()
    }

    /// The result, once the job is done.
    fn result(&self) -> Option<Self::Output>;
}

/// Serializes a state.
pub(crate) fn pack<T: Serialize>(state: &T) -> Vec<u8> {
    postcard::to_allocvec(state).expect("states are plain data")
}

/// The inverse of [`pack`]; it must use all bytes.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> crate::Result<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        _ => Err(inconsistent()),
    }
}

/// The error for a payload whose checksum is right but which is not a state of the job.
pub(crate) fn inconsistent() -> Error {
    Error::BadCheckpoint {
        problem: "its contents do not fit the job; it was made by a program with an error, so start again".into(),
    }
}
