//! Contrastive divergence and persistent minimum probability flow on ℝᴰ: each update
//! against its definition, and where fits end against the maximum of the likelihood,
//! which is known for these models.

use crate::common::chains::{SEED, assert_near, fit, hmc, moves};
use crate::common::{job_of, with};
use serde_json::{Value, json};
use unnorm::fit::FitResult;
use unnorm::fit::contrastive_divergence::{accumulate_states, chain_stream};
use unnorm::fit::real_chains::{Noise, Run};
use unnorm::linalg::{Batch, norm};
use unnorm::math::exp;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream};
use unnorm::sample::target::Target;

fn build(model: &Value) -> Box<dyn Model> {
    serde_json::from_value::<ModelSpec>(model.clone()).unwrap().build().unwrap()
}

fn refusal(fields: &Value) -> unnorm::Error {
    let spec = json!({"verb": "fit", "states": [1.0, 2.0, -1.0, 0.5], "seed": SEED});
    job_of(&with(spec, fields), None).err().expect("refused")
}

fn draws(model: &dyn Model, count: usize) -> Vec<f64> {
    let reference = model.as_reference().expect("exact draws");
    let mut states = vec![0.0; count * model.dim()];
    for (index, state) in states.chunks_exact_mut(model.dim()).enumerate() {
        reference.draw(&mut stream(1, Purpose::Example, index as u64), state);
    }
    states
}

/// A Gaussian and a complete product of Student's t experts, away from what draws them.
fn models() -> [(Value, Value); 2] {
    let covariance = [1.0, 0.6, 0.0, 0.6, 2.0, -0.5, 0.0, -0.5, 0.5];
    [
        (
            json!({"kind": "gaussian", "dim": 3, "mean": [1, -2, 0.5], "covariance": covariance}),
            json!({"kind": "gaussian", "dim": 3}),
        ),
        (
            json!({
                "kind": "productOfExperts", "dim": 2, "expert": "studentT",
                "filters": [1.0, 0.5, -0.7, 1.2], "lambda": [4, 2.5],
            }),
            json!({
                "kind": "productOfExperts", "dim": 2, "expert": "studentT",
                "filters": [1.0, 0.0, 0.0, 1.0], "lambda": [2, 2],
            }),
        ),
    ]
}

fn params(model: &dyn Model) -> Vec<f64> {
    model.as_parametric().unwrap().params().to_vec()
}

/// `[mean energy | its gradient]` of states.
fn mean_energy(model: &dyn Model, states: &[f64]) -> Vec<f64> {
    let batch = Batch::new(model.dim(), states);
    let mut part = vec![0.0; 1 + params(model).len()];
    accumulate_states(model, batch, 1.0 / batch.len() as f64, &mut part);
    part
}

/// One update of all rows: `θ − ε (E_rows[∂E] − E_chains[∂E])`, and the contrast.
#[test]
fn contrastive_updates_are_by_their_definition() {
    for (truth, model) in models() {
        let (rows, start) = (draws(&*build(&truth), 30), build(&model));
        let (dim, target) = (start.dim(), start.as_differentiable().unwrap());
        let optimizer = json!({
            "kind": "sgd", "batchSize": 30, "numEpochs": 1, "learningRate": {"start": 0.1, "end": 0.1},
        });
        let (plain, step_size) = moves(&hmc(), 3);
        let restarting = moves(&hmc(), 3).0.with_restarts(0.3, Noise::like(Batch::new(dim, &rows)));
        // Chains at the rows themselves; or more of them, round and round.
        let forty: Vec<f64> = rows.iter().copied().cycle().take(40 * dim).collect();
        let row_order: Vec<usize> = (0..40).collect();
        for (kind, moves, states) in [
            (json!({"kind": "contrastiveDivergence"}), plain, rows.clone()),
            (
                json!({
                    "kind": "persistentContrastiveDivergence", "numChains": 40,
                    "restartProbability": 0.3,
                }),
                restarting,
                forty,
            ),
        ] {
            let objective = with(kind, &json!({"numSteps": 3, "transition": hmc()}));
            let result =
                fit(&model, &rows, &json!({"objective": objective, "optimizer": optimizer}));
            let rng = |chain: usize| chain_stream(SEED, 0, row_order[chain]);
            let (moved, _) =
                Run::new(states).all(&moves, Target::Model(target), None, &step_size, &rng);
            let (data, chains) = (mean_energy(&*start, &rows), mean_energy(&*start, &moved));
            let contrast: Vec<f64> = data.iter().zip(&chains).map(|(a, b)| a - b).collect();
            let expected: Vec<f64> =
                params(&*start).iter().zip(&contrast[1..]).map(|(p, g)| p - 0.1 * g).collect();
            assert_near(&params(&*result.model.build().unwrap()), &expected);
            assert_near(&[result.objective], &contrast[..1]);
            assert_near(&[result.grad_norm], &[norm(&contrast[1..])]);
            assert!(norm(&contrast[1..]) > 0.01);
        }
    }
}

