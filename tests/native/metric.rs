//! Metrics on the parameters against their definitions, and what makes their
//! coordinates the natural ones.

use crate::common::metrics::{forms, kept, matrix};
use nalgebra::{DMatrix, DVector};
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::energy::coordinates::Coordinates;
use unnorm::energy::{Energy, Parametric};
use unnorm::exact;
use unnorm::fit::maximum_likelihood;
use unnorm::fit::metric::{
    Damping, Form, Kind, Metric, States, Whitened, mean_gradient, over_draws, second_moments,
};
use unnorm::linalg::Batch;
use unnorm::math::exp;
use unnorm::models::ising::{Ising, IsingSpec, Pattern};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

const KINDS: [Kind; 4] =
    [Kind::Fisher, Kind::EmpiricalFisher, Kind::EnergyApproximation, Kind::EnergyCovariance];

/// Small examples of every kind of model that can have a metric.
fn models() -> Vec<Box<dyn Model>> {
    let all = ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap());
    let models: Vec<_> = all
        .filter(|model| model.as_parametric().is_some() && model.as_site_flips().is_some())
        .filter(|model| model.dim() <= 6)
        .collect();
    assert!(models.len() > 8);
    models
}

fn data(dim: usize) -> WeightedRows {
    let mut rng = stream(41, Purpose::Example, dim as u64);
    let mut rows = BitMatrix::zeros(dim, 30);
    rows.rows_mut().for_each(|row| unnorm::bits::fill_random(row, dim, &mut rng));
    WeightedRows::from_data(rows.as_batch())
}

/// One group of all parameters.
fn all(model: &dyn Parametric) -> Vec<Vec<usize>> {
    vec![(0..model.params().len()).collect()]
}

fn metric(model: &dyn Model, data: &WeightedRows, kind: Kind, form: Form) -> DMatrix<f64> {
    matrix(&Metric::new(model, &States::from(data), kind, form, 0).unwrap())
}

/// T, column by column; both of its uses have to agree.
fn root(coordinates: &Whitened) -> DMatrix<f64> {
    let count = coordinates.num_coordinates();
    let mut root = DMatrix::zeros(count, count);
    for index in 0..count {
        let mut unit = vec![0.0; count];
        unit[index] = 1.0;
        let (mut forward, mut back) = (vec![0.0; count], vec![0.0; count]);
        coordinates.add_to_params(&unit, &mut forward);
        coordinates.pull_back(&unit, &mut back);
        for row in 0..count {
            assert!((forward[row] - back[row]).abs() < 1e-12 * (1.0 + back[row].abs()));
            root[(row, index)] = forward[row];
        }
    }
    root
}

#[track_caller]
fn assert_close(left: &DMatrix<f64>, right: &DMatrix<f64>, tolerance: f64) {
    let (difference, scale) = ((left - right).amax(), 1.0 + right.amax());
    assert!(difference < tolerance * scale, "{difference} of {scale}\n{left}{right}");
}

/// ∂E of one state by differences of the energy.
fn numeric_gradient(model: &dyn Model, state: &[f64]) -> Vec<f64> {
    let params = model.as_parametric().unwrap().params().to_vec();
    let mut moved = model.boxed_clone();
    let mut energy_at = |index: usize, offset: f64| {
        let mut there = params.clone();
        there[index] += offset;
        moved.as_parametric_mut().unwrap().set_params(&there);
        let mut energy = [0.0];
        moved.energy(Batch::new(state.len(), state), &mut energy);
        energy[0]
    };
    (0..params.len())
        .map(|index| (energy_at(index, 1e-5) - energy_at(index, -1e-5)) / 2e-5)
        .collect()
}

/// Sums over states with energies and gradients computed apart.
#[test]
fn metrics_by_their_definitions() {
    for model in models() {
        let (dim, data) = (model.dim(), data(model.dim()));
        let count = model.as_parametric().unwrap().params().len();
        let gradient = |state: usize| {
            let values: Vec<f64> =
                (0..dim).map(|site| f64::from(state as u32 >> site & 1)).collect();
            DVector::from_vec(numeric_gradient(&*model, &values))
        };
        let gradients: Vec<_> = (0..1 << dim).map(gradient).collect();
        let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
        let probability = |state: usize| {
            let values: Vec<f64> =
                (0..dim).map(|site| f64::from(state as u32 >> site & 1)).collect();
            let mut energy = [0.0];
            model.energy(Batch::new(dim, &values), &mut energy);
            exp(-energy[0] - log_z)
        };
        let of_model: Vec<f64> = (0..1 << dim).map(probability).collect();
        let mut of_data = vec![0.0; 1 << dim];
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            of_data[row[0] as usize] += weight / data.total();
        }
        let mean_over = |weights: &[f64]| {
            let terms = weights.iter().zip(&gradients);
            terms.fold(DVector::zeros(count), |sum, (weight, gradient)| sum + *weight * gradient)
        };
        for kind in KINDS {
            let weights = if kind == Kind::Fisher { &of_model } else { &of_data };
            let about = match kind {
                Kind::Fisher | Kind::EmpiricalFisher => mean_over(&of_model),
                Kind::EnergyApproximation => 0.0 * mean_over(&of_model),
                Kind::EnergyCovariance => mean_over(&of_data),
            };
            let mut expected = DMatrix::zeros(count, count);
            for (weight, gradient) in weights.iter().zip(&gradients) {
                let deviation = gradient - &about;
                expected += *weight * &deviation * deviation.transpose();
            }
            for form in forms(&*model) {
                let expected = kept(&*model, form, &expected);
                assert_close(&metric(&*model, &data, kind, form), &expected, 1e-8);
            }
        }
    }
}

