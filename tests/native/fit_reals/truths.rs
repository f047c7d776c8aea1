//! What is known of the minima, and of one objective as a limit of another.

use super::{draws, mean_and_error, normals, student_t, value_and_grad};
use crate::common::{fitted, job_of};
use serde_json::{Value, json};
use unnorm::fit::FitResult;
use unnorm::fit::reals::ball::BallFlow;
use unnorm::fit::reals::maximum_likelihood::MaximumLikelihood;
use unnorm::fit::reals::score_matching::ScoreMatching;
use unnorm::fit::reals::sliced::SlicedScoreMatching;
use unnorm::linalg::{Batch, dot};
use unnorm::math::{digamma, ln};
use unnorm::models::ModelSpec;

fn fit(model: &Value, states: &[f64], objective: &Value) -> FitResult {
    let spec = json!({
        "verb": "fit", "model": model, "states": states, "objective": objective, "seed": 4,
        "optimizer": {"kind": "lbfgs", "tolerance": 1e-14},
    });
    fitted(job_of(&spec, None).expect("a sound job"))
}

/// Mean and covariance of rows of three.
fn moments(rows: &[f64]) -> (Vec<f64>, nalgebra::DMatrix<f64>) {
    let matrix = nalgebra::DMatrix::from_column_slice(3, rows.len() / 3, rows);
    let mean = matrix.column_mean();
    let mut centred = matrix;
    centred.column_iter_mut().for_each(|mut row| row -= &mean);
    let covariance = &centred * centred.transpose() / (rows.len() / 3) as f64;
    (mean.as_slice().to_vec(), covariance)
}

/// Correlated rows of three.
fn correlated(count: usize) -> Vec<f64> {
    let normals = normals(3 * count, 70);
    let mix =
        |x: &[f64]| [1.0 + x[0], x[0] - 0.5 * x[1] - 2.0, 0.3 * x[0] + 0.4 * x[1] + 0.7 * x[2]];
    normals.chunks_exact(3).flat_map(mix).collect()
}

fn assert_gaussian(result: &FitResult, mean: &[f64], precision: &[f64], tolerances: [f64; 2]) {
    let ModelSpec::Gaussian(found) = &result.model else { panic!("not a Gaussian") };
    let found =
        [found.mean.as_deref(), found.precision.as_deref()].map(|found| found.expect("all"));
    let pairs = [(found[0], mean), (found[1], precision)].into_iter().zip(tolerances);
    for ((found, expected), tolerance) in pairs {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < tolerance, "{found} {expected}");
        }
    }
}

/// Of a Gaussian, maximum likelihood and score matching are both solved by the moments of the data.
#[test]
fn scores_of_a_gaussian_match_where_its_likelihood_is_greatest() {
    let rows = correlated(600);
    let (mean, covariance) = moments(&rows);
    let precision = covariance.try_inverse().expect("an inverse");
    let model = json!({"kind": "gaussian", "dim": 3});
    for objective in [json!({"kind": "maximumLikelihood"}), json!({"kind": "scoreMatching"})] {
        let result = fit(&model, &rows, &objective);
        assert_gaussian(&result, &mean, precision.as_slice(), [1e-5; 2]);
    }
    // Its value there: entropy of the Gaussian, −½ tr Λ.
    let found = fit(&model, &rows, &json!({"kind": "scoreMatching"})).objective;
    assert!((found + 0.5 * precision.trace()).abs() < 1e-8);
}

