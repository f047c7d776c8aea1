//! Resumable jobs: long work as rounds that any number of workers may share.
//!
//! A job goes in **rounds**. In each, the coordinator *broadcasts* what every
//! shard needs, *scatters* what one shard alone needs, workers *work* the
//! shards, and the coordinator *gathers* the parts in shard order. How many
//! shards there are depends on the spec and the data, never on who works them;
//! work is a pure function of its inputs; and the coordinator changes only
//! while it gathers. Hence the three promises: the same bits for any number of
//! workers, a shard lost with its worker can be done again, and a snapshot
//! between two gathers is the whole state.
//!
//! Nothing here knows of clocks, callbacks or threads; whoever drives the
//! rounds decides when to report, pause or stop.

pub mod checkpoint;
pub mod energies;
pub mod exact;
pub mod fit;
mod job;
pub mod log_z;
pub mod memorize;
pub mod patches;
pub mod recall;
pub mod report;
pub mod sample;
pub mod spec;
pub mod spline;

pub use job::{Job, create_worker, run};

use crate::Error;
use report::{JobResult, NewDraws, Progress};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What works shards. It holds the spec and the data, and nothing that a
/// snapshot would need.
pub trait ShardWorker: Send + Sync {
    /// Into how many shards the round is cut; at least 1. Where it changes from
    /// round to round, a coordinator's own worker knows it once the last round
    /// is gathered, others once they are prepared.
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

    /// A piece of the same work, so that whoever does it can attend to
    /// something else in between: to be called with the same arguments until it
    /// returns the part. `unfinished` is as new before a shard's first piece, so
    /// that who returns a part leaves it as new.
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
}

/// A shard's work, all its pieces one after another.
fn work_by_pieces(worker: &dyn ShardWorker, shard: usize, scattered: &[u8]) -> Vec<u8> {
    let mut unfinished = Unfinished::default();
    loop {
        if let Some(part) = worker.work_piece(shard, scattered, &mut unfinished) {
            return part;
        }
    }
}

/// The work of a shard between two pieces of it.
#[derive(Debug, Default)]
pub struct Unfinished {
    num_pieces: usize,
    part: Vec<f64>,
    /// Persistent chains that have moved.
    chains: Vec<u8>,
    /// Chains on ℝᴰ of a fit that are moving.
    run: Option<Box<crate::fit::real_chains::Run>>,
    /// Sites of an Ising model being summed out.
    elimination: crate::exact::frontier::Pass,
    /// A recall under way.
    recall: Option<Box<recall::ShardUnderWay>>,
}

/// The state of a job and what it makes of its workers' parts.
pub trait Coordinator: Send + Sync {
    /// A worker of the coordinator's own.
    fn worker(&self) -> &dyn ShardWorker;

    /// The same, to prepare.
    fn worker_mut(&mut self) -> &mut dyn ShardWorker;

    /// What every shard needs for the next round.
    fn broadcast(&self) -> Vec<u8>;

    /// What shard `shard` alone needs for the next round; often nothing.
    fn scatter(&self, shard: usize) -> Vec<u8>;

    /// Ends the round with the parts of all shards, in shard order.
    ///
    /// # Panics
    /// If the job is done, or the parts are not those of its workers.
    fn gather(&mut self, parts: &[Vec<u8>]);

    /// Whether there is no further round.
    fn is_done(&self) -> bool;

    /// The whole state, without the envelope.
    fn snapshot(&self) -> Vec<u8>;

    /// How far the job has come.
    fn progress(&self) -> Progress;

    /// Draws of each chain after its first `since`, for who watches; none by
    /// default.
    fn new_draws(&self, _since: usize) -> Option<NewDraws> {
        None
    }

    /// Where annealed chains are, `[numChains, dim]`, for who watches; nowhere by
    /// default.
    fn chain_states(&self) -> Option<Vec<f64>> {
        None
    }

    /// The result, once the job is done.
    fn result(&self) -> Option<JobResult>;
}

/// A state as bytes.
fn pack<T: Serialize>(state: &T) -> Vec<u8> {
    postcard::to_allocvec(state).expect("states are plain data")
}

/// The inverse of [`pack`]; all bytes must be used.
fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> crate::Result<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        _ => Err(inconsistent()),
    }
}

/// A payload whose checksum is right, but that is no state of the job.
fn inconsistent() -> Error {
    Error::BadCheckpoint {
        problem: "its contents do not fit the job; it was made by a program with an error, so start again".into(),
    }
}
