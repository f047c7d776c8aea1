//! Parallel tempering of bits as a job: draws, log Z and what is reported of the ladders, against
//! enumeration and elimination. Tolerances are seven standard errors taken from 100 chains: fewer
//! than 1,000 comparisons give a false alarm below 10⁻⁶.

use crate::common::{finished, job_of, with};
use serde_json::{Value, json};
use unnorm::Error;
use unnorm::JobResult;
use unnorm::energy::Energy;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln};
use unnorm::models::categorical_rbm::CategoricalRbmSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::potts::PottsSpec;
use unnorm::models::rbm::RbmSpec;
use unnorm::models::site_values::NumValues;
use unnorm::sample::SampleResult;

const MAX_ERRORS: f64 = 7.0;

fn sampled(json: &Value) -> SampleResult {
    crate::common::sampled(job_of(json, None).expect("a sound job"))
}

fn exact(model: &Value, more: &Value) -> unnorm::exact::ExactResult {
    let spec = with(json!({"verb": "exact", "model": model}), more);
    let JobResult::Exact(result) = finished(job_of(&spec, None).unwrap()) else {
        panic!("not of exact")
    };
    result
}

fn glass() -> Value {
    let spec = IsingSpec::random(9, Pattern::Dense {}, 1.5, 4);
    with(serde_json::to_value(&spec).unwrap(), &json!({"kind": "ising"}))
}

fn machine() -> Value {
    let spec = RbmSpec::random(7, 3, 2.5, 2);
    with(serde_json::to_value(&spec).unwrap(), &json!({"kind": "rbm"}))
}

fn tempered(model: &Value, inner: &Value, more: &Value) -> Value {
    let spec = json!({
        "verb": "sample", "model": model, "numChains": 100, "numWarmup": 200, "numDraws": 800, "seed": 3,
        "transition": {"kind": "parallelTempering", "numRungs": 6, "transition": inner},
    });
    with(spec, more)
}

/// Moments and log Z of a run, against exact ones.
#[track_caller]
fn assert_exact(spec: &Value, observed: &Value) {
    let exact = exact(&spec["model"], observed);
    assert_near(spec, &exact.moments.expect("by enumeration"), exact.log_z);
}

#[track_caller]
fn assert_near(spec: &Value, moments: &[f64], log_z: f64) {
    let result = sampled(spec);
    assert_eq!(result.moments.len(), moments.len());
    for (at, (moment, exact)) in result.moments.iter().zip(moments).enumerate() {
        // Pairs that are hardly ever 1 together may not occur at all.
        let rare = 2.0 * (exact * (1.0 - exact) / result.draws.num_rows as f64).sqrt();
        let error = result.moment_errors[at].max(rare);
        let is_near = (moment - exact).abs() <= MAX_ERRORS * error;
        assert!(is_near, "moment {at}: {moment} ± {error}, exactly {exact}");
    }
    let tempering = result.tempering.expect("a report of the ladders");
    let z = (tempering.log_z - log_z) / tempering.log_z_error;
    println!("log Z {} ± {}", tempering.log_z, tempering.log_z_error);
    assert!(z.abs() < MAX_ERRORS, "log Z is {z} errors off {log_z}");
    assert!(tempering.log_z_error < 0.05, "{}", tempering.log_z_error);
    assert!(tempering.warnings.is_empty(), "{:?}", tempering.warnings);
}

#[test]
fn draws_and_log_z_are_those_of_the_model() {
    for inner in [
        json!({"kind": "gibbs"}),
        json!({"kind": "gibbs", "scan": "random"}),
        json!({"kind": "swendsenWang"}),
        json!({"kind": "wolff"}),
    ] {
        assert_exact(&tempered(&glass(), &inner, &json!({})), &json!({}));
    }
    for inner in [json!({"kind": "gibbs"}), json!({"kind": "blockGibbs"})] {
        assert_exact(&tempered(&machine(), &inner, &json!({})), &json!({}));
    }
    let lattice = json!({
        "kind": "ising", "dim": 9, "pattern": {"kind": "lattice", "numRows": 3, "numCols": 3},
        "uniform": {"coupling": 0.9, "field": 0.05},
    });
    assert_exact(&tempered(&lattice, &json!({"kind": "checkerboard"}), &json!({})), &json!({}));
}

