//! Steps on ℝᴰ take no memory from the allocator: what they need, a chain keeps from step to step.

use cap::Cap;
use std::alloc::System;
use unnorm::models::ModelSpec;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::rng::{Purpose, stream};
use unnorm::sample::annealed::Annealed;
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::{Mala, Ula};
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::real_block_gibbs::RealBlockGibbs;
use unnorm::sample::slice::SliceSampling;
use unnorm::sample::target::Target;
use unnorm::sample::tuning::Tuning;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

const WIDTH: usize = 6;

/// How many bytes 100 steps take from the allocator, after those that make room for all that follow.
fn taken(mut step: impl FnMut()) -> usize {
    (0..500).for_each(|_| step());
    let before = ALLOCATOR.total_allocated();
    (0..100).for_each(|_| step());
    ALLOCATOR.total_allocated() - before
}

#[test]
fn steps_allocate_nothing() {
    let hmc = |momentum_refresh, momentum_flips| {
        Box::new(Hmc { num_leapfrog_steps: 3, momentum_refresh, momentum_flips })
    };
    let transitions: [(&str, Box<dyn ChainTransition>); 8] = [
        ("HMC", hmc(0.3, MomentumFlips::Standard)),
        ("HMC, reduced flips", hmc(0.3, MomentumFlips::Reduced)),
        ("NUTS", Box::new(Nuts { max_depth: 4 })),
        ("MALA", Box::new(Mala)),
        ("Langevin", Box::new(Ula { temperature: 1.0 })),
        ("random walk", Box::new(RandomWalk)),
        ("slices", Box::new(SliceSampling { max_steps_out: 10, is_descending: false })),
        ("block Gibbs", Box::new(RealBlockGibbs)),
    ];
    let mut at_fault = Vec::new();
    let mut specs = ModelSpec::examples();
    // Large enough for the kernels of large ones.
    specs.push(ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
        dim: 36,
        expert: Expert::StudentT,
        num_experts: None,
        filters: None,
        lambda: None,
    }));
    for spec in specs {
        let model = spec.build().expect("examples are sound");
        let Some(target) = model.as_differentiable() else { continue };
        let dim = target.dim();
        let reference = GaussianSpec { dim, mean: None, precision: None, covariance: None };
        let reference = reference.build().expect("sound");
        let path = Annealed::new(&reference, target, 0.5);
        let states = vec![0.5; WIDTH * dim];
        let rngs =
            || (0..WIDTH as u64).map(|chain| stream(1, Purpose::Chain, chain)).collect::<Vec<_>>();
        for (name, transition) in &transitions {
            let plain = Chains::new(Target::Model(target), &states, rngs());
            let annealed = Chains::annealed(&path, &states, &[0.5; WIDTH], rngs());
            let both: [(Target<'_>, _, _); 2] = [
                (Target::Model(target), plain, ""),
                (Target::Annealed(&path), annealed, ", annealed"),
            ];
            for (target, mut chains, how) in both {
                if *name == "block Gibbs" && target.as_block_draws().is_none() {
                    continue;
                }
                let tuning = Tuning::uniform(WIDTH, 0.1);
                let mut info = vec![StepInfo::default(); WIDTH];
                match taken(|| transition.step(target, &tuning, &mut chains, &mut info)) {
                    0 => {}
                    bytes => {
                        at_fault.push(format!("{} by {name}{how}: {bytes} bytes", model.kind()))
                    }
                }
            }
        }
    }
    assert!(at_fault.is_empty(), "{}", at_fault.join("\n"));
}
