//! Stopping a job and going on from its checkpoint changes no bit, and nothing
//! but a checkpoint of the very same job is gone on from.

use crate::common::{finished, job_of, job_with};
use unnorm::Job;
use unnorm::data::from_values;
use unnorm::run::checkpoint::Checkpoint;
use unnorm::{JobResult, Progress};

fn digest_of(job: Job) -> String {
    finished(job).digest().to_owned()
}

/// 60 rows of 6 bits that look random.
fn rows() -> serde_json::Value {
    let bits = (0..360u64).map(|at| u64::from(((at * 2_654_435_761) >> 13) % 5 < 2));
    serde_json::json!({"kind": "values", "dim": 6, "values": bits.collect::<Vec<_>>()})
}

fn fit() -> serde_json::Value {
    serde_json::json!({
        "verb": "fit", "model": {"kind": "ising", "dim": 6}, "data": rows(), "seed": 3,
        "init": {"kind": "normal", "scale": 1},
        "optimizer": {"kind": "lbfgs", "memory": 3, "maxIterations": 100},
    })
}

/// The coordinates of a metric, computed anew by whoever resumes.
fn natural_coordinates(form: &str) -> serde_json::Value {
    serde_json::json!({"kind": "metric", "metric": "fisher", "form": form})
}

fn natural_fit() -> serde_json::Value {
    let mut spec = fit();
    spec["optimizer"]["coordinates"] = natural_coordinates("full");
    spec
}

/// A fit of 60 rows in another way: epochs of three minibatches, the last one smaller.
fn fit_by(objective: serde_json::Value, optimizer: &str) -> serde_json::Value {
    let mut spec = fit();
    spec["objective"] = objective;
    spec["optimizer"] = serde_json::json!({"kind": optimizer, "batchSize": 26, "numEpochs": 4});
    spec
}

fn stochastic() -> [serde_json::Value; 5] {
    let mut natural = fit_by(serde_json::json!({"kind": "mpf"}), "sgd");
    natural["optimizer"]["coordinates"] = natural_coordinates("diagonal");
    natural["optimizer"]["learningRate"] = serde_json::json!({"start": 0.01, "end": 0.01});
    let mut rbm = fit_by(
        serde_json::json!({"kind": "persistentContrastiveDivergence", "numChains": 70, "numSteps": 2}),
        "adam",
    );
    rbm["model"] = serde_json::json!({"kind": "rbm", "numVisible": 6, "numHidden": 3});
    rbm["regularizer"] = serde_json::json!({"kind": "l1", "strength": 0.1});
    [
        rbm,
        fit_by(serde_json::json!({"kind": "contrastiveDivergence", "numSteps": 3}), "sgd"),
        fit_by(serde_json::json!({"kind": "pseudolikelihood"}), "sgd"),
        fit_by(serde_json::json!({"kind": "mpf"}), "adam"),
        natural,
    ]
}

/// Fits of models on the reals: all that is drawn at a row is drawn anew by whoever resumes.
fn of_reals() -> Vec<serde_json::Value> {
    let states: Vec<f64> = (0..120)
        .map(|at: i32| f64::from(at * 7919 % 101 - 50) / (20.0 + f64::from(at % 3)))
        .collect();
    let lbfgs = serde_json::json!({"kind": "lbfgs", "memory": 3, "maxIterations": 8});
    let adam = serde_json::json!({"kind": "adam", "batchSize": 26, "numEpochs": 4});
    let t = serde_json::json!({"kind": "productOfExperts", "dim": 2, "expert": "studentT"});
    let gaussian = serde_json::json!({"kind": "gaussian", "dim": 2});
    let relative = serde_json::json!({
        "kind": "lbfgs", "maxIterations": 8, "coordinates": {"kind": "relative", "refreshEvery": 3},
    });
    let metric = serde_json::json!({
        "kind": "sgd", "batchSize": 26, "numEpochs": 4, "momentum": 0.5,
        "coordinates": {"kind": "metric", "metric": "fisher", "form": "full", "refreshEvery": 2},
    });
    let ball = serde_json::json!({"kind": "mpf", "connectivity": {"kind": "ball", "radius": 0.5, "numSamples": 4}});
    [
        (serde_json::json!({"kind": "ica", "dim": 2}), serde_json::json!({"kind": "maximumLikelihood"}), &lbfgs),
        (t.clone(), serde_json::json!({"kind": "scoreMatching", "numSlices": 2}), &lbfgs),
        (gaussian.clone(), serde_json::json!({"kind": "denoisingScoreMatching", "noise": 0.5}), &lbfgs),
        (t, serde_json::json!({"kind": "scoreMatching"}), &adam),
        (gaussian.clone(), serde_json::json!({"kind": "denoisingScoreMatching", "noise": 0.5}), &adam),
        (gaussian.clone(), ball, &adam),
        // Coordinates that are taken anew.
        (serde_json::json!({"kind": "ica", "dim": 2}), serde_json::json!({"kind": "maximumLikelihood"}), &relative),
        (gaussian, serde_json::json!({"kind": "maximumLikelihood"}), &metric),
    ]
    .into_iter()
    .map(|(model, objective, optimizer)| {
        serde_json::json!({
            "verb": "fit", "model": model, "states": states, "objective": objective, "optimizer": optimizer,
            "init": {"kind": "normal", "scale": 0.2}, "seed": 3,
        })
    })
    .collect()
}

