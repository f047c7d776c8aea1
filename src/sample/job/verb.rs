//! The verb `sample`: chains on bits or on ℝᴰ, depending on the transition, or over the hidden
//! variables of a table.

#[cfg(feature = "full")]
use super::continuous::{ContinuousCoordinator, ContinuousWorker};
#[cfg(feature = "full")]
use super::latent::{self, LatentCoordinator, LatentWorker};
use super::motion::Motion;
use super::output::SampleOutput;
use super::report::SampleProgress;
use super::spec::{SampleSpec, StartSpec};
use super::target::Target;
#[cfg(feature = "full")]
use super::tempered::Tempered;
use super::{SampleCoordinator, SampleWorker};
use crate::Result;
use crate::bits::BitMatrix;
#[cfg(feature = "full")]
use crate::run::observed::Observing;
use crate::run::{Bits, BoxedCoordinator, ShardWorker, SharedFields, Verb};

impl Verb for SampleSpec {
    const NAME: &'static str = "sample";
    const TAKES_TABLES: bool = true;
    type Progress = SampleProgress;
    type Output = SampleOutput;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        let data = match &mut self.start {
            StartSpec::Data { data } => Some(data),
            _ => None,
        };
        SharedFields { model: Some(&mut self.model), data, seed: Some(&mut self.seed) }
    }

    fn check(&self) -> Result<()> {
        #[cfg(feature = "full")]
        if let Some(model) = self.model.as_table_model() {
            latent::check(self, model)?;
        }
        Self::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(match self.start {
            StartSpec::Data { .. } => Bits::Required,
            _ => Bits::Unused,
        })
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        #[cfg(feature = "full")]
        if let Some(coordinator) = self.coordinator_of_full(data, snapshot)? {
            return Ok(coordinator);
        }
        self.coordinator_of(self.target()?, data, snapshot)
    }

    #[cfg_attr(not(feature = "full"), allow(unused_variables))]
    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        #[cfg(feature = "full")]
        if let Some(worker) = self.worker_of_full(data)? {
            return Ok(worker);
        }
        Ok(Box::new(SampleWorker::new(self, self.target()?)))
    }
}

impl SampleSpec {
    /// The binary model whose chains move each alone.
    fn target(&self) -> Result<Target> {
        Target::of_chains(&self.model, &self.transition, self.num_chains)
    }

    /// The coordinator of chains that the core has not: over hidden variables, given a part of the
    /// state, on ℝᴰ, or on ladders.
    #[cfg(feature = "full")]
    fn coordinator_of_full(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<Option<BoxedCoordinator<Self>>> {
        if let Some(model) = self.model.as_table_model() {
            let worker = LatentWorker::new(self, model)?;
            return Ok(Some(Box::new(LatentCoordinator::new(self, worker, snapshot)?)));
        }
        if let Some(of_free) = self.coordinator_on_free(data, snapshot)? {
            return Ok(Some(of_free));
        }
        if self.transition.moves_numbers(&self.model) {
            let worker = ContinuousWorker::new(self)?;
            return Ok(Some(Box::new(match snapshot {
                None => ContinuousCoordinator::new(self, worker)?,
                Some(snapshot) => ContinuousCoordinator::resume(self, worker, snapshot)?,
            })));
        }
        let Some(ladder) = self.transition.ladder() else { return Ok(None) };
        self.coordinator_of(Tempered::new(self, ladder)?, data, snapshot).map(Some)
    }

    /// The worker of such chains.
    #[cfg(feature = "full")]
    fn worker_of_full(&self, data: Option<&BitMatrix>) -> Result<Option<Box<dyn ShardWorker>>> {
        if let Some(model) = self.model.as_table_model() {
            return Ok(Some(Box::new(LatentWorker::new(self, model)?)));
        }
        if let Some(of_free) = self.worker_on_free(data)? {
            return Ok(Some(of_free));
        }
        if self.transition.moves_numbers(&self.model) {
            return Ok(Some(Box::new(ContinuousWorker::new(self)?)));
        }
        let Some(ladder) = self.transition.ladder() else { return Ok(None) };
        Ok(Some(Box::new(SampleWorker::new(self, Tempered::new(self, ladder)?))))
    }

    fn coordinator_of<M: Motion + 'static>(
        &self,
        motion: M,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        let worker = SampleWorker::new(self, motion);
        Ok(Box::new(match snapshot {
            None => SampleCoordinator::new(self, worker, data)?,
            Some(snapshot) => SampleCoordinator::resume(self, worker, data, snapshot)?,
        }))
    }
}
