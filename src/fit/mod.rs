//! Fitting: objectives that measure how far a model is from data, and
//! optimizers that lower them.

use std::ops::Range;

/// What `fit` minimizes: the mean of a function of (params, row) over the rows
/// of the data, asked for in sums over ranges so that shards can share it.
pub trait Objective: Send + Sync {
    /// Length of the parameter vector.
    fn num_params(&self) -> usize;

    /// Rows of data.
    fn num_rows(&self) -> usize;

    /// Moves to other parameters; tables that depend on them are made here.
    ///
    /// # Panics
    /// If the length is not [`Objective::num_params`].
    fn set_params(&mut self, params: &[f64]);

    /// Adds the gradient of the **sum** over `rows` to `grad` and returns the
    /// sum's value. Its bits depend on `rows` and the parameters alone.
    ///
    /// # Panics
    /// If the range or the length of `grad` is out of bounds.
    fn accumulate(&self, rows: Range<usize>, grad: &mut [f64]) -> f64;
}
