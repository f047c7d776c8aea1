//! Estimates from both directions against closed forms and enumeration.

use super::*;
use std::f64::consts::PI;
use unnorm::energy::{Energy, Parametric};
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, ln_gamma};
use unnorm::models::ModelSpec;

const PRECISION: [f64; 9] = [2.0, 0.5, 0.0, 0.5, 1.0, 0.2, 0.0, 0.2, 4.0];

fn gaussian() -> (Value, f64) {
    let model =
        json!({ "kind": "gaussian", "dim": 3, "mean": [1.0, -1.0, 0.5], "precision": PRECISION });
    (model, 1.5 * ln(2.0 * PI) - half_log_det(3, &PRECISION))
}

/// |det Φ| = 2.75 for both.
fn experts() -> [(Value, f64); 2] {
    let of = |expert: &str, lambda: [f64; 2]| {
        json!({
            "kind": "productOfExperts", "dim": 2, "expert": expert, "lambda": lambda,
            "filters": [1.0, 0.5, -2.0, 1.75],
        })
    };
    let log_det = ln(2.75);
    let student = |l: f64| 0.5 * ln(PI) + ln_gamma(l - 0.5) - ln_gamma(l);
    [
        (of("laplace", [1.5, 2.5]), ln(2.0 / 1.5) + ln(2.0 / 2.5) - log_det),
        (of("studentT", [2.5, 3.0]), student(2.5) + student(3.0) - log_det),
    ]
}

/// Z = 2π ∫₀^∞ r exp(−s ln² r) dr, in small steps.
fn ring() -> (Value, f64) {
    let (sharpness, step) = (10.0, 1e-4);
    let terms = (0..100_000).map(|at| {
        let r = (at as f64 + 0.5) * step;
        r * exp(-sharpness * ln(r) * ln(r))
    });
    (json!({ "kind": "ring", "sharpness": sharpness }), ln(2.0 * PI * step * terms.sum::<f64>()))
}

/// Two components, weights 1 and 3.
fn mixture() -> (Value, f64) {
    let model = json!({
        "kind": "mixture", "dim": 2, "weights": [1.0, 3.0], "means": [-1.5, 0.0, 1.0, 1.0],
        "covariances": [0.5],
    });
    // A mixture is normalized.
    (model, 0.0)
}

/// A Gaussian for each of the 2³ states of the hidden units.
fn gaussian_rbm() -> (Value, f64) {
    let (weights, centre) = ([[1.5, -0.5], [0.3, 2.0], [-1.0, -0.7]], [0.5, -0.3]);
    let (bias, sigma) = ([-1.0, 0.2, 0.4], [0.8, 1.2]);
    let mut z = 0.0;
    for h in 0..8 {
        let set = |j: usize| f64::from(h >> j & 1);
        let mut log_mass = (0..3).map(|j| set(j) * bias[j]).sum::<f64>();
        for i in 0..2 {
            let pull = (0..3).map(|j| set(j) * weights[j][i]).sum::<f64>();
            let (mean, variance) = (centre[i] + sigma[i] * pull, sigma[i] * sigma[i]);
            log_mass += (mean * mean - centre[i] * centre[i]) / (2.0 * variance);
            log_mass += 0.5 * ln(2.0 * PI * variance);
        }
        z += exp(log_mass);
    }
    let model = json!({
        "kind": "gaussianRbm", "numVisible": 2, "numHidden": 3, "weights": weights.concat(),
        "visibleBias": centre, "hiddenBias": bias, "sigma": sigma,
    });
    (model, ln(z))
}

fn binary() -> [(Value, f64); 2] {
    [model("ising", ising(12, 0.5, 3)), model("rbm", rbm(9, 6, 1.0, 4))].map(|model| {
        let log_z = enumerated(&model);
        (model, log_z)
    })
}

