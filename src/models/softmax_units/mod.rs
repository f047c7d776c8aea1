//! Visible units of several values: what machines with softmax units given binary hidden ones have in
//! common, and log Z of such a machine by a sum over its hidden states.
//!
//! A group of softmax units with activations `a_k = c_k + Σ_j h_j W_jk` has the normalizer
//! `s(h) = ln Σ_k exp(a_k)`. With m_g units in group g, that share their weights, and r times the
//! hidden bias,
//!
//! `log Z = ln Σ_h exp(r bᵀh + Σ_g m_g s_g(h))`.
//!
//! In machines of ratings a group is a thing that is rated, and m is 1 if it is and 0 if it is not
//! (Salakhutdinov, Mnih and Hinton 2007). In replicated softmax the words are one group, and m and r
//! are the number of words of a document (Salakhutdinov and Hinton 2009).

mod hidden_sums;

pub use hidden_sums::{HiddenSums, MAX_HIDDEN};

use crate::Result;
use crate::linalg::Batch;

/// How often the parts of a machine count in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiplicities {
    /// r, of the hidden bias.
    pub hidden: f64,
    /// m, of each group.
    pub groups: Vec<f64>,
}

/// Models with softmax units, whose log Z depends on what a row has: on which sites have values, or
/// on the number of words.
pub trait SoftmaxUnits: Send + Sync {
    /// What the row has; or what rows of this model are, if it is none.
    fn multiplicities(&self, row: &[f64]) -> std::result::Result<Multiplicities, &'static str>;

    /// `out[b] = E(x_b)` in nats, of what the rows have.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn energies_of_rows(&self, x: Batch<'_>, out: &mut [f64]);

    /// Sums over the hidden states, at the present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if there are over [`MAX_HIDDEN`] hidden units.
    fn hidden_sums(&self) -> Result<HiddenSums>;
}

/// Replaces activations by the probabilities in proportion to their exponentials.
pub fn softmax(activations: &mut [f64]) {
    let max = activations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    activations.iter_mut().for_each(|activation| *activation -= max);
    crate::math::exp_slice(activations);
    let total: f64 = activations.iter().sum();
    activations.iter_mut().for_each(|weight| *weight /= total);
}
