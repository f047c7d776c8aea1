//! Low rank with clustered loadings, and compositional importance sampling, against an integral in one dimension:
//! with one row and one factor, `p(Y) = ∫ N(u; 0, 1) Σ_z p(z) N(Y; 0, u² C_z + σ²I) du`.

use super::estimators::check_mean;
use super::{clustered_low_rank, fixed, low_rank, run, waves};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::sync::Arc;
use unnorm::evidence::spec::LatentModelSpec;
use unnorm::math::{exp, ln, ln_gamma, log_sum_exp};
use unnorm::models::latent::Table;

/// The share of the variance of the loadings that is between clusters, of their two clusters.
const BETWEEN: f64 = 0.75;

/// The clusters of `count` columns, and ln p(z) of the Dirichlet–multinomial distribution with α = 1.
fn partitions(count: usize) -> Vec<(Vec<usize>, f64)> {
    (0..1_usize << count)
        .map(|bits| {
            let clusters: Vec<usize> = (0..count).map(|j| bits >> j & 1).collect();
            let ones = clusters.iter().sum::<usize>() as f64;
            let zeros = count as f64 - ones;
            let log_share =
                ln_gamma(1.0 + ones) + ln_gamma(1.0 + zeros) - ln_gamma(count as f64 + 2.0);
            (clusters, log_share)
        })
        .collect()
}

/// `ln N(Y; 0, u² C_z + σ²I)` with s² = σ² = 1: in a cluster, aI + b11ᵀ.
fn log_row(y: &[f64], u: f64, clusters: &[usize]) -> f64 {
    let (a, b) = (u * u * (1.0 - BETWEEN) + 1.0, u * u * BETWEEN);
    let mut log_density = 0.0;
    for cluster in 0..2 {
        let members = || y.iter().zip(clusters).filter(|(_, k)| **k == cluster).map(|(y, _)| y);
        let count = members().count() as f64;
        if count > 0.0 {
            let (sum, squares) = (members().sum::<f64>(), members().map(|y| y * y).sum::<f64>());
            let square = (squares - b * sum * sum / (a + count * b)) / a;
            let log_det = (count - 1.0) * ln(a) + ln(a + count * b);
            log_density -= 0.5 * (count * ln(TAU) + log_det + square);
        }
    }
    log_density
}

/// ln p(Y) of one row under one factor, by the trapezoidal rule.
fn truth(y: &[f64]) -> f64 {
    const STEP: f64 = 0.01;
    let partitions = partitions(y.len());
    let mut log_terms = Vec::new();
    for at in -900..=900 {
        let u = STEP * f64::from(at);
        let log_prior = ln(STEP) - 0.5 * (ln(TAU) + u * u);
        let of = |(clusters, log_share): &(Vec<usize>, f64)| {
            log_prior + log_share + log_row(y, u, clusters)
        };
        log_terms.extend(partitions.iter().map(of));
    }
    log_sum_exp(&log_terms)
}

fn model(dim: usize) -> Value {
    clustered_low_rank(dim, 1, fixed())
}

/// The density that the chain has, summed over the clusters and integrated over u and both loadings.
#[test]
fn the_joint_density_integrates_to_the_evidence() {
    const STEP: f64 = 0.25;
    let y = [1.3, -0.9];
    let spec: LatentModelSpec = serde_json::from_value(model(2)).expect("a model");
    let mut chain = spec.chain(Arc::new(Table::new(2, y.to_vec())));
    let grid = || (-28..=28).map(|at| STEP * f64::from(at));
    let mut sum = 0.0;
    for u in grid() {
        for v in grid() {
            for w in grid() {
                for [first, second] in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] {
                    chain.set_state(&[u, v, w, first, second, 0.0, 0.0, 1.0, 1.0]);
                    sum += exp(chain.log_prior() + chain.log_likelihood(1.0));
                }
            }
        }
    }
    let found = ln(sum * STEP * STEP * STEP);
    assert!((found - truth(&y)).abs() < 1e-6, "{found} and not {}", truth(&y));
}

/// Equation 6.3: under low rank V given u and Y is Gaussian, so the expectation of p(V)/q(V) is an integral over u alone.
#[test]
fn the_ratio_of_evidences_is_the_mean_ratio_of_priors() {
    const STEP: f64 = 0.01;
    let y = waves(1, 6, 2.0);
    // Without clusters: C = I.
    let log_low_rank = |u: f64| {
        let variance = u * u + 1.0;
        y.iter().map(|y| -0.5 * (ln(TAU * variance) + y * y / variance)).sum::<f64>()
    };
    let low_rank_model = low_rank(6, 1, fixed());
    let spec = json!({"kind": "exact"});
    let of_low_rank =
        run(json!({"model": low_rank_model, "states": y, "seed": 1, "estimator": spec}));
    let partitions = partitions(6);
    let mut log_means = Vec::new();
    for at in -900..=900 {
        let u = STEP * f64::from(at);
        // q(u | Y), and E[p(V)/q(V) | u, Y] by completing the square.
        let log_posterior =
            ln(STEP) - 0.5 * (ln(TAU) + u * u) + log_low_rank(u) - of_low_rank.log_z;
        for (clusters, log_share) in &partitions {
            log_means.push(log_posterior + log_share + log_row(&y, u, clusters) - log_low_rank(u));
        }
    }
    let found = of_low_rank.log_z + log_sum_exp(&log_means);
    assert!((found - truth(&y)).abs() < 1e-6, "{found} and not {}", truth(&y));
}

