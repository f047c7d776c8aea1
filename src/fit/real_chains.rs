//! Chains on ℝᴰ that a fit moves between updates of its parameters.
//!
//! Between updates a chain is its position alone: each update draws new momenta, N(0, I), and all
//! random numbers of a chain in an update come from one stream. Chains move in blocks; the division
//! of chains into blocks, and of a block's steps into pieces, changes no number.

use super::step_size::StepSize;
use crate::energy::Differentiable;
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::{ChainRng, normal, uniform};
use crate::run::{PIECE, per_piece};
use crate::sample::chains::{AdaptationSpec, ChainTransition, Chains, StepInfo};
use crate::sample::hmc::HmcSpec;
use crate::sample::spec::{TransitionSpec, chain_kinds};
use crate::sample::target::Target;
use crate::sample::tuning::{Scale, ScaleKind, Tuning};
use crate::{Error, Result};
use std::ops::Range;

/// Maximum number of chains per block: the data of a step should stay in the nearer caches.
const MAX_WIDTH: usize = 64;

/// Draws of noise tried before one outside the target's constraints is accepted.
const MAX_TRIALS: usize = 100;

/// Independent noise: normal with a mean and a standard deviation for each entry, or uniform.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    mean: Vec<f64>,
    /// Standard deviations; of uniform noise half the lengths of its intervals.
    scale: Vec<f64>,
    is_uniform: bool,
}

impl Noise {
    /// Standard normal noise, N(0, I).
    pub fn standard(dim: usize) -> Self {
        Self { mean: vec![0.0; dim], scale: vec![1.0; dim], is_uniform: false }
    }

    /// Noise with the rows' means and standard deviations; 1 where a column does not vary.
    pub fn like(rows: Batch<'_>) -> Self {
        let count = rows.len().max(1) as f64;
        let sum = |term: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; rows.dim()];
            for row in rows.states() {
                sums.iter_mut().zip(row).enumerate().for_each(|(d, (sum, x))| *sum += term(d, *x));
            }
            sums.iter_mut().for_each(|sum| *sum /= count);
            sums
        };
        let mean = sum(&|_, x| x);
        let variance = sum(&|d, x| (x - mean[d]) * (x - mean[d]));
        let scale = variance.iter().map(|&v| if v > 0.0 { v.sqrt() } else { 1.0 }).collect();
        Self { mean, scale, is_uniform: false }
    }

    /// Noise that is uniform between the least and the greatest entry of each column.
    pub fn uniform_like(rows: Batch<'_>) -> Self {
        let ends = |pick: fn(f64, f64) -> f64, start: f64| {
            let mut ends = vec![start; rows.dim()];
            for row in rows.states() {
                ends.iter_mut().zip(row).for_each(|(end, x)| *end = pick(*end, *x));
            }
            ends
        };
        let (low, high) = (ends(f64::min, f64::INFINITY), ends(f64::max, f64::NEG_INFINITY));
        let both = || low.iter().zip(&high);
        Self {
            mean: both().map(|(low, high)| 0.5 * (low + high)).collect(),
            scale: both().map(|(low, high)| 0.5 * (high - low)).collect(),
            is_uniform: true,
        }
    }

    /// The mean of each entry.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The standard deviation of each entry; of uniform noise half the length of its interval.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Draws a state. If it violates the target's constraints it is reflected at their boundaries,
    /// and drawn again if that does not help.
    ///
    /// # Panics
    /// If `out` has another length.
    pub fn draw(&self, target: &dyn Differentiable, rng: &mut ChainRng, out: &mut [f64]) {
        for _ in 0..MAX_TRIALS {
            for ((out, mean), scale) in out.iter_mut().zip(&self.mean).zip(&self.scale) {
                let unit = if self.is_uniform { 2.0 * uniform(rng) - 1.0 } else { normal(rng) };
                *out = mean + scale * unit;
            }
            for half_space in target.constraints() {
                half_space.reflect(out);
            }
            if target.constraints().iter().all(|half_space| half_space.contains(out)) {
                return;
            }
        }
    }
}

