//! A second path beside the first.

use super::*;
use unnorm::math::{erfc, ln, ln_gamma};

/// A coin chooses the mean of five numbers, 0 or 5, all of which are seen to be positive (Grosse 2014,
/// 8.2); the coin is the sign of u.
fn seen() -> Value {
    let numbers = ["x1", "x2", "x3", "x4", "x5"];
    let squares: Vec<String> =
        numbers.iter().map(|x| format!("({x} - 5*sigmoid(1e6*u))^2")).collect();
    let constraints: Vec<Value> = (1..=5)
        .map(|at| {
            let normal: Vec<u8> = (0..6).map(|place| u8::from(place == at)).collect();
            json!({ "normal": normal, "offset": 0 })
        })
        .collect();
    let variables = [&["u"], &numbers[..]].concat();
    json!({
        "kind": "formula", "variables": variables,
        "expression": format!("(u^2 + {})/2 + 3*log(2*pi)", squares.join(" + ")),
        "constraints": constraints,
    })
}

/// The reference that is as wide as both explanations.
fn wide() -> Value {
    let covariance: Vec<u8> = (0..36)
        .map(|at| {
            if at % 7 > 0 {
                0
            } else if at == 0 {
                1
            } else {
                9
            }
        })
        .collect();
    json!({ "kind": "model", "model": { "kind": "gaussian", "dim": 6,
        "mean": [0, 2.5, 2.5, 2.5, 2.5, 2.5], "covariance": covariance } })
}

fn annealed() -> Value {
    json!({
        "model": seen(), "numChains": 200, "numDistributions": 1500, "schedule": { "kind": "linear" },
        "pilot": { "numDistributions": 200 }, "seed": 1,
    })
}

/// ln(½ 2⁻⁵ + ½ Φ(5)⁵).
fn truth() -> f64 {
    let inside = 1.0 - 0.5 * erfc(5.0 / 2f64.sqrt());
    ln(0.5 / 32.0 + 0.5 * inside * inside * inside * inside * inside)
}

#[test]
fn a_second_path_tells_what_the_first_has_lost() {
    let alone = run(&annealed());
    assert!(alone.log_z < truth() - 3.0 && alone.standard_error < 0.05, "{}", alone.log_z);
    assert!(alone.warnings.is_empty() && alone.second_path.is_none());

    let both = run(&with(&annealed(), json!({ "secondPath": { "reference": wide() } })));
    let second = both.second_path.as_ref().expect("the second path");
    assert_eq!(second.verdict, "second");
    assert_eq!(both.forward.log_z.value, alone.log_z);
    assert_close(second.difference.value, second.log_z.value - alone.log_z, 1e-12);
    assert!(second.difference.interval.lower > 3.0);
    assert_eq!(both.log_z, second.log_z.value);
    assert_within(both.log_z, both.standard_error, truth(), 0.3);
    assert!(both.bounds.lower > alone.bounds.lower + 2.0 && both.bounds.lower < truth());
    assert!(both.warnings[0].contains("the first path has lost a part"), "{:?}", both.warnings);

    // The other way round it is the second path that loses.
    let paths = json!({ "reference": wide(), "secondPath": {
        "reference": { "kind": "model", "model": { "kind": "gaussian", "dim": 6 } } } });
    let swapped = run(&with(&annealed(), paths));
    assert_eq!(swapped.second_path.as_ref().expect("the second path").verdict, "first");
    assert_eq!(swapped.log_z, swapped.forward.log_z.value);
    assert_within(swapped.log_z, swapped.standard_error, truth(), 0.3);
    assert!(swapped.warnings.iter().any(|warning| warning.contains("the second path has lost")));
}

