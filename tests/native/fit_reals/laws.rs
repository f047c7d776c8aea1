//! Laws of every model that has the objective.

use super::{losses, normals, student_t, value_and_grad};
use unnorm::energy::Objective;
use unnorm::fit::reals::RowSum;
use unnorm::fit::reals::ball::BallFlow;
use unnorm::fit::reals::denoising::{DenoisingScoreMatching, Noise};
use unnorm::fit::reals::maximum_likelihood::MaximumLikelihood;
use unnorm::fit::reals::score_matching::ScoreMatching;
use unnorm::fit::reals::sliced::SlicedScoreMatching;
use unnorm::linalg::{Batch, Block, dot};
use unnorm::math::exp;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, below, normal, stream, uniform};

#[test]
fn binary_kinds_are_those_that_flip() {
    for spec in ModelSpec::examples() {
        let model = spec.build().expect("a sound example");
        let is_binary = model.as_site_flips().is_some() || model.as_sites().is_some();
        assert_eq!(spec.is_binary(), is_binary, "{}", model.kind());
    }
}

/// The gradients of all objectives of all models against differences, by five points.
#[test]
fn gradients_are_those_of_the_values() {
    let mut seen = std::collections::BTreeSet::new();
    for (example, spec) in ModelSpec::examples().into_iter().enumerate() {
        let model = spec.build().expect("a sound example");
        let (dim, Some(parametric)) = (model.dim(), model.as_parametric()) else { continue };
        if model.as_differentiable().is_none() || model.as_generative().is_some() {
            continue;
        }
        let states = normals(5 * dim, example as u64);
        let rows = Batch::new(dim, &states);
        for (name, loss) in losses(&*model, rows) {
            let mut objective = RowSum::new(&*model, rows, loss).expect("a sound objective");
            let params = parametric.params();
            let mut grad = vec![0.0; params.len()];
            let value = objective.evaluate(params, &mut grad);
            assert!(value.is_finite(), "{name} of {}", model.kind());
            let mut unused = grad.clone();
            // Differences in x leave 1e-11 of noise in the value.
            let step = if name == "sliced" { 1e-3 } else { 1e-4 };
            for index in 0..params.len() {
                let mut at = |steps: f64| {
                    let mut moved = params.to_vec();
                    moved[index] += steps * step;
                    objective.evaluate(&moved, &mut unused)
                };
                let near = at(1.0) - at(-1.0);
                let numeric = (8.0 * near - (at(2.0) - at(-2.0))) / (12.0 * step);
                let error = (numeric - grad[index]).abs();
                assert!(
                    error < 2e-6 * (1.0 + numeric.abs()),
                    "{name} of {} at {index}: {numeric} {}",
                    model.kind(),
                    grad[index]
                );
            }
            seen.insert((name, model.kind()));
        }
    }
    for expected in [
        ("maximumLikelihood", "ica"),
        ("maximumLikelihood", "gaussian"),
        ("maximumLikelihood", "productOfExperts"),
        ("scoreMatching", "gaussian"),
        ("scoreMatching", "productOfExperts"),
        ("sliced", "productOfExperts"),
        ("denoisingScoreMatching", "gaussian"),
        ("mpf", "ica"),
        ("scoreMatching", "formula"),
        ("sliced", "formula"),
        ("denoisingScoreMatching", "formula"),
        ("denoising at several noises", "neural"),
        ("mpf", "formula"),
    ] {
        assert!(seen.contains(&expected), "{expected:?} is not among {seen:?}");
    }
    println!("{} pairs of objective and model", seen.len());
}

