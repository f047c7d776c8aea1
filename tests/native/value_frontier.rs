//! Summing out the sites of Potts models one after another: against enumeration, against the transfer
//! matrix of a chain, and draws.

use crate::common::{finished, job_of};
use serde_json::json;
use unnorm::JobResult;
use unnorm::bits::words_per_row;
use unnorm::energy::{Energy, ExactDraws, Parametric};
use unnorm::exact::value_frontier::ValuePass;
use unnorm::exact::{ValueFrontier, ValueFrontierDraws};
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln};
use unnorm::models::ising::Pattern;
use unnorm::models::potts::{Potts, PottsSpec, ValueEnumeration};
use unnorm::models::site_values::NumValues;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream};

fn potts(num_sites: usize, num_values: NumValues, pattern: Pattern, seed: u64) -> Potts {
    PottsSpec::random(num_sites, num_values, pattern, 0.9, seed).build().unwrap()
}

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

fn models() -> Vec<Potts> {
    let each = |counts: &[usize]| NumValues::Each(counts.to_vec());
    let tree = Pattern::Pairs { pairs: vec![[0, 1], [1, 2], [1, 3], [3, 4]] };
    let apart = Pattern::Pairs { pairs: vec![[0, 3], [1, 2]] };
    let mut without = potts(4, NumValues::All(3), Pattern::Dense {}, 9);
    let mut params = without.params().to_vec();
    // Couplings of the first pair are all 0.
    params[12..21].fill(0.0);
    without.set_params(&params);
    vec![
        potts(1, each(&[4]), Pattern::Dense {}, 1),
        potts(4, each(&[2, 3, 4, 5]), Pattern::Dense {}, 2),
        potts(5, each(&[3, 2, 4, 3, 5]), tree, 3),
        potts(5, each(&[3, 2, 4, 3, 2]), apart, 4),
        potts(9, NumValues::All(3), lattice(3, 3, false), 5),
        potts(9, NumValues::All(3), lattice(3, 3, true), 6),
        potts(8, each(&[2, 3, 2, 3, 4, 2, 2, 3]), lattice(2, 4, false), 7),
        without,
    ]
}

#[test]
fn log_z_and_the_mean_energy_are_those_of_enumeration() {
    for model in models() {
        let states = ValueEnumeration::new(&model).unwrap();
        let parts: Vec<_> = (0..states.num_shards()).map(|shard| states.part(shard)).collect();
        let expected = states.combine(&parts);
        let frontier = ValueFrontier::new(&model).unwrap();
        let found = frontier.exact();
        assert!((found.log_z - expected.log_z).abs() < 1e-12 * (1.0 + expected.log_z.abs()));
        let scale = 1.0 + expected.mean_energy.abs();
        assert!((found.mean_energy - expected.mean_energy).abs() < 1e-11 * scale);
        // Where it is interrupted does not change a bit.
        let mut pass = ValuePass::default();
        while !pass.advance(&frontier, 7) {}
        assert_eq!(pass.exact(), found);
    }
}

