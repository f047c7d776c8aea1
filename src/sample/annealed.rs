//! Distributions on the geometric path from a reference to a target: `E_β(x) = (1 − β)
//! E_reference(x) + β E_target(x)`, β from 0 to 1.
//!
//! Besides their positions, chains keep β and the energies and gradients of both ends ([`Ends`]).
//! So each chain may have its own β and change it without another evaluation, which makes tempering
//! and annealing cheap.
//!
//! The target does not count at β = 0, nor the reference at β = 1, even where its energy is
//! infinite.

use super::columns::select;
use super::tuning::all_equal;
use crate::energy::{Differentiable, Energy, HalfSpace};
use crate::linalg::{Batch, Block};
use serde::{Deserialize, Serialize};
use std::mem::swap;

/// The geometric path between two models.
#[derive(Clone)]
pub struct Annealed<'a> {
    /// The end at β = 0.
    pub reference: &'a dyn Differentiable,
    /// The end at β = 1.
    pub target: &'a dyn Differentiable,
    /// The β of all states that have no β of their own.
    pub beta: f64,
    /// The constraints of both ends, all of which hold on the path.
    constraints: Vec<HalfSpace>,
}

impl<'a> Annealed<'a> {
    /// The path between two models, at one β.
    ///
    /// # Panics
    /// If the dimensions differ, or β is not between 0 and 1.
    pub fn new(
        reference: &'a dyn Differentiable,
        target: &'a dyn Differentiable,
        beta: f64,
    ) -> Self {
        assert_eq!(reference.dim(), target.dim(), "both ends have the same dimension");
        assert!((0.0..=1.0).contains(&beta), "beta is {beta}");
        let mut constraints = target.constraints().to_vec();
        for half_space in reference.constraints() {
            if !constraints.contains(half_space) {
                constraints.push(half_space.clone());
            }
        }
        Self { reference, target, beta, constraints }
    }
}

impl Energy for Annealed<'_> {
    fn dim(&self) -> usize {
        self.target.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let mut at_reference = vec![0.0; out.len()];
        self.reference.energy(x, &mut at_reference);
        self.target.energy(x, out);
        out.iter_mut()
            .zip(at_reference)
            .for_each(|(out, from)| *out = between(self.beta, from, *out));
    }
}

impl Differentiable for Annealed<'_> {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let mut ends = Ends::new(x.dim(), &vec![self.beta; x.width()]);
        ends.evaluate(self, x);
        ends.mix(energy, grad);
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.constraints
    }
}

/// `(1 − β) from + β to`; at β = 0 or 1 that end alone, even if the other is infinite.
#[inline(always)]
fn between(beta: f64, from: f64, to: f64) -> f64 {
    let mixed = (1.0 - beta) * from + beta * to;
    let mixed = if beta == 0.0 { from } else { mixed };
    if beta == 1.0 { to } else { mixed }
}

/// β of several states on the path, and their energies and gradients at both ends.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// β of each state, `[width]`.
    pub beta: Vec<f64>,
    /// Energies under reference and target, `[2][width]`, in nats.
    pub energy: [Vec<f64>; 2],
    /// Their gradients, `[2][dim, width]`, dimension-major.
    #[serde(with = "crate::bytes::numbers")]
    pub grad: [Vec<f64>; 2],
}

impl Clone for Ends {
    fn clone(&self) -> Self {
        let Self { beta, energy, grad } = self;
        Self { beta: beta.clone(), energy: energy.clone(), grad: grad.clone() }
    }

    /// Copies each field into the existing memory, which the derived implementation does not.
    fn clone_from(&mut self, from: &Self) {
        self.beta.clone_from(&from.beta);
        self.energy.clone_from(&from.energy);
        self.grad.clone_from(&from.grad);
    }
}

impl Ends {
    /// Zeroed storage for states at these β.
    pub fn new(dim: usize, beta: &[f64]) -> Self {
        let zeros = |count: usize| [vec![0.0; count], vec![0.0; count]];
        let width = beta.len();
        Self { beta: beta.to_vec(), energy: zeros(width), grad: zeros(dim * width) }
    }

