//! The sampling job on ℝᴰ as a whole: its figures are those of the model, with
//! honest errors, and of its own draws; what cannot be sampled is refused.

use crate::common::{finished, job_of};
use serde_json::{Value, json};
use unnorm::Job;
use unnorm::sample::ContinuousResult;
use unnorm::sample::SampleOutput;
use unnorm::{JobResult, Progress};

fn job(json: &Value) -> Job {
    job_of(json, None).expect("a sound job")
}

fn sampled(json: &Value) -> ContinuousResult {
    match finished(job(json)) {
        JobResult::Sample(SampleOutput::Reals(result)) => *result,
        _ => panic!("no draws on the reals"),
    }
}

fn refused(json: &Value) -> (String, String) {
    let error = match job_of(json, None) {
        Ok(_) => panic!("{json} is taken"),
        Err(error) => error,
    };
    (error.field().unwrap_or_default().to_owned(), error.to_string())
}

fn gaussian() -> Value {
    json!({
        "kind": "gaussian", "dim": 3, "mean": [1.0, -2.0, 30.0],
        "covariance": [4.0, 1.0, 0.0, 1.0, 1.0, 0.2, 0.0, 0.2, 0.25],
    })
}

fn hmc() -> Value {
    json!({
        "verb": "sample", "model": gaussian(), "numChains": 9, "numWarmup": 200, "numDraws": 1000,
        "transition": {"kind": "hmc", "numLeapfrogSteps": 7, "stepSize": 0.3}, "seed": 1,
    })
}