/// A stack whose machines are fitted by minibatches, two epochs of three each.
fn stack() -> serde_json::Value {
    let mut spec = fit_by(serde_json::json!({"kind": "mpf"}), "adam");
    spec["optimizer"]["numEpochs"] = 2.into();
    spec["model"] = serde_json::json!({"kind": "dbn", "sizes": [6, 5, 70, 3]});
    spec
}

fn mean_field() -> serde_json::Value {
    let mut spec = fit();
    let fields = spec.as_object_mut().expect("an object");
    fields.remove("init");
    fields.remove("optimizer");
    fields.insert("objective".into(), serde_json::json!({"kind": "meanField"}));
    spec
}

fn persistent_mpf() -> serde_json::Value {
    let mut spec = fit();
    spec["objective"] = serde_json::json!({"kind": "persistentMpf", "numChains": 70, "numSteps": 2, "numRefreshes": 3});
    spec["optimizer"] = serde_json::json!({"kind": "lbfgs", "memory": 3, "maxIterations": 4});
    spec["regularizer"] = serde_json::json!({"kind": "l2", "strength": 0.01});
    spec
}

/// Fits of models on the reals with chains: by turns, and by minibatches, of which there are
/// three an epoch. Step sizes that are adapted are part of the state.
fn with_chains_on_the_reals() -> [serde_json::Value; 4] {
    let states: Vec<f64> = (0..120u32).map(|at| f64::from(at * 7919 % 101) / 25.0 - 2.0).collect();
    let spec = |model: serde_json::Value, objective, optimizer| {
        serde_json::json!({
            "verb": "fit", "model": model, "states": states, "seed": 3, "objective": objective,
            "optimizer": optimizer, "regularizer": {"kind": "l2", "strength": 0.01},
        })
    };
    let gaussian = serde_json::json!({"kind": "gaussian", "dim": 2});
    let generative = serde_json::json!({
        "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "laplace", "noise": 0.5,
    });
    let lbfgs = serde_json::json!({"kind": "lbfgs", "memory": 3, "maxIterations": 3});
    let adam = serde_json::json!({"kind": "adam", "batchSize": 26, "numEpochs": 4});
    [
        spec(
            gaussian.clone(),
            serde_json::json!({"kind": "persistentMpf", "numChains": 70, "numSteps": 2, "numRefreshes": 3}),
            lbfgs.clone(),
        ),
        spec(
            generative,
            serde_json::json!({"kind": "expectationMaximization", "numSteps": 2, "numRefreshes": 3}),
            lbfgs,
        ),
        spec(
            gaussian.clone(),
            serde_json::json!({
                "kind": "persistentContrastiveDivergence", "numChains": 70, "numSteps": 2,
                "restartProbability": 0.1, "restartNoise": "uniform", "numMoved": 14,
                "energyPenalty": 0.01,
            }),
            adam.clone(),
        ),
        spec(
            gaussian,
            serde_json::json!({
                "kind": "contrastiveDivergence", "numSteps": 2, "transition": {"kind": "langevin"},
            }),
            adam,
        ),
    ]
}

fn sample() -> serde_json::Value {
    serde_json::json!({
        "verb": "sample", "model": {"kind": "ising", "dim": 6, "pattern": {"kind": "lattice", "numRows": 2, "numCols": 3}},
        "transition": {"kind": "gibbs"}, "numChains": 5, "numWarmup": 60000, "numDraws": 9000, "numStepsPerDraw": 2,
        "start": {"kind": "data", "data": rows()}, "seed": 8,
    })
}

