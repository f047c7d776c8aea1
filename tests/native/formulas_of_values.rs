//! Formulas of variables with several values through the verbs: fits with errors, samples, what is exact,
//! and what is refused.

use crate::common::{finished, fitted, job_of, sampled, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::BitMatrix;
use unnorm::energy::ExactDraws;
use unnorm::exact::ExactResult;
use unnorm::math::{exp, ln};
use unnorm::models::ModelSpec;
use unnorm::rng::{Purpose, stream};

/// A chain of answers on a scale from 0 to 3 with a yes or no that three of them decide together.
const ENERGY: &str =
    "a*(x-y)^2 + b*(y-z)^2 - c*equal(x, 3) - d*equal(x, y)*equal(y, z)*yes - h*yes*z";
const TRUTH: [(&str, f64); 5] = [("a", 0.4), ("b", 0.2), ("c", -0.5), ("d", 1.3), ("h", 0.3)];

fn model(params: Value) -> Value {
    json!({
        "kind": "formula", "expression": ENERGY, "params": params, "numValues": [4, 4, 4, 2],
        "variables": ["x", "y", "z", "yes"],
    })
}

fn truth() -> Value {
    model(TRUTH.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

fn start() -> Value {
    model(TRUTH.into_iter().map(|(name, _)| (name.to_owned(), json!(0.0))).collect())
}

/// Exact draws, as data.
fn data(num_rows: usize) -> Value {
    let model: ModelSpec = serde_json::from_value(truth()).unwrap();
    let model = model.build().unwrap();
    let draws = model.as_site_values().unwrap().draws().unwrap();
    let mut rows = BitMatrix::zeros(model.dim(), num_rows);
    let mut rng = stream(11, Purpose::Example, 0);
    rows.rows_mut().for_each(|row| draws.draw(&mut rng, row));
    json!({"kind": "bits", "dim": model.dim(), "numRows": num_rows, "bits": rows.to_bytes()})
}

fn exact(spec: &Value) -> ExactResult {
    match finished(job_of(spec, None).unwrap()) {
        JobResult::Exact(result) => result,
        _ => panic!("not exact"),
    }
}

/// Three objectives, each parameter within six of its standard errors, which fails by chance less than
/// once in 10⁷ fits of all.
#[test]
fn fits_find_the_parameters_with_their_errors() {
    let data = data(20_000);
    for kind in ["mpf", "pseudolikelihood", "maximumLikelihood"] {
        let spec = json!({
            "verb": "fit", "model": start(), "data": data, "errors": true, "seed": 1,
            "objective": {"kind": kind},
        });
        let result = fitted(job_of(&spec, None).unwrap());
        assert!(result.converged && result.warnings.is_empty(), "{kind}: {:?}", result.warnings);
        let estimates = result.errors.unwrap().parameters.unwrap();
        assert_eq!(estimates.len(), TRUTH.len());
        for (estimate, (name, value)) in estimates.iter().zip(TRUTH) {
            assert_eq!(estimate.name, name);
            let off = (estimate.value - value).abs() / estimate.standard_error;
            assert!(off < 6.0 && estimate.standard_error < 0.1, "{kind} {name}: {off} errors");
        }
    }
}

/// Shares of values and of pairs of them, within the limits that Potts models keep (a false alarm below
/// 10⁻⁶ in some 200 comparisons).
#[test]
fn chains_have_the_exact_moments() {
    let expected = exact(&json!({"verb": "exact", "model": truth()})).moments.unwrap();
    for scan in ["systematic", "random"] {
        let spec = json!({
            "verb": "sample", "model": truth(), "seed": 2,
            "transition": {"kind": "gibbs", "scan": scan},
            "numChains": 64, "numWarmup": 50, "numDraws": 500,
        });
        let result = sampled(job_of(&spec, None).unwrap());
        let pairs = result.moments.iter().zip(&result.moment_errors).zip(&expected);
        for ((found, error), expected) in pairs {
            assert!((found - expected).abs() <= 8.0 * error + 1e-4, "{found} {expected} {error}");
        }
    }
}

/// What is observed becomes a constant: log Z of the rest adds up over the values of a site.
#[test]
fn log_z_is_a_sum_over_the_values_of_an_observed_site() {
    let log_z = |spec: Value| exact(&spec).log_z;
    let whole = log_z(json!({"verb": "exact", "model": truth()}));
    let parts: f64 = (0..4)
        .map(|value| {
            let observed = json!({"sites": [1], "values": [value]});
            exp(log_z(json!({"verb": "exact", "model": truth(), "observed": observed})))
        })
        .sum();
    assert!((ln(parts) - whole).abs() < 1e-12, "{parts} {whole}");
}

#[test]
fn what_they_lack_is_refused() {
    let fit = json!({"verb": "fit", "model": start(), "data": data(10), "seed": 1});
    let message = |spec: Value| job_of(&spec, None).err().unwrap().to_string();
    for kind in ["contrastiveDivergence", "scoreMatching"] {
        let text = message(with(fit.clone(), &json!({"objective": {"kind": kind}})));
        assert!(text.contains("fitted by pseudolikelihood, mpf or"), "{text}");
    }
    let bad = json!({"kind": "rows", "rows": [[1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]]});
    let mpf = json!({"kind": "mpf"});
    let text = message(with(fit.clone(), &json!({"data": bad, "objective": mpf})));
    assert!(text.contains("several bits on for site 0 in row 0"), "{text}");
    let observed = json!({"sites": [3], "values": [2]});
    let text = message(json!({"verb": "exact", "model": truth(), "observed": observed}));
    assert!(text.contains("site 3 has the values 0 to 1"), "{text}");
    let many = json!({
        "kind": "formula", "expression": (0..12).map(|at| format!("x{at}")).collect::<Vec<_>>().join("+"),
        "numValues": 4,
    });
    let text = message(json!({"verb": "exact", "model": many}));
    assert!(text.contains("model.numValues") && text.contains("sample the model"), "{text}");
    let annealed = json!({
        "verb": "logZ", "model": truth(), "numChains": 10, "numDistributions": 10, "seed": 1,
    });
    assert!(message(annealed).contains("formula"));
    let flips = json!({
        "verb": "sample", "model": truth(), "transition": {"kind": "flipMetropolis"},
        "numChains": 1, "numWarmup": 5, "numDraws": 1, "seed": 1,
    });
    assert!(job_of(&flips, None).is_err());
}
