use super::*;
use crate::math::ln;
use crate::rng::{Purpose, normal, stream};

fn of(log_weights: &[f64]) -> Estimate {
    let mut rng = stream(1, Purpose::Bootstrap, 0);
    Estimate::of(log_weights, 0.95, Some(&mut rng))
}

/// Compares every value with its definition, using the weights themselves.
#[test]
fn by_their_definitions() {
    let mut rng = stream(1, Purpose::Example, 0);
    let log_weights: Vec<f64> = (0..101).map(|_| 1.3 * normal(&mut rng) - 2.0).collect();
    let estimate = of(&log_weights);
    let weights: Vec<f64> = log_weights.iter().map(|&l| exp(l)).collect();
    let (size, total) = (101.0, weights.iter().sum::<f64>());
    let mean = total / size;
    let variance = weights.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / (size - 1.0);
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    close(estimate.log_z, ln(mean));
    close(estimate.standard_error, variance.sqrt() / (size.sqrt() * mean));
    close(estimate.mean_log_weight, log_weights.iter().sum::<f64>() / size);
    let log_variance: f64 = log_weights
        .iter()
        .map(|l| (l - estimate.mean_log_weight) * (l - estimate.mean_log_weight) / (size - 1.0))
        .sum();
    close(estimate.mean_log_weight_error, (log_variance / size).sqrt());
    let mut descending = weights.clone();
    descending.sort_unstable_by(|a, b| b.total_cmp(a));
    close(estimate.greatest_share, descending[0] / total);
    let half = estimate.num_carrying_half;
    assert!(descending[..half].iter().sum::<f64>() >= total / 2.0);
    assert!(descending[..half - 1].iter().sum::<f64>() < total / 2.0);
    close(estimate.upper_spread, ln(descending[16]) - ln(descending[50]));
    assert_eq!(estimate.weight_ess, weight_ess(&log_weights));
    assert_eq!(estimate.histogram, Histogram::of(&log_weights));
    assert!(estimate.mean_log_weight < estimate.log_z);

    // Hall's interval, by searching for the roots of the cubic.
    let skewness = weights.iter().map(|w| (w - mean) * (w - mean) * (w - mean)).sum::<f64>() / size;
    let g = skewness / three_halves(variance * (size - 1.0) / size) / size.sqrt();
    let t = crate::diagnostics::student_t_quantile(0.975, estimate.weight_ess - 1.0);
    for (end, y) in [(estimate.asymptotic.low, t), (estimate.asymptotic.high, -t)] {
        let x = (mean - exp(end)) / (mean * estimate.standard_error);
        let cubic = x + g * x * x / 3.0 + g * g * x * x * x / 27.0 + g / 6.0;
        assert!((cubic - y).abs() < 1e-10, "{cubic} {y}");
    }
}

fn three_halves(x: f64) -> f64 {
    x * x.sqrt()
}

#[test]
fn reverse_weights_are_those_of_one_over_z() {
    let log_weights = [0.3, -1.2, 0.8, 2.0, f64::NEG_INFINITY, -0.4, 0.1];
    let mut rng = stream(1, Purpose::Bootstrap, 0);
    let (forward, reverse) =
        (of(&log_weights), Estimate::of_reverse(&log_weights, 0.95, Some(&mut rng)));
    assert_eq!(reverse.log_z, -forward.log_z);
    assert_eq!(reverse.standard_error, forward.standard_error);
    for (a, b) in [(reverse.asymptotic, forward.asymptotic), (reverse.bootstrap, forward.bootstrap)]
    {
        assert_eq!((a.low, a.high), (-b.high, -b.low));
        assert!(a.low < reverse.log_z && reverse.log_z < a.high);
    }
    assert_eq!(reverse.mean_log_weight, f64::INFINITY);
    assert_eq!((reverse.histogram.edges[0], reverse.histogram.edges[40]), (-2.0, 1.2));
}

#[test]
fn only_differences_count() {
    let log_weights = [-2.0, 0.5, 1.0, -0.25];
    let (here, there) = (of(&log_weights), of(&log_weights.map(|l| l - 4096.0)));
    assert!((here.log_z - 4096.0 - there.log_z).abs() < 1e-12);
    assert!((here.standard_error / there.standard_error - 1.0).abs() < 1e-12);
    assert!((here.bootstrap.high - 4096.0 - there.bootstrap.high).abs() < 1e-11);
    assert!((here.asymptotic.low - 4096.0 - there.asymptotic.low).abs() < 1e-11);
}

fn assert_nothing_said(estimate: &Estimate) {
    for figure in [estimate.standard_error, estimate.asymptotic.low, estimate.asymptotic.high] {
        assert!(figure.is_nan(), "{estimate:?}");
    }
    assert!(estimate.bootstrap.low.is_nan() && estimate.bootstrap.high.is_nan());
}

