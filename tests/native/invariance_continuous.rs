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

use crate::exact_draws::compare::{difference, mean_and_error};
use crate::exact_draws::{
    Case, NUM_CHAINS, corner, draw_inside, exact, gaussian_2, run, tuning, with_cases,
};
use unnorm::energy::{Differentiable, Reference};
use unnorm::linalg::Batch;
use unnorm::math::ln;
use unnorm::models::ModelSpec;
use unnorm::models::conditional::ObservedSpec;
use unnorm::models::gaussian_rbm::GaussianRbmSpec;
use unnorm::models::ring::RingSpec;
use unnorm::rng::{Purpose, normal, stream, uniform};
use unnorm::sample::annealed_langevin::AnnealedLangevin;
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::{Mala, Ula};
use unnorm::sample::leapfrog::leapfrog;
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::real_block_gibbs::RealBlockGibbs;
use unnorm::sample::slice::SliceSampling;
use unnorm::sample::target::Target;
use unnorm::sample::tuning::{Scale, Tuning};

fn hmc(num_leapfrog_steps: usize, momentum_refresh: f64, momentum_flips: MomentumFlips) -> Hmc {
    Hmc { num_leapfrog_steps, momentum_refresh, momentum_flips }
}

fn slices(max_steps_out: usize) -> SliceSampling {
    SliceSampling { max_steps_out, is_descending: false }
}

#[test]
fn transitions_leave_the_distribution_as_it_is() {
    use MomentumFlips::{Reduced, Standard};
    let transitions: [(&str, Box<dyn ChainTransition>, f64); 10] = [
        ("HMC", Box::new(hmc(4, 1.0, Standard)), 1.0),
        ("HMC, partial refreshment", Box::new(hmc(1, 0.2, Standard)), 1.4),
        ("HMC, reduced flips", Box::new(hmc(1, 0.2, Reduced)), 1.4),
        ("HMC, reduced flips, longer", Box::new(hmc(3, 0.1, Reduced)), 1.2),
        ("NUTS", Box::new(Nuts::default()), 1.0),
        ("NUTS, shallow", Box::new(Nuts { max_depth: 2 }), 1.3),
        ("MALA", Box::new(Mala), 1.2),
        ("random walk", Box::new(RandomWalk), 1.5),
        ("slices", Box::new(slices(8)), 1.0),
        ("slices that are hardly stepped out of", Box::new(slices(1)), 0.7),
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

/// Three machines, one of them far from normal, and one of which two entries are observed.
#[test]
fn blocks_leave_the_distribution_as_it_is() {
    for (name, spec) in machines() {
        let machine = spec.build().unwrap();
        let reference = machine.as_reference().expect("few hidden units");
        let case = of_machine(name, machine.as_differentiable().unwrap(), reference);
        let (states, _) = run(&case, &RealBlockGibbs, 1.0, 3, exact(&case, 1));
        assert_eq!(difference(machine.dim(), &states, &exact(&case, 2)), None, "{name}");
        let (states, _) = run(&case, &OldUnits, 1.0, 3, exact(&case, 1));
        assert!(difference(machine.dim(), &states, &exact(&case, 2)).is_some(), "{name}");
    }
    // Given two entries the others are those of a smaller machine, whose hidden units have other biases.
    let whole = GaussianRbmSpec::random(4, 3, 1.2, 5);
    let (observed, weights) = ([0.8, -1.1], whole.weights.clone().unwrap());
    let line = |unit: usize| &weights[4 * unit..4 * unit + 4];
    let bias = |unit: usize| {
        let own = line(unit)[1] * observed[0] + line(unit)[3] * observed[1];
        whole.hidden_bias.as_ref().unwrap()[unit] + own
    };
    let visible = whole.visible_bias.clone().unwrap();
    let smaller = GaussianRbmSpec {
        num_visible: 2,
        num_hidden: 3,
        weights: Some((0..3).flat_map(|unit| [line(unit)[0], line(unit)[2]]).collect()),
        visible_bias: Some(vec![visible[0], visible[2]]),
        hidden_bias: Some((0..3).map(bias).collect()),
        sigma: None,
    };
    let given = ObservedSpec { sites: vec![1, 3], values: observed.to_vec() };
    let section = ModelSpec::GaussianRbm(whole).given(&given).unwrap().model.build().unwrap();
    let smaller = ModelSpec::GaussianRbm(smaller).build().unwrap();
    let reference = smaller.as_reference().unwrap();
    let case = of_machine("section", section.as_differentiable().unwrap(), reference);
    let (states, _) = run(&case, &RealBlockGibbs, 1.0, 3, exact(&case, 1));
    assert_eq!(difference(2, &states, &exact(&case, 2)), None);
}

fn machines() -> Vec<(&'static str, ModelSpec)> {
    let sigma = Some(vec![0.5, 1.5]);
    let far = Some(vec![3.0, -2.0, -2.5, 2.0]);
    vec![
        ("machine", ModelSpec::GaussianRbm(GaussianRbmSpec::random(3, 4, 0.9, 2))),
        (
            "machine, other widths",
            ModelSpec::GaussianRbm(GaussianRbmSpec {
                sigma,
                ..GaussianRbmSpec::random(2, 2, 1.1, 3)
            }),
        ),
        (
            "machine of separate modes",
            ModelSpec::GaussianRbm(GaussianRbmSpec {
                weights: far,
                ..GaussianRbmSpec::random(2, 2, 0.5, 4)
            }),
        ),
    ]
}

fn of_machine<'a>(
    name: &'static str,
    target: &'a dyn Differentiable,
    reference: &'a dyn Reference,
) -> Case<'a> {
    Case {
        name,
        target: Target::Model(target),
        beta: None,
        draw: Box::new(|rng, out| reference.draw(rng, out)),
        scale: Scale::Unit,
        step_size: 1.0,
    }
}

