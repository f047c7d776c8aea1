//! The maps from standard normal numbers to parameters: quantiles to 60 digits by `tests/data/priors`, their
//! slopes against the densities, and integrals over u that have closed forms.

use super::*;
use crate::common::{finished, job_of};
use std::f64::consts::PI;
use unnorm::JobResult;
use unnorm::linalg::{Batch, Block};
use unnorm::math::{exp, ln, ln_1p, ln_gamma, log_sum_exp, normal_tail, pow};

/// The parameter of a prior alone, at each u.
fn quantiles(distribution: &Value, us: &[f64]) -> Vec<f64> {
    let model = typed(&[("t", distribution.clone())], "0", Value::Null);
    let job = json!({"verb": "energies", "model": model, "states": us, "parameters": true});
    match finished(job_of(&job, None).expect("a sound job")) {
        JobResult::Energies(result) => result.parameters,
        _ => unreachable!(),
    }
}

fn references() -> (Vec<f64>, Vec<(Value, Vec<f64>)>) {
    let text = std::fs::read_to_string("tests/data/priors/quantiles.json").expect("a file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |value: &Value| serde_json::from_value::<Vec<f64>>(value.clone()).unwrap();
    let priors = file["priors"].as_array().expect("a list").iter();
    let priors =
        priors.map(|row| (row["distribution"].clone(), numbers(&row["quantiles"]))).collect();
    (numbers(&file["u"]), priors)
}

#[test]
fn quantiles_are_the_known_ones() {
    let (us, priors) = references();
    for (distribution, expected) in priors {
        for ((u, value), known) in us.iter().zip(quantiles(&distribution, &us)).zip(expected) {
            let error = (value - known).abs() / known.abs().max(f64::MIN_POSITIVE);
            assert!(value == known || error < 1e-12, "{distribution} at {u}: {value}, not {known}");
        }
    }
}

/// Nothing is infinite or at an end of the support within |u| = 8, but for numbers that round to it; and energies
/// beyond are numbers or infinite.
#[test]
fn tails_are_kept() {
    let us: Vec<f64> = (-80..=80).map(|tenths| f64::from(tenths) / 10.0).collect();
    for (distribution, _) in references().1 {
        let values = quantiles(&distribution, &us);
        let rounds = distribution["kind"] == "beta";
        for pair in values.windows(2) {
            assert!(pair[0] < pair[1] || rounds && pair[0] == pair[1], "{distribution}: {pair:?}");
        }
        assert!(values.iter().all(|value| value.is_finite()), "{distribution}");
        let above_0 = distribution["min"] == 0 || distribution["kind"] == "beta";
        assert!(!above_0 || values.iter().all(|value| *value > 0.0), "{distribution}");
        let model = build(&typed(&[("t", distribution.clone())], "-t^2", Value::Null));
        for u in [-1000.0, -50.0, -37.5, -20.0, 20.0, 37.5, 50.0, 1000.0] {
            let mut energy = [0.0];
            model.energy(Batch::new(1, &[u]), &mut energy);
            assert!(energy[0] > 0.0, "{distribution} at {u}: {}", energy[0]);
        }
    }
}

/// The density p(θ), written as in a textbook.
fn density(distribution: &Value, t: f64) -> f64 {
    let number = |name: &str| distribution[name].as_f64().expect("a number");
    let scaled = |from: &str, by: &str| (t - number(from)) / number(by);
    let of_normal = |z: f64| exp(-0.5 * z * z) / (2.0 * PI).sqrt();
    let of_gamma = |a: f64, x: f64| exp((a - 1.0) * ln(x) - x - ln_gamma(a));
    match distribution["kind"].as_str().expect("a kind") {
        "normal" => of_normal(scaled("mean", "sd")) / number("sd"),
        "logNormal" => of_normal((ln(t) - number("mean")) / number("sd")) / (t * number("sd")),
        "uniform" => 1.0 / (number("max") - number("min")),
        "logUniform" => 1.0 / (t * ln(number("max") / number("min"))),
        "exponential" => number("rate") * exp(-number("rate") * t),
        "halfNormal" => 2.0 * of_normal(t / number("scale")) / number("scale"),
        "laplace" => 0.5 * exp(-scaled("location", "scale").abs()) / number("scale"),
        "cauchy" => {
            let z = scaled("location", "scale");
            1.0 / (PI * number("scale") * (1.0 + z * z))
        }
        "halfCauchy" => {
            let z = t / number("scale");
            2.0 / (PI * number("scale") * (1.0 + z * z))
        }
        "gamma" => number("rate") * of_gamma(number("shape"), number("rate") * t),
        "inverseGamma" => {
            let x = number("scale") / t;
            of_gamma(number("shape"), x) * x / t
        }
        "beta" => {
            let (a, b) = (number("a"), number("b"));
            let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
            exp((a - 1.0) * ln(t) + (b - 1.0) * ln_1p(-t) - log_beta)
        }
        other => panic!("{other} has no density here"),
    }
}

/// dθ/du = φ(u)/p(θ), from gradients to which a large factor of the likelihood lends its digits.
#[test]
fn slopes_are_the_ratio_of_densities() {
    for (distribution, _) in references().1 {
        for u in [-6.0, -2.5, -0.8, 0.0, 0.3, 1.2, 2.5, 6.0] {
            let theta = quantiles(&distribution, &[u])[0];
            // 1 − θ has no digits left there.
            if distribution["kind"] == "beta" && theta > 0.999 {
                continue;
            }
            let known = exp(-0.5 * u * u) / (2.0 * PI).sqrt() / density(&distribution, theta);
            let factor = 1e6 / known;
            let log_likelihood = format!("{factor:e}*t");
            let model = build(&typed(&[("t", distribution.clone())], &log_likelihood, Value::Null));
            let model = model.as_differentiable().expect("a gradient");
            let (mut energy, mut grad) = ([0.0], [0.0]);
            model.energy_grad(Block::new(1, &[u]), &mut energy, &mut grad);
            let slope = (u - grad[0]) / factor;
            assert!((slope / known - 1.0).abs() < 1e-8, "{distribution} at {u}: {slope}, {known}");
        }
    }
}

/// ln ∫ e^(−E(u)) du by the trapezoidal rule, whose error is negligible for smooth functions that
/// vanish at both ends.
fn log_integral(model: &dyn Model) -> f64 {
    let step = 0.01;
    let us: Vec<f64> = (-1200..=1200).map(|at| f64::from(at) * step).collect();
    let mut energies = vec![0.0; us.len()];
    model.energy(Batch::new(1, &us), &mut energies);
    let terms: Vec<f64> = energies.iter().map(|energy| -energy).collect();
    log_sum_exp(&terms) + ln(step)
}

/// Means under each prior that have closed forms: of e^(−ct), of a power, of 1/(1 + t²).
#[test]
fn means_under_priors_are_the_known_ones() {
    let (c, s) = (0.7, 1.3);
    let log_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let cases = [
        (json!({"kind": "normal", "mean": 0.5, "sd": s}), "-0.7*t", 0.5 * c * c * s * s - 0.5 * c),
        (
            json!({"kind": "logNormal", "mean": 0.5, "sd": s}),
            "-0.7*ln(t)",
            0.5 * c * c * s * s - 0.5 * c,
        ),
        (
            json!({"kind": "uniform", "min": -1, "max": 2}),
            "-0.7*t",
            ln((exp(c) - exp(-2.0 * c)) / (3.0 * c)),
        ),
        (
            json!({"kind": "logUniform", "min": 0.5, "max": 4}),
            "-0.7*ln(t)",
            ln((pow(0.5, -c) - pow(4.0, -c)) / (c * ln(8.0))),
        ),
        (json!({"kind": "exponential", "rate": s}), "-0.7*t", ln(s / (s + c))),
        (
            json!({"kind": "halfNormal", "scale": s}),
            "-0.7*t",
            ln(2.0 * normal_tail(c * s)) + 0.5 * c * c * s * s,
        ),
        (
            json!({"kind": "laplace", "location": 0, "scale": 0.5}),
            "-0.7*t",
            -ln(1.0 - 0.25 * c * c),
        ),
        (json!({"kind": "cauchy", "location": 0, "scale": s}), "-ln(1 + t^2)", -ln(1.0 + s)),
        (json!({"kind": "halfCauchy", "scale": s}), "-ln(1 + t^2)", -ln(1.0 + s)),
        (json!({"kind": "gamma", "shape": 2.5, "rate": s}), "-0.7*t", 2.5 * ln(s / (s + c))),
        (
            json!({"kind": "inverseGamma", "shape": 2.5, "scale": s}),
            "-0.7/t",
            2.5 * ln(s / (s + c)),
        ),
        (
            json!({"kind": "beta", "a": 2.5, "b": 0.5}),
            "0.7*ln(t)",
            log_beta(2.5 + c, 0.5) - log_beta(2.5, 0.5),
        ),
    ];
    let kinds: std::collections::BTreeSet<_> =
        references().1.iter().map(|(prior, _)| prior["kind"].to_string()).collect();
    assert_eq!(cases.len(), kinds.len());
    for (distribution, log_likelihood, known) in cases {
        let model = build(&typed(&[("t", distribution.clone())], log_likelihood, Value::Null));
        let value = log_integral(&*model);
        // The Laplace density has a kink, where the rule is of second order.
        let tolerance = if distribution["kind"] == "laplace" { 1e-5 } else { 1e-10 };
        assert!((value - known).abs() < tolerance, "{distribution}: {value}, not {known}");
    }
}
