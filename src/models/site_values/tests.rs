//! Laws of every model whose sites have several values, against sums over all of its states.

use super::*;
use crate::ModelSpec;
use crate::bits::{BitMatrix, words_per_row, write_values};
use crate::energy::ExactDraws;
use crate::linalg::Batch;
use crate::math::{exp, log_sum_exp};
use crate::potts::{Potts, PottsSingleSites, ValueEnumeration};
use crate::rng::{Purpose, normal, stream};

fn models() -> Vec<Box<dyn Model>> {
    let specs = ModelSpec::examples().into_iter().filter(ModelSpec::has_site_values);
    let models: Vec<_> = specs.map(|spec| spec.build().unwrap()).collect();
    assert!(models.len() > 4 && models.iter().all(|model| model.as_site_values().is_some()));
    models
}

fn potts() -> impl Iterator<Item = Potts> {
    models().into_iter().filter_map(|model| model.as_potts().cloned())
}

fn energy_of(model: &dyn Model, values: &[Value]) -> f64 {
    let sites = model.as_sites().unwrap();
    let mut row = vec![0; words_per_row(sites.dim())];
    sites.write(values, &mut row);
    let (mut state, mut energy) = (vec![0.0; sites.dim()], [f64::NAN]);
    write_values(&row, &mut state);
    model.energy(Batch::new(sites.dim(), &state), &mut energy);
    energy[0]
}

fn states(model: &dyn Model) -> Vec<Vec<Value>> {
    let states = States::new(model.as_sites().unwrap(), States::MAX).unwrap();
    (0..states.count()).map(|state| states.values(state)).collect()
}

/// Rows drawn at random, one of them twice as often.
fn data(sites: &Sites) -> WeightedRows {
    let mut rows = BitMatrix::zeros(sites.dim(), 21);
    let mut rng = stream(7, Purpose::Example, 0);
    rows.rows_mut().for_each(|row| sites.fill_random(row, &mut rng));
    WeightedRows::from_data(rows.as_batch())
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

#[test]
fn all_states_are_numbered_once() {
    for model in models() {
        let mut all = states(&*model);
        let sites = model.as_sites().unwrap();
        let expected: usize = (0..sites.count()).map(|site| sites.num_values(site)).product();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), expected);
    }
}

#[test]
fn conditionals_are_differences_of_energies() {
    for model in models() {
        let conditionals = model.as_site_values().unwrap().value_conditionals();
        let sites = conditionals.sites();
        let mut log_weights = conditionals.log_weights();
        let mut found = Vec::new();
        for values in states(&*model) {
            for site in 0..sites.count() {
                log_weights(site, &values, &mut found);
                assert_eq!(found.len(), sites.num_values(site));
                let own = found[usize::from(values[site])];
                for (value, log_weight) in found.iter().enumerate() {
                    let mut other = values.clone();
                    other[site] = value as Value;
                    let difference = energy_of(&*model, &values) - energy_of(&*model, &other);
                    assert_close(log_weight - own, difference, 1e-12);
                }
            }
        }
    }
}

/// Of a state the softmax of the log weights, site by site; of a row that is none NaN.
#[test]
fn conditional_probabilities_are_those_of_the_log_weights() {
    for model in models() {
        let sites = model.as_sites().unwrap();
        let conditionals = model.as_site_values().unwrap().value_conditionals();
        let mut log_weights = conditionals.log_weights();
        let probabilities = model.as_site_conditionals().unwrap();
        let states = States::new(sites, States::MAX).unwrap();
        let (numbers, _) = states.energies(&*model, 0);
        let mut found = vec![f64::NAN; numbers.len()];
        probabilities.conditionals(Batch::new(sites.dim(), &numbers), &mut found);
        let mut weights = Vec::new();
        for (state, found) in found.chunks_exact(sites.dim()).enumerate() {
            for site in 0..sites.count() {
                log_weights(site, &states.values(state), &mut weights);
                let log_total = log_sum_exp(&weights);
                let found = &found[sites.first(site)..sites.first(site + 1)];
                for (found, weight) in found.iter().zip(&weights) {
                    assert_close(*found, exp(weight - log_total), 1e-13);
                }
            }
        }
        let none = vec![0.0; sites.dim()];
        let mut found = none.clone();
        probabilities.conditionals(Batch::new(sites.dim(), &none), &mut found);
        assert!(found.iter().all(|found| found.is_nan()));
    }
}

#[test]
fn rows_that_stand_for_no_state_have_no_weight() {
    for model in models() {
        let dim = model.dim();
        let rows = [vec![0.0; dim], vec![1.0; dim]].concat();
        let mut energies = [f64::NAN; 2];
        model.energy(Batch::new(dim, &rows), &mut energies);
        assert_eq!(energies, [f64::INFINITY; 2]);
        let parametric = model.as_parametric().unwrap();
        let mut grad = vec![0.0; parametric.params().len()];
        parametric.accumulate_param_grad(Batch::new(dim, &rows), &[1.0, 1.0], &mut grad);
        assert!(grad.iter().all(|entry| *entry == 0.0));
    }
}

