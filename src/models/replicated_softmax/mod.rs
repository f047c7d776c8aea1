//! Replicated softmax: topics of documents, as binary hidden units.
//!
//! A document is the counts n of its words, D of them. Each word is a softmax unit, and all of them have
//! the same weights; with the hidden units summed out,
//!
//! `E(n) = −bᵀn − Σ_j softplus(D a_j + W_j n)`
//!
//! (Salakhutdinov and Hinton 2009, eq. 4 and 7). It is the energy of a sequence of words, which only
//! their counts matter to: D!/∏ n_k! sequences have the same counts, and log Z, of all sequences of D
//! words, depends on D. Given the hidden units words are independent, `p(k|h) ∝ exp(b_k + Σ_j h_j
//! W_jk)`.
//!
//! Parameters: `[W row-major (H × words) | b (words) | a (H)]`.

mod spec;
#[cfg(all(test, feature = "full"))]
mod tests;

pub use spec::ReplicatedSoftmaxSpec;

use super::softmax_units::{HiddenSums, Multiplicities, SoftmaxUnits};
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::energy::enumeration::Categorical;
use crate::energy::{BlockDraws, Differentiable, Energy, HiddenMeans, Parametric};
use crate::linalg::{Batch, Block, axpy, dot, transpose, with_scratch};
use crate::math::{sigmoid, softplus};
use crate::rng::{ChainRng, uniform};

/// The model; see the module documentation.
#[derive(Debug, Clone)]
pub struct ReplicatedSoftmax {
    num_words: usize,
    num_hidden: usize,
    params: Vec<f64>,
}

impl ReplicatedSoftmax {
    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> ReplicatedSoftmaxSpec {
        ReplicatedSoftmaxSpec {
            num_words: self.num_words,
            num_hidden: self.num_hidden,
            weights: Some(self.weights().to_vec()),
            word_bias: Some(self.word_bias().to_vec()),
            hidden_bias: Some(self.hidden_bias().to_vec()),
        }
    }

    /// W, row-major `[hidden, words]`.
    pub fn weights(&self) -> &[f64] {
        &self.params[..self.num_hidden * self.num_words]
    }

    /// b, `[words]`.
    pub fn word_bias(&self) -> &[f64] {
        &self.params[self.num_hidden * self.num_words..][..self.num_words]
    }

    /// a, `[hidden]`.
    pub fn hidden_bias(&self) -> &[f64] {
        &self.params[self.params.len() - self.num_hidden..]
    }

    /// `D a_j + W_j n` of each hidden unit.
    fn activations<'a>(&'a self, counts: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let length: f64 = counts.iter().sum();
        let lines = self.weights().chunks_exact(self.num_words).zip(self.hidden_bias());
        lines.map(move |(line, bias)| length * bias + dot(line, counts))
    }
}

/// Whether these are counts.
fn are_counts(row: &[f64]) -> bool {
    row.iter().all(|count| *count >= 0.0 && count.fract() == 0.0)
}

impl Energy for ReplicatedSoftmax {
    fn dim(&self) -> usize {
        self.num_words
    }

    /// +∞ for rows that are no counts.
    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.num_words && x.len() == out.len());
        for (counts, out) in x.states().zip(out) {
            *out = if are_counts(counts) {
                let free: f64 = self.activations(counts).map(softplus).sum();
                -dot(self.word_bias(), counts) - free
            } else {
                f64::INFINITY
            };
        }
    }
}

impl Parametric for ReplicatedSoftmax {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
    }

    fn is_bias(&self, param: usize) -> bool {
        param >= self.num_hidden * self.num_words
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(x.dim() == self.num_words && x.len() == weights.len());
        assert_eq!(grad.len(), self.params.len());
        let (weight_grad, bias_grad) = grad.split_at_mut(self.num_hidden * self.num_words);
        let (word_grad, hidden_grad) = bias_grad.split_at_mut(self.num_words);
        for (counts, weight) in x.states().zip(weights) {
            let length: f64 = counts.iter().sum();
            axpy(-weight, counts, word_grad);
            let lines = weight_grad.chunks_exact_mut(self.num_words).zip(&mut *hidden_grad);
            for (activation, (line, bias)) in self.activations(counts).zip(lines) {
                let on = sigmoid(activation);
                *bias -= weight * on * length;
                axpy(-weight * on, counts, line);
            }
        }
    }
}

impl Differentiable for ReplicatedSoftmax {
    /// Of the formula at real numbers. Chains that follow it would leave the counts, which is why
    /// the model does not offer it: only chains by blocks take energies from here.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (dim, width) = (x.dim(), x.width());
        with_scratch([dim * width; 2], |[states, gradients]| {
            transpose(width, dim, x.data(), states);
            self.energy(Batch::new(dim, states), energy);
            for (counts, grad) in states.chunks_exact(dim).zip(gradients.chunks_exact_mut(dim)) {
                grad.iter_mut().zip(self.word_bias()).for_each(|(grad, bias)| *grad = -bias);
                let lines = self.weights().chunks_exact(dim).zip(self.hidden_bias());
                for (activation, (line, bias)) in self.activations(counts).zip(lines) {
                    let on = sigmoid(activation);
                    axpy(-on, line, grad);
                    grad.iter_mut().for_each(|grad| *grad -= on * bias);
                }
            }
            transpose(dim, width, gradients, grad);
        });
    }

    fn gradient_cost(&self) -> usize {
        2 * self.params.len() + 20 * (self.num_words + self.num_hidden)
    }

    fn as_block_draws(&self) -> Option<&dyn BlockDraws> {
        Some(self)
    }
}

impl BlockDraws for ReplicatedSoftmax {
    /// As many words as the document has.
    fn resample(&self, counts: &mut [f64], rng: &mut ChainRng) {
        assert!(counts.len() == self.num_words && are_counts(counts));
        let length: f64 = counts.iter().sum();
        let mut words = self.word_bias().to_vec();
        let lines = self.weights().chunks_exact(self.num_words);
        for (activation, line) in self.activations(counts).zip(lines) {
            if uniform(rng) < sigmoid(activation) {
                axpy(1.0, line, &mut words);
            }
        }
        let words = Categorical::from_log_weights(words);
        counts.fill(0.0);
        (0..length as usize).for_each(|_| counts[words.draw(rng)] += 1.0);
    }
}

impl HiddenMeans for ReplicatedSoftmax {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        x.states().flat_map(|counts| self.activations(counts).map(sigmoid)).collect()
    }
}

impl SoftmaxUnits for ReplicatedSoftmax {
    fn multiplicities(&self, row: &[f64]) -> std::result::Result<Multiplicities, &'static str> {
        if !are_counts(row) {
            return Err("entries are counts of words, 0, 1, 2 and so on");
        }
        let length = row.iter().sum();
        Ok(Multiplicities { hidden: length, groups: vec![length] })
    }

    fn energies_of_rows(&self, x: Batch<'_>, out: &mut [f64]) {
        self.energy(x, out);
    }

    fn hidden_sums(&self) -> Result<HiddenSums> {
        let first = vec![0, self.num_words];
        HiddenSums::new(self.weights(), self.word_bias(), self.hidden_bias(), first)
    }
}

impl Model for ReplicatedSoftmax {
    fn kind(&self) -> &'static str {
        "replicatedSoftmax"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::ReplicatedSoftmax(self.to_spec())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Parametric, HiddenMeans, BlockDraws);

    fn provide_softmax_units(&self) -> Option<&dyn SoftmaxUnits> {
        Some(self)
    }
}
