//! Blocks of chains on ℝᴰ that move side by side, and what a transition reports of a step.
//!
//! A transition treats all chains of a block the same, entry by entry, and each chain draws from
//! its own stream. So the grouping of chains into blocks, and the number of workers, change no
//! number.

mod places;
mod transition;

pub use transition::{
    AdaptationSpec, ChainTransition, ChainTransitionSpec, MAX_ENERGY_ERROR, StepInfo,
};

use super::annealed::{Annealed, Ends};
use super::columns::copy_column;
use super::posteriors::Observed;
use super::scratch::{Scratch, Snapshot};
use super::tuning::all_equal;
use crate::linalg::{Batch, Block, add_columns, transpose};
use crate::rng::{ChainRng, with_normals};
use crate::sample::target::Target;
use serde::{Deserialize, Serialize};
use std::mem::swap;

/// A block of chains: positions, momenta, energies, gradients and random streams.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Chains {
    dim: usize,
    /// The positions x, dimension-major `[dim, width]`.
    #[serde(with = "crate::bytes::numbers")]
    pub position: Vec<f64>,
    /// v, `[dim, width]`, always N(0, I) in equilibrium. Transitions that keep momentum from step
    /// to step find it here.
    #[serde(with = "crate::bytes::numbers")]
    pub momentum: Vec<f64>,
    /// The energies E(x), `[width]`, in nats.
    pub energy: Vec<f64>,
    /// The gradients ∂E/∂x, `[dim, width]`.
    #[serde(with = "crate::bytes::numbers")]
    pub grad: Vec<f64>,
    /// The random stream of each chain.
    pub rngs: Vec<ChainRng>,
    /// For chains between two distributions: each chain's β, and the energies and gradients at both
    /// ends.
    pub ends: Option<Ends>,
    /// For chains at rows of a generative model: the x of each chain.
    #[serde(skip)]
    observed: Option<Observed>,
    /// The trajectory of one chain, while it is recorded.
    #[serde(skip)]
    pub path: Option<Path>,
    /// Memory that steps reuse; its contents never affect the next step.
    #[serde(skip)]
    pub(crate) scratch: Scratch,
}

/// The trajectory of one chain in a step, for pictures.
#[derive(Debug, Clone, Default)]
pub struct Path {
    /// Index of the chain within the block.
    pub chain: usize,
    /// Its positions from the start of the step to the proposal, `[points, dim]`.
    pub points: Vec<f64>,
}