fn check(name: &str, model: &Value, rest: Value, log_z: f64) -> LogZResult {
    let spec = json!({
        "model": model, "numChains": 400, "numDistributions": 200, "seed": 11,
        "reverse": { "start": { "kind": "exact" } },
    });
    let result = run(&with(&spec, rest));
    println!("{name}: {:?}, {log_z}", (result.log_z, result.standard_error, &result.warnings));
    let reverse = result.reverse.as_ref().expect("reverse runs");
    let bridge = result.bridge.expect("a bridge");
    for estimated in [result.forward.log_z, reverse.log_z, bridge] {
        assert_within(estimated.value, estimated.standard_error, log_z, 0.15);
        let Interval { lower, upper } = estimated.interval;
        assert!(lower < estimated.value && estimated.value < upper, "{name}: {estimated:?}");
    }
    assert_eq!((result.log_z, result.standard_error), (bridge.value, bridge.standard_error));
    assert_eq!(result.interval, bridge.interval);
    assert_close(result.exact_log_z.expect("known"), log_z, 1e-6);
    let bounds = &result.bounds;
    assert!(bounds.bound_is_certified && bounds.failure_probability == 0.5 * (1.0 - 0.95));
    let margin = -ln(bounds.failure_probability);
    assert_close(bounds.lower, result.forward.log_z.value - margin, 1e-12);
    assert_close(bounds.upper.expect("an upper bound"), reverse.log_z.value + margin, 1e-12);
    // Jensen's inequality, with room for chance.
    let forward = &result.forward;
    assert!(forward.mean_log_weight < log_z + MAX_ERRORS * forward.mean_log_weight_error);
    assert!(reverse.mean_log_weight > log_z - MAX_ERRORS * reverse.mean_log_weight_error);
    for side in [forward, reverse] {
        assert!(side.bootstrap.lower < side.log_z.value && side.log_z.value < side.bootstrap.upper);
        assert_eq!(side.log_weights.len(), 400);
        assert_eq!(side.histogram_counts.iter().sum::<f64>(), 400.0);
        assert_eq!(side.histogram_edges.len(), side.histogram_counts.len() + 1);
        let bins = [side.acceptance.len(), side.variances.len(), side.betas.len() - 1];
        assert_eq!(bins, [100; 3]);
        assert!(side.betas.is_sorted() && side.betas[0] == 0.0 && side.betas[100] == 1.0);
        // What the bins say came from one run: variances of steps in all, had chains mixed.
        assert!(side.acceptance.iter().all(|mean| (0.0..=1.0 + 1e-9).contains(mean)));
    }
    assert_eq!(result.schedule.len(), 201);
    result
}

use unnorm::normalize::Interval;

#[test]
fn the_default_way_on_the_reals() {
    let [laplace, student] = experts();
    for (name, (model, log_z)) in [
        ("gaussian", gaussian()),
        ("laplace", laplace),
        ("studentT", student),
        ("ring", ring()),
        ("mixture", mixture()),
        ("gaussianRbm", gaussian_rbm()),
    ] {
        // Tails of Student's t need a start as wide as themselves for reverse weights to
        // have a variance; the others do with it.
        let start = json!({ "kind": "model", "model": {
            "kind": "gaussian", "dim": model["dim"].as_u64().unwrap_or(2),
        } });
        let spec = match name {
            "studentT" => json!({ "reference": { "kind": "model", "model": {
                "kind": "productOfExperts", "dim": 2, "expert": "studentT", "lambda": [2.0, 2.0] } } }),
            _ => json!({ "reference": start, "pilot": { "numDistributions": 200 } }),
        };
        let result = check(name, &model, spec, log_z);
        assert!(result.warnings.is_empty(), "{name}: {:?}", result.warnings);
        assert_eq!(result.step_sizes.len(), result.step_size_betas.len());
        assert_eq!(result.step_sizes.len(), 50);
    }
}

#[test]
fn other_transitions_on_the_reals() {
    let (model, log_z) = gaussian();
    for transition in [
        json!({ "kind": "hmc", "numLeapfrogSteps": 3, "stepSize": 0.4 }),
        json!({ "kind": "nuts", "maxTreeDepth": 3, "stepSize": 0.4 }),
        json!({ "kind": "langevin", "stepSize": 0.6 }),
        json!({ "kind": "metropolis" }),
        json!({ "kind": "gibbs" }),
        json!({ "kind": "gibbs", "scan": "random" }),
        json!({ "kind": "perfect" }),
    ] {
        for path in ["geometric", "momentAverages"] {
            let rest = json!({ "transition": transition, "path": { "kind": path },
                "schedule": { "kind": "sigmoidal", "delta": 2.0 } });
            let result = check(&format!("{path} {transition}"), &model, rest, log_z);
            if transition["kind"] == "perfect" {
                // Without mixing's error all that is left is the trapezoid rule's.
                let integral = result.forward.integral.expect("from whole runs");
                assert_within(integral.value, integral.standard_error, log_z, 0.05);
            }
        }
    }
}

