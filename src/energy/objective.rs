//! What fitting minimizes.

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
