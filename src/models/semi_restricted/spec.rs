//! The spec of the semi-restricted Boltzmann machine.

use super::SemiRestricted;
use crate::ising::{self, IsingSpec, Pattern};
use crate::rbm::RbmSpec;
use crate::{Error, Result};
use unnorm_wire::spec;

/// The spec of the semi-restricted Boltzmann machine.
#[spec]
pub struct SemiRestrictedSpec {
    /// Number of visible units D: the bits of a state.
    pub num_visible: usize,
    /// Number of hidden units H.
    pub num_hidden: usize,
    /// J, row-major `[visible, visible]`, symmetric, minus the visible biases
    /// on the diagonal; all zero if absent.
    pub couplings: Option<Vec<f64>>,
    /// W, row-major `[hidden, visible]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// b, `[hidden]`; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
}

impl SemiRestrictedSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<SemiRestricted> {
        if self.num_visible > ising::MAX_DIM {
            return Err(Error::TooLarge {
                field: "model.numVisible".into(),
                problem: format!(
                    "is {}, and the limit is {}; use fewer units",
                    self.num_visible,
                    ising::MAX_DIM
                ),
            });
        }
        let hidden = RbmSpec {
            num_visible: self.num_visible,
            num_hidden: self.num_hidden,
            weights: self.weights.clone(),
            visible_bias: None,
            hidden_bias: self.hidden_bias.clone(),
        };
        // This comes first, as it refers to the number of visible units by its name here.
        let hidden = hidden.build()?;
        let visible = IsingSpec {
            dim: self.num_visible,
            pattern: Pattern::Dense {},
            couplings: self.couplings.clone(),
            ..IsingSpec::default()
        };
        Ok(SemiRestricted::new(visible.build()?, hidden))
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let mut examples: Vec<_> = [(1, 1, 1.0), (5, 3, 0.7), (3, 9, 0.7)]
            .into_iter()
            .map(|(visible, hidden, scale)| Self::random(visible, hidden, scale, 4))
            .collect();
        examples.push(Self {
            num_visible: 3,
            num_hidden: 2,
            couplings: None,
            weights: None,
            hidden_bias: None,
        });
        examples
    }

    /// A model whose couplings, weights and biases are normal with mean 0 and
    /// standard deviation `scale`: for examples and tests.
    pub fn random(num_visible: usize, num_hidden: usize, scale: f64, seed: u64) -> Self {
        let hidden = RbmSpec::random(num_visible, num_hidden, scale, seed);
        Self {
            num_visible,
            num_hidden,
            couplings: IsingSpec::random(num_visible, Pattern::Dense {}, scale, seed + 1).couplings,
            weights: hidden.weights,
            hidden_bias: hidden.hidden_bias,
        }
    }
}
