//! How the gradient of an update is estimated, by the kind of the data and the
//! objective: from rows of a minibatch, and from chains if there are any. What cuts
//! both into shards and pieces is in [`super::stochastic_worker`].

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
    /// Which update.
    pub update: u64,
    /// Numbers of the rows of the data, of the minibatch's.
    pub rows: &'a [usize],
    /// Rows of the whole minibatch.
    pub batch_size: usize,
    /// Numbers of the persistent chains.
    pub chains: Range<usize>,
    /// Where they are.
    pub words: &'a [u64],
    /// Whether this is the piece of the minibatch that adds what belongs to no row.
    pub is_first: bool,
}

/// What works pieces of updates, and knows the chains there are.
pub trait Estimator: Send + Sync {
    /// The model, at its present parameters.
    fn model(&self) -> &dyn Model;

    /// [`Estimator::model`], mutable.
    fn model_mut(&mut self) -> &mut dyn Model;

    /// Numbers of a part, `[objective | gradient | acceptance]`.
    fn part_len(&self) -> usize {
        2 + self.model().as_parametric().map_or(0, |model| model.params().len())
    }

    /// Rows of the data.
    fn num_rows(&self) -> usize;

    /// Estimated nanoseconds of a row and a chain.
    fn row_cost(&self) -> u64;

    /// Persistent chains; none by default.
    fn num_chains(&self) -> usize {
        0
    }

    /// Words of a persistent chain.
    fn words_per_chain(&self) -> usize {
        0
    }

    /// Where the persistent chains start; nowhere by default.
    fn first_chains(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Whether so many words may be those of all chains.
    fn are_chains(&self, words: &[u64]) -> bool {
        words.len() == self.num_chains() * self.words_per_chain()
    }

    /// The step size that the chains begin with; that of chains that have none never
    /// changes.
    fn step_size(&self) -> StepSize {
        StepSize::fixed(1.0)
    }

    /// Takes the step size of an update.
    fn set_step_size(&mut self, _step_size: StepSize) {}

    /// `part += [objective | gradient | acceptance]` of the piece, as a mean over the
    /// minibatch, and the words of its chains after they have moved. A part that is empty
    /// is all zeros; the acceptance of chains without a step size is left at that.
    fn accumulate(&self, piece: &Piece<'_>, part: &mut Vec<f64>) -> Vec<u64>;
}

/// The estimator of a spec for a minibatch of up to so many rows.
///
/// # Errors
/// Of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model, objective and data do not suit one another;
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
