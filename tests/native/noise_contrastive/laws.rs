//! The objective against its definition, and its gradient in θ and c against differences.

use super::{built, normals};
use serde_json::json;
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::energy::Objective;
use unnorm::fit::noise_contrastive::NoiseContrastive;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream, uniform};

const SEED: u64 = 5;

/// States to a block of noise, each from a stream of its own.
const BLOCK: usize = 64;

fn energy(model: &dyn Model, state: &[f64]) -> f64 {
    let mut energy = [0.0];
    model.energy(Batch::new(model.dim(), state), &mut energy);
    energy[0]
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// J at c from rows and noise, each with its ln q.
fn plainly(
    model: &dyn Model,
    c: f64,
    ratio: f64,
    rows: &[(Vec<f64>, f64)],
    noise: &[(Vec<f64>, f64)],
) -> f64 {
    let odds = |(state, log_q): &(Vec<f64>, f64)| c - energy(model, state) - log_q - ln(ratio);
    let of_rows: f64 = rows.iter().map(|row| ln(sigmoid(odds(row)))).sum();
    let of_noise: f64 = noise.iter().map(|state| ln(1.0 - sigmoid(odds(state)))).sum();
    -(of_rows + of_noise) / rows.len() as f64
}

fn at(objective: &mut NoiseContrastive, model: &dyn Model, c: f64) -> f64 {
    let mut params = model.as_parametric().expect("parameters").params().to_vec();
    params.push(c);
    let mut grad = vec![0.0; params.len()];
    objective.evaluate(&params, &mut grad)
}

#[test]
fn on_the_reals_it_is_what_it_is_defined_to_be() {
    let plain = normals(2 * 50, 1);
    let states: Vec<f64> =
        plain.chunks_exact(2).flat_map(|x| [1.0 + 2.0 * x[0], x[0] - 0.5 * x[1]]).collect();
    let model = built(&json!({
        "kind": "formula", "expression": "a*(x-m)^2 + b*y^4", "params": {"a": 0.5, "b": 0.1, "m": 0.3},
    }));
    let rows = Batch::new(2, &states);
    let mut objective = NoiseContrastive::of_reals(&*model, rows, 3, SEED).expect("sound");
    let mean = [0, 1].map(|at| rows.states().map(|row| row[at]).sum::<f64>() / 50.0);
    let covariance = |i: usize, j: usize| {
        rows.states().map(|row| (row[i] - mean[i]) * (row[j] - mean[j])).sum::<f64>() / 50.0
    };
    let [xx, xy, yy] = [covariance(0, 0), covariance(0, 1), covariance(1, 1)];
    let determinant = xx * yy - xy * xy;
    let log_q = |state: &[f64]| {
        let [x, y] = [state[0] - mean[0], state[1] - mean[1]];
        let square = (yy * x * x - 2.0 * xy * x * y + xx * y * y) / determinant;
        -0.5 * square - ln(2.0 * std::f64::consts::PI) - 0.5 * ln(determinant)
    };
    let of_rows: Vec<_> = rows.states().map(|row| (row.to_vec(), log_q(row))).collect();
    let (mut noise, mut rng) = (Vec::new(), stream(SEED, Purpose::ContrastNoise, 0));
    for at in 0..150 {
        if at % BLOCK == 0 {
            rng = stream(SEED, Purpose::ContrastNoise, (at / BLOCK) as u64);
        }
        let z = [normal(&mut rng), normal(&mut rng)];
        let x = mean[0] + xx.sqrt() * z[0];
        let y = mean[1] + xy / xx.sqrt() * z[0] + (determinant / xx).sqrt() * z[1];
        noise.push((vec![x, y], log_q(&[x, y])));
    }
    for c in [0.0, -2.0] {
        let (found, expected) =
            (at(&mut objective, &*model, c), plainly(&*model, c, 3.0, &of_rows, &noise));
        assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
    }
}

#[test]
fn on_bits_it_is_what_it_is_defined_to_be() {
    let model = built(&json!({"kind": "rbm", "numVisible": 3, "numHidden": 2,
        "weights": [1, -2, 0.5, 1, 1, -1], "visibleBias": [0.3, 0, -0.5]}));
    let words = [0u64, 5, 3, 5, 1, 5, 7, 0, 2, 5];
    let mut data = BitMatrix::zeros(3, words.len());
    data.rows_mut().zip(&words).for_each(|(row, word)| row[0] = *word);
    let weighted = WeightedRows::from_data(data.as_batch());
    let mut objective = NoiseContrastive::of_bits(&*model, &weighted, 20, SEED).expect("sound");
    let on = [0, 1, 2].map(|site| {
        let count = words.iter().filter(|word| **word >> site & 1 == 1).count();
        (count as f64 + 0.5) / 11.0
    });
    let log_q = |state: &[f64]| {
        let terms = state.iter().zip(&on).map(|(x, p)| x * ln(*p) + (1.0 - x) * ln(1.0 - p));
        terms.sum::<f64>()
    };
    let rows: Vec<_> = words
        .iter()
        .map(|word| [0, 1, 2].map(|site| (word >> site & 1) as f64).to_vec())
        .map(|row| (row.clone(), log_q(&row)))
        .collect();
    let (mut noise, mut rng) = (Vec::new(), stream(SEED, Purpose::ContrastNoise, 0));
    for at in 0..200 {
        if at % BLOCK == 0 {
            rng = stream(SEED, Purpose::ContrastNoise, (at / BLOCK) as u64);
        }
        let state = on.map(|p| f64::from(u8::from(uniform(&mut rng) < p))).to_vec();
        noise.push((state.clone(), log_q(&state)));
    }
    for c in [0.0, -3.0] {
        let (found, expected) =
            (at(&mut objective, &*model, c), plainly(&*model, c, 20.0, &rows, &noise));
        assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
    }
}

/// Half of the noise is outside of a half-line, given as a constraint, or because the energy has no
/// value there.
#[test]
fn noise_outside_of_the_support_adds_nothing() {
    let states: Vec<f64> = normals(100, 2).iter().map(|x| x.abs()).collect();
    let value = |model: serde_json::Value| {
        let model = built(&model);
        let rows = Batch::new(1, &states);
        let mut objective = NoiseContrastive::of_reals(&*model, rows, 5, SEED).expect("sound");
        let mut grad = [0.0; 2];
        (objective.evaluate(&[0.7, -0.3], &mut grad), grad)
    };
    let half_line = json!([{"normal": [1], "offset": 0}]);
    let params = json!({"a": 1});
    let bounded = value(json!({
        "kind": "formula", "expression": "a*x^2", "params": params, "constraints": half_line,
    }));
    // The square of a logarithm's exponential: x, where it has one.
    let without_value = value(json!({
        "kind": "formula", "expression": "a*exp(2*log(x))", "params": params,
    }));
    let infinite = value(json!({
        "kind": "formula", "expression": "a*x^2*exp(exp(1000000000*max(0, -x)) - 1)", "params": params,
    }));
    let unbounded = value(json!({"kind": "formula", "expression": "a*x^2", "params": params}));
    assert!((unbounded.0 - bounded.0).abs() > 0.1);
    for other in [without_value, infinite] {
        assert!((bounded.0 - other.0).abs() < 1e-12, "{} {}", bounded.0, other.0);
        for (one, other) in bounded.1.iter().zip(&other.1) {
            assert!((one - other).abs() < 1e-12, "{one} {other}");
        }
    }
}

/// In θ and c, by five points, for every model that has the objective.
#[test]
fn gradients_are_those_of_the_values() {
    let mut seen = std::collections::BTreeSet::new();
    for (example, spec) in ModelSpec::examples().into_iter().enumerate() {
        let model = spec.build().expect("a sound example");
        let (dim, Some(parametric)) = (model.dim(), model.as_parametric()) else { continue };
        if model.as_generative().is_some() {
            continue;
        }
        let objective = if model.as_site_flips().is_some() {
            let mut rng = stream(12, Purpose::Example, example as u64);
            let data = crate::common::random_rows(dim, 20, &mut rng);
            let data = WeightedRows::from_data(data.as_batch());
            NoiseContrastive::of_bits(&*model, &data, 4, SEED)
        } else if model.as_differentiable().is_some() {
            let states = normals((dim + 9) * dim, example as u64);
            NoiseContrastive::of_reals(&*model, Batch::new(dim, &states), 4, SEED)
        } else {
            continue;
        };
        let mut objective = objective.expect("sound");
        let mut params = parametric.params().to_vec();
        params.push(-0.5);
        let mut grad = vec![0.0; params.len()];
        let value = objective.evaluate(&params, &mut grad);
        assert!(value.is_finite(), "{}", model.kind());
        let mut unused = grad.clone();
        for index in 0..params.len() {
            let mut at = |steps: f64| {
                let mut moved = params.clone();
                moved[index] += steps * 1e-6;
                objective.evaluate(&moved, &mut unused)
            };
            let near = at(1.0) - at(-1.0);
            let numeric = (8.0 * near - (at(2.0) - at(-2.0))) / 12e-6;
            assert!(
                (numeric - grad[index]).abs() < 2e-6 * (1.0 + numeric.abs()),
                "{} at {index}: {numeric} {}",
                model.kind(),
                grad[index]
            );
        }
        seen.insert(model.kind());
    }
    for expected in ["formula", "gaussian", "ising", "rbm", "semiRestricted", "ica"] {
        assert!(seen.contains(&expected), "{expected} is not among {seen:?}");
    }
}
