//! Diagnostics of chains: agreement with ArviZ on the draws in
//! `tests/data/diagnostics` (made by `make.py` there), and defined outcomes where
//! there is nothing to say.

use serde_json::Value;
use unnorm::diagnostics::{
    Draws, Summary, autocovariance, beta_quantile, ebfmi, ess_bulk, ess_mean, ess_quantile, ess_sd,
    ess_tail, integrated_autocorrelation_time, mcse_mean, mcse_quantile, mcse_sd, normal_quantile,
    rhat, rhat_bulk, rhat_tail,
};

fn read(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// The numbers of an array, or one; null is NaN.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        Value::Null => vec![f64::NAN],
        value => vec![value.as_f64().expect("a number")],
    }
}

fn assert_agrees(case: &str, figure: &str, ours: &[f64], theirs: &[f64], scale: f64) {
    assert_eq!(ours.len(), theirs.len(), "{case}: {figure}");
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let agrees = (ours.is_nan() && theirs.is_nan())
            || (ours - theirs).abs() <= 1e-6 * theirs.abs().max(scale);
        assert!(agrees, "{case}: {figure}[{at}] is {ours}, and of ArviZ {theirs}");
    }
}

#[test]
fn figures_of_arviz() {
    let mut num_cases = 0;
    for entry in std::fs::read_dir("tests/data/diagnostics").expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json")
            || path.ends_with("quantiles.json")
        {
            continue;
        }
        num_cases += 1;
        let fixture = read(&path);
        let case = fixture["case"].as_str().expect("a name");
        let values = numbers(&fixture["draws"]);
        let draws = Draws::new(numbers(&fixture["numChains"])[0] as usize, &values).unwrap();
        assert_eq!(draws.num_draws() as f64, numbers(&fixture["numDraws"])[0]);
        let probabilities = numbers(&fixture["probabilities"]);
        let of_quantiles = |f: fn(Draws<'_>, f64) -> f64| -> Vec<f64> {
            probabilities.iter().map(|&p| f(draws, p)).collect()
        };
        let figures = fixture["figures"].as_object().expect("figures");
        assert_eq!(figures.len(), 13);
        for (figure, theirs) in figures {
            let mut scale = 0.0;
            let ours = match figure.as_str() {
                "rhat" => vec![rhat(draws)],
                "rhatBulk" => vec![rhat_bulk(draws)],
                "rhatTail" => vec![rhat_tail(draws)],
                "essBulk" => vec![ess_bulk(draws)],
                "essTail" => vec![ess_tail(draws)],
                "essMean" => vec![ess_mean(draws)],
                "essSd" => vec![ess_sd(draws)],
                "essQuantile" => of_quantiles(ess_quantile),
                "mcseMean" => vec![mcse_mean(draws)],
                "mcseSd" => vec![mcse_sd(draws)],
                "mcseQuantile" => of_quantiles(mcse_quantile),
                "ebfmi" => ebfmi(draws),
                "autocovariance" => {
                    // Differences of like numbers: what counts is the variance.
                    let mut ours = autocovariance(draws.chains().next().expect("a chain"));
                    scale = 1e-6 * ours[0];
                    ours.truncate(20);
                    ours
                }
                other => panic!("no figure {other}"),
            };
            let theirs = numbers(theirs);
            if case == "stuck" && figure.starts_with("rhat") {
                // No variance within chains: theirs is what rounding left of it.
                assert!(ours == [f64::INFINITY] && theirs[0] > 1e12, "{ours:?}");
            } else {
                assert_agrees(case, figure, &ours, &theirs, scale);
            }
        }
        let summary = Summary::of(draws);
        let of_summary =
            [summary.mcse_mean, summary.mcse_sd, summary.ess_bulk, summary.ess_tail, summary.rhat];
        let alone =
            [mcse_mean(draws), mcse_sd(draws), ess_bulk(draws), ess_tail(draws), rhat(draws)];
        assert_eq!(of_summary.map(f64::to_bits), alone.map(f64::to_bits));
    }
    assert_eq!(num_cases, 24, "all files are there");
}

