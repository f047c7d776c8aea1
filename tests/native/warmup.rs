//! Warm-up reaches the acceptance asked for and finds the scales of a target,
//! chain by chain, and goes on from its bytes to the same bits.

use unnorm::energy::Differentiable;
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::rng::{Purpose, stream};
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::Mala;
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::target::Target;
use unnorm::sample::tuning::{Scale, ScaleKind, Tuning};
use unnorm::sample::warmup::{Warmup, WarmupSettings};

const HMC: Hmc =
    Hmc { num_leapfrog_steps: 5, momentum_refresh: 1.0, momentum_flips: MomentumFlips::Standard };

/// Independent entries of these standard deviations.
fn gaussian(scales: &[f64]) -> Gaussian {
    let dim = scales.len();
    let mut precision = vec![0.0; dim * dim];
    for (d, scale) in scales.iter().enumerate() {
        precision[d * dim + d] = 1.0 / (scale * scale);
    }
    GaussianSpec { dim, mean: None, precision: Some(precision), covariance: None }.build().unwrap()
}

fn settings(transition: &dyn ChainTransition, num_steps: u64, scale: ScaleKind) -> WarmupSettings {
    WarmupSettings { num_steps, target_acceptance: transition.target_acceptance(), scale }
}

/// Chains at one standard deviation from the mean in every entry.
fn start(target: &dyn Differentiable, scales: &[f64], first: usize, width: usize) -> Chains {
    let states: Vec<f64> = (0..width).flat_map(|_| scales.to_vec()).collect();
    let rngs = (first..first + width).map(|chain| stream(2, Purpose::Chain, chain as u64));
    Chains::new(Target::Model(target), &states, rngs.collect())
}

/// Chains and their tuning after warm-up from a step size of 1.
fn warm_up(
    scales: &[f64],
    transition: &dyn ChainTransition,
    settings: WarmupSettings,
    first: usize,
    width: usize,
) -> (Chains, Tuning) {
    let target = gaussian(scales);
    let mut chains = start(&target, scales, first, width);
    let mut tuning = Tuning::uniform(width, 1.0);
    let mut warmup = Warmup::new(settings, scales.len(), width);
    let mut info = vec![StepInfo::default(); width];
    while !warmup.is_done() {
        warmup.step(Target::Model(&target), transition, &mut tuning, &mut chains, &mut info);
    }
    (chains, tuning)
}

#[test]
fn the_target_acceptance_is_reached_at_every_scale() {
    let transitions: [&dyn ChainTransition; 4] = [&HMC, &Nuts::default(), &Mala, &RandomWalk];
    for transition in transitions {
        for scale in [1e-3, 1.0, 1e3] {
            let scales = vec![scale; 10];
            let settings = settings(transition, 600, ScaleKind::Unit);
            let (mut chains, tuning) = warm_up(&scales, transition, settings, 0, 20);
            let target = gaussian(&scales);
            let mut info = vec![StepInfo::default(); 20];
            let mut sum = 0.0;
            for _ in 0..200 {
                transition.step(Target::Model(&target), &tuning, &mut chains, &mut info);
                sum += info.iter().map(|info| info.acceptance).sum::<f64>();
            }
            let mean = sum / (200.0 * 20.0);
            let wanted = settings.target_acceptance;
            println!("{wanted} at scale {scale}: {mean:.3}");
            assert!((mean - wanted).abs() < 0.06, "{mean} and not {wanted} at scale {scale}");
        }
    }
}

