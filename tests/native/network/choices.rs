//! Each way to choose a penalty, against a naive one.

use super::*;
use crate::common::fitted;
use unnorm::math::{exp, ln, ln_1p};

/// Log pseudolikelihood of rows, in nats a row.
fn score(rows: &BitMatrix, biases: &[f64], couplings: &[f64]) -> f64 {
    let dim = biases.len();
    let matrix = matrix(dim, couplings);
    let mut total = 0.0;
    for x in &numbers(rows) {
        for i in 0..dim {
            let field = biases[i] + 2.0 * (0..dim).map(|j| matrix[i * dim + j] * x[j]).sum::<f64>();
            let m = (2.0 * x[i] - 1.0) * field;
            total -= m.max(0.0) + ln_1p(exp(-m.abs()));
        }
    }
    total / rows.num_rows() as f64
}

/// The greatest log pseudolikelihood of a network with these edges, in nats a row, by `fit`.
fn refitted(rows: &BitMatrix, couplings: &[f64]) -> f64 {
    let dim = rows.dim();
    let all = (0..dim).flat_map(|i| (i + 1..dim).map(move |j| [i, j]));
    let pairs: Vec<_> = all
        .zip(couplings)
        .filter(|(_, coupling)| **coupling != 0.0)
        .map(|(pair, _)| pair)
        .collect();
    let spec = json!({
        "verb": "fit", "model": {"kind": "ising", "dim": dim, "pattern": {"kind": "pairs", "pairs": pairs}},
        "objective": {"kind": "pseudolikelihood"}, "seed": 1,
        "optimizer": {"kind": "lbfgs", "tolerance": 1e-14},
    });
    -fitted(job_with(&spec, rows.clone()).unwrap()).objective
}

#[test]
fn the_extended_criterion_is_that_of_its_definition() {
    let rows = Truth::random(10, 0.25, 2).rows(800, 2);
    for gamma in [0.0, 0.5] {
        let result = network(&json!({"choice": {"kind": "ebic", "gamma": gamma}}), rows.clone());
        for (at, ebic) in result.path.ebic.iter().enumerate() {
            let couplings = &result.path.couplings[at * 45..][..45];
            let biases = &result.path.biases[at * 10..][..10];
            let shrunk = result.path.log_pseudolikelihood[at];
            assert!((shrunk - score(&rows, biases, couplings)).abs() < 1e-9, "{at}");
            let refitted = refitted(&rows, couplings);
            assert!(
                (result.path.refitted_log_pseudolikelihood[at] - refitted).abs() < 1e-8,
                "{at}"
            );
            assert!(refitted >= shrunk - 1e-12, "{at}");
            // Site by site: −2 ln p + E_i (ln N + 2γ ln(D − 1)).
            let matrix = matrix(10, couplings);
            let degrees =
                (0..10).map(|i| matrix[i * 10..][..10].iter().filter(|j| **j != 0.0).count());
            let of_sites: f64 =
                degrees.map(|degree| degree as f64 * (ln(800.0) + 2.0 * gamma * ln(9.0))).sum();
            let expected = -2.0 * 800.0 * refitted + of_sites;
            assert!((ebic - expected).abs() < 1e-7 * expected, "{ebic} {expected}");
        }
        let least = result.path.ebic.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        assert_eq!(result.path.ebic[result.chosen], least);
    }
}

