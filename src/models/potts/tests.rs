//! Energies, conditionals, enumeration and objectives against their definitions, over all
//! states.

use super::*;
use crate::bits::{BitMatrix, WeightedRows, words_per_row};
use crate::energy::{ExactDraws, FlipLoss, Objective};
use crate::math::{exp, log_sum_exp};
use crate::rng::{Purpose, normal, stream};

fn models() -> Vec<Potts> {
    let pairs = Pattern::Pairs { pairs: vec![[0, 2], [2, 3], [0, 5]] };
    let each = |counts: &[usize]| NumValues::Each(counts.to_vec());
    let mut specs = PottsSpec::examples();
    specs.extend([
        PottsSpec::random(6, NumValues::All(4), Pattern::Dense {}, 0.5, 7),
        PottsSpec::random(6, each(&[3, 2, 5, 4, 2, 9]), pairs, 0.8, 8),
        PottsSpec::random(3, each(&[21, 20, 9]), Pattern::Dense {}, 0.5, 9),
    ]);
    specs.iter().map(|spec| spec.build().unwrap()).collect()
}

/// The values of all states, in the order of the enumeration.
fn states(model: &Potts) -> Vec<Vec<Value>> {
    let mut states = vec![vec![]];
    for site in 0..model.sites.count() {
        let values = 0..model.sites.num_values(site) as Value;
        let longer = values.flat_map(|value| {
            states.iter().map(move |state: &Vec<Value>| [&state[..], &[value]].concat())
        });
        states = longer.collect();
    }
    states
}

/// The energy as the module documentation writes it.
fn energy_of(model: &Potts, values: &[Value]) -> f64 {
    let spec = model.to_spec();
    let (fields, couplings) = (spec.fields.unwrap(), spec.couplings.unwrap());
    let count = |site: usize| model.sites.num_values(site);
    let mut energy = 0.0;
    let mut first = 0;
    for (site, value) in values.iter().enumerate() {
        energy -= fields[first + usize::from(*value)];
        first += count(site);
    }
    let mut start = 0;
    for i in 0..values.len() {
        for j in i + 1..values.len() {
            if model.pairs.iter().any(|pair| pair.sites == [i, j]) {
                energy -=
                    couplings[start + usize::from(values[i]) * count(j) + usize::from(values[j])];
                start += count(i) * count(j);
            }
        }
    }
    assert_eq!(start, couplings.len());
    energy
}