fn tempered() -> serde_json::Value {
    serde_json::json!({
        "verb": "sample", "numChains": 5, "numWarmup": 3000, "numDraws": 2000, "seed": 8,
        "model": {
            "kind": "ising", "dim": 6, "pattern": {"kind": "lattice", "numRows": 2, "numCols": 3},
            "uniform": {"coupling": 0.7},
        },
        "transition": {"kind": "parallelTempering", "numRungs": 4, "transition": {"kind": "gibbs"}},
        "start": {"kind": "data", "data": rows()}, "recordPath": true,
    })
}

/// Hidden variables of tables, each model with variances of another kind than its neighbour; and all
/// clusters of a table, in two rounds.
fn hidden_variables() -> Vec<serde_json::Value> {
    let states: Vec<f64> = (0..36u32).map(|at| f64::from(at * 7919 % 101) / 25.0 - 2.0).collect();
    let sampled = serde_json::json!({"kind": "sampled", "shape": 3, "scale": 2});
    let fixed = serde_json::json!({"kind": "fixed", "noise": 0.5});
    let models = [
        serde_json::json!({"kind": "clustering", "numClusters": 3, "variances": sampled}),
        serde_json::json!({"kind": "clustering", "numClusters": 2, "variances": fixed}),
        serde_json::json!({"kind": "lowRank", "numFactors": 2, "variances": sampled}),
        serde_json::json!({"kind": "binaryAttributes", "numAttributes": 2, "variances": fixed}),
        serde_json::json!({"kind": "binaryAttributes", "numAttributes": 3, "variances": sampled}),
    ];
    let table = |dim: usize, states: &[f64]| serde_json::json!({"dim": dim, "states": states});
    let sample = |model: serde_json::Value| {
        serde_json::json!({
            "verb": "sample", "model": crate::common::with(model, &table(3, &states)), "seed": 8,
            "transition": {"kind": "gibbs"}, "numChains": 5, "numWarmup": 9000, "numDraws": 3000,
            "numStepsPerDraw": 3,
        })
    };
    let exact = |model: &serde_json::Value, states: &[f64]| {
        let model = crate::common::with(model.clone(), &table(1, states));
        serde_json::json!({"verb": "exact", "model": model})
    };
    let of_clusters = [exact(&models[0], &states[..5]), exact(&models[1], &states[..16])];
    models.into_iter().map(sample).chain(of_clusters).collect()
}

fn exact() -> serde_json::Value {
    serde_json::json!({"verb": "exact", "model": {"kind": "ising", "dim": 3, "couplings": [1, 2, 0, 2, -1, 1, 0, 1, 0.5]}})
}

fn likelihood() -> serde_json::Value {
    serde_json::json!({
        "verb": "exact", "model": {"kind": "ising", "dim": 6}, "data": rows(), "connectivity": {"kind": "singleFlips"},
    })
}

/// A machine with 2^21 states on its smaller side: 128 shards, and those of the rows.
fn smaller_side() -> serde_json::Value {
    let mut data = rows();
    data["dim"] = 30.into();
    serde_json::json!({
        "verb": "exact", "model": {"kind": "rbm", "numVisible": 30, "numHidden": 21}, "data": data,
    })
}

fn frontier() -> serde_json::Value {
    let pattern = serde_json::json!({"kind": "lattice", "numRows": 6, "numCols": 5});
    let mut data = rows();
    data["dim"] = 30.into();
    serde_json::json!({"verb": "exact", "model": {"kind": "ising", "dim": 30, "pattern": pattern}, "data": data})
}

