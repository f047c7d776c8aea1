//! Moments by enumeration of a model's states, one piece at a time.

use super::{energies, num_shards, part};
use crate::Result;
use crate::linalg::{Batch, axpy};
use crate::math::{exp, ln};
use crate::{Parametric, SiteFlips, Statistics};
use serde::{Deserialize, Serialize};

/// Number of states passed to a model's gradient at once.
const BATCH: usize = 256;

/// Sums over the states of a model at fixed parameters, in pieces that depend on
/// the model's shape alone.
pub trait Enumeration: Send + Sync {
    /// Number of pieces.
    fn num_pieces(&self) -> usize;

    /// Estimated cost of a piece, in nanoseconds.
    fn piece_cost(&self) -> usize;

    /// Adds the states of a piece to the sums.
    ///
    /// # Panics
    /// If there is no such piece, or the sums are of another model.
    fn add_piece(&self, piece: usize, sums: &mut WeightedSums);
}

/// `Σ w` and `Σ w ∂E/∂θ` over states, w = e^{−E}, divided by e^{log_scale}.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightedSums {
    /// ln of the common factor divided out, in nats; −∞ if nothing has been added.
    pub log_scale: f64,
    /// The sum of the weights, Σ w.
    pub total: f64,
    /// The weighted gradients, Σ w ∂E/∂θ.
    pub gradient: Vec<f64>,
}

impl WeightedSums {
    /// Empty sums.
    pub fn new(num_params: usize) -> Self {
        Self { log_scale: f64::NEG_INFINITY, total: 0.0, gradient: vec![0.0; num_params] }
    }

    /// Prepares for adding weights divided by e^{log_scale}, and returns the factor by which to
    /// multiply them.
    pub fn factor(&mut self, log_scale: f64) -> f64 {
        if log_scale > self.log_scale {
            let factor = exp(self.log_scale - log_scale);
            self.total *= factor;
            self.gradient.iter_mut().for_each(|sum| *sum *= factor);
            self.log_scale = log_scale;
        }
        exp(log_scale - self.log_scale)
    }

    /// Adds other sums.
    ///
    /// # Panics
    /// If the sums are of another model.
    pub fn add(&mut self, other: &Self) {
        let factor = self.factor(other.log_scale);
        self.total += factor * other.total;
        axpy(factor, &other.gradient, &mut self.gradient);
    }

    /// log Z, in nats, once all states have been added.
    pub fn log_z(&self) -> f64 {
        self.log_scale + ln(self.total)
    }

    /// The moments, once all states have been added.
    pub fn moments(&self, statistics: &Statistics) -> Vec<f64> {
        let mut moments = statistics.moments_of_gradient(&self.gradient);
        moments.iter_mut().for_each(|moment| *moment /= self.total);
        moments
    }
}

/// Enumeration of the visible states of any model that can be walked by flips; pieces are the
/// shards of [`super`].
pub struct VisibleStates<M> {
    model: M,
    statistics: Statistics,
    num_pieces: usize,
}

impl<M: SiteFlips + Parametric> VisibleStates<M> {
    /// The states of this model at its present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if it has over [`super::MAX_DIM`] sites.
    pub fn new(model: M, statistics: Statistics) -> Result<Self> {
        let num_pieces = num_shards(model.dim())?;
        Ok(Self { model, statistics, num_pieces })
    }

    /// Without hidden units the moments of pairs suffice.
    fn add_pairs(&self, piece: usize, sums: &mut WeightedSums) {
        let dim = self.model.dim();
        let part = part(&self.model, piece);
        let factor = sums.factor(-part[0]);
        sums.total += factor * part[1];
        for (term, sum) in self.statistics.terms.iter().zip(&mut sums.gradient) {
            let [a, b] = term.at();
            let (low, high) = (a.min(b), a.max(b));
            // The upper triangle by rows, after three sums.
            let moment = part[3 + low * dim - low * (low + 1) / 2 + high];
            *sum += factor * term.scale * moment;
        }
    }
}

impl<M: SiteFlips + Parametric> Enumeration for VisibleStates<M> {
    fn num_pieces(&self) -> usize {
        self.num_pieces
    }

    fn piece_cost(&self) -> usize {
        let num_states = (1 << self.model.dim()) / self.num_pieces;
        let hidden = self.statistics.num_hidden;
        let a_state = match hidden {
            0 => 30,
            _ => 40 * hidden + 3 * self.statistics.terms.len(),
        };
        num_states * a_state
    }

    fn add_piece(&self, piece: usize, sums: &mut WeightedSums) {
        if self.statistics.num_hidden == 0 {
            return self.add_pairs(piece, sums);
        }
        let dim = self.model.dim();
        let (base, mut weights) = energies(&self.model, piece);
        let min = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let factor = sums.factor(-min);
        weights.iter_mut().for_each(|weight| *weight = factor * exp(min - *weight));
        sums.total += weights.iter().sum::<f64>();
        let mut states = vec![0.0; dim * BATCH.min(weights.len())];
        for (batch, weights) in weights.chunks(BATCH).enumerate() {
            let states = &mut states[..dim * weights.len()];
            for (index, state) in states.chunks_exact_mut(dim).enumerate() {
                crate::bits::write_values(&[base | (batch * BATCH + index) as u64], state);
            }
            let batch = Batch::new(dim, states);
            self.model.accumulate_param_grad(batch, weights, &mut sums.gradient);
        }
    }
}
