//! Every transition on ℝᴰ leaves the exact distribution, of positions and
//! momenta, as it is: 20,000 chains begin with exact draws, make some steps, and
//! are compared with as many fresh draws by all first and second moments and by
//! Kolmogorov and Smirnov's test. And kernels that are wrong are caught by the
//! same comparison.
//!
//! False alarms: a moment is refused beyond seven standard errors of a
//! difference of means of 20,000 (2.6·10⁻¹² for a normal, some times that for
//! the skewest of these), a distribution at a chance of 10⁻¹⁰. With some
//! 2,500 moments and 300 distributions in this file that is below 10⁻⁶.

use unnorm::energy::{Differentiable, Energy, HalfSpace, Reference};
use unnorm::linalg::{Batch, Block, transpose};
use unnorm::math::ln;
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::models::ring::{Ring, RingSpec};
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::annealed::Annealed;
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::{Mala, Ula};
use unnorm::sample::leapfrog::leapfrog;
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::tuning::{Scale, Tuning};

const NUM_CHAINS: usize = 20_000;
const BLOCK: usize = 400;

/// A model restricted by half-spaces.
struct Restricted {
    model: Gaussian,
    half_spaces: Vec<HalfSpace>,
}

impl Energy for Restricted {
    fn dim(&self) -> usize {
        self.model.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.model.energy(x, out);
    }
}

impl Differentiable for Restricted {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.model.energy_grad(x, energy, grad);
    }

    fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }
}

/// Draws until one is inside.
fn draw_inside(model: &Restricted, rng: &mut ChainRng, out: &mut [f64]) {
    loop {
        model.model.draw(rng, out);
        let along = |half_space: &HalfSpace| -> f64 {
            half_space.normal.iter().zip(&*out).map(|(n, x)| n * x).sum()
        };
        if model.half_spaces.iter().all(|half_space| along(half_space) >= half_space.offset) {
            return;
        }
    }
}

type Draw<'a> = Box<dyn Fn(&mut ChainRng, &mut [f64]) + 'a>;

/// A target, exact draws from it, and how steps are scaled to it.
struct Case<'a> {
    name: &'static str,
    target: &'a dyn Differentiable,
    /// β of every chain, for a target between two ends.
    beta: Option<f64>,
    draw: Draw<'a>,
    scale: Scale,
    step_size: f64,
}

fn gaussian_3() -> Gaussian {
    GaussianSpec {
        dim: 3,
        mean: Some(vec![1.0, -2.0, 0.5]),
        precision: Some(vec![2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]),
        covariance: None,
    }
    .build()
    .unwrap()
}

fn gaussian_2(precision: [f64; 4]) -> Gaussian {
    GaussianSpec { dim: 2, mean: None, precision: Some(precision.to_vec()), covariance: None }
        .build()
        .unwrap()
}

/// A wedge around the mean with a corner near it, and a third wall.
fn corner() -> Restricted {
    let wall = |normal: [f64; 2], offset| HalfSpace { normal: normal.to_vec(), offset };
    Restricted {
        model: gaussian_2([1.0, 0.6, 0.6, 1.5]),
        half_spaces: vec![wall([2.0, 0.0], -0.4), wall([-0.5, 1.0], -0.3), wall([0.0, -1.0], -1.0)],
    }
}

const DIAGONAL: [f64; 3] = [0.7, 1.1, 0.4];
const DENSE: [f64; 9] = [0.7, 0.0, 0.0, -0.3, 1.0, 0.0, 0.1, -0.1, 0.5];

/// Positions and momenta, one state after another.
type States = Vec<f64>;

fn exact(case: &Case<'_>, seed: u64) -> States {
    let dim = case.target.dim();
    let mut states = vec![0.0; NUM_CHAINS * 2 * dim];
    for (index, state) in states.chunks_exact_mut(2 * dim).enumerate() {
        let mut rng = stream(seed, Purpose::InitialState, index as u64);
        let (x, v) = state.split_at_mut(dim);
        (case.draw)(&mut rng, x);
        v.fill_with(|| normal(&mut rng));
    }
    states
}

