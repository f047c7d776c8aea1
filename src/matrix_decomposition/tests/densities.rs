//! Densities of held-out rows against dense formulas.

use super::{Dimension, generator, normals, simulated};
use crate::math::{exp, ln, log_sum_exp};
use crate::matrix::Matrix;
use crate::parse::parse;
use crate::predict::{Annealing, Choice, Place, RowDensity, RowModel, Scaled, steps};
use crate::rng::{ChainRng, normal, uniform};
use crate::tree::{Node, Part};
use nalgebra::{Cholesky, DMatrix, DVector};
use std::f64::consts::TAU;

const ANNEALING: Annealing = Annealing { num_steps: 50 };

/// ln N(x; mean, Σ), by nalgebra.
fn log_normal(x: &[f64], mean: &[f64], covariance: &DMatrix<f64>) -> f64 {
    let factor = Cholesky::new(covariance.clone()).expect("positive definite");
    let deviation = DVector::from_iterator(x.len(), x.iter().zip(mean).map(|(x, m)| x - m));
    let solved = factor.solve(&deviation);
    let ln_det: f64 = factor.l().diagonal().iter().map(|entry| 2.0 * ln(*entry)).sum();
    -0.5 * (x.len() as f64 * ln(TAU) + ln_det + deviation.dot(&solved))
}

fn dense(matrix: &Matrix) -> DMatrix<f64> {
    DMatrix::from_row_slice(matrix.num_rows(), matrix.num_cols(), matrix.entries())
}

fn somewhere(rows: &[usize]) -> Place {
    Place::new(2, rows)
}

fn draw(text: &str, rows: usize, cols: usize, rank: usize, rng: &mut ChainRng) -> Node {
    let data = |len: usize| Dimension::Data(vec![1.0; len]);
    simulated(&parse(text).expect("a structure"), &data(rows), &data(cols), rank, rng)
}

fn log(node: &Node, place: &Place, row: &[f64], rng: &mut ChainRng) -> f64 {
    RowDensity::new(&RowModel::new(node, place)).log(row, ANNEALING, rng)
}

fn sum(node: &Node) -> &crate::tree::Sum {
    let Node::Sum(sum) = node else { panic!("a sum") };
    sum
}

fn noise_variance(node: &Node) -> f64 {
    let Node::Gaussian(noise) = &*sum(node).noise else { panic!("G") };
    noise.variance
}

fn gaussian(part: &Part) -> &crate::tree::Gaussian {
    let Part::Real(Node::Gaussian(gaussian)) = part else { panic!("G") };
    gaussian
}

#[test]
fn low_rank_is_gaussian() {
    let mut rng = generator(40);
    let node = draw("GG + G", 7, 5, 3, &mut rng);
    let term = &sum(&node).terms[0];
    let right = dense(&term.right.matrix());
    let latent =
        DMatrix::from_diagonal(&DVector::from_vec(gaussian(&term.left).cols.variances.clone()));
    let covariance =
        &right * latent * right.transpose() + DMatrix::identity(5, 5) * noise_variance(&node);
    for _ in 0..10 {
        let row: Vec<f64> = (0..5).map(|_| 2.0 * normal(&mut rng)).collect();
        let exact = log_normal(&row, &[0.0; 5], &covariance);
        let ours = log(&node, &somewhere(&[0, 1, 3, 4, 5, 6, 7]), &row, &mut rng);
        assert!((ours - exact).abs() < 1e-9 * exact.abs(), "{ours} {exact}");
    }
}

#[test]
fn clusters_are_a_mixture() {
    let mut rng = generator(41);
    let node = draw("MG + G", 7, 5, 3, &mut rng);
    let term = &sum(&node).terms[0];
    let Part::Multinomial(found) = &term.left else { panic!("M") };
    let centres = term.right.matrix().transposed();
    let covariance = DMatrix::identity(5, 5) * noise_variance(&node);
    for _ in 0..10 {
        let row: Vec<f64> = (0..5).map(|_| 2.0 * normal(&mut rng)).collect();
        let logs: Vec<f64> = (0..3)
            .map(|k| {
                let count = found.labels.iter().filter(|label| **label == k).count() as f64;
                ln((count + 1.0) / 10.0) + log_normal(&row, centres.row(k), &covariance)
            })
            .collect();
        let ours = log(&node, &somewhere(&[0, 1, 3, 4, 5, 6, 7]), &row, &mut rng);
        assert!((ours - log_sum_exp(&logs)).abs() < 1e-9, "{ours} {}", log_sum_exp(&logs));
    }
}

