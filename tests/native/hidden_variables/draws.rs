//! Draws have the moments of exact posteriors. Errors of means are those of their own chains; a
//! difference of 6.5 standard errors has a chance of 8·10⁻¹¹, and there are some 200.

use super::{attributes, clustering, exact, fixed, low_rank, rows, sample, sampled};
use serde_json::{Value, json};
use unnorm::diagnostics::{Draws, Summary, mcse_mean, rhat};
use unnorm::sample::{LatentDraws, LatentResult};

const LIMIT: f64 = 6.5;

/// Chain after chain, from `[draw, chain]`.
fn by_chain(values: &[f64], num_chains: usize) -> Vec<f64> {
    (0..num_chains)
        .flat_map(|chain| values.iter().skip(chain).step_by(num_chains))
        .copied()
        .collect()
}

fn agree(what: &str, draws: &LatentDraws, values: &[f64], exact: f64) {
    let values = by_chain(values, draws.num_chains);
    let chains = Draws::new(draws.num_chains, &values).expect("draws");
    // Chains that stay apart have errors so large that nothing would differ. All equal, it is NaN.
    let rhat = rhat(chains);
    assert!(rhat.is_nan() || rhat < 1.05, "{what}: R-hat is {rhat}");
    let error = mcse_mean(chains);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let difference = (mean - exact).abs();
    assert!(difference <= LIMIT * error + 1e-9, "{what}: {mean} and {exact}, error {error}");
}

/// z·features of an entry of each draw.
fn products(draws: &LatentDraws, row: usize, column: usize, has_clusters: bool) -> Vec<f64> {
    let LatentDraws { num_rows, dim, order, .. } = *draws;
    let width = if has_clusters { 1 } else { order };
    let features = draws.features.chunks_exact(order * dim);
    let hidden = draws.hidden.chunks_exact(num_rows * width);
    hidden
        .zip(features)
        .map(|(hidden, features)| {
            let z = &hidden[row * width..][..width];
            let feature = |k: usize| features[k * dim + column];
            match has_clusters {
                true => feature(z[0] as usize),
                false => z.iter().enumerate().map(|(k, z)| z * feature(k)).sum(),
            }
        })
        .collect()
}

fn check(model: &Value, num_draws: usize) {
    let has_clusters = model["kind"] == "clustering";
    let result =
        sample(model, &json!({"numChains": 8, "numDraws": num_draws, "numStepsPerDraw": 2}));
    let LatentResult { draws, reconstruction, same_cluster, .. } = &result;
    let truth = exact(model).table.expect("moments");
    let num_all = (draws.num_chains * draws.num_draws) as f64;
    for row in 0..draws.num_rows {
        for column in 0..draws.dim {
            let at = row * draws.dim + column;
            let values = products(draws, row, column, has_clusters);
            let [mean, sd] = [truth.reconstruction.mean[at], truth.reconstruction.sd[at]];
            agree("mean", draws, &values, mean);
            let squares: Vec<f64> = values.iter().map(|x| (x - mean) * (x - mean)).collect();
            agree("variance", draws, &squares, sd * sd);
            // What is reported is computed from the draws.
            let own_mean = values.iter().sum::<f64>() / num_all;
            let own_square = values.iter().map(|x| (x - own_mean) * (x - own_mean)).sum::<f64>();
            assert!((reconstruction.mean[at] - own_mean).abs() < 1e-9);
            let own_sd = (own_square / (num_all - 1.0)).sqrt();
            assert!((reconstruction.sd[at] - own_sd).abs() < 1e-9);
        }
    }
    assert_eq!(same_cluster.is_some(), has_clusters);
    let num_rows = draws.num_rows;
    for (at, share) in same_cluster.iter().flatten().enumerate() {
        let (i, j) = (at / num_rows, at % num_rows);
        let is_same = |z: &[f64]| f64::from(z[i] == z[j]);
        let values: Vec<f64> = draws.hidden.chunks_exact(num_rows).map(is_same).collect();
        assert!((share - values.iter().sum::<f64>() / num_all).abs() < 1e-12);
        let exact = truth.same_cluster.as_ref().expect("clusters")[at];
        if i == j {
            assert!(*share == 1.0 && (exact - 1.0).abs() < 1e-9);
        } else {
            agree("same cluster", draws, &values, exact);
        }
    }
    if let (Some(values), Some(exact)) = (&draws.num_in_use, truth.num_in_use) {
        agree("in use", draws, values, exact);
    }
    agree("signal", draws, &draws.signal_variance, truth.signal_variance);
    agree("noise", draws, &draws.noise_variance, truth.noise_variance);
}

#[test]
fn draws_of_clusters_have_the_moments_of_all_partitions() {
    check(&clustering(fixed(), rows()), 5000);
    check(&clustering(sampled(), rows()), 5000);
}

#[test]
fn draws_of_attributes_have_the_moments_of_all_matrices() {
    check(&attributes(fixed(), rows()), 5000);
    let few = json!([1.5, -0.2, 2.1, 0.3, -1.7, 0.4, -0.6, -0.1]);
    check(&attributes(sampled(), few), 5000);
}

#[test]
fn draws_of_factors_have_the_moments_of_the_integral() {
    check(&low_rank(fixed()), 20_000);
    check(&low_rank(sampled()), 20_000);
}

