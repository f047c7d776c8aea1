//! Exact values, found by independent programs: enumeration, one-dimensional integrals, and an integral over
//! UUᵀ for tables of two rows.

use super::{binary, clustering, fixed, low_rank, run, waves};
use serde_json::{Value, json};

/// Model, rows, columns, size of the waves and ln p(Y), with the digits known.
fn truths() -> Vec<(Value, usize, usize, f64, f64, f64)> {
    let sampled = || json!({"kind": "sampled", "shape": 2, "scale": 1});
    vec![
        (clustering(2, 3, fixed()), 7, 2, 2.0, -27.468365942648, 1e-9),
        (clustering(2, 2, fixed()), 5, 2, 2.0, -21.304410094493, 1e-9),
        (clustering(1, 2, fixed()), 5, 1, 3.0, -13.2160366435, 1e-9),
        (clustering(2, 2, sampled()), 5, 2, 2.0, -21.158227267855, 1e-9),
        (binary(2, 2, fixed()), 5, 2, 2.0, -21.230010320667, 1e-9),
        (low_rank(1, 1, fixed()), 7, 1, 2.0, -13.428208800776, 1e-9),
        (low_rank(1, 2, fixed()), 7, 1, 2.0, -13.257821924429, 1e-9),
        (low_rank(1, 3, fixed()), 7, 1, 2.0, -13.309311410298, 1e-9),
    ]
}

#[test]
fn exact_evidence_is_known_to_twelve_digits() {
    for (model, num_rows, num_cols, size, expected, tolerance) in truths() {
        let result = run(json!({
            "model": model, "states": waves(num_rows, num_cols, size), "seed": 1,
            "estimator": {"kind": "exact"},
        }));
        let error = (result.log_z - expected).abs();
        assert!(error < tolerance, "{model}: {} and not {expected}", result.log_z);
        assert_eq!((result.standard_error, result.combination), (0.0, "exact"));
    }
}

/// Estimators that are right at small sizes are within six of their standard errors: 2·10⁻⁹ each.
#[test]
fn estimators_come_to_the_exact_evidence() {
    let mut truths = truths();
    // By an integral over UUᵀ.
    for (order, expected) in [(1, -11.7035289272), (2, -11.5334681935), (3, -11.6150134319)] {
        truths.push((low_rank(3, order, fixed()), 2, 3, 2.0, expected, 1e-9));
    }
    for (model, num_rows, num_cols, size, expected, _) in truths {
        for estimator in [
            json!({"kind": "annealing", "numDistributions": 200}),
            json!({"kind": "likelihoodWeighting", "numDraws": 4000}),
            json!({"kind": "particleLearning", "numSweeps": 2}),
            json!({"kind": "thermodynamicIntegration", "numDistributions": 500}),
        ] {
            let result = run(json!({
                "model": model, "states": waves(num_rows, num_cols, size), "seed": 5,
                "estimator": estimator, "numTrials": 200,
            }));
            let errors = (result.log_z - expected).abs() / result.standard_error;
            assert!(errors < 6.0, "{model} {estimator}: {} and not {expected}", result.log_z);
            assert!(result.standard_error < 0.2, "{model} {estimator}: {}", result.standard_error);
        }
    }
}
