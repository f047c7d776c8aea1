//! The spec of the deep belief network, and its checks.

use super::Dbn;
use crate::rbm::{MAX_UNITS, MAX_WEIGHTS, RbmSpec};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of restricted Boltzmann machines in a stack.
pub const MAX_LAYERS: usize = 8;

/// The spec of the deep belief network.
#[spec]
pub struct DbnSpec {
    /// Number of units of each layer, from the bottom up: `[visible, hidden 1, hidden 2, …]`.
    pub sizes: Vec<usize>,
    /// The restricted Boltzmann machines, from the bottom up: machine k has layer k as its visible
    /// layer and layer k + 1 as its hidden layer. All zero if absent.
    pub layers: Option<Vec<DbnLayer>>,
}

/// One of the restricted Boltzmann machines of a stack.
#[spec]
#[derive(Default)]
pub struct DbnLayer {
    /// W, row-major `[hidden, visible]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// c, `[visible]`; all zero if absent.
    pub visible_bias: Option<Vec<f64>>,
    /// b, `[hidden]`; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
}

impl DbnSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Dbn> {
        self.check_sizes()?;
        let num_layers = self.sizes.len() - 1;
        if let Some(layers) = self.layers.as_ref().filter(|layers| layers.len() != num_layers) {
            return Err(Error::spec(
                "model.layers",
                format!(
                    "has {} entries, but {} sizes make {num_layers} pairs of neighbours, one layer each",
                    layers.len(),
                    self.sizes.len()
                ),
            ));
        }
        let layers = (0..num_layers).map(|at| {
            let layer = self.layers.as_ref().map(|layers| layers[at].clone()).unwrap_or_default();
            let rbm = RbmSpec {
                num_visible: self.sizes[at],
                num_hidden: self.sizes[at + 1],
                weights: layer.weights,
                visible_bias: layer.visible_bias,
                hidden_bias: layer.hidden_bias,
            };
            rbm.build().map_err(|error| of_layer(error, at))
        });
        Ok(Dbn { layers: layers.collect::<Result<_>>()? })
    }

    fn check_sizes(&self) -> Result<()> {
        let num_layers = self.sizes.len().saturating_sub(1);
        if !(1..=MAX_LAYERS).contains(&num_layers) {
            return Err(Error::spec(
                "model.sizes",
                format!(
                    "has {} entries; give the number of visible units and those of 1 to {MAX_LAYERS} \
                     hidden layers",
                    self.sizes.len()
                ),
            ));
        }
        for (at, &size) in self.sizes.iter().enumerate() {
            let field = format!("model.sizes[{at}]");
            if size == 0 {
                return Err(Error::spec(field, "is 0; give each layer at least one unit"));
            }
            if size > MAX_UNITS {
                let problem = format!("is {size}, and the limit is {MAX_UNITS}; use fewer units");
                return Err(Error::TooLarge { field, problem });
            }
        }
        let num_weights: usize = self.sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
        if num_weights > MAX_WEIGHTS {
            return Err(Error::TooLarge {
                field: "model.sizes".into(),
                problem: format!(
                    "makes {num_weights} weights, and the limit is {MAX_WEIGHTS}; use fewer units"
                ),
            });
        }
        Ok(())
    }

    /// A stack whose weights and biases are normal with mean 0 and standard
    /// deviation `scale`: for examples and tests.
    pub fn random(sizes: &[usize], scale: f64, seed: u64) -> Self {
        let layers = sizes.windows(2).enumerate().map(|(at, pair)| {
            let rbm = RbmSpec::random(pair[0], pair[1], scale, seed + at as u64);
            DbnLayer {
                weights: rbm.weights,
                visible_bias: rbm.visible_bias,
                hidden_bias: rbm.hidden_bias,
            }
        });
        Self { sizes: sizes.to_vec(), layers: Some(layers.collect()) }
    }
}

/// An error in a layer's spec, under the field it has in the stack's spec.
fn of_layer(error: Error, at: usize) -> Error {
    let rename = |field: String| {
        field
            .strip_prefix("model.")
            .map_or(field.clone(), |field| format!("model.layers[{at}].{field}"))
    };
    match error {
        Error::InvalidSpec { field, problem } => {
            Error::InvalidSpec { field: rename(field), problem }
        }
        Error::TooLarge { field, problem } => Error::TooLarge { field: rename(field), problem },
        other => other,
    }
}
