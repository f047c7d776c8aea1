//! The leapfrog integrator of Hamiltonian dynamics, `ẋ = v`, `v̇ = −∂E/∂x`
//! (Sohl-Dickstein 2012, eq. 1.17 and 1.18), in the order kick, drift, kick:
//!
//! `v ← v − (ε/2) ∂E/∂x`, `x ← x + ε v`, `v ← v − (ε/2) ∂E/∂x`.
//!
//! The gradient after a step is that of the next one's first kick, so a step
//! takes one gradient, and the energy for the acceptance comes with it. (The
//! thesis's 5.2.1 drifts first, which takes another evaluation for the energy.)
//! It is time-reversible and volume-preserving either way. The two half kicks between two steps are
//! made as one.
//!
//! If the model has constraints (half-spaces), the drift is that of a billiard ball: at a boundary
//! the momentum is reflected (5.2.1), and the rest of the drift continues from there. Following the
//! boundaries in the order they are hit keeps the step reversible in corners, too. With a map A
//! (see [`super::tuning`]) the reflection is that of y = A⁻¹x, where the dynamics has unit mass.

use super::chains::Chains;
use super::scratch::Ball;
use super::tuning::Tuning;
use crate::energy::HalfSpace;
use crate::linalg::{axpy, dot};
use crate::sample::target::Target;
use std::mem::take;

/// Makes `num_steps` leapfrog steps of all chains. A chain whose trajectory was given up, after too
/// many reflections, has an infinite energy afterwards.
///
/// # Panics
/// If the shapes do not match.
pub fn leapfrog(target: Target<'_>, tuning: &Tuning, chains: &mut Chains, num_steps: usize) {
    if num_steps == 0 {
        return;
    }
    chains.scratch.is_lost.clear();
    tuning.kick(0.5, &chains.grad, &mut chains.momentum, &mut chains.scratch.line);
    drift(target, tuning, chains);
    go_on(target, tuning, chains, num_steps);
}

/// [`leapfrog`], after saving the state of the chains ([`Chains::keep`]).
pub(crate) fn leapfrog_from_kept(
    target: Target<'_>,
    tuning: &Tuning,
    chains: &mut Chains,
    num_steps: usize,
) {
    let is_free = num_steps > 0 && target.constraints().is_empty();
    let Some(step) = tuning.plain_step().filter(|_| is_free) else {
        chains.keep();
        return leapfrog(target, tuning, chains, num_steps);
    };
    // The first kick and drift are one pass, from the saved arrays to the new ones.
    chains.keep_by_exchange();
    chains.scratch.is_lost.clear();
    let Chains { position, momentum, scratch, .. } = &mut *chains;
    let before = &scratch.before;
    let after = position.iter_mut().zip(momentum);
    let before = before.position.iter().zip(&before.momentum).zip(&before.grad);
    for ((x, v), ((x_before, v_before), grad)) in after.zip(before) {
        *v = v_before + -0.5 * step * grad;
        *x = x_before + step * *v;
    }
    go_on(target, tuning, chains, num_steps);
}

/// The steps after the first kick and drift.
fn go_on(target: Target<'_>, tuning: &Tuning, chains: &mut Chains, num_steps: usize) {
    for step in 1..=num_steps {
        let factor = if step == num_steps { 0.5 } else { 1.0 };
        evaluate_and_kick(target, tuning, chains, factor);
        chains.record();
        if step < num_steps {
            drift(target, tuning, chains);
        }
    }
    give_up_lost(chains);
}

/// Evaluates energies and gradients, and `v ← v − factor ε Aᵀ ∂E/∂x`.
fn evaluate_and_kick(target: Target<'_>, tuning: &Tuning, chains: &mut Chains, factor: f64) {
    if let Some(step) = tuning.plain_step()
        && chains.evaluate_and_kick(target, factor * step)
    {
        return;
    }
    chains.evaluate(target);
    tuning.kick(factor, &chains.grad, &mut chains.momentum, &mut chains.scratch.line);
}

/// Sets infinite energies for the chains that were lost in a drift.
pub(crate) fn give_up_lost(chains: &mut Chains) {
    for (energy, is_lost) in chains.energy.iter_mut().zip(&chains.scratch.is_lost) {
        if *is_lost {
            *energy = f64::INFINITY;
        }
    }
}