/// Of Student's t distribution maximum likelihood solves the equations of Liu and Rubin (1995): with weights
/// `w = (ν + D)/(ν + q)` of the rows, μ is their weighted mean, Λ⁻¹ the weighted mean square about it, and
/// `ln(ν/2) − ψ(ν/2) − ln((ν + D)/2) + ψ((ν + D)/2) + 1 + mean of (ln w − w) = 0`. A row at 10⁶ moves μ by little.
#[test]
fn student_t_solves_the_equations_of_its_likelihood() {
    let spec = json!({"kind": "studentT", "dim": 3, "degreesOfFreedom": 4.0, "mean": [1.0, -2.0, 0.5],
        "precision": [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]});
    let model: ModelSpec = serde_json::from_value(spec).expect("a spec");
    let mut rows = draws(&*model.build().expect("sound"), 600, 74);
    let fitted = |rows: &[f64]| {
        let model = json!({"kind": "studentT", "dim": 3});
        let result = fit(&model, rows, &json!({"kind": "maximumLikelihood"}));
        let ModelSpec::StudentT(found) = result.model else { panic!("another kind") };
        found
    };
    let found = fitted(&rows);
    let degrees = found.degrees_of_freedom;
    let mean = nalgebra::DVector::from_vec(found.mean.expect("all"));
    let precision = nalgebra::DMatrix::from_vec(3, 3, found.precision.expect("all"));
    let (mut sum, mut pull, mut scale, mut of_degrees) =
        (0.0, nalgebra::DVector::zeros(3), nalgebra::DMatrix::zeros(3, 3), 0.0);
    for row in rows.chunks_exact(3) {
        let off = nalgebra::DVector::from_column_slice(row) - &mean;
        let weight = (degrees + 3.0) / (degrees + off.dot(&(&precision * &off)));
        sum += weight;
        pull += weight * &off;
        scale += weight / 600.0 * &off * off.transpose();
        of_degrees += (ln(weight) - weight) / 600.0;
    }
    assert!((pull / sum).amax() < 1e-5);
    assert!((scale * precision - nalgebra::DMatrix::<f64>::identity(3, 3)).amax() < 1e-4);
    let of = |half: f64| digamma(half) - ln(half);
    let balance = of(0.5 * (degrees + 3.0)) - of(0.5 * degrees) + 1.0 + of_degrees;
    assert!(balance.abs() < 1e-6, "{balance}");
    // The standard error of ln ν is some 0.2 here.
    assert!((2.0..8.0).contains(&degrees), "{degrees}");
    rows[..3].copy_from_slice(&[1e6; 3]);
    let moved = fitted(&rows).mean.expect("all");
    assert!(moved.iter().zip(&mean).all(|(moved, mean)| (moved - mean).abs() < 0.05), "{moved:?}");
}

/// With the data's covariance C the minimum is at C + σ²I. What is left is the noise of 24,000
/// draws, a regression's of n on x + σn: the standard error of an entry of Λ is below
/// 1/(σ² √24,000) = 0.013, and that of the mean below λ/(σ √24,000) = 0.028, λ = 3 being above the
/// eigenvalues of C + σ²I. Six of them have a false-alarm rate below 1e-6.
#[test]
fn denoising_finds_the_density_with_the_noise() {
    let rows = correlated(600);
    let (mean, mut covariance) = moments(&rows);
    let noise = 0.7;
    (0..3).for_each(|d| covariance[(d, d)] += noise * noise);
    assert!(covariance.symmetric_eigenvalues().max() < 3.0);
    let precision = covariance.try_inverse().expect("an inverse");
    let objective = json!({"kind": "denoisingScoreMatching", "noise": noise, "numSamples": 40});
    let result = fit(&json!({"kind": "gaussian", "dim": 3}), &rows, &objective);
    assert_gaussian(&result, &mean, precision.as_slice(), [0.17, 0.079]);
}

/// With the energy E(x)/σ at noise σ a Gaussian's best precision is `E[σ] (C + E[σ²] I)⁻¹`: of one
/// noise, σ times that of the density with this noise. The draws' errors are those of the test above
/// but for the spread of σ, which adds as much at most.
#[test]
fn denoising_at_several_noises_is_their_compromise() {
    let rows = correlated(600);
    let (mean, covariance) = moments(&rows);
    for noises in [vec![0.7], vec![0.9, 0.6]] {
        let share = 1.0 / noises.len() as f64;
        let mean_noise: f64 = noises.iter().map(|noise| share * noise).sum();
        let mean_square: f64 = noises.iter().map(|noise| share * noise * noise).sum();
        let mut inflated = covariance.clone();
        (0..3).for_each(|d| inflated[(d, d)] += mean_square);
        assert!(inflated.symmetric_eigenvalues().max() < 3.0);
        let precision = inflated.try_inverse().expect("an inverse") * mean_noise;
        let objective =
            json!({"kind": "denoisingScoreMatching", "noises": noises, "numSamples": 40});
        let result = fit(&json!({"kind": "gaussian", "dim": 3}), &rows, &objective);
        assert_gaussian(&result, &mean, precision.as_slice(), [0.17 * 1.5, 0.079 * 1.5]);
    }
}

/// The mean over directions is the exact objective, and so is its gradient; the noise falls as the
/// root of the number of directions. Six standard errors, of 40 seeds: a false-alarm rate of 1e-6.
#[test]
fn slices_add_up_to_the_whole() {
    let model = student_t();
    let rows = normals(40 * 2, 71);
    let (exact, exact_grad) = value_and_grad(&*model, &rows, ScoreMatching);
    let probe = normals(exact_grad.len(), 72);
    let exact = [exact, dot(&probe, &exact_grad)];
    let errors = [2, 32].map(|num_slices| {
        let found: Vec<_> = (0..40)
            .map(|seed| {
                let batch = Batch::new(2, &rows);
                let loss = SlicedScoreMatching::new(&*model, batch, num_slices, seed);
                let (value, grad) =
                    value_and_grad(&*model, &rows, loss.expect("a sound objective"));
                [value, dot(&probe, &grad)]
            })
            .collect();
        [0, 1].map(|which| {
            let numbers: Vec<f64> = found.iter().map(|found| found[which]).collect();
            let (mean, error) = mean_and_error(&numbers);
            assert!((mean - exact[which]).abs() < 6.0 * error, "{mean} {} {error}", exact[which]);
            error
        })
    });
    // Of a ratio of 4 the standard error is 16 %: six of them are a factor of 2.7.
    for which in [0, 1] {
        let ratio = errors[0][which] / errors[1][which];
        assert!((1.5..11.0).contains(&ratio), "{ratio}");
    }
}

