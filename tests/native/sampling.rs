//! The sampling job as a whole: its moments are those of its draws, its
//! standard errors are honest, and its draws come from the model.

use crate::common::{finished, job_of};
use unnorm::Job;
use unnorm::exact::ExactResult;
use unnorm::models::rbm::RbmSpec;
use unnorm::sample::SampleResult;
use unnorm::{JobResult, Progress};

fn job(json: &serde_json::Value) -> Job {
    job_of(json, None).expect("a sound job")
}

fn sampled(json: &serde_json::Value) -> SampleResult {
    crate::common::sampled(job(json))
}

fn enumerated(json: &serde_json::Value) -> ExactResult {
    let JobResult::Exact(result) = finished(job(json)) else { panic!("not of enumeration") };
    result
}

/// A ring of `dim` sites that agree with their neighbours, and are a little apt to be 1.
fn ring(dim: usize) -> serde_json::Value {
    let mut couplings = vec![0.0; dim * dim];
    for i in 0..dim {
        let j = (i + 1) % dim;
        couplings[i * dim + i] = 0.9;
        couplings[i * dim + j] = -0.5;
        couplings[j * dim + i] = -0.5;
    }
    serde_json::json!({"kind": "ising", "dim": dim, "couplings": couplings})
}

fn spec(num_chains: usize, num_draws: usize, seed: u64) -> serde_json::Value {
    serde_json::json!({
        "verb": "sample", "model": ring(7), "transition": {"kind": "gibbs"}, "numChains": num_chains,
        "numWarmup": 30, "numDraws": num_draws, "seed": seed,
    })
}

#[test]
fn moments_and_errors_are_those_of_the_draws() {
    let (dim, num_chains, num_draws) = (7, 5, 130);
    let result = sampled(&spec(num_chains, num_draws, 1));
    assert_eq!((result.draws.dim, result.draws.num_rows), (dim, num_chains * num_draws));
    assert_eq!(result.draws.bits.len(), num_chains * num_draws);
    for i in 0..dim {
        for j in 0..dim {
            let both = |row: u8| f64::from(row >> i & row >> j & 1);
            let chain_mean = |chain: usize| {
                let draws = result.draws.bits.iter().skip(chain).step_by(num_chains);
                draws.map(|&row| both(row)).sum::<f64>() / num_draws as f64
            };
            let means: Vec<f64> = (0..num_chains).map(chain_mean).collect();
            let mean = means.iter().sum::<f64>() / num_chains as f64;
            let spread: f64 = means.iter().map(|value| (value - mean) * (value - mean)).sum();
            let error = (spread / (num_chains * (num_chains - 1)) as f64).sqrt();
            assert!((result.moments[i * dim + j] - mean).abs() < 1e-12);
            assert!((result.moment_errors[i * dim + j] - error).abs() < 1e-12);
        }
    }
}

#[test]
fn draws_come_from_the_model_and_errors_are_honest() {
    let exact = enumerated(&serde_json::json!({"verb": "exact", "model": ring(7)}));
    let moments = exact.moments.expect("by enumeration");
    let mut squares = Vec::new();
    for seed in 0..20 {
        let result = sampled(&spec(40, 100, seed));
        for i in 0..7 {
            for j in i..7 {
                let at = i * 7 + j;
                let z = (result.moments[at] - moments[at]) / result.moment_errors[at];
                assert!(z.abs() < 6.0, "moment [{i}, {j}] is {z} standard errors off, seed {seed}");
                squares.push(z * z);
            }
        }
    }
    // With 40 chains a squared z has mean 39/37; 560 of them, of which the moments of a run
    // are correlated, stay well within these bounds.
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    assert!((0.75..1.4).contains(&mean), "mean squared z is {mean}");
}

fn machine() -> serde_json::Value {
    let model = RbmSpec::random(7, 4, 1.2, 5);
    let mut value = serde_json::to_value(model).expect("plain data");
    value["kind"] = "rbm".into();
    value
}

/// Block Gibbs draws of a restricted Boltzmann machine against enumeration: 28
/// moments, within six of their own standard errors.
#[test]
fn block_gibbs_draws_come_from_the_model() {
    let exact = enumerated(&serde_json::json!({"verb": "exact", "model": machine()}));
    let moments = exact.moments.expect("by enumeration");
    let mut by_blocks = spec(200, 200, 4);
    by_blocks["model"] = machine();
    by_blocks["transition"] = serde_json::json!({"kind": "blockGibbs"});
    let result = sampled(&by_blocks);
    for at in 0..49 {
        let error = result.moment_errors[at];
        assert!((1e-4..0.01).contains(&error), "{error}");
        let z = (result.moments[at] - moments[at]) / error;
        assert!(z.abs() < 6.0, "moment {at} is {z} standard errors off");
    }
}

