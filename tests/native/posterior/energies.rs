//! Energies and gradients against formulas written out.

use super::*;
use unnorm::linalg::{Batch, Block};
use unnorm::math::{exp, ln, sigmoid, sin};

const LN_2_PI: f64 = 1.8378770664093453;

/// y = 1 + 2 sin x and more, at regular x.
fn table(num_rows: usize) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..num_rows).map(|n| 0.37 * n as f64 % 5.0 - 2.0).collect();
    let y = x.iter().enumerate().map(|(n, x)| 1.0 + 2.0 * sin(*x) + 0.3 * sin(7.0 * n as f64));
    let y = y.collect();
    (x, y)
}

/// A line with normal noise of unknown size: rows that fill no chunk, one, and several.
#[test]
fn regression_by_hand() {
    for num_rows in [1, 5, 63, 64, 65, 1000] {
        let (x, y) = table(num_rows);
        let model = build(&typed(
            &[
                ("a", json!({"kind": "normal", "mean": 1, "sd": 3})),
                ("b", json!({"kind": "normal", "mean": 0, "sd": 2})),
                ("s", json!({"kind": "logNormal", "mean": -0.5, "sd": 0.7})),
            ],
            "-(y - a - b*x)^2 / (2*s^2) - ln(s)",
            json!({"x": x, "y": y}),
        ));
        let states = [0.3, -0.2, 0.9, -1.5, 0.8, -0.4];
        let mut energies = [0.0; 2];
        model.energy(Batch::new(3, &states), &mut energies);
        for (u, energy) in states.chunks_exact(3).zip(energies) {
            let (a, b, s) = (1.0 + 3.0 * u[0], 2.0 * u[1], exp(-0.5 + 0.7 * u[2]));
            let (mut known, mut grad) = (1.5 * LN_2_PI, u.to_vec());
            known += u.iter().map(|u| 0.5 * u * u).sum::<f64>();
            for (x, y) in x.iter().zip(&y) {
                let off = y - a - b * x;
                known += off * off / (2.0 * s * s) + ln(s);
                grad[0] -= 3.0 * off / (s * s);
                grad[1] -= 2.0 * off * x / (s * s);
                grad[2] += 0.7 * (1.0 - off * off / (s * s));
            }
            let near = |value: f64, known: f64| (value - known).abs() < 1e-10 * (1.0 + known.abs());
            assert!(near(energy, known), "{num_rows} rows: {energy}, not {known}");
            let (mut value, mut slopes) = ([0.0], [0.0; 3]);
            let differentiable = model.as_differentiable().unwrap();
            differentiable.energy_grad(Block::new(3, u), &mut value, &mut slopes);
            assert!(near(value[0], known));
            for (slope, known) in slopes.into_iter().zip(grad) {
                assert!(near(slope, known), "{num_rows} rows: {slope}, not {known}");
            }
        }
    }
}

/// A logistic regression, whose rows are not linear in anything.
#[test]
fn logistic_regression_by_hand() {
    let (x, y) = table(70);
    let y: Vec<f64> = y.iter().map(|y| f64::from(*y > 1.0)).collect();
    let model = build(&typed(
        &[
            ("a", json!({"kind": "normal", "mean": 0, "sd": 2})),
            ("b", json!({"kind": "normal", "mean": 0, "sd": 1})),
        ],
        "y*ln(sigmoid(a + b*x)) + (1 - y)*ln(1 - sigmoid(a + b*x))",
        json!({"x": x, "y": y}),
    ));
    let u = [0.4, -0.6];
    let mut known = LN_2_PI + 0.5 * (u[0] * u[0] + u[1] * u[1]);
    for (x, y) in x.iter().zip(&y) {
        let on = sigmoid(2.0 * u[0] + u[1] * x);
        known -= ln(if *y == 1.0 { on } else { 1.0 - on });
    }
    let mut energy = [0.0];
    model.energy(Batch::new(2, &u), &mut energy);
    assert!((energy[0] - known).abs() < 1e-10 * known.abs(), "{energy:?}, not {known}");
}

/// Where the likelihood is 0 the energy is infinite.
#[test]
fn no_likelihood() {
    let prior = json!({"kind": "normal", "mean": 0, "sd": 1});
    let model = build(&typed(&[("a", prior)], "ln(max(a - x, 0))", json!({"x": [0.0, 1.0]})));
    let mut energies = [0.0; 2];
    model.energy(Batch::new(1, &[0.5, 1.5]), &mut energies);
    assert_eq!(energies[0], f64::INFINITY);
    assert!(energies[1].is_finite());
}
