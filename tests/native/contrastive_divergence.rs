//! Contrastive divergence against exact transition matrices and against the
//! maximum of the likelihood.

use serde_json::json;
use unnorm::bits::{BitBatch, BitMatrix, bit};
use unnorm::data::from_values;
use unnorm::exact;
use unnorm::fit::contrastive_divergence::{accumulate, chain_stream, run_chains};
use unnorm::linalg::Batch;
use unnorm::math::{exp, sigmoid};
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream, uniform};
use unnorm::{JobResult, Progress};

const DIM: usize = 4;
const NUM_STATES: usize = 1 << DIM;

fn models() -> [Box<dyn Model>; 2] {
    [
        Box::new(IsingSpec::random(DIM, Pattern::Dense {}, 0.8, 4).build().unwrap()),
        Box::new(RbmSpec::random(DIM, 3, 1.2, 4).build().unwrap()),
    ]
}

/// Distribution of the model over all states.
fn distribution(model: &dyn Model) -> Vec<f64> {
    let states: Vec<u64> = (0..NUM_STATES as u64).collect();
    let mut energies = vec![0.0; NUM_STATES];
    model.energy(Batch::new(DIM, &BitBatch::new(DIM, &states).to_values()), &mut energies);
    let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// A distribution that is not the model's.
fn other() -> Vec<f64> {
    let weights: Vec<f64> = (0..NUM_STATES).map(|state| ((state * 7) % 5 + 1) as f64).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// One step from a distribution, exactly: a sweep over the sites, or over both
/// sides of a machine.
fn step(model: &dyn Model, from: &[f64]) -> Vec<f64> {
    let ModelSpec::Rbm(rbm) = model.spec() else {
        let flips = model.as_site_flips().unwrap();
        let mut now = from.to_vec();
        for site in 0..DIM {
            let mut next = vec![0.0; NUM_STATES];
            for (state, p) in now.iter().enumerate() {
                let flip = sigmoid(-flips.flip_delta(&[state as u64], site));
                next[state] += p * (1.0 - flip);
                next[state ^ 1 << site] += p * flip;
            }
            now = next;
        }
        return now;
    };
    let (weights, visible, hidden) =
        (rbm.weights.unwrap(), rbm.visible_bias.unwrap(), rbm.hidden_bias.unwrap());
    let num_hidden = hidden.len();
    let set = |state: usize, unit: usize| (state >> unit & 1) as f64;
    let chance = |on: f64, is_set: f64| if is_set == 1.0 { on } else { 1.0 - on };
    let mut next = vec![0.0; NUM_STATES];
    for (v, p) in from.iter().enumerate() {
        for h in 0..1 << num_hidden {
            let given_v: f64 = (0..num_hidden)
                .map(|j| {
                    let field: f64 = (0..DIM).map(|i| weights[j * DIM + i] * set(v, i)).sum();
                    chance(sigmoid(hidden[j] + field), set(h, j))
                })
                .product();
            for (w, next) in next.iter_mut().enumerate() {
                let given_h: f64 = (0..DIM)
                    .map(|i| {
                        let field: f64 =
                            (0..num_hidden).map(|j| weights[j * DIM + i] * set(h, j)).sum();
                        chance(sigmoid(visible[i] + field), set(w, i))
                    })
                    .product();
                *next += p * given_v * given_h;
            }
        }
    }
    next
}

/// Σ_x p(x) [E(x) | ∂E(x)].
fn mean(model: &dyn Model, distribution: &[f64]) -> Vec<f64> {
    let mut part = vec![0.0; 1 + model.as_parametric().unwrap().params().len()];
    for (state, p) in distribution.iter().enumerate() {
        accumulate(model, BitBatch::new(DIM, &[state as u64]), *p, &mut part);
    }
    part
}

/// The expected contrast and update of CD-k.
fn expected(model: &dyn Model, data: &[f64], num_steps: usize) -> Vec<f64> {
    let mut chains = data.to_vec();
    for _ in 0..num_steps {
        chains = step(model, &chains);
    }
    let (data, chains) = (mean(model, data), mean(model, &chains));
    data.iter().zip(&chains).map(|(a, b)| a - b).collect()
}

fn length(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[test]
fn nothing_moves_at_the_truth() {
    for model in models() {
        let truth = distribution(&*model);
        for num_steps in [1, 2, 10] {
            assert!(length(&expected(&*model, &truth, num_steps)) < 1e-13);
        }
    }
}

/// Away from the truth CD-k is biased, and the gradient of the likelihood as k grows.
#[test]
fn many_steps_give_the_gradient_of_the_likelihood() {
    for model in models() {
        let exact = expected_likelihood(&*model);
        let errors = [1, 3, 10, 100].map(|num_steps| {
            let cd = expected(&*model, &other(), num_steps);
            length(&cd.iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>()) / length(&exact)
        });
        assert!(errors.windows(2).all(|pair| pair[1] < 0.7 * pair[0]), "{errors:?}");
        assert!(errors[0] > 0.01 && errors[3] < 1e-6, "{errors:?}");
    }
}

fn expected_likelihood(model: &dyn Model) -> Vec<f64> {
    let (data, model) = (mean(model, &other()), mean(model, &distribution(model)));
    data.iter().zip(&model).map(|(a, b)| a - b).collect()
}

/// What chains give on average against the exact matrices: 28 numbers within
/// seven standard errors, which happens by chance once in 10¹⁰ runs.
#[test]
fn chains_estimate_the_expected_update() {
    let num_rows = 40_000;
    for model in models() {
        for num_steps in [1, 3] {
            let exact = expected(&*model, &other(), num_steps);
            let [mut sum, mut squares] = [(); 2].map(|()| vec![0.0; exact.len()]);
            for (state, p) in other().iter().enumerate() {
                let count = (p * num_rows as f64).round() as usize;
                let mut rows = BitMatrix::zeros(DIM, count);
                rows.rows_mut().for_each(|row| row[0] = state as u64);
                run_chains(&*model, &mut rows, num_steps, |row| chain_stream(8, state as u64, row));
                for row in rows.as_batch().rows() {
                    let mut part = vec![0.0; exact.len()];
                    accumulate(&*model, BitBatch::new(DIM, &[state as u64]), 1.0, &mut part);
                    accumulate(&*model, BitBatch::new(DIM, row), -1.0, &mut part);
                    for (at, value) in part.iter().enumerate() {
                        sum[at] += value;
                        squares[at] += value * value;
                    }
                }
            }
            let count = num_rows as f64;
            for ((sum, square), exact) in sum.iter().zip(&squares).zip(&exact) {
                let mean = sum / count;
                let error = ((square / count - mean * mean) / count).sqrt();
                // Rounding of the rows a state has.
                assert!((mean - exact).abs() < 7.0 * error + 1e-3, "{mean} {exact} ± {error}");
                assert!(error < 0.02);
            }
        }
    }
}

fn values() -> Vec<f64> {
    let mut rng = stream(33, Purpose::Example, 0);
    let mut values = Vec::new();
    for _ in 0..500 {
        let mut is_set = uniform(&mut rng) < 0.4;
        for _ in 0..DIM {
            is_set ^= uniform(&mut rng) < 0.35;
            values.push(f64::from(u8::from(is_set)));
        }
    }
    values
}

fn moments_after(
    objective: &serde_json::Value,
    optimizer: &serde_json::Value,
    seed: u64,
) -> Vec<f64> {
    let spec = json!({
        "verb": "fit", "model": {"kind": "ising", "dim": DIM}, "seed": seed, "objective": objective,
        "optimizer": optimizer,
    });
    let mut job = crate::common::job_with(&spec, from_values(DIM, &values()).unwrap()).unwrap();
    job.advance(usize::MAX);
    let Some(JobResult::Fit(result)) = job.result() else { panic!("not done") };
    let Progress::Fit(progress) = job.progress() else { panic!("not a fit") };
    assert!(progress.done && progress.fraction == 1.0);
    exact::enumerate(result.model.build().unwrap().as_site_flips().unwrap()).unwrap().moments
}

/// Persistent chains lead to the maximum of the likelihood, where the model's
/// moments are the data's. Over 12 seeds each of the 10 moments lies within 12
/// standard errors of the mean: Student's t with 11 degrees of freedom passes
/// that once in 10⁷, so a false alarm has a chance of 10⁻⁶; 0.002 is allowed for
/// the bias of steps that have not become infinitely small.
#[test]
fn persistent_chains_reach_maximum_likelihood() {
    let objective =
        json!({"kind": "persistentContrastiveDivergence", "numChains": 500, "numSteps": 2});
    let optimizer = json!({"kind": "sgd", "learningRate": {"start": 0.5, "end": 0.005}, "batchSize": 500,
        "numEpochs": 300});
    let runs: Vec<_> = (0..12).map(|seed| moments_after(&objective, &optimizer, seed)).collect();
    let best = moments_after(&json!({"kind": "maximumLikelihood"}), &json!({"kind": "lbfgs"}), 0);
    let count = runs.len() as f64;
    for at in 0..DIM * DIM {
        let mean = runs.iter().map(|run| run[at]).sum::<f64>() / count;
        let spread: f64 = runs.iter().map(|run| (run[at] - mean) * (run[at] - mean)).sum();
        let error = (spread / (count * (count - 1.0))).sqrt();
        assert!((mean - best[at]).abs() < 12.0 * error + 0.002, "{mean} {} ± {error}", best[at]);
        assert!(error < 0.002, "{error}: too noisy to tell");
    }
    let start = exact::enumerate(models()[0].as_site_flips().unwrap()).unwrap().moments;
    assert!(start.iter().zip(&best).any(|(a, b)| (a - b).abs() > 0.05));
}

/// A row's chain draws the same numbers wherever the row stands.
#[test]
fn chains_have_streams_of_their_own() {
    let model = &models()[0];
    let mut together = BitMatrix::zeros(DIM, 3);
    run_chains(&**model, &mut together, 5, |row| chain_stream(1, 9, row));
    for index in 0..3 {
        let mut alone = BitMatrix::zeros(DIM, 1);
        run_chains(&**model, &mut alone, 5, |_| chain_stream(1, 9, index));
        assert_eq!(alone.row(0), together.row(index));
    }
    let draws = |update| {
        let mut rng = chain_stream(1, update, 0);
        [uniform(&mut rng), uniform(&mut rng)]
    };
    assert_ne!(draws(0), draws(1));
    assert!(!bit(together.row(0), 63));
}
