//! Laws of the estimators over many seeds: `E[Ẑ] = p(Y)`, and `E[1/Ẑ] = 1/p(Y)` with Y and the start of the chain
//! drawn anew each time.

use super::{binary, clustering, fixed, low_rank, run, waves};
use serde_json::{Value, json};

/// Standard errors beyond which a mean is refused: 2·10⁻⁹ for each of some 40.
const LIMIT: f64 = 6.0;

fn models() -> Vec<(Value, usize, usize)> {
    let sampled = || json!({"kind": "sampled", "shape": 2, "scale": 1});
    vec![
        (clustering(1, 2, fixed()), 5, 1),
        (binary(1, 2, fixed()), 5, 1),
        (low_rank(1, 2, fixed()), 5, 1),
        (clustering(1, 2, sampled()), 5, 1),
        (low_rank(1, 2, sampled()), 5, 1),
    ]
}

pub fn check_mean(what: &str, log_ratios: &[f64]) {
    let count = log_ratios.len() as f64;
    let ratios: Vec<f64> = log_ratios.iter().map(|ratio| unnorm::math::exp(*ratio)).collect();
    let mean = ratios.iter().sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio - mean) * (ratio - mean)).sum();
    let error = (squares / count / (count - 1.0)).sqrt();
    assert!((mean - 1.0).abs() < LIMIT * error, "{what}: {mean} ± {error}");
    assert!(error < 0.1, "{what}: ± {error}");
}

fn exact(model: &Value, states: &[f64]) -> f64 {
    run(json!({"model": model, "states": states, "seed": 1, "estimator": {"kind": "exact"}})).log_z
}

/// 100,000 trials with short chains, where a wrong weight shows.
#[test]
fn means_of_estimates_are_the_evidence() {
    for (model, num_rows, num_cols) in models() {
        let states = waves(num_rows, num_cols, 2.0);
        let truth = exact(&model, &states);
        for estimator in [
            json!({"kind": "annealing", "numDistributions": 3}),
            json!({"kind": "likelihoodWeighting", "numDraws": 3}),
            json!({"kind": "particleLearning", "numSweeps": 1}),
            json!({"kind": "chib", "numSweeps": 4}),
        ] {
            let result = run(json!({
                "model": model, "states": states, "seed": 2, "estimator": estimator,
                "numTrials": 100_000, "numWarmup": 1,
            }));
            let log_ratios: Vec<f64> = result.trials.iter().map(|trial| trial - truth).collect();
            check_mean(&format!("{model} {estimator}"), &log_ratios);
        }
    }
}

/// 100,000 trials in all: 500 tables, 200 trials each from the variables that the table was made of. The mean
/// over a table's trials is one number.
#[test]
fn means_of_reciprocals_are_those_of_the_evidence() {
    for (model, num_rows, _) in models().into_iter().take(3) {
        for estimator in [
            json!({"kind": "harmonicMean", "numDraws": 3}),
            json!({"kind": "sequentialHarmonicMean", "numSweeps": 1}),
            json!({"kind": "annealing", "numDistributions": 3, "reverse": true}),
        ] {
            let mut log_ratios = Vec::new();
            for seed in 0..2000 {
                let result = run(json!({
                    "model": model, "simulate": {"numRows": num_rows}, "seed": seed,
                    "estimator": estimator, "numTrials": 50,
                }));
                let states = result.simulated.expect("a table").states;
                let truth = exact(&model, &states);
                let trials = result.reverse.map_or(result.trials, |reverse| reverse.trials);
                let mean = trials.iter().map(|trial| unnorm::math::exp(truth - trial)).sum::<f64>()
                    / trials.len() as f64;
                log_ratios.push(unnorm::math::ln(mean));
            }
            check_mean(&format!("{model} {estimator}"), &log_ratios);
        }
    }
}

/// Nested sampling has no such law, but is near on a table that enumeration knows.
#[test]
fn nested_sampling_finds_the_evidence_of_small_tables() {
    for (model, num_rows, num_cols) in models() {
        let states = waves(num_rows, num_cols, 2.0);
        let truth = exact(&model, &states);
        let result = run(json!({
            "model": model, "states": states, "seed": 3, "numTrials": 40,
            "estimator": {"kind": "nestedSampling", "numParticles": 100, "numSweeps": 4},
        }));
        let difference = (result.log_z - truth).abs();
        // ln X of a step is taken for its mean; the bias of the sum is far below 0.02 nats.
        assert!(
            difference < LIMIT * result.standard_error + 0.02,
            "{model}: {} ± {} and not {truth}",
            result.log_z,
            result.standard_error
        );
    }
}

