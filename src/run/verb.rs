//! What a verb is made of: its spec, which checks and completes itself, and the rounds it makes.

use super::{Coordinator, ShardWorker};
use crate::bits::BitMatrix;
use crate::data::DataSpec;
use crate::models::ModelSpec;
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A verb's spec. From it and rows of bits come a coordinator and workers.
pub trait Verb: Serialize + DeserializeOwned {
    /// The verb, as specs name it.
    const NAME: &'static str;
    /// Whether the model's spec stays as it was given: a memory of thousands of units is kept
    /// packed, and the matrix would be twice its size.
    const KEEPS_MODEL: bool = false;
    /// How far a job has come.
    type Progress: Report;
    /// What a job comes to.
    type Output: Outcome;

    /// The fields that most specs have, to fill in or to take out.
    fn shared_fields(&mut self) -> SharedFields<'_>;

    /// Checks everything that can be told without building the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    fn check(&self) -> Result<()>;

    /// Writes out the defaults that depend on other fields.
    fn fill_defaults(&mut self) {}

    /// Whether the job takes rows of bits, some being given or not.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] where the spec can say better than "missing" or "unused" what is wrong.
    fn bits(&self, is_given: bool) -> Result<Bits>;

    /// Writes out the defaults that depend on the rows.
    fn fill_for_data(&mut self, _data: Option<&BitMatrix>) {}

    /// A job from its beginning, or from a snapshot, by a resolved spec.
    ///
    /// # Errors
    /// Any [`Error`], before work starts.
    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>>;

    /// What works shards of a resolved spec elsewhere.
    ///
    /// # Errors
    /// Any [`Error`] of the spec or the data.
    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>>;
}

/// The coordinator of a verb.
pub type BoxedCoordinator<V> =
    Box<dyn Coordinator<Progress = <V as Verb>::Progress, Output = <V as Verb>::Output>>;

/// Whether a job takes rows of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// It has to have them.
    Required,
    /// With or without.
    Optional,
    /// It has no use for them.
    Unused,
}

/// Fields that most specs have.
#[derive(Default)]
pub struct SharedFields<'a> {
    /// The model.
    pub model: Option<&'a mut ModelSpec>,
    /// Rows of bits.
    pub data: Option<&'a mut Option<DataSpec>>,
    /// States on ℝᴰ, where they are given.
    pub states: Option<&'a mut Vec<f64>>,
    /// The seed; none where nothing is random.
    pub seed: Option<&'a mut Option<u64>>,
}

/// What a job tells, as plain data of which the large arrays can leave by another way.
pub trait Report: Serialize {
    /// Takes the large arrays out, with their fields.
    fn take_arrays(&mut self, _placed: &mut Vec<Placed>) {}
}

/// A result.
pub trait Outcome: Report {
    /// SHA-256 of the numbers, in hexadecimal.
    fn digest(&self) -> &str;
}

/// A large array taken out of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Numbers.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// An array and the field it belongs in, from the outside in.
pub type Placed = (Vec<&'static str>, Array);

/// Takes the large arrays of a report's model out.
pub(crate) fn model_arrays(model: &mut ModelSpec, placed: &mut Vec<Placed>) {
    for (path, values) in model.take_arrays() {
        placed.push(([&["model"], &path[..]].concat(), Array::F64(values)));
    }
}

/// The rows, of a verb that requires them.
pub(crate) fn needed(data: Option<&BitMatrix>) -> Result<&BitMatrix> {
    data.ok_or_else(|| Error::spec("data", "is missing; give rows of zeros and ones"))
}
