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

use crate::Result;

/// The state of a job and what it makes of its workers' parts.
pub trait Coordinator: Send {
    /// What every shard needs for the next round.
    fn broadcast(&self) -> Vec<u8>;

    /// What shard `shard` alone needs for the next round; often nothing.
    fn scatter(&self, shard: usize) -> Vec<u8>;

    /// Ends the round with the parts of all shards, in shard order.
    fn gather(&mut self, parts: &[Vec<u8>]);

    /// Whether there is no further round.
    fn is_done(&self) -> bool;

    /// The whole state, without the envelope.
    fn snapshot(&self) -> Vec<u8>;
}

/// What works shards. It holds the spec and the data, and nothing that a
/// snapshot would need.
pub trait ShardWorker: Send + Sync {
    /// Takes the broadcast of a round, once before its shards.
    fn prepare(&mut self, broadcast: &[u8]);

    /// Works one shard of the round.
    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8>;
}
