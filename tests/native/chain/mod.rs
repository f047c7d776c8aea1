//! Finite Markov chains: exact values, inequalities on random chains, the library's transitions against
//! their matrices, and errors.

mod kernels;
mod laws;
mod refused;
mod structure;
mod truths;

use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::markov::ChainResult;
use unnorm::rng::{ChainRng, uniform};

fn run(mut spec: Value) -> ChainResult {
    spec["verb"] = json!("chain");
    match unnorm::run(spec).expect("no error") {
        JobResult::Chain(result) => result,
        _ => unreachable!(),
    }
}

fn of_matrix(transitions: &[f64]) -> ChainResult {
    run(json!({ "transitions": transitions }))
}

/// A chain at random, of n states; each transition is left out with probability `sparsity`.
fn random_matrix(n: usize, sparsity: f64, rng: &mut ChainRng) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for (state, row) in matrix.chunks_exact_mut(n).enumerate() {
        for entry in row.iter_mut() {
            let is_there = uniform(rng) >= sparsity;
            *entry = if is_there { uniform(rng) } else { 0.0 };
        }
        // The way round through all states keeps the chain in one piece.
        row[(state + 1) % n] += 0.1;
        row[state] += 0.1;
        normalize(row);
    }
    matrix
}

/// A reversible chain at random: a walk on a graph with random weights of very different sizes.
fn random_reversible(n: usize, rng: &mut ChainRng) -> Vec<f64> {
    let mut weights = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let is_there = uniform(rng) < 0.5 || i == j + 1;
            let weight = if is_there { unnorm::math::exp(-6.0 * uniform(rng)) } else { 0.0 };
            weights[i * n + j] = weight;
            weights[j * n + i] = weight;
        }
        weights[i * n + i] += 0.01;
    }
    weights.chunks_exact_mut(n).for_each(normalize);
    weights
}

fn normalize(row: &mut [f64]) {
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|entry| *entry /= total);
}

/// The product of two square matrices by its definition.
fn product(left: &[f64], right: &[f64], n: usize) -> Vec<f64> {
    let entry = |at: usize| (0..n).map(|k| left[at / n * n + k] * right[k * n + at % n]).sum();
    (0..n * n).map(entry).collect()
}

/// The distance after t steps by its definition.
fn distance(matrix: &[f64], stationary: &[f64], num_steps: usize) -> f64 {
    let n = stationary.len();
    let power = (1..num_steps).fold(matrix.to_vec(), |power, _| product(&power, matrix, n));
    let of_row = |row: &[f64]| -> f64 {
        0.5 * row.iter().zip(stationary).map(|(a, b)| (a - b).abs()).sum::<f64>()
    };
    power.chunks_exact(n).map(of_row).fold(0.0, f64::max)
}

/// Conductance by its definition, over all subsets.
fn least_conductance(matrix: &[f64], stationary: &[f64]) -> f64 {
    let n = stationary.len();
    let mut least = f64::INFINITY;
    for set in 1..(1_usize << n) - 1 {
        let is_in = |state: &usize| set >> state & 1 == 1;
        let inside: Vec<usize> = (0..n).filter(is_in).collect();
        let probability: f64 = inside.iter().map(|&i| stationary[i]).sum();
        if probability > 0.5 + 1e-12 {
            continue;
        }
        let mut flow = 0.0;
        for &i in &inside {
            flow += (0..n)
                .filter(|j| !is_in(j))
                .map(|j| stationary[i] * matrix[i * n + j])
                .sum::<f64>();
        }
        least = least.min(flow / probability);
    }
    least
}
