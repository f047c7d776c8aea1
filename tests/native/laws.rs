//! What every registered model must obey, on its own examples. A new model is
//! tested here without being named.

mod derivatives;

use crate::common::{energies, every_state};
use unnorm::bits::{BitMatrix, WeightedRows, bit, flip};
use unnorm::energy::Differentiable;
use unnorm::energy::FlipLoss;
use unnorm::energy::connectivity::ConnectivitySpec;
use unnorm::exact;
use unnorm::fit::mpf;
use unnorm::linalg::{Batch, Block, transpose};
use unnorm::math::{exp, log_sum_exp};
use unnorm::models::definition::Definition;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

fn models() -> Vec<Box<dyn Model>> {
    let models: Vec<_> = ModelSpec::examples()
        .into_iter()
        .map(|spec| spec.build().expect("examples are sound"))
        .collect();
    assert!(!models.is_empty());
    models
}

/// Rows of fair coin tosses; where sites have several values, states whose values are drawn uniformly.
fn random_rows(model: &dyn Model, num_rows: usize) -> BitMatrix {
    let mut rng = stream(11, Purpose::Example, model.dim() as u64);
    let Some(sites) = model.as_sites() else {
        return crate::common::random_rows(model.dim(), num_rows, &mut rng);
    };
    let mut rows = BitMatrix::zeros(model.dim(), num_rows);
    rows.rows_mut().for_each(|row| sites.fill_random(row, &mut rng));
    rows
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    let scale = 1.0 + left.abs().max(right.abs());
    assert!((left - right).abs() <= tolerance * scale, "{left} and {right}");
}

#[test]
fn specs_round_trip_through_json() {
    for model in models() {
        let json = serde_json::to_string(&model.spec()).unwrap();
        let spec: ModelSpec = serde_json::from_str(&json).unwrap();
        assert_eq!(spec, model.spec());
        let again = spec.build().unwrap();
        assert_eq!(again.kind(), model.kind());
        let rows = random_rows(&*model, 20);
        assert_eq!(energies(&*again, &rows), energies(&*model, &rows));
        if let (Some(a), Some(b)) = (model.as_parametric(), again.as_parametric()) {
            assert_eq!(a.params(), b.params());
        }
    }
}

#[test]
fn unknown_fields_are_refused() {
    for model in models() {
        let mut json = serde_json::to_value(model.spec()).unwrap();
        assert!(serde_json::from_value::<ModelSpec>(json.clone()).is_ok());
        json["coupling"] = 1.into();
        let refused = serde_json::from_value::<ModelSpec>(json).unwrap_err();
        assert!(refused.to_string().contains("coupling"), "{refused}");
    }
}