/// Annealing in all its phases: with pilot runs, rows and exact draws; with resampling and starts
/// from where chains ended; a run a row; and along a path of Gaussians.
fn log_z() -> [serde_json::Value; 4] {
    let model = serde_json::json!({"kind": "ising", "dim": 6, "couplings": (0..36).map(|at| {
        let (row, column) = (at / 6, at % 6);
        0.3 * f64::from((row * column + row + column) % 5 - 2)
    }).collect::<Vec<_>>()});
    let pilot = serde_json::json!({"numChains": 16, "numDistributions": 50, "numRuns": 2});
    [
        serde_json::json!({
            "verb": "logZ", "model": model, "data": rows(), "numChains": 20, "numDistributions": 900,
            "pilot": pilot, "reverse": {"start": {"kind": "exact"}}, "seed": 8,
        }),
        serde_json::json!({
            "verb": "logZ", "model": {"kind": "ring"}, "states": [0.5, 1, 2, 0], "numChains": 19,
            "numDistributions": 20, "resampling": {"threshold": 0.95, "numStages": 9}, "keepStates": true,
            "pilot": pilot, "reverse": {"start": {"kind": "forward", "numWarmup": 30}}, "seed": 8,
        }),
        serde_json::json!({
            "verb": "logZ", "states": [0.5, 1, 2, 0], "numChains": 5, "numDistributions": 40, "seed": 8,
            "model": {"kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "gaussian"},
            "resampling": {"threshold": 0.99, "numStages": 5}, "reverse": {"start": {"kind": "exact"}},
            "transition": {"kind": "nuts", "maxTreeDepth": 3, "stepSize": 0.1},
            "schedule": {"kind": "linear"},
        }),
        serde_json::json!({
            "verb": "logZ", "model": {"kind": "gaussian", "dim": 2, "mean": [3, 1]},
            "path": {"kind": "momentAverages"}, "transition": {"kind": "langevin"},
            "schedule": {"kind": "optimalBinned", "numBins": 4}, "numChains": 6,
            "numDistributions": 30, "pilot": pilot, "reverse": {"start": {"kind": "exact"}}, "seed": 8,
        }),
    ]
}

/// Checks that stopping after any number of rounds, and after each, changes nothing.
fn assert_resumes(json: &serde_json::Value) -> usize {
    let expected = digest_of(job_of(json, None).expect("a sound job"));
    let mut unseeded = json.clone();
    unseeded.as_object_mut().expect("an object").remove("seed");

    let mut straight = job_of(json, None).expect("a sound job");
    let mut hopping = job_of(json, None).expect("a sound job");
    let mut num_rounds = 0;
    loop {
        let checkpoint = straight.snapshot();
        assert_eq!(hopping.snapshot(), checkpoint, "after {num_rounds} rounds");
        // The seed may be left out: the checkpoint knows it.
        let resumed = job_of(&unseeded, Some(&checkpoint)).expect("its own checkpoint");
        // As text, in which the NaN of an objective not evaluated yet equals itself.
        assert_eq!(format!("{:?}", resumed.progress()), format!("{:?}", straight.progress()));
        assert_eq!(digest_of(resumed), expected, "stopped after {num_rounds} rounds");
        if straight.is_done() {
            return num_rounds;
        }
        straight.advance(1);
        hopping = job_of(json, Some(&checkpoint)).expect("its own checkpoint");
        hopping.advance(1);
        num_rounds += 1;
    }
}

#[test]
fn a_fit_resumes_between_any_two_evaluations() {
    let num_rounds = assert_resumes(&fit());
    let mut whole = job_of(&fit(), None).expect("a sound job");
    whole.advance(usize::MAX);
    let Progress::Fit(progress) = whole.progress() else { panic!("not a fit") };
    // The last round is the check.
    assert_eq!(progress.num_evaluations + 1, num_rounds);
    assert!(
        progress.num_evaluations > progress.iteration + 1,
        "no line search took two evaluations, so none was interrupted"
    );
}

#[test]
fn a_fit_in_natural_coordinates_resumes_between_any_two_evaluations() {
    assert!(assert_resumes(&natural_fit()) > 5);
}

#[test]
fn stochastic_fits_resume_between_any_two_updates() {
    for spec in stochastic() {
        // Twelve updates and the check.
        assert_eq!(assert_resumes(&spec), 13, "{}", spec["objective"]);
    }
}

#[test]
fn fits_of_models_on_the_reals_resume_between_any_two_rounds() {
    for spec in of_reals() {
        let num_rounds = assert_resumes(&spec);
        // Twelve updates, and the check.
        let is_checked = spec["objective"]["kind"] != "maximumLikelihood";
        let num_updates = 12 + usize::from(is_checked);
        let is_stochastic = spec["optimizer"]["kind"] == "adam";
        let expected = if is_stochastic { num_updates..num_updates + 1 } else { 6..150 };
        assert!(expected.contains(&num_rounds), "{num_rounds} rounds of {}", spec["objective"]);
    }
}

/// Also between the evaluations that follow a fit for its errors.
#[test]
fn fits_with_errors_resume_between_any_two_rounds() {
    let states: Vec<f64> =
        (0..600).map(|at| f64::from(at * 7919 % 1009) / 500.0 - f64::from(at % 2)).collect();
    let typed = serde_json::json!({
        "verb": "fit", "states": states, "seed": 3, "errors": true,
        "objective": {"kind": "scoreMatching"},
        "model": {
            "kind": "formula", "expression": "a*(x-m)^2 + b*y^2 + y^4/9",
            "params": {"a": {"value": 1, "lower": 0}, "b": 0.5, "m": 0},
        },
    });
    let bits = crate::common::with(fit(), &serde_json::json!({"errors": true}));
    // These have one more.
    let contrast = serde_json::json!({"objective": {"kind": "noiseContrastive", "numNoise": 3}});
    let [typed_contrast, bits_contrast] =
        [&typed, &bits].map(|spec| crate::common::with(spec.clone(), &contrast));
    for (json, num_params) in [(typed, 3), (bits, 21), (typed_contrast, 4), (bits_contrast, 22)] {
        // Two evaluations a parameter, and the rows' gradients.
        assert!(assert_resumes(&json) > 2 * num_params);
    }
}

/// Also between rounds of resampled fits: by L-BFGS, by chains, and to rows of numbers.
#[test]
fn bootstrapped_fits_resume_between_any_two_rounds() {
    let errors = serde_json::json!({"errors": {"bootstrap": 40}});
    for spec in [fit(), persistent_mpf(), of_reals().swap_remove(0)] {
        let spec = crate::common::with(spec, &errors);
        // Sixteen fits a round.
        assert!(assert_resumes(&spec) > 3);
    }
}

/// Between samples and searches, and inside both.
#[test]
fn persistent_flow_resumes_between_any_two_rounds() {
    let num_rounds = assert_resumes(&persistent_mpf());
    assert!(num_rounds > 3 * (1 + 4), "only {num_rounds} rounds");
}

#[test]
fn fits_with_chains_on_the_reals_resume_between_any_two_rounds() {
    let [flow, expectation, persistent, contrastive] = with_chains_on_the_reals();
    for spec in [flow, expectation] {
        assert!(assert_resumes(&spec) > 3 * (1 + 2), "{}", spec["objective"]);
    }
    for spec in [persistent, contrastive] {
        assert_eq!(assert_resumes(&spec), 12 + 1, "{}", spec["objective"]);
    }
}

#[test]
fn a_stack_resumes_between_any_two_rounds() {
    // Six updates a machine and its check, and a round of draws between two of them.
    assert_eq!(assert_resumes(&stack()), 3 * (6 + 1) + 2);
    let mut whole = stack();
    whole["optimizer"] = serde_json::json!({"kind": "lbfgs", "maxIterations": 6});
    assert!(assert_resumes(&whole) > 3 * 6);
    // So many units that the draws of 2,600 rows take two rounds.
    let bits = (0..20_800u64).map(|at| u64::from(((at * 2_654_435_761) >> 13) % 5 < 2));
    let mut wide = stack();
    wide["model"]["sizes"] = serde_json::json!([8, 5000, 2]);
    wide["data"] =
        serde_json::json!({"kind": "values", "dim": 8, "values": bits.collect::<Vec<_>>()});
    wide["objective"] = serde_json::json!({"kind": "contrastiveDivergence", "numSteps": 1});
    wide["optimizer"] = serde_json::json!({"kind": "sgd", "batchSize": 2600, "numEpochs": 1});
    assert_eq!(assert_resumes(&wide), 2 + 2 + 2);
}

#[test]
fn mean_field_resumes_before_and_after() {
    assert_eq!(assert_resumes(&mean_field()), 2);
}

#[test]
fn sampling_resumes_between_any_two_rounds() {
    for spec in [sample(), tempered()] {
        let num_rounds = assert_resumes(&spec);
        assert!(num_rounds >= 4, "only {num_rounds} rounds");
    }
}

/// Within a level of the search, between levels, before predictions and before components.
#[test]
fn searches_for_kernels_resume_between_any_two_rounds() {
    let num_rounds = assert_resumes(&kernels());
    assert!(num_rounds >= 6, "only {num_rounds} rounds");
}

/// Within a level of the search, between levels, before the draws for the whole table.
#[test]
fn searches_for_structures_resume_between_any_two_rounds() {
    let num_rounds = assert_resumes(&structure());
    assert!(num_rounds >= 6, "only {num_rounds} rounds");
}

/// Between pilot runs and in the midst of them, of runs there and back, and of the rest.
#[test]
fn posteriors_of_hidden_variables_resume_between_any_two_rounds() {
    for spec in hidden_variables() {
        let num_rounds = assert_resumes(&spec);
        let least = if spec["verb"] == "exact" { 1 } else { 3 };
        assert!(num_rounds >= least, "{num_rounds} rounds of {spec}");
    }
}

#[test]
fn annealing_resumes_between_any_two_rounds() {
    for spec in log_z() {
        let num_rounds = assert_resumes(&spec);
        println!("{num_rounds} rounds: {}", spec["model"]["kind"]);
        // Fifty bins a pilot run; stages where chains are resampled; draws or the way back.
        let has_pilot = spec.get("pilot").is_some();
        assert!(num_rounds >= if has_pilot { 2 * 50 + 3 } else { 7 }, "{num_rounds} rounds");
    }
    // In the midst of a run that takes several rounds.
    let mut long = log_z()[0].clone();
    long["numDistributions"] = 60_000.into();
    let mut stopped = job_of(&long, None).expect("a sound job");
    loop {
        stopped.advance(1);
        let Progress::LogZ(progress) = stopped.progress() else { panic!("not of log Z") };
        assert!(!progress.done, "it never was in the midst of a run");
        if progress.phase == "forward" && progress.beta > 0.0 && progress.beta < 1.0 {
            break;
        }
    }
    let resumed = job_of(&long, Some(&stopped.snapshot())).expect("its own checkpoint");
    assert_eq!(finished(resumed), finished(stopped));
}

#[test]
fn enumeration_resumes_before_and_after() {
    assert_eq!(assert_resumes(&exact()), 1);
    assert_eq!(assert_resumes(&likelihood()), 1);
    assert_eq!(assert_resumes(&frontier()), 1);
    assert_eq!(assert_resumes(&smaller_side()), 2);
}

/// Rows of the matrix, its analysis, squares and the search for the mixing time.
#[test]
fn chains_resume_between_any_two_rounds() {
    let model = serde_json::json!({
        "verb": "chain", "model": {"kind": "ising", "dim": 4, "uniform": {"coupling": 0.8}},
        "transition": {"kind": "singleSite", "rule": "gibbs"},
    });
    assert!(assert_resumes(&model) > 8);
    let line = serde_json::json!({
        "verb": "chain", "birthDeath": {"up": [0.1, 0.1, 0.2, 0], "down": [0, 0.3, 0.1, 0.1]},
    });
    assert!(assert_resumes(&line) > 5);
    let matrix =
        serde_json::json!({"verb": "chain", "transitions": [0.5, 0.5, 1, 0], "distances": false});
    assert_eq!(assert_resumes(&matrix), 1);
}

/// Patches in four rounds of sums, one of components and two of states, and by a
/// transform that is given.
#[test]
fn patches_resume_between_any_two_rounds() {
    let pixels: Vec<u8> = (0..40 * 40u64).map(|at| ((at * 2_654_435_761) >> 13) as u8).collect();
    let mut spec = serde_json::json!({
        "verb": "patches", "pictures": [{"width": 40, "height": 40, "pixels": pixels}], "patchSize": 2,
        "numComponents": 3, "numPatches": 33_000, "numTest": 100, "seed": 5,
    });
    assert_eq!(assert_resumes(&spec), 2 + 2 + 1 + 2);
    let JobResult::Patches(result) = finished(job_of(&spec, None).expect("a sound job")) else {
        panic!("no patches")
    };
    let fields = spec.as_object_mut().expect("an object");
    fields.remove("patchSize");
    fields.remove("numComponents");
    fields.insert("transform".into(), serde_json::to_value(&result.transform).expect("plain data"));
    assert_eq!(assert_resumes(&spec), 2);
}

#[test]
fn a_damaged_checkpoint_is_refused_wherever_the_damage() {
    for rounds in [0, 1] {
        let mut stopped = job_of(&exact(), None).expect("a sound job");
        stopped.advance(rounds);
        let checkpoint = stopped.snapshot();
        let refused = |bytes: &[u8]| match job_of(&exact(), Some(bytes)) {
            Err(error) => assert_eq!(error.code(), "bad-checkpoint", "{error}"),
            Ok(_) => panic!("accepted"),
        };
        for len in 0..checkpoint.len() {
            refused(&checkpoint[..len]);
        }
        for at in 0..checkpoint.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = checkpoint.clone();
                changed[at] ^= flip;
                refused(&changed);
            }
        }
        let mut longer = checkpoint.clone();
        longer.push(0);
        refused(&longer);
    }
}

