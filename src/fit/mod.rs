//! Fitting: objectives that measure how far a model is from data, and
//! optimizers that lower them.

pub mod connectivity;
pub mod contrastive_divergence;
pub mod coordinates;
pub mod definition;
pub mod expectation_maximization;
pub mod flip_loss;
pub mod lbfgs;
pub mod line_search;
pub mod maximum_likelihood;
pub mod mean_field;
pub mod metric;
pub mod mpf;
pub mod mpf_bound;
pub mod persistent_mpf;
pub mod predictive_check;
pub mod proposal;
pub mod pseudolikelihood;
pub mod real_chains;
pub mod reals;
pub mod regularizer;
pub(crate) mod shards;
pub mod step_size;
pub mod stochastic;
pub mod sum;

use crate::bits::WeightedRows;
use crate::models::Model;
use crate::models::ising::MAX_DIM;
use crate::{Error, Result};

/// What `fit` minimizes: a sum over the rows of the data, divided by their
/// number, as a function of the parameters. It is computed in **shards** whose
/// number and extent depend on the model and the data alone, so that any
/// number of workers may share them and get the same bits.
pub trait Objective: Send + Sync {
    /// Length of the parameter vector.
    fn num_params(&self) -> usize;

    /// Moves to other parameters.
    ///
    /// # Panics
    /// If the length is not [`Objective::num_params`].
    fn set_params(&mut self, params: &[f64]);

    /// Into how many shards the work is cut; at least 1.
    fn num_shards(&self) -> usize;

    /// The work of one shard at the present parameters. What the numbers mean
    /// is between this and [`Objective::combine`]; an objective's shards
    /// return only what they touch, not whole gradients.
    ///
    /// # Panics
    /// If there is no such shard.
    fn part(&self, shard: usize) -> Vec<f64>;

    /// Into how many pieces the work of a shard may be cut, so that whoever does
    /// it can attend to something else in between.
    fn num_pieces(&self, _shard: usize) -> usize {
        1
    }

    /// Does a piece, in order: `part` is empty before the first and
    /// [`Objective::part`] after the last, to the bit.
    ///
    /// # Panics
    /// If there is no such shard or piece.
    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        assert_eq!(piece, 0);
        *part = self.part(shard);
    }

    /// Puts the parts of all shards together, given in shard order: writes the
    /// gradient to `grad` and returns the objective. It may be infinite or NaN
    /// where the parameters are extreme.
    ///
    /// # Panics
    /// If a part is missing or has the wrong length, or `grad` has.
    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64;

    /// How far the objective moves as the model does, where that is little beside its
    /// size: what is tolerated of its gradient is tolerated of it by this factor; 1 by
    /// default.
    fn scale(&self) -> f64 {
        1.0
    }

    /// The objective and its gradient in one go.
    ///
    /// # Panics
    /// If a length is not [`Objective::num_params`].
    fn evaluate(&mut self, params: &[f64], grad: &mut [f64]) -> f64 {
        self.set_params(params);
        self.evaluate_here(grad)
    }

    /// The same at the present parameters.
    ///
    /// # Panics
    /// If the gradient's length is not [`Objective::num_params`].
    fn evaluate_here(&self, grad: &mut [f64]) -> f64 {
        let parts: Vec<_> = (0..self.num_shards()).map(|shard| self.part(shard)).collect();
        self.combine(&parts, grad)
    }
}

/// Refuses a model that is not a binary one with parameters, not of the data's
/// dimension, or one of the large lattices, which objectives have no limits for.
pub(crate) fn check_binary(
    model: &dyn Model,
    data: &WeightedRows,
    needed_by: &'static str,
) -> Result<()> {
    let missing =
        |capability| Error::MissingCapability { model: model.kind().into(), capability, needed_by };
    if model.as_site_flips().is_none() {
        return Err(missing("SiteFlips"));
    }
    if model.as_parametric().is_none() {
        return Err(missing("Parametric"));
    }
    if model.as_ising().is_some() && model.dim() > MAX_DIM {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!(
                "is {}, and Ising models are fitted up to {MAX_DIM} sites; use fewer sites",
                model.dim()
            ),
        });
    }
    check_dim(model, data)
}

/// Refuses a model that is not of the data's dimension.
pub(crate) fn check_dim(model: &dyn Model, data: &WeightedRows) -> Result<()> {
    if model.dim() != data.dim() {
        return Err(Error::spec(
            "model.dim",
            format!(
                "is {}, but the data have {} bits a row; make them equal",
                model.dim(),
                data.dim()
            ),
        ));
    }
    Ok(())
}
