//! Jobs in which a part of the state is observed and stays: the job of the same verb on the model of the
//! free entries, with whole states in what goes in and comes out.

use super::{BoxedCoordinator, Coordinator, ShardWorker, Verb};
use crate::Result;
use crate::bits::BitMatrix;
use crate::digest::Digest;
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, ObservedSpec};

/// A verb in whose jobs a part of the state may be observed.
pub(crate) trait Observing: Verb + 'static {
    /// The model, and what is observed of its state, if anything.
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)>;

    /// The spec of the job on the free entries.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] if a field cannot be used with observed entries.
    fn on_free(&self, given: &Conditional) -> Result<Self>;

    /// The free bits of the rows.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] if the rows do not suit.
    fn free_rows(given: &Conditional, rows: &BitMatrix) -> Result<BitMatrix> {
        given.entries.restrict_rows(rows)
    }

    /// Progress with whole states.
    fn whole_progress(_given: &Conditional, progress: Self::Progress) -> Self::Progress {
        progress
    }

    /// The result with whole states and energies.
    fn whole_output(given: &Conditional, output: Self::Output) -> Self::Output;

    /// The coordinator of a job in which something is observed; none if nothing is.
    ///
    /// # Errors
    /// Any error of [`ModelSpec::given`], of this trait, and of the verb's own coordinator.
    fn coordinator_on_free(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<Option<BoxedCoordinator<Self>>> {
        let Some((given, spec, data)) = on_free(self, data)? else { return Ok(None) };
        let inner = spec.coordinator(data.as_ref(), snapshot)?;
        Ok(Some(Box::new(ObservedCoordinator::<Self> { given, inner })))
    }

    /// A worker of such a job; none if nothing is observed.
    ///
    /// # Errors
    /// As [`Observing::coordinator_on_free`].
    fn worker_on_free(&self, data: Option<&BitMatrix>) -> Result<Option<Box<dyn ShardWorker>>> {
        let Some((_, spec, data)) = on_free(self, data)? else { return Ok(None) };
        spec.worker(data.as_ref()).map(Some)
    }
}

/// The digest of a result of which a part was observed, from that of the free entries' numbers.
pub(crate) fn digest(given: &Conditional, of_free: &str) -> String {
    let (sites, values): (Vec<f64>, Vec<f64>) =
        given.entries.observed().map(|(site, value)| (site as f64, value)).unzip();
    Digest::new()
        .bytes("free", of_free.as_bytes())
        .f64s("observedSites", &sites)
        .f64s("observedValues", &values)
        .f64s("constant", &[given.constant])
        .hex()
}

type OnFree<V> = (Conditional, V, Option<BitMatrix>);

fn on_free<V: Observing>(spec: &V, data: Option<&BitMatrix>) -> Result<Option<OnFree<V>>> {
    let Some((model, observed)) = spec.observed() else { return Ok(None) };
    let given = model.given(observed)?;
    let data = data.map(|rows| V::free_rows(&given, rows)).transpose()?;
    let spec = spec.on_free(&given)?;
    Ok(Some((given, spec, data)))
}

struct ObservedCoordinator<V: Observing> {
    given: Conditional,
    inner: BoxedCoordinator<V>,
}

impl<V: Observing> Coordinator for ObservedCoordinator<V> {
    type Progress = V::Progress;
    type Output = V::Output;

    fn worker(&self) -> &dyn ShardWorker {
        self.inner.worker()
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        self.inner.worker_mut()
    }

    fn broadcast(&self) -> Vec<u8> {
        self.inner.broadcast()
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        self.inner.scatter(shard)
    }

    fn lengthen_rounds(&mut self, factor: u32) {
        self.inner.lengthen_rounds(factor);
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        self.inner.gather(parts);
    }

    fn is_done(&self) -> bool {
        self.inner.is_done()
    }

    fn snapshot(&self) -> Vec<u8> {
        self.inner.snapshot()
    }

    fn progress(&self) -> V::Progress {
        V::whole_progress(&self.given, self.inner.progress())
    }

    fn progress_since(&self, since: usize) -> V::Progress {
        V::whole_progress(&self.given, self.inner.progress_since(since))
    }

    fn result(&self) -> Option<V::Output> {
        Some(V::whole_output(&self.given, self.inner.result()?))
    }
}
