//! Jobs in which a part of the state is observed: against enumeration and closed forms, for every model.

mod bits;
mod potts;
mod reals;
mod refused;

use crate::common::job_of;
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::exact::ExactResult;
use unnorm::linalg::{Batch, Block};
use unnorm::models::conditional::ObservedSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::normalize::LogZResult;
use unnorm::rng::{Purpose, normal, stream};

/// Standard errors within which an estimate must lie: a normal one is beyond them once in 5·10⁸, and there
/// are fewer than 500 comparisons.
const MAX_ERRORS: f64 = 6.0;

fn exact(spec: &Value) -> ExactResult {
    match crate::common::finished(job_of(spec, None).expect("a sound spec")) {
        JobResult::Exact(result) => result,
        _ => panic!("not of exact"),
    }
}

fn log_z(spec: &Value) -> LogZResult {
    match crate::common::finished(job_of(spec, None).expect("a sound spec")) {
        JobResult::LogZ(result) => result,
        _ => panic!("not of logZ"),
    }
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    let scale = 1.0 + left.abs().max(right.abs());
    assert!((left - right).abs() <= tolerance * scale, "{left} and {right}");
}

fn energy(model: &dyn Model, state: &[f64]) -> f64 {
    let mut energy = [f64::NAN];
    model.energy(Batch::new(state.len(), state), &mut energy);
    energy[0]
}

fn gradient(model: &dyn Model, state: &[f64]) -> Vec<f64> {
    let (mut energy, mut grad) = ([f64::NAN], vec![f64::NAN; state.len()]);
    let differentiable = model.as_differentiable().expect("on the reals");
    differentiable.energy_grad(Block::new(state.len(), state), &mut energy, &mut grad);
    assert_close(energy[0], self::energy(model, state), 1e-9);
    grad
}

/// Every registered model but those of several values and of counts, untold: the conditional's energy is the model's at the whole state, and so is
/// its gradient.
#[test]
fn the_energy_of_what_is_free_is_that_of_the_whole_state() {
    let mut num_tried = 0;
    for (number, spec) in ModelSpec::examples().into_iter().enumerate() {
        let model = spec.build().unwrap();
        // Their sites are not their bits (see `potts`), or their rows have a length.
        if model.as_sites().is_some() || matches!(spec, ModelSpec::ReplicatedSoftmax(_)) {
            continue;
        }
        let dim = model.dim();
        let rng = &mut stream(31, Purpose::Example, number as u64);
        for num_observed in [1, dim / 2] {
            if num_observed == 0 || num_observed >= dim {
                continue;
            }
            // Every second site, from the last on.
            let mut sites: Vec<usize> =
                (0..dim).rev().step_by(2).chain((0..dim).rev().skip(1).step_by(2)).collect();
            sites.truncate(num_observed);
            let value = |x: f64| if spec.is_binary() { f64::from(x > 0.0) } else { 0.5 + 0.3 * x };
            let values: Vec<f64> = sites.iter().map(|_| value(normal(rng))).collect();
            let observed = ObservedSpec { sites: sites.clone(), values: values.clone() };
            let Ok(given) = spec.given(&observed) else {
                // Values outside of what the model allows.
                assert!(
                    model.as_differentiable().is_some_and(|model| !model.constraints().is_empty())
                );
                continue;
            };
            let conditional = given.model.build().unwrap();
            assert_eq!(conditional.dim(), dim - num_observed);
            assert_eq!(conditional.kind(), model.kind());
            for _ in 0..5 {
                let mut whole: Vec<f64> = (0..dim).map(|_| value(normal(rng))).collect();
                given.entries.overwrite(&mut whole);
                sites
                    .iter()
                    .zip(&values)
                    .for_each(|(&site, value)| assert_eq!(whole[site], *value));
                let free = given.entries.restrict(&whole);
                assert_close(
                    energy(&*conditional, &free) + given.constant,
                    energy(&*model, &whole),
                    1e-10,
                );
                if model.as_differentiable().is_some() {
                    let expected = given.entries.restrict(&gradient(&*model, &whole));
                    for (found, expected) in gradient(&*conditional, &free).iter().zip(&expected) {
                        assert_close(*found, *expected, 1e-9);
                    }
                }
                num_tried += 1;
            }
        }
    }
    assert!(num_tried > 200, "{num_tried}");
}

#[test]
fn energies_have_the_observed_entries_set() {
    let model = json!({"kind": "gaussian", "dim": 2, "precision": [2.0, 1.0, 1.0, 3.0]});
    let spec = json!({
        "verb": "energies", "model": model, "states": [7.0, 1.0, 7.0, 2.0], "gradients": true,
        "observed": {"sites": [0], "values": [0.5]},
    });
    let JobResult::Energies(result) = crate::common::finished(job_of(&spec, None).unwrap()) else {
        panic!("not of energies")
    };
    // ½ (2 x² + 2 x y + 3 y²), and ∂/∂y = x + 3 y.
    assert_eq!(result.energies, [0.25 + 0.5 + 1.5, 0.25 + 1.0 + 6.0]);
    assert_eq!(result.gradients, [0.0, 3.5, 0.0, 6.5]);
}