fn rows_of(model: &Potts, states: &[Vec<Value>]) -> BitMatrix {
    let mut rows = BitMatrix::zeros(model.dim(), states.len());
    rows.rows_mut().zip(states).for_each(|(row, values)| model.sites.write(values, row));
    rows
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

#[test]
fn energies_are_as_defined_and_infinite_off_the_states() {
    for model in models() {
        let states = states(&model);
        let rows = rows_of(&model, &states).as_batch().to_values();
        let mut energies = vec![f64::NAN; states.len()];
        model.energy(Batch::new(model.dim(), &rows), &mut energies);
        for (state, energy) in states.iter().zip(&energies) {
            assert_close(*energy, energy_of(&model, state), 1e-13);
        }
        for fill in [0.0, 1.0] {
            let mut energy = [f64::NAN];
            model.energy(Batch::new(model.dim(), &vec![fill; model.dim()]), &mut energy);
            assert_eq!(energy, [f64::INFINITY]);
        }
    }
}

#[test]
fn enumeration_is_the_sum_over_all_states() {
    for model in models() {
        let states = states(&model);
        let logs: Vec<f64> = states.iter().map(|state| -energy_of(&model, state)).collect();
        let log_z = log_sum_exp(&logs);
        let enumeration = ValueEnumeration::new(&model).unwrap();
        let parts: Vec<_> =
            (0..enumeration.num_shards()).map(|shard| enumeration.part(shard)).collect();
        assert!(parts.iter().all(|part| part.len() == enumeration.part_len()));
        let exact = enumeration.combine(&parts);
        assert_close(exact.log_z, log_z, 1e-13);
        let dim = model.dim();
        let mut moments = vec![0.0; dim * dim];
        let mut mean_energy = 0.0;
        for (state, log) in states.iter().zip(&logs) {
            let p = exp(log - log_z);
            mean_energy -= p * log;
            for (i, a) in state.iter().enumerate() {
                for (j, b) in state.iter().enumerate() {
                    let (a, b) = (usize::from(*a), usize::from(*b));
                    moments[(model.sites.first(i) + a) * dim + model.sites.first(j) + b] += p;
                }
            }
        }
        assert_close(exact.mean_energy, mean_energy, 1e-12);
        assert_close(exact.entropy, log_z + mean_energy, 1e-12);
        for (found, expected) in exact.moments.iter().zip(&moments) {
            assert_close(*found, *expected, 1e-13);
        }
        assert_close(model.draws().unwrap().log_z(), log_z, 1e-13);
    }
}

#[test]
fn large_models_have_several_shards_and_too_large_ones_are_refused() {
    let spec = PottsSpec::random(9, NumValues::All(4), Pattern::Dense {}, 0.3, 3);
    let mut model = spec.build().unwrap();
    assert_eq!(ValueEnumeration::new(&model).unwrap().num_shards(), 16);
    // Without couplings log Z is a sum over sites.
    let dim = model.dim();
    let fields: Vec<f64> =
        (0..model.params.len()).map(|at| if at < dim { 0.1 * at as f64 } else { 0.0 }).collect();
    model.set_params(&fields);
    let log_z: f64 = fields[..dim].chunks_exact(4).map(log_sum_exp).sum();
    let enumeration = ValueEnumeration::new(&model).unwrap();
    let parts: Vec<_> = (0..16).map(|shard| enumeration.part(shard)).collect();
    assert_close(enumeration.combine(&parts).log_z, log_z, 1e-13);
    let large = PottsSpec { num_sites: 13, num_values: NumValues::All(4), ..Default::default() };
    let model = large.build().unwrap();
    assert_eq!(ValueEnumeration::new(&model).unwrap_err().field(), Some("model.numValues"));
    assert!(model.draws().is_err());
}

/// Exact draws: the share of each value of each site within seven standard errors, which fails by
/// chance less than once in 10⁹.
#[test]
fn draws_have_the_shares_of_the_values() {
    let model = models().into_iter().nth(2).unwrap();
    let enumeration = ValueEnumeration::new(&model).unwrap();
    let exact = enumeration.combine(&[enumeration.part(0)]);
    let draws = model.draws().unwrap();
    let dim = model.dim();
    let mut counts = vec![0.0; dim];
    let mut row = vec![0; words_per_row(dim)];
    let mut rng = stream(5, Purpose::Example, 0);
    for _ in 0..40_000 {
        draws.draw(&mut rng, &mut row);
        assert!(model.sites.is_state(&row));
        crate::bits::set_bits(&row).for_each(|bit| counts[bit] += 1.0 / 40_000.0);
    }
    for (bit, share) in counts.iter().enumerate() {
        let p = exact.moments[bit * dim + bit];
        assert!((share - p).abs() < 7.0 * (p * (1.0 - p) / 40_000.0).sqrt(), "{bit}: {share} {p}");
    }
}

#[test]
fn conditionals_are_differences_of_energies() {
    for model in models() {
        let conditionals = Conditionals::new(&model);
        let mut scratch = Scratch::default();
        for state in states(&model).iter().step_by(17) {
            for site in 0..model.sites.count() {
                let logs = conditionals.log_weights_of(site, state, &mut scratch).to_vec();
                let mut moved = state.clone();
                let energies: Vec<f64> = (0..logs.len())
                    .map(|value| {
                        moved[site] = value as Value;
                        energy_of(&model, &moved)
                    })
                    .collect();
                for (log, energy) in logs.iter().zip(&energies) {
                    assert_close(log - logs[0], energies[0] - energy, 1e-12);
                }
            }
        }
    }
}

/// `−Σ_i ln p(x_i | x_∖i)`, or the flow to all other values of each site, from energies.
fn loss_of(model: &Potts, state: &[Value], loss: FlipLoss) -> f64 {
    let at_site = |site: usize| {
        let mut moved = state.to_vec();
        let logs: Vec<f64> = (0..model.sites.num_values(site))
            .map(|value| {
                moved[site] = value as Value;
                -energy_of(model, &moved)
            })
            .collect();
        let own = logs[usize::from(state[site])];
        match loss {
            FlipLoss::Pseudolikelihood => log_sum_exp(&logs) - own,
            // The own value is no neighbour.
            FlipLoss::Flow => logs.iter().map(|log| exp(0.5 * (log - own))).sum::<f64>() - 1.0,
        }
    };
    (0..state.len()).map(at_site).sum()
}

const LOSSES: [FlipLoss; 2] = [FlipLoss::Pseudolikelihood, FlipLoss::Flow];

#[test]
fn objectives_of_single_sites_are_as_defined() {
    for (mut model, loss) in
        models().into_iter().flat_map(|model| LOSSES.map(|loss| (model.clone(), loss)))
    {
        let states: Vec<_> = states(&model).into_iter().step_by(3).take(40).collect();
        let weights: Vec<f64> = (0..states.len()).map(|at| 1.0 + (at % 3) as f64).collect();
        let data = WeightedRows::weighted(rows_of(&model, &states), weights.clone());
        let mut objective = PottsSingleSites::new(&model, &data, loss);
        let mut params = model.params.clone();
        let mut rng = stream(6, Purpose::Example, 0);
        for _ in 0..2 {
            let mut grad = vec![f64::NAN; params.len()];
            let value = objective.evaluate(&params, &mut grad);
            model.set_params(&params);
            let losses =
                states.iter().zip(&weights).map(|(x, weight)| weight * loss_of(&model, x, loss));
            assert_close(value, losses.sum::<f64>() / data.total(), 1e-13);
            let mut unused = grad.clone();
            for index in (0..params.len()).step_by(1 + params.len() / 50) {
                let mut at = |step: f64| {
                    let mut moved = params.clone();
                    moved[index] += step;
                    objective.evaluate(&moved, &mut unused)
                };
                assert_close(grad[index], (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8);
            }
            params.iter_mut().for_each(|param| *param += 0.5 * normal(&mut rng));
        }
    }
}

/// Data in the model's own proportions leave it stationary: it is consistent.
#[test]
fn objectives_are_stationary_at_the_truth() {
    for model in models() {
        let states = states(&model);
        let logs: Vec<f64> = states.iter().map(|state| -energy_of(&model, state)).collect();
        let log_z = log_sum_exp(&logs);
        let weights = logs.iter().map(|log| exp(log - log_z)).collect();
        let data = WeightedRows::weighted(rows_of(&model, &states), weights);
        let mut grad = vec![f64::NAN; model.params.len()];
        let moved: Vec<f64> =
            (0..grad.len()).map(|at| model.params[at] + 0.1 * (at % 2) as f64).collect();
        let singles = LOSSES.map(|loss| -> Box<dyn Objective> {
            Box::new(PottsSingleSites::new(&model, &data, loss))
        });
        let likelihood = ValueLikelihood::new(&model, &data).unwrap();
        for mut objective in singles.into_iter().chain([Box::new(likelihood) as Box<dyn Objective>])
        {
            let value = objective.evaluate(&model.params, &mut grad);
            assert!(grad.iter().all(|grad| grad.abs() < 1e-13 * (1.0 + value)), "{grad:?}");
            objective.evaluate(&moved, &mut grad);
            assert!(grad.iter().any(|grad| grad.abs() > 1e-3));
        }
    }
}

/// `−1/N Σ ln p(x)` by its definition, and its gradient against differences.
#[test]
fn maximum_likelihood_is_as_defined() {
    for model in models() {
        let all = states(&model);
        let chosen: Vec<_> = all.iter().step_by(3).take(40).cloned().collect();
        let weights: Vec<f64> = (0..chosen.len()).map(|at| 1.0 + (at % 3) as f64).collect();
        let data = WeightedRows::weighted(rows_of(&model, &chosen), weights.clone());
        let mut objective = ValueLikelihood::new(&model, &data).unwrap();
        let mut grad = vec![f64::NAN; model.params.len()];
        let value = objective.evaluate(&model.params, &mut grad);
        let logs: Vec<f64> = all.iter().map(|state| -energy_of(&model, state)).collect();
        let energies = chosen.iter().zip(&weights).map(|(x, weight)| weight * energy_of(&model, x));
        let expected = energies.sum::<f64>() / data.total() + log_sum_exp(&logs);
        assert_close(value, expected, 1e-12);
        let mut unused = grad.clone();
        for index in (0..grad.len()).step_by(1 + grad.len() / 12) {
            let mut at = |step: f64| {
                let mut moved = model.params.clone();
                moved[index] += step;
                objective.evaluate(&moved, &mut unused)
            };
            assert_close(grad[index], (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8);
        }
    }
    let large =
        PottsSpec::random(11, NumValues::All(4), Pattern::Dense {}, 0.1, 1).build().unwrap();
    let rows = WeightedRows::from_data(rows_of(&large, &[vec![0; 11]]).as_batch());
    let error = ValueLikelihood::new(&large, &rows).err().unwrap();
    assert_eq!(error.field(), Some("model.numValues"), "{error}");
}

/// A shard by pieces, and shards of several sites.
#[test]
fn pieces_add_up_to_shards() {
    let lattice = Pattern::Lattice { num_rows: 10, num_cols: 10, periodic: true };
    let spec = PottsSpec::random(100, NumValues::All(3), lattice, 0.4, 4);
    let model = spec.build().unwrap();
    let mut rows = BitMatrix::zeros(model.dim(), 30_000);
    for (index, row) in rows.rows_mut().enumerate() {
        model.sites.fill_random(row, &mut stream(8, Purpose::Example, index as u64));
    }
    let data = WeightedRows::from_data(rows.as_batch());
    let objective = PottsSingleSites::new(&model, &data, FlipLoss::Pseudolikelihood);
    assert_eq!(objective.num_shards(), 64);
    assert!(objective.num_pieces(1) >= 2);
    let len: usize = (0..64).map(|shard| objective.part(shard).len()).sum();
    assert_eq!(len, 100 * (1 + 4 + 4 * 3 * 4));
}

#[test]
fn bad_specs_are_refused_by_field() {
    let good = PottsSpec::random(3, NumValues::All(3), Pattern::Dense {}, 1.0, 1);
    let each = |counts: &[usize]| NumValues::Each(counts.to_vec());
    let pairs = Pattern::Pairs { pairs: vec![[0, 3]] };
    let fields = [
        PottsSpec { num_sites: 0, ..good.clone() },
        PottsSpec { num_sites: usize::MAX, ..good.clone() },
        PottsSpec { num_values: NumValues::All(1), ..good.clone() },
        PottsSpec { num_values: NumValues::All(usize::MAX), ..good.clone() },
        PottsSpec { num_values: NumValues::All(4000), ..good.clone() },
        PottsSpec { num_values: each(&[2, 2]), ..good.clone() },
        PottsSpec { num_values: each(&[2, 2, 1]), ..good.clone() },
        PottsSpec { num_sites: 8, num_values: NumValues::All(1000), ..PottsSpec::default() },
        PottsSpec { pattern: pairs, ..good.clone() },
        PottsSpec { fields: Some(vec![0.0; 8]), ..good.clone() },
        PottsSpec { couplings: Some(vec![f64::NAN; 27]), ..good },
    ]
    .map(|spec| spec.build().unwrap_err().field().unwrap().to_owned());
    assert_eq!(
        fields,
        [
            "model.numSites",
            "model.numSites",
            "model.numValues",
            "model.numValues",
            "model.numValues",
            "model.numValues",
            "model.numValues[2]",
            "model.pattern",
            "model.pattern.pairs[0]",
            "model.fields",
            "model.couplings[0]",
        ]
    );
}