#[test]
fn binary_models() {
    for (model, log_z) in binary() {
        let dim = if model["kind"] == "rbm" { 9 } else { 12 };
        let log_odds: Vec<f64> = (0..dim).map(|site| 0.3 * f64::from(site) - 1.0).collect();
        for rest in [
            json!({}),
            json!({ "reference": { "kind": "independent", "logOdds": log_odds } }),
            json!({ "transition": { "kind": "gibbs", "scan": "random" }, "numStepsPerDistribution": 2 }),
            json!({ "schedule": { "kind": "optimalBinned", "numBins": 5 } }),
            json!({ "schedule": { "kind": "geometric", "first": 0.001 } }),
        ] {
            let result = check(&format!("{} {rest}", model["kind"]), &model, rest, log_z);
            assert!(result.warnings.is_empty(), "{:?}", result.warnings);
            assert!(result.step_sizes.is_empty());
        }
    }
}

/// Perfect moves of machines whose visible side is too large for a table: with exact draws at
/// each β the mean log weight is a sum of means over all states, which mixing cannot spoil.
#[test]
fn perfect_moves_by_the_smaller_side() {
    for (num_hidden, seed) in [(4, 5), (14, 6)] {
        let spec = rbm(13, num_hidden, 1.0, seed);
        let mut at = spec.build().unwrap();
        let params = at.params().to_vec();
        let states: Vec<f64> =
            (0..1 << 13).flat_map(|s| (0..13).map(move |i| f64::from(s >> i & 1))).collect();
        let mut energies = |beta: f64| {
            at.set_params(&params.iter().map(|param| beta * param).collect::<Vec<_>>());
            let mut energies = vec![0.0; 1 << 13];
            at.energy(Batch::new(13, &states), &mut energies);
            energies
        };
        let mut expected = (13 + num_hidden) as f64 * ln(2.0);
        for k in 0..4 {
            let [here, next] = [k, k + 1].map(|k| energies(0.25 * f64::from(k)));
            let weights: Vec<f64> = here.iter().map(|energy| exp(-energy)).collect();
            let terms = weights.iter().zip(here.iter().zip(&next));
            expected += terms.map(|(weight, (here, next))| weight * (here - next)).sum::<f64>()
                / weights.iter().sum::<f64>();
        }
        let perfect = json!({ "model": model("rbm", spec), "numChains": 2000, "numDistributions": 4,
            "seed": 3, "transition": { "kind": "perfect" }, "schedule": { "kind": "linear" } });
        let forward = run(&perfect).forward;
        assert_within(forward.mean_log_weight, forward.mean_log_weight_error, expected, 0.05);
        // Moves that mix badly fall short of it.
        let single = with(&perfect, json!({ "transition": { "kind": "gibbs", "scan": "random" } }));
        let forward = run(&single).forward;
        assert!(forward.mean_log_weight < expected - 10.0 * forward.mean_log_weight_error);
    }
}

/// With one distribution the weights are those of the reference, and what is said of the last
/// states is the reference's divergence from the model; the states, moved once since then, are
/// nearer. The runs back add the divergence the other way.
#[test]
fn the_weights_bound_the_divergence_of_the_draws() {
    let spec = ising(4, 0.9, 3);
    let (of_bits, flips) = (model("ising", spec.clone()), spec.build().unwrap());
    let log_z = enumerated(&of_bits);
    let states: Vec<f64> =
        (0..16).flat_map(|s| (0..4).map(move |i| f64::from(s >> i & 1))).collect();
    let mut energies = [0.0; 16];
    flips.energy(Batch::new(4, &states), &mut energies);
    let target = energies.map(|energy| exp(-energy - log_z));
    let divergence = |from: &[f64], to: &[f64]| -> f64 {
        from.iter().zip(to).map(|(p, q)| if *p > 0.0 { p * ln(p / q) } else { 0.0 }).sum()
    };
    let uniform = [1.0 / 16.0; 16];
    // A sweep of Gibbs sampling, site after site.
    let mut moved = uniform;
    for site in 0..4 {
        let before = moved;
        for state in 0..16 {
            let pair = [state, state ^ 1 << site];
            let mass = pair.map(|state| target[state]);
            moved[state] = (before[pair[0]] + before[pair[1]]) * mass[0] / (mass[0] + mass[1]);
        }
    }
    let spec = json!({ "model": of_bits, "numChains": 20_000, "numDistributions": 1, "seed": 4 });
    let [there, back] = [divergence(&uniform, &target), divergence(&target, &uniform)];
    assert!(divergence(&moved, &target) < 0.8 * there);
    // log Z is not known without the exact draws of runs back.
    assert!(run(&spec).divergence.is_none());
    let exact = json!({ "reverse": { "start": { "kind": "exact" } } });
    let result = run(&with(&spec, exact));
    let bound = result.divergence.expect("log Z is known from the draws");
    assert_within(bound.value, bound.standard_error, there, 0.05);
    assert!(bound.interval.lower < bound.value && bound.value < bound.interval.upper);
    let reverse = result.reverse.expect("reverse runs");
    assert_within(reverse.mean_log_weight - log_z, reverse.mean_log_weight_error, back, 0.05);
    let approximate = json!({ "reverse": { "start": { "kind": "forward", "numWarmup": 10 } } });
    assert!(run(&with(&spec, approximate)).divergence.is_none());
    let resampled = json!({ "resampling": { "threshold": 1.0 }, "numDistributions": 20 });
    assert!(run(&with(&spec, resampled)).divergence.is_none());
}

