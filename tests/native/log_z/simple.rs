//! At once from the reference to the model: simple importance sampling, and in
//! reverse the harmonic mean. And with resampling on the way.

use super::*;
use unnorm::math::{exp, ln, log_sum_exp};

/// A weight is the reference's Z times e^(E_reference − E), and nothing else.
#[test]
fn one_step_is_importance_sampling() {
    let (a, b, c) = (0.3, -0.6, 0.4);
    let model = json!({ "kind": "ising", "dim": 2, "couplings": [a, c, c, b] });
    let energies = [0.0, a, b, a + b + 2.0 * c];
    let log_z = log_sum_exp(&energies.map(|energy| -energy));
    let spec = json!({
        "model": model, "numChains": 2000, "numDistributions": 1, "seed": 3,
        "reverse": { "start": { "kind": "exact" } },
    });
    let result = run(&spec);
    assert_close(result.reference_log_z, 2.0 * ln(2.0), 1e-15);
    assert_eq!(result.schedule, [0.0, 1.0]);
    let reverse = result.reverse.as_ref().expect("reverse runs");
    let mut counts = [[0.0; 4]; 2];
    for (side, counts) in [&result.forward, reverse].into_iter().zip(&mut counts) {
        for log_weight in &side.log_weights {
            let is_of = |energy: &f64| (2.0 * ln(2.0) - energy - log_weight).abs() < 1e-12;
            let state = energies.iter().position(is_of).expect("a weight of a state");
            counts[state] += 1.0;
        }
        assert_within(side.log_z.value, side.log_z.standard_error, log_z, 0.05);
    }
    for (state, energy) in energies.into_iter().enumerate() {
        for (counts, chance) in counts.iter().zip([0.25, exp(-energy - log_z)]) {
            let error = (2000.0 * chance * (1.0 - chance)).sqrt();
            assert!((counts[state] - 2000.0 * chance).abs() < MAX_ERRORS * error, "{counts:?}");
        }
    }
    assert_close(result.exact_log_z.expect("known"), log_z, 1e-14);
    let harmonic: Vec<_> =
        result.warnings.iter().filter(|warning| warning.contains("harmonic mean")).collect();
    assert_eq!(harmonic.len(), 1, "{:?}", result.warnings);
    // Nothing is left for a pilot run to find.
    let mut job = job(&spec).unwrap();
    let unnorm::Progress::LogZ(progress) = job.progress() else { panic!() };
    assert_eq!(progress.phase, "forward");
    job.advance(1);
    // Without reverse runs there is no harmonic mean.
    assert!(run(&with(&spec, json!({ "reverse": null }))).warnings.is_empty());
}

/// Far from the model few chains carry the weight, and the result says so.
#[test]
fn a_reference_that_is_too_far_is_warned_of() {
    let model = json!({ "kind": "gaussian", "dim": 4, "mean": [4.0, 4.0, 4.0, 4.0] });
    let spec = json!({ "model": model, "numChains": 100, "numDistributions": 1, "seed": 3,
        "transition": { "kind": "perfect" } });
    let result = run(&spec);
    let says = |words: &str| result.warnings.iter().any(|warning| warning.contains(words));
    assert!(says("weight ESS") && says("too low"), "{:?}", result.warnings);
    assert!(result.log_z < result.exact_log_z.unwrap() - 3.0);
}

/// Steps far too large: nothing is accepted, and the result says where.
#[test]
fn collapsed_acceptance_is_warned_of() {
    let spec = json!({
        "model": { "kind": "gaussian", "dim": 2, "precision": [100.0, 0.0, 0.0, 100.0] },
        "transition": { "kind": "hmc", "stepSize": 1.0 }, "schedule": { "kind": "linear" },
        "numChains": 100, "numDistributions": 200, "seed": 1,
    });
    let result = run(&spec);
    let says = |words: &str| result.warnings.iter().any(|warning| warning.contains(words));
    assert!(says("Acceptance collapsed at β = "), "{:?}", result.warnings);
    assert_eq!((&result.step_size_betas[..], &result.step_sizes[..]), (&[0.0][..], &[1.0][..]));
}