#[test]
fn param_gradients_are_derivatives() {
    for mut model in models() {
        let rows = random_rows(&*model, 6).as_batch().to_values();
        let x = Batch::new(model.dim(), &rows);
        let weights = [0.5, -1.0, 2.0, 0.25, 1.0, -0.125];
        let weighted = |model: &dyn Model| {
            let mut energies = [0.0; 6];
            model.energy(x, &mut energies);
            energies.iter().zip(weights).map(|(energy, weight)| energy * weight).sum::<f64>()
        };
        let Some(parametric) = model.as_parametric() else { continue };
        let params = parametric.params().to_vec();
        // It adds: what was there stays.
        let mut grad = vec![1.0; params.len()];
        parametric.accumulate_param_grad(x, &weights, &mut grad);
        for index in 0..params.len() {
            let mut at = |step: f64| {
                let mut moved = params.clone();
                moved[index] += step;
                model.as_parametric_mut().unwrap().set_params(&moved);
                weighted(&*model)
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert_close(grad[index] - 1.0, numeric, 1e-8);
        }
        model.as_parametric_mut().unwrap().set_params(&params);
        assert_eq!(model.as_parametric().unwrap().params(), params);
    }
}

#[test]
fn flips_cost_the_difference_of_energies() {
    for model in models() {
        let Some(flips) = model.as_site_flips() else { continue };
        let dim = model.dim();
        let rows = random_rows(&*model, 10);
        let before = energies(&*model, &rows);
        let mut deltas = vec![f64::NAN; 10 * dim];
        flips.flip_deltas(rows.as_batch(), &mut deltas);
        for site in 0..dim {
            let mut flipped = rows.clone();
            flipped.rows_mut().for_each(|row| flip(row, site));
            for (index, after) in energies(&*model, &flipped).into_iter().enumerate() {
                let delta = flips.flip_delta(rows.row(index), site);
                assert_close(delta, after - before[index], 1e-12);
                assert_eq!(delta, deltas[index * dim + site]);
            }
        }
    }
}

/// Energies read once in a segment of a path, against those of the parameters there; and
/// units that are said to be independent cost what their log odds say, in any state.
#[test]
fn paths_from_independent_units_have_the_energies_of_their_parameters() {
    let mut num_models = 0;
    for mut model in models() {
        let (Some(_), Some(parametric)) = (model.as_site_flips(), model.as_parametric()) else {
            continue;
        };
        let own = parametric.params().to_vec();
        let dim = model.dim();
        let mut log_odds: Vec<f64> = (0..dim).map(|site| 0.8 - 0.3 * site as f64).collect();
        if model.kind() == "combined" {
            assert_eq!(model.independent_params(&log_odds), None, "all its weights are 0");
            log_odds.fill(0.0);
        }
        let Some(free) = model.independent_params(&log_odds) else {
            assert_eq!(model.kind(), "formula", "all others have such");
            continue;
        };
        let far: Vec<f64> = own.iter().map(|param| 0.5 - 1.5 * param).collect();
        let knots = [free, own, far];
        let between = model.between_knots(&knots.each_ref().map(|knot| &knot[..])).unwrap();
        let rows = random_rows(&*model, 10);
        let num_read = between.num_read();
        for segment in 0..2 {
            let mut read = vec![f64::NAN; 10 * num_read];
            between.read(segment, rows.as_batch(), &mut read);
            let mut at = |t: f64| {
                let ends = knots[segment].iter().zip(&knots[segment + 1]);
                let params: Vec<f64> = ends.map(|(from, to)| (1.0 - t) * from + t * to).collect();
                model.as_parametric_mut().unwrap().set_params(&params);
                energies(&*model, &rows)
            };
            let first = at(0.0);
            for t in [0.3, 1.0] {
                for (row, energy) in at(t).into_iter().enumerate() {
                    let read = &read[row * num_read..(row + 1) * num_read];
                    let change =
                        between.energy(segment, read, t) - between.energy(segment, read, 0.0);
                    assert_close(change, energy - first[row], 1e-12);
                }
            }
        }
        model.as_parametric_mut().unwrap().set_params(&knots[0]);
        let flips = model.as_site_flips().unwrap();
        for row in rows.as_batch().rows() {
            for (site, odds) in log_odds.iter().enumerate() {
                let sign = if bit(row, site) { 1.0 } else { -1.0 };
                assert_close(flips.flip_delta(row, site), sign * odds, 1e-12);
            }
        }
        num_models += 1;
    }
    assert!(num_models > 5);
}

#[test]
fn walks_keep_their_deltas() {
    for model in models() {
        let Some(flips) = model.as_site_flips() else { continue };
        let dim = model.dim();
        let mut rng = stream(12, Purpose::Example, dim as u64);
        let mut row = random_rows(&*model, 1).row(0).to_vec();
        let mut shadow = row.clone();
        let mut walk = flips.walk(&mut row);
        for _ in 0..200 {
            for site in 0..dim {
                assert_close(walk.delta(site), flips.flip_delta(&shadow, site), 1e-12);
            }
            let site = (unnorm::rng::uniform(&mut rng) * dim as f64) as usize;
            walk.flip(site);
            flip(&mut shadow, site);
        }
        drop(walk);
        assert_eq!(row, shadow);
    }
}

/// The objective against its definition, value and gradient, at the model's
/// own parameters and at others.
#[test]
fn flow_is_as_defined() {
    for model in models() {
        let Some(parametric) = model.as_parametric() else { continue };
        if model.as_site_flips().is_none() {
            continue;
        }
        let data = WeightedRows::from_data(random_rows(&*model, 300).as_batch());
        let connectivity = ConnectivitySpec::SingleFlips {};
        let mut fast = mpf::objective(&*model, &data, &connectivity, false, 0).unwrap();
        let connectivity = connectivity.build(&data, false, 0).unwrap();
        let mut slow = Definition::new(&*model, data, connectivity, FlipLoss::Flow);
        let mut params = parametric.params().to_vec();
        let mut rng = stream(13, Purpose::Example, 0);
        for _ in 0..3 {
            let [mut fast_grad, mut slow_grad] = [(); 2].map(|()| vec![f64::NAN; params.len()]);
            let value = fast.evaluate(&params, &mut fast_grad);
            assert_close(
                value,
                unnorm::energy::Objective::evaluate(&mut slow, &params, &mut slow_grad),
                1e-13,
            );
            for (fast, slow) in fast_grad.iter().zip(&slow_grad) {
                assert_close(*fast, *slow, 1e-13 * (1.0 + value));
            }
            params.iter_mut().for_each(|param| *param += 0.5 * normal(&mut rng));
        }
    }
}

/// Data in the model's own proportions leave the flow stationary: minimum
/// probability flow is consistent.
#[test]
fn flow_is_stationary_at_the_truth() {
    for model in models() {
        let Some(parametric) = model.as_parametric() else { continue };
        if model.as_site_flips().is_none() || model.dim() > 12 {
            continue;
        }
        let states = every_state(model.dim());
        let energies = energies(&*model, &states);
        let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
        let weights = energies.iter().map(|energy| exp(-energy - log_z)).collect();
        let data = WeightedRows::weighted(states, weights);
        let mut objective =
            mpf::objective(&*model, &data, &ConnectivitySpec::SingleFlips {}, false, 0).unwrap();
        let mut grad = vec![f64::NAN; parametric.params().len()];
        let value = objective.evaluate(parametric.params(), &mut grad);
        assert!(value > 0.0);
        for grad in &grad {
            assert!(grad.abs() < 1e-12 * (1.0 + value), "{grad}");
        }
        // And nowhere near it.
        let moved: Vec<f64> = parametric.params().iter().map(|param| param + 0.1).collect();
        objective.evaluate(&moved, &mut grad);
        assert!(grad.iter().any(|grad| grad.abs() > 1e-3));
    }
}

#[test]
fn enumeration_is_the_sum_over_all_states() {
    for model in models() {
        let Some(flips) = model.as_site_flips() else { continue };
        let dim = model.dim();
        if dim > 10 {
            continue;
        }
        let states = every_state(dim);
        let energies = energies(&*model, &states);
        let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
        let probabilities: Vec<f64> = energies.iter().map(|energy| exp(-energy - log_z)).collect();
        let exact = exact::enumerate(flips).unwrap();
        assert_close(exact.log_z, log_z, 1e-13);
        let mean = |f: &dyn Fn(usize) -> f64| {
            probabilities.iter().enumerate().map(|(state, p)| p * f(state)).sum::<f64>()
        };
        assert_close(exact.mean_energy, mean(&|state| energies[state]), 1e-13);
        assert_close(exact.entropy, mean(&|state| energies[state] + log_z), 1e-13);
        for i in 0..dim {
            for j in 0..dim {
                let both = mean(&|state| (state >> i & state >> j & 1) as f64);
                assert_close(exact.moments[i * dim + j], both, 1e-13);
            }
        }
    }
}

#[test]
fn copies_answer_alike_and_are_their_own() {
    for model in models() {
        let mut copy = model.boxed_clone();
        assert_eq!(copy.spec(), model.spec());
        let Some(parametric) = copy.as_parametric_mut() else { continue };
        let changed: Vec<f64> = parametric.params().iter().map(|param| param + 1.0).collect();
        parametric.set_params(&changed);
        assert_ne!(copy.spec(), model.spec());
        assert_eq!(copy.spec(), model.spec_at(&changed));
    }
}

fn normal_states(dim: usize, width: usize) -> Vec<f64> {
    let mut rng = stream(14, Purpose::Example, dim as u64);
    (0..dim * width).map(|_| normal(&mut rng)).collect()
}

/// Reflects states that are outside into where the model lives.
fn inside(model: &dyn Differentiable, states: &mut [f64]) {
    for half_space in model.constraints() {
        for state in states.chunks_exact_mut(model.dim()) {
            let at: f64 = half_space.normal.iter().zip(&*state).map(|(n, x)| n * x).sum();
            let square: f64 = half_space.normal.iter().map(|n| n * n).sum();
            if at < half_space.offset {
                let factor = 2.0 * (half_space.offset - at) / square;
                state.iter_mut().zip(&half_space.normal).for_each(|(x, n)| *x += factor * n);
            }
        }
    }
}

/// Energies and gradients against the plain form, and each state's numbers
/// whatever stands beside it.
#[test]
fn gradients_are_derivatives() {
    for model in models() {
        let Some(differentiable) = model.as_differentiable() else { continue };
        let (dim, width) = (model.dim(), 11);
        let mut states = normal_states(dim, width);
        inside(differentiable, &mut states);
        let mut block = vec![0.0; dim * width];
        transpose(dim, width, &states, &mut block);
        let mut energy = vec![f64::NAN; width];
        let mut grad = vec![f64::NAN; dim * width];
        differentiable.energy_grad(Block::new(dim, &block), &mut energy, &mut grad);
        let plain = |states: &[f64]| {
            let mut energies = vec![f64::NAN; states.len() / dim];
            model.energy(Batch::new(dim, states), &mut energies);
            energies
        };
        let expected = plain(&states);
        for (energy, expected) in energy.iter().zip(&expected) {
            assert_close(*energy, *expected, 1e-12);
        }
        for d in 0..dim {
            let moved = |step: f64| {
                let mut states = states.clone();
                states.iter_mut().skip(d).step_by(dim).for_each(|x| *x += step);
                plain(&states)
            };
            let (up, down) = (moved(1e-6), moved(-1e-6));
            for c in 0..width {
                let scale = expected[c].abs().max(1.0);
                let numeric = (up[c] - down[c]) / 2e-6;
                assert_close(grad[d * width + c], numeric, 1e-7 * scale);
            }
        }
        for c in 0..width {
            let alone = &states[c * dim..(c + 1) * dim];
            let mut energy_alone = [f64::NAN];
            let mut grad_alone = vec![f64::NAN; dim];
            differentiable.energy_grad(Block::new(dim, alone), &mut energy_alone, &mut grad_alone);
            assert_eq!(energy_alone[0].to_bits(), energy[c].to_bits());
            for d in 0..dim {
                assert_eq!(grad_alone[d].to_bits(), grad[d * width + c].to_bits());
            }
        }
    }
}

/// Stein's identities hold for exact draws, `E[∂E/∂x_d] = 0` and
/// `E[x_d ∂E/∂x_d] = 1` (for models on all of ℝᴰ), within six standard errors
/// each: false alarms below 1e-7 in all.
#[test]
fn exact_draws_obey_steins_identities() {
    for model in models() {
        let (Some(reference), Some(differentiable)) =
            (model.as_reference(), model.as_differentiable())
        else {
            continue;
        };
        if !differentiable.constraints().is_empty() {
            continue;
        }
        let (dim, width) = (model.dim(), 100_000);
        let mut rng = stream(15, Purpose::Example, dim as u64);
        let mut states = vec![0.0; dim * width];
        states.chunks_exact_mut(dim).for_each(|state| reference.draw(&mut rng, state));
        let mut block = vec![0.0; dim * width];
        transpose(dim, width, &states, &mut block);
        let mut energy = vec![0.0; width];
        let mut grad = vec![0.0; dim * width];
        differentiable.energy_grad(Block::new(dim, &block), &mut energy, &mut grad);
        for d in 0..dim {
            let at = d * width..(d + 1) * width;
            let slopes = &grad[at.clone()];
            let products: Vec<f64> =
                slopes.iter().zip(&block[at]).map(|(grad, x)| grad * x - 1.0).collect();
            for (numbers, name) in [(slopes, "slope"), (&products[..], "product")] {
                let mean = numbers.iter().sum::<f64>() / width as f64;
                let square = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
                let error = (square / width as f64 / width as f64).sqrt();
                assert!(mean.abs() < 6.0 * error, "{} {name} {d}: {mean} of {error}", model.kind());
            }
        }
    }
}

/// log Z against a sum over a grid, for models of one or two dimensions whose
/// draws all lie in a box.
#[test]
fn log_z_is_that_of_a_grid() {
    for model in models() {
        let Some(reference) = model.as_reference() else { continue };
        let dim = model.dim();
        if dim > 2 {
            continue;
        }
        let mut rng = stream(16, Purpose::Example, 0);
        let mut state = vec![0.0; dim];
        let mut reach = vec![0.0_f64; dim];
        for _ in 0..10_000 {
            reference.draw(&mut rng, &mut state);
            reach.iter_mut().zip(&state).for_each(|(reach, x)| *reach = reach.max(x.abs()));
        }
        // Twice as far as any draw: what is missing is nothing.
        let count: usize = if dim == 1 { 1_000_000 } else { 2_000 };
        let step: Vec<f64> = reach.iter().map(|reach| 4.0 * reach / count as f64).collect();
        let at = |d: usize, index: usize| (index as f64 + 0.5) * step[d] - 2.0 * reach[d];
        let mut line = vec![0.0; count * dim];
        let mut energies = vec![0.0; count];
        let mut total = 0.0;
        for outer in 0..if dim == 1 { 1 } else { count } {
            for (inner, state) in line.chunks_exact_mut(dim).enumerate() {
                state[0] = at(0, inner);
                state[1..].iter_mut().for_each(|x| *x = at(1, outer));
            }
            model.energy(Batch::new(dim, &line), &mut energies);
            total += energies.iter().map(|energy| exp(-energy)).sum::<f64>();
        }
        let log_z = unnorm::math::ln(total * step.iter().product::<f64>());
        assert!((reference.log_z() - log_z).abs() < 1e-5, "{}: {log_z}", model.kind());
    }
}
