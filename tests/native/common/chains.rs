//! Fits with chains on ℝᴰ, and what their updates are compared with.

use super::{fitted, job_of, with};
use serde_json::{Value, json};
use unnorm::fit::FitResult;
use unnorm::fit::real_chains::Moves;
use unnorm::fit::step_size::StepSize;
use unnorm::sample::spec::TransitionSpec;

/// The seed of [`fit`].
pub const SEED: u64 = 9;

/// A fit to states, the fields of its spec besides.
pub fn fit(model: &Value, states: &[f64], fields: &Value) -> FitResult {
    let spec = json!({"verb": "fit", "model": model, "states": states, "seed": SEED});
    fitted(job_of(&with(spec, fields), None).unwrap())
}

/// A transition whose step size is given.
pub fn hmc() -> Value {
    json!({"kind": "hmc", "numLeapfrogSteps": 4, "stepSize": 0.3})
}

/// Moves by a transition.
pub fn moves(transition: &Value, num_steps: usize) -> (Moves, StepSize) {
    let spec: TransitionSpec = serde_json::from_value(transition.clone()).unwrap();
    Moves::new(&spec, num_steps, 2).unwrap()
}

/// Compares to eleven digits.
pub fn assert_near(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.iter().zip(expected) {
        let tolerance = 1e-11 * (1.0 + expected.abs());
        assert!((actual - expected).abs() < tolerance, "{actual}, not {expected}");
    }
}
