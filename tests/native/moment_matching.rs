//! Moment matching against exact moments, closed forms and its own promises.

use serde_json::json;
use unnorm::energy::Mismatch;
use unnorm::energy::enumeration::WeightedSums;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::semi_restricted::SemiRestrictedSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::normalize::moment_averages::{
    Matching, MatchingReport, MatchingSpec, MomentAverages, MomentAveragesSpec, Moments,
    MomentsSpec,
};

/// One model of each kind.
fn models() -> [Box<dyn Model>; 3] {
    [
        Box::new(IsingSpec::random(6, Pattern::Dense {}, 0.6, 3).build().unwrap()),
        Box::new(RbmSpec::random(7, 3, 0.8, 4).build().unwrap()),
        Box::new(SemiRestrictedSpec::random(5, 3, 0.5, 5).build().unwrap()),
    ]
}

fn log_odds(dim: usize) -> Vec<f64> {
    (0..dim).map(|site| 0.4 * site as f64 - 1.0).collect()
}

fn spline(model: &dyn Model, odds: &[f64], spec: &MomentAveragesSpec, seed: u64) -> MomentAverages {
    MomentAverages::new(model, odds, spec, "path", None, seed).unwrap()
}

fn exact(tolerance: f64) -> MatchingSpec {
    MatchingSpec::Exact { tolerance, max_evaluations: 500 }
}

fn moments(spline: &MomentAverages) -> Moments {
    let shards = (0..spline.num_moment_shards()).map(|shard| {
        let mut work = spline.moment_work(shard);
        work.advance(spline, usize::MAX);
        work
    });
    spline.moments(&shards.collect::<Vec<_>>())
}

/// The parameters of a knot and what is said of them.
fn matched(spline: &MomentAverages, target: &Moments, knot: usize) -> (Vec<f64>, MatchingReport) {
    let problem = spline.problem(target, knot);
    let mut matching = Matching::new(&problem);
    assert_eq!(matching.report(), None);
    matching.advance(&problem, usize::MAX);
    assert!(matching.is_done());
    let report = matching.report().expect("it is done");
    assert_eq!(matching.mismatch(), Some(report.mismatch));
    (matching.params().to_vec(), report)
}

/// Moments of a model at other parameters, by enumeration.
fn moments_at(model: &dyn Model, params: &[f64]) -> Vec<f64> {
    let mut model = model.boxed_clone();
    model.as_parametric_mut().unwrap().set_params(params);
    let family = model.as_exponential_family().unwrap();
    let (states, statistics) = (family.enumeration().unwrap(), family.statistics());
    let mut sums = WeightedSums::new(params.len());
    (0..states.num_pieces()).for_each(|piece| states.add_piece(piece, &mut sums));
    sums.moments(&statistics)
}

#[test]
fn exact_gradients_reach_the_averaged_moments() {
    for model in models() {
        let spec = MomentAveragesSpec {
            knots: vec![0.1, 0.5, 0.9],
            matching: Some(exact(1e-9)),
            ..Default::default()
        };
        let spline = spline(&*model, &log_odds(model.dim()), &spec, 1);
        let target = moments(&spline);
        for (knot, beta) in [0.1, 0.5, 0.9].into_iter().enumerate() {
            let (params, report) = matched(&spline, &target, knot);
            let averaged = spline.averaged(&target, beta);
            let mismatch = Mismatch::between(&moments_at(&*model, &params), &averaged, 1.0);
            assert_eq!(report.is_converged, Some(true));
            assert!(mismatch.max <= 1.1e-9, "{mismatch:?}");
            assert!((mismatch.rms - report.mismatch.rms).abs() < 1e-12);
            assert!(report.num_evaluations < 60, "{report:?}");
            // The path is another than the geometric one.
            let middle: Vec<f64> = spline
                .reference_params()
                .iter()
                .zip(spline.target_params())
                .map(|(from, to)| (1.0 - beta) * from + beta * to)
                .collect();
            assert!(Mismatch::between(&params, &middle, 1.0).max > 0.02);
        }
    }
}

