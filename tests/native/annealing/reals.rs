//! Geometric paths on ℝᴰ.

use super::*;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::mixture::MixtureSpec;
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::models::ring::RingSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::normalize::geometric_path::GeometricPath;

fn isotropic(dim: usize, variance: f64) -> ModelSpec {
    let mut covariance = vec![0.0; dim * dim];
    covariance.iter_mut().step_by(dim + 1).for_each(|entry| *entry = variance);
    ModelSpec::Gaussian(GaussianSpec {
        dim,
        mean: None,
        precision: None,
        covariance: Some(covariance),
    })
}

fn geometric(reference: &ModelSpec, target: &ModelSpec) -> Path {
    let path = GeometricPath::new(reference.build().unwrap(), target.build().unwrap());
    Path::Geometric(path.unwrap())
}

fn oracle(model: &dyn Model) -> &dyn Reference {
    model.as_reference().expect("its log Z is known")
}

/// A Gaussian that the weights can be judged by, with every transition, large steps
/// and several transitions at a distribution too.
#[test]
fn weights_have_the_right_mean_with_every_transition() {
    let target = ModelSpec::Gaussian(GaussianSpec {
        dim: 3,
        mean: Some(vec![0.8, -0.5, 0.3]),
        precision: None,
        covariance: Some(vec![0.5, 0.2, 0.0, 0.2, 0.6, -0.1, 0.0, -0.1, 0.4]),
    });
    let model = target.build().unwrap();
    let log_z = oracle(&*model).log_z();
    for (name, moves) in continuous_moves() {
        for (num_steps, step_size) in [(1, 0.9), (2, 0.5)] {
            let sizes = StepSizes::new(vec![0.0, 1.0], vec![step_size, 0.7 * step_size]).unwrap();
            let path = geometric(&isotropic(3, 1.0), &target);
            let schedule = vec![0.0, 0.15, 0.4, 0.75, 1.0];
            let plan = AnnealingPlan::new(path, moves.clone(), schedule, num_steps, sizes).unwrap();
            let name = format!("{name}, {num_steps} a distribution");
            check_both_ways(&name, &plan, log_z, &draws(oracle(&*model), 20_000), false);
        }
    }
}

/// Targets of all shapes whose log Z is known.
#[test]
fn other_targets_have_the_log_z_that_is_known() {
    let experts = |expert, lambda: &[f64]| {
        ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
            dim: 2,
            expert,
            num_experts: None,
            filters: Some(vec![1.0, 0.5, -0.7, 1.2]),
            lambda: Some(lambda.to_vec()),
        })
    };
    let targets = [
        (ModelSpec::Ring(RingSpec { radius: 1.5, sharpness: 4.0 }), 2.0),
        (ModelSpec::Mixture(MixtureSpec::examples()[1].clone()), 4.0),
        (experts(Expert::Laplace, &[1.0, 1.5]), 2.0),
        (experts(Expert::StudentT, &[3.0, 4.0]), 1.0),
    ];
    for (target, variance) in targets {
        let model = target.build().unwrap();
        let oracle = oracle(&*model);
        for (name, moves) in [continuous_moves().swap_remove(0), continuous_moves().swap_remove(3)]
        {
            let path = geometric(&isotropic(model.dim(), variance), &target);
            let plan = annealing_plan(path, moves, 5, 0.5);
            let name = format!("{name} to {}", model.kind());
            check_both_ways(&name, &plan, oracle.log_z(), &draws(oracle, 20_000), true);
        }
    }
}

/// The paper's setting, many distributions with small steps: log Z to within its
/// error, and that error small.
#[test]
fn hamiltonian_annealing_finds_log_z() {
    let dim = 36;
    let filters: Vec<f64> = (0..dim * dim)
        .map(|at| {
            if at / dim == at % dim {
                1.0
            } else {
                0.3 * (((at * 7919) % 101) as f64 / 101.0 - 0.5)
            }
        })
        .collect();
    for expert in [Expert::Laplace, Expert::StudentT] {
        let target = ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
            dim,
            expert,
            num_experts: None,
            filters: Some(filters.clone()),
            lambda: (expert == Expert::StudentT).then(|| vec![3.0; dim]),
        });
        let model = target.build().unwrap();
        let path = geometric(&isotropic(dim, 1.0), &target);
        // Half the momentum's power in unit time.
        let refresh = 1.0 - unnorm::math::pow(0.5, 0.2);
        let plan = annealing_plan(path, hmc(1, refresh, MomentumFlips::Standard), 1000, 0.2);
        let (population, _) = run(&plan, None, 200);
        let truth = oracle(&*model).log_z() - plan.path().reference_log_z();
        let (weight, error) = mean(population.log_weights.iter().map(|log_w| exp(log_w - truth)));
        assert!((weight - 1.0).abs() < MAX_ERRORS * error && error < 0.15, "{weight} ± {error}");
        let (integral, error) = mean(population.integrals.iter().copied());
        // Chains lag behind, so that the integral is a little off.
        assert!((integral - truth).abs() < 0.5 && error < 0.1, "{integral} ± {error}, {truth}");
    }
}

#[test]
fn weights_of_zero_and_mistakes() {
    // Infinite at 0, where no chain may start: a formula that is infinite for x < 0.
    let target: ModelSpec = serde_json::from_value(serde_json::json!({
        "kind": "formula", "expression": "x^2/2 - log(x)"
    }))
    .unwrap();
    let plan = annealing_plan(
        geometric(&isotropic(1, 1.0), &target),
        hmc(1, 0.5, MomentumFlips::Standard),
        4,
        0.4,
    );
    let (population, profile) = run(&plan, None, 20_000);
    // ∫ x e^{−x²/2} = 1, and half of the chains start where it is no number.
    let log_ratio = -plan.path().reference_log_z();
    let weights = population.log_weights.iter().map(|log_w| exp(log_w - log_ratio));
    let (weight, error) = mean(weights);
    assert!((weight - 1.0).abs() < MAX_ERRORS * error && error < 0.05, "{weight} ± {error}");
    let lost = population.log_weights.iter().filter(|log_w| **log_w == f64::NEG_INFINITY).count();
    assert!((9_000..11_000).contains(&lost), "{lost}");
    assert!(population.log_weights.iter().all(|log_w| !log_w.is_nan()));
    assert!(profile.increments.iter().all(|sum| sum.is_finite()));
}