/// Where the data are the model's own distribution, the Fisher information is
/// the Hessian of the negative log likelihood, and both Fishers are the same.
#[test]
fn fisher_is_the_hessian_of_the_likelihood_at_the_truth() {
    for model in models() {
        let own = exact::distribution(model.as_site_flips().unwrap()).unwrap();
        let params = model.as_parametric().unwrap().params().to_vec();
        let count = params.len();
        let mut likelihood = maximum_likelihood::objective(&*model, &own).unwrap();
        let mut hessian = DMatrix::zeros(count, count);
        for index in 0..count {
            let mut gradient_at = |offset: f64| {
                let mut there = params.clone();
                there[index] += offset;
                let mut gradient = vec![0.0; count];
                likelihood.evaluate(&there, &mut gradient);
                DVector::from_vec(gradient)
            };
            let column = (gradient_at(1e-4) - gradient_at(-1e-4)) / 2e-4;
            hessian.set_column(index, &column);
        }
        let fisher = metric(&*model, &own, Kind::Fisher, Form::Full);
        assert_close(&fisher, &hessian, 1e-6);
        assert_close(&metric(&*model, &own, Kind::EmpiricalFisher, Form::Full), &fisher, 1e-12);
    }
}

/// For an exponential family it is the Hessian whatever the data.
#[test]
fn fisher_of_an_ising_model_is_the_hessian_everywhere() {
    let model = IsingSpec::random(5, Pattern::Dense {}, 0.6, 2).build().unwrap();
    let data = data(5);
    let params = model.params().to_vec();
    let mut likelihood = maximum_likelihood::objective(&model, &data).unwrap();
    let fisher = metric(&model, &data, Kind::Fisher, Form::Full);
    let mut gradient_at = |offset: f64| {
        let mut there = params.clone();
        there[7] += offset;
        let mut gradient = vec![0.0; params.len()];
        likelihood.evaluate(&there, &mut gradient);
        gradient
    };
    let (up, down) = (gradient_at(1e-4), gradient_at(-1e-4));
    for row in 0..params.len() {
        assert!(((up[row] - down[row]) / 2e-4 - fisher[(row, 7)]).abs() < 1e-6);
    }
}

/// Draws stand in for the model: their covariance, repeated draws counted.
#[test]
fn fisher_over_draws_is_the_covariance_of_the_gradients() {
    for model in models() {
        let parametric = model.as_parametric().unwrap();
        let draws = data(model.dim());
        let mut rows = Vec::new();
        for (row, weight) in draws.rows().rows().zip(draws.weights()) {
            let values: Vec<f64> =
                (0..model.dim()).map(|site| f64::from((row[0] >> site & 1) as u32)).collect();
            rows.extend(vec![numeric_gradient(&*model, &values); *weight as usize]);
        }
        let count = rows.len() as f64;
        let product = |i: usize, j: usize| {
            let mean = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / count;
            rows.iter().map(|row| row[i] * row[j]).sum::<f64>() / count - mean(i) * mean(j)
        };
        let size = parametric.params().len();
        let expected = DMatrix::from_fn(size, size, product);
        assert_close(
            &matrix(&over_draws(parametric, &States::from(&draws), &all(parametric))),
            &expected,
            1e-8,
        );
    }
}

/// Metrics of full rank: of dense Ising models with all their states likely.
fn regular() -> Vec<(Metric, DMatrix<f64>)> {
    let model = IsingSpec::random(4, Pattern::Dense {}, 0.5, 8).build().unwrap();
    let all = [Form::Full, Form::Blocks, Form::Diagonal].map(|form| {
        KINDS.map(|kind| Metric::new(&model, &States::from(&data(4)), kind, form, 0).unwrap())
    });
    all.into_iter().flatten().map(|metric| (metric.clone(), matrix(&metric))).collect()
}

#[test]
fn the_metric_is_the_identity_in_its_coordinates() {
    for (metric, entries) in regular() {
        for damping in
            [Damping::Ridge { strength: 1e-13 }, Damping::StochasticRobust { strength: 1e-15 }]
        {
            let root = root(&Whitened::new(&metric, damping));
            let identity = DMatrix::identity(entries.nrows(), entries.nrows());
            assert_close(&(root.transpose() * &entries * &root), &identity, 1e-9);
        }
    }
}

