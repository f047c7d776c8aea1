//! Annealing: weights have the mean they promise, forward and back, their two
//! distributions are in Crooks's ratio, and chains do not care about pieces and
//! neighbours.

mod binary;
mod gaussians;
mod pieces;
mod reals;
mod refusals;
mod truncated_gaussian;
mod twin;

use unnorm::bits::words_per_row;
use unnorm::energy::Reference;
use unnorm::math::{exp, sigmoid};
use unnorm::normalize::annealing_plan::{AnnealingPlan, Direction};
use unnorm::normalize::path::Path;
use unnorm::normalize::population::Population;
use unnorm::normalize::profile::Profile;
use unnorm::normalize::states::States;
use unnorm::normalize::step_sizes::StepSizes;
use unnorm::rng::{Purpose, stream};
use unnorm::sample::hmc::HmcSpec;
use unnorm::sample::hmc::MomentumFlips;
use unnorm::sample::langevin::LangevinSpec;
use unnorm::sample::metropolis::MetropolisSpec;
use unnorm::sample::nuts::NutsSpec;
use unnorm::sample::path_moves::Moves;
use unnorm::sample::slice::SliceSpec;
use unnorm::sample::spec::{Scan, TransitionSpec};

/// Standard errors within which a mean must lie. For a normal mean it is beyond
/// them once in 5·10⁸; with some two hundred such comparisons in this file's
/// modules, a false alarm has a chance below 10⁻⁶.
const MAX_ERRORS: f64 = 6.0;

fn linear(num_distributions: usize) -> Vec<f64> {
    (0..=num_distributions).map(|k| k as f64 / num_distributions as f64).collect()
}

fn annealing_plan(
    path: Path,
    moves: Moves,
    num_distributions: usize,
    step_size: f64,
) -> AnnealingPlan {
    let sizes = StepSizes::constant(step_size).unwrap();
    AnnealingPlan::new(path, moves, linear(num_distributions), 1, sizes).unwrap()
}

/// All the way from the reference, or from these states of the target.
fn run(plan: &AnnealingPlan, start: Option<&States>, num_chains: usize) -> (Population, Profile) {
    let mut profile = Profile::default();
    let (mut population, direction) = match start {
        None => (Population::forward(plan, 0..num_chains, 5), Direction::Forward),
        Some(states) => (Population::reverse(plan, 0..num_chains, states, 5), Direction::Reverse),
    };
    population.advance(plan, direction, 0..plan.num_distributions(), &mut profile);
    (population, profile)
}

/// Exact draws.
fn draws(model: &dyn Reference, count: usize) -> States {
    let dim = model.dim();
    let mut values = vec![0.0; count * dim];
    let mut rng = stream(77, Purpose::Example, 0);
    values.chunks_exact_mut(dim).for_each(|state| model.draw(&mut rng, state));
    States::Values { dim, values, momenta: Vec::new() }
}

/// Mean and standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// By how many standard errors two means differ.
fn distance((a, a_error): (f64, f64), (b, b_error): (f64, f64)) -> f64 {
    (a - b).abs() / (a_error * a_error + b_error * b_error).sqrt()
}

/// By how many standard errors Bennett's identity fails: with `e^ℓ = w Z_0 / Z_K` the
/// ratio of the two distributions of ℓ, `E_F[σ(ℓ)] = E_R[σ(−ℓ)]`. Both are means of
/// numbers between 0 and 1, so that their errors can be believed.
fn bennett(forward: &[f64], reverse: &[f64], log_ratio: f64) -> f64 {
    let there = mean(forward.iter().map(|log_w| sigmoid(log_w - log_ratio)));
    let back = mean(reverse.iter().map(|log_w| sigmoid(log_ratio - log_w)));
    distance(there, back)
}

/// Runs there and back: Bennett's identity; and, unless weights have tails too heavy
/// for a mean to be judged by its spread, `E_F[e^ℓ] = E_R[e^−ℓ] = 1`. `log_z` is that
/// of the target, `exact` are draws from it.
fn check_both_ways(name: &str, plan: &AnnealingPlan, log_z: f64, exact: &States, has_tails: bool) {
    let log_ratio = log_z - plan.path().reference_log_z();
    let count = exact.len();
    let (forward, there) = run(plan, None, count);
    let (reverse, back) = run(plan, Some(exact), count);
    let off = bennett(&forward.log_weights, &reverse.log_weights, log_ratio);
    assert!(off < MAX_ERRORS, "{name}: {off} standard errors");
    let weights = |log_weights: &[f64], sign: f64| {
        let (mean, error) = mean(log_weights.iter().map(|log_w| exp(sign * (log_w - log_ratio))));
        assert!(has_tails || error < 0.1, "{name}: the test says little, {mean} ± {error}");
        assert!(has_tails || (mean - 1.0).abs() < MAX_ERRORS * error, "{name}: {mean} ± {error}");
    };
    weights(&forward.log_weights, 1.0);
    weights(&reverse.log_weights, -1.0);
    // The profile adds up the same terms, and chains did move.
    for (population, profile) in [(&forward, &there), (&reverse, &back)] {
        assert_eq!(profile.increments.len(), plan.num_distributions());
        let total: f64 = population.log_weights.iter().sum();
        let sum: f64 = profile.increments.iter().sum();
        assert!((total - sum).abs() < 1e-9 * count as f64, "{name}: {total} {sum}");
        let rates = profile.acceptance.iter().map(|sum| sum / count as f64);
        assert!(rates.into_iter().all(|rate| rate > 0.03 && rate < 1.0 + 1e-9), "{name}");
    }
}

fn hmc(num_leapfrog_steps: usize, momentum_refresh: f64, momentum_flips: MomentumFlips) -> Moves {
    Moves::By(TransitionSpec::Hmc(HmcSpec {
        num_leapfrog_steps,
        momentum_refresh,
        momentum_flips,
        ..HmcSpec::default()
    }))
}

/// Every transition of chains on ℝᴰ; the first is that of Hamiltonian annealed
/// importance sampling.
fn continuous_moves() -> Vec<(&'static str, Moves)> {
    vec![
        ("HAIS", hmc(1, 0.2, MomentumFlips::Standard)),
        ("HAIS with reduced flips", hmc(2, 0.2, MomentumFlips::Reduced)),
        ("HMC", hmc(3, 1.0, MomentumFlips::Standard)),
        (
            "NUTS",
            Moves::By(TransitionSpec::Nuts(NutsSpec { max_tree_depth: 3, ..NutsSpec::default() })),
        ),
        ("MALA", Moves::By(TransitionSpec::Langevin(LangevinSpec::default()))),
        ("Metropolis", Moves::By(TransitionSpec::Metropolis(MetropolisSpec::default()))),
        ("slices", Moves::By(TransitionSpec::Slice(SliceSpec::default()))),
    ]
}

fn gibbs(scan: Scan) -> Moves {
    Moves::By(TransitionSpec::Gibbs { scan })
}

/// Words of rows, one after another.
fn words(states: &States) -> Vec<u64> {
    match states {
        States::Rows(rows) => rows.concat(),
        States::Values { .. } => panic!("no rows"),
    }
}

/// Values, one state after another.
fn values(states: &States) -> &[f64] {
    match states {
        States::Values { values, .. } => values,
        States::Rows(_) => panic!("no values"),
    }
}

/// A row of so many bits from their number.
fn row(dim: usize, state: u64) -> Vec<u64> {
    let mut row = vec![0; words_per_row(dim)];
    row[0] = state;
    row
}