/// A ladder through the knots of a spline, from the base rates they begin at.
#[test]
fn knots_of_a_spline_are_a_ladder() {
    let log_odds = [0.2, -0.4, 0.6, 0.0, 0.3, -0.1, 0.5];
    let spline = json!({
        "verb": "spline", "model": machine(), "momentAverages": {"knots": [0.3, 0.6]}, "seed": 2,
        "reference": {"kind": "independent", "logOdds": log_odds},
    });
    let JobResult::Spline(spline) = finished(job_of(&spline, None).unwrap()) else {
        panic!("not of spline")
    };
    let path = serde_json::to_value(&spline.path).unwrap();
    assert_eq!(path["betas"], json!([0.3, 0.6]));
    for inner in ["gibbs", "blockGibbs"] {
        let transition = json!({
            "kind": "parallelTempering", "numRungs": 6, "transition": {"kind": inner}, "logOdds": log_odds,
            "path": path,
        });
        let more = json!({"transition": transition});
        assert_exact(&tempered(&machine(), &json!({}), &more), &json!({}));
    }
    // Not the straight path: the same seed has other draws there.
    let ladder = |path: Value| {
        let transition = json!({
            "kind": "parallelTempering", "numRungs": 6, "transition": {"kind": "gibbs"}, "logOdds": log_odds,
            "path": path,
        });
        tempered(&machine(), &json!({}), &json!({"transition": transition}))
    };
    let [bent, straight] = [path, json!({"kind": "geometric"})].map(|path| sampled(&ladder(path)));
    assert_ne!(bent.digest, straight.digest);
}

/// Sites of several values, one by one and by blocks.
#[test]
fn values_climb_ladders_too() {
    let spec = PottsSpec::random(4, NumValues::Each(vec![3, 2, 4, 3]), Pattern::Dense {}, 1.5, 5);
    let potts = with(serde_json::to_value(&spec).unwrap(), &json!({"kind": "potts"}));
    for inner in [json!({"kind": "gibbs"}), json!({"kind": "gibbs", "scan": "random"})] {
        assert_exact(&tempered(&potts, &inner, &json!({})), &json!({}));
    }
    let spec = CategoricalRbmSpec::random(4, NumValues::All(3), 3, 2.0, 6);
    let machine = with(serde_json::to_value(&spec).unwrap(), &json!({"kind": "categoricalRbm"}));
    // `exact` sums over the hidden states, and has no moments of the sites.
    let model = spec.build().unwrap();
    let mut moments = vec![0.0; 12 * 12];
    let mut total = 0.0;
    for number in 0..3_usize.pow(4) {
        let on = [0, 1, 2, 3].map(|site| 3 * site + number / 3_usize.pow(site as u32) % 3);
        let mut state = [0.0; 12];
        on.iter().for_each(|bit| state[*bit] = 1.0);
        let mut energy = [0.0];
        model.energy(Batch::new(12, &state), &mut energy);
        let weight = exp(-energy[0]);
        total += weight;
        on.iter().for_each(|i| on.iter().for_each(|j| moments[12 * i + j] += weight));
    }
    moments.iter_mut().for_each(|moment| *moment /= total);
    assert_near(
        &tempered(&machine, &json!({"kind": "blockGibbs"}), &json!({})),
        &moments,
        ln(total),
    );
}

/// Independent units of other log odds at the lowest rung, and a part of the state that is observed.
#[test]
fn any_independent_units_will_do_and_what_is_observed_stays() {
    let log_odds: Vec<f64> = (0..9).map(|site| 0.6 - 0.15 * f64::from(site)).collect();
    let transition = json!({
        "kind": "parallelTempering", "numRungs": 5, "transition": {"kind": "gibbs"}, "logOdds": log_odds,
    });
    let more = json!({"transition": transition});
    assert_exact(&tempered(&glass(), &json!({}), &more), &json!({}));
    let observed = json!({"observed": {"sites": [1, 6], "values": [1, 0]}});
    assert_exact(&tempered(&glass(), &json!({}), &with(more, &observed)), &observed);
}

