//! The parts of a verb: its spec, which checks and completes itself, and the rounds it makes.

use super::{Coordinator, ShardWorker};
use crate::arrays::Arrays;
use crate::bits::BitMatrix;
use crate::data::DataSpec;
use crate::models::ModelSpec;
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A verb's spec. It makes the coordinator and the workers, given rows of bits where it takes them.
pub trait Verb: Serialize + DeserializeOwned + Arrays {
    /// The name of the verb in specs.
    const NAME: &'static str;
    /// Whether the model's spec stays as it was given. A memory of thousands of units is kept
    /// packed, and writing out its matrix would take twice the space.
    const KEEPS_MODEL: bool = false;
    /// Whether the model may be one of a table with hidden variables, which is no energy.
    const TAKES_TABLES: bool = false;
    /// The progress of a job.
    type Progress: Serialize + Arrays;
    /// The result of a job.
    type Output: Outcome;

    /// The fields that most specs have, to be filled in or taken out.
    fn shared_fields(&mut self) -> SharedFields<'_>;

    /// Checks everything that does not require building the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Writes out the defaults that depend on other fields.
    fn fill_defaults(&mut self) {}

    /// Whether the job takes rows of bits; `is_given` says whether there are any.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] where the spec has a better message than "missing" or "unused".
    fn bits(&self, is_given: bool) -> Result<Bits>;

    /// Writes out the defaults that depend on the rows.
    fn fill_for_data(&mut self, _data: Option<&BitMatrix>) {}

    /// The coordinator of a resolved spec, at the beginning or from a snapshot.
    ///
    /// # Errors
    /// Any [`Error`], before work starts.
    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>>;

    /// A worker for shards of a resolved spec.
    ///
    /// # Errors
    /// Any [`Error`] in the spec or the data.
    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>>;
}

/// The coordinator of a verb.
pub type BoxedCoordinator<V> =
    Box<dyn Coordinator<Progress = <V as Verb>::Progress, Output = <V as Verb>::Output>>;

/// Whether a job takes rows of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// The job requires them.
    Required,
    /// The job takes them if they are given.
    Optional,
    /// The job does not use them.
    Unused,
}

/// Borrowed fields that most specs have.
#[derive(Default)]
pub struct SharedFields<'a> {
    /// The model.
    pub model: Option<&'a mut ModelSpec>,
    /// Rows of bits.
    pub data: Option<&'a mut Option<DataSpec>>,
    /// The seed; the outer `Option` is `None` where nothing is random.
    pub seed: Option<&'a mut Option<u64>>,
}

/// The result of a verb.
pub trait Outcome: Serialize + Arrays {
    /// SHA-256 of the result's numbers, in hexadecimal.
    fn digest(&self) -> &str;
}

/// The rows, for a verb that requires them.
pub(crate) fn needed(data: Option<&BitMatrix>) -> Result<&BitMatrix> {
    data.ok_or_else(|| Error::spec("data", "is missing; give rows of zeros and ones"))
}
