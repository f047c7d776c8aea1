//! Type-erased verbs.

use super::{JobResult, Progress};
use crate::Result;
use crate::bits::BitMatrix;
use crate::run::{Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb};

/// A verb of the registry.
pub trait Registered: Verb {
    /// Wraps the verb's progress in the common type.
    fn progress(progress: Self::Progress) -> Progress;
    /// Wraps the verb's result in the common type.
    fn result(output: Self::Output) -> JobResult;
}

/// The coordinator of any verb.
pub type AnyCoordinator = Box<dyn Coordinator<Progress = Progress, Output = JobResult>>;

/// [`Verb`] without its associated types.
pub trait AnyVerb {
    /// [`Verb::NAME`].
    fn name(&self) -> &'static str;
    /// [`Verb::KEEPS_MODEL`].
    fn keeps_model(&self) -> bool;
    /// [`Verb::TAKES_TABLES`].
    #[cfg(feature = "full")]
    fn takes_tables(&self) -> bool;
    /// [`Verb::shared_fields`].
    fn shared_fields(&mut self) -> SharedFields<'_>;
    /// [`Verb::check`].
    fn check(&self) -> Result<()>;
    /// [`Verb::fill_defaults`].
    fn fill_defaults(&mut self);
    /// [`Verb::bits`].
    fn bits(&self, is_given: bool) -> Result<Bits>;
    /// [`Verb::fill_for_data`].
    fn fill_for_data(&mut self, data: Option<&BitMatrix>);
    /// [`Verb::coordinator`].
    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<AnyCoordinator>;
    /// [`Verb::worker`].
    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>>;
}

impl<V: Registered + 'static> AnyVerb for V {
    fn name(&self) -> &'static str {
        V::NAME
    }

    fn keeps_model(&self) -> bool {
        V::KEEPS_MODEL
    }

    #[cfg(feature = "full")]
    fn takes_tables(&self) -> bool {
        V::TAKES_TABLES
    }

    fn shared_fields(&mut self) -> SharedFields<'_> {
        Verb::shared_fields(self)
    }

    fn check(&self) -> Result<()> {
        Verb::check(self)
    }

    fn fill_defaults(&mut self) {
        Verb::fill_defaults(self);
    }

    fn bits(&self, is_given: bool) -> Result<Bits> {
        Verb::bits(self, is_given)
    }

    fn fill_for_data(&mut self, data: Option<&BitMatrix>) {
        Verb::fill_for_data(self, data);
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<AnyCoordinator> {
        Ok(Box::new(OfVerb::<V>(Verb::coordinator(self, data, snapshot)?)))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Verb::worker(self, data)
    }
}

/// Adapts a verb's coordinator to the common types of progress and result.
struct OfVerb<V: Registered>(BoxedCoordinator<V>);

impl<V: Registered> Coordinator for OfVerb<V> {
    type Progress = Progress;
    type Output = JobResult;

    fn worker(&self) -> &dyn ShardWorker {
        self.0.worker()
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        self.0.worker_mut()
    }

    fn broadcast(&self) -> Vec<u8> {
        self.0.broadcast()
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        self.0.scatter(shard)
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.0.lengthen_rounds(factor);
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        self.0.gather(parts);
    }

    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn snapshot(&self) -> Vec<u8> {
        self.0.snapshot()
    }

    fn progress(&self) -> Progress {
        V::progress(self.0.progress())
    }

    fn progress_since(&self, since: usize) -> Progress {
        V::progress(self.0.progress_since(since))
    }

    fn result(&self) -> Option<JobResult> {
        self.0.result().map(V::result)
    }
}