/// One update of a buffer of chains of which a quarter moves, from uniform noise now and then, with the
/// penalty α (mean E² of rows + mean E² of the chains that moved).
#[test]
fn buffers_and_penalties_are_by_their_definition() {
    const PENALTY: f64 = 0.2;
    for (truth, model) in models() {
        let (rows, start) = (draws(&*build(&truth), 30), build(&model));
        let (dim, target) = (start.dim(), start.as_differentiable().unwrap());
        let objective = json!({
            "kind": "persistentContrastiveDivergence", "numChains": 40, "numMoved": 10, "numSteps": 3,
            "restartProbability": 0.3, "restartNoise": "uniform", "energyPenalty": PENALTY,
            "transition": hmc(),
        });
        let optimizer = json!({
            "kind": "sgd", "batchSize": 30, "numEpochs": 1, "learningRate": {"start": 0.1, "end": 0.1},
        });
        let result = fit(&model, &rows, &json!({"objective": objective, "optimizer": optimizer}));
        let (moves, step_size) = moves(&hmc(), 3);
        let noise = Noise::uniform_like(Batch::new(dim, &rows));
        let moves = moves.with_restarts(0.3, noise);
        let chosen: Vec<f64> =
            (0..40).step_by(4).flat_map(|chain| rows[chain % 30 * dim..][..dim].to_vec()).collect();
        let rng = |index: usize| chain_stream(SEED, 0, 4 * index);
        let (moved, _) =
            Run::new(chosen).all(&moves, Target::Model(target), None, &step_size, &rng);
        // Both halves of the gradient, one state after another.
        let mut expected = params(&*start);
        for (states, sign) in [(&rows, 1.0), (&moved, -1.0)] {
            let count = (states.len() / dim) as f64;
            for state in states.chunks_exact(dim) {
                let energy_and_grad = mean_energy(&*start, state);
                let (energy, grad) = energy_and_grad.split_first().unwrap();
                let factor = (sign + 2.0 * PENALTY * energy) / count;
                expected.iter_mut().zip(grad).for_each(|(param, g)| *param -= 0.1 * factor * g);
            }
        }
        assert_near(&params(&*result.model.build().unwrap()), &expected);
        let contrast = mean_energy(&*start, &rows)[0] - mean_energy(&*start, &moved)[0];
        assert_near(&[result.objective], &[contrast]);
    }
}