#[test]
fn columns_are_rows_of_the_transpose() {
    let mut rng = generator(42);
    let node = draw("GBᵀ + G", 5, 8, 3, &mut rng);
    let term = &sum(&node).terms[0];
    let Part::Bernoulli(found) = &term.right else { panic!("B") };
    let features = term.left.matrix().transposed();
    let covariance = DMatrix::identity(5, 5) * noise_variance(&node);
    let ones = |k: usize| -> f64 { (0..8).map(|row| found.value.at(row, k)).sum() };
    let column: Vec<f64> = (0..5).map(|_| normal(&mut rng)).collect();
    let logs: Vec<f64> = (0..8_usize)
        .map(|state| {
            let (mut mean, mut log) = (vec![0.0; 5], 0.0);
            for k in 0..3 {
                let p = (ones(k) + 1.0) / 10.0;
                if state >> k & 1 == 1 {
                    crate::linalg::axpy(1.0, features.row(k), &mut mean);
                    log += ln(p);
                } else {
                    log += ln(1.0 - p);
                }
            }
            log + log_normal(&column, &mean, &covariance)
        })
        .collect();
    let ours = log(&node.transposed(), &somewhere(&[0, 1, 3, 4, 5, 6, 7, 8]), &column, &mut rng);
    assert!((ours - log_sum_exp(&logs)).abs() < 1e-9);
}

/// The state of a walk that was not seen, given all those that were, by the dense joint covariance of all states.
#[test]
fn a_walk_is_conditioned_on_its_neighbours() {
    let mut rng = generator(43);
    let rows = [1, 2, 4, 7, 8];
    let data = Dimension::Data(steps(&rows));
    let cols = Dimension::Data(vec![1.0; 2]);
    let node = simulated(&parse("CG + G").expect("one"), &data, &cols, 1, &mut rng);
    let term = &sum(&node).terms[0];
    let variance = gaussian(&term.right).variance;
    let states = term.value();
    for t in [0, 3, 5, 6, 9, 12] {
        let covariance = |a: usize, b: usize| variance * (a.min(b) + 1) as f64;
        let seen = DMatrix::from_fn(5, 5, |a, b| covariance(rows[a], rows[b]));
        let across = DVector::from_fn(5, |a, _| covariance(rows[a], t));
        let weights = Cholesky::new(seen).expect("positive definite").solve(&across);
        let spread = covariance(t, t) - weights.dot(&across) + noise_variance(&node);
        let mean: Vec<f64> =
            (0..2).map(|col| (0..5).map(|a| weights[a] * states.at(a, col)).sum()).collect();
        let row = [normal(&mut rng), normal(&mut rng)];
        let exact = log_normal(&row, &mean, &(DMatrix::identity(2, 2) * spread));
        let ours = log(&node, &Place::new(t, &rows), &row, &mut rng);
        assert!((ours - exact).abs() < 1e-9 * exact.abs().max(1.0), "{t}: {ours} {exact}");
    }
}

/// A model with these choices of random vectors, far apart if wanted.
fn with_choices(
    blocks: &[(bool, usize)],
    width: usize,
    scale: f64,
    rng: &mut ChainRng,
) -> RowModel {
    let mut choice = |(is_one, count): &(bool, usize)| {
        let draws: Vec<f64> = (0..*count).map(|_| 0.1 + uniform(rng)).collect();
        let total: f64 = draws.iter().sum();
        let p = |draw: &f64| if *is_one { draw / total } else { draw / 1.2 };
        let mut vectors = normals(*count, width, rng);
        vectors.entries_mut().iter_mut().for_each(|entry| *entry *= scale);
        Choice { is_one: *is_one, probabilities: draws.iter().map(p).collect(), vectors }
    };
    let choices = blocks.iter().map(&mut choice).collect();
    let loadings = normals(2, width, rng);
    RowModel {
        mean: vec![0.0; width],
        noise: vec![0.5; width],
        loadings,
        choices,
        scaled: Vec::new(),
    }
}