/// Chains that start at exact draws are at the model from their first draw on, though they move
/// from mode to mode hardly ever: after one step from anywhere else they are not.
#[test]
fn chains_that_start_exactly_are_at_the_model_at_once() {
    let mut machine = serde_json::to_value(RbmSpec::random(16, 3, 3.0, 5)).expect("plain data");
    machine["kind"] = "rbm".into();
    // By enumeration of all states, by that of the smaller side, and site by site of a sparse model.
    let sparse = serde_json::json!({"kind": "ising", "dim": 40, "uniform": {"coupling": 0.8, "field": 0.02},
        "pattern": {"kind": "lattice", "numRows": 4, "numCols": 10}});
    let dense = serde_json::json!({"kind": "ising", "dim": 10, "uniform": {"coupling": 0.3, "field": 0.02}});
    for (model, transition) in [(dense, "gibbs"), (machine, "blockGibbs"), (sparse, "gibbs")] {
        let dim = model["dim"].as_u64().unwrap_or(16) as usize;
        let mut spec = spec(20_000, 1, 4);
        spec["model"] = model;
        spec["transition"] = serde_json::json!({"kind": transition});
        spec["numWarmup"] = 0.into();
        let farthest = |kind: &str| {
            let mut spec = spec.clone();
            spec["start"] = serde_json::json!({"kind": kind});
            let first = sampled(&spec);
            // Of many more steps from exact draws nothing may change.
            spec["start"] = serde_json::json!({"kind": "exact"});
            spec["seed"] = 5.into();
            spec["numWarmup"] = 20.into();
            let later = sampled(&spec);
            let z = (0..dim).flat_map(|i| (i..dim).map(move |j| i * dim + j)).map(|at| {
                let [a, b] = [&first, &later].map(|result| result.moment_errors[at]);
                ((first.moments[at] - later.moments[at]) / (a * a + b * b).sqrt()).abs()
            });
            z.fold(0.0, f64::max)
        };
        assert!(farthest("exact") < 6.0);
        assert!(farthest("random") > 20.0);
    }
}

#[test]
fn exact_starts_need_exact_draws() {
    let mut spec = spec(2, 2, 4);
    spec["start"] = serde_json::json!({"kind": "exact"});
    spec["model"] = serde_json::json!({"kind": "ising", "dim": 60, "uniform": {"coupling": 0.1}});
    let error = job_of(&spec, None).err().expect("refused");
    assert_eq!(error.code(), "missing-capability");
    assert!(error.to_string().contains("at random or from data"), "{error}");
}

#[test]
fn block_gibbs_needs_hidden_units() {
    let mut by_blocks = spec(2, 2, 4);
    by_blocks["transition"] = serde_json::json!({"kind": "blockGibbs"});
    let error = job_of(&by_blocks, None).err().expect("refused");
    assert_eq!(error.code(), "missing-capability");
    assert!(error.to_string().contains("HiddenUnits"), "{error}");
}

#[test]
fn one_chain_has_no_standard_errors() {
    let result = sampled(&spec(1, 50, 3));
    assert!(result.moment_errors.iter().all(|error| error.is_nan()));
    assert!(result.moments.iter().all(|moment| (0.0..=1.0).contains(moment)));
}

/// A lattice larger than all pair moments fit in memory for.
#[test]
fn a_lattice_too_large_for_its_moments_is_refused() {
    let mut spec = spec(1, 1, 1);
    spec["moments"] = true.into();
    spec["model"] = serde_json::json!({"kind": "ising", "dim": 262_144, "uniform": {"coupling": 0.4},
        "pattern": {"kind": "lattice", "numRows": 512, "numCols": 512}});
    let error = job_of(&spec, None).err().expect("a refusal");
    assert_eq!((error.code(), error.field()), ("too-large", Some("model.dim")), "{error}");
}

#[test]
fn chains_start_from_the_rows_of_the_data_round_and_round() {
    // E = 400 (x_0 − x_1)²: both states in which the bits agree are left never.
    let mut spec = spec(5, 3, 1);
    spec["numWarmup"] = 0.into();
    spec["model"] =
        serde_json::json!({"kind": "ising", "dim": 2, "couplings": [400, -400, -400, 400]});
    spec["start"] =
        serde_json::json!({"kind": "data", "data": {"kind": "rows", "rows": [[0, 0], [1, 1]]}});
    assert_eq!(sampled(&spec).draws.bits, [0, 3, 0, 3, 0].repeat(3));
}