/// Blocks that draw the state twice from hidden units that belong to a third of it.
struct OldUnits;

impl ChainTransition for OldUnits {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        chains.position.iter_mut().for_each(|x| *x *= 0.3);
        RealBlockGibbs.step(target, tuning, chains, info);
    }
}

/// HMC that takes every proposal.
struct AcceptsAll;

impl ChainTransition for AcceptsAll {
    fn step(&self, target: Target<'_>, tuning: &Tuning, chains: &mut Chains, _: &mut [StepInfo]) {
        chains.refresh_momentum(1.0);
        leapfrog(target, tuning, chains, 3);
    }
}

/// HMC with partial refreshment that never turns round.
struct NeverTurns;

impl ChainTransition for NeverTurns {
    fn step(
        &self,
        target: Target<'_>,
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
        target: Target<'_>,
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

/// A walk that is stopped by a constraint, not reflected.
struct Clipped;

impl ChainTransition for Clipped {
    fn step(
        &self,
        target: Target<'_>,
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
        target: Target::Model(&ring),
        beta: None,
        draw: Box::new(|rng, out| ring.draw(rng, out)),
        scale: Scale::Unit,
        step_size: 0.8,
    };
    let corner = corner();
    let of_corner = Case {
        name: "corner",
        target: Target::Model(&corner),
        beta: None,
        draw: Box::new(|rng, out| draw_inside(&corner, rng, out)),
        scale: Scale::Unit,
        step_size: 0.9,
    };
    let kernels: [(&str, &Case<'_>, &dyn ChainTransition); 6] = [
        ("accepts all", &of_ring, &AcceptsAll),
        ("never turns", &of_ring, &NeverTurns),
        ("refreshes weakly", &of_ring, &WeakRefreshment),
        ("stops at a constraint", &of_corner, &Clipped),
        ("unadjusted Langevin", &of_ring, &Ula { temperature: 1.0 }),
        ("slices to one side", &of_ring, &OneSided),
    ];
    for (name, case, kernel) in kernels {
        let (states, _) = run(case, kernel, 1.4, 8, exact(case, 1));
        let problem = difference(2, &states, &exact(case, 2));
        println!("{name}: {problem:?}");
        assert!(problem.is_some(), "{name} is not caught");
    }
}

/// Slices whose intervals are widened on the right only, by as much as there is.
struct OneSided;

impl ChainTransition for OneSided {
    fn step(&self, target: Target<'_>, tuning: &Tuning, chains: &mut Chains, _: &mut [StepInfo]) {
        let width = chains.width();
        for chain in 0..width {
            let mut x = [0.0; 2];
            chains.state(chain, &mut x);
            let rng = &mut chains.rngs[chain];
            for d in 0..2 {
                let energy = |t: f64| {
                    let (mut moved, mut energy) = (x, [0.0]);
                    moved[d] += t;
                    target.energy(Batch::new(2, &moved), &mut energy);
                    energy[0]
                };
                let level = energy(0.0) - ln(1.0 - uniform(rng));
                let mut ends = [0.0, tuning.step_size[chain]];
                while energy(ends[1]) <= level {
                    ends[1] += tuning.step_size[chain];
                }
                let t = loop {
                    let t = ends[0] + uniform(rng) * (ends[1] - ends[0]);
                    if energy(t) <= level {
                        break t;
                    }
                    ends[1] = t;
                };
                x[d] += t;
            }
            (0..2).for_each(|d| chains.position[d * width + chain] = x[d]);
        }
        chains.evaluate(target);
    }
}

/// What a transition does from equilibrium its reversal does backward: E[x_i x′_j] of one is E[x_j x′_i] of the
/// other, for all i and j. Slices in ascending order are not their own reversal, which the test would see.
#[test]
fn reversals_go_back() {
    let gaussian = gaussian_2([1.0, 0.8, 0.8, 1.0]);
    let case = Case {
        name: "correlated Gaussian",
        target: Target::Model(&gaussian),
        beta: None,
        draw: Box::new(|rng, out| gaussian.draw(rng, out)),
        scale: Scale::Unit,
        step_size: 1.0,
    };
    let products = |transition: &dyn ChainTransition, seed: u64, [i, j]: [usize; 2]| {
        let start = exact(&case, seed);
        let (end, _) = run(&case, transition, 1.0, 1, start.clone());
        let pairs = start.chunks_exact(4).zip(end.chunks_exact(4));
        let products: Vec<f64> = pairs.map(|(before, after)| before[i] * after[j]).collect();
        let (mean, square) = mean_and_error(&products);
        (mean, square.sqrt())
    };
    let forward = slices(8);
    let backward = forward.reversed().expect("another one");
    for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let (there, back) = (products(&forward, 1, [i, j]), products(&*backward, 2, [j, i]));
        let error = (there.1 * there.1 + back.1 * back.1).sqrt();
        assert!((there.0 - back.0).abs() < 7.0 * error, "{i} {j}: {there:?} {back:?}");
    }
    let (up, down) = (products(&forward, 1, [0, 1]), products(&forward, 2, [1, 0]));
    assert!(
        (up.0 - down.0).abs() > 10.0 * (up.1 * up.1 + down.1 * down.1).sqrt(),
        "{up:?} {down:?}"
    );
}

/// Unadjusted Langevin dynamics on a Gaussian of variance σ² has the variance
/// T σ²/(1 − ε²/(4σ²)), here 4/3 and 16/15 of T σ²; within seven standard errors.
#[test]
fn the_bias_of_unadjusted_langevin_is_the_known_one() {
    let gaussian = gaussian_2([1.0, 0.0, 0.0, 0.25]);
    for temperature in [1.0, 0.3] {
        let mut rng = stream(3, Purpose::InitialState, 0);
        let exact = [1.0 / (1.0 - 0.25), 4.0 / (1.0 - 0.0625)].map(|ratio| temperature * ratio);
        let states: Vec<f64> =
            (0..2 * NUM_CHAINS).map(|at| f64::sqrt(exact[at % 2]) * normal(&mut rng)).collect();
        let rngs = (0..NUM_CHAINS).map(|chain| stream(4, Purpose::Chain, chain as u64)).collect();
        let mut chains = Chains::new(Target::Model(&gaussian), &states, rngs);
        let tuning = Tuning::uniform(NUM_CHAINS, 1.0);
        let mut info = vec![StepInfo::default(); NUM_CHAINS];
        for _ in 0..20 {
            Ula { temperature }.step(Target::Model(&gaussian), &tuning, &mut chains, &mut info);
        }
        for (d, exact) in exact.into_iter().enumerate() {
            let entry = chains.positions().entry(d);
            let squares: Vec<f64> = entry.iter().map(|x| x * x).collect();
            let (mean, error) = mean_and_error(&squares);
            assert!((mean - exact).abs() < 7.0 * error.sqrt(), "{mean} and not {exact}");
            assert!(error.sqrt() < 0.03 * exact / 2.0);
        }
    }
}

/// Annealed Langevin dynamics on a Gaussian of precision λ: at each noise σ a step makes the variance
/// `(1 − ε²σλ/2)² V + ε²σ²`; within seven standard errors.
#[test]
fn annealed_langevin_has_the_known_variance() {
    let precisions = [1.0, 0.25];
    let gaussian = gaussian_2([precisions[0], 0.0, 0.0, precisions[1]]);
    let (noises, num_steps, step_size) = ([2.0, 0.7, 0.2], 5, 0.8);
    let mut rng = stream(3, Purpose::InitialState, 0);
    let states: Vec<f64> = (0..2 * NUM_CHAINS).map(|_| 0.5 * normal(&mut rng)).collect();
    let rngs = (0..NUM_CHAINS).map(|chain| stream(4, Purpose::Chain, chain as u64)).collect();
    let mut chains = Chains::new(Target::Model(&gaussian), &states, rngs);
    let tuning = Tuning::uniform(NUM_CHAINS, step_size);
    let mut info = vec![StepInfo::default(); NUM_CHAINS];
    let transition = AnnealedLangevin { noises: noises.to_vec(), num_steps };
    let mut exact = [0.25; 2];
    for _ in 0..2 {
        transition.step(Target::Model(&gaussian), &tuning, &mut chains, &mut info);
        for (exact, precision) in exact.iter_mut().zip(precisions) {
            *exact += noises[0] * noises[0];
            for noise in noises {
                let square = step_size * step_size * noise;
                for _ in 0..num_steps {
                    let kept: f64 = 1.0 - square * precision / 2.0;
                    *exact = kept * kept * *exact + square * noise;
                }
            }
        }
    }
    assert!(info.iter().all(|info| info.num_gradients == 15 && !info.is_divergent));
    for (d, exact) in exact.into_iter().enumerate() {
        let squares: Vec<f64> = chains.positions().entry(d).iter().map(|x| x * x).collect();
        let (mean, error) = mean_and_error(&squares);
        assert!((mean - exact).abs() < 7.0 * error.sqrt(), "{mean} and not {exact}");
        assert!(error.sqrt() < 0.03 * exact / 2.0);
    }
}

/// Without noise, at temperature 0, it is gradient descent by ε²/2.
#[test]
fn langevin_without_noise_descends() {
    let gaussian = gaussian_2([1.0, 0.0, 0.0, 0.25]);
    let start = [2.0, -1.0];
    let mut chains =
        Chains::new(Target::Model(&gaussian), &start, vec![stream(4, Purpose::Chain, 0)]);
    let tuning = Tuning::uniform(1, 0.6);
    let mut info = [StepInfo::default()];
    for step in 1..=10 {
        Ula { temperature: 0.0 }.step(Target::Model(&gaussian), &tuning, &mut chains, &mut info);
        for (d, precision) in [1.0, 0.25].into_iter().enumerate() {
            let factor: f64 = 1.0 - 0.18 * precision;
            let expected = (0..step).fold(start[d], |x, _| factor * x);
            assert!((chains.positions().entry(d)[0] - expected).abs() < 1e-14);
        }
    }
}

/// Chains together, in two blocks and one by one: the same bits.
#[test]
fn bits_do_not_depend_on_the_grouping() {
    let transitions: [Box<dyn ChainTransition>; 8] = [
        Box::new(hmc(3, 1.0, MomentumFlips::Standard)),
        Box::new(hmc(2, 0.3, MomentumFlips::Reduced)),
        Box::new(Nuts::default()),
        Box::new(Mala),
        Box::new(Ula { temperature: 1.0 }),
        Box::new(AnnealedLangevin { noises: vec![0.5, 0.2], num_steps: 2 }),
        Box::new(RandomWalk),
        Box::new(slices(3)),
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
                        let Target::Annealed(path) = case.target else { panic!("a path") };
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
