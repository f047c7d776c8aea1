//! Errors of fitted parameters by fits to resampled rows: against closed forms and the sandwich, and of
//! fits that have no other.

use crate::common::{fitted, job_of, with};
use serde_json::{Value, json};
use unnorm::fit::{FitResult, ParameterErrors};
use unnorm::rng::{Purpose, below, derived_seed, normal, stream};

const SEED: u64 = 4;

fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, Purpose::Example, 0);
    (0..count).map(|_| normal(&mut rng)).collect()
}

fn fit(spec: &Value) -> FitResult {
    fitted(job_of(&with(json!({"verb": "fit", "seed": SEED}), spec), None).expect("a sound job"))
}

fn errors(result: &FitResult) -> &ParameterErrors {
    result.errors.as_ref().unwrap_or_else(|| panic!("no errors: {:?}", result.warnings))
}

/// Rows of bits that depend on one another, as values.
fn bits(dim: usize, num_rows: usize) -> Value {
    let noise = normals(dim * num_rows, 5);
    let entry = |at: usize| {
        let before = if at.is_multiple_of(dim) { 0.0 } else { noise[at - 1] };
        u8::from(noise[at] + 0.7 * before > 0.2)
    };
    let values: Vec<u8> = (0..dim * num_rows).map(entry).collect();
    json!({"kind": "values", "dim": dim, "values": values})
}

