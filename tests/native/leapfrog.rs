//! The leapfrog integrator: time-reversible, volume-preserving and of second
//! order, with every kind of map and inside constraints.

use nalgebra::DMatrix;
use unnorm::energy::{Differentiable, Energy, HalfSpace};
use unnorm::linalg::{Batch, Block};
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ring::{Ring, RingSpec};
use unnorm::rng::{Purpose, normal, stream};
use unnorm::sample::chains::Chains;
use unnorm::sample::leapfrog::leapfrog;
use unnorm::sample::target::Target;
use unnorm::sample::tuning::{Scale, Tuning};

/// A wide ring, inside constraints or not.
struct Arena {
    ring: Ring,
    constraints: Vec<HalfSpace>,
}

impl Energy for Arena {
    fn dim(&self) -> usize {
        2
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.ring.energy(x, out);
    }
}

impl Differentiable for Arena {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.ring.energy_grad(x, energy, grad);
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.constraints
    }
}

fn arenas() -> [Arena; 2] {
    let ring = RingSpec { radius: 1.5, sharpness: 2.0 }.build().unwrap();
    let constraint = |normal: [f64; 2], offset| HalfSpace { normal: normal.to_vec(), offset };
    // A wedge with its corner at (0.2, 0.2), and a lid.
    let constraints = vec![
        constraint([1.0, 0.0], 0.2),
        constraint([0.0, 3.0], 0.6),
        constraint([-1.0, -1.0], -2.5),
    ];
    [Arena { ring, constraints: Vec::new() }, Arena { ring, constraints }]
}

fn tunings(width: usize, step_size: f64) -> [Tuning; 3] {
    let step_size = vec![step_size; width];
    let diagonal = [vec![0.8; width], vec![1.3; width]].concat();
    let dense = vec![vec![0.9, 0.0, -0.5, 1.2]; width];
    [Scale::Unit, Scale::Diagonal(diagonal), Scale::Dense(dense)]
        .map(|scale| Tuning { step_size: step_size.clone(), scale })
}

/// Chains inside the constraints, with momenta.
fn chains(target: &Arena, width: usize) -> Chains {
    let mut rng = stream(1, Purpose::Example, 0);
    let states: Vec<f64> =
        (0..width).flat_map(|chain| [0.3 + 0.8 * (chain as f64 / width as f64), 0.4]).collect();
    let rngs = vec![rng.clone(); width];
    let mut chains = Chains::new(Target::Model(target), &states, rngs);
    chains.momentum.fill_with(|| normal(&mut rng));
    chains
}

fn totals(chains: &Chains) -> Vec<f64> {
    let mut total = Vec::new();
    chains.total_energy(&mut total);
    total
}

#[test]
fn trajectories_are_reversible() {
    for arena in arenas() {
        for tuning in tunings(40, 0.15) {
            let start = chains(&arena, 40);
            let mut there = start.clone();
            leapfrog(Target::Model(&arena), &tuning, &mut there, 25);
            let moved = there.position.iter().zip(&start.position).map(|(a, b)| (a - b).abs());
            assert!(moved.sum::<f64>() > 10.0);
            for half_space in &arena.constraints {
                for chain in 0..40 {
                    let x = [there.position[chain], there.position[40 + chain]];
                    let along = half_space.normal[0] * x[0] + half_space.normal[1] * x[1];
                    assert!(along >= half_space.offset - 1e-12, "{x:?} is outside");
                }
            }
            there.momentum.iter_mut().for_each(|v| *v = -*v);
            leapfrog(Target::Model(&arena), &tuning, &mut there, 25);
            for (a, b) in there.position.iter().zip(&start.position) {
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
            for (a, b) in there.momentum.iter().zip(&start.momentum) {
                assert!((a + b).abs() < 1e-9, "{a} and {b}");
            }
        }
    }
}

/// The determinant of the Jacobian by central differences is 1. Where a constraint
/// is only just hit or missed it has no derivative, so few chains are asked.
#[test]
fn trajectories_preserve_volume() {
    for arena in arenas() {
        for tuning in tunings(1, 0.15) {
            let mut num_reflected = 0;
            for chain in 0..20 {
                let start = chains(&arena, 20).select(&[chain]);
                let end = |d: usize, step: f64| -> Vec<f64> {
                    let mut moved = start.clone();
                    match d {
                        0 | 1 => moved.position[d] += step,
                        _ => moved.momentum[d - 2] += step,
                    }
                    moved.evaluate(Target::Model(&arena));
                    leapfrog(Target::Model(&arena), &tuning, &mut moved, 10);
                    [moved.position, moved.momentum].concat()
                };
                let mut jacobian = DMatrix::zeros(4, 4);
                for d in 0..4 {
                    let (up, down) = (end(d, 1e-6), end(d, -1e-6));
                    for row in 0..4 {
                        jacobian[(row, d)] = (up[row] - down[row]) / 2e-6;
                    }
                }
                let free = Arena { ring: arena.ring, constraints: Vec::new() };
                let mut passed = start.clone();
                leapfrog(Target::Model(&free), &tuning, &mut passed, 10);
                num_reflected += usize::from(end(0, 0.0)[..2] != passed.position[..]);
                // A reflection turns the orientation.
                let determinant = jacobian.determinant().abs();
                assert!((determinant - 1.0).abs() < 1e-6, "{determinant}");
            }
            assert_eq!(num_reflected > 5, !arena.constraints.is_empty());
        }
    }
}

/// Half the step size, a quarter of the energy error.
#[test]
fn energy_errors_are_of_second_order() {
    let [arena, _] = arenas();
    let error = |refinement: usize, at: usize| -> f64 {
        let tuning = &tunings(40, 0.04 / refinement as f64)[at];
        let mut chains = chains(&arena, 40);
        let before = totals(&chains);
        leapfrog(Target::Model(&arena), tuning, &mut chains, 20 * refinement);
        let errors = totals(&chains).into_iter().zip(before).map(|(after, before)| after - before);
        errors.map(|error| error * error).sum::<f64>().sqrt()
    };
    for at in 0..3 {
        let (coarse, fine) = (error(1, at), error(2, at));
        assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse} and {fine}");
    }
}