/// Knots that bring their segments' costs along need no pilot run: bins are segments, and each
/// has distributions by the root of its cost (eq. 20).
#[test]
fn costs_of_knots_deal_out_the_distributions() {
    let (of_rbm, log_z) = &binary()[1];
    let spline = json!({ "verb": "spline", "model": of_rbm, "seed": 3,
        "momentAverages": { "knots": [0.2, 0.5, 0.9] } });
    let spec = JobSpec::from_value(serde_json::from_value(spline).unwrap()).unwrap();
    let mut job = Job::new(spec, None, None).unwrap();
    job.advance(usize::MAX);
    let Some(JobResult::Spline(spline)) = job.result() else { panic!("a spline") };
    let path = serde_json::to_value(&spline.path).unwrap();
    let costs: Vec<f64> = serde_json::from_value(path["costs"].clone()).unwrap();
    let rest = json!({ "path": path, "schedule": { "kind": "optimalBinned", "numBins": 4 } });
    let result = check("costs", of_rbm, rest, *log_z);
    let counts: Vec<usize> = [0.0, 0.2, 0.5, 0.9, 1.0]
        .windows(2)
        .map(|bin| {
            result.schedule.iter().filter(|beta| bin[0] < **beta && **beta <= bin[1]).count()
        })
        .collect();
    let total: f64 = costs.iter().map(|cost| cost.sqrt()).sum();
    for (count, cost) in counts.iter().zip(&costs) {
        assert!((*count as f64 - 200.0 * cost.sqrt() / total).abs() < 1.0, "{counts:?} {costs:?}");
    }
    assert!(counts.iter().max() > counts.iter().min(), "{counts:?}");
}

/// By way of another model of the same kind, off the straight line.
#[test]
fn knots() {
    let (model, log_z) =
        (model("ising", ising(8, 0.5, 3)), enumerated(&model("ising", ising(8, 0.5, 3))));
    let params = |seed| {
        let spec = unnorm::models::ModelSpec::Ising(ising(8, 0.3, seed));
        spec.build().unwrap().as_parametric().unwrap().params().to_vec()
    };
    let params = [params(5), params(6)].concat();
    let rest = json!({ "path": { "kind": "knots", "betas": [0.25, 0.7], "params": params } });
    check("knots", &model, rest, log_z);
}

/// Reverse runs from where forward ones ended prove nothing, and say so.
#[test]
fn approximate_starts_are_not_certified() {
    let (model, log_z) = gaussian();
    let spec = json!({
        "model": model, "numChains": 400, "numDistributions": 200, "seed": 11,
        "reverse": { "start": { "kind": "forward", "numWarmup": 20 } },
    });
    let result = run(&spec);
    assert!(!result.bounds.bound_is_certified && result.bounds.upper.is_some());
    assert_eq!(result.log_z, result.forward.log_z.value);
    assert!(result.warnings.iter().any(|warning| warning.contains("approximate samples")));
    let reverse = result.reverse.expect("reverse runs").log_z;
    assert_within(reverse.value, reverse.standard_error, log_z, 0.1);
    let bridge = result.bridge.expect("a bridge");
    assert_within(bridge.value, bridge.standard_error, log_z, 0.1);
    // Nor without warm-up; and without reverse runs there is nothing above.
    let start = json!({ "start": { "kind": "forward", "numWarmup": 0 } });
    assert!(!run(&with(&spec, json!({ "reverse": start }))).bounds.bound_is_certified);
    let forward = run(&with(&spec, json!({ "reverse": null })));
    assert!(forward.bounds.upper.is_none() && !forward.bounds.bound_is_certified);
    assert!(forward.reverse.is_none() && forward.bridge.is_none());
    assert_eq!(forward.forward.log_weights, result.forward.log_weights);
}

