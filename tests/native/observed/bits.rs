//! Binary models, against sums over all states.

use super::{MAX_ERRORS, assert_close, exact, log_z};
use crate::common::{energies, every_state, job_of, sampled, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::{BitMatrix, bit};
use unnorm::math::{exp, log_sum_exp};
use unnorm::models::ModelSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::semi_restricted::SemiRestrictedSpec;

fn models() -> Vec<(ModelSpec, &'static [&'static str])> {
    let lattice = Pattern::Lattice { num_rows: 3, num_cols: 4, periodic: false };
    vec![
        (
            ModelSpec::Ising(IsingSpec::random(12, Pattern::Dense {}, 0.5, 3)),
            &["gibbs", "flipMetropolis", "swendsenWang", "wolff"],
        ),
        (
            ModelSpec::Ising(IsingSpec::random(12, lattice, 0.7, 4)),
            &["gibbs", "checkerboard", "swendsenWang"],
        ),
        (
            ModelSpec::Rbm(RbmSpec::random(7, 3, 1.0, 5)),
            &["gibbs", "locallyInformed", "blockGibbs"],
        ),
        (ModelSpec::SemiRestricted(SemiRestrictedSpec::random(7, 3, 0.7, 6)), &["gibbs"]),
    ]
}

/// The observed sites of a state of `dim` bits, all but four, in descending order, with their values.
fn observed(dim: usize) -> Value {
    let mut sites: Vec<usize> = (0..dim).filter(|site| !free(dim).contains(site)).collect();
    sites.reverse();
    let values: Vec<usize> = sites.iter().map(|site| usize::from(site % 3 == 0)).collect();
    json!({"sites": sites, "values": values})
}

fn free(dim: usize) -> [usize; 4] {
    [0, 2, dim - 4, dim - 1]
}

/// The states with the observed values, their conditional probabilities, and log Z given them.
fn conditional(spec: &ModelSpec) -> (BitMatrix, Vec<f64>, f64) {
    let model = spec.build().unwrap();
    let dim = model.dim();
    let all = every_state(dim);
    let is_free = |site: usize| free(dim).contains(&site);
    let has_values =
        |row: &[u64]| (0..dim).all(|site| is_free(site) || bit(row, site) == (site % 3 == 0));
    let kept: Vec<usize> =
        (0..all.num_rows()).filter(|index| has_values(all.row(*index))).collect();
    assert_eq!(kept.len(), 16);
    let mut rows = BitMatrix::zeros(dim, kept.len());
    rows.rows_mut().zip(&kept).for_each(|(row, &index)| row.copy_from_slice(all.row(index)));
    let minus: Vec<f64> = energies(&*model, &rows).iter().map(|energy| -energy).collect();
    let log_z = log_sum_exp(&minus);
    let probabilities = minus.iter().map(|minus| exp(minus - log_z)).collect();
    (rows, probabilities, log_z)
}

#[test]
fn exact_log_z_moments_and_likelihood_are_sums_over_the_states_that_are_left() {
    for (model, _) in models() {
        let (rows, probabilities, truth) = conditional(&model);
        let dim = rows.dim();
        let values = rows.as_batch().to_values();
        let spec = json!({
            "verb": "exact", "model": model, "observed": observed(dim),
            "data": {"kind": "values", "dim": dim, "values": values},
        });
        let result = exact(&spec);
        assert_close(result.log_z, truth, 1e-12);
        let mean_log: f64 = probabilities.iter().map(|p| unnorm::math::ln(*p)).sum::<f64>() / 16.0;
        assert_close(result.log_likelihood.unwrap(), mean_log, 1e-11);
        if let Some(moments) = &result.moments {
            for i in 0..dim {
                for j in 0..dim {
                    let both =
                        |row: usize| f64::from(bit(rows.row(row), i) && bit(rows.row(row), j));
                    let truth =
                        probabilities.iter().enumerate().map(|(row, p)| p * both(row)).sum();
                    assert_close(moments[i * dim + j], truth, 1e-12);
                }
            }
        }
        if let Some(mean_energy) = result.mean_energy {
            let model = model.build().unwrap();
            let truth: f64 =
                energies(&*model, &rows).iter().zip(&probabilities).map(|(e, p)| e * p).sum();
            assert_close(mean_energy, truth, 1e-12);
        }
        // ln p(x_C) = log Z(x_C) − log Z, which summed over all values of x_C is 1.
        let whole = exact(&json!({"verb": "exact", "model": model}));
        assert!(result.log_z < whole.log_z);
    }
}