/// Two far modes and a ring: log Z from the levels within six standard errors of the exact one (48 chains: a
/// false alarm has a chance below 1e-6), all levels visited, and the whole of a chain's steps counted.
#[test]
fn levels_of_simulated_tempering_give_log_z() {
    let mixture = json!({"kind": "mixture", "dim": 2, "means": [-4, 0, 4, 0]});
    let ring = json!({"kind": "ring", "sharpness": 20});
    for (model, exact) in [
        (mixture, 0.0),
        (ring, {
            use unnorm::energy::Reference;
            unnorm::models::ring::RingSpec { radius: 1.0, sharpness: 20.0 }.build().unwrap().log_z()
        }),
    ] {
        let result = sampled(&json!({
            "verb": "sample", "model": model, "numChains": 48, "numWarmup": 1000, "numDraws": 150,
            "transition": {
                "kind": "simulatedTempering", "numRungs": 5,
                "transition": {"kind": "hmc", "numLeapfrogSteps": 5},
                "reference": {"dim": 2, "covariance": [9, 0, 0, 9]},
            },
            "seed": 4,
        }));
        let levels = result.levels.expect("a ladder");
        assert!((levels.log_z - exact).abs() < 6.0 * levels.log_z_error, "{levels:?} {exact}");
        assert!(levels.log_z_error < 0.1, "{levels:?}");
        assert_eq!((levels.log_weights.len(), levels.occupancy.len()), (240, 240));
        for (weights, occupancy) in levels.log_weights.chunks(5).zip(levels.occupancy.chunks(5)) {
            assert_eq!(weights[0], 0.0);
            assert!((occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(occupancy.iter().all(|part| *part > 0.05), "{occupancy:?}");
        }
    }
    assert_eq!(sampled(&hmc()).levels, None);
}

/// Means and standard deviations within six of their own standard errors, which
/// are small: a false alarm has a chance below 1e-7.
#[test]
fn figures_are_those_of_the_model() {
    let result = sampled(&hmc());
    let exact = [(1.0, 2.0), (-2.0, 1.0), (30.0, 0.5)];
    for (d, (mean, sd)) in exact.into_iter().enumerate() {
        let summary = &result.summary;
        assert!(summary.mcse_mean[d] < 0.1 * sd && summary.mcse_sd[d] < 0.1 * sd);
        assert!((summary.mean[d] - mean).abs() < 6.0 * summary.mcse_mean[d]);
        assert!((summary.sd[d] - sd).abs() < 6.0 * summary.mcse_sd[d]);
        assert!(summary.rhat[d] < 1.01);
    }
    assert_eq!(result.warnings, Vec::<String>::new());
    assert!(result.chains.acceptance.iter().all(|acceptance| *acceptance > 0.9));
    assert_eq!(result.chains.num_gradients, vec![7.0 * 1200.0; 9]);
}

/// Λ of 40 dimensions with −1 beside a diagonal of 2.5: chains with no map of their own move
/// along its principal axes.
fn banded() -> Value {
    let entry = |at: usize| match (at / 40_usize).abs_diff(at % 40) {
        0 => 2.5,
        1 => -1.0,
        _ => 0.0,
    };
    let mean: Vec<f64> = (0..40).map(f64::from).collect();
    json!({
        "kind": "gaussian", "dim": 40, "mean": mean,
        "precision": (0..1600).map(entry).collect::<Vec<_>>(),
    })
}

/// Means and standard deviations within seven of their own standard errors, 80 of them (a
/// false alarm has a chance below 1e-9); energies are the model's at the draws; trajectories
/// begin at draws. (Two steps are too short for any mode to come round to where it began.)
#[test]
fn chains_along_principal_axes_draw_from_the_gaussian_itself() {
    let spec = json!({
        "verb": "sample", "model": banded(), "numChains": 9, "numWarmup": 100, "numDraws": 1000,
        "transition": {"kind": "hmc", "numLeapfrogSteps": 2, "stepSize": 0.6}, "seed": 4,
        "recordPath": true,
    });
    let result = sampled(&spec);
    let model = serde_json::from_value::<unnorm::models::ModelSpec>(banded()).unwrap();
    let unnorm::models::ModelSpec::Gaussian(model) = model else { unreachable!() };
    let model = model.build().unwrap();
    let covariance = model.covariance();
    let summary = &result.summary;
    for d in 0..40 {
        let sd = covariance[41 * d].sqrt();
        assert!(summary.mcse_mean[d] < 0.1 * sd && summary.mcse_sd[d] < 0.1 * sd);
        assert!((summary.mean[d] - d as f64).abs() < 7.0 * summary.mcse_mean[d], "{d}");
        assert!((summary.sd[d] - sd).abs() < 7.0 * summary.mcse_sd[d], "{d}");
    }
    let mut energies = vec![0.0; result.energies.len()];
    unnorm::energy::Energy::energy(
        &model,
        unnorm::linalg::Batch::new(40, &result.draws.values),
        &mut energies,
    );
    assert_eq!(energies.len(), 9000);
    for (energy, exact) in result.energies.iter().zip(&energies) {
        assert!((energy - exact).abs() < 1e-11 * exact, "{energy} {exact}");
    }
    // The second trajectory begins where the first draw of chain 0 was taken.
    let paths = result.paths.as_ref().expect("recorded");
    assert_eq!(paths.lengths[..2], [3.0, 3.0]);
    assert_eq!(paths.points[3 * 40..4 * 40], result.draws.values[..40]);
}

/// Steps far too long: what is told of divergences is where they began, in the model's own
/// coordinates.
#[test]
fn divergences_along_principal_axes_are_told_where_they_began() {
    let start: Vec<f64> = (0..40).map(|d| f64::from(d) + 10.0).collect();
    let spec = json!({
        "verb": "sample", "model": banded(), "numChains": 1, "numWarmup": 0, "numDraws": 900,
        "transition": {"kind": "hmc", "numLeapfrogSteps": 5, "stepSize": 9.0}, "seed": 4,
        "start": {"kind": "states", "states": start},
    });
    let result = sampled(&spec);
    let divergences = &result.divergences.states;
    assert_eq!(divergences.len(), 10 * 40);
    for (told, began) in divergences.iter().zip(start.iter().cycle()) {
        assert!((told - began).abs() < 1e-11, "{told} {began}");
    }
}

fn transitions() -> Vec<(Value, usize)> {
    let ladder = json!({
        "kind": "gaussian", "dim": 3, "mean": [0.0, 0.0, 20.0],
        "precision": [0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.01],
    });
    let mut ladder = ladder;
    ladder.as_object_mut().unwrap().remove("kind");
    vec![
        (json!({"kind": "hmc", "numLeapfrogSteps": 5}), 1),
        (
            json!({"kind": "hmc", "numLeapfrogSteps": 3, "adaptation": {"scale": "dense", "targetAcceptance": 0.9}}),
            1,
        ),
        (
            json!({"kind": "hmc", "numLeapfrogSteps": 1, "momentumRefresh": 0.2, "momentumFlips": "reduced"}),
            10,
        ),
        (json!({"kind": "nuts"}), 1),
        (json!({"kind": "langevin"}), 10),
        (json!({"kind": "metropolis"}), 50),
        (json!({"kind": "slice"}), 1),
        (
            json!({
                "kind": "parallelTempering", "transition": {"kind": "hmc"}, "numRungs": 6,
                "reference": ladder,
            }),
            1,
        ),
        (
            json!({
                "kind": "simulatedTempering", "transition": {"kind": "langevin"}, "numRungs": 5,
                "reference": ladder,
            }),
            1,
        ),
    ]
}

/// Of a heavy tail momenta explore the energies badly, which is no fault of slices and random walks.
#[test]
fn only_momenta_are_told_that_they_explore_the_energies_badly() {
    let warned = |transition: Value| {
        let result = sampled(&json!({
            "verb": "sample", "model": {"kind": "studentT", "dim": 1, "degreesOfFreedom": 1.0},
            "transition": transition, "numChains": 4, "numWarmup": 500, "numDraws": 2000, "seed": 1,
        }));
        let is_warned = result.warnings.iter().any(|warning| warning.contains("E-BFMI"));
        (is_warned, result.chains.ebfmi.len())
    };
    assert_eq!(warned(json!({"kind": "hmc", "numLeapfrogSteps": 5})), (true, 4));
    assert_eq!(warned(json!({"kind": "slice"})), (false, 0));
    assert_eq!(warned(json!({"kind": "metropolis"})), (false, 0));
}

/// The same for every transition, tuned by itself; and stopped in the middle of
/// warm-up, of drawing and of summing up, it goes on to the same bits.
#[test]
fn every_transition_draws_from_the_model_and_can_be_resumed() {
    for (transition, steps_per_draw) in transitions() {
        let mut json = hmc();
        json["transition"] = transition.clone();
        json["numWarmup"] = 600.into();
        json["numDraws"] = 600.into();
        json["numStepsPerDraw"] = steps_per_draw.into();
        let result = sampled(&json);
        let exact = [(1.0, 2.0), (-2.0, 1.0), (30.0, 0.5)];
        for (d, (mean, sd)) in exact.into_iter().enumerate() {
            let summary = &result.summary;
            assert!(summary.mcse_mean[d] < 0.15 * sd, "{transition}: {}", summary.mcse_mean[d]);
            assert!((summary.mean[d] - mean).abs() < 6.0 * summary.mcse_mean[d], "{transition}");
            assert!((summary.sd[d] - sd).abs() < 6.0 * summary.mcse_sd[d], "{transition}");
        }
        let mut stopped = job(&json);
        for stop in 0.. {
            stopped.advance(1 + 7 * stop);
            let checkpoint = stopped.snapshot();
            stopped = job_of(&json, Some(&checkpoint)).unwrap();
            if stopped.is_done() {
                break;
            }
        }
        assert_eq!(stopped.result().unwrap().digest(), result.digest, "{transition}");
    }
}

/// The draws are in the order documented, and the energies theirs.
#[test]
fn energies_are_those_of_the_draws() {
    let result = sampled(&hmc());
    let draws = &result.draws;
    assert_eq!((draws.dim, draws.num_chains, draws.num_draws), (3, 9, 1000));
    let model = serde_json::from_value::<unnorm::models::ModelSpec>(gaussian()).unwrap();
    let model = model.build().unwrap();
    let mut energies = vec![0.0; 9000];
    model.energy(unnorm::linalg::Batch::new(3, &draws.values), &mut energies);
    for (energy, expected) in result.energies.iter().zip(energies) {
        assert!((energy - expected).abs() < 1e-9 * (1.0 + expected));
    }
}

/// What is streamed is what comes out in the end, and paths lead from draw to
/// draw where proposals are accepted.
#[test]
fn streams_are_the_draws_and_paths_lead_to_them() {
    let mut recorded = hmc();
    recorded["recordPath"] = true.into();
    recorded["numDraws"] = 300.into();
    let mut job = job(&recorded);
    let mut values = Vec::new();
    let mut paths = unnorm::sample::Paths::default();
    let mut since = 0;
    while !job.is_done() {
        job.advance(1);
        let Progress::Sample(progress) = job.progress_since(since) else { panic!("not sampling") };
        let new = progress.new_draws.expect("draws");
        assert_eq!(new.first_draw, since);
        since += new.num_draws;
        values.extend(new.values.expect("numbers"));
        paths.extend(new.paths.expect("paths"));
    }
    let Some(JobResult::Sample(SampleOutput::Reals(result))) = job.result() else {
        panic!("no draws")
    };
    assert_eq!(values, result.draws.values);
    assert_eq!(result.paths.as_ref(), Some(&paths));
    assert_eq!(paths.lengths, vec![8.0; 300]);
    let draw = |at: usize| &result.draws.values[at * 27..at * 27 + 3];
    for step in 1..300 {
        let points = &paths.points[step * 24..(step + 1) * 24];
        assert_eq!(&points[..3], draw(step - 1));
        let reached = if paths.outcomes[step] & 1 == 1 { &points[21..] } else { &points[..3] };
        assert_eq!(reached, draw(step));
    }
}

/// The path has the start of each step and every Langevin step; and a run that was interrupted goes on to the same bits.
#[test]
fn the_path_of_annealed_langevin_is_whole() {
    let mut json = hmc();
    json["transition"] = json!({
        "kind": "annealedLangevin", "noises": [2, 1, 0.5], "numSteps": 20, "stepSize": 0.2,
    });
    json["numWarmup"] = 0.into();
    json["numDraws"] = 40.into();
    json["recordPath"] = true.into();
    json["start"] = json!({"kind": "states", "states": [3, -1, 30]});
    let result = sampled(&json);
    assert_eq!(result.divergences.num_total, 0);
    let paths = result.paths.as_ref().expect("a path");
    assert_eq!(paths.lengths, vec![61.0; 40]);
    let of_step = |step: usize| &paths.points[3 * 61 * step..3 * 61 * (step + 1)];
    assert_eq!(&of_step(0)[..3], &[3.0, -1.0, 30.0]);
    for step in 0..40 {
        let draw = &result.draws.values[27 * step..27 * step + 3];
        assert_eq!(&of_step(step)[3 * 60..], draw);
        assert!(step == 39 || &of_step(step + 1)[..3] == draw);
    }
    let mut stopped = job(&json);
    stopped.advance(1);
    let mut resumed = job_of(&json, Some(&stopped.snapshot())).unwrap();
    resumed.advance(usize::MAX);
    assert_eq!(resumed.result().unwrap().digest(), result.digest);
}

#[test]
fn a_step_size_far_too_large_is_told() {
    let mut wild = hmc();
    wild["transition"]["stepSize"] = 50.0.into();
    wild["numDraws"] = 50.into();
    let result = sampled(&wild);
    assert!(result.divergences.num_total > 100);
    assert!(result.divergences.states.len() >= 3 * 9);
    let all = result.warnings.join("\n");
    assert!(all.contains("diverged") && all.contains("tenth"), "{all}");
}

#[test]
fn what_cannot_be_sampled_is_refused_by_field() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut json = hmc();
        change(&mut json);
        refused(&json)
    };
    let cases = [
        (with(&|json| json["transition"]["stepSize"] = (-1.0).into()), "transition.stepSize"),
        (
            with(&|json| json["transition"]["numLeapfrogSteps"] = 0.into()),
            "transition.numLeapfrogSteps",
        ),
        (
            with(&|json| json["transition"]["momentumRefresh"] = 0.0.into()),
            "transition.momentumRefresh",
        ),
        (
            with(&|json| json["transition"] = json!({"kind": "slice", "maxStepsOut": 1001})),
            "transition.maxStepsOut",
        ),
        (
            with(&|json| {
                json["transition"] = json!({"kind": "slice"});
                json["model"] = json!({"kind": "funnel", "dim": 1001});
            }),
            "transition.kind",
        ),
        (
            with(&|json| json["transition"] = json!({"kind": "annealedLangevin", "noises": []})),
            "transition.noises",
        ),
        (
            with(&|json| {
                json["transition"] =
                    json!({"kind": "annealedLangevin", "noises": [2, 1], "numSteps": 501});
            }),
            "transition.numSteps",
        ),
        (
            with(&|json| {
                let moves = json!({"kind": "annealedLangevin", "noises": [2, 1]});
                json["transition"] = json!({"kind": "parallelTempering", "transition": moves});
            }),
            "transition.transition",
        ),
        (with(&|json| json["start"] = json!({"kind": "states", "states": [1.0]})), "start.states"),
        (with(&|json| json["numDraws"] = 100_000_000.into()), "numDraws"),
        (with(&|json| json["transition"] = json!({"kind": "gibbs"})), "model.kind"),
        (with(&|json| json["model"] = json!({"kind": "ising", "dim": 3})), "model.kind"),
        (with(&|json| json["model"] = json!({"kind": "dbn", "sizes": [3, 2, 2]})), "model.kind"),
        (with(&|json| json["model"]["covariance"][0] = (-1.0).into()), "model.covariance"),
        (
            with(&|json| {
                json["recordPath"] = true.into();
                json["numDraws"] = 200_000.into();
            }),
            "recordPath",
        ),
        (
            with(&|json| {
                json["transition"] = json!({"kind": "hmc"});
                json["numWarmup"] = 0.into();
            }),
            "transition.stepSize",
        ),
        (
            with(&|json| {
                json["model"] = json!({"kind": "ring"});
                json["start"] = json!({"kind": "states", "states": [1.0, 0.0, 0.0, 0.0]});
            }),
            "start.states[2]",
        ),
    ];
    for ((field, message), expected) in cases {
        assert_eq!(field, expected, "{message}");
    }
}