#[test]
fn at_the_edges() {
    let zero = f64::NEG_INFINITY;
    for invalid in [&[0.0, f64::NAN][..], &[f64::INFINITY, 1.0], &[]] {
        let estimate = of(invalid);
        assert_nothing_said(&estimate);
        assert!(estimate.log_z.is_nan() && estimate.mean_log_weight.is_nan());
        assert_eq!(estimate.num_invalid, invalid.len() / 2);
    }
    let all_zero = of(&[zero, zero]);
    assert_nothing_said(&all_zero);
    assert_eq!((all_zero.log_z, all_zero.num_carrying_half), (zero, 0));
    let one = of(&[3.0]);
    assert_nothing_said(&one);
    assert_eq!((one.log_z, one.greatest_share, one.num_carrying_half), (3.0, 1.0, 1));

    let equal = of(&[-7.0; 30]);
    assert!((equal.log_z + 7.0).abs() < 1e-14 && equal.standard_error < 1e-15);
    for interval in [equal.asymptotic, equal.bootstrap] {
        assert!((interval.low + 7.0).abs() < 1e-14 && (interval.high + 7.0).abs() < 1e-14);
    }
    assert_eq!((equal.num_carrying_half, equal.upper_spread), (15, 0.0));

    // A single weight above 0: resamples of zeros cannot tell how large log Z may be.
    let mut lone = [zero; 50];
    lone[17] = 2.0;
    let lone = of(&lone);
    assert!((lone.standard_error - 1.0).abs() < 1e-12, "the greatest there is");
    assert_eq!((lone.num_carrying_half, lone.histogram.num_zero), (1, 49));
    let markov = lone.log_z + ln(0.5 * (1.0 - 0.95));
    assert_eq!(lone.asymptotic.low, markov);
    assert!(lone.asymptotic.high > lone.log_z + 0.5 && lone.asymptotic.high.is_finite());
    assert!(lone.bootstrap.low >= markov && lone.bootstrap.low < lone.log_z);
    assert_eq!(lone.bootstrap.high, f64::INFINITY);
    // Two weights: half of the resamples contain one of them twice.
    let two = of(&[0.0, 1.0]);
    assert!((two.bootstrap.low - (two.log_z - ln(40.0))).abs() < 1e-14);
    assert_eq!(two.bootstrap.high, f64::INFINITY);
    // Far beyond the range of exp.
    let huge = of(&[1e5, -1e5, 1e5 + 1.0, zero, 1e5 - 0.5]);
    assert!(huge.log_z > 99_999.0 && huge.asymptotic.low < huge.log_z);
    assert!(huge.bootstrap.high > huge.log_z && huge.bootstrap.high < huge.log_z + 100.0);
    for confidence in [0.0, 1.0, -1.0, f64::NAN] {
        let mut rng = stream(1, Purpose::Bootstrap, 0);
        let estimate = Estimate::of(&[0.0, 1.0, 2.0], confidence, Some(&mut rng));
        assert!(estimate.asymptotic.low.is_nan() && estimate.bootstrap.high.is_nan());
        assert!(estimate.standard_error.is_finite());
    }
}

/// The same stream gives the same interval, a different one another. The number of draws it takes
/// is that of the resamples times the weights, at most 4096.
#[test]
fn the_bootstrap_depends_on_its_stream_alone() {
    let mut rng = stream(3, Purpose::Example, 0);
    let log_weights: Vec<f64> = (0..5000).map(|_| normal(&mut rng)).collect();
    let interval = |log_weights: &[f64], seed| {
        let mut rng = stream(seed, Purpose::Bootstrap, 0);
        bootstrap::resample(log_weights, 0.95, &mut rng).interval
    };
    let few = &log_weights[..40];
    assert_eq!(interval(few, 1), interval(few, 1));
    assert_ne!(interval(few, 1), interval(few, 2));
    // With groups of two it is about as long as the asymptotic one.
    let (grouped, estimate) = (interval(&log_weights, 1), Estimate::of(&log_weights, 0.95, None));
    let length = |interval: Interval| interval.high - interval.low;
    assert!((length(grouped) / length(estimate.asymptotic) - 1.0).abs() < 0.15);
    assert!(estimate.bootstrap.low.is_nan());
}

/// By the delta method, from the influence of each weight on log ESS: 2 (w / mean w − 1) − (w² /
/// mean w² − 1). Above 4,096 weights are resampled in groups.
#[test]
fn the_error_of_the_effective_sample_size() {
    let mut rng = stream(4, Purpose::Example, 0);
    for (size, spread) in [(600, 0.3), (600, 0.8), (10_000, 0.6)] {
        let log_weights: Vec<f64> = (0..size).map(|_| 3.0 + spread * normal(&mut rng)).collect();
        let mean = |power: f64| {
            log_weights.iter().map(|l| exp(power * (l - 3.0))).sum::<f64>() / f64::from(size)
        };
        let (first, second) = (mean(1.0), mean(2.0));
        let pulls = log_weights.iter().map(|l| {
            let w = exp(l - 3.0);
            2.0 * (w / first - 1.0) - (w * w / second - 1.0)
        });
        let variance = pulls.map(|pull| pull * pull).sum::<f64>() / f64::from(size);
        let estimate = of(&log_weights);
        let expected = estimate.weight_ess * (variance / f64::from(size)).sqrt();
        let ratio = estimate.weight_ess_error / expected;
        assert!((ratio - 1.0).abs() < 0.15, "{size} weights, spread {spread}: {ratio}");
    }
    assert_eq!(of(&[-7.0; 30]).weight_ess_error, 0.0);
    assert!(of(&[1.0]).weight_ess_error.is_nan());
    // One weight has everything in each resample that contains it.
    assert!(of(&[0.0, f64::NEG_INFINITY, f64::NEG_INFINITY]).weight_ess_error.is_finite());
}
