//! How fast chains on ℝᴰ move, natively, on one thread: `cargo bench --bench
//! sampling`. A row a target and number of chains: leapfrog steps of HMC a
//! second, over all chains, and what of the time its parts take. The fastest of
//! repeated runs; on a machine with other work that says more than the median.

// Benches are where clocks belong.
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::Instant;
use unnorm::energy::{Differentiable, Reference};
use unnorm::linalg::Block;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ring::RingSpec;
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::langevin::Mala;
use unnorm::sample::metropolis::RandomWalk;
use unnorm::sample::nuts::Nuts;
use unnorm::sample::target::Target;
use unnorm::sample::tuning::{Scale, Tuning};

/// Short runs, so that some go undisturbed.
const NUM_RUNS: usize = 60;

/// Seconds of the fastest run.
fn seconds(mut run: impl FnMut()) -> f64 {
    run();
    (0..NUM_RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

const DIM: usize = 100;
const HMC: Hmc =
    Hmc { num_leapfrog_steps: 10, momentum_refresh: 1.0, momentum_flips: MomentumFlips::Standard };

/// Draws a state exactly.
type Draw = Box<dyn Fn(&mut ChainRng, &mut [f64])>;

struct Example {
    name: &'static str,
    model: Box<dyn Differentiable>,
    draw: Draw,
    step_size: f64,
}

fn target<M: Differentiable + Reference + Clone + 'static>(
    name: &'static str,
    model: M,
    step_size: f64,
) -> Example {
    let copy = model.clone();
    Example {
        name,
        model: Box::new(model),
        draw: Box::new(move |r, out| copy.draw(r, out)),
        step_size,
    }
}

fn targets() -> [Example; 3] {
    let gaussian = |entry: &dyn Fn(usize, usize) -> f64| {
        let precision = (0..DIM * DIM).map(|at| entry(at / DIM, at % DIM)).collect();
        GaussianSpec { dim: DIM, mean: None, precision: Some(precision), covariance: None }
            .build()
            .expect("positive definite")
    };
    let dense = gaussian(&|i, j| if i == j { 2.0 } else { 1.0 / DIM as f64 });
    let diagonal = gaussian(&|i, j| if i == j { 1.0 + i as f64 / DIM as f64 } else { 0.0 });
    [
        target("100-dim dense Gaussian", dense, 0.2),
        target("100-dim diagonal Gaussian", diagonal, 0.2),
        target("ring", RingSpec::default().build().expect("sound"), 0.05),
    ]
}

fn start(target: &Example, width: usize) -> Chains {
    let dim = target.model.dim();
    let mut states = vec![0.0; dim * width];
    let mut rng = stream(1, Purpose::InitialState, 0);
    states.chunks_exact_mut(dim).for_each(|state| (target.draw)(&mut rng, state));
    let rngs = (0..width).map(|chain| stream(1, Purpose::Chain, chain as u64)).collect();
    Chains::new(Target::Model(&*target.model), &states, rngs)
}

/// Millions of gradients a second, over all chains.
fn rate(target: &Example, transition: &dyn ChainTransition, tuning: &Tuning, work: usize) -> f64 {
    let width = tuning.step_size.len();
    let mut chains = start(target, width);
    let mut info = vec![StepInfo::default(); width];
    let (mut fastest, mut count) = (f64::INFINITY, 0);
    for _ in 0..NUM_RUNS {
        let begin = Instant::now();
        count = 0;
        while count < work {
            transition.step(Target::Model(&*target.model), tuning, &mut chains, &mut info);
            count += info.iter().map(|info| info.num_gradients).sum::<usize>();
        }
        fastest = fastest.min(begin.elapsed().as_secs_f64() / count as f64);
    }
    black_box(count);
    1e-6 / fastest
}

fn main() {
    for target in targets() {
        let dim = target.model.dim();
        let work = if dim == 2 { 20_000 } else { 2_000 };
        for width in [1, 200] {
            let name = format!("{}, {width} chains", target.name);
            let tuning = Tuning::uniform(width, target.step_size);
            let steps = rate(&target, &HMC, &tuning, work);
            println!("{name:42} HMC  {steps:9.3} million leapfrog steps/s");
            let repeats = work / width;
            let each = 1e9 / (repeats * width) as f64;
            let mut chains = start(&target, width);
            let (mut energy, mut grad) = (chains.energy.clone(), chains.grad.clone());
            let gradient = seconds(|| {
                for _ in 0..repeats {
                    let x = Block::new(dim, black_box(&chains.position));
                    target.model.energy_grad(x, &mut energy, &mut grad);
                }
            });
            let mut line = Vec::new();
            let moves = seconds(|| {
                for _ in 0..repeats {
                    let Chains { position, momentum, grad, .. } = black_box(&mut chains);
                    tuning.kick(1e-9, grad, momentum, &mut line);
                    tuning.drift(1e-9, momentum, position, &mut line);
                }
            });
            let normals = seconds(|| {
                for _ in 0..repeats {
                    black_box(&mut chains).refresh_momentum(1.0);
                }
            });
            println!(
                "{:42} of a step: gradient {:.0} ns, kick and drift {:.0} ns; new momentum {:.0} ns",
                "",
                gradient * each,
                moves * each,
                normals * each
            );
        }
        for (name, transition) in [
            ("NUTS", &Nuts::default() as &dyn ChainTransition),
            ("MALA", &Mala),
            ("random walk", &RandomWalk),
        ] {
            for width in [1, 200] {
                let tuning = Tuning::uniform(width, target.step_size);
                let steps = rate(&target, transition, &tuning, work);
                let name = format!("{}, {width} chains, {name}", target.name);
                println!("{name:42}      {steps:9.3} million gradients/s");
            }
        }
        let diagonal = Scale::Diagonal(vec![0.9; dim * 200]);
        let unit: Vec<f64> =
            (0..dim * dim).map(|at| f64::from(u8::from(at / dim == at % dim))).collect();
        for (name, width, scale) in [
            ("diagonal map", 200, diagonal),
            ("dense map", 1, Scale::Dense(vec![unit.clone()])),
            ("dense map", 200, Scale::Dense(vec![unit; 200])),
        ] {
            let tuning = Tuning { step_size: vec![target.step_size; width], scale };
            let steps = rate(&target, &HMC, &tuning, work);
            let name = format!("{}, {width} chains, {name}", target.name);
            println!("{name:42} HMC  {steps:9.3} million leapfrog steps/s");
        }
    }
    let mut rng = stream(1, Purpose::Chain, 0);
    let normals = seconds(|| {
        black_box((0..10_000).map(|_| normal(&mut rng)).sum::<f64>());
    });
    println!("{:42} {:.2} ns", "a normal number", normals * 1e5);
}
