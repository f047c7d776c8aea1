//! Persistent minimum probability flow against its definition and against the
//! maximum of the likelihood.

use crate::common::{energies, every_state, fitted, job_with, with};
use serde_json::{Value, json};
use unnorm::Job;
use unnorm::Progress;
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::data::from_values;
use unnorm::exact;
use unnorm::fit::persistent_mpf::{Side, accumulate, combine};
use unnorm::fit::{contrastive_divergence, maximum_likelihood};
use unnorm::linalg::Batch;
use unnorm::math::exp;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream, uniform};

/// Models of at most 10 sites.
fn models() -> Vec<Box<dyn Model>> {
    let all = ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap());
    let models: Vec<_> = all
        .filter(|model| {
            model.dim() <= 10 && model.as_site_flips().is_some() && model.as_parametric().is_some()
        })
        .collect();
    assert!(models.len() > 5);
    models
}

/// The model with parameters a little away from its own.
fn moved(model: &dyn Model, scale: f64) -> Box<dyn Model> {
    let mut rng = stream(71, Purpose::Example, 0);
    let mut params = model.as_parametric().unwrap().params().to_vec();
    params.iter_mut().for_each(|param| *param += scale * normal(&mut rng));
    let mut moved = model.boxed_clone();
    moved.as_parametric_mut().unwrap().set_params(&params);
    moved
}

fn random_rows(dim: usize, num_rows: usize, index: u64) -> BitMatrix {
    crate::common::random_rows(dim, num_rows, &mut stream(72, Purpose::Example, index))
}

/// Kⁿ and its gradient at a model, from these rows and these weighted samples.
fn flow(
    model: &dyn Model,
    before: &dyn Model,
    data: &WeightedRows,
    samples: &WeightedRows,
) -> (f64, Vec<f64>) {
    let num_params = model.as_parametric().unwrap().params().len();
    let [mut left, mut right] = [(); 2].map(|()| vec![0.0; 1 + num_params]);
    let [rows, states] = [data, samples].map(|rows| rows.rows().to_values());
    let [rows, states] = [&rows, &states].map(|values| Batch::new(model.dim(), values));
    let [of_rows, of_states] = [rows, states].map(|batch| {
        let mut energies = vec![f64::NAN; batch.len()];
        before.energy(batch, &mut energies);
        energies
    });
    accumulate(model, &of_rows, rows, data.weights(), Side::Data, &mut left);
    accumulate(model, &of_states, states, samples.weights(), Side::Samples, &mut right);
    let mut grad = vec![f64::NAN; num_params];
    let value = combine(&left, &right, (data.total(), samples.total()), &mut grad);
    (value, grad)
}

/// With g the model's whole distribution for samples, Kⁿ is the double sum of
/// eq. 2.22, normalizer of g and all.
#[test]
fn flow_is_as_defined() {
    for before in models() {
        let dim = before.dim();
        let now = moved(&*before, 0.3);
        let states = every_state(dim);
        let (new, old) = (energies(&*now, &states), energies(&*before, &states));
        let log_z = exact::enumerate(before.as_site_flips().unwrap()).unwrap().log_z;
        let g: Vec<f64> = old.iter().map(|energy| exp(-energy - log_z)).collect();
        let data = WeightedRows::from_data(random_rows(dim, 30, 0).as_batch());
        let mut sum = 0.0;
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            let j = row[0] as usize;
            for i in 0..1 << dim {
                sum += weight * g[i] * (g[j] / g[i]).sqrt() * exp(0.5 * (new[j] - new[i]));
            }
        }
        let expected = sum / data.total();
        let (value, _) = flow(&*now, &*before, &data, &WeightedRows::weighted(states, g));
        assert!((value - expected).abs() < 1e-12 * expected, "{} {value} {expected}", now.kind());
        assert!((value - 1.0).abs() > 1e-6, "nothing moved");
    }
}

