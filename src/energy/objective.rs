//! The objective that fitting minimizes.

/// A parameter of an objective's own, beside those of the model.
#[cfg(feature = "full")]
#[derive(Debug, Clone, PartialEq)]
pub struct OwnParameter {
    /// Where a search starts it.
    pub start: f64,
    /// How far it should follow a step in each parameter of the model, for a search to be well
    /// conditioned.
    pub slopes: Vec<f64>,
}

/// An objective of `fit`: a sum over the rows of the data, divided by their number, as a function
/// of the parameters. It is computed in **shards** whose number and extent depend on the model and
/// the data alone, so that any number of workers may share them and get the same bits.
pub trait Objective: Send + Sync {
    /// Length of the parameter vector.
    fn num_params(&self) -> usize;

    /// The parameter that the objective has beside those of the model, as the last one, if it has one;
    /// for a search that starts at these parameters of the model.
    #[cfg(feature = "full")]
    fn own_parameter(&self, _params: &[f64]) -> Option<OwnParameter> {
        None
    }

    /// Sets other parameters.
    ///
    /// # Panics
    /// If the length is not [`Objective::num_params`].
    fn set_params(&mut self, params: &[f64]);

    /// Number of shards, at least 1.
    fn num_shards(&self) -> usize;

    /// Works one shard at the present parameters. Only [`Objective::combine`] knows what the
    /// numbers mean; an objective's shards return only what they touch, not whole gradients.
    ///
    /// # Panics
    /// If there is no such shard.
    fn part(&self, shard: usize) -> Vec<f64>;

    /// Number of pieces of a shard's work, so that the worker can attend to something else in
    /// between.
    fn num_pieces(&self, _shard: usize) -> usize {
        1
    }

    /// Works the next piece: `part` is empty before the first and [`Objective::part`] after the
    /// last, to the bit.
    ///
    /// # Panics
    /// If there is no such shard or piece.
    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        assert_eq!(piece, 0);
        *part = self.part(shard);
    }

    /// Combines the parts of all shards, given in shard order: writes the gradient to `grad` and
    /// returns the objective. It may be infinite or NaN for extreme parameters.
    ///
    /// # Panics
    /// If a part is missing, or a part or `grad` has the wrong length.
    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64;

    /// The scale on which the objective changes, if that is small relative to its value: the
    /// tolerance of the gradient is multiplied by it; 1 by default.
    fn scale(&self) -> f64 {
        1.0
    }

    /// The objective and its gradient at these parameters, in one call.
    ///
    /// # Panics
    /// If a length is not [`Objective::num_params`].
    fn evaluate(&mut self, params: &[f64], grad: &mut [f64]) -> f64 {
        self.set_params(params);
        self.evaluate_here(grad)
    }

    /// The objective and its gradient at the present parameters.
    ///
    /// # Panics
    /// If the gradient's length is not [`Objective::num_params`].
    fn evaluate_here(&self, grad: &mut [f64]) -> f64 {
        let parts: Vec<_> = (0..self.num_shards()).map(|shard| self.part(shard)).collect();
        self.combine(&parts, grad)
    }
}