/// The rows that chains of a generative model are at: `num_chains` chains per row, those of the
/// first row first.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Entries per row.
    pub dim: usize,
    /// The rows, one after another.
    pub values: &'a [f64],
    /// Chains per row.
    pub num_chains: usize,
}

impl<'a> Rows<'a> {
    /// The row of a chain.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn of(&self, chain: usize) -> &'a [f64] {
        &self.values[chain / self.num_chains * self.dim..][..self.dim]
    }
}

/// How chains of a fit move if nothing else is given: by Hamiltonian Monte Carlo, and those of counts by
/// block Gibbs sampling.
pub fn default_transition(model: &dyn Model) -> TransitionSpec {
    match (model.as_differentiable(), model.as_block_draws()) {
        (None, Some(_)) => TransitionSpec::BlockGibbs {},
        _ => TransitionSpec::Hmc(HmcSpec::default()),
    }
}

/// How the chains of a fit move.
pub struct Moves {
    transition: Box<dyn ChainTransition>,
    num_steps: usize,
    /// The probability with which a chain starts anew from noise before an update.
    restart: Option<(f64, Noise)>,
}

impl Moves {
    /// Moves by `num_steps` steps per update of a transition, for chains in `dim` dimensions. Also returns the initial step size.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if the transition is not for chains of a fit,
    /// [`Error::TooLarge`] if there are too many dimensions for it.
    pub fn new(spec: &TransitionSpec, num_steps: usize, dim: usize) -> Result<(Self, StepSize)> {
        let by_blocks = *spec == (TransitionSpec::BlockGibbs {});
        let is_continuous = spec.is_continuous() && !spec.is_for_draws_alone();
        if !(is_continuous || by_blocks) || spec.ladder().is_some() {
            return Err(Error::spec(
                "objective.transition",
                format!("does not move single chains on ℝᴰ; use {} or blockGibbs", chain_kinds()),
            ));
        }
        spec.check_dim("objective.transition.kind", dim)?;
        let is_dense = |adaptation: AdaptationSpec| adaptation.scale == ScaleKind::Dense;
        if spec.adaptation().is_some_and(is_dense) {
            return Err(Error::spec(
                "objective.transition.adaptation.scale",
                "is dense, but while a model is fitted no map is adapted, step sizes only; leave \
                 it out",
            ));
        }
        let transition = spec.build();
        let step_size = StepSize::new(spec, &*transition);
        Ok((Self { transition, num_steps, restart: None }, step_size))
    }

    /// The same moves with a probability of restarting from noise before each update.
    pub fn with_restarts(self, probability: f64, noise: Noise) -> Self {
        let restart = (probability > 0.0).then_some((probability, noise));
        Self { restart, ..self }
    }

    /// Estimated cost of one chain's update, in nanoseconds.
    pub fn chain_cost(&self, target: &dyn Differentiable) -> u64 {
        (target.gradient_cost() as u64)
            .saturating_mul(self.transition.num_gradients(target.dim()))
            .saturating_mul(self.num_steps as u64)
    }

    /// Number of chains per block, and of a block's steps per piece.
    fn cut(&self, target: &dyn Differentiable) -> (usize, usize) {
        let num_gradients = self.transition.num_gradients(target.dim());
        let step = (target.gradient_cost() as u64).saturating_mul(num_gradients).max(1);
        // Kernels take four chains at a time.
        let width = match PIECE / step {
            width @ 0..4 => width.max(1),
            width => (width / 4 * 4).min(MAX_WIDTH as u64),
        };
        (width as usize, per_piece(step * width).min(self.num_steps))
    }
}

