//! One machine of a stack: the spec of its fit, and the record of it afterwards.

use crate::Error;
use crate::fit::job::report::LayerFit;
use crate::fit::job::spec::FitSpec;
use crate::models::ModelSpec;
use crate::models::dbn::Dbn;
use crate::rng::{Purpose, derived_seed};
use serde::{Deserialize, Serialize};

/// The record of a fitted machine.
#[derive(Serialize, Deserialize)]
pub struct Fitted {
    /// The parameters.
    pub params: Vec<f64>,
    /// The report of its fit.
    pub report: LayerFit,
    /// Warnings about the machine, as sentences.
    pub warnings: Vec<String>,
}

/// The spec that fits one machine of a stack by itself.
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

/// An error in a machine's spec, under the field it has in the stack's spec.
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

/// The parameters in a machine's spec, in order. If its fit diverged they need not be finite, and
/// the spec then makes no valid model.
pub fn params_of(spec: &ModelSpec) -> Vec<f64> {
    let ModelSpec::Rbm(spec) = spec else { unreachable!("machines are Boltzmann machines") };
    let parts = [&spec.weights, &spec.visible_bias, &spec.hidden_bias];
    parts.into_iter().flatten().flatten().copied().collect()
}
