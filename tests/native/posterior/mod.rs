//! Posteriors of typed models: maps of priors, energies, evidence in closed form, and refusals.

mod energies;
mod evidence;
mod priors;
mod refusals;

use serde_json::{Value, json};
use unnorm::models::{Model, ModelSpec};

/// A model with these priors, by name.
fn typed(priors: &[(&str, Value)], log_likelihood: &str, data: Value) -> Value {
    let prior: Vec<Value> = priors
        .iter()
        .map(|(name, distribution)| json!({"name": name, "distribution": distribution}))
        .collect();
    let mut model = json!({"kind": "posterior", "prior": prior, "logLikelihood": log_likelihood});
    if !data.is_null() {
        model["data"] = data;
    }
    model
}

fn build(model: &Value) -> Box<dyn Model> {
    serde_json::from_value::<ModelSpec>(model.clone()).expect("a spec").build().expect("sound")
}