/// The target itself has the moments of the target.
#[test]
fn close_to_the_target_is_the_target() {
    for model in models() {
        let beta = 1.0 - 1e-9;
        let spec = MomentAveragesSpec {
            knots: vec![beta],
            matching: Some(exact(1e-10)),
            ..Default::default()
        };
        let spline = spline(&*model, &log_odds(model.dim()), &spec, 1);
        let (params, _) = matched(&spline, &moments(&spline), 0);
        let difference = Mismatch::between(&params, spline.target_params(), 1.0);
        assert!(difference.max < 1e-5, "{difference:?}");
    }
}

/// Where units are independent at both ends, and no pair of coupled units differs
/// in both, they are independent on the way: the log odds are those of the
/// averaged means.
#[test]
fn independent_ends() {
    let logit = |p: f64| unnorm::math::ln(p / (1.0 - p));
    let sigmoid = unnorm::math::sigmoid;
    let (ours, theirs) = ([-1.0, 0.3, 0.0, 2.0], [1.5, -0.4, 0.8, -1.0]);
    let middle = |at: usize| logit(0.7 * sigmoid(ours[at]) + 0.3 * sigmoid(theirs[at]));
    let spec =
        MomentAveragesSpec { knots: vec![0.3], matching: Some(exact(1e-12)), ..Default::default() };
    // Hidden units have even odds at both ends.
    let machine: ModelSpec = serde_json::from_value(json!({
        "kind": "rbm", "numVisible": 4, "numHidden": 2, "visibleBias": theirs,
    }))
    .unwrap();
    let model = machine.build().unwrap();
    let path = spline(&*model, &ours, &spec, 1);
    let (params, _) = matched(&path, &moments(&path), 0);
    for (at, param) in params.iter().enumerate() {
        let expected = if (8..12).contains(&at) { middle(at - 8) } else { 0.0 };
        assert!((param - expected).abs() < 1e-9, "{param} {expected}");
    }
    // One of two coupled sites differs.
    let glass: ModelSpec = serde_json::from_value(json!({
        "kind": "ising", "dim": 3, "pattern": { "kind": "pairs", "pairs": [[0, 1], [1, 2]] },
        "couplings": [-1.5, 0, 0, 0, -0.3, 0, 0, 0, -0.8],
    }))
    .unwrap();
    let model = glass.build().unwrap();
    let path = spline(&*model, &ours[..3], &spec, 1);
    let (params, _) = matched(&path, &moments(&path), 0);
    for (param, expected) in params.iter().zip([-middle(0), -0.3, -middle(2), 0.0, 0.0]) {
        assert!((param - expected).abs() < 1e-9, "{param} {expected}");
    }
}

/// Over 16 seeds each of the 90 moments lies within 12 standard errors of the
/// mean, which Student's t with 15 degrees of freedom passes once in 2·10⁸: a false
/// alarm has a chance of 5·10⁻⁷. 0.003 is allowed for the bias of steps that have
/// not become infinitely small. What is reported is, squared, the exact mismatch
/// and the noise, within a factor that F with even 40 and 40 degrees of freedom
/// passes less often than once in 10⁷.
#[test]
fn persistent_chains_come_near_the_averaged_moments() {
    const NUM_SEEDS: u64 = 16;
    for model in models() {
        let spec = MomentAveragesSpec {
            knots: vec![0.6],
            moments: Some(MomentsSpec::Exact {}),
            matching: Some(MatchingSpec::Persistent {
                num_updates: 300,
                num_particles: 100,
                learning_rate: Some(0.1),
            }),
        };
        let odds = log_odds(model.dim());
        let (mut reported, mut expected) = (0.0, 0.0);
        let mut errors = Vec::new();
        for seed in 0..NUM_SEEDS {
            let spline = spline(&*model, &odds, &spec, seed);
            let target = moments(&spline);
            let (params, report) = matched(&spline, &target, 0);
            let averaged = spline.averaged(&target, 0.6);
            let found = moments_at(&*model, &params);
            let exact = Mismatch::between(&found, &averaged, 1.0);
            assert!(exact.max < 0.1, "{exact:?}");
            let noise = report.noise.expect("particles are noisy");
            reported += report.mismatch.rms * report.mismatch.rms;
            expected += exact.rms * exact.rms + noise.rms * noise.rms;
            errors.push(found.iter().zip(&averaged).map(|(a, b)| a - b).collect::<Vec<_>>());
        }
        let ratio = reported / expected;
        assert!((0.15..7.0).contains(&ratio), "{reported} reported, {expected} expected");
        let count = NUM_SEEDS as f64;
        for at in 0..errors[0].len() {
            let mean = errors.iter().map(|error| error[at]).sum::<f64>() / count;
            let square = |error: &Vec<f64>| (error[at] - mean) * (error[at] - mean);
            let variance = errors.iter().map(square).sum::<f64>() / (count - 1.0);
            let error = (variance / count).sqrt();
            assert!(mean.abs() < 12.0 * error + 0.003, "{mean} ± {error}");
            assert!(error < 0.005);
        }
    }
}