/// A 6×6 spin glass without a field: each column of its J sums to 0.
fn spin_glass(scale: f64) -> Value {
    let pattern = Pattern::Lattice { num_rows: 6, num_cols: 6, periodic: false };
    let mut spec = IsingSpec::random(36, pattern, scale, 7);
    let couplings = spec.couplings.as_mut().expect("drawn");
    for column in 0..36 {
        couplings[column * 37] = 0.0;
        let sum: f64 = (0..36).map(|row| couplings[row * 36 + column]).sum();
        couplings[column * 37] = -sum;
    }
    with(serde_json::to_value(&spec).unwrap(), &json!({"kind": "ising"}))
}

/// The case it is for: a strong glass, on which Gibbs sampling alone is stuck, against elimination.
#[test]
fn a_ladder_crosses_the_barriers_of_a_strong_glass() {
    let model = spin_glass(3.0);
    let more = json!({
        "numDraws": 1000, "numWarmup": 512, "energies": true, "moments": false,
        "transition": {"kind": "parallelTempering", "numRungs": 16, "transition": {"kind": "gibbs"}},
    });
    let spec = tempered(&model, &json!({}), &more);
    let result = sampled(&spec);
    let tempering = result.tempering.expect("a report");
    let log_z = exact(&model, &json!({})).log_z;
    let z = (tempering.log_z - log_z) / tempering.log_z_error;
    println!("log Z {} ± {}, exactly {log_z}", tempering.log_z, tempering.log_z_error);
    assert!(z.abs() < MAX_ERRORS && tempering.log_z_error < 0.1, "{z} errors");
    assert!(tempering.num_round_trips.iter().all(|&count| count > 10.0));
    // Rungs are where all pairs are exchanged equally often.
    let [least, most] = [f64::min, f64::max]
        .map(|pick| tempering.rejections.iter().copied().reduce(pick).expect("pairs"));
    assert!(most < 3.0 * least && most < 0.6, "{:?}", tempering.rejections);
    let alone = with(spec, &json!({"transition": {"kind": "gibbs"}}));
    let [tempered, alone] = [result.energy_summary, sampled(&alone).energy_summary]
        .map(|summary| summary.expect("of the energies").ess_bulk);
    println!("effective draws: {tempered} on ladders, {alone} alone");
    assert!(tempered > 10.0 * alone, "{tempered} and {alone}");
}

/// A machine with two wells, all units on or all off, between which block Gibbs sampling goes once in
/// 10⁷ sweeps: only swaps that carry along what was read of the states find both.
#[test]
fn block_gibbs_on_a_ladder_goes_between_wells() {
    let model = json!({
        "kind": "rbm", "numVisible": 8, "numHidden": 1, "weights": vec![10.0; 8],
        "visibleBias": vec![-5.0; 8], "hiddenBias": [-40.0],
    });
    let start = json!({"start": {"kind": "data", "data": {"kind": "rows", "rows": [[0, 0, 0, 0, 0, 0, 0, 0]]}}});
    let ladder =
        json!({"kind": "parallelTempering", "numRungs": 12, "transition": {"kind": "blockGibbs"}});
    let alone = json!({"transition": {"kind": "blockGibbs"}});
    let alone = sampled(&with(tempered(&model, &json!({}), &start), &alone));
    assert!(alone.moments.iter().all(|&moment| moment < 0.1), "it leaves its well");
    let more = with(start, &json!({"transition": ladder, "numDraws": 2000}));
    assert_exact(&tempered(&model, &json!({}), &more), &json!({}));
}

/// Replicas over the rungs, step by step: a permutation that changes by swaps of neighbours.
#[test]
fn the_path_of_the_replicas_is_recorded() {
    let more = json!({"recordPath": true, "numStepsPerDraw": 2, "numDraws": 40});
    let result = sampled(&tempered(&machine(), &json!({"kind": "blockGibbs"}), &more));
    let tempering = result.tempering.expect("a report");
    let replicas = tempering.replicas.expect("a path");
    assert_eq!(replicas.len(), 80 * 6);
    let mut before: Option<&[u8]> = None;
    let mut num_swaps = 0;
    for now in replicas.chunks_exact(6) {
        let mut sorted = now.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        if let Some(before) = before {
            for (rung, replica) in now.iter().enumerate() {
                let was = before.iter().position(|other| other == replica).expect("it was there");
                assert!(was.abs_diff(rung) <= 1, "{before:?} to {now:?}");
                num_swaps += was.abs_diff(rung);
            }
        }
        before = Some(now);
    }
    assert!(num_swaps > 20);
    let without = sampled(&tempered(&machine(), &json!({"kind": "blockGibbs"}), &json!({})));
    assert!(without.tempering.expect("a report").replicas.is_none());
}