/// Chains within an update.
#[derive(Debug, Default)]
pub struct Run {
    /// The states, one after another; those before `next` have moved.
    states: Vec<f64>,
    next: usize,
    /// The block that is moving, its step sizes, and the number of steps it has made.
    block: Option<(Chains, Tuning, usize)>,
    /// The sum of the acceptances of all chains and steps so far.
    acceptance: f64,
}

impl Run {
    /// Chains at these states, `[num, dim]`, before the update.
    pub fn new(states: Vec<f64>) -> Self {
        Self { states, ..Self::default() }
    }

    /// Runs a piece of the update: some steps of a block. Chain c, counted from 0, draws from
    /// `rng(c)`; `observed` are the rows that the chains are at if the target is a posterior.
    /// Returns whether that was the last piece.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn piece(
        &mut self,
        moves: &Moves,
        target: Target<'_>,
        observed: Option<Rows<'_>>,
        step_size: &StepSize,
        rng: &dyn Fn(usize) -> ChainRng,
    ) -> bool {
        let dim = target.dim();
        let num_chains = self.states.len() / dim;
        let (width, num_steps) = moves.cut(&*target);
        if self.next == num_chains {
            return true;
        }
        let range = self.next..num_chains.min(self.next + width);
        let (mut chains, tuning, done) = match self.block.take() {
            Some(block) => block,
            None => {
                let (chains, tuning) =
                    self.start(moves, target, observed, step_size, rng, range.clone());
                (chains, tuning, 0)
            }
        };
        let mut info = vec![StepInfo::default(); range.len()];
        let until = moves.num_steps.min(done + num_steps);
        for _ in done..until {
            moves.transition.step(target, &tuning, &mut chains, &mut info);
            self.acceptance += info.iter().map(|info| info.acceptance).sum::<f64>();
        }
        if until < moves.num_steps {
            self.block = Some((chains, tuning, until));
            return false;
        }
        let states = self.states[range.start * dim..range.end * dim].chunks_exact_mut(dim);
        states.enumerate().for_each(|(chain, state)| chains.state(chain, state));
        self.next = range.end;
        self.next == num_chains
    }

    fn start(
        &mut self,
        moves: &Moves,
        target: Target<'_>,
        observed: Option<Rows<'_>>,
        step_size: &StepSize,
        rng: &dyn Fn(usize) -> ChainRng,
        range: Range<usize>,
    ) -> (Chains, Tuning) {
        let dim = target.dim();
        let mut rngs: Vec<ChainRng> = range.clone().map(rng).collect();
        let tuning = Tuning {
            step_size: rngs.iter_mut().map(|rng| step_size.of_chain(rng)).collect(),
            scale: Scale::Unit,
        };
        let states = &mut self.states[range.start * dim..range.end * dim];
        if let Some((probability, noise)) = &moves.restart {
            for (state, rng) in states.chunks_exact_mut(dim).zip(&mut rngs) {
                if uniform(rng) < *probability {
                    noise.draw(&*target, rng, state);
                }
            }
        }
        let mut chains = match observed {
            None => Chains::new(target, states, rngs),
            Some(observed) => {
                let rows: Vec<f64> = range.flat_map(|chain| observed.of(chain)).copied().collect();
                Chains::at_rows(target, states, Batch::new(observed.dim, &rows), rngs)
            }
        };
        // A transition that keeps part of its momentum begins in equilibrium.
        chains.refresh_momentum(1.0);
        (chains, tuning)
    }

    /// The states and the sum of acceptances, once the last piece is done.
    pub fn finish(self) -> (Vec<f64>, f64) {
        (self.states, self.acceptance)
    }

    /// Runs all pieces.
    ///
    /// # Panics
    /// See [`Run::piece`].
    pub fn all(
        mut self,
        moves: &Moves,
        target: Target<'_>,
        observed: Option<Rows<'_>>,
        step_size: &StepSize,
        rng: &dyn Fn(usize) -> ChainRng,
    ) -> (Vec<f64>, f64) {
        while !self.piece(moves, target, observed, step_size, rng) {}
        self.finish()
    }
}