#[test]
fn damped_inverses_by_their_formulas() {
    for (metric, entries) in regular() {
        let identity = DMatrix::<f64>::identity(entries.nrows(), entries.nrows());
        let inverse_by = |damping| {
            let root = root(&Whitened::new(&metric, damping));
            &root * &root
        };
        for strength in [0.01, 0.3] {
            let ridge = (&entries + strength * &identity).try_inverse().unwrap();
            assert_close(&inverse_by(Damping::Ridge { strength }), &ridge, 1e-10);
            // Eq. 4.35.
            let robust =
                (entries.transpose() * &entries + strength * &identity).try_inverse().unwrap()
                    * entries.transpose();
            assert_close(&inverse_by(Damping::StochasticRobust { strength }), &robust, 1e-10);
        }
        // Without damping, the inverse; with much, G/ε, which points down the plain gradient
        // where G does.
        let inverse = entries.clone().try_inverse().unwrap();
        assert_close(&inverse_by(Damping::StochasticRobust { strength: 1e-14 }), &inverse, 1e-8);
        let strong = inverse_by(Damping::StochasticRobust { strength: 1e8 });
        assert_close(&(1e8 * strong), &entries, 1e-6);
    }
    // Directions the metric does not see: the ridge goes far in them, the other not at all.
    let blind = Metric::Diagonal(vec![0.0, 4.0, -1e-17]);
    let squares = |damping| root(&Whitened::new(&blind, damping)).map(|entry| entry * entry);
    let ridge = squares(Damping::Ridge { strength: 0.25 });
    let robust = squares(Damping::StochasticRobust { strength: 4.0 });
    assert_close(&ridge, &DMatrix::from_diagonal(&vec![4.0, 4.0 / 17.0, 4.0].into()), 1e-12);
    assert_close(&robust, &DMatrix::from_diagonal(&vec![0.0, 0.2, 0.0].into()), 1e-12);
}

/// An Ising model in other parameters ψ, θ = Aψ.
struct Reparametrized {
    inner: Ising,
    change: DMatrix<f64>,
    params: Vec<f64>,
}

impl Energy for Reparametrized {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.inner.energy(x, out);
    }
}

impl Parametric for Reparametrized {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params = params.to_vec();
        let inner = &self.change * DVector::from_column_slice(params);
        self.inner.set_params(inner.as_slice());
    }

    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let mut inner = vec![0.0; grad.len()];
        self.inner.accumulate_param_grad(x, weights, &mut inner);
        let pulled = self.change.transpose() * DVector::from_vec(inner);
        grad.iter_mut().zip(pulled.iter()).for_each(|(grad, more)| *grad += more);
    }
}

/// The path of the natural gradient of the likelihood, its metric taken afresh
/// at each step, is the same in other parameters; steepest descent's is not.
#[test]
fn the_natural_path_does_not_depend_on_the_parameters() {
    let data = data(4);
    let ising = IsingSpec::random(4, Pattern::Dense {}, 0.4, 6).build().unwrap();
    let count = ising.params().len();
    let mut rng = stream(12, Purpose::Example, 0);
    let change = DMatrix::from_fn(count, count, |i, j| {
        normal(&mut rng) * 0.3 + if i == j { 1.0 + i as f64 } else { 0.0 }
    });
    let start =
        change.clone().lu().solve(&DMatrix::from_column_slice(count, 1, ising.params())).unwrap();

    let step = |model: &mut dyn Parametric, flips: &Ising, natural: bool| {
        let own = exact::distribution(flips).unwrap();
        let mut gradient = mean_gradient(model, &States::from(&data));
        let of_model = mean_gradient(model, &States::from(&own));
        gradient.iter_mut().zip(&of_model).for_each(|(data, model)| *data -= model);
        let mut params = model.params().to_vec();
        let metric = if natural {
            second_moments(model, &States::from(&own), &of_model, &all(model))
        } else {
            Metric::Diagonal(vec![1.0; params.len()])
        };
        let coordinates = Whitened::new(&metric, Damping::Ridge { strength: 1e-14 });
        let mut down = vec![0.0; params.len()];
        coordinates.pull_back(&gradient, &mut down);
        down.iter_mut().for_each(|entry| *entry *= if natural { -0.3 } else { -0.02 });
        coordinates.add_to_params(&down, &mut params);
        model.set_params(&params);
    };
    let difference = |natural: bool| {
        let mut direct = ising.clone();
        let mut other =
            Reparametrized { inner: ising.clone(), change: change.clone(), params: vec![] };
        other.set_params(start.as_slice());
        let mut largest = 0.0_f64;
        for _ in 0..12 {
            let flips = direct.clone();
            step(&mut direct, &flips, natural);
            let flips = other.inner.clone();
            step(&mut other, &flips, natural);
            let pairs = direct.params().iter().zip(other.inner.params());
            largest = pairs.fold(largest, |largest, (a, b)| largest.max((a - b).abs()));
        }
        let moved = direct.params().iter().zip(ising.params()).map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f64::max) > 0.02, "the path goes nowhere");
        largest
    };
    let (natural, steepest) = (difference(true), difference(false));
    assert!(natural < 1e-9, "{natural}");
    assert!(steepest > 0.1, "{steepest}");
}
