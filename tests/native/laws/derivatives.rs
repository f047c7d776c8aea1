//! What models on ℝᴰ say of derivatives, against finite differences, and sums
//! over batches against sums over states taken one at a time.

use super::{assert_close, inside, models, normal_states};
use unnorm::energy::{Parametric, ScoreGradient};
use unnorm::linalg::{Batch, Block, dot, transpose};
use unnorm::models::Model;
use unnorm::rng::{Purpose, normal, stream};

const NUM_STATES: usize = 6;
const WEIGHTS: [f64; NUM_STATES] = [0.5, -1.0, 2.0, 0.25, 1.0, -0.125];

/// The derivative of `value` in each parameter, by finite differences of the fourth
/// order; the parameters are put back.
fn slopes(model: &mut dyn Model, value: impl Fn(&dyn Model) -> f64) -> Vec<f64> {
    let params = model.as_parametric().expect("it has parameters").params().to_vec();
    let step = 1e-3;
    let slope = |index: usize| {
        let mut at = |steps: f64| {
            let mut moved = params.clone();
            moved[index] += steps * step;
            model.as_parametric_mut().unwrap().set_params(&moved);
            value(model)
        };
        let (near, far) = (at(1.0) - at(-1.0), at(2.0) - at(-2.0));
        (8.0 * near - far) / (12.0 * step)
    };
    let slopes = (0..params.len()).map(slope).collect();
    model.as_parametric_mut().unwrap().set_params(&params);
    assert_eq!(model.as_parametric().unwrap().params(), params);
    slopes
}

#[track_caller]
fn assert_all_close(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = 1.0 + expected.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(off <= tolerance * scale, "{name}, entry {at}: {found} and {expected}");
    }
}

/// States where the model lives.
fn states_of(model: &dyn Model, count: usize) -> Vec<f64> {
    let mut states = normal_states(model.dim(), count);
    inside(model.as_differentiable().expect("it has a gradient"), &mut states);
    states
}

/// Gradients in x, states one after another.
fn gradients(model: &dyn Model, states: &[f64]) -> Vec<f64> {
    let dim = model.dim();
    let width = states.len() / dim;
    let [mut block, mut grad, mut turned] = [(); 3].map(|()| vec![0.0; states.len()]);
    transpose(dim, width, states, &mut block);
    let differentiable = model.as_differentiable().expect("it has a gradient");
    differentiable.energy_grad(Block::new(dim, &block), &mut vec![0.0; width], &mut grad);
    transpose(width, dim, &grad, &mut turned);
    turned
}

fn continuous() -> impl Iterator<Item = Box<dyn Model>> {
    models().into_iter().filter(|model| model.as_differentiable().is_some())
}

#[test]
fn param_gradients_are_derivatives_on_the_reals() {
    let mut num_models = 0;
    for mut model in continuous().filter(|model| model.as_parametric().is_some()) {
        let dim = model.dim();
        let states = states_of(&*model, NUM_STATES);
        let x = Batch::new(dim, &states);
        let expected = slopes(&mut *model, |model| {
            let mut energies = [0.0; NUM_STATES];
            model.energy(x, &mut energies);
            dot(&energies, &WEIGHTS)
        });
        let mut grad = vec![0.0; expected.len()];
        model.as_parametric().unwrap().accumulate_param_grad(x, &WEIGHTS, &mut grad);
        assert_all_close(model.kind(), &grad, &expected, 1e-8);
        num_models += 1;
    }
    assert!(num_models > 10);
}

#[test]
fn one_pass_gives_the_bits_of_energies_and_then_gradients() {
    let mut num_models = 0;
    for model in continuous() {
        let Some(parametric) = model.as_parametric() else { continue };
        // More than are taken at a time, and not a multiple of them.
        let states = states_of(&*model, 300);
        let x = Batch::new(model.dim(), &states);
        let mut weights = vec![0.0; x.len()];
        model.energy(x, &mut weights);
        let mut given = Vec::new();
        let mut found = vec![0.5; parametric.params().len()];
        let mut weigh = |range: std::ops::Range<usize>, energies: &mut [f64]| {
            assert_eq!((range.start, range.len()), (given.len(), energies.len()));
            given.extend_from_slice(energies);
            energies.iter_mut().for_each(|energy| *energy = 1.0 / (2.0 + energy.abs()));
        };
        parametric.accumulate_weighted_by(x, &mut weigh, &mut found);
        assert_eq!(given, weights, "{}", model.kind());
        weights.iter_mut().for_each(|energy| *energy = 1.0 / (2.0 + energy.abs()));
        let mut expected = vec![0.5; found.len()];
        parametric.accumulate_param_grad(x, &weights, &mut expected);
        assert_eq!(found, expected, "{}", model.kind());

        let mut part = vec![0.25; 1 + found.len()];
        parametric.accumulate_states(x, -0.5, &mut part);
        let mut expected = vec![0.25; found.len()];
        parametric.accumulate_param_grad(x, &vec![-0.5; x.len()], &mut expected);
        assert_eq!(part[0], 0.25 - 0.5 * given.iter().sum::<f64>(), "{}", model.kind());
        assert_eq!(part[1..], expected, "{}", model.kind());
        num_models += 1;
    }
    assert!(num_models > 10);
}