fn tuning(case: &Case<'_>, factor: f64, first: usize, width: usize) -> Tuning {
    Tuning {
        // Chains of several step sizes: each must be exact.
        step_size: (first..first + width)
            .map(|chain| case.step_size * factor * (1.0 + 0.1 * (chain % 5) as f64))
            .collect(),
        scale: match &case.scale {
            Scale::Diagonal(diagonal) => {
                Scale::Diagonal(diagonal.iter().flat_map(|&scale| vec![scale; width]).collect())
            }
            Scale::Dense(matrices) => Scale::Dense(vec![matrices[0].clone(); width]),
            Scale::Unit => Scale::Unit,
        },
    }
}

/// States after `num_steps` from `states`, and the mean acceptance.
fn run(
    case: &Case<'_>,
    transition: &dyn ChainTransition,
    factor: f64,
    num_steps: usize,
    mut states: States,
) -> (States, f64) {
    let dim = case.target.dim();
    let mut acceptance = 0.0;
    for (block, states) in states.chunks_mut(BLOCK * 2 * dim).enumerate() {
        let width = states.len() / (2 * dim);
        let first = block * BLOCK;
        let rngs = (first..first + width).map(|chain| stream(5, Purpose::Chain, chain as u64));
        let both = |part: usize| -> Vec<f64> {
            let parts = states.chunks_exact(dim).skip(part).step_by(2);
            parts.flatten().copied().collect()
        };
        let (x, v) = (both(0), both(1));
        let mut chains = match case.beta {
            None => Chains::new(case.target, &x, rngs.collect()),
            Some(beta) => {
                let path = case.target.as_annealed().unwrap();
                Chains::annealed(path, &x, &vec![beta; width], rngs.collect())
            }
        };
        transpose(dim, width, &v, &mut chains.momentum);
        let tuning = tuning(case, factor, first, width);
        let mut info = vec![StepInfo::default(); width];
        for _ in 0..num_steps {
            transition.step(case.target, &tuning, &mut chains, &mut info);
            acceptance += info.iter().map(|info| info.acceptance).sum::<f64>();
        }
        let (mut x, mut v) = (vec![0.0; dim * width], vec![0.0; dim * width]);
        transpose(width, dim, &chains.position, &mut x);
        transpose(width, dim, &chains.momentum, &mut v);
        for (chain, state) in states.chunks_exact_mut(2 * dim).enumerate() {
            state[..dim].copy_from_slice(&x[chain * dim..][..dim]);
            state[dim..].copy_from_slice(&v[chain * dim..][..dim]);
        }
    }
    (states, acceptance / (NUM_CHAINS * num_steps) as f64)
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, square / (count * (count - 1.0)))
}

/// The largest distance of two distributions of as many draws each.
fn kolmogorov_smirnov(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (mut i, mut j, mut worst) = (0, 0, 0_usize);
    while i < a.len() && j < b.len() {
        if a[i] < b[j] {
            i += 1;
        } else {
            j += 1;
        }
        worst = worst.max(i.abs_diff(j));
    }
    worst as f64 / a.len() as f64
}