/// Pieces one at a time, through bytes and back after each.
#[test]
fn pieces_and_bytes_change_no_bit() {
    // Several pieces of states and, with so many parameters, of particles.
    let wide = RbmSpec::random(1500, 12, 0.02, 4).build().unwrap();
    let small = SemiRestrictedSpec::random(5, 3, 0.5, 5).build().unwrap();
    let persistent =
        MatchingSpec::Persistent { num_updates: 10, num_particles: 601, learning_rate: None };
    let chains = MomentsSpec::Chains { num_chains: 4, num_warmup: 1, num_draws: 16 };
    let few = MatchingSpec::Exact { tolerance: 1e-9, max_evaluations: 4 };
    let models: [&dyn Model; 2] = [&wide, &small];
    for (model, matching) in [(0, few.clone()), (0, persistent.clone()), (1, few), (1, persistent)]
    {
        let model = models[model];
        let spec = MomentAveragesSpec {
            knots: vec![0.3, 0.7],
            moments: Some(chains.clone()),
            matching: Some(matching),
        };
        let spline = spline(model, &log_odds(model.dim()), &spec, 2);
        let problem = spline.problem(&moments(&spline), 1);
        let mut straight = Matching::new(&problem);
        straight.advance(&problem, usize::MAX);
        let mut hopping = Matching::new(&problem);
        let mut num_pieces = 0;
        while !hopping.is_done() {
            hopping.advance(&problem, 1);
            num_pieces += 1;
            let bytes = postcard::to_allocvec(&hopping).unwrap();
            hopping = postcard::from_bytes(&bytes).unwrap();
            assert!(hopping.is_of(&problem));
            assert_eq!(hopping.num_pieces_done(&problem), num_pieces);
        }
        assert!(num_pieces > 1 && num_pieces <= Matching::num_pieces(&problem));
        assert_eq!(postcard::to_allocvec(&hopping), postcard::to_allocvec(&straight));
        assert_eq!(hopping.params(), straight.params());
    }
}

/// Knots are independent of one another, and of how many there are.
#[test]
fn knots_have_streams_of_their_own() {
    let model = RbmSpec::random(7, 3, 0.8, 4).build().unwrap();
    let run = |seed: u64| {
        let spec = MomentAveragesSpec {
            knots: vec![0.4, 0.400001],
            matching: Some(MatchingSpec::Persistent {
                num_updates: 20,
                num_particles: 10,
                learning_rate: Some(0.05),
            }),
            ..Default::default()
        };
        let spline = spline(&model, &log_odds(7), &spec, seed);
        let target = moments(&spline);
        [0, 1].map(|knot| matched(&spline, &target, knot).0)
    };
    let [first, second] = run(1);
    assert!(Mismatch::between(&first, &second, 1.0).max > 1e-3);
    assert_eq!(run(1), [first.clone(), second]);
    assert_ne!(run(2)[0], first);
}

