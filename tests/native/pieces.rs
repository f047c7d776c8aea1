//! A shard worked piece by piece gives the bytes of the shard worked at once.

use unnorm::Job;
use unnorm::bits::BitMatrix;
use unnorm::run::Unfinished;

fn job(dim: usize, num_rows: usize, rest: &str) -> Job {
    let json = format!(
        r#"{{"verb": "fit", "seed": 1, "init": {{"kind": "normal", "scale": 0.1}}, {rest}}}"#
    );
    let mut rows = BitMatrix::zeros(dim, num_rows);
    for (index, row) in rows.rows_mut().enumerate() {
        for site in 0..dim {
            let mixed = ((index * dim + site) as u32).wrapping_mul(2_654_435_761);
            row[site / 64] |= u64::from(mixed >> 17 & 1) << (site % 64);
        }
    }
    crate::common::job_with(&serde_json::from_str(&json).expect("JSON"), rows).expect("a sound job")
}

/// Works all shards of a round both ways; the largest number of pieces.
fn most_pieces(mut job: Job) -> usize {
    let broadcast = job.coordinator().broadcast();
    job.coordinator_mut().worker_mut().prepare(&broadcast);
    let coordinator = job.coordinator();
    let worker = coordinator.worker();
    let mut unfinished = Unfinished::default();
    let mut most = 0;
    for shard in 0..worker.num_shards() {
        let scattered = coordinator.scatter(shard);
        let mut count = 1;
        let part = loop {
            match worker.work_piece(shard, &scattered, &mut unfinished) {
                Some(part) => break part,
                None => count += 1,
            }
        };
        assert_eq!(part, worker.work(shard, &scattered), "shard {shard}");
        most = most.max(count);
    }
    most
}

#[test]
fn sums_over_flips() {
    let model = r#""model": {"kind": "rbm", "numVisible": 300, "numHidden": 300}"#;
    for objective in [
        r#"{"kind": "mpf"}"#,
        r#"{"kind": "pseudolikelihood"}"#,
        r#"{"kind": "mpf", "connectivity": {"kind": "singleAndAllFlips"}}"#,
    ] {
        let rest = format!(
            r#"{model}, "objective": {objective}, "regularizer": {{"kind": "l2", "strength": 0.1}}"#
        );
        assert!(most_pieces(job(300, 130, &rest)) > 1, "{objective}");
    }
}