/// The bound of variational Bayes never falls from turn to turn (tested beside it), is below the evidence, and comes
/// near it where the clusters are far apart.
#[test]
fn variational_bounds_are_below_the_evidence() {
    for (model, num_rows, num_cols) in models() {
        let states = waves(num_rows, num_cols, 2.0);
        let truth = exact(&model, &states);
        let result = run(json!({
            "model": model, "states": states, "seed": 4, "numTrials": 20,
            "estimator": {"kind": "variationalBayes", "numRestarts": 5},
        }));
        assert!(result.log_z < truth && result.log_z > truth - 10.0, "{} {truth}", result.log_z);
        let bounds = result.bounds.expect("bounds");
        assert_eq!((bounds.lower, bounds.upper), (Some(result.log_z), None));
    }
    let apart: Vec<f64> = vec![-20.0, -20.5, -19.5, -20.2, 20.0, 20.4, 19.7, 20.1];
    let model = clustering(1, 2, json!({"kind": "fixed", "signal": 400}));
    let truth = exact(&model, &apart);
    let result = run(json!({
        "model": model, "states": apart, "seed": 4, "numTrials": 5,
        "estimator": {"kind": "variationalBayes", "symmetry": true},
    }));
    assert!((result.log_z - truth).abs() < 1e-6, "{} {truth}", result.log_z);
    assert!(result.bounds.is_none());
}

/// Models on the reals in ten dimensions. At least 92 of 100 runs find log Z to within three of their own standard
/// errors. If 97 % are, as for normal errors with a little of bias, fewer than 92 have a chance below 10⁻²; the
/// seeds are fixed, and nothing else changes the count.
#[test]
fn nested_sampling_knows_its_error_on_the_reals() {
    let wide = json!({"kind": "gaussian", "dim": 10, "precision": diagonal(10, |_| 1.0 / 25.0)});
    let covering = json!({
        "kind": "gaussian", "dim": 10,
        "precision": diagonal(10, |d| if d == 0 { 1.0 / 9.0 } else { 1.0 / 400.0 }),
    });
    let gaussian = json!({
        "kind": "gaussian", "dim": 10, "precision": diagonal(10, |d| 1.0 + d as f64),
        "mean": vec![0.5; 10],
    });
    let mut means = vec![0.0; 20];
    (means[0], means[10]) = (3.0, -3.0);
    let mixture = json!({"kind": "mixture", "dim": 10, "means": means});
    for (energy, reference) in [
        (gaussian, wide.clone()),
        (mixture, wide),
        (json!({"kind": "funnel", "dim": 10}), covering),
    ] {
        let exact = match unnorm::run(json!({"verb": "exact", "model": energy})).expect("no error")
        {
            unnorm::JobResult::Exact(result) => result.log_z,
            _ => unreachable!(),
        };
        let result = run(json!({
            "model": {"kind": "density", "energy": energy, "reference": reference}, "seed": 1,
            "numTrials": 100, "estimator": {"kind": "nestedSampling", "numParticles": 16, "numSweeps": 3},
        }));
        let errors = result.trial_errors.expect("errors");
        let near = result
            .trials
            .iter()
            .zip(&errors)
            .filter(|(trial, error)| (*trial - exact).abs() < 3.0 * **error);
        let (num_near, sum) = (near.count(), result.trials.iter().sum::<f64>());
        let mean_error = errors.iter().sum::<f64>() / 100.0;
        assert!(num_near >= 92, "{energy}: {num_near}, mean {} and not {exact}", sum / 100.0);
        assert!(mean_error < 2.0, "{mean_error}");
    }
}

/// A diagonal matrix, row-major.
fn diagonal(dim: usize, entry: impl Fn(usize) -> f64) -> Vec<f64> {
    let at = |at: usize| if at / dim == at % dim { entry(at % dim) } else { 0.0 };
    (0..dim * dim).map(at).collect()
}