#[test]
fn chains_leave_the_conditional_distribution_as_it_is() {
    for (model, transitions) in models() {
        let (rows, probabilities, _) = conditional(&model);
        let dim = rows.dim();
        for transition in transitions {
            // Chains that start exactly, and have forgotten where after some steps or have not.
            for num_warmup in [1, 30] {
                let num_chains = 4000;
                let spec = json!({
                    "verb": "sample", "model": model, "observed": observed(dim), "numChains": num_chains,
                    "transition": {"kind": transition}, "numWarmup": num_warmup, "numDraws": 1,
                    "start": {"kind": "exact"}, "seed": 17, "energies": true, "moments": true,
                });
                let result = sampled(job_of(&spec, None).unwrap());
                let draws = BitMatrix::from_bytes(dim, num_chains, &result.draws.bits).unwrap();
                let place = |row: &[u64]| (0..16).find(|at| rows.row(*at) == row);
                let mut counts = [0.0; 16];
                for index in 0..num_chains {
                    counts[place(draws.row(index)).expect("the observed values stay")] += 1.0;
                }
                // States expected fewer than ten times are counted together.
                let (mut statistic, mut rare) = (0.0, [0.0; 2]);
                for (count, p) in counts.iter().zip(&probabilities) {
                    let expected = p * num_chains as f64;
                    if expected < 10.0 {
                        rare = [rare[0] + count, rare[1] + expected];
                    } else {
                        statistic += (count - expected) * (count - expected) / expected;
                    }
                }
                if rare[1] > 0.0 {
                    statistic += (rare[0] - rare[1]) * (rare[0] - rare[1]) / rare[1].max(10.0);
                }
                // With 15 degrees of freedom it is above 92 less than once in 10⁹ (Laurent and Massart
                // 2000, lemma 1).
                assert!(statistic < 92.0, "{transition} {num_warmup}: {statistic}");
                let whole = model.build().unwrap();
                let truths = energies(&*whole, &draws);
                for (found, truth) in result.energies.iter().zip(&truths) {
                    assert_close(*found, *truth, 1e-11);
                }
                let mean = truths.iter().sum::<f64>() / num_chains as f64;
                assert_close(result.energy_summary.unwrap().mean, mean, 1e-11);
                for i in 0..dim {
                    for j in 0..dim {
                        let both = |row: &[u64]| f64::from(bit(row, i) && bit(row, j));
                        let truth = (0..num_chains).map(|at| both(draws.row(at))).sum::<f64>()
                            / num_chains as f64;
                        assert_close(result.moments[i * dim + j], truth, 1e-12);
                        let error = (truth * (1.0 - truth) / (num_chains - 1) as f64).sqrt();
                        assert_close(result.moment_errors[i * dim + j], error, 1e-9);
                    }
                }
            }
        }
    }
}

#[test]
fn chains_start_from_the_free_bits_of_data() {
    let (model, _) = models().swap_remove(0);
    let spec = json!({
        "verb": "sample", "model": model, "observed": observed(12), "transition": {"kind": "gibbs"},
        "numChains": 3, "numWarmup": 4, "numDraws": 2, "seed": 1,
        "start": {"kind": "data", "data": {"kind": "values", "dim": 12, "values": vec![1.0; 24]}},
    });
    let ones = sampled(job_of(&spec, None).unwrap());
    // What is observed of the rows to start from does not matter.
    let mut values = vec![1.0; 24];
    (1..12).filter(|site| !free(12).contains(site)).for_each(|site| values[site] = 0.0);
    let fields =
        json!({"start": {"kind": "data", "data": {"kind": "values", "dim": 12, "values": values}}});
    let other = sampled(job_of(&with(spec, &fields), None).unwrap());
    assert_eq!(ones.digest, other.digest);
}

