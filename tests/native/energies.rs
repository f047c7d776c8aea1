//! The job that computes energies: those of the model, for any number of states.

use crate::common::{finished, job_of};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::energies::EnergiesResult;
use unnorm::linalg::Batch;
use unnorm::models::ModelSpec;

fn computed(json: &Value) -> EnergiesResult {
    let job = job_of(json, None).expect("a sound job");
    let JobResult::Energies(result) = finished(job) else { panic!("no energies") };
    result
}

#[test]
fn energies_and_gradients_are_those_of_the_model() {
    let model = json!({"kind": "formula", "expression": "x^2/2 + 100*(y - x)^4"});
    // More than two shards, the last one smaller.
    let states: Vec<f64> = (0..5000).map(|at| f64::from(at % 97) / 50.0 - 1.0).collect();
    let json = json!({"verb": "energies", "model": model, "states": states, "gradients": true});
    let result = computed(&json);
    let model = serde_json::from_value::<ModelSpec>(model).unwrap().build().unwrap();
    let mut energies = vec![0.0; 2500];
    model.energy(Batch::new(2, &states), &mut energies);
    assert_eq!((result.energies.len(), result.gradients.len()), (2500, 5000));
    for (at, state) in states.chunks_exact(2).enumerate() {
        let (x, y) = (state[0], state[1]);
        let cube = 400.0 * (y - x) * (y - x) * (y - x);
        assert!((result.energies[at] - energies[at]).abs() < 1e-12 * (1.0 + energies[at].abs()));
        assert!((result.gradients[2 * at] - (x - cube)).abs() < 1e-9 * (1.0 + cube.abs()));
        assert!((result.gradients[2 * at + 1] - cube).abs() < 1e-9 * (1.0 + cube.abs()));
    }
    let mut plain = json.clone();
    plain["gradients"] = false.into();
    let plain = computed(&plain);
    assert!(plain.gradients.is_empty());
    // The plain form may round otherwise.
    for (a, b) in plain.energies.iter().zip(&result.energies) {
        assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
    }
    let stopped = job_of(&json, None).unwrap().snapshot();
    let mut resumed = job_of(&json, Some(&stopped)).unwrap();
    resumed.advance(usize::MAX);
    assert_eq!(resumed.result().unwrap().digest(), result.digest);
}

#[test]
fn binary_states_have_energies_too() {
    let model = json!({"kind": "ising", "dim": 2, "couplings": [1.0, 0.5, 0.5, -3.0]});
    let states = [0, 0, 1, 0, 0, 1, 1, 1];
    let result = computed(&json!({"verb": "energies", "model": model, "states": states}));
    assert_eq!(result.energies, [0.0, 1.0, -3.0, -1.0]);
}

#[test]
fn what_is_no_state_is_refused() {
    let ring = json!({"kind": "ring"});
    let ising = json!({"kind": "ising", "dim": 2});
    for (json, field) in [
        (json!({"verb": "energies", "model": ring, "states": []}), "states"),
        (json!({"verb": "energies", "model": ring, "states": [1.0, 2.0, 3.0]}), "states"),
        (
            json!({"verb": "energies", "model": ising, "states": [0, 1], "gradients": true}),
            "model.kind",
        ),
        (
            json!({"verb": "energies", "model": {"kind": "dbn", "sizes": [2, 2]}, "states": [0, 1]}),
            "model.kind",
        ),
    ] {
        let error = job_of(&json, None).err().expect("refused");
        assert_eq!(error.field(), Some(field), "{error}");
    }
}
