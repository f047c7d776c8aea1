//! What every objective must obey, on the examples of every registered model:
//! its gradient is its derivative, and it is stationary at the truth when the
//! data are the truth's own distribution.

use unnorm::bits::{BitBatch, BitMatrix, WeightedRows};
use unnorm::energy::FlipLoss;
use unnorm::energy::Objective;
use unnorm::energy::connectivity::ConnectivitySpec;
use unnorm::energy::proposal::ProposalSpec;
use unnorm::exact;
use unnorm::fit::{maximum_likelihood, mpf, pseudolikelihood};
use unnorm::linalg::Batch;
use unnorm::models::definition::Definition;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

/// The models that can be fitted to binary data.
fn models() -> Vec<Box<dyn Model>> {
    let all = ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap());
    let models: Vec<_> = all
        .filter(|model| model.as_site_flips().is_some() && model.as_parametric().is_some())
        .collect();
    assert!(models.len() > 8);
    models
}

fn random_data(dim: usize) -> WeightedRows {
    let mut rng = stream(21, Purpose::Example, dim as u64);
    let mut rows = BitMatrix::zeros(dim, 40);
    rows.rows_mut().for_each(|row| unnorm::bits::fill_random(row, dim, &mut rng));
    // Some rows twice.
    let mut words: Vec<u64> = rows.as_batch().rows().flatten().copied().collect();
    words.extend_from_within(..words.len() / 4);
    WeightedRows::from_data(BitBatch::new(dim, &words))
}

/// Every state, weighted by its probability under the model.
fn own_distribution(model: &dyn Model) -> WeightedRows {
    let dim = model.dim();
    let mut rows = BitMatrix::zeros(dim, 1 << dim);
    rows.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    let mut energies = vec![0.0; 1 << dim];
    model.energy(Batch::new(dim, &rows.as_batch().to_values()), &mut energies);
    let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    let weights = energies.iter().map(|energy| unnorm::math::exp(-energy - log_z)).collect();
    WeightedRows::weighted(rows, weights)
}

type Named = (String, Box<dyn Objective>);

/// Objectives whose minimum is consistent.
fn consistent(model: &dyn Model, data: &WeightedRows) -> Vec<Named> {
    let dim = model.dim();
    let mut sets: Vec<Vec<usize>> = vec![(0..dim).collect()];
    if dim > 2 {
        sets.push(vec![0, 2]);
        sets.push(vec![1]);
    }
    let connectivities = [
        ConnectivitySpec::SingleFlips {},
        ConnectivitySpec::SingleAndAllFlips {},
        ConnectivitySpec::FlipSets { sets },
    ];
    let mut all: Vec<Named> = connectivities
        .into_iter()
        .map(|spec| {
            (format!("mpf {spec:?}"), mpf::objective(model, data, &spec, false, 0).unwrap())
        })
        .collect();
    all.push(("pseudolikelihood".into(), pseudolikelihood::objective(model, data).unwrap()));
    all.push(("maximum likelihood".into(), maximum_likelihood::objective(model, data).unwrap()));
    all
}

/// Objectives that are not stationary at the truth exactly: neighbours drawn
/// or dropped.
fn inexact(model: &dyn Model, data: &WeightedRows) -> Vec<Named> {
    let sampled = |proposal| ConnectivitySpec::Sampled { proposal, num_samples: 3 };
    [
        (sampled(ProposalSpec::Flips { probability: 0.3 }), false),
        (sampled(ProposalSpec::Independent {}), false),
        (ConnectivitySpec::SingleFlips {}, true),
    ]
    .into_iter()
    .map(|(spec, exclude)| {
        (format!("mpf {spec:?} {exclude}"), mpf::objective(model, data, &spec, exclude, 4).unwrap())
    })
    .collect()
}

#[test]
fn gradients_are_derivatives() {
    for model in models() {
        let data = random_data(model.dim());
        let mut params = model.as_parametric().unwrap().params().to_vec();
        let mut rng = stream(22, Purpose::Example, 0);
        params.iter_mut().for_each(|param| *param += 0.3 * normal(&mut rng));
        let mut unused = vec![0.0; params.len()];
        for (name, mut objective) in
            consistent(&*model, &data).into_iter().chain(inexact(&*model, &data))
        {
            let mut grad = vec![0.0; params.len()];
            let value = objective.evaluate(&params, &mut grad);
            for index in 0..params.len() {
                let step = 1e-5;
                let mut at = |offset: f64| {
                    let mut moved = params.clone();
                    moved[index] += offset;
                    objective.evaluate(&moved, &mut unused)
                };
                // Five points: the error is of fourth order.
                let numeric = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step)))
                    / (12.0 * step);
                assert!(
                    (numeric - grad[index]).abs() < 1e-8 * (1.0 + value.abs() + grad[index].abs()),
                    "{} {name}, parameter {index}: {} but numerically {numeric}",
                    model.kind(),
                    grad[index]
                );
            }
        }
    }
}

