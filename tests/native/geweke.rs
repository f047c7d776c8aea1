//! Getting it right (Geweke 2004): two simulators of one joint distribution of
//! parameters and states,
//!
//! `p(θ, x₁ … x_n) = N(θ; θ₀, s² I) Π_i exp(−E_θ(x_i)) / Z(θ)`,
//!
//! must agree. One draws θ from the prior and the states exactly. The other goes
//! on from there by turns: a step of the transition under test moves the states
//! at the present θ, and a step of Metropolis' algorithm moves θ given the states,
//! for which log Z(θ) is enumerated or known. What is compared are means of θ, θ²,
//! the states, their energy, and the products of θ with these: energies, their
//! differences, gradients, log Z and the transition take part, and no figure is
//! known beforehand.
//!
//! Runs of the second simulator begin in equilibrium and are independent, so the
//! errors of means over runs are known. A mean is refused beyond seven standard
//! errors of the difference, 2.6·10⁻¹² for a normal: with some 2,000 means a
//! false alarm has a chance below 10⁻⁷, tails of means of 2,500 included.

use crate::joint::{Family, Simulator, by_chains, by_rows, by_turns, distance, independent};
use crate::transitions::{TRANSITIONS, erase};
use unnorm::math::exp;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ica::IcaSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::potts::PottsSpec;
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::semi_restricted::SemiRestrictedSpec;
use unnorm::models::site_values::NumValues;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::ChainRng;
use unnorm::sample::chains::ChainTransition;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::{Mala, Ula};
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::slice::SliceSampling;

/// Standard errors beyond which a difference is none of chance.
const LIMIT: f64 = 7.0;

fn binary_families() -> [Family; 5] {
    let lattice = Pattern::Lattice { num_rows: 2, num_cols: 3, periodic: false };
    let each = NumValues::Each(vec![2, 3, 2]);
    let potts = PottsSpec::random(3, each, Pattern::Dense {}, 0.5, 5);
    let semi_restricted = SemiRestrictedSpec::random(3, 2, 0.6, 4);
    [
        Family::around(
            "dense Ising",
            ModelSpec::Ising(IsingSpec::random(4, Pattern::Dense {}, 0.4, 1)),
            0.6,
        ),
        Family::around("lattice", ModelSpec::Ising(IsingSpec::random(6, lattice, 0.4, 2)), 0.5),
        Family::around("RBM", ModelSpec::Rbm(RbmSpec::random(4, 2, 0.6, 3)), 0.7),
        Family::around("semi-restricted", ModelSpec::SemiRestricted(semi_restricted), 0.6),
        Family::around("Potts", ModelSpec::Potts(potts), 0.6),
    ]
}

/// Mean, and logarithms of the diagonal and the lower corner of Λ's factor.
fn gaussians() -> Family {
    let build = |params: &[f64]| -> Box<dyn Model> {
        let (a, b, c) = (exp(params[2]), params[3], exp(params[4]));
        let precision = vec![a * a, a * b, a * b, b * b + c * c];
        let mean = Some(params[..2].to_vec());
        let spec = GaussianSpec { dim: 2, mean, precision: Some(precision), covariance: None };
        Box::new(spec.build().unwrap())
    };
    Family {
        name: "Gaussian",
        centre: vec![0.5, -0.5, 0.2, 0.4, 0.0],
        spread: 0.4,
        build: Box::new(build),
    }
}

fn continuous_families() -> [Family; 4] {
    let filters = Some(vec![1.2, 0.5, -0.4, 1.0]);
    let experts = |expert, lambda: f64| {
        ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
            dim: 2,
            expert,
            num_experts: None,
            filters: filters.clone(),
            lambda: Some(vec![lambda; 2]),
        })
    };
    let ica = ModelSpec::Ica(IcaSpec { dim: 2, filters: filters.clone() });
    [
        gaussians(),
        Family::around("Student's t experts", experts(Expert::StudentT, 3.0), 0.2),
        Family::around("Laplace experts", experts(Expert::Laplace, 1.5), 0.2),
        Family::around("ICA", ica, 0.2),
    ]
}

