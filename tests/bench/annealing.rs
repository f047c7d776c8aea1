//! How long an annealing step takes, natively, on one thread: `cargo bench --bench
//! annealing`. A row a plan: microseconds of a step of all its chains, and
//! nanoseconds a chain beside what the plan itself says it takes. The fastest of
//! repeated runs; on a machine with other work that says more than the median. A word
//! after `--` chooses the rows whose name has it.

// Benches are where clocks belong.
#![allow(clippy::disallowed_types)]

use std::time::Instant;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::normalize::annealing_plan::{AnnealingPlan, Direction};
use unnorm::normalize::geometric_path::GeometricPath;
use unnorm::normalize::path::Path;
use unnorm::normalize::population::Population;
use unnorm::normalize::profile::Profile;
use unnorm::normalize::step_sizes::StepSizes;
use unnorm::rng::{Purpose, normal, stream};
use unnorm::sample::hmc::HmcSpec;
use unnorm::sample::param_path::{Knot, ParamPath};
use unnorm::sample::path_moves::Moves;
use unnorm::sample::spec::{Scan, TransitionSpec};

/// Chains that a job of 200 moves side by side.
const GROUP: usize = 16;

/// Short runs, so that some go undisturbed.
const NUM_RUNS: usize = 40;

fn schedule(num_distributions: usize) -> Vec<f64> {
    (0..=num_distributions).map(|k| k as f64 / num_distributions as f64).collect()
}

/// Prints a row.
fn measure(name: &str, path: Path, moves: Moves, step_size: f64, num_chains: usize, steps: usize) {
    let is_chosen = |word: String| word.starts_with('-') || name.contains(&word);
    if !std::env::args().skip(1).all(is_chosen) {
        return;
    }
    let sizes = StepSizes::constant(step_size).expect("sound");
    let num_distributions = steps * (NUM_RUNS + 1);
    let plan =
        AnnealingPlan::new(path, moves, schedule(num_distributions), 1, sizes).expect("sound");
    let mut population = Population::forward(&plan, 0..num_chains, 1);
    let mut fastest = f64::INFINITY;
    let mut profile = Profile::default();
    for run in 0..=NUM_RUNS {
        let begin = Instant::now();
        let range = run * steps..(run + 1) * steps;
        population.advance(&plan, Direction::Forward, range, &mut profile);
        fastest = fastest.min(begin.elapsed().as_secs_f64() / steps as f64);
    }
    let rate = profile.acceptance.iter().sum::<f64>() / (num_distributions * num_chains) as f64;
    println!(
        "{name:44} {num_chains:4} chains: {:9.1} us a step, {:8.0} ns a chain (said: {:8}), \
         acceptance {rate:.3}",
        1e6 * fastest,
        1e9 * fastest / num_chains as f64,
        plan.step_cost()
    );
}

/// M = 36, as in the report, with filters that are no identity.
fn analysis_models() -> [(&'static str, ModelSpec); 3] {
    let dim = 36;
    let mut rng = stream(1, Purpose::Example, 0);
    let filters: Vec<f64> = (0..dim * dim)
        .map(|at| f64::from(u8::from(at / dim == at % dim)) + 0.1 * normal(&mut rng))
        .collect();
    let experts = |expert, lambda: f64| {
        ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
            dim,
            expert,
            num_experts: None,
            filters: Some(filters.clone()),
            lambda: Some(vec![lambda; dim]),
        })
    };
    let precision = (0..dim * dim)
        .map(|at| {
            let lines = (0..dim).map(|k| filters[at / dim * dim + k] * filters[at % dim * dim + k]);
            let own = f64::from(u8::from(at / dim == at % dim));
            own + 0.5 * lines.sum::<f64>()
        })
        .collect::<Vec<f64>>();
    let gaussian = GaussianSpec { dim, mean: None, precision: Some(precision), covariance: None };
    [
        ("Laplace experts", experts(Expert::Laplace, 1.0)),
        ("Student's t experts", experts(Expert::StudentT, 1.5)),
        ("dense Gaussian", ModelSpec::Gaussian(gaussian)),
    ]
}

fn straight(model: Box<dyn Model>) -> Path {
    let log_odds = vec![0.0; model.dim()];
    Path::Params(ParamPath::from_log_odds(model, &log_odds).expect("sound"))
}

fn main() {
    for (name, target) in analysis_models() {
        let reference = GaussianSpec { dim: 36, mean: None, precision: None, covariance: None };
        let reference = Box::new(reference.build().expect("sound"));
        let path = GeometricPath::new(reference, target.build().expect("sound")).expect("sound");
        let refresh = 1.0 - unnorm::math::pow(0.5, 0.2);
        let hais =
            HmcSpec { num_leapfrog_steps: 1, momentum_refresh: refresh, ..HmcSpec::default() };
        let moves = Moves::By(TransitionSpec::Hmc(hais));
        measure(&format!("HAIS, M = 36, {name}"), Path::Geometric(path), moves, 0.2, GROUP, 500);
    }

    // Filters of a size and biases such that about a fifth of the units are on, as for digits.
    let mut rbm = RbmSpec::random(784, 500, 0.1, 1);
    rbm.visible_bias = Some(vec![-1.5; 784]);
    rbm.hidden_bias = Some(vec![-1.0; 500]);
    let build = || Box::new(rbm.build().expect("sound")) as Box<dyn Model>;
    let block = || Moves::By(TransitionSpec::BlockGibbs {});
    for num_chains in [1, 32] {
        let name = "RBM 784 × 500, block Gibbs";
        measure(name, straight(build()), block(), 1.0, num_chains, 5);
    }
    let model = build();
    let target = model.as_parametric().expect("it has").params().to_vec();
    let knot = |beta: f64, scale: f64| Knot {
        beta,
        params: target.iter().map(|param| scale * param).collect(),
    };
    let uniform = Knot { beta: 0.0, params: vec![0.0; target.len()] };
    let knots = vec![uniform, knot(1e-9, 0.7), knot(1.0, 1.0)];
    let path = Path::Params(ParamPath::new(build(), knots).expect("sound"));
    measure("RBM 784 × 500, between two coupled knots", path, block(), 1.0, 32, 5);
    let gibbs = || Moves::By(TransitionSpec::Gibbs { scan: Scan::Systematic });
    measure("RBM 784 × 500, Gibbs by sites", straight(build()), gibbs(), 1.0, 32, 1);

    let lattice = Pattern::Lattice { num_rows: 10, num_cols: 10, periodic: false };
    let glass = || {
        let spec = IsingSpec::random(100, lattice.clone(), 1.0, 1);
        Box::new(spec.build().expect("sound")) as Box<dyn Model>
    };
    for num_chains in [1, 100] {
        measure("10 × 10 glass, Gibbs", straight(glass()), gibbs(), 1.0, num_chains, 100);
    }
    for (name, spec) in [
        ("10 × 10 glass, checkerboard", TransitionSpec::Checkerboard {}),
        ("10 × 10 glass, Swendsen–Wang", TransitionSpec::SwendsenWang {}),
        ("10 × 10 glass, Wolff", TransitionSpec::Wolff {}),
    ] {
        measure(name, straight(glass()), Moves::By(spec), 1.0, 100, 100);
    }
    let dense = IsingSpec::random(100, Pattern::Dense {}, 0.1, 1).build().expect("sound");
    measure("dense Ising, 100 sites, Gibbs", straight(Box::new(dense)), gibbs(), 1.0, 100, 20);
}
