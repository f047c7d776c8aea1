//! The leapfrog integrator of Hamiltonian dynamics, `ẋ = v`, `v̇ = −∂E/∂x`
//! (Sohl-Dickstein 2012, eq. 1.17 and 1.18), in the order kick, drift, kick:
//!
//! `v ← v − (ε/2) ∂E/∂x`, `x ← x + ε v`, `v ← v − (ε/2) ∂E/∂x`.
//!
//! The gradient after a step is that of the next one's first kick, so a step
//! takes one gradient, and the energy for the acceptance comes with it. (The
//! thesis's 5.2.1 drifts first, which takes another evaluation for the energy.)
//! Time-reversible and volume-preserving either way. Between two steps the two
//! half kicks are made as one.
//!
//! Where the model lives in half-spaces only, the drift is that of a billiard
//! ball: at a boundary the momentum is reflected (5.2.1), and the rest of the
//! drift goes on from there. Following the boundaries in the order they are hit
//! keeps the step reversible in corners, too. With a map A (see
//! [`super::tuning`]) the reflection is that of y = A⁻¹x, where the dynamics
//! has unit mass.

use super::chains::Chains;
use super::tuning::Tuning;
use crate::energy::{Differentiable, HalfSpace};
use crate::linalg::{axpy, dot};
use std::mem::take;

/// `num_steps` leapfrog steps of all chains. A chain whose trajectory had to be
/// given up, for too many reflections, has an infinite energy after it.
///
/// # Panics
/// If the shapes do not match.
pub fn leapfrog(
    target: &dyn Differentiable,
    tuning: &Tuning,
    chains: &mut Chains,
    num_steps: usize,
) {
    if num_steps == 0 {
        return;
    }
    chains.scratch.is_lost.clear();
    tuning.kick(0.5, &chains.grad, &mut chains.momentum, &mut chains.scratch.line);
    for step in 0..num_steps {
        drift(target, tuning, chains);
        chains.evaluate(target);
        let factor = if step + 1 == num_steps { 0.5 } else { 1.0 };
        tuning.kick(factor, &chains.grad, &mut chains.momentum, &mut chains.scratch.line);
        chains.record();
    }
    give_up_lost(chains);
}

/// Infinite energies for the chains that were lost in a drift.
pub(crate) fn give_up_lost(chains: &mut Chains) {
    for (energy, is_lost) in chains.energy.iter_mut().zip(&chains.scratch.is_lost) {
        if *is_lost {
            *energy = f64::INFINITY;
        }
    }
}

/// `x ← x + ε A v`, inside the target's half-spaces.
pub(crate) fn drift(target: &dyn Differentiable, tuning: &Tuning, chains: &mut Chains) {
    if target.half_spaces().is_empty() {
        let Chains { momentum, position, scratch, .. } = chains;
        tuning.drift(1.0, momentum, position, &mut scratch.line);
    } else {
        drift_inside(target.half_spaces(), tuning, chains);
    }
}

/// Reflections in a drift before the trajectory is given up and rejected. As
/// the way back has as many, this keeps the step reversible.
const MAX_REFLECTIONS: usize = 100;

/// One chain that flies between walls, its entries together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ball {
    x: Vec<f64>,
    v: Vec<f64>,
    /// A v.
    velocity: Vec<f64>,
    /// Aᵀn of the wall that is hit.
    normal: Vec<f64>,
}

/// `x ← x + ε A v`, reflecting v at the boundaries.
fn drift_inside(half_spaces: &[HalfSpace], tuning: &Tuning, chains: &mut Chains) {
    let (dim, width) = (chains.dim(), chains.width());
    let mut ball = take(&mut chains.scratch.ball);
    ball.velocity.resize(dim, 0.0);
    ball.normal.resize(dim, 0.0);
    chains.scratch.is_lost.resize(width, false);
    for chain in 0..width {
        let Ball { x, v, velocity, normal } = &mut ball;
        x.clear();
        x.extend(chains.position.iter().skip(chain).step_by(width));
        v.clear();
        v.extend(chains.momentum.iter().skip(chain).step_by(width));
        let mut time = tuning.step_size[chain];
        let mut num_reflections = 0;
        loop {
            tuning.push(chain, v, velocity);
            let Some((hit, half_space)) = first_hit(half_spaces, x, velocity, time) else {
                axpy(time, velocity, x);
                break;
            };
            axpy(hit, velocity, x);
            time -= hit;
            // In y the normal is Aᵀn, and v ← v − 2 (Aᵀn·v / |Aᵀn|²) Aᵀn.
            tuning.pull(chain, &half_space.normal, normal);
            axpy(-2.0 * dot(normal, v) / dot(normal, normal), normal, v);
            num_reflections += 1;
            if num_reflections == MAX_REFLECTIONS {
                chains.scratch.is_lost[chain] = true;
                break;
            }
        }
        for d in 0..dim {
            chains.position[d * width + chain] = x[d];
            chains.momentum[d * width + chain] = v[d];
        }
    }
    chains.scratch.ball = ball;
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
