//! One machine of a stack: the spec of its fit, and what is known of it
//! afterwards.

use crate::Error;
use crate::fit::job::report::LayerFit;
use crate::fit::job::spec::FitSpec;
use crate::models::ModelSpec;
use crate::models::dbn::Dbn;
use crate::rng::{Purpose, derived_seed};
use serde::{Deserialize, Serialize};

/// What is known of a machine once it is fitted.
#[derive(Serialize, Deserialize)]
pub struct Fitted {
    /// The parameters.
    pub params: Vec<f64>,
    /// How its fit went.
    pub report: LayerFit,
    /// What is doubtful about it, in words.
    pub warnings: Vec<String>,
}

/// The fit of one machine of a stack, as a spec of its own.
pub fn layer_spec(spec: &FitSpec, dbn: &Dbn, layer: usize) -> FitSpec {
    let seed = spec.seed.unwrap_or(0);
    FitSpec {
        model: ModelSpec::Rbm(dbn.layers()[layer].to_spec()),
        seed: Some(layer_seed(seed, layer)),
        ..spec.clone()
    }
}

fn layer_seed(seed: u64, layer: usize) -> u64 {
    match layer {
        0 => seed,
        _ => derived_seed(seed, Purpose::LayerSeed, layer as u64),
    }
}

/// An error of a machine's own spec, under the field it has in the stack's.
pub fn of_layer(error: Error, layer: usize) -> Error {
    let rename = |field: String| match field.as_str() {
        "model.dim" | "model.numVisible" => format!("model.sizes[{layer}]"),
        "model.numHidden" => format!("model.sizes[{}]", layer + 1),
        _ => field,
    };
    match error {
        Error::InvalidSpec { field, problem } => {
            Error::InvalidSpec { field: rename(field), problem }
        }
        Error::TooLarge { field, problem } => Error::TooLarge { field: rename(field), problem },
        other => other,
    }
}

/// The parameters in a machine's spec, in their order; of a fit that ran away they need not be
/// finite, and the spec then makes no model.
pub fn params_of(spec: &ModelSpec) -> Vec<f64> {
    let ModelSpec::Rbm(spec) = spec else { unreachable!("machines are Boltzmann machines") };
    let parts = [&spec.weights, &spec.visible_bias, &spec.hidden_bias];
    parts.into_iter().flatten().flatten().copied().collect()
}