/// What tells two samples apart, or nothing.
fn difference(dim: usize, a: &States, b: &States) -> Option<String> {
    let column = |states: &States, at: usize| -> Vec<f64> {
        states.iter().skip(at).step_by(2 * dim).copied().collect()
    };
    let name = |at: usize| format!("{}{}", if at < dim { "x" } else { "v" }, at % dim);
    let differs = |a: &[f64], b: &[f64]| {
        let ((mean_a, error_a), (mean_b, error_b)) = (mean_and_error(a), mean_and_error(b));
        let z = (mean_a - mean_b) / (error_a + error_b).sqrt();
        (!(z.abs() < 7.0)).then(|| format!("{mean_a} and not {mean_b}, {z:.1} errors"))
    };
    // P(D > d) ≤ 2 exp(−n d²) for two samples of n.
    let limit = (ln(2.0 / 1e-10) / NUM_CHAINS as f64).sqrt();
    for i in 0..2 * dim {
        let (a_i, b_i) = (column(a, i), column(b, i));
        if let Some(problem) = differs(&a_i, &b_i) {
            return Some(format!("mean of {}: {problem}", name(i)));
        }
        for j in 0..=i {
            let times = |x: &[f64], y: Vec<f64>| -> Vec<f64> {
                x.iter().zip(y).map(|(x, y)| x * y).collect()
            };
            let (a_ij, b_ij) = (times(&a_i, column(a, j)), times(&b_i, column(b, j)));
            if let Some(problem) = differs(&a_ij, &b_ij) {
                return Some(format!("mean of {} {}: {problem}", name(i), name(j)));
            }
        }
        let distance = kolmogorov_smirnov(a_i, b_i);
        if !(distance < limit) {
            return Some(format!("distribution of {}: {distance} apart", name(i)));
        }
    }
    None
}

fn with_cases(check: impl Fn(&Case<'_>)) {
    let (gaussian, ring) = (gaussian_3(), RingSpec::default().build().unwrap());
    let wide = RingSpec { radius: 2.0, sharpness: 3.0 }.build().unwrap();
    let corner = corner();
    let (from, to) = (gaussian_2([0.5, 0.0, 0.0, 0.25]), gaussian_2([4.0, 1.0, 1.0, 2.0]));
    // ¾ of the way, which each chain says for itself; the path says otherwise.
    let path = Annealed::new(&from, &to, 0.0);
    let between = gaussian_2([3.125, 0.75, 0.75, 1.5625]);
    let of_gaussian = |name, scale, step_size| Case {
        name,
        target: &gaussian,
        beta: None,
        draw: Box::new(|rng: &mut ChainRng, out: &mut [f64]| gaussian.draw(rng, out)),
        scale,
        step_size,
    };
    fn of_ring<'a>(name: &'static str, ring: &'a Ring, step_size: f64) -> Case<'a> {
        Case {
            name,
            target: ring,
            beta: None,
            draw: Box::new(|rng: &mut ChainRng, out: &mut [f64]| ring.draw(rng, out)),
            scale: Scale::Unit,
            step_size,
        }
    }
    let of_corner = |name, scale| Case {
        name,
        target: &corner,
        beta: None,
        draw: Box::new(|rng: &mut ChainRng, out: &mut [f64]| draw_inside(&corner, rng, out)),
        scale,
        step_size: 0.9,
    };
    let cases = [
        of_gaussian("Gaussian", Scale::Unit, 0.5),
        of_gaussian("Gaussian, diagonal map", Scale::Diagonal(DIAGONAL.to_vec()), 1.0),
        of_gaussian("Gaussian, dense map", Scale::Dense(vec![DENSE.to_vec()]), 1.0),
        of_ring("ring", &ring, 0.1),
        of_ring("wide ring", &wide, 0.6),
        of_corner("corner", Scale::Unit),
        of_corner("corner, dense map", Scale::Dense(vec![vec![0.9, 0.0, -0.5, 0.7]])),
        Case {
            name: "between two Gaussians",
            target: &path,
            beta: Some(0.75),
            draw: Box::new(|rng, out| between.draw(rng, out)),
            scale: Scale::Unit,
            step_size: 0.7,
        },
    ];
    cases.iter().for_each(check);
}

fn hmc(num_leapfrog_steps: usize, momentum_refresh: f64, momentum_flips: MomentumFlips) -> Hmc {
    Hmc { num_leapfrog_steps, momentum_refresh, momentum_flips }
}

#[test]
fn transitions_leave_the_distribution_as_it_is() {
    use MomentumFlips::{Reduced, Standard};
    let transitions: [(&str, Box<dyn ChainTransition>, f64); 8] = [
        ("HMC", Box::new(hmc(4, 1.0, Standard)), 1.0),
        ("HMC, partial refreshment", Box::new(hmc(1, 0.2, Standard)), 1.4),
        ("HMC, reduced flips", Box::new(hmc(1, 0.2, Reduced)), 1.4),
        ("HMC, reduced flips, longer", Box::new(hmc(3, 0.1, Reduced)), 1.2),
        ("NUTS", Box::new(Nuts::default()), 1.0),
        ("NUTS, shallow", Box::new(Nuts { max_depth: 2 }), 1.3),
        ("MALA", Box::new(Mala), 1.2),
        ("random walk", Box::new(RandomWalk), 1.5),
    ];
    with_cases(|case| {
        let (start, fresh) = (exact(case, 1), exact(case, 2));
        assert_eq!(difference(case.target.dim(), &start, &fresh), None, "{}", case.name);
        for (name, transition, factor) in &transitions {
            let (states, acceptance) = run(case, &**transition, *factor, 8, start.clone());
            let problem = difference(case.target.dim(), &states, &fresh);
            assert_eq!(problem, None, "{name} on {}", case.name);
            // That the test has something to reject.
            println!("{name} on {}: acceptance {acceptance:.2}", case.name);
            assert!((0.1..0.995).contains(&acceptance), "{name} on {}: {acceptance}", case.name);
        }
    });
}

/// HMC that takes every proposal.
struct AcceptsAll;

impl ChainTransition for AcceptsAll {
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        _: &mut [StepInfo],
    ) {
        chains.refresh_momentum(1.0);
        leapfrog(target, tuning, chains, 3);
    }
}