    /// Whether the lengths are those of `width` states, and each β is between 0 and 1.
    pub fn is_valid(&self, dim: usize, width: usize) -> bool {
        self.beta.len() == width
            && self.beta.iter().all(|beta| (0.0..=1.0).contains(beta))
            && self.energy.iter().all(|energy| energy.len() == width)
            && self.grad.iter().all(|grad| grad.len() == dim * width)
    }

    /// Takes the energies and gradients of `now`, and leaves it arrays of the same shape.
    pub(crate) fn exchange(&mut self, now: &mut Self) {
        self.beta.clone_from(&now.beta);
        let energies = self.energy.iter_mut().zip(&mut now.energy);
        for (before, now) in energies.chain(self.grad.iter_mut().zip(&mut now.grad)) {
            before.resize(now.len(), 0.0);
            swap(before, now);
        }
    }

    /// Evaluates both ends at `x`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn evaluate(&mut self, path: &Annealed<'_>, x: Block<'_>) {
        let [at_reference, at_target] = &mut self.energy;
        let [grad_reference, grad_target] = &mut self.grad;
        path.reference.energy_grad(x, at_reference, grad_reference);
        path.target.energy_grad(x, at_target, grad_target);
    }

    /// Writes the energies and gradients at each state's β.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn mix(&self, energy: &mut [f64], grad: &mut [f64]) {
        let width = self.beta.len();
        assert!(energy.len() == width && grad.len() == self.grad[0].len());
        let ends = self.energy[0].iter().zip(&self.energy[1]);
        for ((energy, beta), (from, to)) in energy.iter_mut().zip(&self.beta).zip(ends) {
            *energy = between(*beta, *from, *to);
        }
        if let Some(beta) = all_equal(&self.beta)
            && 0.0 < beta
            && beta < 1.0
        {
            // Equal β for all entries.
            for (grad, (from, to)) in grad.iter_mut().zip(self.grad[0].iter().zip(&self.grad[1])) {
                *grad = (1.0 - beta) * from + beta * to;
            }
            return;
        }
        let ends = self.grad[0].chunks_exact(width).zip(self.grad[1].chunks_exact(width));
        for (grad, (from, to)) in grad.chunks_exact_mut(width).zip(ends) {
            for (((grad, beta), from), to) in grad.iter_mut().zip(&self.beta).zip(from).zip(to) {
                *grad = between(*beta, *from, *to);
            }
        }
    }

    /// [`Ends::mix`] followed by `momentum −= step · grad`, for states that all have the same β.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub(crate) fn mix_and_kick(
        &self,
        beta: f64,
        step: f64,
        energy: &mut [f64],
        grad: &mut [f64],
        momentum: &mut [f64],
    ) {
        for (energy, (from, to)) in
            energy.iter_mut().zip(self.energy[0].iter().zip(&self.energy[1]))
        {
            *energy = between(beta, *from, *to);
        }
        assert!(grad.len() == self.grad[0].len() && momentum.len() == grad.len());
        let ends = self.grad[0].iter().zip(&self.grad[1]);
        let entries = grad.iter_mut().zip(momentum).zip(ends);
        if 0.0 < beta && beta < 1.0 {
            for ((grad, v), (from, to)) in entries {
                *grad = (1.0 - beta) * from + beta * to;
                *v += -step * *grad;
            }
        } else {
            for ((grad, v), (from, to)) in entries {
                *grad = between(beta, *from, *to);
                *v += -step * *grad;
            }
        }
    }

    /// [`Ends::mix`] for one state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn mix_one(&self, state: usize, energy: &mut [f64], grad: &mut [f64]) {
        let (width, beta) = (self.beta.len(), self.beta[state]);
        energy[state] = between(beta, self.energy[0][state], self.energy[1][state]);
        for at in (state..grad.len()).step_by(width) {
            grad[at] = between(beta, self.grad[0][at], self.grad[1][at]);
        }
    }

    /// `E_target − E_reference`, which is `∂E_β/∂β`, for one state.
    pub fn difference(&self, state: usize) -> f64 {
        self.energy[1][state] - self.energy[0][state]
    }

    /// [`Ends::difference`] for each state.
    pub fn differences(&self) -> impl Iterator<Item = f64> + '_ {
        self.energy[0].iter().zip(&self.energy[1]).map(|(from, to)| to - from)
    }

    /// Copies the states at these places to `to`.
    pub(crate) fn select(&self, places: &[usize], to: &mut Self) {
        let width = self.beta.len();
        select(&self.beta, width, places, &mut to.beta);
        for end in 0..2 {
            select(&self.energy[end], width, places, &mut to.energy[end]);
            select(&self.grad[end], width, places, &mut to.grad[end]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::gaussian::{Gaussian, GaussianSpec};
    use crate::models::ring::RingSpec;
    use crate::rng::{Purpose, stream};
    use crate::sample::chains::Chains;
    use crate::sample::target::Target;

    fn wide() -> Gaussian {
        GaussianSpec { dim: 2, mean: None, precision: None, covariance: Some(vec![4., 1., 1., 2.]) }
            .build()
            .unwrap()
    }

    /// Energies and gradients agree with their definition, for chains moved to their β, for chains
    /// started there, and for a path at one β.
    #[test]
    fn chains_are_where_their_beta_says() {
        let (reference, target) = (wide(), RingSpec::default().build().unwrap());
        let states = [0.5, 1.0, -2.0, 0.25, 1.5, -0.75, 0.1, 0.2];
        let betas = [0.0, 0.3, 0.8, 1.0];
        let rngs = || (0..4).map(|chain| stream(1, Purpose::Chain, chain)).collect();
        let path = Annealed::new(&reference, &target, 0.5);
        let begun = Chains::annealed(&path, &states, &betas, rngs());
        let mut moved = Chains::annealed(&path, &states, &[0.5; 4], rngs());
        (0..4).for_each(|chain| moved.set_beta(chain, betas[chain]));
        let [from, to] = [
            Chains::new(Target::Model(&reference), &states, rngs()),
            Chains::new(Target::Model(&target), &states, rngs()),
        ];
        for chain in 0..4 {
            let beta = betas[chain];
            let at_one = Annealed::new(&reference, &target, beta);
            let alone = Chains::new(
                Target::Annealed(&at_one),
                &states[2 * chain..][..2],
                vec![stream(1, Purpose::Chain, 0)],
            );
            let mut energy = [0.0];
            at_one.energy(Batch::new(2, &states[2 * chain..][..2]), &mut energy);
            let mix = |a: f64, b: f64| (1.0 - beta) * a + beta * b;
            let expected = mix(from.energy[chain], to.energy[chain]);
            for energy in [begun.energy[chain], moved.energy[chain], alone.energy[0], energy[0]] {
                assert!((energy - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{chain}");
            }
            for d in 0..2 {
                let at = d * 4 + chain;
                let expected = mix(from.grad[at], to.grad[at]);
                for grad in [begun.grad[at], moved.grad[at], alone.grad[d]] {
                    assert!((grad - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{chain}");
                }
            }
        }
        // Exchanged states have the β of their new places.
        let mut swapped = begun.clone();
        swapped.swap(1, 3);
        let states = [0.5, 1.0, 0.1, 0.2, 1.5, -0.75, -2.0, 0.25];
        let expected = Chains::annealed(&path, &states, &betas, rngs());
        assert_eq!(swapped.position, expected.position);
        assert_eq!((swapped.energy, swapped.grad), (expected.energy, expected.grad));
        assert_eq!(swapped.ends, expected.ends);
    }

    /// The ring's energy at 0 is infinite, which does not matter at β = 0.
    #[test]
    fn an_end_that_does_not_count_may_be_infinite() {
        let (reference, target) = (wide(), RingSpec::default().build().unwrap());
        let path = Annealed::new(&reference, &target, 0.0);
        let rng = stream(1, Purpose::Chain, 0);
        let mut chain = Chains::annealed(&path, &[0.0, 0.0], &[0.0], vec![rng]);
        assert_eq!((chain.energy[0], &chain.grad[..]), (0.0, &[0.0, 0.0][..]));
        chain.set_beta(0, 0.5);
        assert_eq!(chain.energy[0], f64::INFINITY);
    }
}