#[test]
fn a_checkpoint_of_a_later_format_says_so() {
    let mut checkpoint = job_of(&exact(), None).expect("a sound job").snapshot();
    checkpoint[8] = 200;
    let error = job_of(&exact(), Some(&checkpoint)).err().expect("refused");
    assert!(error.to_string().contains("has format 200"), "{error}");
}

/// Sampling on the reals: every kind of chain there is.
fn on_the_reals() -> Vec<serde_json::Value> {
    let tempered = |kind: &str| serde_json::json!({"kind": kind, "transition": {"kind": "langevin"}, "numRungs": 3});
    [
        serde_json::json!({"kind": "hmc", "adaptation": {"scale": "dense"}}),
        serde_json::json!({"kind": "nuts"}),
        tempered("parallelTempering"),
        tempered("simulatedTempering"),
    ]
    .into_iter()
    .map(|transition| {
        serde_json::json!({
            "verb": "sample", "model": {"kind": "ring", "sharpness": 3}, "transition": transition,
            "numChains": 3, "numWarmup": 40, "numDraws": 40, "seed": 5,
        })
    })
    .collect()
}

/// Up to three levels, of which the later ones take several rounds, predictions after each, and components.
fn kernels() -> serde_json::Value {
    let values: Vec<f64> = (0..24)
        .map(|t| f64::from(t % 6) + 0.1 * f64::from(t) + f64::from(t * t % 7) / 9.0)
        .collect();
    serde_json::json!({
        "verb": "kernels", "inputs": (0..24).collect::<Vec<_>>(), "values": values, "maxDepth": 3,
        "numRestarts": 7, "predict": [24, 30], "seed": 1,
    })
}

