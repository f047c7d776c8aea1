//! What fits of binary models say where the model's states are unlike the data, and that they say nothing where they
//! are like them. The truth is the likelihood by enumeration.

use crate::common::{energies, fitted, job_with, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::{BitMatrix, flip};
use unnorm::exact;
use unnorm::fit::FitResult;
use unnorm::models::ModelSpec;
use unnorm::rng::{Purpose, normal, stream};

/// Units that are on in a few rows in a hundred, and together: `x_i = [√ρ c + √(1 − ρ) n_i > t_i]` of normal
/// numbers, the thresholds t_i two standard deviations up and more or less.
fn sparse_rows(dim: usize, correlation: f64, num_rows: usize, index: u64) -> BitMatrix {
    let mut rng = stream(88, Purpose::Example, index);
    let thresholds: Vec<f64> = (0..dim).map(|_| 2.0 + 0.3 * normal(&mut rng)).collect();
    let mut rows = BitMatrix::zeros(dim, num_rows);
    for row in rows.rows_mut() {
        let common = correlation.sqrt() * normal(&mut rng);
        for (site, threshold) in thresholds.iter().enumerate() {
            if common + (1.0 - correlation).sqrt() * normal(&mut rng) > *threshold {
                flip(row, site);
            }
        }
    }
    rows
}

fn fit(data: &BitMatrix, fields: &Value) -> FitResult {
    let spec = json!({"verb": "fit", "model": {"kind": "ising", "dim": data.dim()}, "seed": 3});
    fitted(job_with(&with(spec, fields), data.clone()).unwrap())
}

/// In nats a row.
fn log_likelihood(model: &ModelSpec, rows: &BitMatrix) -> f64 {
    let model = model.build().unwrap();
    let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    -energies(&*model, rows).iter().sum::<f64>() / rows.num_rows() as f64 - log_z
}

fn flow(connectivity: &str) -> Value {
    json!({"objective": {"kind": "mpf", "connectivity": {"kind": connectivity}}})
}

#[test]
fn a_fit_that_is_far_from_sparse_data_says_so_and_the_default_is_not() {
    let data = sparse_rows(14, 0.3, 20_000, 0);
    let best = fit(&data, &json!({"objective": {"kind": "maximumLikelihood"}}));
    assert!(best.warnings.is_empty() && best.connectivity.is_none());
    let gap = |result: &FitResult| {
        log_likelihood(&best.model, &data) - log_likelihood(&result.model, &data)
    };

    let single = fit(&data, &flow("singleFlips"));
    assert!(gap(&single) > 1.0, "{}", gap(&single));
    assert_eq!(single.warnings.len(), 1, "{:?}", single.warnings);
    let said = &single.warnings[0];
    assert!(said.contains("states likely that the data do not show"), "{said}");
    assert!(said.contains("Use objective maximumLikelihood") && said.contains("singleAndAllFlips"));

    let default = fit(&data, &json!({}));
    assert_eq!(default.connectivity, Some("singleAndAllFlips"));
    assert!(gap(&default) < 0.1, "{}", gap(&default));
    assert!(default.warnings.is_empty(), "{:?}", default.warnings);
    assert_eq!(default.digest, fit(&data, &flow("singleAndAllFlips")).digest);
}

/// Too many units to enumerate: chains find the same out.
#[test]
fn chains_find_out_where_states_cannot_be_counted() {
    let data = sparse_rows(40, 0.3, 5_000, 1);
    for objective in [flow("singleFlips"), json!({"objective": {"kind": "pseudolikelihood"}})] {
        let result = fit(&data, &objective);
        assert!(result.converged);
        let said = result.warnings.first().expect("a warning");
        assert!(
            said.contains("of 40 sites on in the mean") && said.contains("by chains"),
            "{said}"
        );
    }
    // Independent units are easy, and all is well.
    let data = sparse_rows(40, 0.0, 20_000, 2);
    let result = fit(&data, &flow("singleFlips"));
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
}

/// Persistent flow with few samples runs away from them, and does not keep it to itself.
#[test]
fn persistent_flow_that_leaves_its_samples_says_so() {
    let data = sparse_rows(14, 0.3, 20_000, 0);
    let best = fit(&data, &json!({"objective": {"kind": "maximumLikelihood"}}));
    for num_chains in [500, 20_000] {
        let result = fit(
            &data,
            &json!({"objective": {"kind": "persistentMpf", "numChains": num_chains, "numSteps": 5}}),
        );
        let gap = log_likelihood(&best.model, &data) - log_likelihood(&result.model, &data);
        assert!(gap < 0.1 || !result.warnings.is_empty(), "{num_chains}: {gap}");
        assert!(num_chains > 500 || gap > 0.1, "{num_chains}: {gap}, nothing to warn of");
    }
}

fn packed(file: &str, dim: usize, num_rows: usize) -> BitMatrix {
    let bytes = std::fs::read(file).expect("the data");
    BitMatrix::from_bytes(dim, num_rows, &bytes[..num_rows * dim.div_ceil(8)]).expect("sound data")
}

/// Two spin glasses, on a lattice and fully connected, and handwritten digits.
#[test]
fn dense_data_are_no_reason_to_warn() {
    let lattice = packed("www/data/spin-glass-10x10.bits", 100, 20_000);
    let pattern = json!({"kind": "lattice", "numRows": 10, "numCols": 10});
    let model = json!({"kind": "ising", "dim": 100, "pattern": pattern});
    let dense = packed("tests/data/spin-glass-40-dense.bits", 40, 20_000);
    let digits = packed("www/data/mnist-binary-9000.bits", 784, 1_000);
    let machine = json!({"kind": "rbm", "numVisible": 784, "numHidden": 20});
    let machine = json!({"model": machine, "init": {"kind": "dataMeans", "scale": 0.01},
        "optimizer": {"kind": "adam", "numEpochs": 3}});
    let contrastive =
        with(machine.clone(), &json!({"objective": {"kind": "contrastiveDivergence"}}));
    for (data, fields) in [
        (&lattice, json!({"model": model})),
        (&lattice, with(flow("singleAndAllFlips"), &json!({"model": model}))),
        (&lattice, json!({"model": model, "objective": {"kind": "pseudolikelihood"}})),
        (&dense, json!({})),
        (&dense, json!({"objective": {"kind": "pseudolikelihood"}})),
        (&dense, json!({"objective": {"kind": "meanField"}})),
        (&digits, machine),
        (&digits, contrastive),
    ] {
        let result = fit(data, &fields);
        assert!(result.warnings.is_empty(), "{fields}: {:?}", result.warnings);
    }
}

/// The check is part of the job: a stop between fit and check, and more workers, change nothing.
#[test]
fn a_fit_stopped_before_its_check_goes_on_to_the_same_warnings() {
    for (dim, num_rows, index) in [(14, 20_000, 0), (40, 5_000, 1)] {
        let data = sparse_rows(dim, 0.3, num_rows, index);
        let spec = json!({"verb": "fit", "model": {"kind": "ising", "dim": dim}, "seed": 3});
        let spec = with(spec, &flow("singleFlips"));
        let mut job = job_with(&spec, data.clone()).unwrap();
        let mut before_last = job.snapshot();
        while !job.is_done() {
            before_last = job.snapshot();
            job.advance(1);
        }
        let spec = crate::common::spec_of(&spec).unwrap();
        let mut resumed = unnorm::Job::new(spec, Some(data), Some(&before_last)).unwrap();
        assert!(!resumed.is_done() && resumed.result().is_none());
        resumed.advance(1);
        let (Some(JobResult::Fit(whole)), Some(JobResult::Fit(resumed))) =
            (job.result(), resumed.result())
        else {
            panic!("both are done")
        };
        assert!(!whole.warnings.is_empty());
        assert_eq!(whole, resumed);
    }
}