#[test]
fn enumeration_is_the_sum_over_all_states() {
    for model in models() {
        let all = states(&*model);
        let logs: Vec<f64> = all.iter().map(|values| -energy_of(&*model, values)).collect();
        let log_z = log_sum_exp(&logs);
        let sites = model.as_sites().unwrap();
        let enumeration = StateEnumeration::new(&*model, sites).unwrap();
        let parts: Vec<_> =
            (0..enumeration.num_shards()).map(|shard| enumeration.part(shard)).collect();
        assert!(parts.iter().all(|part| part.len() == enumeration.part_len()));
        let exact = enumeration.combine(&parts);
        assert_close(exact.log_z, log_z, 1e-13);
        let dim = sites.dim();
        let (mut moments, mut mean_energy) = (vec![0.0; dim * dim], 0.0);
        for (values, log) in all.iter().zip(&logs) {
            let p = exp(log - log_z);
            mean_energy -= p * log;
            let bit = |site: usize| sites.first(site) + usize::from(values[site]);
            for i in 0..sites.count() {
                (0..sites.count()).for_each(|j| moments[bit(i) * dim + bit(j)] += p);
            }
        }
        assert_close(exact.mean_energy, mean_energy, 1e-12);
        for (found, expected) in exact.moments.iter().zip(&moments) {
            assert_close(*found, *expected, 1e-13);
        }
        assert_close(model.as_site_values().unwrap().draws().unwrap().log_z(), log_z, 1e-13);
    }
    for model in potts() {
        let fast = ValueEnumeration::new(&model).unwrap();
        let fast =
            fast.combine(&(0..fast.num_shards()).map(|at| fast.part(at)).collect::<Vec<_>>());
        let slow = StateEnumeration::new(&model, model.sites()).unwrap();
        let slow =
            slow.combine(&(0..slow.num_shards()).map(|at| slow.part(at)).collect::<Vec<_>>());
        assert_close(fast.log_z, slow.log_z, 1e-13);
        fast.moments.iter().zip(&slow.moments).for_each(|(a, b)| assert_close(*a, *b, 1e-13));
    }
}

/// Both are sums over rows and sites of functions of energies; gradients are differences of the values.
#[test]
fn objectives_are_as_defined() {
    for model in models() {
        let sites = model.as_sites().unwrap();
        let data = data(sites);
        for loss in [FlipLoss::Pseudolikelihood, FlipLoss::Flow] {
            let value_at = |params: &[f64]| {
                let mut model = model.boxed_clone();
                model.as_parametric_mut().unwrap().set_params(params);
                let mut total = 0.0;
                for (row, weight) in data.rows().rows().zip(data.weights()) {
                    let values = sites.values(row);
                    let here = energy_of(&*model, &values);
                    for site in 0..sites.count() {
                        let delta = |value: usize| {
                            let mut other = values.clone();
                            other[site] = value as Value;
                            here - energy_of(&*model, &other)
                        };
                        let own = usize::from(values[site]);
                        let deltas = (0..sites.num_values(site)).map(delta);
                        total += weight
                            * match loss {
                                FlipLoss::Pseudolikelihood => {
                                    log_sum_exp(&deltas.collect::<Vec<_>>())
                                }
                                FlipLoss::Flow => {
                                    let others = deltas.enumerate().filter(|(at, _)| *at != own);
                                    others.map(|(_, delta)| exp(0.5 * delta)).sum()
                                }
                            };
                    }
                }
                total / data.total()
            };
            let params = model.as_parametric().unwrap().params().to_vec();
            let mut objective = SingleSites::new(&*model, &data, loss).unwrap();
            let mut grad = vec![f64::NAN; params.len()];
            assert_close(objective.evaluate(&params, &mut grad), value_at(&params), 1e-12);
            for (at, slope) in grad.iter().enumerate() {
                let moved = |step: f64| {
                    let mut params = params.clone();
                    params[at] += step;
                    value_at(&params)
                };
                assert_close(*slope, (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-7);
            }
        }
    }
}

#[test]
fn the_fast_form_of_potts_models_has_their_value_and_gradient() {
    for model in potts() {
        let data = data(model.sites());
        let mut rng = stream(8, Purpose::Example, 0);
        let params: Vec<f64> =
            model.provide_parametric().unwrap().params().iter().map(|_| normal(&mut rng)).collect();
        for loss in [FlipLoss::Pseudolikelihood, FlipLoss::Flow] {
            let mut slow = vec![f64::NAN; params.len()];
            let mut fast = slow.clone();
            let by_definition =
                SingleSites::new(&model, &data, loss).unwrap().evaluate(&params, &mut slow);
            let value = PottsSingleSites::new(&model, &data, loss).evaluate(&params, &mut fast);
            assert_close(value, by_definition, 1e-12);
            fast.iter().zip(&slow).for_each(|(fast, slow)| assert_close(*fast, *slow, 1e-11));
        }
    }
}
