use super::*;
use crate::rng::{Purpose, normal, stream};

/// Compares the solution of Σ_forward σ(y) = Σ_reverse σ(−y), and its diagnostics, with their
/// definitions.
#[test]
fn by_its_definition() {
    let mut rng = stream(1, Purpose::Example, 0);
    for (num_forward, num_reverse, spread, log_z) in
        [(40, 40, 1.0, 0.0), (30, 7, 2.0, 5.0), (3, 50, 0.1, -800.0), (20, 20, 30.0, 1.0)]
    {
        let mut draw = |mean: f64| mean - 0.5 * spread * spread + spread * normal(&mut rng);
        let forward: Vec<f64> = (0..num_forward).map(|_| draw(log_z)).collect();
        let reverse: Vec<f64> = (0..num_reverse).map(|_| draw(-log_z)).collect();
        let bridge = Bridge::of(&forward, &reverse, 0.95);
        let log_odds = ln(f64::from(num_reverse) / f64::from(num_forward));
        let of_forward = |l: &f64| sigmoid(l - bridge.log_z + log_odds);
        let of_reverse = |l: &f64| sigmoid(l + bridge.log_z - log_odds);
        let sums: [f64; 2] =
            [forward.iter().map(of_forward).sum(), reverse.iter().map(of_reverse).sum()];
        assert!((sums[0] / sums[1] - 1.0).abs() < 1e-10, "{sums:?}");
        let information: f64 = forward
            .iter()
            .map(of_forward)
            .chain(reverse.iter().map(of_reverse))
            .map(|p| p * (1.0 - p))
            .sum();
        let least = 1.0 / f64::from(num_forward) + 1.0 / f64::from(num_reverse);
        let variance = bridge.standard_error * bridge.standard_error;
        assert!((variance - (1.0 / information - least)).abs() < 1e-9 * variance);
        assert!((variance - least * (1.0 / bridge.overlap - 1.0)).abs() < 1e-9 * variance);
        assert!(bridge.overlap > 0.0 && bridge.overlap < 1.0);
        assert!(bridge.interval.contains(bridge.log_z) && bridge.interval.contains(log_z));
    }
}

/// Exchanging the directions only changes the sign; adding log Z_ref to the weights adds it to the
/// estimate.
#[test]
fn directions_are_alike() {
    let (forward, reverse) = ([0.2, -1.0, 0.7], [0.5, -2.0, f64::NEG_INFINITY, 1.0, -0.3]);
    let bridge = Bridge::of(&forward, &reverse, 0.9);
    let mirrored = Bridge::of(&reverse, &forward, 0.9);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-11, "{a} {b}");
    close(bridge.log_z, -mirrored.log_z);
    close(bridge.interval.low, -mirrored.interval.high);
    close(bridge.overlap, mirrored.overlap);
    close(bridge.weight_ess[0], mirrored.weight_ess[1]);
    let moved = Bridge::of(&forward.map(|l| l + 64.0), &reverse.map(|l| l - 64.0), 0.9);
    close(moved.log_z, bridge.log_z + 64.0);
    close(moved.standard_error, bridge.standard_error);
}

#[test]
fn without_overlap_markov_is_left() {
    // Forward weights near e⁻⁵⁰⁰⁰, and reverse ones too: log Z is somewhere within 10,000 nats.
    let weights = [-5000.0, -5001.0, -4999.5];
    let bridge = Bridge::of(&weights, &weights, 0.95);
    assert!(bridge.log_z.abs() < 1e-9, "in the middle");
    assert!(bridge.standard_error > 1e4 && bridge.overlap < 1e-300);
    let outside = -log_mean(&weights) + ln(40.0);
    assert!((bridge.interval.high - outside).abs() < 1e-9, "{bridge:?}");
    assert!((bridge.interval.low + outside).abs() < 1e-9);
}

#[test]
fn at_the_edges() {
    let zero = f64::NEG_INFINITY;
    for (forward, reverse) in [
        (&[][..], &[0.0][..]),
        (&[0.0], &[]),
        (&[zero, zero], &[0.0]),
        (&[0.0], &[zero]),
        (&[0.0, f64::NAN], &[0.0]),
        (&[0.0], &[f64::INFINITY, 0.0]),
    ] {
        let bridge = Bridge::of(forward, reverse, 0.95);
        assert!(bridge.log_z.is_nan() && bridge.standard_error.is_nan() && bridge.overlap.is_nan());
        assert!(bridge.interval.low.is_nan() && bridge.weight_ess[0].is_nan());
    }
    let alike = Bridge::of(&[2.0, 2.0], &[-2.0], 0.95);
    assert!((alike.log_z - 2.0).abs() < 1e-14 && alike.standard_error < 1e-7);
    assert!((alike.overlap - 1.0).abs() < 1e-14);
    let no_confidence = Bridge::of(&[2.0, 2.0], &[-2.0], 1.0);
    assert!(no_confidence.interval.low.is_nan() && no_confidence.log_z.is_finite());
    // One weight each, one nat apart: the estimate is in the middle.
    assert!((Bridge::of(&[0.0], &[-1.0], 0.95).log_z - 0.5).abs() < 1e-14);
    // Weights that violate Crooks's theorem still give a number.
    assert!(Bridge::of(&[900.0, 901.0], &[900.0], 0.95).log_z.is_finite());
}