/// Ladders too short to be crossed say so.
#[test]
fn ladders_that_are_not_crossed_warn() {
    let model = spin_glass(40.0);
    let more = json!({
        "numDraws": 50, "transition": {"kind": "parallelTempering", "numRungs": 2, "transition": {"kind": "gibbs"}},
    });
    let tempering = sampled(&tempered(&model, &json!({}), &more)).tempering.expect("a report");
    let all = tempering.warnings.join(" ");
    for part in ["no replica went", "take more rungs", "disagree about log Z"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let alone = sampled(&tempered(&glass(), &json!({"kind": "gibbs"}), &json!({"numChains": 1})));
    assert!(alone.tempering.expect("a report").log_z_error.is_nan());
}

#[test]
fn what_no_ladder_has_is_refused() {
    let gibbs = json!({"kind": "gibbs"});
    let refused = |model: &Value, transition: Value| {
        let spec = tempered(model, &gibbs, &json!({"transition": transition}));
        job_of(&spec, None).map(|_| ()).expect_err("refused")
    };
    let field_of = |model: &Value, transition: Value| match refused(model, transition) {
        Error::InvalidSpec { field, .. } => field,
        other => panic!("{other}"),
    };
    let ladder =
        |fields: Value| with(json!({"kind": "parallelTempering", "transition": gibbs}), &fields);
    assert_eq!(field_of(&glass(), ladder(json!({"logOdds": [0.0]}))), "transition.logOdds");
    assert_eq!(field_of(&glass(), ladder(json!({"numRungs": 1}))), "transition.numRungs");
    assert_eq!(
        field_of(&glass(), ladder(json!({"reference": {"dim": 9}}))),
        "transition.reference"
    );
    let inner = |kind: &str| ladder(json!({"transition": {"kind": kind}}));
    assert_eq!(field_of(&glass(), inner("perfect")), "transition.transition");
    let nested = ladder(json!({"transition": ladder(json!({}))}));
    assert_eq!(field_of(&glass(), nested), "transition.transition");
    let simulated = ladder(json!({"kind": "simulatedTempering"}));
    assert_eq!(field_of(&glass(), simulated), "transition.transition");
    let params = vec![0.0; 45];
    let knots =
        |betas: &[f64], params: &[f64]| json!({"kind": "knots", "betas": betas, "params": params});
    for (path, field) in [
        (knots(&[1.0], &params), "transition.path.betas[0]"),
        (knots(&[0.5], &params[1..]), "transition.path.params"),
        (json!({"kind": "momentAverages"}), "transition.path.kind"),
    ] {
        assert_eq!(field_of(&glass(), ladder(json!({"path": path}))), field);
    }
    let path = knots(&[0.5], &params);
    let on_reals =
        json!({"kind": "parallelTempering", "transition": {"kind": "hmc"}, "path": path});
    assert_eq!(field_of(&json!({"kind": "doubleWell"}), on_reals), "transition.path");
    let observed = json!({"observed": {"sites": [0], "values": [1]}, "transition": ladder(json!({"path": path}))});
    match job_of(&tempered(&glass(), &gibbs, &observed), None).map(|_| ()).expect_err("refused") {
        Error::InvalidSpec { field, .. } => assert_eq!(field, "transition.path.kind"),
        other => panic!("{other}"),
    }
    let of_reals =
        json!({"kind": "parallelTempering", "transition": {"kind": "hmc"}, "logOdds": [0, 0]});
    assert_eq!(field_of(&json!({"kind": "doubleWell"}), of_reals), "transition.logOdds");
    for (model, transition) in [
        (glass(), inner("blockGibbs")),
        (machine(), inner("wolff")),
        (json!({"kind": "doubleWell"}), ladder(json!({}))),
        (
            json!({"kind": "categoricalRbm", "numSites": 3, "numValues": 3, "numHidden": 2}),
            ladder(json!({})),
        ),
    ] {
        let error = refused(&model, transition);
        assert!(matches!(error, Error::MissingCapability { .. }), "{error}");
    }
}