#[test]
fn gradients_are_derivatives() {
    for before in models() {
        let mut now = moved(&*before, 0.3);
        let data = WeightedRows::from_data(random_rows(before.dim(), 30, 1).as_batch());
        let samples = WeightedRows::from_data(random_rows(before.dim(), 20, 2).as_batch());
        let (value, grad) = flow(&*now, &*before, &data, &samples);
        let params = now.as_parametric().unwrap().params().to_vec();
        for index in 0..params.len() {
            let step = 1e-4;
            let mut at = |offset: f64| {
                let mut moved = params.clone();
                moved[index] += offset;
                now.as_parametric_mut().unwrap().set_params(&moved);
                flow(&*now, &*before, &data, &samples).0
            };
            // Five points: the error is of fourth order.
            let numeric =
                (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
            let scale = 1.0 + value + grad[index].abs();
            assert!((numeric - grad[index]).abs() < 1e-9 * scale, "{numeric} {}", grad[index]);
        }
    }
}

/// Where the samples were drawn, K is 1 and its gradient half the update of
/// contrastive divergence.
#[test]
fn the_search_begins_as_contrastive_divergence_does() {
    for model in models() {
        let [data, samples] = [3, 4].map(|index| random_rows(model.dim(), 25, index));
        let counted = |rows: &BitMatrix| WeightedRows::from_data(rows.as_batch());
        let (value, grad) = flow(&*model, &*model, &counted(&data), &counted(&samples));
        assert!((value - 1.0).abs() < 1e-14);
        let mut update = vec![0.0; 1 + grad.len()];
        contrastive_divergence::accumulate(&*model, data.as_batch(), 1.0 / 25.0, &mut update);
        contrastive_divergence::accumulate(&*model, samples.as_batch(), -1.0 / 25.0, &mut update);
        for (half, whole) in grad.iter().zip(&update[1..]) {
            assert!((half - 0.5 * whole).abs() < 1e-14, "{half} {whole}");
        }
    }
}

const DIM: usize = 5;
const NUM_ROWS: usize = 500;

fn data() -> BitMatrix {
    let mut rng = stream(73, Purpose::Example, 0);
    let mut values = Vec::new();
    for _ in 0..NUM_ROWS {
        let mut is_set = uniform(&mut rng) < 0.4;
        for _ in 0..DIM {
            is_set ^= uniform(&mut rng) < 0.35;
            values.push(f64::from(u8::from(is_set)));
        }
    }
    from_values(DIM, &values).unwrap()
}

fn job(fields: Value) -> unnorm::Result<Job> {
    let spec = json!({"verb": "fit", "model": {"kind": "ising", "dim": DIM}, "seed": 1});
    job_with(&with(spec, &fields), data())
}

fn loss(model: &dyn Model) -> f64 {
    let params = model.as_parametric().unwrap().params().to_vec();
    let mut grad = vec![0.0; params.len()];
    let data = WeightedRows::from_data(data().as_batch());
    maximum_likelihood::objective(model, &data).unwrap().evaluate(&params, &mut grad)
}

fn chains(num_chains: usize, num_steps: usize, num_refreshes: usize) -> Value {
    json!({"kind": "persistentMpf", "numChains": num_chains, "numSteps": num_steps, "numRefreshes": num_refreshes})
}

/// How far the loss is above the least, in nats a row.
///
/// At a minimum of the loss with p parameters, an estimate with the noise of S
/// independent samples is above it by χ²/2S, χ² with p degrees of freedom.
/// Chains that take several steps a refresh are worth a fair part of S samples;
/// a quarter is allowed for, and χ² above 15 + 6 √30 + 36 has a chance of less
/// than 1e-9 at p = 15, the Ising model's, and at p = 17, the machine's, than 1e-8.
fn allowed(num_chains: usize) -> f64 {
    4.0 * 84.0 / (2.0 * num_chains as f64)
}

#[test]
fn it_finds_the_maximum_of_the_likelihood() {
    let machine = json!({"kind": "rbm", "numVisible": DIM, "numHidden": 2});
    for (model, init) in [(json!({"kind": "ising", "dim": DIM}), 0.0), (machine, 0.5)] {
        let init = json!({"kind": "normal", "scale": init});
        let best = fitted(
            job(json!({"model": model, "init": init, "objective": {"kind": "maximumLikelihood"}}))
                .unwrap(),
        );
        let start = json!({"model": model, "init": init, "objective": chains(1, 1, 1),
            "optimizer": {"kind": "lbfgs", "maxIterations": 1}});
        let start = loss(&*fitted(job(start).unwrap()).model.build().unwrap());
        for num_chains in [500, 8_000] {
            let objective = chains(num_chains, 3, 40);
            let result =
                fitted(job(json!({"model": model, "init": init, "objective": objective})).unwrap());
            let gap = loss(&*result.model.build().unwrap()) - best.objective;
            assert!(gap > -1e-7 && gap < allowed(num_chains), "{num_chains}: {gap}");
            assert!(result.objective < 1.0 + 1e-12 && result.objective > 0.9);
            assert_eq!(result.num_iterations, 40);
            assert!(result.num_evaluations > 80 && !result.converged);
            assert_eq!(result.stop_reason, "all 40 refreshes are done");
        }
        assert!(start - best.objective > 4.0 * allowed(8_000), "{start}: nothing to learn");
    }
}

/// Between two refreshes the parameters only move where K is lower, and the
/// part done never falls.
#[test]
fn progress_goes_forward() {
    let mut job =
        job(json!({"objective": chains(200, 1, 6), "init": {"kind": "normal", "scale": 0.5}}))
            .unwrap();
    let (mut fraction, mut last) = (0.0, 0);
    while !job.is_done() {
        job.advance(1);
        let Progress::Fit(progress) = job.progress() else { panic!("not a fit") };
        assert!(progress.fraction >= fraction && progress.iteration >= last);
        if progress.iteration > last {
            assert!(progress.objective <= 1.0, "{}", progress.objective);
        }
        (fraction, last) = (progress.fraction, progress.iteration);
    }
    assert_eq!((fraction, last), (1.0, 6));
}

/// A penalty so strong that it decides alone.
#[test]
fn a_penalty_counts() {
    let with = |strength: f64| {
        let result = fitted(
            job(json!({"objective": chains(500, 2, 10),
                "regularizer": {"kind": "l2", "strength": strength, "includeBiases": true}}))
            .unwrap(),
        );
        let model = result.model.build().unwrap();
        model.as_parametric().unwrap().params().iter().map(|param| param * param).sum::<f64>()
    };
    assert!(with(1000.0) < 1e-6 && with(0.0) > 0.1);
}

#[test]
fn a_model_without_finite_energies_ends_at_once() {
    let model = json!({"kind": "ising", "dim": DIM,
        "couplings": (0..DIM * DIM).map(|_| 1e308).collect::<Vec<_>>()});
    let result = fitted(job(json!({"model": model, "objective": chains(50, 1, 4)})).unwrap());
    assert!(
        result.stop_reason.contains("after 0 refreshes; use more chains"),
        "{}",
        result.stop_reason
    );
}

#[test]
fn bad_specs_are_refused_by_field() {
    for (fields, field, words) in [
        (json!({"objective": chains(0, 1, 1)}), "objective.numChains", "from 1 to"),
        (json!({"objective": chains(1, 0, 1)}), "objective.numSteps", "from 1 to 1000"),
        (json!({"objective": chains(1, 1, 0)}), "objective.numRefreshes", "from 1 to 1000000"),
        (
            json!({"objective": chains(1, 1, 1), "optimizer": {"kind": "sgd"}}),
            "optimizer",
            "persistentContrastiveDivergence",
        ),
        (
            json!({"objective": chains(1, 1, 1), "model": {"kind": "ising", "dim": 4}}),
            "model.dim",
            "5",
        ),
    ] {
        let error = job(fields).err().expect("refused");
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