/// HMC with partial refreshment that never turns round.
struct NeverTurns;

impl ChainTransition for NeverTurns {
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        hmc(1, 0.2, MomentumFlips::Standard).step(target, tuning, chains, info);
        for (chain, info) in info.iter().enumerate() {
            if info.is_flipped {
                chains.flip(chain);
            }
        }
    }
}

/// The refreshment as misprinted: `v ← √(1−γ) v + γ r`.
struct WeakRefreshment;

impl ChainTransition for WeakRefreshment {
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        let gamma = 0.2_f64;
        for entry in chains.momentum.chunks_exact_mut(info.len()) {
            for (v, rng) in entry.iter_mut().zip(&mut chains.rngs) {
                *v = (1.0 - gamma).sqrt() * *v + gamma * normal(rng);
            }
        }
        hmc(1, 1e-300, MomentumFlips::Standard).step(target, tuning, chains, info);
    }
}

/// A walk that is stopped by a wall, not reflected.
struct Clipped;

impl ChainTransition for Clipped {
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        RandomWalk.step(target, tuning, chains, info);
        let width = chains.width();
        for chain in 0..width {
            if chains.position[width + chain] > 0.9 {
                chains.position[width + chain] = 0.9;
            }
        }
        chains.evaluate(target);
    }
}