/// ln p by adding up all states, each with a dense covariance.
fn enumerated(model: &RowModel, row: &[f64]) -> f64 {
    let loadings = dense(&model.loadings);
    let mut covariance = loadings.transpose() * loadings;
    (0..row.len()).for_each(|at| covariance[(at, at)] += model.noise[at]);
    let mut states = vec![(0.0, model.mean.clone())];
    for Choice { is_one, probabilities, vectors } in &model.choices {
        let mut all = Vec::new();
        let count = probabilities.len();
        for (log, mean) in states {
            let own = if *is_one {
                (0..count).map(|k| 1 << k).collect()
            } else {
                (0..1 << count).collect::<Vec<usize>>()
            };
            for state in own {
                let (mut log, mut mean) = (log, mean.clone());
                for k in 0..count {
                    if state >> k & 1 == 1 {
                        log += ln(probabilities[k]);
                        crate::linalg::axpy(1.0, vectors.row(k), &mut mean);
                    } else if !is_one {
                        log += ln(1.0 - probabilities[k]);
                    }
                }
                all.push((log, mean));
            }
        }
        states = all;
    }
    let logs: Vec<f64> =
        states.iter().map(|(log, mean)| log + log_normal(row, mean, &covariance)).collect();
    log_sum_exp(&logs)
}

#[test]
fn few_choices_are_added_up_and_many_are_bounded() {
    let mut rng = generator(44);
    for (blocks, is_exact) in [
        (vec![(true, 4)], true),
        (vec![(true, 3), (false, 3)], true),
        (vec![(false, 5), (true, 2), (true, 2)], true),
        (vec![(false, 13)], false),
        (vec![(true, 5), (false, 11)], false),
    ] {
        for scale in [0.3, 1.0] {
            let model = with_choices(&blocks, 20, scale, &mut rng);
            let row: Vec<f64> = (0..20).map(|_| normal(&mut rng)).collect();
            let (ours, exact) =
                (RowDensity::new(&model).log(&row, ANNEALING, &mut rng), enumerated(&model, &row));
            if is_exact {
                assert!((ours - exact).abs() < 1e-9 * exact.abs(), "{blocks:?}: {ours} {exact}");
            } else {
                assert!(ours < exact + 1e-9 && ours > exact - 5.0, "{blocks:?}: {ours} {exact}");
            }
        }
    }
    // Where one state is far more probable than all others, the bound is the value.
    let model = with_choices(&[(false, 13)], 20, 30.0, &mut rng);
    let mut row = vec![0.1; 20];
    crate::linalg::axpy(1.0, model.choices[0].vectors.row(3), &mut row);
    let (ours, exact) =
        (RowDensity::new(&model).log(&row, ANNEALING, &mut rng), enumerated(&model, &row));
    assert!(ours < exact + 1e-9 && ours > exact - 1e-6, "{ours} {exact}");
}

/// Estimates with scales average to the integral over the scale, a sum over a fine grid.
#[test]
fn scales_are_integrated_out_without_bias() {
    let mut rng = generator(45);
    for blocks in [vec![], vec![(true, 3)]] {
        let mut model = with_choices(&blocks, 4, 1.0, &mut rng);
        let vectors = normals(1, 4, &mut rng);
        let (mean, deviation) = (-0.3, 0.8);
        model.scaled = vec![Scaled {
            vectors: vectors.clone(),
            mean: vec![mean],
            covariance: Matrix::new(1, 1, vec![deviation * deviation]),
        }];
        let row: Vec<f64> = (0..4).map(|_| 1.5 * normal(&mut rng)).collect();
        let grid: Vec<f64> = (-400..=400).map(|at| 0.02 * f64::from(at)).collect();
        let logs: Vec<f64> = grid
            .iter()
            .map(|x| {
                let mut given = RowModel { scaled: Vec::new(), ..model.clone() };
                let scaled =
                    Matrix::from_fn(1, 4, |_, col| exp(mean + deviation * x) * vectors.at(0, col));
                given.loadings = given.loadings.stacked(&scaled);
                ln(0.02) - 0.5 * (x * x + ln(TAU)) + enumerated(&given, &row)
            })
            .collect();
        let exact = log_sum_exp(&logs);
        let density = RowDensity::new(&model);
        let ratios: Vec<f64> = (0..2000)
            .map(|_| exp(density.log(&row, Annealing { num_steps: 2 }, &mut rng) - exact))
            .collect();
        let mean = ratios.iter().sum::<f64>() / 2000.0;
        let variance = ratios.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / 1999.0;
        let error = (variance / 2000.0).sqrt();
        assert!(error < 0.03 && (mean - 1.0).abs() < 6.0 * error, "{mean} ± {error}");
    }
}

