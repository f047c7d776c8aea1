//! The penalized networks are minima of what they should minimize.

use super::*;
use unnorm::linalg::dot;
use unnorm::math::{exp, ln_1p};

/// Objective and gradients by their definition, row by row: φ summed over rows and sites, and its derivatives with
/// respect to J_ii and J_ij.
fn loss(
    is_flow: bool,
    rows: &[Vec<f64>],
    biases: &[f64],
    couplings: &[f64],
) -> (f64, Vec<f64>, Vec<f64>) {
    let dim = biases.len();
    let matrix = matrix(dim, couplings);
    let mut total = 0.0;
    let mut of_biases = vec![0.0; dim];
    let mut of_couplings = vec![0.0; couplings.len()];
    for x in rows {
        // m_i = E(x) − E(x with bit i flipped).
        let slopes: Vec<f64> = (0..dim)
            .map(|i| {
                let sign = 2.0 * x[i] - 1.0;
                let m = sign * (biases[i] + 2.0 * dot(&matrix[i * dim..][..dim], x));
                let (value, slope) = match is_flow {
                    true => (exp(0.5 * m), 0.5 * exp(0.5 * m)),
                    false => (m.max(0.0) + ln_1p(exp(-m.abs())), 1.0 / (1.0 + exp(-m))),
                };
                total += value;
                of_biases[i] += slope * sign;
                slope * sign
            })
            .collect();
        for (grad, [i, j]) in of_couplings.iter_mut().zip(pairs(dim)) {
            *grad += 2.0 * (slopes[i] * x[j] + slopes[j] * x[i]);
        }
    }
    let count = rows.len() as f64;
    let mean = |sums: Vec<f64>| sums.into_iter().map(|sum| sum / count).collect();
    (total / count, mean(of_biases), mean(of_couplings))
}

/// The conditions of a minimum (Tibshirani 1996): they are sufficient, as the objective is convex.
#[test]
fn every_network_of_a_path_is_the_minimum_at_its_penalty() {
    for (dim, num_rows) in [(9, 400), (70, 300)] {
        let rows = Truth::random(dim, 3.0 / dim as f64, 7).rows(num_rows, 7);
        for kind in ["pseudolikelihood", "mpf"] {
            let fields =
                json!({"objective": {"kind": kind}, "penalties": {"count": 7, "ratio": 0.1}});
            let result = network(&fields, rows.clone());
            let num_pairs = dim * (dim - 1) / 2;
            let numbers = numbers(&rows);
            let mut num_edges = Vec::new();
            for (at, penalty) in result.penalties.iter().enumerate() {
                let couplings = &result.path.couplings[at * num_pairs..][..num_pairs];
                let biases = &result.path.biases[at * dim..][..dim];
                let (_, of_biases, of_couplings) = loss(kind == "mpf", &numbers, biases, couplings);
                for slope in of_biases {
                    assert!(slope.abs() < 2e-8, "{kind} {at}: {slope}");
                }
                for (coupling, slope) in couplings.iter().zip(of_couplings) {
                    let violation = match *coupling {
                        0.0 => slope.abs() - penalty,
                        coupling => (slope + penalty * coupling.signum()).abs(),
                    };
                    assert!(violation < 2e-8, "{kind} {at}: {violation}");
                }
                num_edges.push(couplings.iter().filter(|coupling| **coupling != 0.0).count());
            }
            assert_eq!(num_edges, result.path.num_edges);
            assert_eq!(num_edges[0], 0);
            assert!(num_edges[1] > 0 && num_edges[6] > num_edges[1]);
            assert!((result.penalties[6] / result.penalties[0] - 0.1).abs() < 1e-12);
            // The score is the pseudolikelihood, whatever was minimized.
            let last = &result.path.couplings[6 * num_pairs..];
            let (value, ..) = loss(false, &numbers, &result.path.biases[6 * dim..], last);
            assert!((result.path.log_pseudolikelihood[6] + value).abs() < 1e-10 * value);
        }
    }
}

/// The model is the network chosen, in the energy of every other verb.
#[test]
fn the_model_has_the_energy_of_the_network() {
    let rows = Truth::random(6, 0.4, 3).rows(500, 3);
    let result = network(&json!({}), rows);
    let at = result.chosen;
    let model = result.model.build().expect("a model");
    let params = model.as_parametric().expect("parameters").params();
    let expected: Vec<f64> =
        result.path.couplings[at * 15..][..15].iter().copied().filter(|j| *j != 0.0).collect();
    assert!(expected.len() > 2 && expected.len() < 15, "{expected:?}");
    assert_eq!(params[6..], expected);
    for (bias, expected) in params.iter().zip(&result.path.biases[at * 6..][..6]) {
        // Fields are measured at the columns' means in between.
        assert!((bias - expected).abs() < 1e-12, "{bias} {expected}");
    }
    let of_edges: Vec<f64> = result.edges.iter().map(|edge| edge.coupling).collect();
    assert_eq!(of_edges, expected);
}

/// Given penalties are taken as they are; the path to one of them does not matter.
#[test]
fn where_the_path_begins_does_not_matter() {
    let rows = Truth::random(12, 0.2, 5).rows(600, 5);
    let whole = network(&json!({"penalties": {"values": [0.1, 0.05, 0.02, 0.01]}}), rows.clone());
    let alone = network(&json!({"penalties": {"values": [0.01]}}), rows);
    assert_eq!(whole.penalties, [0.1, 0.05, 0.02, 0.01]);
    for (a, b) in whole.path.couplings[3 * 66..].iter().zip(&alone.path.couplings) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
        assert_eq!(*a == 0.0, *b == 0.0);
    }
}