#[test]
fn progress_never_falls_and_ends_at_one() {
    let fit = serde_json::json!({
        "verb": "fit", "model": {"kind": "ising", "dim": 4}, "seed": 1,
        "data": {"kind": "rows", "rows": [[0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 1], [0, 1, 1, 0]]},
    });
    let exact = serde_json::json!({"verb": "exact", "model": ring(15)});
    let log_z = serde_json::json!({
        "verb": "logZ", "model": ring(7), "numChains": 50, "numDistributions": 200, "seed": 1,
        "reverse": {"start": {"kind": "forward", "numWarmup": 10}}, "pilot": {"numDistributions": 50},
        "data": {"kind": "rows", "rows": [[0, 1, 0, 1, 1, 1, 0]]},
    });
    let spline = serde_json::json!({"verb": "spline", "model": ring(7), "seed": 1});
    let chain = serde_json::json!({
        "verb": "chain", "model": ring(6), "transition": {"kind": "singleSite", "rule": "gibbs"},
    });
    let mode = serde_json::json!({"verb": "mode", "model": ring(16)});
    for json in [fit, spec(3, 400_000, 2), exact, log_z, spline, chain, mode] {
        let mut job = job(&json);
        let mut last = 0.0;
        loop {
            let (fraction, done) = match job.progress() {
                Progress::Fit(progress) => (progress.fraction, progress.done),
                Progress::Sample(progress) => (progress.fraction, progress.done),
                Progress::LogZ(progress) => (progress.fraction, progress.done),
                Progress::Spline(progress) => (progress.fraction, progress.done),
                Progress::Exact(progress) => (progress.fraction, progress.done),
                Progress::Energies(progress) => (progress.fraction, progress.done),
                Progress::Memorize(progress) => (progress.fraction, progress.done),
                Progress::Recall(progress) => (progress.fraction, progress.done),
                Progress::Patches(progress) => (progress.fraction, progress.done),
                Progress::Evidence(progress) => (progress.fraction, progress.done),
                Progress::Chain(progress) => (progress.fraction, progress.done),
                Progress::Mode(progress) => (progress.fraction, progress.done),
                Progress::Network(progress) => (progress.fraction, progress.done),
                Progress::Kernels(progress) => (progress.fraction, progress.done),
                Progress::Structure(progress) => (progress.fraction, progress.done),
            };
            assert!((last..=1.0).contains(&fraction), "{fraction} after {last}");
            assert_eq!((fraction == 1.0, job.is_done()), (done, done));
            assert_eq!(job.result().is_some(), done);
            if done {
                break;
            }
            last = fraction;
            job.advance(1);
        }
    }
}

/// The ways to move that Ising models alone have, as jobs: moments and the mean
/// energy are those of enumeration, within six of their own standard errors, and
/// a stopped job goes on to the same bits.
#[test]
fn ising_transitions_draw_from_the_model() {
    let mut couplings = vec![0.0; 36];
    for (i, j) in [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)] {
        couplings[i * 6 + j] = if (i + j) % 3 == 0 { 0.4 } else { -0.6 };
        couplings[j * 6 + i] = couplings[i * 6 + j];
    }
    (0..6).for_each(|i| couplings[i * 6 + i] = 0.3);
    let model = serde_json::json!({
        "kind": "ising", "dim": 6, "couplings": couplings,
        "pattern": {"kind": "lattice", "numRows": 2, "numCols": 3, "periodic": false},
    });
    let exact = enumerated(&serde_json::json!({"verb": "exact", "model": model}));
    let moments = exact.moments.expect("by enumeration");
    let mean_energy = exact.mean_energy.expect("by enumeration");
    for transition in [
        serde_json::json!({"kind": "gibbs", "scan": "random"}),
        serde_json::json!({"kind": "flipMetropolis"}),
        serde_json::json!({"kind": "flipMetropolis", "scan": "systematic"}),
        serde_json::json!({"kind": "locallyInformed"}),
        serde_json::json!({"kind": "discreteLangevin"}),
        serde_json::json!({"kind": "discreteLangevin", "stepSize": 0.6}),
        serde_json::json!({"kind": "checkerboard"}),
        serde_json::json!({"kind": "swendsenWang"}),
        serde_json::json!({"kind": "wolff"}),
    ] {
        let json = serde_json::json!({
            "verb": "sample", "model": model, "transition": transition, "numChains": 40,
            "numWarmup": 50, "numDraws": 2000, "seed": 4, "energies": true,
        });
        let result = sampled(&json);
        for (at, exact) in moments.iter().enumerate() {
            let error = result.moment_errors[at];
            assert!(error < 0.02, "{transition}: {error}");
            assert!((result.moments[at] - exact).abs() < 6.0 * error, "{transition} {at}");
        }
        let summary = result.energy_summary.expect("a summary");
        assert!((summary.mean - mean_energy).abs() < 6.0 * summary.mcse_mean);
        assert!(summary.rhat < 1.01 && result.energies.len() == 80_000);
        let mut stopped = job(&json);
        stopped.advance(1);
        let resumed = job_of(&json, Some(&stopped.snapshot())).expect("the same job");
        assert_eq!(finished(resumed).digest(), result.digest);
    }
}