#[test]
fn stationary_at_the_truth() {
    for model in models() {
        let data = own_distribution(&*model);
        let params = model.as_parametric().unwrap().params();
        for (name, mut objective) in consistent(&*model, &data) {
            let mut grad = vec![0.0; params.len()];
            let value = objective.evaluate(params, &mut grad);
            let largest = grad.iter().fold(0.0_f64, |max, grad| max.max(grad.abs()));
            assert!(largest < 1e-12 * (1.0 + value), "{} {name}: {largest}", model.kind());
            // And not because the objective is flat.
            let moved: Vec<f64> = params.iter().map(|param| param + 0.1).collect();
            let elsewhere = objective.evaluate(&moved, &mut grad);
            assert!(elsewhere > value, "{} {name}", model.kind());
        }
    }
}

/// At the truth, under its own distribution, the loss of maximum likelihood is
/// the entropy.
#[test]
fn the_least_loss_is_the_entropy() {
    for model in models() {
        let data = own_distribution(&*model);
        let params = model.as_parametric().unwrap().params();
        let mut grad = vec![0.0; params.len()];
        let value =
            maximum_likelihood::objective(&*model, &data).unwrap().evaluate(params, &mut grad);
        let entropy = exact::enumerate(model.as_site_flips().unwrap()).unwrap().entropy;
        assert!((value - entropy).abs() < 1e-12 * (1.0 + entropy), "{value} {entropy}");
    }
}

/// The fast forms against the definition, on data with repeated rows and at
/// parameters from small to far too large.
#[test]
fn fast_forms_equal_their_definition() {
    let mut models = models();
    for dim in [70, 130] {
        let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.1, 5);
        models.push(Box::new(spec.build().unwrap()));
    }
    for mut model in models {
        let dim = model.dim();
        let data = random_data(dim);
        let given = model.as_parametric().unwrap().params().to_vec();
        for scale in [0.1, 1.0, 30.0, 400.0] {
            let params: Vec<f64> = given.iter().map(|param| scale * param).collect();
            model.as_parametric_mut().unwrap().set_params(&params);
            for loss in [FlipLoss::Flow, FlipLoss::Pseudolikelihood] {
                let Some(fast) = model.as_flip_flow() else { continue };
                let single = fast.flip_flow(&data, loss);
                compare(&*model, &data, single, &ConnectivitySpec::SingleFlips {}, loss);
            }
            let fast = model.as_flip_flow();
            if let Some(all) = fast.and_then(|fast| fast.all_flipped_flow(&data)) {
                let sets = vec![(0..dim).collect()];
                compare(&*model, &data, all, &ConnectivitySpec::FlipSets { sets }, FlipLoss::Flow);
            }
        }
    }
}

fn compare(
    model: &dyn Model,
    data: &WeightedRows,
    mut fast: Box<dyn Objective>,
    connectivity: &ConnectivitySpec,
    loss: FlipLoss,
) {
    let params = model.as_parametric().unwrap().params();
    let connectivity = connectivity.build(data, false, 0).unwrap();
    let mut slow = Definition::new(model, data.clone(), connectivity, loss);
    let mut grads = [vec![0.0; params.len()], vec![0.0; params.len()]];
    let value = fast.evaluate(params, &mut grads[0]);
    let expected = slow.evaluate(params, &mut grads[1]);
    if expected.is_infinite() {
        assert_eq!(value, expected);
        return;
    }
    // Energies of large parameters are large, and their differences lose digits.
    let size = params.iter().fold(1.0_f64, |max, param| max.max(param.abs()));
    let tolerance = 1e-12 * size * params.len() as f64;
    let off = |value: f64, expected: f64| {
        (value - expected).abs() > tolerance * (1e-300 + expected.abs())
    };
    assert!(!off(value, expected), "{} {loss:?} {size}: {value} {expected}", model.kind());
    let largest = grads[1].iter().fold(expected, |max, grad| max.max(grad.abs()));
    for (value, expected) in grads[0].iter().zip(&grads[1]) {
        assert!(
            (value - expected).abs() <= tolerance * largest,
            "{loss:?} {size}: {value} {expected}"
        );
    }
}