/// More scales than can be integrated out are taken as Gaussian numbers of the same variance.
#[test]
fn many_scales_are_gaussian() {
    let mut rng = generator(46);
    let mut model = with_choices(&[], 80, 1.0, &mut rng);
    let identity = |row, col| f64::from(u8::from(row == col));
    model.scaled = vec![Scaled {
        vectors: Matrix::from_fn(80, 80, identity),
        mean: vec![-0.3; 80],
        covariance: Matrix::from_fn(80, 80, |row, col| 0.2 * identity(row, col)),
    }];
    let row: Vec<f64> = (0..80).map(|_| normal(&mut rng)).collect();
    let density = RowDensity::new(&model);
    let matched =
        RowModel { noise: vec![0.5 + exp(2.0 * (-0.3 + 0.2)); 80], scaled: Vec::new(), ..model };
    let (ours, exact) = (density.log(&row, ANNEALING, &mut rng), enumerated(&matched, &row));
    assert!((ours - exact).abs() < 1e-9 * exact.abs(), "{ours} {exact}");
}

/// A scale so uncertain that the Gaussian vector of the same covariance would drown the noise, beside scales that are known.
#[test]
fn a_scale_of_great_variance_keeps_its_density() {
    let mut rng = generator(52);
    let (width, noise, num_known) = (81, 0.01, 11);
    for variance in [1.0, 20.0] {
        let vectors = normals(1 + num_known, width, &mut rng);
        let covariance = Matrix::from_fn(1 + num_known, 1 + num_known, |row, col| {
            if row == 0 && col == 0 { variance } else { 0.0 }
        });
        let mean = vec![0.0; 1 + num_known];
        let model = RowModel {
            mean: vec![0.0; width],
            noise: vec![noise; width],
            loadings: Matrix::zeros(0, width),
            choices: Vec::new(),
            scaled: vec![Scaled { vectors: vectors.clone(), mean, covariance }],
        };
        let row = DVector::from_fn(width, |col, _| {
            let all = vectors.rows().enumerate();
            let sum: f64 = all.map(|(at, v)| if at == 0 { 1.7 } else { 0.5 } * v[col]).sum();
            sum + noise.sqrt() * normal(&mut rng)
        });

        // ln ∫ N(z; 0, variance) N(row; 0, Σ + e²ᶻ v vᵀ) dz, with the density by Sherman and Morrison's formula.
        let known = dense(&vectors).rows(1, num_known).transpose();
        let sigma = &known * known.transpose() + DMatrix::identity(width, width) * noise;
        let factor = Cholesky::new(sigma.clone()).expect("positive definite");
        let v = DVector::from_column_slice(vectors.row(0));
        let (vv, vx) = (v.dot(&factor.solve(&v)), v.dot(&factor.solve(&row)));
        let without = log_normal(row.as_slice(), &vec![0.0; width], &sigma);
        let integrand = |z: f64| {
            let scale = exp(2.0 * z);
            let gain = 0.5 * (scale * vx * vx / (1.0 + scale * vv) - ln(1.0 + scale * vv));
            without + gain - 0.5 * (z * z / variance + ln(TAU * variance))
        };
        let step = 0.01;
        let points: Vec<f64> = (-4000..4000).map(|at| integrand(f64::from(at) * step)).collect();
        let truth = log_sum_exp(&points) + ln(step);

        let density = RowDensity::new(&model);
        let logs: Vec<f64> =
            (0..400).map(|_| density.log(row.as_slice(), ANNEALING, &mut rng)).collect();
        let found = log_sum_exp(&logs) - ln(logs.len() as f64);
        assert!((found - truth).abs() < 0.1, "variance {variance}: {found}, and exactly {truth}");
    }
}

#[test]
fn rounding_leaves_a_density() {
    let mut rng = generator(53);
    for trial in 0..300 {
        let few = normals(12, 30, &mut rng);
        let vectors = Matrix::from_fn(12, 81, |row, col| few.at(row, (col * col + trial) % 30));
        let covariance = Matrix::from_fn(12, 12, |row, col| match (row, col) {
            (5, 5) => 20.0,
            (row, col) if row == col => 0.1 * row as f64,
            _ => 0.0,
        });
        let scaled = vec![Scaled { vectors, mean: vec![0.0; 12], covariance }];
        let model = RowModel {
            mean: vec![0.0; 81],
            noise: vec![0.009; 81],
            loadings: Matrix::zeros(0, 81),
            choices: Vec::new(),
            scaled,
        };
        let row: Vec<f64> = (0..81).map(|_| normal(&mut rng)).collect();
        let log = RowDensity::new(&model).log(&row, Annealing { num_steps: 1 }, &mut rng);
        assert!(log.is_finite(), "trial {trial}: {log}");
    }
}
