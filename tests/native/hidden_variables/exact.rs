//! Exact posteriors. Given Z and the variances, a column of ZA is N(0, s²ZZᵀ) and one of Y is
//! N(0, s²ZZᵀ + σ²I), with Z the clusters as rows with a single one, or the attributes.

use super::{attributes, clustering, exact, fixed, low_rank, rows, sampled};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use unnorm::math::{exp, ln, ln_gamma};

/// Moments by definition: the evidence, then means of ZA, of its squares, and of same rows.
struct Sums {
    evidence: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    same: Vec<f64>,
    in_use: f64,
}

const NUM_ROWS: usize = 4;
const STATES: [f64; 8] = [1.5, -0.2, 0.4, 0.1, -1.7, 0.4, -0.6, -0.1];
const SIGNAL: f64 = 1.5;
const NOISE: f64 = 0.7;

/// Sums over all Z of these, `[N, 2]` each with its probability.
fn by_definition(all: impl Iterator<Item = (Vec<f64>, f64)>) -> Sums {
    let n = NUM_ROWS;
    let mut sums = Sums {
        evidence: 0.0,
        mean: vec![0.0; 2 * n],
        square: vec![0.0; 2 * n],
        same: vec![0.0; n * n],
        in_use: 0.0,
    };
    for (z, prior) in all {
        let dot = |i: usize, j: usize| z[2 * i] * z[2 * j] + z[2 * i + 1] * z[2 * j + 1];
        let signal = DMatrix::from_fn(n, n, |i, j| SIGNAL * dot(i, j));
        let total = DMatrix::from_fn(n, n, |i, j| signal[(i, j)] + f64::from(i == j) * NOISE);
        let inverse = total.clone().try_inverse().expect("positive definite");
        let mut share = prior;
        let mut columns = Vec::new();
        for column in 0..2 {
            let y = DVector::from_fn(n, |i, _| STATES[2 * i + column]);
            let quadratic = (y.transpose() * &inverse * &y)[(0, 0)];
            let log_det = ln(total.determinant());
            share *= exp(-0.5 * (n as f64 * ln(TAU) + log_det + quadratic));
            columns.push(&signal * &inverse * y);
        }
        let covariance = &signal - &signal * &inverse * &signal;
        sums.evidence += share;
        for i in 0..n {
            for (column, mean) in columns.iter().enumerate() {
                sums.mean[2 * i + column] += share * mean[i];
                sums.square[2 * i + column] += share * (mean[i] * mean[i] + covariance[(i, i)]);
            }
            for j in 0..n {
                sums.same[i * n + j] += share * f64::from(z[2 * i..][..2] == z[2 * j..][..2]);
            }
        }
        let is_used = |k: usize| f64::from((0..n).any(|i| z[2 * i + k] > 0.0));
        sums.in_use += share * (is_used(0) + is_used(1));
    }
    sums
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} and {b}");
}

fn check(model: &Value, sums: &Sums, has_clusters: bool) {
    let result = exact(model);
    assert_eq!(result.method, "enumeration");
    close(result.log_z, ln(sums.evidence));
    let table = result.table.expect("moments");
    for at in 0..2 * NUM_ROWS {
        let mean = sums.mean[at] / sums.evidence;
        close(table.reconstruction.mean[at], mean);
        let variance = sums.square[at] / sums.evidence - mean * mean;
        close(table.reconstruction.sd[at], variance.sqrt());
    }
    assert_eq!(table.same_cluster.is_some(), has_clusters);
    for (share, sum) in table.same_cluster.iter().flatten().zip(&sums.same) {
        close(*share, sum / sums.evidence);
    }
    close(table.num_in_use.expect("discrete"), sums.in_use / sums.evidence);
    close(table.signal_variance, SIGNAL);
    close(table.noise_variance, NOISE);
}

#[test]
fn posteriors_of_clusters_are_sums_over_all_partitions() {
    let n = NUM_ROWS as i32;
    let all = (0..1 << n).map(|bits: i32| {
        let z = (0..n).flat_map(|i| [f64::from(bits >> i & 1), f64::from(1 - (bits >> i & 1))]);
        let count = f64::from(bits.count_ones());
        let gamma = |count: f64| ln_gamma(0.8 + count) - ln_gamma(0.8);
        let total = ln_gamma(1.6) - ln_gamma(1.6 + f64::from(n));
        (z.collect(), exp(total + gamma(count) + gamma(f64::from(n) - count)))
    });
    check(&clustering(fixed(), json!(STATES)), &by_definition(all), true);
}

#[test]
fn posteriors_of_attributes_are_sums_over_all_matrices() {
    let n = NUM_ROWS as i32;
    let log_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let all = (0..1 << (2 * n)).map(|bits: i32| {
        let z: Vec<f64> = (0..2 * n).map(|at| f64::from(bits >> at & 1)).collect();
        let of = |k: usize| {
            let count: f64 = z.iter().skip(k).step_by(2).sum();
            log_beta(0.7 + count, 1.2 + f64::from(n) - count) - log_beta(0.7, 1.2)
        };
        let prior = exp(of(0) + of(1));
        (z, prior)
    });
    check(&attributes(fixed(), json!(STATES)), &by_definition(all), false);
}

/// A single entry y = uv + e: the posterior by a sum over a grid of u and v.
#[test]
fn the_posterior_of_one_entry_of_low_rank_is_an_integral_over_both_factors() {
    let y = 1.3;
    let [mut evidence, mut mean, mut square] = [0.0; 3];
    let step = 0.02;
    for i in -400..=400 {
        for j in -400..=400 {
            let [u, v] = [i, j].map(|at| step * f64::from(at));
            let product = u * v * SIGNAL.sqrt();
            let error = y - product;
            let density = exp(-0.5 * (u * u + v * v + error * error / NOISE));
            evidence += density;
            mean += density * product;
            square += density * product * product;
        }
    }
    let normalizer = step * step / (TAU * (TAU * NOISE).sqrt());
    let model = json!({
        "kind": "lowRank", "dim": 1, "numFactors": 1, "variances": fixed(), "states": [y],
    });
    let result = exact(&model);
    assert_eq!(result.method, "quadrature");
    close(result.log_z, ln(evidence * normalizer));
    let table = result.table.expect("moments");
    close(table.reconstruction.mean[0], mean / evidence);
    let variance = square / evidence - mean * mean / (evidence * evidence);
    close(table.reconstruction.sd[0], variance.sqrt());
    assert_eq!((table.same_cluster, table.num_in_use), (None, None));
}

/// `exact` and the estimator of that name are one computation.
#[test]
fn log_z_is_the_evidence() {
    for variances in [fixed(), sampled()] {
        for model in [
            clustering(variances.clone(), rows()),
            attributes(variances.clone(), json!(STATES)),
            low_rank(variances),
        ] {
            let mut of_evidence = model.clone();
            let states = of_evidence.as_object_mut().expect("an object").remove("states");
            let spec = json!({
                "verb": "evidence", "model": of_evidence, "states": states,
                "estimator": {"kind": "exact"}, "seed": 1,
            });
            let unnorm::JobResult::Evidence(evidence) = unnorm::run(spec).expect("no error") else {
                unreachable!()
            };
            close(exact(&model).log_z, evidence.log_z);
        }
    }
}
