use super::*;
use crate::rng::{Purpose, normal, stream};

fn log_normal(num: usize, sd: f64, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, Purpose::Example, 0);
    (0..num).map(|_| sd * normal(&mut rng) - 0.5 * sd * sd).collect()
}

fn estimate(log_weights: &[f64]) -> Estimate {
    Estimate::of(log_weights, 0.95, None)
}

fn of_forward(log_weights: &[f64]) -> Vec<String> {
    warnings(&AnnealingSummary {
        forward: Some(&estimate(log_weights)),
        ..AnnealingSummary::default()
    })
}

/// Checks that there is exactly one warning, and that it contains these words.
fn assert_warns(found: &[String], words: &[&str]) {
    let [warning] = found else { panic!("{found:?}") };
    for word in words {
        assert!(warning.contains(word), "{word}: {warning}");
    }
}

#[test]
fn nothing_is_said_of_good_weights() {
    for seed in 0..20 {
        let (forward, reverse) = (log_normal(200, 0.7, seed), log_normal(100, 0.7, 1000 + seed));
        let bridge = Bridge::of(&forward, &reverse, 0.95);
        let found = warnings(&AnnealingSummary {
            forward: Some(&Estimate::of(&forward, 0.9999, None)),
            reverse: Some(&Estimate::of_reverse(&reverse, 0.9999, None)),
            bridge: Some(&bridge),
            num_distributions: 100,
            starts_are_exact: true,
            acceptance: Some((&[0.0, 0.5, 1.0], &[0.9, f64::NAN])),
            eves: Some((20, 200)),
            tail_exponent: Some(4.0),
        });
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(warnings(&AnnealingSummary::default()).is_empty());
}

#[test]
fn weights_that_tell_little() {
    let mut log_weights = vec![0.0; 200];
    log_weights[7] = ln(339.0);
    assert_warns(&of_forward(&log_weights), &["One of 200 chains carries 63 %", "too low"]);
    log_weights[8] = ln(339.0);
    assert_warns(&of_forward(&log_weights), &["2 of 200 chains carry half", "(weight ESS 3."]);
    let ten: Vec<f64> = (0..12).map(|i| 0.2 * f64::from(i)).collect();
    assert_warns(&of_forward(&ten), &["12 chains are worth no more than", "and more chains"]);
    // A spread of 3 nats: the seen weights look well, but are not.
    let wide: Vec<f64> = log_normal(5000, 3.0, 1);
    assert!(estimate(&wide).weight_ess > 10.0);
    assert_warns(
        &of_forward(&wide),
        &["spread upward by 3.", "less than one of equal weight", "Use 2 times as many"],
    );
    let inverse = Estimate::of_reverse(&wide, 0.95, None);
    let found = warnings(&AnnealingSummary {
        reverse: Some(&inverse),
        starts_are_exact: true,
        ..AnnealingSummary::default()
    });
    assert_warns(&found, &["reverse chains", "too high"]);
}

#[test]
fn weights_that_tell_nothing() {
    assert_warns(&of_forward(&[]), &["no chains"]);
    assert_warns(&of_forward(&[1.0]), &["One of the chains alone"]);
    assert_warns(&of_forward(&[1.0, f64::NAN, 2.0]), &["1 of 3 chains", "NaN", "smaller steps"]);
    assert_warns(&of_forward(&[f64::NEG_INFINITY; 4]), &["all 4 chains are 0"]);
}

#[test]
fn directions_that_disagree() {
    let forward = log_normal(100, 0.5, 1);
    let shifted: Vec<f64> = forward.iter().map(|l| l - 5.0).collect();
    let (low, high) = (estimate(&forward), Estimate::of_reverse(&shifted, 0.95, None));
    let mut findings = AnnealingSummary {
        forward: Some(&low),
        reverse: Some(&high),
        num_distributions: 10,
        starts_are_exact: true,
        ..AnnealingSummary::default()
    };
    assert_warns(&warnings(&findings), &["nats apart", "log Z is between"]);
    let reversed: Vec<f64> = forward.iter().map(|l| l + 5.0).collect();
    let below = Estimate::of_reverse(&reversed, 0.95, None);
    findings.reverse = Some(&below);
    assert_warns(&warnings(&findings), &["below the forward one", "another seed"]);
    findings.starts_are_exact = false;
    let found = warnings(&findings);
    assert!(found[0].contains("approximate samples") && found[0].contains("diagnostic"));
    assert_warns(&found[1..], &["miss a part of the target"]);
    findings.num_distributions = 1;
    assert!(warnings(&findings)[1].contains("harmonic mean"));
}

#[test]
fn bridges_without_ground() {
    let (forward, reverse) = (log_normal(30, 8.0, 1), log_normal(30, 8.0, 2));
    let bridge = Bridge::of(&forward, &reverse, 0.95);
    let found =
        warnings(&AnnealingSummary { bridge: Some(&bridge), ..AnnealingSummary::default() });
    assert!(found[0].contains("hardly overlap"), "{found:?}");
    assert_warns(&found[1..], &["is above 1"]);
}

#[test]
fn transitions_that_stand_still() {
    let betas = [0.0, 0.25, 0.6, 0.75, 0.8, 1.0];
    let acceptance = |rates: &[f64]| {
        warnings(&AnnealingSummary {
            acceptance: Some((&betas, rates)),
            ..AnnealingSummary::default()
        })
    };
    assert!(acceptance(&[0.9, 0.8, 0.5, 0.3, 0.1]).is_empty());
    assert_warns(
        &acceptance(&[0.9, 0.01, 0.9, 0.05, 0.02]),
        &["β = 0.25", "and β = 0.6 ", "1.0 %"],
    );
    assert_warns(&acceptance(&[0.9, 0.2, 0.04, 0.05, 0.02]), &["β = 0.6:", "β = 1 ", "2.0 %"]);
    let found =
        warnings(&AnnealingSummary { eves: Some((19, 200)), ..AnnealingSummary::default() });
    assert_warns(&found, &["descend from 19", "independent groups"]);
}

#[test]
fn heavy_tails_are_said_unless_exact_draws_have_been_there() {
    let even = estimate(&[0.0; 100]);
    let with = |tail_exponent: f64, starts_are_exact: bool| {
        let findings = AnnealingSummary {
            forward: Some(&even),
            reverse: starts_are_exact.then_some(&even),
            starts_are_exact,
            num_distributions: 10,
            tail_exponent: Some(tail_exponent),
            ..AnnealingSummary::default()
        };
        warnings(&findings).iter().any(|warning| warning.contains("variance is infinite"))
    };
    assert!(with(1.6, false));
    assert!(!with(1.6, true));
    assert!(!with(3.0, false));
}