impl Chains {
    /// Chains at `states` (one after another, `[width, dim]`), with zero momentum, and their
    /// energies under `target`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn new(target: Target<'_>, states: &[f64], rngs: Vec<ChainRng>) -> Self {
        let (dim, width) = (target.dim(), rngs.len());
        let mut position = vec![0.0; dim * width];
        transpose(dim, width, states, &mut position);
        let mut chains = Self {
            dim,
            momentum: vec![0.0; dim * width],
            energy: vec![0.0; width],
            grad: vec![0.0; dim * width],
            position,
            rngs,
            ends: None,
            observed: None,
            path: None,
            scratch: Scratch::default(),
        };
        chains.evaluate(target);
        chains
    }

    /// Chains of a generative model, each at its own x (`observed`, one after another, `[width,
    /// num_observed]`): the target of each is p(a|x).
    ///
    /// # Panics
    /// If the shapes do not match, or the target is not [`Target::Posteriors`].
    pub fn at_rows(
        target: Target<'_>,
        states: &[f64],
        observed: Batch<'_>,
        rngs: Vec<ChainRng>,
    ) -> Self {
        assert_eq!(observed.len(), rngs.len());
        let mut chains = Self::new(target, states, rngs);
        chains.observed = Some(Observed::new(observed));
        chains.evaluate(target);
        chains
    }

    /// Chains between the ends of `path`, each at its own β.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn annealed(
        path: &Annealed<'_>,
        states: &[f64],
        beta: &[f64],
        rngs: Vec<ChainRng>,
    ) -> Self {
        assert_eq!(beta.len(), rngs.len());
        let mut chains = Self::new(Target::Annealed(path), states, rngs);
        chains.ends = Some(Ends::new(chains.dim, beta));
        chains.evaluate(Target::Annealed(path));
        chains
    }

    /// Entries per state.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of chains.
    pub fn width(&self) -> usize {
        self.rngs.len()
    }

    /// Whether the lengths are those of `width` chains of one target, as they are unless a
    /// checkpoint was tampered with.
    pub fn is_valid(&self, dim: usize, width: usize) -> bool {
        self.ends.is_none() && self.has_shape(dim, width)
    }

    /// [`Chains::is_valid`] for chains between two ends.
    pub fn is_valid_annealed(&self, dim: usize, width: usize) -> bool {
        self.ends.as_ref().is_some_and(|ends| ends.is_valid(dim, width))
            && self.has_shape(dim, width)
    }

    fn has_shape(&self, dim: usize, width: usize) -> bool {
        self.dim == dim
            && self.rngs.len() == width
            && self.energy.len() == width
            && [&self.position, &self.momentum, &self.grad]
                .iter()
                .all(|values| values.len() == dim * width)
    }

    /// The positions.
    pub fn positions(&self) -> Block<'_> {
        Block::new(self.dim, &self.position)
    }

    /// Updates energies and gradients after the positions or the target changed: chains may
    /// continue under any target of their dimension.
    ///
    /// # Panics
    /// If the chains have their own β and the target has no ends, or if they have their own x and
    /// the target is not a posterior.
    pub fn evaluate(&mut self, target: Target<'_>) {
        let x = Block::new(self.dim, &self.position);
        if let Some(observed) = &self.observed {
            let Target::Posteriors(posteriors) = target else {
                panic!("posteriors of a generative model");
            };
            let observed = observed.as_block();
            return posteriors.energy_grad_at(observed, x, &mut self.energy, &mut self.grad);
        }
        match &mut self.ends {
            None => target.energy_grad(x, &mut self.energy, &mut self.grad),
            Some(ends) => {
                let Target::Annealed(path) = target else { panic!("a target between two ends") };
                ends.evaluate(path, x);
                ends.mix(&mut self.energy, &mut self.grad);
            }
        }
    }

    /// [`Chains::evaluate`] and `momentum −= step · grad` in one pass, for chains between two ends
    /// that are all at the same β. For other chains it does nothing and returns false.
    pub(crate) fn evaluate_and_kick(&mut self, target: Target<'_>, step: f64) -> bool {
        let Some(ends) = self.ends.as_mut().filter(|_| self.observed.is_none()) else {
            return false;
        };
        let Some(beta) = all_equal(&ends.beta) else { return false };
        let Target::Annealed(path) = target else { panic!("a target between two ends") };
        ends.evaluate(path, Block::new(self.dim, &self.position));
        ends.mix_and_kick(beta, step, &mut self.energy, &mut self.grad, &mut self.momentum);
        true
    }

    /// Moves a chain to another β, without an evaluation.
    ///
    /// # Panics
    /// If there is no such chain, or the chains have no β.
    pub fn set_beta(&mut self, chain: usize, beta: f64) {
        let ends = self.ends.as_mut().expect("chains between two ends");
        ends.beta[chain] = beta;
        ends.mix_one(chain, &mut self.energy, &mut self.grad);
    }

    /// Moves all chains to another β, without an evaluation.
    ///
    /// # Panics
    /// If the chains have no β.
    pub fn set_all_betas(&mut self, beta: f64) {
        let ends = self.ends.as_mut().expect("chains between two ends");
        ends.beta.fill(beta);
        ends.mix(&mut self.energy, &mut self.grad);
    }

    /// `E_target − E_reference` for each chain, which is `∂E_β/∂β`.
    ///
    /// # Panics
    /// If the chains have no β.
    pub fn differences(&self) -> impl Iterator<Item = f64> + '_ {
        self.ends.as_ref().expect("chains between two ends").differences()
    }

    /// Writes the position of one chain to `out`.
    ///
    /// # Panics
    /// If there is no such chain, or `out` has another dimension.
    pub fn state(&self, chain: usize, out: &mut [f64]) {
        assert!(chain < self.width() && out.len() == self.dim);
        for (out, entry) in out.iter_mut().zip(self.position.chunks_exact(self.width())) {
            *out = entry[chain];
        }
    }

    /// Copies the state of all chains to a snapshot.
    pub(crate) fn save_to(&self, snapshot: &mut Snapshot) {
        snapshot.position.clone_from(&self.position);
        snapshot.momentum.clone_from(&self.momentum);
        snapshot.energy.clone_from(&self.energy);
        snapshot.grad.clone_from(&self.grad);
        snapshot.ends.clone_from(&self.ends);
    }

    /// Copies a snapshot to the chains.
    pub(crate) fn restore_from(&mut self, snapshot: &Snapshot) {
        self.position.clone_from(&snapshot.position);
        self.momentum.clone_from(&snapshot.momentum);
        self.energy.clone_from(&snapshot.energy);
        self.grad.clone_from(&snapshot.grad);
        self.ends.clone_from(&snapshot.ends);
    }

    /// Saves the state of the chains, for [`Chains::go_back`].
    pub fn keep(&mut self) {
        let mut before = std::mem::take(&mut self.scratch.before);
        self.save_to(&mut before);
        self.scratch.before = before;
        if let Some(path) = &mut self.path {
            path.points.clear();
        }
        self.record();
    }

    /// [`Chains::keep`] for a move that overwrites positions, momenta, energies and gradients;
    /// until it has, they hold arbitrary earlier values.
    pub(crate) fn keep_by_exchange(&mut self) {
        if let Some(path) = &mut self.path {
            path.points.clear();
        }
        self.record();
        let Snapshot { position, momentum, energy, grad, ends } = &mut self.scratch.before;
        let fields = [
            (position, &mut self.position),
            (momentum, &mut self.momentum),
            (energy, &mut self.energy),
            (grad, &mut self.grad),
        ];
        for (before, now) in fields {
            before.resize(now.len(), 0.0);
            swap(before, now);
        }
        if let (Some(before), Some(now)) = (ends.as_mut(), &mut self.ends) {
            before.exchange(now);
        } else {
            ends.clone_from(&self.ends);
        }
    }

    /// Returns one chain to its saved state, including its momentum.
    ///
    /// # Panics
    /// If there is no such chain, or nothing was saved.
    pub fn go_back(&mut self, chain: usize) {
        let width = self.width();
        let before = &self.scratch.before;
        copy_column(&before.position, &mut self.position, width, chain);
        copy_column(&before.momentum, &mut self.momentum, width, chain);
        copy_column(&before.grad, &mut self.grad, width, chain);
        self.energy[chain] = before.energy[chain];
        if let (Some(ends), Some(before)) = (&mut self.ends, &before.ends) {
            for end in 0..2 {
                ends.energy[end][chain] = before.energy[end][chain];
                copy_column(&before.grad[end], &mut ends.grad[end], width, chain);
            }
        }
    }

    /// Reverses the momentum of one chain.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn flip(&mut self, chain: usize) {
        let width = self.width();
        self.momentum.iter_mut().skip(chain).step_by(width).for_each(|v| *v = -*v);
    }

    /// Adds a point to the path, if one is recorded.
    pub fn record(&mut self) {
        if let Some(path) = &mut self.path {
            let width = self.rngs.len();
            path.points.extend(self.position.iter().skip(path.chain).step_by(width));
        }
    }

    /// ½ v·v for each chain.
    pub fn kinetic_energy(&self, out: &mut [f64]) {
        out.fill(0.0);
        add_columns(&self.momentum, out, |_, v| 0.5 * v * v);
    }

    /// H = E(x) + ½ v·v for each chain (Sohl-Dickstein 2012, eq. 1.16).
    pub fn total_energy(&self, out: &mut Vec<f64>) {
        out.resize(self.width(), 0.0);
        self.kinetic_energy(out);
        out.iter_mut().zip(&self.energy).for_each(|(total, energy)| *total += energy);
    }

    /// `v ← √(1−γ) v + √γ r` with r ~ N(0, I): leaves N(0, I) unchanged, and γ = 1 replaces v.
    pub fn refresh_momentum(&mut self, gamma: f64) {
        let (kept, fresh) = ((1.0 - gamma).sqrt(), gamma.sqrt());
        let width = self.rngs.len();
        for (chain, rng) in self.rngs.iter_mut().enumerate() {
            with_normals(rng, &mut self.momentum, chain, width, |v, r| kept * v + fresh * r);
        }
    }

    /// `v ← factor v`.
    pub fn scale_momentum(&mut self, factor: f64) {
        self.momentum.iter_mut().for_each(|v| *v *= factor);
    }
}