/// Each row is a fold of its own, so that the order in which rows are dealt does not matter.
#[test]
fn rows_held_out_are_scored_by_networks_of_the_others() {
    let some = Truth::random(6, 0.3, 4).rows(120, 4);
    let penalties = json!({"values": [0.08, 0.04, 0.02, 0.01, 0.005]});
    let choice = json!({"kind": "crossValidation", "numFolds": 120});
    let result = network(&json!({"penalties": penalties, "choice": choice}), some.clone());
    let held_out = result.path.held_out.as_ref().expect("scores");
    let errors = result.path.held_out_errors.as_ref().expect("errors");
    let mut scores = vec![Vec::new(); 5];
    for left in 0..120 {
        let others = some_of(&some, (0..120).filter(|row| *row != left));
        let fit = network(&json!({"penalties": penalties}), others);
        let one = some_of(&some, std::iter::once(left));
        for (at, scores) in scores.iter_mut().enumerate() {
            let biases = &fit.path.biases[at * 6..][..6];
            scores.push(score(&one, biases, &fit.path.couplings[at * 15..][..15]));
        }
    }
    for (at, scores) in scores.iter().enumerate() {
        let mean = scores.iter().sum::<f64>() / 120.0;
        let squares: f64 = scores.iter().map(|score| (score - mean) * (score - mean)).sum();
        assert!((held_out[at] - mean).abs() < 1e-6, "{} {mean}", held_out[at]);
        let error = (squares / (120.0 * 119.0)).sqrt();
        assert!((errors[at] - error).abs() < 1e-6 * error.max(1.0), "{} {error}", errors[at]);
    }
    let best = (0..5).max_by(|a, b| held_out[*a].total_cmp(&held_out[*b])).unwrap();
    assert_eq!(result.chosen, best);
    let choice = json!({"kind": "crossValidation", "numFolds": 120, "oneStandardError": true});
    let strict = network(&json!({"penalties": penalties, "choice": choice}), some);
    let first = (0..5).find(|at| held_out[*at] >= held_out[best] - errors[best]).unwrap();
    assert_eq!(strict.chosen, first);
    assert!(first < best, "the two rules choose alike");
}

#[test]
fn stable_edges_are_found_in_many_halves_and_few_false_ones_are_expected() {
    let truth = Truth::random(15, 0.15, 6);
    let choice = json!({"kind": "stability", "numSubsamples": 50, "threshold": 0.7});
    let result = network(&json!({"choice": choice}), truth.rows(1000, 6));
    let num_pairs = 105;
    let stability = result.path.stability.as_ref().expect("shares");
    let at = |penalty: usize| &stability[penalty * num_pairs..][..num_pairs];
    // Shares of 50 halves, which never fall from one penalty to the next.
    for penalty in 0..40 {
        for (pair, share) in at(penalty).iter().enumerate() {
            assert!((share * 50.0 - (share * 50.0).round()).abs() < 1e-9);
            assert!(penalty == 0 || *share >= at(penalty - 1)[pair]);
        }
    }
    let num_found = |penalty: usize| at(penalty).iter().sum::<f64>();
    let is_strict = |penalty: usize| num_found(penalty) * num_found(penalty) / (0.4 * 105.0) <= 1.0;
    assert!(is_strict(result.chosen) && !is_strict(result.chosen + 1));
    let stable: Vec<[usize; 2]> = pairs(15)
        .zip(at(result.chosen))
        .filter(|(_, share)| **share >= 0.7)
        .map(|(pair, _)| pair)
        .collect();
    let edges: Vec<[usize; 2]> = result.edges.iter().map(|edge| edge.sites).collect();
    assert_eq!(edges, stable, "{:?}", result.chosen);
    let is_true = |pair: &[usize; 2]| {
        pairs(15).zip(&truth.couplings).any(|(other, j)| other == *pair && *j != 0.0)
    };
    assert!(edges.len() >= 4, "{edges:?}");
    assert!(edges.iter().filter(|pair| !is_true(pair)).count() <= 1, "{edges:?}");
}

/// Halves are drawn anew: there may be more of them than rows.
#[test]
fn few_rows_have_many_halves() {
    let choice = json!({"kind": "stability", "numSubsamples": 60, "falseEdges": 2});
    let result = network(&json!({"choice": choice}), Truth::random(5, 0.4, 3).rows(40, 3));
    let shares = result.path.stability.expect("shares");
    let are_of_60 = |share: &f64| (share * 60.0 - (share * 60.0).round()).abs() < 1e-9;
    assert!(
        shares.iter().all(are_of_60) && shares.iter().any(|share| (0.01..0.99).contains(share))
    );
}