#[test]
fn wrong_kernels_are_caught() {
    let ring = RingSpec { radius: 2.0, sharpness: 3.0 }.build().unwrap();
    let of_ring = Case {
        name: "wide ring",
        target: &ring,
        beta: None,
        draw: Box::new(|rng, out| ring.draw(rng, out)),
        scale: Scale::Unit,
        step_size: 0.8,
    };
    let corner = corner();
    let of_corner = Case {
        name: "corner",
        target: &corner,
        beta: None,
        draw: Box::new(|rng, out| draw_inside(&corner, rng, out)),
        scale: Scale::Unit,
        step_size: 0.9,
    };
    let kernels: [(&str, &Case<'_>, &dyn ChainTransition); 5] = [
        ("accepts all", &of_ring, &AcceptsAll),
        ("never turns", &of_ring, &NeverTurns),
        ("refreshes weakly", &of_ring, &WeakRefreshment),
        ("stops at a wall", &of_corner, &Clipped),
        ("unadjusted Langevin", &of_ring, &Ula),
    ];
    for (name, case, kernel) in kernels {
        let (states, _) = run(case, kernel, 1.4, 8, exact(case, 1));
        let problem = difference(2, &states, &exact(case, 2));
        println!("{name}: {problem:?}");
        assert!(problem.is_some(), "{name} is not caught");
    }
}

/// Unadjusted Langevin dynamics on a Gaussian of variance σ² has the variance
/// σ²/(1 − ε²/(4σ²)), here 4/3 and 16/15 of it; within seven standard errors.
#[test]
fn the_bias_of_unadjusted_langevin_is_the_known_one() {
    let gaussian = gaussian_2([1.0, 0.0, 0.0, 0.25]);
    let mut rng = stream(3, Purpose::InitialState, 0);
    let exact = [1.0 / (1.0 - 0.25), 4.0 / (1.0 - 0.0625)];
    let states: Vec<f64> =
        (0..2 * NUM_CHAINS).map(|at| f64::sqrt(exact[at % 2]) * normal(&mut rng)).collect();
    let rngs = (0..NUM_CHAINS).map(|chain| stream(4, Purpose::Chain, chain as u64)).collect();
    let mut chains = Chains::new(&gaussian, &states, rngs);
    let tuning = Tuning::uniform(NUM_CHAINS, 1.0);
    let mut info = vec![StepInfo::default(); NUM_CHAINS];
    for _ in 0..20 {
        Ula.step(&gaussian, &tuning, &mut chains, &mut info);
    }
    for (d, exact) in exact.into_iter().enumerate() {
        let entry = chains.positions().entry(d);
        let squares: Vec<f64> = entry.iter().map(|x| x * x).collect();
        let (mean, error) = mean_and_error(&squares);
        assert!((mean - exact).abs() < 7.0 * error.sqrt(), "{mean} and not {exact}");
        assert!(error.sqrt() < 0.03 * exact / 2.0);
    }
}

/// Chains together, in two blocks and one by one: the same bits.
#[test]
fn bits_do_not_depend_on_the_grouping() {
    let transitions: [Box<dyn ChainTransition>; 6] = [
        Box::new(hmc(3, 1.0, MomentumFlips::Standard)),
        Box::new(hmc(2, 0.3, MomentumFlips::Reduced)),
        Box::new(Nuts::default()),
        Box::new(Mala),
        Box::new(Ula),
        Box::new(RandomWalk),
    ];
    with_cases(|case| {
        let dim = case.target.dim();
        let states = exact(case, 6);
        for transition in &transitions {
            let run_block = |first: usize, width: usize| -> Vec<u64> {
                let x: Vec<f64> = (first..first + width)
                    .flat_map(|chain| states[chain * 2 * dim..][..dim].to_vec())
                    .collect();
                let rngs =
                    (first..first + width).map(|chain| stream(7, Purpose::Chain, chain as u64));
                let mut chains = match case.beta {
                    None => Chains::new(case.target, &x, rngs.collect()),
                    Some(beta) => {
                        let path = case.target.as_annealed().unwrap();
                        Chains::annealed(path, &x, &vec![beta; width], rngs.collect())
                    }
                };
                let tuning = tuning(case, 1.3, first, width);
                let mut info = vec![StepInfo::default(); width];
                for _ in 0..20 {
                    transition.step(case.target, &tuning, &mut chains, &mut info);
                }
                let mut bits = Vec::new();
                for chain in 0..width {
                    for values in [&chains.position, &chains.momentum, &chains.grad] {
                        bits.extend(values.iter().skip(chain).step_by(width).map(|x| x.to_bits()));
                    }
                    bits.extend([chains.energy[chain], info[chain].acceptance].map(f64::to_bits));
                }
                bits
            };
            let together = run_block(0, 11);
            assert_eq!([run_block(0, 4), run_block(4, 7)].concat(), together);
            let alone: Vec<u64> = (0..11).flat_map(|chain| run_block(chain, 1)).collect();
            assert_eq!(alone, together);
        }
    });
}
