//! Sweeps keep the joint distribution (Geweke 2004): matrices drawn from the prior agree in their moments with those of a
//! chain that draws the data given the rest, and the rest by a sweep.

use super::{Dimension, generator, redraw, simulated};
use crate::matrix::Matrix;
use crate::parse::parse;
use crate::tree::{Gaussian, Node, Part, Scales};

const NUM_DRAWS: usize = 60_000;
const BATCH: usize = 500;

/// Standard errors; with some 300 statistics in all, false alarms have a probability below 1e-6.
const MOST: f64 = 6.5;

fn add_matrix(value: &Matrix, all: &mut Vec<f64>) {
    let bounded = |x: f64| x / (1.0 + x.abs());
    let count = value.entries().len() as f64;
    all.push(value.entries().iter().map(|x| bounded(x * x)).sum::<f64>() / count);
    all.push(bounded(value.at(0, 0) * value.at(0, value.num_cols() - 1)));
    all.push(bounded(value.at(0, 0) * value.at(value.num_rows() - 1, 0)));
}

fn add_gaussian(gaussian: &Gaussian, all: &mut Vec<f64>) {
    add_matrix(&gaussian.value, all);
    all.push(crate::math::ln(gaussian.variance));
    for Scales { variances, are_free } in [&gaussian.rows, &gaussian.cols] {
        if *are_free {
            all.extend(variances.iter().map(|variance| crate::math::ln(*variance)));
        }
    }
}

fn add_statistics(node: &Node, all: &mut Vec<f64>) {
    match node {
        Node::Gaussian(gaussian) => add_gaussian(gaussian, all),
        Node::Scale(scale) => {
            add_matrix(&scale.value, all);
            add_gaussian(&scale.gaussian, all);
            add_statistics(&scale.log_scales, all);
        }
        Node::Sum(sum) => {
            add_matrix(&sum.value, all);
            add_statistics(&sum.noise, all);
            for part in sum.terms.iter().flat_map(|term| [&term.left, &term.right]) {
                match part {
                    Part::Real(inner) => add_statistics(inner, all),
                    Part::Multinomial(found) => {
                        all.push(f64::from(u8::from(found.labels[0] == found.labels[1])));
                        all.push(found.probabilities[0] * found.probabilities[1]);
                    }
                    Part::Bernoulli(found) => {
                        let ones: f64 = found.value.entries().iter().sum();
                        all.push(ones / found.value.entries().len() as f64);
                        all.push(f64::from(u8::from(found.value.at(0, 0) == found.value.at(1, 0))));
                        all.push(found.probabilities[0] * found.probabilities[0]);
                    }
                    Part::Chain(_) => {}
                }
            }
        }
    }
}

/// Mean and variance of the mean of each statistic, from means of batches.
fn moments(draws: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let batches: Vec<Vec<f64>> = draws
        .chunks_exact(BATCH)
        .map(|batch| {
            let mean = |at: usize| batch.iter().map(|draw| draw[at]).sum::<f64>() / BATCH as f64;
            (0..draws[0].len()).map(mean).collect()
        })
        .collect();
    let count = batches.len() as f64;
    (0..draws[0].len())
        .map(|at| {
            let mean = batches.iter().map(|batch| batch[at]).sum::<f64>() / count;
            let square = |batch: &Vec<f64>| (batch[at] - mean) * (batch[at] - mean);
            (mean, batches.iter().map(square).sum::<f64>() / (count - 1.0) / count)
        })
        .collect()
}

fn check(text: &str, seed: u64) {
    let structure = parse(text).expect("a structure");
    let (rows, cols) = (Dimension::Data(vec![1.0, 2.0, 1.0]), Dimension::Data(vec![1.0, 1.0]));
    let mut rng = generator(seed);
    let statistics = |node: &Node| {
        let mut all = Vec::new();
        add_statistics(node, &mut all);
        all
    };
    let prior: Vec<Vec<f64>> = (0..NUM_DRAWS)
        .map(|_| statistics(&simulated(&structure, &rows, &cols, 2, &mut rng)))
        .collect();
    let mut node = simulated(&structure, &rows, &cols, 2, &mut rng);
    let chain: Vec<Vec<f64>> = (0..NUM_DRAWS)
        .map(|_| {
            for _ in 0..2 {
                node.sweep(&mut rng);
                let Node::Sum(sum) = &mut node else { panic!("a sum") };
                let Node::Gaussian(noise) = &mut *sum.noise else { panic!("G") };
                redraw(noise, &mut rng);
                sum.value = noise.value.clone();
                let signal = sum.signal();
                sum.value.add(1.0, &signal);
            }
            statistics(&node)
        })
        .collect();
    for (at, (one, other)) in moments(&prior).into_iter().zip(moments(&chain)).enumerate() {
        let error = (one.1 + other.1).sqrt();
        let deviation = (one.0 - other.0).abs() / error.max(1e-12);
        assert!(
            deviation < MOST,
            "{text}: statistic {at} is {} and {}, {deviation} errors",
            one.0,
            other.0
        );
    }
}

#[test]
fn low_rank() {
    check("GG + G", 20);
}

#[test]
fn clusters() {
    check("MG + G", 21);
    check("GMᵀ + G", 22);
}

#[test]
fn attributes() {
    check("BG + G", 23);
    check("GBᵀ + G", 24);
}

#[test]
fn walks() {
    check("CG + G", 25);
    check("GCᵀ + G", 26);
}

#[test]
fn sparse() {
    check("(exp(G) ∘ G)G + G", 27);
}

#[test]
fn deeper_ones() {
    check("M(GMᵀ + G) + G", 28);
    check("(GG + exp(G) ∘ G)G + BG + G", 29);
    check("(CG + G)G + G", 30);
    check("C(GG + G) + G", 31);
}