/// The means of resampled rows, of which score matching of a Gaussian makes its own; rows and draws are
/// those of the streams that are documented.
#[test]
fn means_of_resampled_rows_spread_as_they_do() {
    let rows: Vec<f64> = normals(150, 1).iter().map(|x| 3.0 + 2.0 * x).collect();
    let num_fits = 60;
    let result = fit(&json!({
        "model": {
            "kind": "formula", "expression": "a*(x-m)^2/2",
            "params": {"a": {"value": 1, "lower": 0}, "m": 0},
        },
        "states": rows, "objective": {"kind": "scoreMatching"}, "errors": {"bootstrap": num_fits},
        "optimizer": {"kind": "lbfgs", "tolerance": 1e-14},
    }));
    let means: Vec<[f64; 2]> = (0..num_fits)
        .map(|fit| {
            let mut rng =
                stream(derived_seed(SEED, Purpose::Bootstrap, fit), Purpose::Bootstrap, 0);
            let drawn: Vec<f64> =
                (0..rows.len()).map(|_| rows[below(rows.len(), &mut rng)]).collect();
            let count = drawn.len() as f64;
            let mean = drawn.iter().sum::<f64>() / count;
            [mean, count / drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>()]
        })
        .collect();
    let found = errors(&result);
    assert_eq!(found.num_fits, Some(60));
    let named = found.parameters.as_ref().expect("names");
    for (name, column) in [("m", 0), ("a", 1)] {
        let estimate = named.iter().find(|one| one.name == name).expect("a parameter");
        let mut values: Vec<f64> = means.iter().map(|one| one[column]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        let spread = (squares / (values.len() - 1) as f64).sqrt();
        assert!((estimate.standard_error - spread).abs() < 1e-5 * spread, "{name}");
        // 59 · 0.025 = 1.475, and what is as far from the other end. Of a the interval is one of ln a.
        values.sort_by(f64::total_cmp);
        for (end, [near, far]) in
            [(estimate.lower, [values[1], values[2]]), (estimate.upper, [values[58], values[57]])]
        {
            let inside = (near.min(far) - 1e-6..near.max(far) + 1e-6).contains(&end);
            assert!(inside, "{name}: {end} between {near} and {far}");
            let expected = near + 0.475 * (far - near);
            assert!(name == "a" || (end - expected).abs() < 1e-6, "{end} {expected}");
        }
    }
    let covariance = found.covariance.as_ref().expect("two parameters");
    for param in 0..2 {
        let variance = found.standard_errors[param] * found.standard_errors[param];
        assert!((covariance[3 * param] - variance).abs() < 1e-12 * variance);
        assert!(found.lower[param] < found.upper[param]);
    }
    assert!(covariance[1] == covariance[2] && covariance[1] != 0.0);
}

/// With many rows both are the same, but for the chance of 1,000 fits: the relative error of a standard
/// error is 1/√2000, and of six such the bound is.
#[test]
fn a_bootstrap_finds_the_errors_of_the_sandwich() {
    let plain = normals(1200, 2);
    let states: Vec<f64> =
        plain.chunks_exact(2).flat_map(|x| [1.0 + x[0], 0.6 * x[0] - x[1]]).collect();
    let cases = [
        json!({
            "model": {"kind": "gaussian", "dim": 2}, "states": states,
            "objective": {"kind": "maximumLikelihood"},
        }),
        json!({
            "model": {"kind": "ising", "dim": 3}, "data": bits(3, 800),
            "objective": {"kind": "pseudolikelihood"},
        }),
    ];
    for spec in cases {
        let [sandwich, bootstrap] = [json!(true), json!({"bootstrap": 1000})]
            .map(|errors| fit(&with(spec.clone(), &json!({"errors": errors}))));
        assert_eq!(sandwich.model, bootstrap.model);
        let [sandwich, bootstrap] = [errors(&sandwich), errors(&bootstrap)];
        for (at, known) in sandwich.standard_errors.iter().enumerate() {
            let ratio = bootstrap.standard_errors[at] / known;
            println!("{ratio:.3}");
            assert!((ratio - 1.0).abs() < 0.18, "{at}: {ratio}");
            for (found, expected) in [
                (bootstrap.lower[at], sandwich.lower[at]),
                (bootstrap.upper[at], sandwich.upper[at]),
            ] {
                // A percentile is known to some tenth of a standard error.
                assert!((found - expected).abs() < 0.6 * known, "{found} {expected} ± {known}");
            }
        }
    }
}

/// Of every kind of fit that has no other errors; the fit itself is the one without them.
#[test]
fn fits_without_a_mean_over_rows_have_them_too() {
    let data = bits(4, 60);
    let states: Vec<f64> = normals(160, 3);
    let sgd = json!({"kind": "sgd", "numEpochs": 2, "batchSize": 20, "learningRate": 0.05});
    let adam = json!({"kind": "adam", "numEpochs": 2, "batchSize": 20, "learningRate": 0.05});
    let few = json!({"kind": "lbfgs", "maxIterations": 3});
    let ising = json!({"model": {"kind": "ising", "dim": 4}, "data": data});
    let rbm = json!({
        "model": {"kind": "rbm", "numVisible": 4, "numHidden": 2}, "data": data,
        "init": {"kind": "normal", "scale": 0.3},
    });
    let normal = json!({"model": {"kind": "gaussian", "dim": 2}, "states": states});
    let factors = json!({
        "model": {"kind": "linearGenerative", "numObserved": 2, "numLatent": 1, "prior": "gaussian", "basis": [1, 0.5]}, "states": states,
        "init": {"kind": "normal", "scale": 0.5},
    });
    let cases = [
        with(ising.clone(), &json!({"regularizer": {"kind": "l1", "strength": 0.05}})),
        with(
            ising.clone(),
            &json!({"objective": {"kind": "mpf", "excludeData": true}, "optimizer": few}),
        ),
        with(ising.clone(), &json!({"objective": {"kind": "meanField"}})),
        with(ising, &json!({"objective": {"kind": "pseudolikelihood"}, "optimizer": adam})),
        with(
            rbm.clone(),
            &json!({"objective": {"kind": "contrastiveDivergence"}, "optimizer": sgd}),
        ),
        with(
            rbm.clone(),
            &json!({"objective": {"kind": "persistentContrastiveDivergence"}, "optimizer": sgd}),
        ),
        with(
            rbm,
            &json!({"objective": {"kind": "persistentMpf", "numRefreshes": 2}, "optimizer": few}),
        ),
        with(normal.clone(), &json!({"objective": {"kind": "scoreMatching"}, "optimizer": adam})),
        with(normal, &json!({"objective": {"kind": "noiseContrastive"}, "optimizer": few})),
        with(
            factors,
            &json!({"objective": {"kind": "expectationMaximization", "numRefreshes": 2}, "optimizer": few}),
        ),
    ];
    for spec in cases {
        let plain = fit(&spec);
        let found = fit(&with(spec.clone(), &json!({"errors": {"bootstrap": 20}})));
        assert_eq!(plain.model, found.model, "{spec}");
        assert_ne!(plain.digest, found.digest);
        let errors = errors(&found);
        assert_eq!(errors.num_fits, Some(20), "{spec}");
        let is_some = |error: &f64| *error > 0.0 && error.is_finite();
        // With an L1 penalty a coupling may be 0 in all.
        let num_some = errors.standard_errors.iter().filter(|error| is_some(error)).count();
        assert!(2 * num_some > errors.standard_errors.len(), "{spec}: {errors:?}");
    }
}

/// Of more than 512 parameters their covariance is left out, and the errors are there.
#[test]
fn many_parameters_have_errors_without_a_covariance() {
    let result = fit(&json!({
        "model": {"kind": "ising", "dim": 32}, "data": bits(32, 200),
        "objective": {"kind": "pseudolikelihood"}, "regularizer": {"kind": "l2", "strength": 0.01},
        "optimizer": {"kind": "lbfgs", "maxIterations": 5}, "errors": {"bootstrap": 10},
    }));
    let found = errors(&result);
    assert!(found.covariance.is_none());
    assert_eq!(found.standard_errors.len(), 528);
    assert!(found.standard_errors.iter().all(|error| *error > 0.0));
}

/// Rows that differ in one column only where all but one are alike: resampled ones often do not differ there,
/// and such fits are refused.
#[test]
fn fits_that_come_to_nothing_are_said_and_left_out() {
    let mut states = normals(40, 6);
    for (at, entry) in states.iter_mut().enumerate() {
        if at % 2 == 1 {
            *entry = f64::from(u8::from(at == 1));
        }
    }
    let result = fit(&json!({
        "model": {"kind": "gaussian", "dim": 2}, "states": states,
        "objective": {"kind": "noiseContrastive"}, "errors": {"bootstrap": 40},
    }));
    let found = errors(&result);
    let num_fits = found.num_fits.expect("a bootstrap");
    assert!((10..40).contains(&num_fits), "{num_fits}");
    let said = format!("{} of 40 fits to resampled rows came to no parameters", 40 - num_fits);
    assert!(result.warnings.iter().any(|warning| warning.contains(&said)), "{:?}", result.warnings);
}

#[test]
fn what_is_no_bootstrap_is_refused_by_name() {
    let one = json!({
        "verb": "fit", "model": {"kind": "gaussian", "dim": 1}, "states": [1, 2, 3],
        "objective": {"kind": "scoreMatching"}, "seed": 1,
    });
    let stack = json!({
        "verb": "fit", "model": {"kind": "dbn", "sizes": [4, 3]}, "data": bits(4, 20), "seed": 1,
    });
    for (spec, errors, field, words) in [
        (&one, json!({"bootstrap": 9}), "errors.bootstrap", "10"),
        (&one, json!({"bootstrap": 10_001}), "errors.bootstrap", "10"),
        (&stack, json!({"bootstrap": 20}), "errors", "a stack of machines"),
        (&stack, json!(true), "errors", "a stack of machines"),
    ] {
        let spec = with(spec.clone(), &json!({"errors": errors}));
        let error = job_of(&spec, None).err().expect("refused");
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    for errors in [json!("bootstrap"), json!({"bootstrap": -1}), json!({"resample": 20})] {
        let spec = with(one.clone(), &json!({"errors": errors}));
        let error = job_of(&spec, None).err().expect("refused");
        assert!(error.to_string().contains("bootstrap"), "{error}");
    }
}