/// Two levels, the second of two parents, in several rounds each.
fn structure() -> serde_json::Value {
    let states: Vec<f64> = (0..64)
        .map(|at| f64::from(at / 8 % 3) * f64::from(at % 8) + f64::from(at * at % 7) / 3.0)
        .collect();
    serde_json::json!({
        "verb": "structure", "states": states, "dim": 8, "maxDepth": 2, "keep": 2, "minGain": 0.01, "numFolds": 2,
        "numSweeps": 3, "annealingSteps": 10, "expandDiscrete": true, "seed": 1,
    })
}

#[test]
fn contents_that_are_no_state_of_the_job_are_refused() {
    let all = [
        fit(),
        natural_fit(),
        sample(),
        exact(),
        likelihood(),
        frontier(),
        mean_field(),
        persistent_mpf(),
    ];
    let all = all.into_iter().chain(stochastic()).chain(with_chains_on_the_reals());
    let all = all
        .chain(of_reals())
        .chain(on_the_reals())
        .chain(log_z())
        .chain(hidden_variables())
        .chain([kernels(), structure()]);
    // A stack after 3 rounds fits its first machine, after 6 draws from it, after 8 fits the next.
    let stages = [(stack(), 3), (stack(), 6), (stack(), 8), (stack(), 20), (smaller_side(), 1)];
    // Annealing after a pilot run, in the weighted runs and on the way back.
    let [there, back, rows, _] = log_z();
    let stages = stages.into_iter().chain([
        (there.clone(), 50),
        (there.clone(), 101),
        (there, 104),
        (back.clone(), 104),
        (back, 111),
        (rows.clone(), 5),
        (rows, 6),
    ]);
    for (json, num_rounds) in all.map(|json| (json, 3)).chain(stages) {
        let mut stopped = job_of(&json, None).expect("a sound job");
        stopped.advance(num_rounds);
        let sound = Checkpoint::decode(&stopped.snapshot()).expect("a sound checkpoint");
        let with = |payload: Vec<u8>| Checkpoint { payload, ..sound.clone() }.encode();
        let payload = &sound.payload;
        let step = (payload.len() / 50).max(1);
        for len in (0..payload.len()).step_by(step) {
            let error = job_of(&json, Some(&with(payload[..len].to_vec()))).err().expect("cut off");
            assert_eq!(error.code(), "bad-checkpoint");
        }
        let longer = [&payload[..], &[0]].concat();
        assert!(job_of(&json, Some(&with(longer))).is_err());
        // Changed inside, it may still be a state; it must not panic when read.
        for at in (0..payload.len()).step_by(step) {
            let mut changed = payload.clone();
            changed[at] ^= 0x55;
            let _ = job_of(&json, Some(&with(changed)));
        }
    }
}