/// Scales over four orders of magnitude. The estimates are those of 500 draws
/// in the last window, shrunk towards 10⁻³ as Stan does.
#[test]
fn scales_are_recovered() {
    let scales = [0.05, 1.0, 20.0, 500.0];
    for kind in [ScaleKind::Diagonal, ScaleKind::Dense] {
        let transition = Nuts::default();
        let settings = settings(&transition, 1000, kind);
        let (_, tuning) = warm_up(&scales, &transition, settings, 0, 6);
        for (d, scale) in scales.iter().enumerate() {
            for chain in 0..6 {
                let found = match &tuning.scale {
                    Scale::Unit => panic!("no map was adapted"),
                    Scale::Diagonal(diagonal) => diagonal[d * 6 + chain],
                    Scale::Dense(matrices) => {
                        let line = &matrices[chain][d * 4..][..4];
                        line.iter().map(|value| value * value).sum::<f64>().sqrt()
                    }
                };
                assert!((found / scale - 1.0).abs() < 0.3, "{found} and not {scale}");
            }
        }
        // With the scales known, the step size is that of a unit Gaussian.
        assert!(tuning.step_size.iter().all(|step| (0.3..2.0).contains(step)));
    }
}

/// A correlation of 0.99 that a diagonal cannot see.
#[test]
fn dense_maps_follow_correlations() {
    let precision = vec![1.0, 0.99, 0.99, 1.0].into_iter().map(|x| x / (1.0 - 0.99 * 0.99));
    let target =
        GaussianSpec { dim: 2, mean: None, precision: Some(precision.collect()), covariance: None }
            .build()
            .unwrap();
    let transition = Nuts::default();
    let step_size = |kind: ScaleKind| {
        let mut chains = start(&target, &[1.0, -1.0], 0, 1);
        let mut tuning = Tuning::uniform(1, 1.0);
        let settings = settings(&transition, 600, kind);
        let mut warmup = Warmup::new(settings, 2, 1);
        let mut info = [StepInfo::default()];
        while !warmup.is_done() {
            warmup.step(Target::Model(&target), &transition, &mut tuning, &mut chains, &mut info);
        }
        tuning.step_size[0]
    };
    let (diagonal, dense) = (step_size(ScaleKind::Diagonal), step_size(ScaleKind::Dense));
    assert!(diagonal < 0.4 && dense > 0.6, "{diagonal} and {dense}");
}

fn bits(chains: &Chains, tuning: &Tuning) -> Vec<u8> {
    postcard::to_allocvec(&(chains, tuning)).unwrap()
}

/// Through bytes after every 40th step, with every kind of map.
#[test]
fn warm_up_resumes_to_the_same_bits() {
    let scales = [0.1, 1.0, 10.0];
    let target = gaussian(&scales);
    for kind in [ScaleKind::Unit, ScaleKind::Diagonal, ScaleKind::Dense] {
        let transition = Nuts::default();
        let settings = settings(&transition, 200, kind);
        let (chains, tuning) = warm_up(&scales, &transition, settings, 0, 3);
        let mut again = start(&target, &scales, 0, 3);
        let mut again_tuning = Tuning::uniform(3, 1.0);
        let mut warmup = Warmup::new(settings, 3, 3);
        let mut info = vec![StepInfo::default(); 3];
        for step in 0..200 {
            if step % 40 == 13 {
                let bytes = postcard::to_allocvec(&(&warmup, &again, &again_tuning)).unwrap();
                (warmup, again, again_tuning) = postcard::from_bytes(&bytes).unwrap();
            }
            warmup.step(
                Target::Model(&target),
                &transition,
                &mut again_tuning,
                &mut again,
                &mut info,
            );
        }
        assert!(warmup.is_done());
        assert_eq!(bits(&again, &again_tuning), bits(&chains, &tuning));
    }
}

#[test]
fn warm_up_does_not_depend_on_the_grouping() {
    let scales = [0.1, 1.0, 10.0];
    let transitions: [&dyn ChainTransition; 2] = [&HMC, &RandomWalk];
    for transition in transitions {
        for kind in [ScaleKind::Diagonal, ScaleKind::Dense] {
            let settings = settings(transition, 200, kind);
            let (chains, tuning) = warm_up(&scales, transition, settings, 0, 5);
            for chain in 0..5 {
                let alone = warm_up(&scales, transition, settings, chain, 1);
                let one = (chains.select(&[chain]), tuning.select(&[chain]));
                assert_eq!(bits(&alone.0, &alone.1), bits(&one.0, &one.1));
            }
        }
    }
}