/// K = 1 + r²/(4(D + 2)) [K_SM + O(r²)]: what is left of K_SM falls with r², so that halving r
/// quarters it; and in the limit the mean over draws is K_SM.
#[test]
fn flow_within_a_ball_becomes_score_matching() {
    let model = student_t();
    let rows = normals(40 * 2, 73);
    let (exact, exact_grad) = value_and_grad(&*model, &rows, ScoreMatching);
    let probe = normals(exact_grad.len(), 72);
    let exact = [exact, dot(&probe, &exact_grad)];
    // The same draws at every radius, but for their scale.
    let scaled = |radius: f64, seed: u64| {
        let loss = BallFlow::new(radius, 20, seed);
        let (value, grad) = value_and_grad(&*model, &rows, loss);
        let factor = 4.0 * 4.0 / (radius * radius);
        [factor * (value - 1.0), factor * dot(&probe, &grad)]
    };
    let all: Vec<_> = (0..40).map(|seed| [0.04, 0.02, 0.01].map(|r| scaled(r, seed))).collect();
    for which in [0, 1] {
        let sum = |one: usize, other: usize| -> f64 {
            all.iter().map(|found| found[one][which] - found[other][which]).sum()
        };
        let rate = sum(0, 1) / sum(1, 2);
        // In the limit r = 0, by what is known of the rate.
        let limits = all
            .iter()
            .map(|[_, half, quarter]| quarter[which] + (quarter[which] - half[which]) / 3.0);
        let (mean, error) = mean_and_error(&limits.collect::<Vec<_>>());
        println!("{mean} ± {error}, exactly {}; rate {rate}", exact[which]);
        assert!((rate - 4.0).abs() < 0.1, "{rate}");
        assert!((mean - exact[which]).abs() < 6.0 * error, "{mean} {} {error}", exact[which]);
    }
}

/// Draws of a model, fitted from elsewhere, are as likely as under the model itself, but for the
/// fit's own noise: twice N times the gain is χ² with as many degrees of freedom as parameters, 9,
/// and above 46 once in a million.
#[test]
fn components_are_found_again() {
    let filters = [2.0, 1.0, 0.0, -1.0, 0.5, 3.0, 0.25, 0.0, 1.0];
    let spec: ModelSpec =
        serde_json::from_value(json!({"kind": "ica", "dim": 3, "filters": filters}))
            .expect("a spec");
    let truth = spec.build().expect("a sound model");
    let rows = draws(&*truth, 1000, 74);
    let (expected, _) = value_and_grad(&*truth, &rows, MaximumLikelihood);
    let start = json!({"kind": "ica", "dim": 3});
    let result = fit(&start, &rows, &json!({"kind": "maximumLikelihood"}));
    let gain = expected - result.objective;
    println!("{expected} at the truth, {} at the fit: {}", result.objective, result.stop_reason);
    assert!((0.0..46.0 / 2000.0).contains(&gain), "{gain}");
}

/// The flow within a small ball hardly differs from 1, whatever the model: that its gradient is as
/// small is no sign of a minimum. Of a Gaussian that is near the data's, to some noise of the draws.
#[test]
fn a_small_ball_is_searched_to_its_minimum() {
    let rows = correlated(600);
    let (mean, covariance) = moments(&rows);
    let precision = covariance.try_inverse().expect("an inverse");
    let ball = json!({"kind": "ball", "radius": 0.01, "numSamples": 40});
    let spec = json!({
        "verb": "fit", "model": {"kind": "gaussian", "dim": 3}, "states": rows, "seed": 4,
        "objective": {"kind": "mpf", "connectivity": ball},
    });
    let result = fitted(job_of(&spec, None).expect("a sound job"));
    println!("{} {}: {}", result.objective, result.grad_norm, result.stop_reason);
    // r²/(4(D + 2)) = 5e-6 times what is tolerated of score matching, 6.5e-6.
    assert!(result.converged && result.grad_norm < 4e-11, "{}", result.stop_reason);
    // Quadratic forms of 12,000 pairs: 0.01 of Λ, an eigenvalue of which is 3.3 at most.
    assert_gaussian(&result, &mean, precision.as_slice(), [0.3, 0.5]);
}