/// The mean of Ẑ / Z over 300 runs is 1 with resampling, too; and all that is told
/// of a run is of one piece.
#[test]
fn resampling_keeps_the_mean() {
    let model = model("ising", ising(10, 0.8, 2));
    let log_z = enumerated(&model);
    let spec = json!({
        "model": model, "numChains": 40, "numDistributions": 12, "schedule": { "kind": "linear" },
        "resampling": { "threshold": 0.8 }, "reverse": { "start": { "kind": "exact" } },
    });
    let (mut ratios, mut squares, mut num_resamplings) = (Vec::new(), Vec::new(), 0);
    for seed in 0..300 {
        let result = run(&with(&spec, json!({ "seed": seed })));
        let side = &result.forward;
        num_resamplings += side.num_resamplings;
        if side.num_resamplings > 0 {
            let mean = log_sum_exp(&side.log_weights) - ln(40.0);
            assert_close(mean, side.log_z.value, 1e-12);
            assert!(side.integral.is_none() && result.bridge.is_none());
            assert!(side.bootstrap.lower.is_nan() && side.mean_log_weight_error.is_nan());
            assert_eq!(result.log_z, side.log_z.value);
            assert!(side.mean_log_weight <= side.log_z.value);
        }
        // Both directions are right, so that they agree but for chance: rarely do intervals
        // at 95 % not touch, and none is nats away.
        for warning in &result.warnings {
            assert!(!warning.contains("below the forward one"), "{seed}: {warning}");
        }
        let reverse = result.reverse.expect("reverse runs");
        assert_eq!(reverse.num_resamplings, 0);
        ratios.push(exp(side.log_z.value - log_z));
        squares.push(side.log_z.standard_error * side.log_z.standard_error);
    }
    assert!(num_resamplings >= 300, "{num_resamplings} resamplings in 300 runs");
    let mean = ratios.iter().sum::<f64>() / 300.0;
    let spread = ratios.iter().map(|ratio| (ratio - mean) * (ratio - mean)).sum::<f64>() / 299.0;
    assert_within(mean, (spread / 300.0).sqrt(), 1.0, 0.03);
    // The stated variance errs on the large side rather than on the small one.
    let stated = squares.iter().sum::<f64>() / 300.0;
    println!("{num_resamplings} resamplings, {mean}, {spread} and {stated}");
    assert!(stated > 0.7 * spread && stated < 6.0 * spread, "{stated} and {spread}");
}

/// Looked at more often than there are steps, it is looked at after each.
#[test]
fn stages_may_be_more_than_steps() {
    let spec = json!({
        "model": model("ising", ising(10, 0.8, 2)), "numChains": 40, "numDistributions": 12,
        "schedule": { "kind": "linear" }, "seed": 1,
    });
    let run = |num_stages: usize| {
        run(&with(&spec, json!({ "resampling": { "threshold": 1.0, "numStages": num_stages } })))
    };
    assert_eq!(run(12).digest, run(100).digest);
    assert_eq!(run(100).forward.num_resamplings, 11);
    assert_eq!(run(3).forward.num_resamplings, 2);
    assert_eq!(run(1).forward.num_resamplings, 0);
}

/// Mean of f over the last states with their weights, and its standard error by the delta method;
/// and the mean without the weights.
fn weighted_mean(result: &LogZResult, dim: usize, f: impl Fn(&[f64]) -> f64) -> [f64; 3] {
    let log_weights = &result.forward.log_weights;
    let states = result.states.as_ref().expect("they were asked for");
    assert_eq!(states.len(), log_weights.len() * dim);
    let total = log_sum_exp(log_weights);
    let values: Vec<_> = states
        .chunks_exact(dim)
        .zip(log_weights)
        .map(|(state, log_weight)| (f(state), exp(log_weight - total)))
        .collect();
    let mean: f64 = values.iter().map(|(value, weight)| value * weight).sum();
    let off = |(value, weight): &(f64, f64)| weight * weight * (value - mean) * (value - mean);
    let error = values.iter().map(off).sum::<f64>().sqrt();
    let plain = values.iter().map(|(value, _)| value).sum::<f64>() / values.len() as f64;
    [mean, error, plain]
}

/// From two distributions the chains are still near the reference, and their weights make up for it.
#[test]
fn last_states_are_weighted_draws() {
    let model = model("ising", ising(3, 1.2, 7));
    let spec = json!({
        "model": model, "numChains": 4000, "numDistributions": 2, "schedule": { "kind": "linear" },
        "seed": 5, "keepStates": true,
    });
    let result = run(&spec);
    let log_z = enumerated(&model);
    let all: unnorm::models::ModelSpec = serde_json::from_value(model).expect("a model");
    let built = all.build().expect("a sound model");
    let mut most_off = 0.0_f64;
    for which in 0..8 {
        let state = [0, 1, 2].map(|site| f64::from(which >> site & 1));
        let mut energy = [0.0];
        built.energy(unnorm::linalg::Batch::new(3, &state), &mut energy);
        let truth = exp(-energy[0] - log_z);
        let is_it = |other: &[f64]| f64::from(u8::from(other == state));
        let [mean, error, plain] = weighted_mean(&result, 3, is_it);
        assert_within(mean, error, truth, 0.03);
        most_off = most_off.max((plain - truth).abs() / error);
    }
    assert!(most_off > MAX_ERRORS, "without weights they would do as well");
    // Nothing else changes, and states that were not asked for are not there.
    let without = run(&with(&spec, json!({ "keepStates": false })));
    assert_eq!((without.log_z, without.states), (result.log_z, None));
}

/// A Gaussian is annealed along its axes; its states come back in the coordinates of the model.
#[test]
fn last_states_on_the_reals() {
    let spec = json!({
        "model": { "kind": "gaussian", "dim": 2, "mean": [1.0, -0.5], "precision": [2.0, 1.2, 1.2, 1.5] },
        "numChains": 4000, "numDistributions": 40, "seed": 5, "keepStates": true,
    });
    let result = run(&spec);
    // Σ = Λ⁻¹, and the determinant of Λ is 1.56.
    for (f, truth) in [
        ((|x| x[0]) as fn(&[f64]) -> f64, 1.0),
        (|x| x[1], -0.5),
        (|x| (x[0] - 1.0) * (x[1] + 0.5), -1.2 / 1.56),
    ] {
        let [mean, error, _] = weighted_mean(&result, 2, f);
        assert_within(mean, error, truth, 0.05);
    }
}
