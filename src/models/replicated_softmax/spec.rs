//! The spec of replicated softmax, and its checks.

use super::ReplicatedSoftmax;
use crate::Result;
use crate::checks::{append, check_count, check_num_weights};
use crate::rng::{Purpose, normal, stream};
use unnorm_wire::spec;

/// Maximum number of words, and of hidden units.
const MAX_UNITS: usize = 1 << 14;

/// Maximum number of weights.
const MAX_WEIGHTS: usize = 1 << 22;

/// The spec of replicated softmax.
#[spec]
pub struct ReplicatedSoftmaxSpec {
    /// Number of words of the vocabulary: the entries of a state, which are how often each occurs.
    pub num_words: usize,
    /// Number of hidden units H: the topics.
    pub num_hidden: usize,
    /// W, row-major `[hidden, words]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// b, `[words]`; all zero if absent.
    pub word_bias: Option<Vec<f64>>,
    /// a, `[hidden]`, which count once for each word of a document; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
}

impl ReplicatedSoftmaxSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<ReplicatedSoftmax> {
        let (num_words, num_hidden) = (self.num_words, self.num_hidden);
        check_count("model.numWords", num_words, 1, MAX_UNITS, "words")?;
        check_count("model.numHidden", num_hidden, 1, MAX_UNITS, "units")?;
        check_num_weights(num_hidden, num_words, MAX_WEIGHTS)?;
        let mut params = Vec::new();
        append("model.weights", &self.weights, num_words * num_hidden, 0.0, &mut params)?;
        append("model.wordBias", &self.word_bias, num_words, 0.0, &mut params)?;
        append("model.hiddenBias", &self.hidden_bias, num_hidden, 0.0, &mut params)?;
        Ok(ReplicatedSoftmax { num_words, num_hidden, params })
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let zero =
            Self { num_words: 2, num_hidden: 1, weights: None, word_bias: None, hidden_bias: None };
        vec![Self::random(1, 1, 0.7, 1), Self::random(4, 3, 0.6, 2), zero]
    }

    /// A model whose weights and biases are normal with mean 0 and standard deviation `scale`: for
    /// examples and tests.
    pub fn random(num_words: usize, num_hidden: usize, scale: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Example, num_words as u64);
        let mut draw = |count| Some((0..count).map(|_| scale * normal(&mut rng)).collect());
        Self {
            num_words,
            num_hidden,
            weights: draw(num_words * num_hidden),
            word_bias: draw(num_words),
            hidden_bias: draw(num_hidden),
        }
    }
}
