//! How the gradient of an update is estimated, depending on the kind of the data and the objective:
//! from rows of a minibatch, and from chains if there are any. [`super::stochastic_worker`] cuts
//! both into shards and pieces.

mod bits;
mod chains;
mod reals;

use super::rows::Rows;
use crate::Result;
use crate::bytes::{from_f64s, from_words};
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::step_size::StepSize;
use crate::models::Model;
use bits::BitEstimator;
use chains::ChainEstimator;
use reals::RealEstimator;
use std::ops::Range;

/// A piece of the work of an update.
pub struct Piece<'a> {
    /// Index of the update.
    pub update: u64,
    /// Indices of the piece's rows within the data.
    pub rows: &'a [usize],
    /// Number of rows of the whole minibatch.
    pub batch_size: usize,
    /// Indices of the piece's persistent chains.
    pub chains: Range<usize>,
    /// The states of these chains, as words.
    pub words: &'a [u64],
    /// Whether this is the minibatch's first piece, which adds the terms that belong to no row.
    pub is_first: bool,
}

/// What rows and chains add to the sums of an update.
#[derive(Default)]
pub struct Part {
    /// As a rule `[objective | gradient | acceptance]`; empty counts as all zeros.
    pub numbers: Vec<f64>,
    /// Rows of bits that some of the numbers belong to, if the estimator has such.
    pub rows: Vec<u64>,
}

impl Part {
    /// As the bytes that travel.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = from_f64s(&self.numbers);
        bytes.extend(from_words(&self.rows));
        bytes
    }
}

/// Works pieces of updates, and knows which chains there are.
pub trait Estimator: Send + Sync {
    /// The model, at its present parameters.
    fn model(&self) -> &dyn Model;

    /// [`Estimator::model`], mutable.
    fn model_mut(&mut self) -> &mut dyn Model;

    /// Length of the sums of an update, `[objective | gradient | acceptance]`.
    fn num_sums(&self) -> usize {
        2 + self.model().as_parametric().map_or(0, |model| model.params().len())
    }

    /// Rows of the data.
    fn num_rows(&self) -> usize;

    /// Estimated cost of a row and a chain, in nanoseconds. Shards and pieces are cut by it, so that
    /// the bits of a fit depend on it.
    fn row_cost(&self) -> u64;

    /// Number of persistent chains; 0 by default.
    fn num_chains(&self) -> usize {
        0
    }

    /// Words per persistent chain.
    fn words_per_chain(&self) -> usize {
        0
    }

    /// Where the persistent chains start; empty by default.
    fn first_chains(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Whether `words` can be those of all chains.
    fn are_chains(&self, words: &[u64]) -> bool {
        words.len() == self.num_chains() * self.words_per_chain()
    }

    /// The initial step size of the chains. For chains without a step size it never changes.
    fn step_size(&self) -> StepSize {
        StepSize::fixed(1.0)
    }

    /// Sets the step size of an update.
    fn set_step_size(&mut self, _step_size: StepSize) {}

    /// Adds the piece to `part`, as a mean over the minibatch, and returns the words of its chains
    /// after they have moved. Chains without a step size add no acceptance.
    fn accumulate(&self, piece: &Piece<'_>, part: &mut Part) -> Vec<u64>;

    /// Adds up the parts of all shards, as bytes: `[objective | gradient | acceptance]`.
    ///
    /// # Panics
    /// If these are not parts of this estimator.
    fn add_parts(&self, parts: &[&[u8]], sums: &mut [f64]) {
        add_parts(parts, sums);
    }
}

/// `sums += Σ parts` of parts that are as long as the sums.
fn add_parts(parts: &[&[u8]], sums: &mut [f64]) {
    for part in parts {
        let numbers = part.as_chunks::<8>().0;
        assert_eq!(numbers.len(), sums.len());
        // The numbers, one per parameter for each shard, are not copied.
        for (sum, bytes) in sums.iter_mut().zip(numbers) {
            *sum += f64::from_le_bytes(*bytes);
        }
    }
}

/// The estimator that a spec asks for.
///
/// # Errors
/// Any error of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model, objective and data do not match;
/// [`crate::Error::TooLarge`].
pub fn create(spec: &FitSpec, rows: Rows<'_>) -> Result<Box<dyn Estimator>> {
    Ok(match rows {
        Rows::Bits(data) => Box::new(BitEstimator::new(spec, data)?),
        Rows::Reals(rows) => match spec.objective {
            ObjectiveSpec::ContrastiveDivergence { .. }
            | ObjectiveSpec::PersistentContrastiveDivergence { .. } => {
                Box::new(ChainEstimator::new(spec, rows)?)
            }
            _ => Box::new(RealEstimator::new(spec, rows)?),
        },
    })
}