#[test]
fn a_checkpoint_of_another_job_is_refused() {
    let checkpoint = job_of(&fit(), None).expect("a sound job").snapshot();
    let mut others = vec![sample(), exact(), likelihood(), natural_fit()];
    others.extend(log_z());
    for (field, value) in [
        ("/seed", serde_json::json!(4)),
        ("/optimizer/memory", serde_json::json!(4)),
        ("/init/scale", serde_json::json!(2)),
        ("/data/values/0", serde_json::json!(1 - rows()["values"][0].as_i64().expect("a bit"))),
        (
            "/model",
            serde_json::json!({"kind": "ising", "dim": 6, "pattern": {"kind": "pairs", "pairs": [[0, 1]]}}),
        ),
    ] {
        let mut other = fit();
        *other.pointer_mut(field).expect(field) = value;
        others.push(other);
    }
    for other in others {
        let error = job_of(&other, Some(&checkpoint)).err().expect("refused");
        assert_eq!(error.code(), "checkpoint-mismatch", "{error}");
    }
    // Nor is one with other rows of numbers the same.
    let spec = of_reals().swap_remove(0);
    let checkpoint_of_reals = job_of(&spec, None).expect("a sound job").snapshot();
    let mut other = spec.clone();
    other["states"][5] = serde_json::json!(0.125);
    let error = job_of(&other, Some(&checkpoint_of_reals)).err().expect("refused");
    assert_eq!(error.code(), "checkpoint-mismatch", "{error}");
    // Writing out a default makes no other job.
    let mut same = fit();
    same["objective"] = serde_json::json!({"kind": "mpf", "connectivity": {"kind": "singleFlips"}});
    assert!(job_of(&same, Some(&checkpoint)).is_ok());
}

