//! Energies, conditionals, log Z and draws against sums over all states.

use super::*;
use crate::bits::BitMatrix;
use crate::energy::{ExactDraws, HiddenUnits};
use crate::math::{exp, log_sum_exp};
use crate::rng::{Purpose, stream};

fn models() -> Vec<CategoricalRbm> {
    let each = NumValues::Each(vec![2, 4, 3, 2]);
    let mut specs = CategoricalRbmSpec::examples();
    specs.push(CategoricalRbmSpec::random(4, each, 12, 0.6, 5));
    specs.iter().map(|spec| spec.build().unwrap()).collect()
}

/// All rows in which some of the sites have values and the others none.
fn rows(sites: &Sites, has_value: impl Fn(usize) -> bool) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; sites.dim()]];
    for site in (0..sites.count()).filter(|site| has_value(*site)) {
        let with = |row: &Vec<f64>, bit: usize| {
            let mut row = row.clone();
            row[bit] = 1.0;
            row
        };
        let bits = sites.first(site)..sites.first(site + 1);
        rows = rows.iter().flat_map(|row| bits.clone().map(move |bit| with(row, bit))).collect();
    }
    rows
}

/// `−ln Σ_h exp(cᵀx + bᵀh + hᵀWx)`, over all hidden states.
fn energy(model: &CategoricalRbm, row: &[f64]) -> f64 {
    let machine = model.machine();
    let bias = dot(machine.visible_bias(), row);
    let num_hidden = machine.hidden_bias().len();
    let states = (0..1_u64 << num_hidden).map(|state| {
        let units = (0..num_hidden).filter(|unit| state >> unit & 1 == 1);
        let of_unit = |unit: usize| {
            machine.hidden_bias()[unit]
                + dot(&machine.weights()[unit * row.len()..][..row.len()], row)
        };
        bias + units.map(of_unit).sum::<f64>()
    });
    -log_sum_exp(&states.collect::<Vec<_>>())
}

fn log_z(model: &CategoricalRbm, kind: &Multiplicities) -> f64 {
    let sums = model.hidden_sums().unwrap();
    let all = [model.all_sites(), kind.clone()];
    let shards: Vec<_> = (0..sums.num_shards(2)).map(|shard| sums.shard(shard, &all)).collect();
    HiddenSums::combine(&shards, 2)[1]
}

fn assert_close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-12 * (1.0 + right.abs()), "{left} and {right}");
}

#[test]
fn energies_sum_the_hidden_units_out() {
    for model in models() {
        for row in rows(&model.sites, |_| true) {
            let mut energies = [0.0];
            model.energy(Batch::new(row.len(), &row), &mut energies);
            assert_close(energies[0], energy(&model, &row));
        }
        // Rows that are no states: without a value at the first site, and with two.
        for bits in [0..0, 0..2] {
            let mut row = rows(&model.sites, |site| site > 0).remove(0);
            row[bits].fill(1.0);
            let mut energies = [0.0];
            model.energy(Batch::new(row.len(), &row), &mut energies);
            assert_eq!(energies[0], f64::INFINITY);
        }
    }
}

/// Whichever sites have values.
#[test]
fn hidden_sums_are_sums_over_the_states() {
    for model in models() {
        for mask in 0..1_usize << model.sites.count() {
            let rows = rows(&model.sites, |site| mask >> site & 1 == 1);
            let minus: Vec<_> = rows.iter().map(|row| -energy(&model, row)).collect();
            let kind = model.multiplicities(&rows[0]).unwrap();
            assert_close(log_z(&model, &kind), log_sum_exp(&minus));
        }
        let draws = HiddenDraws::new(&model).unwrap();
        assert_close(draws.log_z(), log_z(&model, &model.all_sites()));
    }
}

#[test]
fn conditionals_are_ratios_of_weights() {
    for model in models() {
        for mask in 0..1_usize << model.sites.count() {
            for row in rows(&model.sites, |site| mask >> site & 1 == 1) {
                let mut found = vec![0.0; row.len()];
                model.conditionals(Batch::new(row.len(), &row), &mut found);
                for site in 0..model.sites.count() {
                    let bits = model.sites.first(site)..model.sites.first(site + 1);
                    let weight = |bit: usize| {
                        let mut row = row.clone();
                        row[bits.clone()].fill(0.0);
                        row[bit] = 1.0;
                        exp(-energy(&model, &row))
                    };
                    let total: f64 = bits.clone().map(weight).sum();
                    bits.clone().for_each(|bit| assert_close(found[bit], weight(bit) / total));
                }
            }
        }
    }
}

#[test]
fn sites_without_a_value_get_none() {
    let model = models().pop().unwrap();
    let width = words_per_row(model.dim());
    for row in rows(&model.sites, |site| site != 1 && site != 3) {
        let mut bits = BitMatrix::zeros(row.len(), 1);
        read_values(&row, bits.words_mut());
        let mut rng = stream(3, Purpose::Chain, 0);
        let mut hidden = vec![0; words_per_row(12)];
        model.sample_hidden(bits.row(0), &mut rng, &mut hidden);
        model.sample_visible(&hidden, &mut rng, bits.words_mut());
        assert_eq!(bits.row(0).len(), width);
        let values = bits.as_batch().to_values();
        let kind = model.multiplicities(&values).unwrap();
        assert_eq!(kind.groups, [1.0, 0.0, 1.0, 0.0]);
    }
}

/// Frequencies of exact draws within six standard errors: a false alarm has probability 1e-6 at most.
#[test]
fn exact_draws_have_their_probabilities() {
    let spec = CategoricalRbmSpec::random(2, NumValues::Each(vec![2, 3]), 3, 1.0, 4);
    let model = spec.build().unwrap();
    let draws = HiddenDraws::new(&model).unwrap();
    let count = 200_000;
    let mut rng = stream(7, Purpose::ExactDraw, 0);
    let mut seen = std::collections::BTreeMap::new();
    let mut row = [0];
    for _ in 0..count {
        draws.draw(&mut rng, &mut row);
        *seen.entry(row[0]).or_insert(0.0) += 1.0;
    }
    for state in rows(&model.sites, |_| true) {
        let mut bits = [0];
        read_values(&state, &mut bits);
        let p = exp(-energy(&model, &state) - draws.log_z());
        let error = (p * (1.0 - p) / f64::from(count)).sqrt();
        let found = seen.get(&bits[0]).copied().unwrap_or(0.0) / f64::from(count);
        assert!((found - p).abs() < 6.0 * error, "{found} and {p}");
    }
}

#[test]
fn bad_specs_are_refused_by_field() {
    let good = CategoricalRbmSpec::random(2, NumValues::All(3), 2, 1.0, 1);
    let fields = [
        CategoricalRbmSpec { num_sites: 0, ..good.clone() },
        CategoricalRbmSpec { num_values: NumValues::All(1), ..good.clone() },
        CategoricalRbmSpec { num_hidden: 0, ..good.clone() },
        CategoricalRbmSpec { weights: Some(vec![0.0; 5]), ..good },
    ]
    .map(|spec| spec.build().unwrap_err().field().unwrap().to_owned());
    assert_eq!(fields, ["model.numSites", "model.numValues", "model.numHidden", "model.weights"]);
}
