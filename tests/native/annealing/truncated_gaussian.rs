//! Targets that live in half-spaces only.

use super::*;
use std::f64::consts::PI;
use unnorm::math::ln;
use unnorm::models::ModelSpec;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::normalize::geometric_path::GeometricPath;
use unnorm::rng::normal;

fn plan_to(formula: serde_json::Value, dim: usize, moves: Moves) -> AnnealingPlan {
    let target: ModelSpec = serde_json::from_value(formula).unwrap();
    let reference = GaussianSpec { dim, mean: None, precision: None, covariance: None };
    let reference = Box::new(reference.build().unwrap());
    let path = GeometricPath::new(reference, target.build().unwrap()).unwrap();
    annealing_plan(Path::Geometric(path), moves, 4, 0.5)
}

/// Draws by a function until they lie in the half-spaces it knows of.
fn states(
    dim: usize,
    count: usize,
    mut draw: impl FnMut(&mut dyn FnMut() -> f64) -> Vec<f64>,
) -> States {
    let mut rng = stream(79, Purpose::Example, 0);
    let mut normal = || normal(&mut rng);
    let values = (0..count).flat_map(|_| draw(&mut normal)).collect();
    States::Values { dim, values, momenta: Vec::new() }
}

/// A half-Gaussian in one dimension and a slab of a quadrant in three: constraints the
/// reference's log Z is known between, so that means are right both ways.
#[test]
fn half_gaussians() {
    for (name, moves) in continuous_moves() {
        // 2 x² where x ≥ 0: half of √(π/2).
        let half = serde_json::json!({
            "kind": "formula", "expression": "2*x^2",
            "constraints": [{ "normal": [1.0], "offset": 0.0 }]
        });
        let plan = plan_to(half, 1, moves.clone());
        let exact = states(1, 20_000, |normal| vec![0.5 * normal().abs()]);
        check_both_ways(name, &plan, ln(0.5 * (PI / 2.0).sqrt()), &exact, false);

        // x ≥ 0 and |y| ≤ 1/√2, each by itself, and z free.
        let slab = serde_json::json!({
            "kind": "formula", "expression": "x^2 + z^2", "variables": ["x", "y", "z"],
            "constraints": [
                { "normal": [2.0, 0.0, 0.0], "offset": 0.0 },
                { "normal": [0.0, 1.0, 0.0], "offset": -0.7 },
                { "normal": [0.0, -1.0, 0.0], "offset": -0.7 },
            ]
        });
        let plan = plan_to(slab, 3, moves);
        let mut place = stream(80, Purpose::Example, 0);
        let exact = states(3, 20_000, |normal| {
            let [x, z] = [normal(), normal()].map(|r| r * 0.5_f64.sqrt());
            vec![x.abs(), 1.4 * unnorm::rng::uniform(&mut place) - 0.7, z]
        });
        check_both_ways(&format!("{name}, slab"), &plan, ln(0.5 * PI * 1.4), &exact, false);
        let States::Values { values, .. } = run(&plan, None, 500).0.states() else { panic!() };
        assert!(values.chunks(3).all(|state| state[0] >= -1e-9 && state[1].abs() <= 0.7 + 1e-9));
    }
}

/// A wedge of 60°: what of the reference lies in it is not known to the path, and
/// chains that start outside have no weight. E[w] is right all the same, and so is
/// Bennett's identity; e^{−log w} is short by the part of the reference that is in.
#[test]
fn wedges() {
    let angle = PI / 3.0;
    let wedge = serde_json::json!({
        "kind": "formula", "expression": "2*(x^2 + y^2)",
        "constraints": [
            { "normal": [0.0, 1.0], "offset": 0.0 },
            { "normal": [3.0_f64.sqrt(), -1.0], "offset": 0.0 },
        ]
    });
    let count = 40_000;
    let plan = plan_to(wedge, 2, hmc(1, 0.3, MomentumFlips::Standard));
    let log_ratio = ln(0.25 * angle) - ln(2.0 * PI);
    let exact = states(2, count, |normal| {
        loop {
            let [x, y] = [normal(), normal()].map(|r| 0.5 * r);
            if y >= 0.0 && 3.0_f64.sqrt() * x >= y {
                return vec![x, y];
            }
        }
    });
    assert_eq!(plan.path().reference_log_z(), ln(2.0 * PI));
    let (forward, _) = run(&plan, None, count);
    let (reverse, _) = run(&plan, Some(&exact), count);
    let weight = mean(forward.log_weights.iter().map(|log_w| exp(log_w - log_ratio)));
    assert!(distance(weight, (1.0, 0.0)) < MAX_ERRORS && weight.1 < 0.03, "{weight:?}");
    let back = mean(reverse.log_weights.iter().map(|log_w| exp(log_ratio - log_w)));
    assert!(distance(back, (1.0 / 6.0, 0.0)) < MAX_ERRORS && back.1 < 0.01, "{back:?}");
    assert!(bennett(&forward.log_weights, &reverse.log_weights, log_ratio) < MAX_ERRORS);
    let lost = forward.log_weights.iter().filter(|log_w| **log_w == f64::NEG_INFINITY).count();
    assert!((lost as f64 / count as f64 - 5.0 / 6.0).abs() < 0.02, "{lost}");
    // Even chains without a weight are where they may be.
    let states = forward.states();
    assert!(
        values(&states)
            .chunks(2)
            .all(|at| at[1] >= -1e-9 && 3.0_f64.sqrt() * at[0] >= at[1] - 1e-9)
    );
}