fn score(model: &dyn Model) -> &dyn ScoreGradient {
    model.as_score_gradient().expect("it was asked")
}

#[test]
fn gradients_in_x_change_with_the_parameters_as_said() {
    let mut num_models = 0;
    for mut model in continuous().filter(|model| model.as_score_gradient().is_some()) {
        let dim = model.dim();
        let states = states_of(&*model, NUM_STATES);
        let mut rng = stream(17, Purpose::Example, 0);
        let directions: Vec<f64> = states.iter().map(|_| normal(&mut rng)).collect();
        let expected = slopes(&mut *model, |model| {
            let grads = gradients(model, &states);
            let lines = grads.chunks_exact(dim).zip(directions.chunks_exact(dim));
            lines.zip(WEIGHTS).map(|((grad, along), weight)| weight * dot(grad, along)).sum()
        });
        let mut grad = vec![0.0; expected.len()];
        let (x, v) = (Batch::new(dim, &states), Batch::new(dim, &directions));
        score(&*model).accumulate_score_grad(x, v, &WEIGHTS, &mut grad);
        assert_all_close(model.kind(), &grad, &expected, 1e-7);
        num_models += 1;
    }
    assert!(num_models > 5);
}

#[test]
fn laplacians_are_divergences() {
    let mut num_models = 0;
    for mut model in continuous().filter(|model| model.as_score_gradient().is_some()) {
        let dim = model.dim();
        let states = states_of(&*model, NUM_STATES);
        let x = Batch::new(dim, &states);
        let num_params = model.as_parametric().unwrap().params().len();
        let laplacian = |model: &dyn Model| {
            let mut part = vec![0.0; 1 + num_params];
            score(model).accumulate_laplacian(x, &WEIGHTS, &mut part).then_some(part)
        };
        let Some(part) = laplacian(&*model) else { continue };
        let mut divergence = 0.0;
        for d in 0..dim {
            let along = |steps: f64| {
                let mut moved = states.clone();
                moved.iter_mut().skip(d).step_by(dim).for_each(|x| *x += steps * 1e-3);
                let grads = gradients(&*model, &moved);
                let entries = grads.iter().skip(d).step_by(dim).zip(WEIGHTS);
                entries.map(|(grad, weight)| weight * grad).sum::<f64>()
            };
            divergence += (8.0 * (along(1.0) - along(-1.0)) - (along(2.0) - along(-2.0))) / 12e-3;
        }
        assert_close(part[0], divergence, 1e-7);
        let expected = slopes(&mut *model, |model| laplacian(model).unwrap()[0]);
        assert_all_close(model.kind(), &part[1..], &expected, 1e-7);
        num_models += 1;
    }
    assert!(num_models > 5);
}

#[test]
fn log_z_gradients_are_derivatives() {
    let mut num_models = 0;
    for mut model in models().into_iter().filter(|model| model.as_log_z_gradient().is_some()) {
        let expected = slopes(&mut *model, |model| model.as_log_z_gradient().unwrap().log_z());
        let mut grad = vec![1.0; expected.len()];
        model.as_log_z_gradient().unwrap().accumulate_log_z_grad(2.0, &mut grad);
        let grad: Vec<f64> = grad.iter().map(|grad| 0.5 * (grad - 1.0)).collect();
        assert_all_close(model.kind(), &grad, &expected, 1e-9);
        num_models += 1;
    }
    assert!(num_models > 10);
}

/// Energies of what is observed and what is not together, each state at an x of its
/// own, against the model given that x.
#[test]
fn joint_energies_are_those_given_x() {
    let mut num_models = 0;
    for mut model in models() {
        let Some(generative) = model.as_generative() else { continue };
        let (dim, num_observed) = (model.dim(), generative.num_observed());
        let count = 150;
        let states = states_of(&*model, count);
        let mut rng = stream(18, Purpose::Example, 0);
        let observed: Vec<f64> = (0..count * num_observed).map(|_| normal(&mut rng)).collect();
        let given = |row: usize| {
            model.given(&observed[row * num_observed..(row + 1) * num_observed]).unwrap()
        };
        let mut energies = vec![0.0; count];
        let mut grads = Vec::new();
        for (row, (state, energy)) in states.chunks_exact(dim).zip(&mut energies).enumerate() {
            let model = given(row);
            model.energy(Batch::new(dim, state), std::slice::from_mut(energy));
            grads.extend(gradients(&*model, state));
        }
        let [mut states_block, mut grad, mut turned] = [(); 3].map(|()| vec![0.0; states.len()]);
        transpose(dim, count, &states, &mut states_block);
        let mut observed_block = vec![0.0; observed.len()];
        transpose(num_observed, count, &observed, &mut observed_block);
        let mut joint = vec![f64::NAN; count];
        let x = Block::new(num_observed, &observed_block);
        generative.joint_energy_grad(x, Block::new(dim, &states_block), &mut joint, &mut grad);
        transpose(count, dim, &grad, &mut turned);
        assert_all_close(model.kind(), &joint, &energies, 1e-12);
        assert_all_close(model.kind(), &turned, &grads, 1e-12);

        let weights: Vec<f64> = (0..count).map(|row| WEIGHTS[row % NUM_STATES]).collect();
        let x = Batch::new(num_observed, &observed);
        let part_of = |model: &dyn Model| {
            let mut part = vec![0.0; 1 + model.as_parametric().unwrap().params().len()];
            let generative = model.as_generative().unwrap();
            generative.accumulate_joint(x, Batch::new(dim, &states), &weights, &mut part);
            part
        };
        let part = part_of(&*model);
        assert_close(part[0], dot(&energies, &weights), 1e-12);
        let expected = slopes(&mut *model, |model| part_of(model)[0]);
        assert_all_close(model.kind(), &part[1..], &expected, 1e-8);
        num_models += 1;
    }
    assert!(num_models > 3);
}