/// Estimates are within six of their standard errors: 2·10⁻⁹ each.
#[test]
fn estimators_come_to_the_evidence_of_clustered_loadings() {
    let y = waves(1, 5, 3.0);
    let truth = truth(&y);
    for estimator in [
        json!({"kind": "annealing", "numDistributions": 200}),
        json!({"kind": "compositional", "numDistributions": 200}),
        json!({"kind": "likelihoodWeighting", "numDraws": 4000}),
        json!({"kind": "thermodynamicIntegration", "numDistributions": 500}),
        json!({"kind": "nestedSampling", "numParticles": 50, "numSweeps": 4}),
    ] {
        let result = run(json!({
            "model": model(5), "states": y, "seed": 5, "estimator": estimator, "numTrials": 200,
        }));
        let error = (result.log_z - truth).abs();
        // Nested sampling takes ln X of a step for its mean.
        assert!(
            error < 6.0 * result.standard_error + 0.01,
            "{estimator}: {} and not {truth}",
            result.log_z
        );
        assert!(result.standard_error < 0.3, "{estimator}: {}", result.standard_error);
    }
}

/// Many trials with short chains, where a wrong weight shows.
#[test]
fn means_of_estimates_are_the_evidence_of_clustered_loadings() {
    let y = waves(1, 3, 2.0);
    // In one column there is nothing to cluster.
    let sampled = json!({"kind": "sampled", "shape": 2, "scale": 1});
    let column = waves(5, 1, 2.0);
    let [of_column, of_low_rank] = [clustered_low_rank, low_rank].map(|model| {
        let model = model(1, 2, sampled.clone());
        run(json!({"model": model, "states": column, "seed": 1, "estimator": {"kind": "exact"}}))
    });
    assert_eq!(of_column.log_z, of_low_rank.log_z);
    for (model, states, truth) in
        [(model(3), &y, truth(&y)), (clustered_low_rank(1, 2, sampled), &column, of_column.log_z)]
    {
        // With few sweeps the estimates of Chib's estimator have too heavy a tail for a mean to be known.
        for (estimator, num_trials) in [
            (json!({"kind": "annealing", "numDistributions": 3}), 100_000),
            (json!({"kind": "compositional", "numDistributions": 3}), 100_000),
            (json!({"kind": "likelihoodWeighting", "numDraws": 3}), 100_000),
            (json!({"kind": "particleLearning", "numSweeps": 1}), 100_000),
            (json!({"kind": "chib", "numSweeps": 100}), 5000),
        ] {
            let result = run(json!({
                "model": model, "states": states, "seed": 2, "estimator": estimator,
                "numTrials": num_trials, "numWarmup": 1,
            }));
            let log_ratios: Vec<f64> = result.trials.iter().map(|trial| trial - truth).collect();
            check_mean(&format!("{model} {estimator}"), &log_ratios);
        }
    }
}

/// With the start of each run an exact draw, that of a simulated table.
#[test]
fn means_of_reciprocals_are_those_of_the_evidence_of_clustered_loadings() {
    let mut log_ratios = Vec::new();
    for seed in 0..1000 {
        let result = run(json!({
            "model": model(3), "simulate": {"numRows": 1}, "seed": seed, "numTrials": 50,
            "estimator": {"kind": "annealing", "numDistributions": 3, "reverse": true},
        }));
        let truth = truth(&result.simulated.expect("a table").states);
        let trials = result.reverse.expect("runs back").trials;
        let mean = trials.iter().map(|trial| exp(truth - trial)).sum::<f64>() / trials.len() as f64;
        log_ratios.push(ln(mean));
    }
    check_mean("reverse annealing", &log_ratios);
}

/// Columns of two clusters far apart are found, by both estimators.
#[test]
fn clusters_of_columns_are_found() {
    let mut model = clustered_low_rank(8, 2, json!({"kind": "fixed", "signal": 4, "noise": 0.2}));
    model["between"] = json!(0.98);
    model["concentration"] = json!(5);
    let simulated = run(json!({
        "model": model, "simulate": {"numRows": 40}, "seed": 3, "numTrials": 10,
        "estimator": {"kind": "annealing", "numDistributions": 300},
    }));
    let table = simulated.simulated.expect("a table");
    let truth = table.truth.column_clusters.expect("clusters of the columns");
    assert_eq!(truth.len(), 8);
    let pairs = |clusters: &[f64]| -> Vec<bool> {
        clusters.iter().flat_map(|a| clusters.iter().map(move |b| a == b)).collect()
    };
    for kind in ["annealing", "compositional"] {
        let result = run(json!({
            "model": model, "states": table.states, "seed": 4, "numTrials": 10,
            "estimator": {"kind": kind, "numDistributions": 300},
        }));
        let clusters = result.draw.expect("a draw").column_clusters.expect("clusters");
        assert_eq!(pairs(&clusters), pairs(&truth), "{kind}: {clusters:?} {truth:?}");
    }
}

#[test]
fn what_is_not_there_is_refused() {
    for (model, estimator, problem) in [
        (
            low_rank(2, 1, fixed()),
            "compositional",
            "estimator.kind: compositional is for the model clusteredLowRank",
        ),
        (model(2), "bic", "estimator.kind: must be another for clusteredLowRank"),
        (model(2), "variationalBayes", "estimator.kind: must be another for clusteredLowRank"),
        (model(2), "exact", "estimator: of `lowRank` is there"),
    ] {
        let spec = json!({
            "verb": "evidence", "model": model, "states": [1, 2], "estimator": {"kind": estimator},
        });
        let error = unnorm::run(spec).expect_err("refused").to_string();
        assert!(error.contains(problem), "{error}");
    }
    let mut model = model(2);
    model["between"] = json!(1);
    let error = unnorm::run(json!({"verb": "evidence", "model": model, "states": [1, 2]}));
    let error = error.expect_err("refused").to_string();
    assert!(error.contains("model.between: is 1; it must be above 0 and below 1"), "{error}");
}