/// The interval of the difference, of 95 %, holds 0. More than 28 misses of 200 come once in 10⁷.
#[test]
fn paths_that_lose_nothing_agree() {
    let spec = json!({
        "model": model("ising", ising(5, 0.4, 3)), "numChains": 60, "numDistributions": 60,
        "schedule": { "kind": "linear" },
        "secondPath": { "reference": { "kind": "independent", "logOdds": [0.5, -0.5, 0.2, 0, -0.3] } },
    });
    let mut num_apart = 0;
    for seed in 0..200 {
        let result = run(&with(&spec, json!({ "seed": seed })));
        let second = result.second_path.as_ref().expect("the second path");
        num_apart += usize::from(second.verdict != "agree");
        if second.verdict == "agree" {
            let errors = [result.forward.log_z.standard_error, second.log_z.standard_error];
            assert_eq!(result.standard_error, errors[0].min(errors[1]));
            assert!(result.warnings.is_empty(), "{:?}", result.warnings);
        }
    }
    assert!(num_apart <= 28, "{num_apart} of 200 pairs differ");
}

/// Errors of more than a nat tell nothing of the difference; the higher one is still the better.
#[test]
fn paths_that_cannot_be_compared() {
    let spec = json!({
        "model": model("ising", ising(12, 2.5, 3)), "numChains": 4, "numDistributions": 2,
        "schedule": { "kind": "linear" }, "seed": 1,
        "secondPath": { "transition": { "kind": "gibbs", "scan": "systematic" } },
    });
    let result = run(&spec);
    let second = result.second_path.as_ref().expect("the second path");
    assert_eq!(second.verdict, "unclear");
    assert!(second.difference.standard_error > 1.0);
    assert_eq!(result.log_z, result.forward.log_z.value.max(second.log_z.value));
    assert!(result.warnings.iter().any(|warning| warning.contains("too large to compare")));
}

/// Where a second path does not tell: tails so heavy that chains reach them along neither. The model
/// itself does.
#[test]
fn heavy_tails_are_lost_along_both() {
    let model = json!({ "kind": "productOfExperts", "dim": 2, "numExperts": 2, "expert": "studentT",
        "filters": [1, 0.5, -0.5, 1], "lambda": [0.6, 0.6] });
    let heavy = json!({ "kind": "studentT", "dim": 2, "degreesOfFreedom": 1 });
    let spec = json!({
        "model": model, "numChains": 200, "numDistributions": 1000, "seed": 1,
        "secondPath": { "reference": { "kind": "model", "model": heavy } },
    });
    let result = run(&spec);
    let second = result.second_path.as_ref().expect("the second path");
    // π^½ Γ(λ − ½) / Γ(λ) for each expert of coefficient λ, less ln |det| of the filters.
    let expert = 0.5 * ln(std::f64::consts::PI) + ln_gamma(0.1) - ln_gamma(0.6);
    let truth = 2.0 * expert - ln(1.25);
    let lost = [truth - result.forward.log_z.value, truth - second.log_z.value];
    assert!(lost.iter().all(|lost| (0.3..1.5).contains(lost)), "{lost:?}");
    assert!(
        result.warnings.iter().any(|warning| warning.contains("tails")),
        "{:?}",
        result.warnings
    );
}

#[test]
fn rows_go_along_both_paths() {
    let spec = json!({
        "model": super::rows::generative(), "simulate": { "numRows": 4 }, "numChains": 50,
        "numDistributions": 100, "schedule": { "kind": "linear" },
        "reverse": { "start": { "kind": "simulated", "numWarmup": 50 } }, "seed": 3,
    });
    let reference = json!({ "kind": "model", "model": { "kind": "gaussian", "dim": 2, "precision": [0.5, 0, 0, 0.5] } });
    let one = run(&spec);
    let both = run(&with(&spec, json!({ "secondPath": { "reference": reference } })));
    assert_eq!(one.simulated, both.simulated);
    let second = both.second_path.as_ref().expect("the second path");
    let total: f64 = both
        .simulated
        .as_ref()
        .expect("the rows")
        .chunks_exact(2)
        .map(super::rows::log_likelihood)
        .sum();
    assert_within(second.log_z.value, second.log_z.standard_error, total, 0.5);
    assert_close(both.likelihood.expect("of the rows").mean.value, both.log_z / 4.0, 1e-12);
    assert!(both.bounds.bound_is_certified);
}
