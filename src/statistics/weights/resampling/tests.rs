use super::*;
use crate::rng::{Purpose, normal, stream};

const ZERO: f64 = f64::NEG_INFINITY;

#[test]
fn systematic_copies_are_the_expected_ones_rounded() {
    let mut rng = stream(1, Purpose::Example, 0);
    for round in 0..300 {
        let num = 1 + round % 50;
        let mut log_weights: Vec<f64> = (0..num).map(|_| 3.0 * normal(&mut rng)).collect();
        log_weights[round % num] = if num > 1 { ZERO } else { 0.0 };
        let u = if round % 7 == 0 { 0.0 } else { uniform(&mut rng) };
        let ancestors = systematic(&log_weights, u);
        assert!(ancestors.is_sorted() && ancestors.len() == num);
        let total = log_sum_exp(&log_weights);
        for (index, log_weight) in log_weights.iter().enumerate() {
            let copies = ancestors.iter().filter(|&&ancestor| ancestor == index).count() as f64;
            let expected = num as f64 * exp(log_weight - total);
            assert!((copies - expected).abs() < 1.0 + 1e-9, "{copies} {expected}");
            assert!(*log_weight > ZERO || copies == 0.0);
        }
    }
    assert_eq!(systematic(&[ZERO, 5.0, ZERO], 0.999_999_999), [1, 1, 1]);
    assert_eq!(systematic(&[0.0; 4], 0.5), [0, 1, 2, 3]);
}

/// 20,000 times 5 particles: copies are within six standard errors of their mean, 5 W, whose
/// variance is at most that; the false-alarm rate is below 1e-7. Rounding up or down must have the
/// stated probabilities.
#[test]
fn copies_are_unbiased() {
    let log_weights = [0.0, 1.0, ZERO, -1.0, 0.5];
    let total = log_sum_exp(&log_weights);
    let mut rng = stream(2, Purpose::Example, 0);
    let runs = 20_000;
    for method in [Resampling::Systematic, Resampling::Multinomial] {
        let mut copies = [0.0; 5];
        for _ in 0..runs {
            let ancestors = match method {
                Resampling::Systematic => systematic(&log_weights, uniform(&mut rng)),
                Resampling::Multinomial => multinomial(&log_weights, &mut rng),
            };
            ancestors.iter().for_each(|&ancestor| copies[ancestor] += 1.0 / f64::from(runs));
        }
        for (copies, log_weight) in copies.iter().zip(log_weights) {
            let expected = 5.0 * exp(log_weight - total);
            let error = 6.0 * (expected / f64::from(runs)).sqrt();
            assert!((copies - expected).abs() <= error, "{method:?} {copies} {expected}");
        }
    }
}

#[test]
fn effective_sizes() {
    assert_eq!(ess_fraction(&[1.0, 1.0, ZERO, ZERO]), 0.5);
    // Equal increments, for any weights.
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(conditional_ess(&[0.0, 3.0, ZERO, -700.0], &[2.0; 4]), 4.0);
    // Equal weights: the result is the weight ESS of the increments.
    let increments = [0.1, -0.4, 0.9, ZERO];
    close(conditional_ess(&[-5.0; 4], &increments), weight_ess(&increments));
    // W = (1, 3)/4, u = (2, 1): 2 (5/4)² / (7/4).
    let ln = crate::math::ln;
    close(conditional_ess(&[0.0, ln(3.0)], &[ln(2.0), 0.0]), 2.0 * 25.0 / 16.0 / 1.75);
    assert!(conditional_ess(&[ZERO; 2], &[0.0; 2]).is_nan());
    assert!(conditional_ess(&[0.0; 2], &[0.0, f64::NAN]).is_nan());
}

#[test]
fn log_z_adds_up_by_stages() {
    let ln = crate::math::ln;
    let mut genealogy = Genealogy::new(4, Resampling::Systematic);
    let mut log_weights = [0.0, ln(2.0), ln(3.0), ln(6.0)];
    assert_eq!(genealogy.log_z(&[0.0; 4]), 0.0);
    genealogy.resample(&mut log_weights, &[1, 2, 3, 3]);
    assert_eq!(log_weights, [0.0; 4]);
    assert_eq!(genealogy.num_eves(&log_weights), 3);
    log_weights = [0.0, ln(2.0), ZERO, 0.0];
    assert!((genealogy.log_z(&log_weights) - ln(3.0)).abs() < 1e-15);
    // Shares of Eves 1, 2, 3: ¼, ½, ¼.
    let expected = 1.0 - 4.0 / 3.0 * (1.0 - 3.0 / 8.0);
    assert!((genealogy.relative_variance(&log_weights) - expected).abs() < 1e-15);
    assert_eq!((genealogy.num_resamplings(), genealogy.num_eves(&log_weights)), (1, 3));
    assert!(genealogy.is_valid(4) && !genealogy.is_valid(5));
}

/// Without resampling the genealogy has the squared standard error of independent chains.
#[test]
fn without_resampling_the_error_is_that_of_the_mean() {
    let mut rng = stream(3, Purpose::Example, 0);
    let log_weights: Vec<f64> = (0..30).map(|_| normal(&mut rng)).collect();
    let error = crate::weights::Estimate::of(&log_weights, 0.95, None).standard_error;
    for method in [Resampling::Systematic, Resampling::Multinomial] {
        let variance = Genealogy::new(30, method).relative_variance(&log_weights);
        assert!((variance / (error * error) - 1.0).abs() < 1e-12);
    }
    assert!(Genealogy::new(1, Resampling::Systematic).relative_variance(&[0.0]).is_nan());
}

#[test]
#[should_panic(expected = "nothing to resample")]
fn weights_of_0_cannot_be_resampled() {
    systematic(&[ZERO; 3], 0.5);
}