#[test]
fn minibatches_and_chains() {
    let model = r#""model": {"kind": "rbm", "numVisible": 1000, "numHidden": 1100}"#;
    let optimizer = r#""optimizer": {"kind": "adam", "batchSize": 24}"#;
    for objective in [
        r#"{"kind": "mpf"}"#,
        r#"{"kind": "contrastiveDivergence", "numSteps": 1}"#,
        r#"{"kind": "persistentContrastiveDivergence", "numChains": 17, "numSteps": 1}"#,
    ] {
        let rest = format!(r#"{model}, "objective": {objective}, {optimizer}"#);
        assert!(most_pieces(job(1000, 24, &rest)) > 1, "{objective}");
    }
}

/// Losses at rows of numbers, with what belongs to no row, in all data and in minibatches.
#[test]
fn rows_of_numbers() {
    let numbers = |count: i32| -> Vec<f64> {
        (0..i64::from(count)).map(|at| (at * 7919 % 1013 - 506) as f64 / 256.0).collect()
    };
    let experts = |dim: i32, num_experts: i32, expert: &str| {
        serde_json::json!({
            "kind": "productOfExperts", "dim": dim, "expert": expert, "numExperts": num_experts,
            "filters": if num_experts == dim { None } else { Some(numbers(dim * num_experts)) },
        })
    };
    for (num_rows, dim, model, objective, optimizer) in [
        (
            400,
            150,
            experts(150, 150, "laplace"),
            r#"{"kind": "maximumLikelihood"}"#,
            r#"{"kind": "lbfgs"}"#,
        ),
        (
            100,
            150,
            experts(150, 300, "studentT"),
            r#"{"kind": "scoreMatching", "numSlices": 6}"#,
            r#"{"kind": "lbfgs"}"#,
        ),
        (
            48,
            600,
            experts(600, 1100, "studentT"),
            r#"{"kind": "scoreMatching", "numSlices": 2}"#,
            r#"{"kind": "sgd"}"#,
        ),
    ] {
        let objective: serde_json::Value = serde_json::from_str(objective).expect("JSON");
        let optimizer: serde_json::Value = serde_json::from_str(optimizer).expect("JSON");
        let json = serde_json::json!({
            "verb": "fit", "seed": 1, "model": model, "states": numbers(num_rows * dim),
            "objective": objective, "optimizer": optimizer,
        });
        let job = crate::common::job_of(&json, None).expect("a sound job");
        assert!(most_pieces(job) > 1, "{objective}");
    }
}

/// Rows, a machine's smaller side and a frontier's tables.
#[test]
fn exact_answers() {
    let values: Vec<u8> =
        (0..400 * 300).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 17 & 1) as u8).collect();
    let data = serde_json::json!({"kind": "values", "dim": 400, "values": values});
    for model in [
        serde_json::json!({"kind": "rbm", "numVisible": 400, "numHidden": 15}),
        serde_json::json!({
            "kind": "ising", "dim": 400, "uniform": {"coupling": 0.3, "field": 0.1},
            "pattern": {"kind": "lattice", "numRows": 25, "numCols": 16},
        }),
        serde_json::json!({"kind": "ising", "dim": 400}),
    ] {
        let json = serde_json::json!({"verb": "exact", "model": model, "data": data});
        let job = crate::common::job_of(&json, None).expect("a sound job");
        assert!(most_pieces(job) > 1, "{model}");
    }
}

/// Annealing of chains of bits, and of chains on the reals; and of rows
/// that have a run each.
#[test]
fn annealing() {
    // With a step size there are no pilot runs, whose rounds are short.
    let hais = serde_json::json!({
        "kind": "hmc", "numLeapfrogSteps": 1, "momentumRefresh": 0.2, "stepSize": 0.3,
    });
    for rest in [
        serde_json::json!({"model": {"kind": "rbm", "numVisible": 784, "numHidden": 500}}),
        serde_json::json!({"model": {"kind": "ising", "dim": 300}, "numStepsPerDistribution": 2}),
        serde_json::json!({
            "model": {"kind": "productOfExperts", "dim": 36, "expert": "laplace"}, "transition": hais,
        }),
        serde_json::json!({
            "model": {"kind": "gaussian", "dim": 8}, "path": {"kind": "momentAverages"},
            "transition": {"kind": "gibbs"},
        }),
        serde_json::json!({
            "model": {"kind": "linearGenerative", "numObserved": 9, "numLatent": 9, "prior": "laplace"},
            "states": vec![0.5; 27], "transition": hais,
        }),
    ] {
        let mut json = serde_json::json!({
            "verb": "logZ", "numChains": 200, "numDistributions": 60_000, "seed": 1,
            "schedule": {"kind": "linear"},
        });
        for (name, value) in rest.as_object().expect("an object") {
            json[name] = value.clone();
        }
        let job = crate::common::job_of(&json, None).expect("a sound job");
        assert!(most_pieces(job) > 1, "{rest:.100}");
    }
}

/// Products of patches, and states of many components.
#[test]
fn patches() {
    let pixels: Vec<u8> =
        (0..64 * 64).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 17) as u8).collect();
    let json = serde_json::json!({
        "verb": "patches", "pictures": [{"width": 64, "height": 64, "pixels": pixels}], "patchSize": 9,
        "numComponents": 81, "numPatches": 900, "numTest": 300, "seed": 1,
    });
    let mut job = crate::common::job_of(&json, None).expect("a sound job");
    // Sums, products, components, states.
    for expected in [1, 4, 1, 2] {
        let stopped =
            crate::common::job_of(&json, Some(&job.snapshot())).expect("its own checkpoint");
        assert_eq!(most_pieces(stopped), expected);
        job.advance(1);
    }
    assert!(job.is_done());
}