/// ln p(z, A, s², σ², Y) written out, with Pólya's urn for the clusters.
#[test]
fn log_densities_are_those_of_what_is_drawn() {
    use std::f64::consts::TAU;
    use unnorm::math::{ln, ln_gamma};
    let states: Vec<f64> = serde_json::from_value(rows()).expect("numbers");
    let log_normal = |square: f64, variance: f64, count: usize| {
        -0.5 * count as f64 * ln(TAU * variance) - 0.5 * square / variance
    };
    for variances in [fixed(), sampled()] {
        let is_sampled = variances == sampled();
        let LatentResult { draws, .. } =
            sample(&clustering(variances, rows()), &json!({"numDraws": 4}));
        for at in 0..draws.log_joint.len() {
            let [signal, noise] = [draws.signal_variance[at], draws.noise_variance[at]];
            let z = &draws.hidden[6 * at..][..6];
            let features = &draws.features[4 * at..][..4];
            let mut counts = [0.8, 0.8];
            let mut log_prior = 0.0;
            let mut square = 0.0;
            for (row, cluster) in z.iter().enumerate() {
                let k = *cluster as usize;
                log_prior += ln(counts[k] / (counts[0] + counts[1]));
                counts[k] += 1.0;
                for d in 0..2 {
                    let error = states[2 * row + d] - features[2 * k + d];
                    square += error * error;
                }
            }
            let log_likelihood = log_normal(square, noise, 12);
            let of_features = log_normal(features.iter().map(|a| a * a).sum(), signal, 4);
            let of_variance = |v: f64| 6.0 * ln(5.0) - ln_gamma(6.0) - 7.0 * ln(v) - 5.0 / v;
            let of_variances =
                if is_sampled { of_variance(signal) + of_variance(noise) } else { 0.0 };
            let log_joint = log_prior + of_features + of_variances + log_likelihood;
            assert!((draws.log_likelihood[at] - log_likelihood).abs() < 1e-9);
            assert!((draws.log_joint[at] - log_joint).abs() < 1e-9);
        }
    }
}

#[test]
fn shapes_are_those_documented() {
    for (model, width, has_discrete) in [
        (clustering(sampled(), rows()), 1, true),
        (attributes(fixed(), rows()), 2, true),
        (low_rank(sampled()), 2, false),
    ] {
        let is_sampled = model["variances"]["kind"] == "sampled";
        let result = sample(&model, &json!({"numChains": 3, "numDraws": 5}));
        let LatentDraws { num_rows, dim, order, num_chains, num_draws, .. } = result.draws;
        assert_eq!([order, num_chains, num_draws], [2, 3, 5]);
        assert_eq!(num_rows * dim, model["states"].as_array().expect("rows").len());
        assert_eq!(result.draws.hidden.len(), 15 * num_rows * width);
        assert_eq!(result.draws.features.len(), 15 * order * dim);
        for values in [
            &result.draws.signal_variance,
            &result.draws.noise_variance,
            &result.draws.log_joint,
            &result.draws.log_likelihood,
        ] {
            assert_eq!(values.len(), 15);
        }
        assert_eq!(result.draws.num_in_use.map(|values| values.len()), has_discrete.then_some(15));
        let summary = &result.summary;
        assert_eq!(summary.num_in_use.is_some(), has_discrete);
        assert_eq!(
            [summary.signal_variance, summary.noise_variance].map(|s| s.is_some()),
            [is_sampled; 2]
        );
    }
}

#[test]
fn summaries_are_those_of_the_draws() {
    let result = sample(&attributes(sampled(), rows()), &json!({}));
    let LatentResult { draws, summary, .. } = &result;
    let of = |values: &[f64]| {
        let values = by_chain(values, draws.num_chains);
        Summary::of(Draws::new(draws.num_chains, &values).expect("draws"))
    };
    assert_eq!(summary.log_joint, of(&draws.log_joint));
    assert_eq!(summary.log_likelihood, of(&draws.log_likelihood));
    assert_eq!(summary.num_in_use, draws.num_in_use.as_deref().map(of));
    assert_eq!(summary.signal_variance, Some(of(&draws.signal_variance)));
    assert_eq!(summary.noise_variance, Some(of(&draws.noise_variance)));
}

/// Six narrow lumps far apart and as many clusters: a cluster that has two lumps keeps both.
#[test]
fn chains_that_do_not_agree_are_warned_about() {
    let states: Vec<f64> =
        (0..60).map(|at| f64::from(at % 6 * 40 - 100) + f64::from(at) / 600.0).collect();
    let model = json!({
        "kind": "clustering", "dim": 1, "numClusters": 6, "states": states,
        "variances": {"kind": "fixed", "signal": 5000, "noise": 0.01},
    });
    let result = sample(&model, &json!({"numWarmup": 10, "numDraws": 40, "numChains": 8}));
    let warnings = result.warnings.join("\n");
    assert!(warnings.contains("the chains do not agree on"), "{warnings}");
    assert!(warnings.contains("(R-hat of logJoint is"), "{warnings}");
    assert!(warnings.contains("draw longer, with a longer warm-up"), "{warnings}");
    assert!(warnings.contains("have fewer than 800 effective draws"), "{warnings}");
    assert!(!warnings.contains("subtract the means"), "{warnings}");

    let raised: Vec<f64> = states.iter().map(|y| y + 300.0).collect();
    let result = sample(&with_states(&model, &raised), &json!({"numDraws": 4}));
    assert!(result.warnings.join("\n").contains("subtract the means"), "{:?}", result.warnings);

    let result = sample(&clustering(fixed(), rows()), &json!({"numDraws": 4000}));
    assert_eq!(result.warnings, [""; 0]);
}

fn with_states(model: &Value, states: &[f64]) -> Value {
    crate::common::with(model.clone(), &json!({"states": states}))
}