#[test]
fn specs_are_read_and_checked() {
    let read = |value| serde_json::from_value::<MomentAveragesSpec>(value);
    assert_eq!(read(json!({})).unwrap(), MomentAveragesSpec::default());
    let spec = read(json!({
        "knots": [0.25, 0.5], "moments": { "kind": "chains", "numChains": 7 },
        "matching": { "kind": "persistent", "numUpdates": 50, "learningRate": 0.5 },
    }))
    .unwrap();
    let moments = MomentsSpec::Chains { num_chains: 7, num_warmup: 500, num_draws: 500 };
    assert_eq!(spec.moments, Some(moments));
    assert_eq!(read(serde_json::to_value(&spec).unwrap()).unwrap(), spec);
    for unknown in [
        json!({ "knot": [0.5] }),
        json!({ "moments": { "kind": "exact", "numChains": 3 } }),
        json!({ "matching": { "kind": "persistent", "tolerance": 3 } }),
        json!({ "matching": { "kind": "newton" } }),
    ] {
        assert!(read(unknown.clone()).is_err(), "{unknown}");
    }

    let model = RbmSpec::random(7, 3, 0.8, 4).build().unwrap();
    let field = |value| {
        let spec = read(value).unwrap();
        let made = MomentAverages::new(&model, &log_odds(7), &spec, "path", None, 1);
        made.map(|_| ()).unwrap_err().field().unwrap().to_owned()
    };
    let chains =
        |field: &str, value: usize| json!({ "moments": { "kind": "chains", field: value }});
    let persistent =
        |field: &str, value: f64| json!({ "matching": { "kind": "persistent", field: value }});
    for (value, expected) in [
        (json!({ "knots": [] }), "path.knots.length"),
        (json!({ "knots": [0.5, 0.5] }), "path.knots[1]"),
        (json!({ "knots": [0.0] }), "path.knots[0]"),
        (json!({ "knots": [0.5, 1.0] }), "path.knots[1]"),
        (chains("numChains", 1), "path.moments.numChains"),
        (chains("numDraws", 0), "path.moments.numDraws"),
        (json!({ "moments": { "kind": "data" } }), "path.moments.kind"),
        (json!({ "matching": { "kind": "exact", "tolerance": 0.0 }}), "path.matching.tolerance"),
        (
            json!({ "matching": { "kind": "exact", "maxEvaluations": 0 }}),
            "path.matching.maxEvaluations",
        ),
        (
            json!({ "matching": { "kind": "persistent", "numUpdates": 1 }}),
            "path.matching.numUpdates",
        ),
        (
            json!({ "matching": { "kind": "persistent", "numParticles": 1 }}),
            "path.matching.numParticles",
        ),
        (persistent("learningRate", -1.0), "path.matching.learningRate"),
    ] {
        assert_eq!(field(value), expected);
    }
}

/// What is left open follows from what is feasible.
#[test]
fn defaults_are_feasible() {
    let chosen = |spec: ModelSpec, data: bool| {
        let model = spec.build().unwrap();
        let rows = unnorm::bits::BitMatrix::zeros(model.dim(), 3);
        let data = data.then(|| rows.as_batch());
        let odds = vec![0.0; model.dim()];
        let spec = MomentAveragesSpec::default();
        let spline = MomentAverages::new(&*model, &odds, &spec, "path", data, 1).unwrap();
        let (moments, matching) = (spline.moments_spec().clone(), spline.matching_spec().clone());
        (moments, matches!(matching, MatchingSpec::Exact { .. }))
    };
    let machine = |hidden| ModelSpec::Rbm(RbmSpec::random(784, hidden, 0.0, 1));
    assert_eq!(chosen(machine(16), false), (MomentsSpec::Exact {}, true));
    assert_eq!(chosen(machine(20), true), (MomentsSpec::Exact {}, false));
    assert_eq!(chosen(machine(100), true), (MomentsSpec::Data {}, false));
    assert_eq!(chosen(machine(100), false), (MomentsSpec::chains(), false));
    let glass = |dim| ModelSpec::Ising(IsingSpec { dim, ..IsingSpec::default() });
    assert_eq!(chosen(glass(20), false), (MomentsSpec::Exact {}, true));
    assert_eq!(chosen(glass(21), false), (MomentsSpec::chains(), false));

    // Asked for, and refused.
    let refused = |model: ModelSpec, spec: MomentAveragesSpec| {
        let model = model.build().unwrap();
        let odds = vec![0.0; model.dim()];
        let made = MomentAverages::new(&*model, &odds, &spec, "path", None, 1);
        made.map(|_| ()).unwrap_err().code()
    };
    let exactly = |matching| MomentAveragesSpec { matching, ..Default::default() };
    assert_eq!(refused(machine(26), exactly(Some(exact(0.01)))), "too-large");
    let gaussian =
        ModelSpec::examples().into_iter().find(|spec| spec.build().unwrap().kind() == "gaussian");
    assert_eq!(refused(gaussian.unwrap(), exactly(None)), "missing-capability");
}
