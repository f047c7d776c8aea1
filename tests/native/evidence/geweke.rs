//! Getting it right (Geweke 2004), on the rows: the model run forward, and by turns a sweep given the rows and
//! new rows given the state, are two simulators of one joint distribution.
//!
//! Runs of the second begin with the first, so each of their states has the joint distribution if the
//! sweep leaves the posterior invariant; runs are independent, and errors of means over them are known.
//! A difference of seven standard errors has a chance of 3·10⁻¹²; there are some 200 of them.

use super::{binary, clustered_low_rank, clustering, fixed, low_rank};
use serde_json::{Value, json};
use std::sync::Arc;
use unnorm::evidence::spec::LatentModelSpec;
use unnorm::models::latent::{LatentChain, Scan, Table};
use unnorm::rng::{ChainRng, Purpose, stream};

const LIMIT: f64 = 7.0;
const NUM_RUNS: u64 = 10_000;
const NUM_TURNS: usize = 4;
const NUM_ROWS: usize = 4;

fn models() -> Vec<Value> {
    // With a shape of 6 the squares that are compared have finite variances.
    let sampled = || json!({"kind": "sampled", "shape": 6, "scale": 5});
    let mut models = Vec::new();
    for variances in [fixed(), sampled()] {
        models.push(clustering(2, 2, variances.clone()));
        models.push(low_rank(2, 2, variances.clone()));
        models.push(clustered_low_rank(3, 2, variances.clone()));
        models.push(binary(2, 2, variances));
    }
    models
}

/// Means that are compared: of the rows, their squares and products, of the hidden variables and the variances,
/// and how often neighbouring columns are of one cluster, with what their loadings have in common.
fn statistics(chain: &dyn LatentChain) -> Vec<f64> {
    let y = &chain.table().values;
    let parts = chain.parts();
    let products: f64 = y.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let neighbours: f64 = parts.hidden.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let hidden: f64 = parts.hidden.iter().sum();
    let squares: f64 = y.iter().map(|y| y * y).sum();
    let num_cols = chain.table().num_cols;
    let (mut num_alike, mut product_of_alike) = (0.0, 0.0);
    for (j, pair) in parts.column_clusters.iter().flat_map(|k| k.windows(2)).enumerate() {
        if pair[0] == pair[1] {
            num_alike += 1.0;
            product_of_alike +=
                parts.features.chunks_exact(num_cols).map(|v| v[j] * v[j + 1]).sum::<f64>();
        }
    }
    vec![
        num_alike,
        product_of_alike,
        y.iter().sum(),
        squares,
        products,
        hidden,
        parts.hidden.iter().map(|h| h * h).sum(),
        neighbours,
        hidden * squares,
        unnorm::math::ln(parts.variances.signal),
        unnorm::math::ln(parts.variances.noise),
        unnorm::math::ln(parts.variances.noise) * squares,
    ]
}

fn begin(spec: &LatentModelSpec, rng: &mut ChainRng) -> Box<dyn LatentChain> {
    let dim = spec.dim();
    let mut chain = spec.chain(Arc::new(Table::new(dim, vec![0.0; NUM_ROWS * dim])));
    chain.draw_prior(NUM_ROWS, rng);
    renew_rows(&mut *chain, rng);
    chain
}

fn renew_rows(chain: &mut dyn LatentChain, rng: &mut ChainRng) {
    let rows = chain.draw_rows(rng);
    chain.set_table(Arc::new(Table::new(chain.table().num_cols, rows)));
}

/// Mean and standard error of each statistic.
fn means(runs: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let count = runs.len() as f64;
    (0..runs[0].len())
        .map(|at| {
            let mean = runs.iter().map(|run| run[at]).sum::<f64>() / count;
            let squares: f64 = runs.iter().map(|run| (run[at] - mean) * (run[at] - mean)).sum();
            [mean, (squares / count / (count - 1.0)).sqrt()]
        })
        .collect()
}

fn compare(name: &str, spec: &Value, step: impl Fn(&mut dyn LatentChain, &mut ChainRng)) {
    let model: LatentModelSpec = serde_json::from_value(spec.clone()).expect("a model");
    let mut forward = Vec::new();
    let mut by_turns = Vec::new();
    for run in 0..NUM_RUNS {
        let rng = &mut stream(1, Purpose::Example, run);
        forward.push(statistics(&*begin(&model, rng)));
        let mut chain = begin(&model, rng);
        for _ in 0..NUM_TURNS {
            step(&mut *chain, rng);
            renew_rows(&mut *chain, rng);
        }
        by_turns.push(statistics(&*chain));
    }
    for (at, (a, b)) in means(&forward).iter().zip(means(&by_turns)).enumerate() {
        let error = (a[1] * a[1] + b[1] * b[1]).sqrt();
        let difference = (a[0] - b[0]).abs();
        assert!(
            difference <= LIMIT * error,
            "{name} {spec}, statistic {at}: {} and {}, {} errors",
            a[0],
            b[0],
            difference / error
        );
    }
}

#[test]
fn sweeps_leave_the_posterior_invariant() {
    for spec in models() {
        for scan in [Scan::Forward, Scan::Backward] {
            compare("sweep", &spec, |chain, rng| {
                chain.sweep(1.0, scan, rng);
                chain.complete(rng);
            });
        }
        // It keeps what it draws.
        compare("Chib's, backward", &spec, |chain, rng| chain.chib_step(Scan::Backward, rng));
    }
}

/// A row taken out and in again.
#[test]
fn rows_are_taken_in_from_their_posterior() {
    for spec in models() {
        compare("row", &spec, |chain, rng| {
            chain.pop_row();
            chain.push_row(rng);
            chain.complete(rng);
        });
    }
}
