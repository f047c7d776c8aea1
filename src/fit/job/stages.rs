//! A fit whose rounds are followed by rounds of another kind: the last byte of a broadcast says which a
//! round is of.

use crate::run::{ShardWorker, Unfinished};

/// The last byte of a broadcast of the fit, and of what follows it.
pub const FIT: u8 = 0;
pub const AFTER: u8 = 1;

/// Something that holds a worker of the fit: the worker itself, or its coordinator.
pub trait HasFitWorker: Send + Sync {
    fn fit_worker(&self) -> &dyn ShardWorker;
    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker;
}

impl HasFitWorker for Box<dyn ShardWorker> {
    fn fit_worker(&self) -> &dyn ShardWorker {
        &**self
    }

    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut **self
    }
}

/// Works shards of the fit, and of what follows it.
pub struct TwoStages<F, S> {
    pub fit: F,
    pub after: S,
    /// Whether the round is of what follows.
    pub is_after: bool,
}

impl<F: HasFitWorker, S: ShardWorker> TwoStages<F, S> {
    pub fn new(fit: F, after: S) -> Self {
        Self { fit, after, is_after: false }
    }

    /// The worker of the present round.
    fn current(&self) -> &dyn ShardWorker {
        match self.is_after {
            true => &self.after,
            false => self.fit.fit_worker(),
        }
    }
}

impl<F: HasFitWorker, S: ShardWorker> ShardWorker for TwoStages<F, S> {
    fn num_shards(&self) -> usize {
        self.current().num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (stage, broadcast) = broadcast.split_last().expect("the stage comes last");
        self.is_after = *stage == AFTER;
        match self.is_after {
            true => self.after.prepare(broadcast),
            false => self.fit.fit_worker_mut().prepare(broadcast),
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        self.current().work(shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        self.current().work_piece(shard, scattered, unfinished)
    }
}
