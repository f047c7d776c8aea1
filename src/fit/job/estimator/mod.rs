//! How the gradient of an update is estimated, depending on the kind of the data and the objective:
//! from rows of a minibatch, and from chains if there are any. [`super::stochastic_worker`] cuts
//! both into shards and pieces.

mod bits;
mod chains;
mod reals;

use super::rows::Rows;
use crate::Result;
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

/// Works pieces of updates, and knows which chains there are.
pub trait Estimator: Send + Sync {
    /// The model, at its present parameters.
    fn model(&self) -> &dyn Model;

    /// [`Estimator::model`], mutable.
    fn model_mut(&mut self) -> &mut dyn Model;

    /// Length of a part, `[objective | gradient | acceptance]`.
    fn part_len(&self) -> usize {
        2 + self.model().as_parametric().map_or(0, |model| model.params().len())
    }

    /// Rows of the data.
    fn num_rows(&self) -> usize;

    /// Estimated cost of a row and a chain, in nanoseconds.
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

    /// Adds `[objective | gradient | acceptance]` of the piece, as a mean over the minibatch, to
    /// `part`, and returns the words of its chains after they have moved. An empty part counts as
    /// all zeros; chains without a step size add no acceptance.
    fn accumulate(&self, piece: &Piece<'_>, part: &mut Vec<f64>) -> Vec<u64>;
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