/// E[∂E/∂θ] = 0, E[a ∂E/∂a] = 1 and E[x · ∂E/∂x] = M over draws of p(x, a), by integration by parts.
/// Of the hundred means here one is beyond 7 errors once in 10⁹.
#[test]
fn simulated_states_are_draws_of_the_joint_density() {
    let mut num_models = 0;
    for model in models() {
        let Some(generative) = model.as_generative() else { continue };
        let (dim, num_observed) = (model.dim(), generative.num_observed());
        let num_params = model.as_parametric().unwrap().params().len();
        let rng = &mut stream(19, Purpose::Example, num_models);
        let count = 40_000;
        let mut terms = vec![Vec::new(); num_params + dim + 1];
        let (mut x, mut a) = (vec![0.0; num_observed], vec![0.0; dim]);
        let (mut energy, mut grad) = ([0.0], vec![0.0; dim]);
        for _ in 0..count {
            generative.simulate(rng, &mut x, &mut a);
            let mut part = vec![0.0; 1 + num_params];
            let [observed, state] = [Batch::new(num_observed, &x), Batch::new(dim, &a)];
            generative.accumulate_joint(observed, state, &[1.0], &mut part);
            let [observed, state] = [Block::new(num_observed, &x), Block::new(dim, &a)];
            generative.joint_energy_grad(observed, state, &mut energy, &mut grad);
            let of_state = a.iter().zip(&grad).map(|(a, grad)| a * grad - 1.0);
            // The energy is quadratic in x, so that a difference over any distance is the slope.
            let mut at = |scale: f64| {
                let x: Vec<f64> = x.iter().map(|x| scale * x).collect();
                let observed = Block::new(num_observed, &x);
                let mut grad = vec![0.0; dim];
                generative.joint_energy_grad(observed, state, &mut energy, &mut grad);
                energy[0]
            };
            let of_observed = 0.5 * (at(2.0) - at(0.0)) - num_observed as f64;
            let all = part[1..].iter().copied().chain(of_state).chain([of_observed]);
            terms.iter_mut().zip(all).for_each(|(terms, term)| terms.push(term));
        }
        for (at, terms) in terms.iter().enumerate() {
            let mean = terms.iter().sum::<f64>() / f64::from(count);
            let square = terms.iter().map(|term| term * term).sum::<f64>() / f64::from(count);
            let error = ((square - mean * mean) / f64::from(count)).sqrt();
            assert!(mean.abs() <= 7.0 * error, "{} {at}: {mean} ± {error}", model.kind());
        }
        num_models += 1;
    }
    assert!(num_models > 3);
}

/// Many states against one at a time.
#[test]
fn sums_over_batches_are_those_over_states() {
    for model in continuous() {
        let Some(parametric) = model.as_parametric() else { continue };
        let (dim, count) = (model.dim(), 300);
        let (states, directions) = (states_of(&*model, count), normal_states(dim, count));
        let weights: Vec<f64> = (0..count).map(|row| WEIGHTS[row % NUM_STATES]).collect();
        let num_params = parametric.params().len();
        let batch = |from: usize, to: usize| {
            let part = |all: &[f64]| all[from * dim..to * dim].to_vec();
            (part(&states), part(&directions), weights[from..to].to_vec())
        };
        let sums = |(x, v, weights): (Vec<f64>, Vec<f64>, Vec<f64>)| {
            let (x, v) = (Batch::new(dim, &x), Batch::new(dim, &v));
            let mut sums = vec![vec![0.0; num_params]];
            Parametric::accumulate_param_grad(parametric, x, &weights, &mut sums[0]);
            if let Some(score) = model.as_score_gradient() {
                let mut along = vec![0.0; num_params];
                score.accumulate_score_grad(x, v, &weights, &mut along);
                let mut part = vec![0.0; 1 + num_params];
                score.accumulate_laplacian(x, &weights, &mut part);
                sums.extend([along, part]);
            }
            sums
        };
        let mut one_at_a_time = sums(batch(0, 1));
        for row in 1..count {
            for (sum, more) in one_at_a_time.iter_mut().zip(sums(batch(row, row + 1))) {
                sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        for (together, apart) in sums(batch(0, count)).iter().zip(&one_at_a_time) {
            assert_all_close(model.kind(), together, apart, 1e-11);
        }
    }
}