/// A ball that would never come out of a corner is given up, not lost in it.
#[test]
fn endless_reflections_end_in_a_rejection() {
    let [arena, _] = arenas();
    // A gap of 10⁻⁴ across the flight.
    let constraints = vec![
        HalfSpace { normal: vec![1.0, 0.0], offset: 1.0 },
        HalfSpace { normal: vec![-1.0, 0.0], offset: -1.0001 },
    ];
    let arena = Arena { constraints, ..arena };
    let mut chains =
        Chains::new(Target::Model(&arena), &[1.00005, 0.5], vec![stream(1, Purpose::Chain, 0)]);
    chains.momentum = vec![1.0, 0.0];
    leapfrog(Target::Model(&arena), &Tuning::uniform(1, 1.0), &mut chains, 1);
    assert_eq!(chains.energy, [f64::INFINITY]);
    // A slower one has time for a few.
    let mut chains =
        Chains::new(Target::Model(&arena), &[1.00005, 0.5], vec![stream(1, Purpose::Chain, 0)]);
    chains.momentum = vec![1.0, 0.0];
    leapfrog(Target::Model(&arena), &Tuning::uniform(1, 1e-3), &mut chains, 1);
    assert!(chains.energy[0].is_finite());
}

/// Ten leapfrog steps along the axes are ten of the Gaussian as it stands, from the
/// same place and with the same momentum, rotated.
#[test]
fn trajectories_are_those_of_the_gaussian() {
    let (dim, width) = (40, 3);
    let band = |at: usize| match (at / dim).abs_diff(at % dim) {
        0 => 2.5,
        1 => -1.0,
        _ => 0.0,
    };
    let spec = GaussianSpec {
        dim,
        mean: Some((0..dim).map(|d| d as f64 / 7.0 - 3.0).collect()),
        precision: Some((0..dim * dim).map(band).collect()),
        covariance: None,
    };
    let gaussian = spec.build().expect("a Gaussian");
    let axes = gaussian.principal_axes().expect("axes");
    let mut rng = stream(5, Purpose::Chain, 0);
    let states: Vec<f64> = (0..2 * dim * width).map(|_| normal(&mut rng)).collect();
    let (states, momenta) = states.split_at(dim * width);
    let rngs = || (0..width as u64).map(|chain| stream(1, Purpose::Chain, chain)).collect();
    let mut along_states = vec![0.0; dim * width];
    for (x, y) in states.chunks_exact(dim).zip(along_states.chunks_exact_mut(dim)) {
        axes.to_axes(x, y);
    }
    let mut along = Chains::new(Target::Model(axes.along()), &along_states, rngs());
    along.momentum.copy_from_slice(momenta);
    let mut plain = Chains::new(Target::Model(&gaussian), states, rngs());
    // Q v is how far the state goes that goes along v.
    let mut origin = vec![0.0; dim * width];
    axes.from_axes(&vec![0.0; dim * width], &mut origin);
    axes.from_axes(momenta, &mut plain.momentum);
    plain.momentum.iter_mut().zip(&origin).for_each(|(moved, from)| *moved -= from);
    let tuning = Tuning::uniform(width, 0.3);
    leapfrog(Target::Model(axes.along()), &tuning, &mut along, 10);
    leapfrog(Target::Model(&gaussian), &tuning, &mut plain, 10);
    let mut back = vec![0.0; dim * width];
    axes.from_axes(&along.position, &mut back);
    for (back, x) in back.iter().zip(&plain.position) {
        assert!((back - x).abs() < 1e-12, "{back} {x}");
    }
    for (along, plain) in along.energy.iter().zip(&plain.energy) {
        assert!((along - plain).abs() < 1e-12 * plain, "{along} {plain}");
    }
    assert!(axes.along().gradient_cost() * 4 < gaussian.gradient_cost());
}