/// `x ← x + ε A v`, within the target's constraints.
pub(crate) fn drift(target: Target<'_>, tuning: &Tuning, chains: &mut Chains) {
    if target.constraints().is_empty() {
        let Chains { momentum, position, scratch, .. } = chains;
        tuning.drift(1.0, momentum, position, &mut scratch.line);
    } else {
        drift_inside(target.constraints(), tuning, chains);
    }
}

/// Maximum number of reflections in a drift; beyond it the trajectory is given up and rejected. As
/// the reverse trajectory has as many, the step stays reversible.
const MAX_REFLECTIONS: usize = 100;

/// `x ← x + ε A v`, reflecting v at the boundaries.
fn drift_inside(constraints: &[HalfSpace], tuning: &Tuning, chains: &mut Chains) {
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
            let Some((hit, half_space)) = first_hit(constraints, x, velocity, time) else {
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

/// The first boundary that is crossed within `time`, and when.
fn first_hit<'a>(
    constraints: &'a [HalfSpace],
    x: &[f64],
    velocity: &[f64],
    time: f64,
) -> Option<(f64, &'a HalfSpace)> {
    let mut first: Option<(f64, &HalfSpace)> = None;
    for half_space in constraints {
        let speed = dot(&half_space.normal, velocity);
        if speed < 0.0 {
            // Rounding may put a point of the boundary slightly outside.
            let hit = ((half_space.offset - dot(&half_space.normal, x)) / speed).max(0.0);
            if hit < first.map_or(time, |(first, _)| first) {
                first = Some((hit, half_space));
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::gaussian::{Gaussian, GaussianSpec};
    use crate::models::ring::RingSpec;
    use crate::rng::{Purpose, stream};
    use crate::sample::annealed::Annealed;

    /// Steps from saved chains, in one pass or by a copy, have the same bits as steps in place, and
    /// the saved state is the old one. Chains have one step size or several, and one β, several or
    /// none.
    #[test]
    fn steps_from_what_is_kept_have_the_bits_of_steps_in_place() {
        let gaussian = |precision: f64| -> Gaussian {
            let precision = Some(vec![precision, 0.0, 0.0, precision]);
            GaussianSpec { dim: 2, mean: None, precision, covariance: None }.build().unwrap()
        };
        let (reference, ring) = (gaussian(0.7), RingSpec::default().build().unwrap());
        let path = Annealed::new(&reference, &ring, 0.5);
        let states = [0.5, 1.0, -1.0, 0.25, 1.5, -0.75];
        let rngs = || (0..3).map(|chain| stream(1, Purpose::Chain, chain)).collect();
        let tuning = |steps: [f64; 3]| Tuning { step_size: steps.to_vec(), ..Tuning::default() };
        let at = |betas: [f64; 3]| Chains::annealed(&path, &states, &betas, rngs());
        for (target, begun) in [
            (Target::Model(&ring), Chains::new(Target::Model(&ring), &states, rngs())),
            (Target::Annealed(&path), at([0.3; 3])),
            (Target::Annealed(&path), at([0.0; 3])),
            (Target::Annealed(&path), at([1.0, 0.2, 0.0])),
        ] {
            for tuning in [tuning([0.1; 3]), tuning([0.1, 0.2, 0.05])] {
                let mut fast = begun.clone();
                // Twice, so that there is saved memory to exchange with.
                for num_steps in [3, 1] {
                    fast.refresh_momentum(0.4);
                    let mut slow = fast.clone();
                    slow.keep();
                    tuning.kick(0.5, &slow.grad, &mut slow.momentum, &mut Vec::new());
                    for step in 1..=num_steps {
                        tuning.drift(1.0, &slow.momentum, &mut slow.position, &mut Vec::new());
                        slow.evaluate(target);
                        let factor = if step == num_steps { 0.5 } else { 1.0 };
                        tuning.kick(factor, &slow.grad, &mut slow.momentum, &mut Vec::new());
                    }
                    leapfrog_from_kept(target, &tuning, &mut fast, num_steps);
                    for _ in 0..2 {
                        assert_eq!(fast.position, slow.position);
                        assert_eq!(fast.momentum, slow.momentum);
                        assert_eq!(fast.energy, slow.energy);
                        assert_eq!(fast.grad, slow.grad);
                        assert_eq!(fast.ends, slow.ends);
                        // Returning restores the old state.
                        (0..3).for_each(|chain| fast.go_back(chain));
                        (0..3).for_each(|chain| slow.go_back(chain));
                    }
                    leapfrog(target, &tuning, &mut fast, num_steps);
                }
            }
        }
    }
}