#[test]
fn quantiles_of_scipy() {
    let fixture = read("tests/data/diagnostics/quantiles.json".as_ref());
    let normals = fixture["normal"].as_array().expect("an array");
    assert!(normals.len() > 10);
    for triple in normals {
        let [p, theirs] = numbers(triple)[..] else { panic!("no pair") };
        let ours = normal_quantile(p);
        assert!((ours - theirs).abs() <= 2e-15 * theirs.abs(), "{p}: {ours} {theirs}");
    }
    let betas = fixture["beta"].as_array().expect("an array");
    assert!(betas.len() > 20);
    for row in betas {
        let [p, a, b, theirs] = numbers(row)[..] else { panic!("no four numbers") };
        let ours = beta_quantile(p, a, b);
        let tolerance = if a + b < 1e3 { 1e-12 } else { 1e-8 };
        assert!((ours / theirs - 1.0).abs() <= tolerance, "{p} {a} {b}: {ours} {theirs}");
    }
}

/// All figures of a quantity, but for those of each chain.
fn all(draws: Draws<'_>) -> Vec<(&'static str, f64)> {
    vec![
        ("rhat", rhat(draws)),
        ("rhat_bulk", rhat_bulk(draws)),
        ("rhat_tail", rhat_tail(draws)),
        ("ess_bulk", ess_bulk(draws)),
        ("ess_tail", ess_tail(draws)),
        ("ess_mean", ess_mean(draws)),
        ("ess_sd", ess_sd(draws)),
        ("ess_quantile", ess_quantile(draws, 0.5)),
        ("integrated_autocorrelation_time", integrated_autocorrelation_time(draws)),
        ("mcse_mean", mcse_mean(draws)),
        ("mcse_sd", mcse_sd(draws)),
        ("mcse_quantile", mcse_quantile(draws, 0.5)),
    ]
}

const FINE: [f64; 16] =
    [0.3, -1.2, 0.8, 2.0, -0.4, 0.1, -0.9, 1.3, 0.6, -0.2, 1.1, -1.7, 0.5, 0.9, -0.6, 0.2];

#[test]
fn nothing_is_said_of_nan_or_too_few_draws() {
    for at in [0, 7, 15] {
        let mut values = FINE;
        values[at] = f64::NAN;
        for (figure, value) in all(Draws::new(2, &values).unwrap()) {
            assert!(value.is_nan(), "{figure}");
        }
    }
    for (figure, value) in all(Draws::new(4, &FINE[..12]).unwrap()) {
        assert!(value.is_nan(), "{figure}");
    }
    for (figure, value) in all(Draws::new(4, &FINE).unwrap()) {
        assert!(value.is_finite(), "{figure}");
    }
}

#[test]
fn infinite_draws_count_by_their_ranks() {
    let mut values = FINE;
    values[3] = f64::INFINITY;
    values[11] = f64::NEG_INFINITY;
    let mut ranked = FINE;
    ranked[3] = 1e6;
    ranked[11] = -1e6;
    let (infinite, ranked) =
        (all(Draws::new(2, &values).unwrap()), all(Draws::new(2, &ranked).unwrap()));
    for ((figure, infinite), (_, ranked)) in infinite.into_iter().zip(ranked) {
        match figure {
            "ess_mean" | "ess_sd" | "mcse_mean" | "mcse_sd" | "integrated_autocorrelation_time" => {
                assert!(infinite.is_nan(), "{figure}: {infinite}");
            }
            // The two largest distances, equal or nearly so, are both at the top.
            "rhat" | "rhat_tail" => assert!((infinite / ranked - 1.0).abs() < 0.2, "{figure}"),
            _ => assert_eq!(infinite, ranked, "{figure}"),
        }
    }
    // The 95 % quantile may be a number or ∞; most draws infinite, it is ∞ for sure.
    assert_eq!(mcse_quantile(Draws::new(2, &values).unwrap(), 0.95), f64::INFINITY);
    values[4..].fill(f64::INFINITY);
    assert!(mcse_quantile(Draws::new(2, &values).unwrap(), 0.95).is_nan());
}

#[test]
fn probabilities_outside_are_nan() {
    let draws = Draws::new(2, &FINE).unwrap();
    for outside in [-0.01, 1.01, f64::NAN] {
        assert!(ess_quantile(draws, outside).is_nan());
        assert!(mcse_quantile(draws, outside).is_nan());
    }
    assert!(ess_quantile(draws, 0.0).is_finite() && mcse_quantile(draws, 0.0).is_finite());
    assert_eq!(ess_quantile(draws, 1.0), 16.0);
}