/// Phases come in order, and the part done never falls.
#[test]
fn progress_goes_one_way() {
    let (model, _) = gaussian();
    let spec = json!({
        "model": model, "numChains": 64, "numDistributions": 100, "seed": 1,
        "reverse": { "start": { "kind": "forward", "numWarmup": 300 } },
        "states": [0.0, 0.0, 0.0], "pilot": { "numChains": 32, "numDistributions": 100 },
    });
    let mut job = job(&spec).expect("a sound job");
    let (mut phases, mut fraction) = (Vec::new(), 0.0);
    loop {
        let unnorm::Progress::LogZ(progress) = job.progress() else { panic!() };
        assert!(progress.fraction >= fraction && progress.done == job.is_done());
        fraction = progress.fraction;
        if phases.last() != Some(&progress.phase) {
            phases.push(progress.phase);
        }
        if job.is_done() {
            break;
        }
        job.advance(1);
    }
    assert_eq!(phases, ["pilot", "forward", "equilibrate", "reverse", "rows"]);
    assert_eq!(fraction, 1.0);
}

/// With few degrees of freedom the chains never see the tails, the estimate is too low, and the
/// weights look well: it is the model that tells.
#[test]
fn heavy_tails_are_told_by_the_model() {
    let with_lambda = |lambda: f64| {
        run(&json!({
            "model": {"kind": "productOfExperts", "dim": 12, "expert": "studentT", "lambda": vec![lambda; 12]},
            "numChains": 100, "numDistributions": 300, "seed": 1,
        }))
    };
    let is_told = |result: &LogZResult| {
        result.warnings.iter().any(|warning| warning.contains("variance is infinite"))
    };
    let heavy = with_lambda(0.8);
    let exact = heavy.exact_log_z.expect("complete");
    assert!(heavy.interval.upper < exact && exact - heavy.log_z > 0.5, "{heavy:?}");
    assert!(is_told(&heavy), "{:?}", heavy.warnings);
    assert!(!is_told(&with_lambda(3.0)));
}

/// The exponent is that of the slowest line: of every line on which but one filter is seen, if
/// there are as many as dimensions, and across one of them, in the plane.
#[test]
fn the_exponent_of_tails_is_that_of_the_energies() {
    let slopes = |model: &Value, lines: &[[f64; 2]]| -> Vec<f64> {
        let spec: ModelSpec = serde_json::from_value(model.clone()).expect("a model");
        let model = spec.build().expect("a sound model");
        let energy = |[x, y]: [f64; 2], radius: f64| {
            let mut out = [0.0];
            model.energy(Batch::new(2, &[radius * x, radius * y]), &mut out);
            out[0]
        };
        let slope = |line| (energy(line, 1e12) - energy(line, 1e8)) / ln(1e4);
        let found = model.as_differentiable().expect("a gradient").tail_exponent();
        let least = lines.iter().map(|&line| slope(line)).fold(f64::INFINITY, f64::min);
        vec![found.expect("tails fall like a power"), least]
    };
    let complete = json!({
        "kind": "productOfExperts", "dim": 2, "expert": "studentT", "filters": [2.0, 1.0, -1.0, 3.0],
        "lambda": [1.75, 0.8],
    });
    // Across the one filter, and the other.
    let [found, least] = slopes(&complete, &[[1.0, -2.0], [3.0, 1.0]])[..] else { panic!() };
    assert_close(found, 1.6, 1e-12);
    assert_close(found, least, 1e-6);
    let overcomplete = json!({
        "kind": "productOfExperts", "dim": 2, "expert": "studentT", "numExperts": 3,
        "filters": [2.0, 1.0, -1.0, 3.0, 1.0, 1.0], "lambda": [1.75, 0.8, 0.9],
    });
    let lines = [[1.0, -2.0], [3.0, 1.0], [1.0, -1.0]];
    let [found, least] = slopes(&overcomplete, &lines)[..] else { panic!() };
    assert_close(found, 3.4, 1e-12);
    assert_close(found, least, 1e-6);
}
