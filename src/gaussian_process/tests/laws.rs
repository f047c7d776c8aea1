//! Values and gradients against their definitions, by nalgebra's factorization.

use super::{EXAMPLES, generator, kernel, leaf, series};
use crate::base::Family;
use crate::covariance::value;
use crate::expression::Kernel;
use crate::factor::Factor;
use crate::marginal_likelihood::{evaluate, independent, negative_log_evidence};
use crate::math::{LN_SQRT_2_PI, ln, sin_cos};
use crate::params::{pack, unpack};
use crate::posterior::Posterior;
use crate::rng::{normal, uniform};
use crate::series::{Series, noise_variance};
use nalgebra::{Cholesky, DMatrix, DVector};

/// The covariance of the rows with noise, by its definition.
fn dense(kernel: &Kernel, series: &Series, noise: f64) -> DMatrix<f64> {
    let rows: Vec<&[f64]> = series.inputs.rows().collect();
    DMatrix::from_fn(rows.len(), rows.len(), |i, j| {
        value(kernel, rows[i], rows[j]) + if i == j { noise } else { 0.0 }
    })
}

#[test]
fn factors_and_inverses_of_all_sizes() {
    let mut rng = generator(2);
    for size in [1, 2, 31, 32, 33, 64, 100, 133] {
        let root = DMatrix::from_fn(size, size, |_, _| normal(&mut rng));
        let matrix = root.transpose() * &root + DMatrix::identity(size, size);
        let factor = Factor::new(size, matrix.as_slice().to_vec()).expect("positive definite");
        let theirs = Cholesky::new(matrix.clone()).expect("positive definite");
        let ln_det: f64 = theirs.l().diagonal().iter().map(|entry| 2.0 * ln(*entry)).sum();
        assert!((factor.ln_det() - ln_det).abs() < 1e-9, "{size}");
        let inverse = theirs.inverse();
        let ours = factor.inverse();
        let upper = ours.upper_inverse();
        for i in 0..size {
            for j in i..size {
                assert!((upper[i * size + j] - inverse[(i, j)]).abs() < 1e-10, "{size} {i} {j}");
            }
        }
        let b = DMatrix::from_fn(size, 3, |_, _| normal(&mut rng));
        let solved = factor.solve(b.column(0).as_slice());
        let expected = &inverse * &b;
        assert!((0..size).all(|i| (solved[i] - expected[(i, 0)]).abs() < 1e-9));
        let squares = ours.squares(b.transpose().as_slice(), 3);
        for (c, square) in squares.into_iter().enumerate() {
            let expected = b.column(c).dot(&expected.column(c));
            assert!((square - expected).abs() < 1e-9 * expected.max(1.0));
        }
    }
}