/// Values against their definitions, row by row and with gradients in x by differences.
#[test]
fn values_by_their_definitions() {
    let model = student_t();
    let states = normals(300 * 2, 90);
    let energy = |x: &[f64]| {
        let mut out = [0.0];
        model.energy(Batch::new(2, x), &mut out);
        out[0]
    };
    let gradient = |x: &[f64]| {
        let (mut out, mut grad) = ([0.0], [0.0; 2]);
        let model = model.as_differentiable().expect("a gradient");
        model.energy_grad(Block::new(2, x), &mut out, &mut grad);
        grad
    };
    let laplacian = |x: &[f64]| {
        let step = 1e-4;
        let along = |d: usize| {
            let slope = |step: f64| {
                let mut moved = x.to_vec();
                moved[d] += step;
                gradient(&moved)[d]
            };
            (slope(step) - slope(-step)) / (2.0 * step)
        };
        along(0) + along(1)
    };
    let mean = |f: &dyn Fn(usize, &[f64]) -> f64| {
        states.chunks_exact(2).enumerate().map(|(row, x)| f(row, x)).sum::<f64>() / 300.0
    };
    let exact = mean(&|_, x| {
        let grad = gradient(x);
        0.5 * dot(&grad, &grad) - laplacian(x)
    });
    let (value, _) = value_and_grad(&*model, &states, ScoreMatching);
    assert!((value - exact).abs() < 1e-7, "{value} {exact}");

    let noise = 0.4;
    let denoising = mean(&|row, x| {
        let sum: f64 = (0..3)
            .map(|draw| {
                let mut rng = stream(7, Purpose::Noise, row as u64 * 3 + draw);
                let n = [normal(&mut rng), normal(&mut rng)];
                let grad = gradient(&[x[0] + noise * n[0], x[1] + noise * n[1]]);
                let residual = [noise * grad[0] - n[0], noise * grad[1] - n[1]];
                0.5 * dot(&residual, &residual)
            })
            .sum();
        sum / 3.0
    });
    let loss = DenoisingScoreMatching::new(&*model, Noise::One(noise), 3, 7);
    let (value, _) = value_and_grad(&*model, &states, loss.expect("a sound objective"));
    assert!((value - denoising).abs() < 1e-12 * denoising, "{value} {denoising}");

    // Of x + σn the energy is E/σ, so that σ times its gradient is that of E.
    let noises = [0.9, 0.4, 0.1];
    let denoising = mean(&|row, x| {
        let sum: f64 = (0..3)
            .map(|draw| {
                let mut rng = stream(7, Purpose::Noise, row as u64 * 3 + draw);
                let noise = noises[below(3, &mut rng)];
                let n = [normal(&mut rng), normal(&mut rng)];
                let grad = gradient(&[x[0] + noise * n[0], x[1] + noise * n[1]]);
                let residual = [0, 1].map(|d| noise * (grad[d] / noise) - n[d]);
                0.5 * dot(&residual, &residual)
            })
            .sum();
        sum / 3.0
    });
    let loss = DenoisingScoreMatching::new(&*model, Noise::Each(noises.to_vec()), 3, 7);
    let (value, _) = value_and_grad(&*model, &states, loss.expect("a sound objective"));
    assert!((value - denoising).abs() < 1e-12 * denoising, "{value} {denoising}");

    let radius = 0.8;
    let flow = mean(&|row, x| {
        let sum: f64 = (0..4)
            .map(|pair| {
                let mut rng = stream(7, Purpose::Ball, row as u64 * 4 + pair);
                let n = [normal(&mut rng), normal(&mut rng)];
                // In the plane the area within a distance is its square.
                let scale = radius * uniform(&mut rng).sqrt() / dot(&n, &n).sqrt();
                let there = energy(&[x[0] + scale * n[0], x[1] + scale * n[1]]);
                let opposite = energy(&[x[0] - scale * n[0], x[1] - scale * n[1]]);
                let here = energy(x);
                exp(0.5 * (here - there)) + exp(0.5 * (here - opposite))
            })
            .sum();
        sum / 8.0
    });
    let (value, _) = value_and_grad(&*model, &states, BallFlow::new(radius, 8, 7));
    assert!((value - flow).abs() < 1e-12 * flow, "{value} {flow}");
}

/// Each piece and minibatch adds the log Z that belongs to no row once: the mean over all rows as
/// a minibatch is the objective over all.
#[test]
fn a_minibatch_of_all_rows_is_the_whole() {
    let json = |objective: &str, optimizer: serde_json::Value| {
        let states = normals(700 * 2, 91);
        serde_json::json!({
            "verb": "fit", "model": {"kind": "gaussian", "dim": 2}, "states": states, "seed": 3,
            "objective": {"kind": objective}, "optimizer": optimizer,
            "init": {"kind": "normal", "scale": 0.3},
        })
    };
    for objective in ["maximumLikelihood", "scoreMatching"] {
        let of = |optimizer| {
            crate::common::fitted(
                crate::common::job_of(&json(objective, optimizer), None).expect("a sound job"),
            )
        };
        let whole = of(serde_json::json!({"kind": "lbfgs", "maxIterations": 0}));
        let batch = of(serde_json::json!({"kind": "sgd", "batchSize": 700, "numEpochs": 1}));
        assert!((whole.objective - batch.objective).abs() < 1e-12 * (1.0 + whole.objective.abs()));
        assert!((whole.grad_norm - batch.grad_norm).abs() < 1e-12 * (1.0 + whole.grad_norm));
    }
}

/// Directions of −1 and 1: with a Hessian without entries off its diagonal there is no noise.
#[test]
fn slices_of_a_separable_energy_are_exact_in_the_second_derivative() {
    let spec: ModelSpec =
        serde_json::from_str(r#"{"kind": "gaussian", "dim": 3}"#).expect("a spec");
    let model = spec.build().expect("a sound model");
    // At the mean the gradient is 0, and minus the trace is left.
    let rows = [0.0; 6];
    let batch = Batch::new(3, &rows);
    let loss = SlicedScoreMatching::new(&*model, batch, 2, 5).expect("a sound objective");
    let (value, _) = value_and_grad(&*model, &rows, loss);
    assert!((value + 3.0).abs() < 1e-9, "{value}");
    assert!(MaximumLikelihood::new(&*model).is_ok());
    let overcomplete: &dyn Model = &*student_t();
    assert!(MaximumLikelihood::new(overcomplete).is_err());
}
