//! Targets with exact draws, and chains that begin with them.

pub mod compare;

use unnorm::energy::{Differentiable, Energy, HalfSpace, Reference};
use unnorm::linalg::{Batch, Block, transpose};
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::models::ring::{Ring, RingSpec};
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::annealed::Annealed;
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::target::Target;
use unnorm::sample::tuning::{Scale, Tuning};

pub const NUM_CHAINS: usize = 20_000;
pub const BLOCK: usize = 400;

/// A model restricted by half-spaces.
pub struct Restricted {
    model: Gaussian,
    constraints: Vec<HalfSpace>,
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

    fn constraints(&self) -> &[HalfSpace] {
        &self.constraints
    }
}

/// Draws until one is inside.
pub fn draw_inside(model: &Restricted, rng: &mut ChainRng, out: &mut [f64]) {
    loop {
        model.model.draw(rng, out);
        let along = |half_space: &HalfSpace| -> f64 {
            half_space.normal.iter().zip(&*out).map(|(n, x)| n * x).sum()
        };
        if model.constraints.iter().all(|half_space| along(half_space) >= half_space.offset) {
            return;
        }
    }
}

pub type Draw<'a> = Box<dyn Fn(&mut ChainRng, &mut [f64]) + 'a>;

/// A target, exact draws from it, and how steps are scaled to it.
pub struct Case<'a> {
    pub name: &'static str,
    pub target: Target<'a>,
    /// β of every chain, for a target between two ends.
    pub beta: Option<f64>,
    pub draw: Draw<'a>,
    pub scale: Scale,
    pub step_size: f64,
}

pub fn gaussian_3() -> Gaussian {
    GaussianSpec {
        dim: 3,
        mean: Some(vec![1.0, -2.0, 0.5]),
        precision: Some(vec![2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]),
        covariance: None,
    }
    .build()
    .unwrap()
}

pub fn gaussian_2(precision: [f64; 4]) -> Gaussian {
    GaussianSpec { dim: 2, mean: None, precision: Some(precision.to_vec()), covariance: None }
        .build()
        .unwrap()
}

/// A wedge around the mean with a corner near it, and a third constraint.
pub fn corner() -> Restricted {
    let constraint = |normal: [f64; 2], offset| HalfSpace { normal: normal.to_vec(), offset };
    Restricted {
        model: gaussian_2([1.0, 0.6, 0.6, 1.5]),
        constraints: vec![
            constraint([2.0, 0.0], -0.4),
            constraint([-0.5, 1.0], -0.3),
            constraint([0.0, -1.0], -1.0),
        ],
    }
}

pub const DIAGONAL: [f64; 3] = [0.7, 1.1, 0.4];
pub const DENSE: [f64; 9] = [0.7, 0.0, 0.0, -0.3, 1.0, 0.0, 0.1, -0.1, 0.5];

/// Positions and momenta, one state after another.
pub type States = Vec<f64>;

pub fn exact(case: &Case<'_>, seed: u64) -> States {
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

pub fn tuning(case: &Case<'_>, factor: f64, first: usize, width: usize) -> Tuning {
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
pub fn run(
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
                let Target::Annealed(path) = case.target else { panic!("a path") };
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

pub fn with_cases(check: impl Fn(&Case<'_>)) {
    let (gaussian, ring) = (gaussian_3(), RingSpec::default().build().unwrap());
    let wide = RingSpec { radius: 2.0, sharpness: 3.0 }.build().unwrap();
    let corner = corner();
    let (from, to) = (gaussian_2([0.5, 0.0, 0.0, 0.25]), gaussian_2([4.0, 1.0, 1.0, 2.0]));
    // ¾ of the way, which each chain says for itself; the path says otherwise.
    let path = Annealed::new(&from, &to, 0.0);
    let between = gaussian_2([3.125, 0.75, 0.75, 1.5625]);
    let of_gaussian = |name, scale, step_size| Case {
        name,
        target: Target::Model(&gaussian),
        beta: None,
        draw: Box::new(|rng: &mut ChainRng, out: &mut [f64]| gaussian.draw(rng, out)),
        scale,
        step_size,
    };
    fn of_ring<'a>(name: &'static str, ring: &'a Ring, step_size: f64) -> Case<'a> {
        Case {
            name,
            target: Target::Model(ring),
            beta: None,
            draw: Box::new(|rng: &mut ChainRng, out: &mut [f64]| ring.draw(rng, out)),
            scale: Scale::Unit,
            step_size,
        }
    }
    let of_corner = |name, scale| Case {
        name,
        target: Target::Model(&corner),
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
            target: Target::Annealed(&path),
            beta: Some(0.75),
            draw: Box::new(|rng, out| between.draw(rng, out)),
            scale: Scale::Unit,
            step_size: 0.7,
        },
    ];
    cases.iter().for_each(check);
}
