//! Chains on ℝᴰ, several side by side, and what a transition tells of a step.
//!
//! A transition treats all chains of a block alike, entry by entry, and each
//! chain draws from its own stream: how chains are grouped into blocks, and so
//! how many workers share them, changes nothing about their numbers.

use crate::energy::Differentiable;
use crate::linalg::{Block, transpose};
use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};

/// A block of chains: where they are, how they move, and what they will draw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chains {
    dim: usize,
    /// x, dimension-major `[dim, width]`.
    pub position: Vec<f64>,
    /// v, `[dim, width]`, always N(0, I) in equilibrium: transitions that keep
    /// momentum from step to step find it here.
    pub momentum: Vec<f64>,
    /// E(x), `[width]`.
    pub energy: Vec<f64>,
    /// ∂E/∂x, `[dim, width]`.
    pub grad: Vec<f64>,
    /// Each chain's stream.
    pub rngs: Vec<ChainRng>,
    /// Where one chain's trajectory has been, while anybody wants to know.
    #[serde(skip)]
    pub path: Option<Path>,
    /// Where the step began.
    #[serde(skip)]
    before: Before,
}

/// The trajectory of one chain in a step: for pictures.
#[derive(Debug, Clone, Default)]
pub struct Path {
    /// Which chain of the block.
    pub chain: usize,
    /// Its positions from the start of the step to the proposal, `[points, dim]`.
    pub points: Vec<f64>,
}

/// A copy of positions, momenta, energies and gradients.
#[derive(Debug, Clone, Default)]
struct Before {
    position: Vec<f64>,
    momentum: Vec<f64>,
    energy: Vec<f64>,
    grad: Vec<f64>,
}

impl Chains {
    /// Chains at `states` (one after another, `[width, dim]`), at rest, with
    /// their energies under `target`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn new(target: &dyn Differentiable, states: &[f64], rngs: Vec<ChainRng>) -> Self {
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
            path: None,
            before: Before::default(),
        };
        chains.evaluate(target);
        chains
    }

    /// Entries a state.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of chains.
    pub fn width(&self) -> usize {
        self.rngs.len()
    }

    /// The positions.
    pub fn positions(&self) -> Block<'_> {
        Block::new(self.dim, &self.position)
    }

    /// Brings energies and gradients up to date, after the positions or the
    /// target changed: a chain moves on under any target of its dimension.
    pub fn evaluate(&mut self, target: &dyn Differentiable) {
        target.energy_grad(Block::new(self.dim, &self.position), &mut self.energy, &mut self.grad);
    }

    /// Writes the position of one chain to `out`.
    ///
    /// # Panics
    /// If there is no such chain, or `out` has not the dimension.
    pub fn state(&self, chain: usize, out: &mut [f64]) {
        assert!(chain < self.width() && out.len() == self.dim);
        for (out, entry) in out.iter_mut().zip(self.position.chunks_exact(self.width())) {
            *out = entry[chain];
        }
    }

    /// Remembers where the chains are, to go back to.
    pub fn keep(&mut self) {
        self.before.position.clone_from(&self.position);
        self.before.momentum.clone_from(&self.momentum);
        self.before.energy.clone_from(&self.energy);
        self.before.grad.clone_from(&self.grad);
        if let Some(path) = &mut self.path {
            path.points.clear();
        }
        self.record();
    }

    /// Takes one chain back to where it was kept, its momentum too.
    ///
    /// # Panics
    /// If there is no such chain, or nothing was kept.
    pub fn go_back(&mut self, chain: usize) {
        let width = self.width();
        for d in 0..self.dim {
            let at = d * width + chain;
            self.position[at] = self.before.position[at];
            self.momentum[at] = self.before.momentum[at];
            self.grad[at] = self.before.grad[at];
        }
        self.energy[chain] = self.before.energy[chain];
    }

    /// Turns the momentum of one chain round.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn flip(&mut self, chain: usize) {
        let width = self.width();
        self.momentum.iter_mut().skip(chain).step_by(width).for_each(|v| *v = -*v);
    }

    /// Adds a point to the path, if there is one.
    pub fn record(&mut self) {
        if let Some(path) = &mut self.path {
            let width = self.rngs.len();
            path.points.extend(self.position.iter().skip(path.chain).step_by(width));
        }
    }

    /// ½ v·v of each chain.
    pub fn kinetic_energy(&self, out: &mut [f64]) {
        out.fill(0.0);
        for entry in self.momentum.chunks_exact(self.width()) {
            for (out, v) in out.iter_mut().zip(entry) {
                *out += 0.5 * v * v;
            }
        }
    }

    /// The chains at these places, as a block of their own.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn select(&self, places: &[usize]) -> Self {
        Self {
            dim: self.dim,
            position: select(&self.position, self.width(), places),
            momentum: select(&self.momentum, self.width(), places),
            energy: select(&self.energy, self.width(), places),
            grad: select(&self.grad, self.width(), places),
            rngs: places.iter().map(|&place| self.rngs[place].clone()).collect(),
            path: None,
            before: Before::default(),
        }
    }

    /// Puts chains back to the places they were selected from.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn put_back(&mut self, places: &[usize], chains: &Self) {
        assert_eq!(places.len(), chains.width());
        let width = self.width();
        put_back(&mut self.position, width, places, &chains.position);
        put_back(&mut self.momentum, width, places, &chains.momentum);
        put_back(&mut self.energy, width, places, &chains.energy);
        put_back(&mut self.grad, width, places, &chains.grad);
        for (&place, rng) in places.iter().zip(&chains.rngs) {
            self.rngs[place] = rng.clone();
        }
    }
}

/// Columns of a dimension-major array.
pub(crate) fn select(values: &[f64], width: usize, places: &[usize]) -> Vec<f64> {
    values.chunks_exact(width).flat_map(|entry| places.iter().map(|&place| entry[place])).collect()
}

fn put_back(values: &mut [f64], width: usize, places: &[usize], from: &[f64]) {
    if places.is_empty() {
        return;
    }
    for (entry, from) in values.chunks_exact_mut(width).zip(from.chunks_exact(places.len())) {
        for (&place, value) in places.iter().zip(from) {
            entry[place] = *value;
        }
    }
}

/// What a step did with one chain; never needed to take the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepInfo {
    /// The chance there was to accept the proposal (the mean over the tree for
    /// NUTS): what step sizes are adapted to.
    pub acceptance: f64,
    /// Whether the chain moved.
    pub is_accepted: bool,
    /// Whether the momentum was turned round.
    pub is_flipped: bool,
    /// Whether the energy error was so large ([`MAX_ENERGY_ERROR`]), or no
    /// number, that the trajectory says nothing of the target.
    pub is_divergent: bool,
    /// Total energy after the proposal minus before.
    pub energy_error: f64,
    /// Gradients it took.
    pub num_gradients: usize,
}

/// An energy error above this is a divergence (as in Stan).
pub const MAX_ENERGY_ERROR: f64 = 1000.0;

/// A Markov transition of chains on ℝᴰ that leaves `p(x) ∝ exp(−E(x))`
/// unchanged. It holds its settings and nothing of the chains or the target,
/// so any distribution on the way of an annealing path will do as the target.
pub trait ChainTransition: Send + Sync {
    /// Moves every chain of the block by one step. `chains` are up to date
    /// with the target before and after; `info` has an entry a chain.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &super::tuning::Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    );
}
