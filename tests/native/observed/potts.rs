//! Models whose sites have several values, against sums over all states that are left.

use super::{assert_close, exact};
use crate::common::{energies, job_of, sampled};
use serde_json::json;
use unnorm::bits::{BitMatrix, flip};
use unnorm::math::{exp, log_sum_exp};
use unnorm::models::ModelSpec;
use unnorm::models::categorical_rbm::CategoricalRbmSpec;
use unnorm::models::ising::Pattern;
use unnorm::models::potts::PottsSpec;
use unnorm::models::site_values::NumValues;

/// Potts models of six sites of four values, dense and sparse, and of different numbers of values; and a
/// machine with hidden units.
fn models() -> Vec<ModelSpec> {
    let ring = Pattern::Pairs { pairs: (0..5).map(|i| [i, i + 1]).chain([[0, 5]]).collect() };
    let each = || NumValues::Each(vec![2, 4, 3, 5, 2, 3]);
    vec![
        ModelSpec::Potts(PottsSpec::random(6, NumValues::All(4), Pattern::Dense {}, 0.4, 1)),
        ModelSpec::Potts(PottsSpec::random(6, NumValues::All(4), ring, 0.7, 2)),
        ModelSpec::Potts(PottsSpec::random(6, each(), Pattern::Dense {}, 0.5, 3)),
        ModelSpec::CategoricalRbm(CategoricalRbmSpec::random(6, each(), 4, 0.8, 4)),
    ]
}

/// Sites 4, 0 and 2 are observed.
const SITES: [usize; 3] = [4, 0, 2];
const VALUES: [usize; 3] = [1, 0, 2];

/// All rows with the observed values, their conditional probabilities, and log Z given these.
fn conditional(spec: &ModelSpec) -> (BitMatrix, Vec<f64>, f64) {
    let model = spec.build().unwrap();
    let sites = model.as_sites().unwrap();
    let mut states: Vec<Vec<usize>> = vec![Vec::new()];
    for site in 0..sites.count() {
        let fixed = SITES.iter().position(|observed| *observed == site).map(|at| VALUES[at]);
        let values: Vec<usize> =
            fixed.map_or_else(|| (0..sites.num_values(site)).collect(), |value| vec![value]);
        states = states
            .iter()
            .flat_map(|state| values.iter().map(move |value| [&state[..], &[*value]].concat()))
            .collect();
    }
    let mut rows = BitMatrix::zeros(sites.dim(), states.len());
    for (row, state) in rows.rows_mut().zip(&states) {
        for (site, value) in state.iter().enumerate() {
            flip(row, sites.first(site) + value);
        }
    }
    let minus: Vec<f64> = energies(&*model, &rows).iter().map(|energy| -energy).collect();
    let log_z = log_sum_exp(&minus);
    let probabilities = minus.iter().map(|minus| exp(minus - log_z)).collect();
    (rows, probabilities, log_z)
}

#[test]
fn conditionals_are_sums_over_the_states_that_are_left() {
    for model in models() {
        let (rows, probabilities, log_z) = conditional(&model);
        let dim = rows.dim();
        let values = rows.as_batch().to_values();
        let observed = json!({"sites": SITES, "values": VALUES});
        let result = exact(&json!({"verb": "exact", "model": model, "observed": observed}));
        assert_close(result.log_z, log_z, 1e-12);
        let is_potts = matches!(model, ModelSpec::Potts(_));
        assert_eq!(result.moments.is_some(), is_potts);
        for (at, moment) in result.moments.into_iter().flatten().enumerate() {
            let (i, j) = (at / dim, at % dim);
            let both = |row: usize| values[row * dim + i] * values[row * dim + j];
            let truth = probabilities.iter().enumerate().map(|(row, p)| p * both(row)).sum();
            assert_close(moment, truth, 1e-11);
        }
        let transitions = match is_potts {
            true => vec![
                (json!({"kind": "gibbs"}), 1),
                (json!({"kind": "gibbs"}), 40),
                (json!({"kind": "gibbs", "scan": "random"}), 3),
            ],
            false => vec![(json!({"kind": "blockGibbs"}), 1), (json!({"kind": "blockGibbs"}), 40)],
        };
        for (transition, num_warmup) in transitions {
            let num_chains = 6000;
            let draws = sampled(
                job_of(
                    &json!({
                        "verb": "sample", "model": model, "observed": observed, "seed": 5,
                        "transition": transition, "start": {"kind": "exact"},
                        "numChains": num_chains, "numWarmup": num_warmup, "numDraws": 1,
                    }),
                    None,
                )
                .unwrap(),
            );
            let draws = BitMatrix::from_bytes(dim, num_chains, &draws.draws.bits).unwrap();
            let mut counts = vec![0.0; rows.num_rows()];
            for index in 0..num_chains {
                let place = (0..rows.num_rows()).find(|at| rows.row(*at) == draws.row(index));
                counts[place.expect("the observed values stay")] += 1.0;
            }
            // States expected fewer than ten times are counted together.
            let (mut statistic, mut rare, mut freedom) = (0.0, [0.0; 2], 0.0);
            for (count, p) in counts.iter().zip(&probabilities) {
                let expected = p * num_chains as f64;
                if expected < 10.0 {
                    rare = [rare[0] + count, rare[1] + expected];
                } else {
                    statistic += (count - expected) * (count - expected) / expected;
                    freedom += 1.0;
                }
            }
            if rare[1] > 0.0 {
                statistic += (rare[0] - rare[1]) * (rare[0] - rare[1]) / rare[1].max(10.0);
            }
            // Above this less than once in 10⁹ (Laurent and Massart 2000, lemma 1).
            let limit = freedom + 2.0 * (freedom * 20.8_f64).sqrt() + 2.0 * 20.8;
            assert!(statistic < limit, "{transition} {num_warmup}: {statistic}, and {limit}");
        }
    }
}

#[test]
fn values_that_a_site_has_not_are_refused() {
    let spec = |sites: &[usize], values: &[f64]| {
        json!({
            "verb": "exact", "model": {"kind": "potts", "numSites": 3, "numValues": [2, 3, 2]},
            "observed": {"sites": sites, "values": values},
        })
    };
    let field = |sites: &[usize], values: &[f64]| {
        let error = job_of(&spec(sites, values), None).err().expect("refused");
        error.field().map(str::to_owned).unwrap()
    };
    assert_eq!(field(&[1, 0], &[2.0, 2.0]), "observed.values[1]");
    assert_eq!(field(&[1], &[0.5]), "observed.values[0]");
    assert_eq!(field(&[3], &[0.0]), "observed.sites[0]");
    assert_eq!(field(&[0, 1, 2], &[0.0, 0.0, 0.0]), "observed.sites");
    assert!(job_of(&spec(&[1], &[2.0]), None).is_ok());
}