#[test]
fn the_step_size_of_discrete_langevin_dynamics_is_a_positive_number() {
    for step_size in [0.0, -1.0] {
        let spec = serde_json::json!({
            "verb": "sample", "numChains": 1, "numWarmup": 0, "numDraws": 1,
            "transition": {"kind": "discreteLangevin", "stepSize": step_size},
            "model": {"kind": "ising", "dim": 3},
        });
        let error = job_of(&spec, None).err().expect("no step size");
        assert_eq!(error.field(), Some("transition.stepSize"), "{error}");
    }
}

/// A step of these takes D² differences of energies.
#[test]
fn locally_informed_proposals_are_for_thousands_of_sites() {
    let spec = |dim: usize| {
        serde_json::json!({
            "verb": "sample", "numChains": 1, "numWarmup": 0, "numDraws": 1, "seed": 1, "moments": false,
            "transition": {"kind": "locallyInformed"},
            "model": {
                "kind": "ising", "dim": dim, "uniform": {"coupling": 0.3},
                "pattern": {"kind": "lattice", "numRows": dim / 64, "numCols": 64, "periodic": true},
            },
        })
    };
    assert!(job_of(&spec(4096), None).is_ok());
    let error = job_of(&spec(8192), None).err().expect("too large").to_string();
    assert!(error.contains("transition.kind") && error.contains("use flipMetropolis"), "{error}");
    let potts = serde_json::json!({"model": {"kind": "potts", "numSites": 2, "numValues": 3}});
    let error = job_of(&crate::common::with(spec(4096), &potts), None).err().expect("no flips");
    assert!(error.to_string().contains("SiteFlips"), "{error}");
}

/// A lattice too large for the moments of all its pairs.
#[test]
fn large_lattices_are_sampled_without_moments() {
    let json = serde_json::json!({
        "verb": "sample", "numChains": 1, "numWarmup": 0, "numDraws": 2, "seed": 1,
        "transition": {"kind": "checkerboard"},
        "model": {
            "kind": "ising", "dim": 16384, "uniform": {"coupling": 0.3},
            "pattern": {"kind": "lattice", "numRows": 128, "numCols": 128, "periodic": true},
        },
    });
    let result = sampled(&json);
    assert!(result.moments.is_empty() && result.draws.bits.len() == 2 * 2048);
}

/// What effective draws cost is counted for transitions that flip single sites: by hand, for five sites.
#[test]
fn differences_of_energies_are_counted() {
    let count = |transition: serde_json::Value| {
        let spec = serde_json::json!({
            "verb": "sample", "model": {"kind": "ising", "dim": 5, "uniform": {"coupling": 0.1}},
            "transition": transition, "numChains": 3, "numWarmup": 4, "numDraws": 10,
            "numStepsPerDraw": 2, "seed": 1,
        });
        crate::common::sampled(crate::common::job_of(&spec, None).unwrap()).num_differences
    };
    let sweeps = 3 * (4 + 10 * 2);
    let of = |kind: &str| count(serde_json::json!({"kind": kind}));
    for (kind, each) in
        [("gibbs", 5), ("flipMetropolis", 5), ("locallyInformed", 30), ("discreteLangevin", 10)]
    {
        assert_eq!(of(kind), Some(each * sweeps), "{kind}");
    }
    assert_eq!(of("swendsenWang"), None);
    let ladder = serde_json::json!({"kind": "parallelTempering", "transition": {"kind": "gibbs"}});
    assert_eq!(count(ladder), None);
}