/// Changed numbers that would be a state of another job, or of none.
#[test]
fn a_checkpoint_of_other_annealing_is_refused() {
    let [spec, ..] = log_z();
    let mut stopped = job_of(&spec, None).expect("a sound job");
    stopped.advance(101);
    let checkpoint = stopped.snapshot();
    for (field, value) in [
        ("/numChains", serde_json::json!(21)),
        ("/numDistributions", serde_json::json!(901)),
        ("/pilot/numRuns", serde_json::json!(1)),
        ("/reverse/start", serde_json::json!({"kind": "forward"})),
        ("/seed", serde_json::json!(9)),
    ] {
        let mut other = spec.clone();
        *other.pointer_mut(field).expect(field) = value;
        let error = job_of(&other, Some(&checkpoint)).err().expect("refused");
        assert_eq!(error.code(), "checkpoint-mismatch", "{field}: {error}");
        // The same with an envelope that says it is this job's.
        let mut envelope =
            Checkpoint::decode(&job_of(&other, None).expect("sound").snapshot()).expect("sound");
        envelope.payload = Checkpoint::decode(&checkpoint).expect("sound").payload;
        let resumed = job_of(&other, Some(&envelope.encode()));
        // What is over, and what is yet to come, may be otherwise.
        let fits = !["/numChains", "/numDistributions"].contains(&field);
        assert_eq!(resumed.err().map(|error| error.code()), (!fits).then_some("bad-checkpoint"));
    }
}

#[test]
fn data_may_come_beside_the_spec() {
    let expected = digest_of(job_of(&fit(), None).expect("a sound job"));
    let mut json = fit();
    let data = json.as_object_mut().and_then(|fields| fields.remove("data")).expect("data");
    let values: Vec<f64> = serde_json::from_value(data["values"].clone()).expect("numbers");
    let data = from_values(6, &values).expect("bits");
    let beside = job_with(&json, data.clone()).expect("a sound job");
    assert_eq!(digest_of(beside), expected);
    assert!(job_with(&fit(), data).is_err(), "data given twice");
}
