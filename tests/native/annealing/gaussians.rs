//! Paths of Gaussians, with perfect transitions as theory has them.

use super::*;
use unnorm::energy::Energy;
use unnorm::linalg::{Batch, dot};
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::normalize::gaussian_path::{GaussianPath, GaussianPathKind};

const KINDS: [GaussianPathKind; 2] = [GaussianPathKind::Geometric, GaussianPathKind::Moments];

fn gaussian(mean: &[f64], covariance: &[f64]) -> Gaussian {
    let spec = GaussianSpec {
        dim: mean.len(),
        mean: Some(mean.to_vec()),
        precision: None,
        covariance: Some(covariance.to_vec()),
    };
    spec.build().unwrap()
}

/// The two of section 5.1.
fn distant() -> [Gaussian; 2] {
    [
        gaussian(&[-10.0, 0.0], &[1.0, -0.85, -0.85, 1.0]),
        gaussian(&[10.0, 0.0], &[1.0, 0.85, 0.85, 1.0]),
    ]
}

fn path(ends: [Gaussian; 2], kind: GaussianPathKind) -> GaussianPath {
    let [reference, target] = ends;
    GaussianPath::new(reference, target, kind).unwrap()
}

/// Section 5.1 with perfect transitions: the mean log weight is −725.93/K along both
/// paths, at every K.
#[test]
fn mean_log_weights_are_those_of_theory() {
    for kind in KINDS {
        let cost = path(distant(), kind).cost(0.0, 1.0);
        assert!((0.5 * cost - 725.93).abs() < 0.005, "{cost}");
        for num_distributions in [1, 5, 25, 100] {
            let path = Path::Gaussians(path(distant(), kind));
            let plan = annealing_plan(path, Moves::Perfect, num_distributions, 1.0);
            let (population, _) = run(&plan, None, 5000);
            let (mean, error) = mean(population.log_weights.iter().copied());
            let expected = -0.5 * cost / num_distributions as f64;
            assert!(
                (mean - expected).abs() < MAX_ERRORS * error,
                "{kind:?}, K = {num_distributions}: {mean} ± {error}, not {expected}"
            );
        }
    }
}

/// What the best schedule leaves is half of the square of the path's length, which many short
/// bins measure. With equal covariances the geometric path's is the linear schedule's.
#[test]
fn best_schedules_tell_the_paths_apart() {
    let best = |ends: [Gaussian; 2], kind| {
        let path = path(ends, kind);
        let edge = |bin: u32| f64::from(bin) / 8192.0;
        let length: f64 = (0..8192).map(|bin| path.cost(edge(bin), edge(bin + 1)).sqrt()).sum();
        0.5 * length * length
    };
    assert!((best(distant(), GaussianPathKind::Geometric) - 413.50).abs() < 0.01);
    assert!((best(distant(), GaussianPathKind::Moments) - 45.29).abs() < 0.01);
    let equal = [[-3.0, 0.0], [4.0, 1.0]].map(|mean| gaussian(&mean, &[1.0, 0.4, 0.4, 2.0]));
    let linear = 0.5 * path(equal.clone(), GaussianPathKind::Geometric).cost(0.0, 1.0);
    assert!((best(equal, GaussianPathKind::Geometric) / linear - 1.0).abs() < 1e-6);
}

fn kullback_leibler(p: &Gaussian, q: &Gaussian) -> f64 {
    let dim = p.dim();
    let covariance = p.covariance();
    let off: Vec<f64> = q.mean().iter().zip(p.mean()).map(|(q, p)| q - p).collect();
    let pulls = q.precision().chunks_exact(dim).map(|line| dot(line, &off));
    let square: f64 = pulls.zip(&off).map(|(pull, off)| pull * off).sum();
    let trace: f64 =
        (0..dim * dim).map(|at| q.precision()[at] * covariance[at % dim * dim + at / dim]).sum();
    0.5 * (trace + square - dim as f64) + q.log_z() - p.log_z()
}

/// The cost is the divergence both ways, anywhere on the path; and half of those of
/// evenly spaced parts add up to 1/K of half of the whole's, along geometric averages.
#[test]
fn costs_are_symmetrized_divergences() {
    let ends = [
        gaussian(&[0.5, -1.0, 0.2], &[1.0, 0.3, 0.0, 0.3, 2.0, 0.1, 0.0, 0.1, 0.5]),
        gaussian(&[-1.0, 2.0, 0.0], &[3.0, -0.3, 1.0, -0.3, 1.0, 0.1, 1.0, 0.1, 0.9]),
    ];
    for kind in KINDS {
        let path = path(ends.clone(), kind);
        for [from, to] in [[0.0, 1.0], [0.2, 0.7], [0.9, 0.1]] {
            let [p, q] = [path.at(from), path.at(to)];
            let expected = kullback_leibler(&p, &q) + kullback_leibler(&q, &p);
            let cost = path.cost(from, to);
            assert!((cost - expected).abs() < 1e-11 * expected, "{cost} {expected}");
        }
        // Linear in natural parameters, or in moments: both ways to divide the cost evenly.
        let parts: f64 =
            (0..8).map(|k| path.cost(f64::from(k) / 8.0, f64::from(k + 1) / 8.0)).sum();
        assert!((8.0 * parts - path.cost(0.0, 1.0)).abs() < 1e-9 * parts, "{kind:?}: {parts}");
    }
}

