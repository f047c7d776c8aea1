//! The leapfrog integrator of Hamiltonian dynamics, `ẋ = v`, `v̇ = −∂E/∂x`
//! (Sohl-Dickstein 2012, eq. 1.17 and 1.18), in the order kick, drift, kick:
//!
//! `v ← v − (ε/2) ∂E/∂x`, `x ← x + ε v`, `v ← v − (ε/2) ∂E/∂x`.
//!
//! The gradient after a step is that of the next one's first kick, so a step
//! takes one gradient, and the energy for the acceptance comes with it. (The
//! thesis's 5.2.1 drifts first, which takes another evaluation for the energy.)
//! Time-reversible and volume-preserving either way.
//!
//! Where the model lives in half-spaces only, the drift is that of a billiard
//! ball: at a boundary the momentum is reflected (5.2.1), and the rest of the
//! drift goes on from there. Following the boundaries in the order they are hit
//! keeps the step reversible in corners, too. With a map A (see
//! [`super::tuning`]) the reflection is that of y = A⁻¹x, where the dynamics
//! has unit mass.

use super::chains::Chains;
use super::tuning::{Scale, Tuning};
use crate::energy::{Differentiable, HalfSpace};
use crate::linalg::{axpy, dot};

/// `num_steps` leapfrog steps of all chains.
///
/// # Panics
/// If the shapes do not match.
pub fn leapfrog(
    target: &dyn Differentiable,
    tuning: &Tuning,
    chains: &mut Chains,
    num_steps: usize,
) {
    let mut is_lost = vec![false; chains.width()];
    for _ in 0..num_steps {
        tuning.kick(0.5, &chains.grad, &mut chains.momentum);
        if target.half_spaces().is_empty() {
            tuning.drift(1.0, &chains.momentum, &mut chains.position);
        } else {
            drift_inside(target.half_spaces(), tuning, chains, &mut is_lost);
        }
        chains.evaluate(target);
        tuning.kick(0.5, &chains.grad, &mut chains.momentum);
        chains.record();
    }
    for (energy, is_lost) in chains.energy.iter_mut().zip(is_lost) {
        if is_lost {
            *energy = f64::INFINITY;
        }
    }
}

/// Reflections in a drift before the trajectory is given up and rejected.
const MAX_REFLECTIONS: usize = 100;

/// `x ← x + εAv` inside the half-spaces, reflecting v at their boundaries.
fn drift_inside(
    half_spaces: &[HalfSpace],
    tuning: &Tuning,
    chains: &mut Chains,
    is_lost: &mut [bool],
) {
    let (dim, width) = (chains.dim(), chains.width());
    for chain in 0..width {
        let place = |d: usize| d * width + chain;
        let mut x: Vec<f64> = (0..dim).map(|d| chains.position[place(d)]).collect();
        let mut v: Vec<f64> = (0..dim).map(|d| chains.momentum[place(d)]).collect();
        let mut time = tuning.step_size[chain];
        let mut num_reflections = 0;
        loop {
            let velocity = push_forward(&tuning.scale, &v, width, chain);
            let Some((hit, half_space)) = first_hit(half_spaces, &x, &velocity, time) else {
                axpy(time, &velocity, &mut x);
                break;
            };
            axpy(hit, &velocity, &mut x);
            time -= hit;
            // In y the normal is Aᵀn, and v ← v − 2 (Aᵀn·v / |Aᵀn|²) Aᵀn.
            let normal = pull_back(&tuning.scale, &half_space.normal, width, chain);
            axpy(-2.0 * dot(&normal, &v) / dot(&normal, &normal), &normal, &mut v);
            num_reflections += 1;
            if num_reflections == MAX_REFLECTIONS {
                is_lost[chain] = true;
                break;
            }
        }
        for d in 0..dim {
            chains.position[place(d)] = x[d];
            chains.momentum[place(d)] = v[d];
        }
    }
}

/// The boundary that is left first within `time`, and when.
fn first_hit<'a>(
    half_spaces: &'a [HalfSpace],
    x: &[f64],
    velocity: &[f64],
    time: f64,
) -> Option<(f64, &'a HalfSpace)> {
    let mut first: Option<(f64, &HalfSpace)> = None;
    for half_space in half_spaces {
        let speed = dot(&half_space.normal, velocity);
        if speed < 0.0 {
            // Rounding may leave a point of the boundary a little outside.
            let hit = ((half_space.offset - dot(&half_space.normal, x)) / speed).max(0.0);
            if hit < first.map_or(time, |(first, _)| first) {
                first = Some((hit, half_space));
            }
        }
    }
    first
}

/// Aᵀn.
fn pull_back(scale: &Scale, normal: &[f64], width: usize, chain: usize) -> Vec<f64> {
    match scale {
        Scale::Unit => normal.to_vec(),
        Scale::Diagonal(diagonal) => {
            normal.iter().enumerate().map(|(d, n)| n * diagonal[d * width + chain]).collect()
        }
        Scale::Dense(matrices) => {
            let dim = normal.len();
            let line = |d: usize| &matrices[chain][d * dim..(d + 1) * dim];
            (0..dim).map(|at| (at..dim).map(|d| line(d)[at] * normal[d]).sum()).collect()
        }
    }
}

/// An.
fn push_forward(scale: &Scale, normal: &[f64], width: usize, chain: usize) -> Vec<f64> {
    match scale {
        Scale::Unit => normal.to_vec(),
        Scale::Diagonal(diagonal) => {
            normal.iter().enumerate().map(|(d, n)| n * diagonal[d * width + chain]).collect()
        }
        Scale::Dense(matrices) => {
            let lines = matrices[chain].chunks_exact(normal.len()).enumerate();
            lines.map(|(d, line)| (0..=d).map(|at| line[at] * normal[at]).sum()).collect()
        }
    }
}