#[test]
fn annealing_comes_to_log_z_given_what_is_observed() {
    for (model, _) in models() {
        let (rows, probabilities, truth) = conditional(&model);
        let dim = rows.dim();
        let log_odds: Vec<f64> = (0..dim).map(|site| 0.1 * site as f64 - 0.4).collect();
        let result = log_z(&json!({
            "verb": "logZ", "model": model, "observed": observed(dim), "numChains": 400,
            "numDistributions": 100, "seed": 8, "reverse": {"start": {"kind": "exact"}},
            "reference": {"kind": "independent", "logOdds": log_odds},
            "data": {"kind": "values", "dim": dim, "values": rows.as_batch().to_values()},
            "secondPath": {"reference": {"kind": "uniform"}},
        }));
        let off = |value: f64, error: f64, truth: f64| {
            assert!(error > 0.0 && error < 0.1, "{error}");
            assert!((value - truth).abs() < MAX_ERRORS * error, "{value} ± {error}, and {truth}");
        };
        off(result.log_z, result.standard_error, truth);
        for run in [&result.forward, result.reverse.as_ref().unwrap()] {
            off(run.log_z.value, run.log_z.standard_error, truth);
            off(run.integral.unwrap().value, run.integral.unwrap().standard_error, truth);
            assert!(run.bootstrap.lower < run.log_z.value && run.log_z.value < run.bootstrap.upper);
            let sum: f64 = run.log_weights.iter().sum();
            assert_close(run.mean_log_weight, sum / 400.0, 1e-12);
            let (first, last) = (run.histogram_edges[0], run.histogram_edges.last().unwrap());
            assert!(run.log_weights.iter().all(|weight| first <= *weight && weight <= last));
        }
        assert!(result.bounds.lower < truth && truth < result.bounds.upper.unwrap());
        assert_close(result.exact_log_z.unwrap(), truth, 1e-9);
        let second = result.second_path.unwrap();
        off(second.log_z.value, second.log_z.standard_error, truth);
        assert_close(second.difference.value, second.log_z.value - result.forward.log_z.value, 0.3);
        let mean_log: f64 = probabilities.iter().map(|p| unnorm::math::ln(*p)).sum::<f64>() / 16.0;
        let likelihood = result.likelihood.unwrap().mean;
        off(likelihood.value, likelihood.standard_error, mean_log);
    }
}

#[test]
fn recall_updates_what_is_free_alone() {
    let (model, _) = models().swap_remove(0);
    let built = model.build().unwrap();
    let flips = built.as_site_flips().unwrap();
    let result = |max_updates: usize| {
        let cues: Vec<f64> = (0..120).map(|at| f64::from(at * at % 7 < 3)).collect();
        let spec = json!({
            "verb": "recall", "model": model, "observed": observed(12), "paths": true, "seed": 2,
            "cues": {"kind": "values", "dim": 12, "values": cues}, "maxUpdates": max_updates,
            "noise": {"numFlips": 1, "numCopies": 2},
        });
        match crate::common::finished(job_of(&spec, None).unwrap()) {
            JobResult::Recall(result) => result,
            _ => panic!("not of recall"),
        }
    };
    let recalled = result(1000);
    let rows = |bits: &[u8]| BitMatrix::from_bytes(12, 20, bits).unwrap();
    let (starts, states) = (rows(&recalled.starts.bits), rows(&recalled.states.bits));
    let all = energies(&*built, &states);
    for index in 0..20 {
        let state = states.row(index);
        for site in 0..12 {
            if free(12).contains(&site) {
                assert!(
                    flips.flip_delta(state, site) >= 0.0,
                    "row {index} is no minimum at {site}"
                );
            } else {
                assert_eq!(bit(state, site), site % 3 == 0);
                assert_eq!(bit(starts.row(index), site), site % 3 == 0);
            }
        }
        assert_close(recalled.energies[index], all[index], 1e-11);
    }
    let paths = recalled.paths.unwrap();
    assert!(!paths.sites.is_empty());
    assert!(paths.sites.iter().all(|site| free(12).contains(&(*site as usize))));
    assert_eq!(recalled.attractors.states.dim, 12);
}