/// Uniform noise lies between the ends of each column and fills that interval.
#[test]
fn uniform_noise_fills_the_range_of_the_rows() {
    let (gaussian, _) = &models()[0];
    let gaussian = build(gaussian);
    let target = gaussian.as_differentiable().unwrap();
    let rows = [0.0, 3.0, -2.0, 1.0, 3.0, 4.0];
    let noise = Noise::uniform_like(Batch::new(3, &rows));
    let mut rng = stream(2, Purpose::Example, 0);
    let (mut state, mut ends) = ([0.0; 3], [[f64::INFINITY, f64::NEG_INFINITY]; 3]);
    for _ in 0..1000 {
        noise.draw(target, &mut rng, &mut state);
        for ([low, high], x) in ends.iter_mut().zip(state) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    assert_eq!(ends[1], [3.0, 3.0], "a column that does not vary");
    for (d, [least, most]) in [(0, [0.0, 1.0]), (2, [-2.0, 4.0])] {
        let [low, high] = ends[d];
        let margin = 0.02 * (most - least);
        assert!(low >= least && low < least + margin, "{low}");
        assert!(high <= most && high > most - margin, "{high}");
    }
}

/// One refresh: K of eq. 2.25 where the search ends, from its samples, and half the
/// contrast for a gradient where it begins.
#[test]
fn persistent_flow_is_by_its_definition() {
    for (truth, model) in models() {
        let (rows, start) = (draws(&*build(&truth), 50), build(&model));
        let target = start.as_differentiable().unwrap();
        let states: Vec<f64> = rows.iter().copied().cycle().take(70 * start.dim()).collect();
        let (moves, step_size) = moves(&hmc(), 3);
        let rng = |chain| chain_stream(SEED, 0, chain);
        let (samples, _) =
            Run::new(states).all(&moves, Target::Model(target), None, &step_size, &rng);
        let objective = json!({
            "kind": "persistentMpf", "numChains": 70, "numSteps": 3, "numRefreshes": 1,
            "transition": hmc(),
        });
        let run = |max_iterations: usize| {
            let optimizer = json!({"kind": "lbfgs", "maxIterations": max_iterations});
            fit(&model, &rows, &json!({"objective": objective, "optimizer": optimizer}))
        };
        let first = run(0);
        assert_eq!(first.objective, 1.0);
        let (data, chains) = (mean_energy(&*start, &rows), mean_energy(&*start, &samples));
        let half: Vec<f64> = data.iter().zip(&chains).map(|(a, b)| 0.5 * (a - b)).collect();
        assert_near(&[first.grad_norm], &[norm(&half[1..])]);

        let after = run(4);
        let end = after.model.build().unwrap();
        let factor = |states: &[f64], half: f64| {
            let batch = Batch::new(start.dim(), states);
            let [mut now, mut before] = [(); 2].map(|()| vec![0.0; batch.len()]);
            end.energy(batch, &mut now);
            start.energy(batch, &mut before);
            let terms = now.iter().zip(&before).map(|(now, then)| exp(half * (now - then)));
            terms.sum::<f64>() / batch.len() as f64
        };
        assert_near(&[after.objective], &[factor(&rows, 0.5) * factor(&samples, -0.5)]);
        assert!(after.objective < 0.99, "{}", after.objective);
    }
}

/// A fit whose flow still falls far in its last refresh says so, and no other does.
#[test]
fn a_fit_that_ends_far_from_its_samples_says_so() {
    // The Gaussian's first step goes far already.
    let [(truth, model), _] = models();
    let rows = draws(&*build(&truth), 200);
    let run = |max_iterations: usize, num_refreshes: usize| {
        let objective = json!({
            "kind": "persistentMpf", "numChains": 200, "numSteps": 3,
            "numRefreshes": num_refreshes, "transition": hmc(),
        });
        let optimizer = json!({"kind": "lbfgs", "maxIterations": max_iterations});
        fit(&model, &rows, &json!({"objective": objective, "optimizer": optimizer}))
    };
    let ends: Vec<FitResult> = (0..4).map(|max_iterations| run(max_iterations, 1)).collect();
    for end in &ends {
        let says_so = end.warnings.iter().any(|warning| warning.contains("flow still fell"));
        assert_eq!(says_so, end.objective < 0.75, "{}", end.objective);
    }
    let warning = ends[3].warnings.concat();
    for field in ["optimizer.maxIterations", "objective.numRefreshes"] {
        assert!(warning.contains(field), "{warning}");
    }
    let done = run(10, 40);
    assert!(done.objective > 0.9 && done.warnings.is_empty(), "{:?}", done.warnings);
}

/// Twice the rows times how far a model's likelihood is from the largest.
fn deficit(fitted: &FitResult, model: &Value, rows: &[f64]) -> f64 {
    let likelihood = |model: &Value, max_iterations: usize| {
        let optimizer = json!({"kind": "lbfgs", "maxIterations": max_iterations});
        let objective = json!({"kind": "maximumLikelihood"});
        fit(model, rows, &json!({"objective": objective, "optimizer": optimizer})).objective
    };
    let spec = serde_json::to_value(&fitted.model).unwrap();
    let (reached, least) = (likelihood(&spec, 0), likelihood(model, 500));
    let num_rows = rows.len() / build(model).dim();
    2.0 * num_rows as f64 * (reached - least)
}

/// With as many samples as rows, twice the log likelihood's distance from its maximum is
/// about χ² with as many degrees of freedom as parameters, 9 at most: above 55 with
/// probability 1e-8. Twice that is allowed, as samples are weighted and chains correlated.
const MOST: f64 = 110.0;

#[test]
fn persistent_flow_ends_at_the_maximum_of_the_likelihood() {
    for (truth, model) in models() {
        let rows = draws(&*build(&truth), 2000);
        let objective = json!({
            "kind": "persistentMpf", "numChains": 2000, "numSteps": 3, "numRefreshes": 25,
        });
        let result = fit(&model, &rows, &json!({"objective": objective}));
        let deficit = deficit(&result, &model, &rows);
        println!("flow, {}: {deficit}", model["kind"]);
        assert!((0.0..MOST).contains(&deficit), "{deficit}");
    }
}

#[test]
fn persistent_contrastive_divergence_ends_at_the_maximum_of_the_likelihood() {
    for (truth, model) in models() {
        let rows = draws(&*build(&truth), 2000);
        let objective = json!({
            "kind": "persistentContrastiveDivergence", "numChains": 400, "numSteps": 2,
            "restartProbability": 0.01, "transition": {"kind": "langevin"},
        });
        let optimizer = json!({
            "kind": "adam", "batchSize": 400, "numEpochs": 80,
            "learningRate": {"start": 0.05, "end": 0.0005},
        });
        let result = fit(&model, &rows, &json!({"objective": objective, "optimizer": optimizer}));
        let deficit = deficit(&result, &model, &rows);
        println!("contrast, {}: {deficit}", model["kind"]);
        assert!((0.0..MOST).contains(&deficit), "{deficit}");
    }
}

#[test]
fn what_cannot_be_learned_by_chains_is_refused() {
    let linear = json!({
        "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "laplace",
    });
    let gaussian = json!({"kind": "gaussian", "dim": 2});
    let ring = json!({"kind": "ring"});
    let contrast = json!({"kind": "contrastiveDivergence", "numSteps": 1});
    let persistent = json!({
        "kind": "persistentContrastiveDivergence", "numSteps": 1, "numChains": 10,
    });
    let flow = json!({"kind": "persistentMpf", "numChains": 10, "numSteps": 1});
    let em = json!({"kind": "expectationMaximization"});
    for (model, objective, code, says) in [
        (&linear, &contrast, "invalid-spec", "use expectationMaximization"),
        (&linear, &persistent, "invalid-spec", "use expectationMaximization"),
        (&linear, &flow, "invalid-spec", "use expectationMaximization"),
        (&gaussian, &em, "missing-capability", "Generative"),
        (&ring, &contrast, "missing-capability", "Parametric"),
        (&ring, &flow, "missing-capability", "Parametric"),
        (
            &gaussian,
            &with(flow.clone(), &json!({"transition": {"kind": "gibbs"}})),
            "invalid-spec",
            "use hmc, nuts, langevin, metropolis or slice",
        ),
        (
            &gaussian,
            &with(
                flow.clone(),
                &json!({"transition": {"kind": "annealedLangevin", "noises": [1]}}),
            ),
            "invalid-spec",
            "use hmc, nuts, langevin, metropolis or slice",
        ),
        (
            &gaussian,
            &with(persistent.clone(), &json!({"numMoved": 3})),
            "invalid-spec",
            "give a divisor of 10",
        ),
        (
            &gaussian,
            &json!({"kind": "persistentContrastiveDivergence", "numMoved": 3}),
            "invalid-spec",
            "give numChains, a multiple of it",
        ),
        (
            &gaussian,
            &with(persistent.clone(), &json!({"energyPenalty": -1})),
            "invalid-spec",
            "objective.energyPenalty",
        ),
        (
            &gaussian,
            &with(persistent.clone(), &json!({"restartNoise": "uniform"})),
            "invalid-spec",
            "no chain restarts",
        ),
        (
            &gaussian,
            &with(
                contrast.clone(),
                &json!({"transition": {"kind": "langevin", "temperature": 0.5}}),
            ),
            "invalid-spec",
            "set adjusted to false",
        ),
        (
            &linear,
            &with(em.clone(), &json!({"transition": {"kind": "hmc", "numLeapfrogSteps": 0}})),
            "invalid-spec",
            "transition.numLeapfrogSteps",
        ),
    ] {
        let error = refusal(&json!({"model": model, "objective": objective}));
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}
