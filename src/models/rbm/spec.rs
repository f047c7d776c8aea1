//! The spec of the restricted Boltzmann machine, and its checks.

use super::Rbm;
use crate::checks::check_num_weights;
use crate::energy::Parametric;
use crate::rng::{Purpose, normal, stream};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of units of either kind.
pub const MAX_UNITS: usize = 1 << 14;

/// Maximum number of weights. With their tables they take 32 bytes each: 134 MB.
pub const MAX_WEIGHTS: usize = 1 << 22;

/// The spec of the restricted Boltzmann machine.
#[spec]
pub struct RbmSpec {
    /// Number of visible units D: the bits of a state.
    pub num_visible: usize,
    /// Number of hidden units H.
    pub num_hidden: usize,
    /// W, row-major `[hidden, visible]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// c, `[visible]`; all zero if absent.
    pub visible_bias: Option<Vec<f64>>,
    /// b, `[hidden]`; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
}

impl RbmSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Rbm> {
        for (field, count) in
            [("model.numVisible", self.num_visible), ("model.numHidden", self.num_hidden)]
        {
            if count == 0 {
                return Err(Error::spec(field, "is 0; give each side at least one unit"));
            }
            if count > MAX_UNITS {
                return Err(Error::TooLarge {
                    field: field.into(),
                    problem: format!("is {count}, and the limit is {MAX_UNITS}; use fewer units"),
                });
            }
        }
        let num_weights = self.num_visible * self.num_hidden;
        check_num_weights(self.num_hidden, self.num_visible, MAX_WEIGHTS)?;
        let mut params = Vec::with_capacity(num_weights + self.num_visible + self.num_hidden);
        for (field, values, count) in [
            ("model.weights", &self.weights, num_weights),
            ("model.visibleBias", &self.visible_bias, self.num_visible),
            ("model.hiddenBias", &self.hidden_bias, self.num_hidden),
        ] {
            match values {
                None => params.resize(params.len() + count, 0.0),
                Some(values) => {
                    check(field, values, count)?;
                    params.extend_from_slice(values);
                }
            }
        }
        let mut model = Rbm::zeros(self.num_visible, self.num_hidden);
        model.set_params(&params);
        Ok(model)
    }

    /// Small models for the laws: more visible or more hidden units, widths on both sides of a
    /// multiple of 8, all zero.
    pub fn examples() -> Vec<Self> {
        let mut examples: Vec<_> =
            [(1, 1, 1.0), (6, 3, 0.8), (4, 9, 0.8), (9, 8, 0.5), (3, 17, 2.0)]
                .into_iter()
                .map(|(visible, hidden, scale)| Self::random(visible, hidden, scale, 3))
                .collect();
        examples.push(Self {
            num_visible: 3,
            num_hidden: 2,
            weights: None,
            visible_bias: None,
            hidden_bias: None,
        });
        examples
    }

    /// A model whose weights and biases are normal with mean 0 and standard
    /// deviation `scale`: for examples and tests.
    pub fn random(num_visible: usize, num_hidden: usize, scale: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Example, 0);
        let mut draw = |count| Some((0..count).map(|_| scale * normal(&mut rng)).collect());
        Self {
            num_visible,
            num_hidden,
            weights: draw(num_visible * num_hidden),
            visible_bias: draw(num_visible),
            hidden_bias: draw(num_hidden),
        }
    }
}

/// Checks length and finite entries.
fn check(field: &str, values: &[f64], count: usize) -> Result<()> {
    if values.len() != count {
        return Err(Error::spec(
            field,
            format!("has {} entries, but the numbers of units ask for {count}", values.len()),
        ));
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("{field}[{at}]"),
            format!("is {}; every entry must be a finite number", values[at]),
        )),
    }
}