#[test]
fn what_is_not_positive_definite_has_no_factor() {
    assert!(Factor::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    assert!(Factor::new(2, vec![1.0, f64::NAN, f64::NAN, 1.0]).is_none());
    let size = 50;
    let zero_at_40 = |at: usize| if at / size == at % size && at / size != 40 { 1.0 } else { 0.0 };
    assert!(Factor::new(size, (0..size * size).map(zero_at_40).collect()).is_none());
}

#[test]
fn evidence_by_its_definition() {
    for (at, (text, num_inputs)) in EXAMPLES.into_iter().enumerate() {
        for is_grid in [false, true] {
            let mut rng = generator(10 + at as u64);
            let series = series(num_inputs, 40, is_grid, &mut rng);
            let kernel = kernel(text, &mut rng);
            let factor = Cholesky::new(dense(&kernel, &series, 0.3)).expect("positive definite");
            let y = DVector::from_column_slice(&series.values);
            let ln_det: f64 = factor.l().diagonal().iter().map(|entry| 2.0 * ln(*entry)).sum();
            let expected = 0.5 * y.dot(&factor.solve(&y)) + 0.5 * ln_det + 40.0 * LN_SQRT_2_PI;
            let ours = negative_log_evidence(&series, &kernel, 0.3).expect("positive definite");
            assert!((ours - expected).abs() < 1e-9, "{text} {ours} {expected}");
        }
    }
}

#[test]
fn gradients_by_differences() {
    for (at, (text, num_inputs)) in EXAMPLES.into_iter().enumerate() {
        for is_grid in [false, true] {
            let mut rng = generator(30 + at as u64);
            let series = series(num_inputs, 40, is_grid, &mut rng);
            let kernel = kernel(text, &mut rng);
            let mut params = pack(&kernel, &series);
            params.push(-1.0);
            let (_, gradient) = evaluate(&series, &kernel, &params);
            assert_eq!(gradient.len(), params.len());
            for entry in 0..params.len() {
                let at = |step: f64| {
                    let mut moved = params.clone();
                    moved[entry] += step;
                    evaluate(&series, &kernel, &moved).0
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (gradient[entry] - difference).abs();
                assert!(error < 1e-5 * difference.abs().max(1.0), "{text} {entry} {error}");
            }
        }
    }
}

#[test]
fn parameters_come_back() {
    for (at, (text, num_inputs)) in EXAMPLES.into_iter().enumerate() {
        let mut rng = generator(50 + at as u64);
        let series = series(num_inputs, 40, false, &mut rng);
        let kernel = kernel(text, &mut rng);
        let params = pack(&kernel, &series);
        let again = unpack(&kernel, &series, &params).expect("within reach");
        for (a, b) in kernel.leaves().into_iter().zip(again.leaves()) {
            assert!((a.shape[1] - b.shape[1]).abs() < 1e-12 && a.ln_scale == b.ln_scale);
        }
        assert_eq!(params.len(), crate::params::num_params(&kernel.shape()));
    }
    let mut rng = generator(60);
    let series = series(1, 40, false, &mut rng);
    let kernel = kernel("SE", &mut rng);
    assert!(unpack(&kernel, &series, &[0.0, 31.0]).is_none());
    assert!(unpack(&kernel, &series, &[0.0, f64::NAN]).is_none());
    assert_eq!(evaluate(&series, &kernel, &[0.0, 31.0, 0.0]).0, f64::INFINITY);
}

/// Points so far apart that no two are correlated: the values are independent.
#[test]
fn far_points_are_independent() {
    let mut rng = generator(61);
    let series = series(1, 40, true, &mut rng);
    let apart = leaf(Family::Se, 0.7, [ln(1e-4), 0.0]);
    // But the two rows at the same input are.
    let y = &series.values;
    let (variance, covariance) = (1.0, 0.7);
    let pair = [y[0], y[39]];
    let det = variance * variance - covariance * covariance;
    let square = (variance * (pair[0] * pair[0] + pair[1] * pair[1])
        - 2.0 * covariance * pair[0] * pair[1])
        / det;
    let others: f64 = y[1..39].iter().map(|y| y * y / variance).sum();
    let expected = 0.5 * (square + others + ln(det)) + 40.0 * LN_SQRT_2_PI;
    let ours = negative_log_evidence(&series, &apart, 0.3).expect("positive definite");
    assert!((ours - expected).abs() < 1e-9, "{ours} {expected}");
    let flat = leaf(Family::Se, 1e-13, [ln(0.1), 0.0]);
    let noise = negative_log_evidence(&series, &flat, 1.0).expect("positive definite");
    assert!((series.log_evidence(noise) - independent(&series).0).abs() < 1e-9);
}

#[test]
fn components_and_noise_add_up_to_the_values() {
    for (at, (text, num_inputs)) in EXAMPLES.into_iter().enumerate() {
        for noise in [0.3, noise_variance(-40.0)] {
            let mut rng = generator(70 + at as u64);
            let mut series = series(num_inputs, 40, false, &mut rng);
            let kernel = kernel(text, &mut rng);
            // A draw of the process, so that little noise is enough.
            let factor = Cholesky::new(dense(&kernel, &series, noise)).expect("positive definite");
            let white = DVector::from_fn(40, |_, _| normal(&mut rng));
            series.values = (factor.l() * white).as_slice().to_vec();
            let posterior = Posterior::new(&series, &kernel, noise).expect("positive definite");
            let mut sum = posterior.noise();
            for part in kernel.components() {
                let means = posterior.means(&series, &part);
                sum.iter_mut().zip(means).for_each(|(sum, mean)| *sum += mean);
            }
            for (sum, value) in sum.iter().zip(&series.values) {
                assert!((sum - value).abs() < 1e-8, "{text} {noise}: {sum} {value}");
            }
        }
    }
}

/// The joint distribution of a component at new rows and the values, conditioned on the values as any Gaussian is.
#[test]
fn components_by_the_dense_conditional() {
    for (at, (text, num_inputs)) in EXAMPLES.into_iter().enumerate() {
        let mut rng = generator(90 + at as u64);
        let series = series(num_inputs, 40, false, &mut rng);
        let kernel = kernel(text, &mut rng);
        let rows: Vec<f64> = (0..7 * num_inputs).map(|_| 1.5 * uniform(&mut rng)).collect();
        let posterior = Posterior::new(&series, &kernel, 0.3).expect("positive definite");
        let inverse = dense(&kernel, &series, 0.3).try_inverse().expect("positive definite");
        let y = DVector::from_column_slice(&series.values);
        for part in [vec![kernel.clone()], kernel.components()].concat() {
            let ours = posterior.marginals(&series, &part, &rows);
            for (at, row) in rows.chunks_exact(num_inputs).enumerate() {
                let cross = series.inputs.rows().map(|x| value(&part, x, row));
                let cross = DVector::from_iterator(40, cross);
                let mean = cross.dot(&(&inverse * &y));
                let variance = value(&part, row, row) - cross.dot(&(&inverse * &cross));
                assert!((ours.means[at] - mean).abs() < 1e-9, "{text}");
                assert!((ours.variances[at] - variance.max(0.0)).abs() < 1e-9, "{text}");
            }
        }
    }
}

#[test]
fn sines_and_cosines_together_have_their_bits() {
    let mut rng = generator(3);
    for _ in 0..10_000 {
        let x = 1000.0 * normal(&mut rng);
        assert_eq!(sin_cos(x), (crate::math::sin(x), crate::math::cos(x)));
    }
}