/// A ring of 300 sites of 21 values, by products of its transfer matrices.
#[test]
fn a_ring_of_hundreds_of_sites_is_summed_exactly() {
    const SITES: usize = 300;
    const VALUES: usize = 21;
    let pairs = (0..SITES - 1).map(|site| [site, site + 1]).chain([[0, SITES - 1]]).collect();
    let model = potts(SITES, NumValues::All(VALUES), Pattern::Pairs { pairs }, 11);
    let found = ValueFrontier::new(&model).unwrap().exact();
    let block = |i: usize, j: usize| {
        let pair = model.pairs().iter().find(|pair| pair.sites == [i, j]).unwrap();
        &model.params()[pair.start..pair.start + VALUES * VALUES]
    };
    let field = |site: usize, value: usize| model.params()[site * VALUES + value];
    // For each value of the last site, messages from the first on.
    let mut total = 0.0;
    let closing = block(0, SITES - 1);
    let mut logs = Vec::new();
    for last in 0..VALUES {
        let mut log = 0.0;
        let mut message: Vec<f64> =
            (0..VALUES).map(|a| exp(field(0, a) + closing[a * VALUES + last])).collect();
        for site in 1..SITES {
            let couplings = block(site - 1, site);
            let mut next: Vec<f64> = (0..VALUES)
                .map(|b| {
                    let into = message.iter().enumerate();
                    let sum: f64 =
                        into.map(|(a, weight)| weight * exp(couplings[a * VALUES + b])).sum();
                    sum * exp(field(site, b))
                })
                .collect();
            let scale: f64 = next.iter().sum();
            next.iter_mut().for_each(|weight| *weight /= scale);
            log += ln(scale);
            message = next;
        }
        logs.push(log + ln(message[last]));
    }
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.iter().for_each(|log| total += exp(log - most));
    let expected = most + ln(total);
    assert!((found.log_z - expected).abs() < 1e-11 * expected.abs(), "{} {expected}", found.log_z);
    // As a job, in pieces.
    let model = serde_json::to_value(model.spec()).unwrap();
    match finished(job_of(&json!({"verb": "exact", "model": model}), None).unwrap()) {
        JobResult::Exact(result) => {
            assert_eq!((result.method, result.log_z), ("frontier", found.log_z));
            assert_eq!(result.mean_energy, Some(found.mean_energy));
        }
        _ => panic!("of another verb"),
    }
}

/// Frequencies of all states in 40,000 draws, by χ² with a false alarm below 1e-7 in each of four models.
#[test]
fn draws_are_those_of_the_distribution() {
    for model in [1, 2, 3, 7].map(|index| models().swap_remove(index)) {
        let draws = ValueFrontierDraws::new(&model).unwrap();
        let sites = model.sites();
        let mut rng = stream(21, Purpose::ExactDraw, 0);
        let mut row = vec![0; words_per_row(model.dim())];
        let num_draws = 40_000;
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..num_draws {
            draws.draw(&mut rng, &mut row);
            *counts.entry(sites.values(&row)).or_insert(0.0) += 1.0;
        }
        let (mut deviance, mut freedom, mut rare, mut rare_expected) = (0.0, -1.0, 0.0, 0.0);
        let mut states = vec![vec![]];
        for site in 0..sites.count() {
            let values = 0..sites.num_values(site) as u16;
            states = values
                .flat_map(|value| {
                    states.iter().map(move |state: &Vec<u16>| [&state[..], &[value]].concat())
                })
                .collect();
        }
        let num_states = states.len() as f64;
        for state in states {
            let mut row = vec![0; words_per_row(model.dim())];
            sites.write(&state, &mut row);
            let mut bits = vec![0.0; model.dim()];
            unnorm::bits::write_values(&row, &mut bits);
            let mut energy = [0.0];
            model.energy(Batch::new(model.dim(), &bits), &mut energy);
            let expected = num_draws as f64 * exp(-energy[0] - draws.log_z());
            let count = counts.get(&state).copied().unwrap_or(0.0);
            if expected > 10.0 {
                deviance += (count - expected) * (count - expected) / expected;
                freedom += 1.0;
            } else {
                rare += count;
                rare_expected += expected;
            }
        }
        if rare_expected > 10.0 {
            deviance += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
            freedom += 1.0;
        }
        // A normal approximation of χ², six standard deviations out, and as far again for its skewness.
        let limit = freedom + 6.0 * (2.0f64 * freedom).sqrt() + 24.0;
        assert!(deviance < limit, "{deviance} of {freedom}, {num_states} states");
    }
}

#[test]
fn what_is_too_wide_is_refused() {
    let wide = potts(40, NumValues::All(8), Pattern::Dense {}, 1);
    let error = ValueFrontier::new(&wide).err().unwrap();
    assert_eq!(error.field(), Some("model.numSites"));
    assert!(error.to_string().contains("estimate log Z"), "{error}");
    let spec = ModelSpec::Potts(wide.to_spec()).build().unwrap();
    assert!(unnorm::exact::exact_draws(&*spec).is_none());
}