/// The energy on the geometric path is the average but for a constant; means and
/// second moments on the other are averages.
#[test]
fn gaussians_on_the_way_are_averages() {
    let ends = distant();
    let beta = 0.3;
    let middle = path(ends.clone(), GaussianPathKind::Geometric).at(beta);
    let energy = |model: &Gaussian, x: &[f64]| {
        let mut energy = [0.0];
        model.energy(Batch::new(2, x), &mut energy);
        energy[0]
    };
    let constant = |x: &[f64]| {
        (1.0 - beta) * energy(&ends[0], x) + beta * energy(&ends[1], x) - energy(&middle, x)
    };
    assert!((constant(&[0.3, -2.0]) - constant(&[-7.0, 4.0])).abs() < 1e-9);

    let middle = path(ends.clone(), GaussianPathKind::Moments).at(beta);
    for i in 0..2 {
        for j in 0..2 {
            let second = |model: &Gaussian| {
                model.covariance()[2 * i + j] + model.mean()[i] * model.mean()[j]
            };
            let expected = (1.0 - beta) * second(&ends[0]) + beta * second(&ends[1]);
            assert!((second(&middle) - expected).abs() < 1e-9, "{i} {j}");
        }
        let expected = (1.0 - beta) * ends[0].mean()[i] + beta * ends[1].mean()[i];
        assert!((middle.mean()[i] - expected).abs() < 1e-12);
    }
}

/// Both paths with all moves, there and back.
#[test]
fn weights_have_the_right_mean_along_both_paths() {
    let ends = || {
        [
            gaussian(&[0.0, 0.3], &[1.0, 0.4, 0.4, 1.0]),
            gaussian(&[1.0, -0.4], &[0.6, -0.2, -0.2, 0.5]),
        ]
    };
    let [_, target] = ends();
    let mut moves = continuous_moves();
    moves.push(("perfect", Moves::Perfect));
    moves.push(("Gibbs", gibbs(Scan::Systematic)));
    moves.push(("random scan", gibbs(Scan::Random)));
    for kind in KINDS {
        for (name, moves) in &moves {
            let path = Path::Gaussians(path(ends(), kind));
            let plan = annealing_plan(path, moves.clone(), 3, 0.6);
            let name = format!("{name}, {kind:?}");
            check_both_ways(&name, &plan, target.log_z(), &draws(&target, 20_000), false);
        }
    }
}

/// The trapezoid rule's terms are known for Gaussians of one dimension with perfect
/// transitions, and its error falls with the square of the distance.
#[test]
fn integrals_are_those_of_the_trapezoid_rule() {
    let ends = || [gaussian(&[0.0], &[1.0]), gaussian(&[1.0], &[0.1])];
    let truth = ends()[1].log_z() - ends()[0].log_z();
    let mut errors = Vec::new();
    for num_distributions in [4, 8, 16] {
        let path = path(ends(), GaussianPathKind::Geometric);
        // E_β of ½ x² − ½ (x − 1)² / 0.1, which is −∂E/∂β of the averages.
        let slope = |beta: f64| {
            let gaussian = path.at(beta);
            let (mean, variance) = (gaussian.mean()[0], gaussian.covariance()[0]);
            let square = |center: f64| variance + (mean - center) * (mean - center);
            0.5 * square(0.0) - 5.0 * square(1.0)
        };
        let terms = linear(num_distributions);
        let expected: f64 = terms
            .windows(2)
            .map(|two| 0.5 * (two[1] - two[0]) * (slope(two[0]) + slope(two[1])))
            .sum();
        let plan = annealing_plan(Path::Gaussians(path), Moves::Perfect, num_distributions, 1.0);
        let exact = draws(&ends()[1], 20_000);
        for start in [None, Some(&exact)] {
            let (population, _) = run(&plan, start, 20_000);
            let (mean, error) = mean(population.integrals.iter().copied());
            assert!(
                (mean - expected).abs() < MAX_ERRORS * error,
                "{mean} ± {error}, not {expected}"
            );
            assert!(error < 0.02, "{error}");
        }
        errors.push(expected - truth);
    }
    assert!(errors[0].abs() > 0.1, "{errors:?}");
    for two in errors.windows(2) {
        let ratio = two[0] / two[1];
        assert!(ratio > 2.5 && ratio < 5.0, "{errors:?}");
    }
}