#[test]
fn binary_transitions_get_it_right() {
    let mut num_tried = [0; TRANSITIONS.len()];
    for family in binary_families() {
        let expected = independent(&family);
        let model = family.model(&vec![0.0; family.centre.len()]);
        for ((name, make), num_tried) in TRANSITIONS.into_iter().zip(&mut num_tried) {
            if make(&*model).is_none() {
                continue;
            }
            *num_tried += 1;
            let z = distance(&expected, &by_turns(&family, &by_rows(make)));
            println!("{name}, {}: {z:.1} errors, {} means", family.name, expected.len());
            assert!(z < LIMIT, "{name}, {}: {z} errors", family.name);
        }
    }
    assert!(num_tried.iter().all(|&num| num > 0), "{num_tried:?}");
}

#[test]
fn transitions_on_the_reals_get_it_right() {
    let hmc = |num_leapfrog_steps, momentum_refresh, momentum_flips| {
        Box::new(Hmc { num_leapfrog_steps, momentum_refresh, momentum_flips })
    };
    let transitions: [(&str, Box<dyn ChainTransition>, f64); 7] = [
        ("HMC", hmc(3, 1.0, MomentumFlips::Standard), 0.6),
        ("HMC, partial refreshment", hmc(1, 0.3, MomentumFlips::Standard), 0.9),
        ("HMC, reduced flips", hmc(2, 0.3, MomentumFlips::Reduced), 0.8),
        ("NUTS", Box::new(Nuts::default()), 0.6),
        ("MALA", Box::new(Mala), 0.9),
        ("random walk", Box::new(RandomWalk), 1.0),
        ("slices", Box::new(SliceSampling { max_steps_out: 20, is_descending: false }), 1.0),
    ];
    for family in continuous_families() {
        let expected = independent(&family);
        for (name, transition, step_size) in &transitions {
            let simulator = by_chains(&**transition, *step_size);
            let z = distance(&expected, &by_turns(&family, &simulator));
            println!("{name}, {}: {z:.1} errors, {} means", family.name, expected.len());
            assert!(z < LIMIT, "{name}, {}: {z} errors", family.name);
        }
    }
}

/// A kernel for another temperature, one that takes every proposal, and a log Z
/// that is left out.
#[test]
fn what_is_wrong_is_caught() {
    let left_out: fn(&dyn Model) -> f64 = |_| 0.0;
    let [dense, ..] = binary_families();
    let gaussian = gaussians();
    let (of_dense, of_gaussian) = (independent(&dense), independent(&gaussian));
    let hmc = Hmc {
        num_leapfrog_steps: 3,
        momentum_refresh: 1.0,
        momentum_flips: MomentumFlips::Standard,
    };
    let hotter = by_rows(|model| {
        Some(Box::new(move |row: &mut [u64], rng: &mut ChainRng| {
            let mut hotter = model.boxed_clone();
            let params = hotter.as_parametric_mut().expect("parameters");
            let scaled: Vec<f64> = params.params().iter().map(|param| 0.75 * param).collect();
            params.set_params(&scaled);
            erase(Gibbs::new(hotter.as_site_flips().expect("binary")))(row, rng);
        }))
    });
    let cases = [
        ("Gibbs, hotter", &dense, &of_dense, hotter),
        (
            "log Z of bits",
            &dense,
            &of_dense,
            Simulator { log_z: left_out, ..by_rows(TRANSITIONS[0].1) },
        ),
        ("unadjusted Langevin", &gaussian, &of_gaussian, by_chains(&Ula { temperature: 1.0 }, 0.9)),
        (
            "log Z of numbers",
            &gaussian,
            &of_gaussian,
            Simulator { log_z: left_out, ..by_chains(&hmc, 0.6) },
        ),
    ];
    for (name, family, expected, simulator) in cases {
        let z = distance(expected, &by_turns(family, &simulator));
        println!("{name}: {z:.1} errors");
        assert!(z > LIMIT, "{name}: only {z} errors");
    }
}
