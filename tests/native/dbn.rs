//! Deep belief networks: draws against the exact distribution of small stacks,
//! and fits against those of their machines one by one.

use crate::common::job_of;
use serde_json::json;
use unnorm::Progress;
use unnorm::bits::{BitBatch, BitMatrix};
use unnorm::data::from_values;
use unnorm::energy::{Energy, HiddenUnits};
use unnorm::fit::FitResult;
use unnorm::linalg::{Batch, dot};
use unnorm::math::{exp, log_sum_exp, sigmoid};
use unnorm::models::ModelSpec;
use unnorm::models::dbn::{Dbn, DbnSpec};
use unnorm::models::rbm::{Rbm, RbmSpec};
use unnorm::rng::{MAX_SEED, Purpose, stream};
use unnorm::sample::SampleResult;

fn sampled(json: &serde_json::Value) -> SampleResult {
    crate::common::sampled(job_of(json, None).expect("a sound job"))
}

fn states(dim: usize) -> Vec<Vec<f64>> {
    let words: Vec<u64> = (0..1 << dim).collect();
    BitBatch::new(dim, &words).to_values().chunks_exact(dim).map(<[f64]>::to_vec).collect()
}

/// p(h) of a machine's visible side.
fn marginal(machine: &Rbm) -> Vec<f64> {
    let states = states(machine.dim()).concat();
    let mut energies = vec![0.0; 1 << machine.dim()];
    machine.energy(Batch::new(machine.dim(), &states), &mut energies);
    let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// p(v) = Σ_h p(v | h) p(h), from p over a machine's hidden side.
fn one_down(machine: &Rbm, above: &[f64]) -> Vec<f64> {
    let (dim, hidden) = (machine.dim(), states(above.len().trailing_zeros() as usize));
    let mut below = vec![0.0; 1 << dim];
    for (h, p) in hidden.iter().zip(above) {
        let on: Vec<f64> = (0..dim)
            .map(|site| {
                let column: Vec<f64> =
                    machine.weights().iter().skip(site).step_by(dim).copied().collect();
                sigmoid(machine.visible_bias()[site] + dot(&column, h))
            })
            .collect();
        for (v, below) in states(dim).iter().zip(&mut below) {
            let factors = v.iter().zip(&on).map(|(v, on)| if *v == 1.0 { *on } else { 1.0 - on });
            *below += p * factors.product::<f64>();
        }
    }
    below
}

fn distribution(model: &Dbn) -> Vec<f64> {
    let (top, below) = model.layers().split_last().expect("a machine");
    below.iter().rev().fold(marginal(top), |above, machine| one_down(machine, &above))
}

fn sample_spec(dbn: &DbnSpec, num_chains: usize) -> serde_json::Value {
    json!({
        "verb": "sample", "model": ModelSpec::Dbn(dbn.clone()), "transition": {"kind": "blockGibbs"},
        "numChains": num_chains, "numWarmup": 40, "numDraws": 1, "seed": 6,
    })
}

/// χ² of the draws of 40,000 independent chains against the exact
/// distribution. The false-alarm rate of a bound of df + 5.2 √(2 df) + 20 is
/// below 10⁻⁷ for each of the 7, 15 and 15 degrees of freedom here.
#[test]
fn draws_come_from_the_stack() {
    for sizes in [&[3, 4][..], &[4, 5, 3], &[4, 3, 6, 2]] {
        let dbn = DbnSpec::random(sizes, 1.1, 5);
        let expected = distribution(&dbn.build().unwrap());
        let total: f64 = expected.iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
        let num_chains = 40_000;
        let draws = sampled(&sample_spec(&dbn, num_chains)).draws.bits;
        let chi_square = |expected: &[f64]| -> f64 {
            expected
                .iter()
                .enumerate()
                .map(|(state, p)| {
                    let mean = p * num_chains as f64;
                    assert!(mean > 5.0, "too rare for χ²: {mean}");
                    let count = draws.iter().filter(|&&draw| usize::from(draw) == state).count();
                    (count as f64 - mean) * (count as f64 - mean) / mean
                })
                .sum()
        };
        let freedom = (expected.len() - 1) as f64;
        let limit = freedom + 5.2 * (2.0 * freedom).sqrt() + 20.0;
        assert!(chi_square(&expected) < limit, "{sizes:?}: {}", chi_square(&expected));
        // The yardstick tells the stack from its bottom machine alone.
        if sizes.len() > 2 {
            let bottom = marginal(&dbn.build().unwrap().layers()[0]);
            assert!(chi_square(&bottom) > 3.0 * limit, "{}", chi_square(&bottom));
        }
    }
}

/// With one machine a stack is that machine, to the last bit.
#[test]
fn a_stack_of_one_is_a_machine() {
    let dbn = DbnSpec::random(&[9, 5], 0.7, 2);
    let machine = dbn.build().unwrap().layers()[0].to_spec();
    let mut alone = sample_spec(&dbn, 12);
    alone["model"] = json!(ModelSpec::Rbm(machine));
    assert_eq!(sampled(&alone).digest, sampled(&sample_spec(&dbn, 12)).digest);
}

/// Chains start from what the stack makes of the rows: with couplings this
/// strong each layer repeats the one below, so nothing is left to chance.
#[test]
fn chains_start_from_the_rows_of_the_data_sent_up() {
    let copies = |size: usize| {
        let weights = (0..size * size).map(|at| if at % (size + 1) == 0 { 400.0 } else { 0.0 });
        json!({
            "weights": weights.collect::<Vec<_>>(),
            "visibleBias": vec![-200.0; size], "hiddenBias": vec![-200.0; size],
        })
    };
    let mut spec = sample_spec(&DbnSpec { sizes: vec![3, 3, 3], layers: None }, 4);
    spec["model"]["layers"] = json!([copies(3), copies(3)]);
    spec["start"] = json!({"kind": "data", "data": {"kind": "rows", "rows": [[0, 1, 1], [1, 0, 0], [1, 1, 1]]}});
    assert_eq!(sampled(&spec).draws.bits, [0b110, 0b001, 0b111, 0b110]);
}

/// 300 rows of 10 bits, the second half a noisy copy of the first.
fn rows() -> BitMatrix {
    let mut rng = stream(3, Purpose::Example, 0);
    let mut uniform = || unnorm::rng::uniform(&mut rng);
    let values: Vec<f64> = (0..300)
        .flat_map(|_| {
            let first: Vec<bool> = (0..5).map(|_| uniform() < 0.4).collect();
            let second: Vec<bool> = first.iter().map(|bit| bit ^ (uniform() < 0.1)).collect();
            [first, second].concat()
        })
        .map(|bit| f64::from(u8::from(bit)))
        .collect();
    from_values(10, &values).unwrap()
}

fn fitted(mut spec: serde_json::Value, model: &ModelSpec, seed: u64, data: BitMatrix) -> FitResult {
    spec["verb"] = "fit".into();
    spec["model"] = json!(model);
    spec["seed"] = seed.into();
    crate::common::fitted(crate::common::job_with(&spec, data).expect("a sound job"))
}

/// Steps of a size beyond all numbers: machines that run away do not take the job with them.
#[test]
fn a_stack_that_runs_away_ends() {
    let stack = DbnSpec { sizes: vec![10, 4, 3], layers: None };
    let spec = json!({
        "objective": {"kind": "contrastiveDivergence", "numSteps": 1},
        "init": {"kind": "normal", "scale": 0.1},
        "optimizer": {"kind": "sgd", "learningRate": {"start": 1e308, "end": 1e308}, "momentum": 0.9, "numEpochs": 4},
    });
    let result = fitted(spec, &ModelSpec::Dbn(stack), 5, rows());
    assert!(!result.converged);
    let ModelSpec::Dbn(stack) = &result.model else { panic!("a stack") };
    assert!(stack.build().is_err(), "it is fitted well");
}

/// Each machine of a fitted stack is what a fit of that machine alone gives, to
/// the last bit: the bottom one on the data, the next on its hidden units.
#[test]
fn a_stack_is_fitted_machine_by_machine() {
    use rand::Rng;
    for spec in [
        json!({"init": {"kind": "normal", "scale": 0.1}, "optimizer": {"kind": "lbfgs", "maxIterations": 8}}),
        json!({"objective": {"kind": "contrastiveDivergence", "numSteps": 2},
               "regularizer": {"kind": "l2", "strength": 0.01},
               "init": {"kind": "normal", "scale": 0.1}, "optimizer": {"kind": "sgd", "numEpochs": 2}}),
    ] {
        let sizes = [10, 7, 66, 4];
        let stack = DbnSpec { sizes: sizes.to_vec(), layers: None };
        let result = fitted(spec.clone(), &ModelSpec::Dbn(stack), 5, rows());
        let ModelSpec::Dbn(model) = &result.model else { panic!("a stack") };
        let model = model.build().unwrap();
        let reports = result.layers.as_ref().expect("a report a machine");
        let mut data = rows();
        for layer in 0..3 {
            let seed = match layer {
                0 => 5,
                _ => stream(5, Purpose::LayerSeed, layer as u64).next_u64() & MAX_SEED,
            };
            let alone = RbmSpec {
                num_visible: sizes[layer],
                num_hidden: sizes[layer + 1],
                weights: None,
                visible_bias: None,
                hidden_bias: None,
            };
            let alone = fitted(spec.clone(), &ModelSpec::Rbm(alone), seed, data.clone());
            let machine = &model.layers()[layer];
            assert_eq!(ModelSpec::Rbm(machine.to_spec()), alone.model, "layer {layer}");
            assert_eq!(reports[layer].objective, alone.objective);
            assert_eq!(reports[layer].num_evaluations, alone.num_evaluations);
            let mut hidden = BitMatrix::zeros(sizes[layer + 1], data.num_rows());
            for (index, row) in hidden.rows_mut().enumerate() {
                let index_of = (layer as u64) << 32 | index as u64;
                let mut rng = stream(5, Purpose::LayerData, index_of);
                machine.sample_hidden(data.row(index), &mut rng, row);
            }
            data = hidden;
        }
        let sum = reports.iter().map(|report| report.num_evaluations).sum::<usize>();
        assert_eq!((result.num_evaluations, result.objective), (sum, reports[2].objective));
    }
}

#[test]
fn progress_says_the_layer_and_never_falls() {
    let spec = json!({
        "verb": "fit", "model": {"kind": "dbn", "sizes": [4, 3, 2]}, "seed": 1,
        "data": {"kind": "rows", "rows": [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]},
        "init": {"kind": "normal", "scale": 0.1}, "optimizer": {"kind": "adam", "numEpochs": 3},
    });
    let mut job = job_of(&spec, None).expect("a sound job");
    let (mut layers, mut last) = (Vec::new(), 0.0);
    loop {
        let Progress::Fit(progress) = job.progress() else { panic!("not a fit") };
        assert!((last..=1.0).contains(&progress.fraction), "{} after {last}", progress.fraction);
        assert_eq!((progress.fraction == 1.0, job.is_done()), (progress.done, progress.done));
        layers.push(progress.layer.expect("a layer"));
        if progress.done {
            break;
        }
        last = progress.fraction;
        job.advance(1);
    }
    // Three updates, the check, a round of draws, three updates, the check.
    assert_eq!(layers, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
}

/// What only a machine higher up cannot do is found before work starts.
#[test]
fn every_machine_is_checked_before_work_starts() {
    let field = |sizes: &[usize], change: &dyn Fn(&mut serde_json::Value)| {
        let mut spec = json!({
            "verb": "fit", "model": {"kind": "dbn", "sizes": sizes}, "seed": 1,
            "data": {"kind": "rows", "rows": [[0, 1, 1], [1, 0, 1]]},
        });
        change(&mut spec);
        job_of(&spec, None).err().expect("refused").field().expect("a field").to_owned()
    };
    let objective = |objective: serde_json::Value| {
        move |spec: &mut serde_json::Value| spec["objective"] = objective.clone()
    };
    assert_eq!(field(&[4, 2, 2], &|_| ()), "model.sizes[0]");
    let likelihood = objective(json!({"kind": "maximumLikelihood"}));
    assert_eq!(field(&[3, 30, 2], &likelihood), "model.sizes[1]");
    let sets = objective(
        json!({"kind": "mpf", "connectivity": {"kind": "flipSets", "sets": [[0], [1], [0, 1, 2]]}}),
    );
    assert!(field(&[3, 2, 2], &sets).starts_with("objective.connectivity.sets"));
    assert_eq!(field(&[3, 2, 2], &objective(json!({"kind": "meanField"}))), "objective.kind");
    let memory = |spec: &mut serde_json::Value| {
        spec["optimizer"] = json!({"kind": "lbfgs", "memory": 100});
    };
    assert_eq!(field(&[3, 420, 420], &memory), "optimizer.memory");
}

#[test]
fn what_needs_an_energy_is_refused() {
    let model = json!(ModelSpec::Dbn(DbnSpec { sizes: vec![3, 2, 2], layers: None }));
    let refused = |json: serde_json::Value, words: &str| {
        let error = job_of(&json, None).err().expect("refused");
        assert_eq!(error.code(), "missing-capability");
        assert!(error.to_string().contains(words), "{error}");
    };
    let mut gibbs = sample_spec(&DbnSpec { sizes: vec![3, 2], layers: None }, 1);
    gibbs["transition"] = json!({"kind": "gibbs"});
    refused(gibbs, "SiteFlips");
    refused(json!({"verb": "exact", "model": model}), "Energy");
}
