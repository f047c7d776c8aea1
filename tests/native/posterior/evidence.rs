//! The evidence of conjugate models in closed form, by annealing and by nested sampling.

use super::*;
use unnorm::JobResult;
use unnorm::math::{ln, ln_gamma};

const LN_2_PI: f64 = 1.8378770664093453;

/// log Z by annealing and by nested sampling, with standard errors.
fn estimates(model: &Value) -> [(f64, f64); 2] {
    let annealed = json!({
        "verb": "logZ", "model": model, "numChains": 100, "numDistributions": 300, "seed": 1,
        "pilot": {"numChains": 32, "numDistributions": 100},
    });
    let nested = json!({
        "verb": "evidence", "model": {"kind": "density", "energy": model}, "numTrials": 8, "seed": 1,
        "estimator": {"kind": "nestedSampling", "numParticles": 100},
    });
    [annealed, nested].map(|spec| match unnorm::run(spec).expect("no error") {
        JobResult::LogZ(result) => (result.log_z, result.standard_error),
        JobResult::Evidence(result) => (result.log_z, result.standard_error),
        _ => unreachable!(),
    })
}

/// Both within six standard errors: false alarms below 1e-7, with fixed seeds none. The errors are
/// such that a missing constant of one row, ½ ln 2π, would be seen.
fn assert_evidence(model: &Value, known: f64) {
    for (value, error) in estimates(model) {
        assert!(error > 0.0 && 6.0 * error < 0.9, "± {error}");
        assert!((value - known).abs() < 6.0 * error, "{value} ± {error}, not {known}");
    }
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn sum_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

const Y: [f64; 8] = [1.2, 0.4, 2.3, 1.9, -0.3, 1.1, 0.8, 1.6];

/// y ~ N(μ, σ²), μ ~ N(m, τ²).
#[test]
fn a_mean_with_known_variance() {
    let (m, tau, sigma) = (0.5, 2.0, 0.8);
    let model = typed(
        &[("mu", json!({"kind": "normal", "mean": m, "sd": tau}))],
        "-(y - mu)^2/(2*0.8^2) - ln(0.8) - ln(2*pi)/2",
        json!({"y": Y}),
    );
    let n = Y.len() as f64;
    let off = Y.map(|y| y - m);
    let (noise, prior) = (sigma * sigma, tau * tau);
    let square = sum_of_squares(&off) / noise
        - prior * sum(&off) * sum(&off) / (noise * (noise + n * prior));
    assert_evidence(
        &model,
        -0.5 * (n * LN_2_PI + n * ln(noise) + ln(1.0 + n * prior / noise) + square),
    );
}

/// y ~ N(z τ √v, v), z ~ N(0, 1), v ~ inverse gamma(a, b): a multivariate t distribution.
#[test]
fn a_mean_and_a_variance() {
    let (a, b, tau) = (3.0, 2.0, 2.0);
    let model = typed(
        &[
            ("z", json!({"kind": "normal", "mean": 0, "sd": 1})),
            ("v", json!({"kind": "inverseGamma", "shape": a, "scale": b})),
        ],
        "-(y - 2*z*sqrt(v))^2/(2*v) - ln(2*pi*v)/2",
        json!({"y": Y}),
    );
    let n = Y.len() as f64;
    let spread = 1.0 + n * tau * tau;
    let square = sum_of_squares(&Y) - tau * tau * sum(&Y) * sum(&Y) / spread;
    let shape = a + 0.5 * n;
    let known = ln_gamma(shape) - ln_gamma(a) + a * ln(b)
        - shape * ln(b + 0.5 * square)
        - 0.5 * (n * LN_2_PI + ln(spread));
    assert_evidence(&model, known);
}

/// Heads and tails with a beta prior.
#[test]
fn a_coin() {
    let (a, b) = (2.0, 0.5);
    let y = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let model = typed(
        &[("p", json!({"kind": "beta", "a": a, "b": b}))],
        "y*ln(p) + (1 - y)*ln(1 - p)",
        json!({"y": y}),
    );
    let (heads, n) = (sum(&y), y.len() as f64);
    let log_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    assert_evidence(&model, log_beta(a + heads, b + n - heads) - log_beta(a, b));
}

/// Counts with a gamma prior of their rate.
#[test]
fn counts() {
    let (a, b) = (2.5, 0.5);
    let y = [3.0, 5.0, 2.0, 8.0, 4.0, 4.0];
    let log_factorials = y.map(|y| ln_gamma(y + 1.0));
    let model = typed(
        &[("rate", json!({"kind": "gamma", "shape": a, "rate": b}))],
        "y*ln(rate) - rate - logFactorial",
        json!({"y": y, "logFactorial": log_factorials}),
    );
    let (total, n) = (sum(&y), y.len() as f64);
    let known = a * ln(b) - ln_gamma(a) + ln_gamma(a + total)
        - (a + total) * ln(b + n)
        - sum(&log_factorials);
    assert_evidence(&model, known);
}

/// y ~ N(a + b x, σ²), a ~ N(0, τ₁²), b ~ N(0, τ₂²): by the 2 × 2 precision of the posterior.
#[test]
fn a_line() {
    let (sigma, tau) = (0.5, [2.0, 1.5]);
    let x = [-2.0, -1.2, -0.4, 0.1, 0.9, 1.3, 1.8, 2.5];
    let model = typed(
        &[
            ("a", json!({"kind": "normal", "mean": 0, "sd": tau[0]})),
            ("b", json!({"kind": "normal", "mean": 0, "sd": tau[1]})),
        ],
        "-(y - a - b*x)^2/(2*0.5^2) - ln(0.5) - ln(2*pi)/2",
        json!({"x": x, "y": Y}),
    );
    let n = Y.len() as f64;
    let noise = sigma * sigma;
    let [p, q, r] = [
        1.0 / (tau[0] * tau[0]) + n / noise,
        sum(&x) / noise,
        1.0 / (tau[1] * tau[1]) + sum_of_squares(&x) / noise,
    ];
    let product: f64 = x.iter().zip(&Y).map(|(x, y)| x * y).sum();
    let (f, g) = (sum(&Y) / noise, product / noise);
    let det = p * r - q * q;
    let explained = (r * f * f - 2.0 * q * f * g + p * g * g) / det;
    let known = -0.5
        * (n * LN_2_PI
            + n * ln(noise)
            + ln(det * tau[0] * tau[0] * tau[1] * tau[1])
            + sum_of_squares(&Y) / noise
            - explained);
    assert_evidence(&model, known);
}

/// Priors integrate to 1: with no likelihood every chain has weight 1, whatever it does.
#[test]
fn without_a_likelihood_log_z_is_0() {
    let model = typed(
        &[
            ("a", json!({"kind": "halfCauchy", "scale": 2})),
            ("b", json!({"kind": "gamma", "shape": 0.7, "rate": 3})),
            ("c", json!({"kind": "uniform", "min": -1, "max": 5})),
        ],
        "0",
        json!({"y": Y}),
    );
    let spec =
        json!({"verb": "logZ", "model": model, "numChains": 16, "numDistributions": 50, "seed": 1});
    let JobResult::LogZ(result) = unnorm::run(spec).expect("no error") else { unreachable!() };
    assert!(result.log_z.abs() < 1e-12, "{}", result.log_z);
    assert!(result.forward.log_weights.iter().all(|weight| weight.abs() < 1e-12));
}
