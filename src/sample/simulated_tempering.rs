//! Simulated tempering (Marinari and Parisi 1992): each chain moves over a
//! ladder 0 = β₀ < … < β_K = 1 between a reference and the target, on
//! `p(x, k) ∝ exp(w_k − E_{β_k}(x))`. A step moves x by any transition at the
//! chain's β, and then draws k from
//! `p(k | x) ∝ exp(w_k − β_k V(x))`, V = E_target − E_reference, which costs no
//! evaluation.
//!
//! All levels are visited equally often if w_k = −ln Z_k. In warm-up each chain estimates these for
//! itself by stochastic approximation (Wang and Landau 2001, with the expectation p(k | x) in place
//! of the visit), `w_k ← w_k − γ_t (K + 1) p(k | x)`, with γ_t falling as t^−0.6 in the first half
//! of warm-up and as 1/t in the second. Then they are fixed, and the chain is exact for any values
//! of theirs. Each level's step size is adapted in warm-up too, by dual averaging.
//!
//! After warm-up the fractions of the steps at the levels, expected given the states, have
//! `P(K)/P(0) = (Z_K/Z_0) exp(w_K − w_0)`. This gives log Z of the target for any weights
//! ([`SimulatedTempering::log_ratio`]).
//!
//! A chain's states **while it is at β = 1** are draws from the target
//! ([`SimulatedTempering::is_draw`]); the others are not reported. The states between two visits to
//! β = 1 may be left out: the states at successive visits are themselves a Markov chain that leaves
//! the target unchanged, so waiting for a visit does not bias the draw.

use super::annealed::Annealed;
use super::chains::{ChainTransition, Chains, StepInfo};
use super::dual_averaging::DualAveraging;
use super::target::Target;
use super::tuning::Tuning;
use crate::energy::schedule::is_schedule;
use crate::math::{exp, ln, log_sum_exp};
use crate::rng::{ChainRng, uniform};
use serde::{Deserialize, Serialize};

/// Chains under simulated tempering, with all the state needed to resume them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SimulatedTempering {
    /// The chains, each at its level's β.
    pub chains: Chains,
    /// β of each level.
    betas: Vec<f64>,
    /// The present level of each chain.
    levels: Vec<usize>,
    /// The log weights w, `[width, levels]`; the first level's is 0.
    log_weights: Vec<f64>,
    /// Sums of p(k | x) over the steps after warm-up, `[width, levels]`.
    visits: Vec<f64>,
    /// Step size adaptations, `[width, levels]`.
    step_sizes: Vec<DualAveraging>,
    tuning: Tuning,
    num_warmup: u64,
    num_steps: u64,
    #[serde(skip)]
    info: Vec<StepInfo>,
    #[serde(skip)]
    log_chances: Vec<f64>,
}

impl SimulatedTempering {
    /// Chains at `states`, one after another, all at β = 0. `betas` ascend from 0 to 1;
    /// `log_weights` are the initial w of each level. Every level's step size adaptation begins
    /// with the step sizes of `tuning`, and lasts for the first `num_warmup` steps.
    ///
    /// # Panics
    /// If the shapes do not match, or the β do not ascend from 0 to 1.
    pub fn new(
        path: &Annealed<'_>,
        betas: Vec<f64>,
        log_weights: &[f64],
        states: &[f64],
        tuning: Tuning,
        num_warmup: u64,
        rngs: Vec<ChainRng>,
    ) -> Self {
        assert!(betas.len() >= 2 && betas.is_sorted_by(|a, b| a < b), "beta does not ascend");
        assert!(betas[0] == 0.0 && betas[betas.len() - 1] == 1.0, "beta is not from 0 to 1");
        assert!(log_weights.len() == betas.len() && tuning.step_size.len() == rngs.len());
        let width = rngs.len();
        let of_levels = |&step: &f64| vec![DualAveraging::new(step); betas.len()];
        Self {
            chains: Chains::annealed(path, states, &vec![0.0; width], rngs),
            levels: vec![0; width],
            log_weights: log_weights.repeat(width),
            visits: vec![0.0; width * betas.len()],
            step_sizes: tuning.step_size.iter().flat_map(of_levels).collect(),
            betas,
            tuning,
            num_warmup,
            num_steps: 0,
            info: Vec::new(),
            log_chances: Vec::new(),
        }
    }

    /// Whether the lengths are those of `width` chains and `num_levels` levels, as they are unless
    /// a checkpoint was tampered with.
    pub fn is_valid(&self, dim: usize, width: usize, num_levels: usize) -> bool {
        self.chains.is_valid_annealed(dim, width)
            && self.tuning.is_valid(dim, width)
            && is_schedule(&self.betas)
            && self.betas.len() == num_levels
            && self.levels.len() == width
            && self.levels.iter().all(|&level| level < num_levels)
            && self.log_weights.len() == width * num_levels
            && self.visits.len() == width * num_levels
            && self.step_sizes.len() == width * num_levels
    }

    /// One step of every chain.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn step(&mut self, path: &Annealed<'_>, inner: &dyn ChainTransition) {
        let num_levels = self.betas.len();
        self.info.resize(self.chains.width(), StepInfo::default());
        inner.step(Target::Annealed(path), &self.tuning, &mut self.chains, &mut self.info);
        self.num_steps += 1;
        let is_warmup = self.num_steps <= self.num_warmup;
        for chain in 0..self.chains.width() {
            let places = chain * num_levels..(chain + 1) * num_levels;
            let step_sizes = &mut self.step_sizes[places.clone()];
            let visits = &mut self.visits[places.clone()];
            let log_weights = &mut self.log_weights[places];
            if is_warmup {
                let acceptance = self.info[chain].acceptance;
                step_sizes[self.levels[chain]].update(acceptance, inner.target_acceptance());
            }
            let ends = self.chains.ends.as_ref().expect("chains between two ends");
            let level_chances = &mut self.log_chances;
            chances(&self.betas, log_weights, ends.difference(chain), level_chances);
            let level = draw(level_chances, uniform(&mut self.chains.rngs[chain]));
            if is_warmup {
                let gain = gain(self.num_steps, self.num_warmup, num_levels);
                for (weight, chance) in log_weights.iter_mut().zip(&*level_chances) {
                    *weight -= gain * num_levels as f64 * chance;
                }
                let first = log_weights[0];
                log_weights.iter_mut().for_each(|weight| *weight -= first);
            } else {
                visits
                    .iter_mut()
                    .zip(&*level_chances)
                    .for_each(|(visits, chance)| *visits += chance);
            }
            self.levels[chain] = level;
            self.chains.set_beta(chain, self.betas[level]);
            let is_last = self.num_steps >= self.num_warmup;
            let step_size = &step_sizes[level];
            self.tuning.step_size[chain] =
                if is_last { step_size.result() } else { step_size.step_size() };
        }
    }

    /// Whether a chain's present state is a draw from the target.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn is_draw(&self, chain: usize) -> bool {
        self.levels[chain] + 1 == self.betas.len()
    }

    /// β of each level.
    pub fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// The first chain's step size at the target, as adapted so far.
    pub fn target_step_size(&self) -> f64 {
        self.step_sizes[self.betas.len() - 1].result()
    }

    /// The present level of each chain.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// w of one chain's levels; after warm-up it estimates −ln(Z_k / Z_0).
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn log_weights(&self, chain: usize) -> &[f64] {
        &self.log_weights[chain * self.betas.len()..][..self.betas.len()]
    }

    /// The expected number of steps of one chain at each level after warm-up, given its states.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn visits(&self, chain: usize) -> &[f64] {
        &self.visits[chain * self.betas.len()..][..self.betas.len()]
    }

    /// One chain's estimate of ln(Z_K/Z_0), of the target and the reference, in nats; NaN before
    /// warm-up has ended.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn log_ratio(&self, chain: usize) -> f64 {
        let (weights, visits) = (self.log_weights(chain), self.visits(chain));
        let last = self.betas.len() - 1;
        ln(visits[last] / visits[0]) - (weights[last] - weights[0])
    }

    /// What the last step did.
    pub fn info(&self) -> &[StepInfo] {
        &self.info
    }
}

/// Writes `p(k | x) ∝ exp(w_k − β_k V)` to `out`. If V is NaN or infinite, the lowest level has
/// probability 1.
fn chances(betas: &[f64], log_weights: &[f64], difference: f64, out: &mut Vec<f64>) {
    out.clear();
    if !difference.is_finite() {
        out.extend(betas.iter().map(|&beta| f64::from(u8::from(beta == 0.0))));
        return;
    }
    out.extend(betas.iter().zip(log_weights).map(|(beta, weight)| weight - beta * difference));
    let total = log_sum_exp(out);
    out.iter_mut().for_each(|chance| *chance = exp(*chance - total));
}

/// The index that the uniform number `u` selects.
fn draw(chances: &[f64], u: f64) -> usize {
    let mut sum = 0.0;
    for (index, chance) in chances.iter().enumerate() {
        sum += chance;
        if u < sum {
            return index;
        }
    }
    // Rounding left the sum of the chances below 1 and not above u.
    chances.len() - 1
}

/// The gain γ_t, small enough that one visit moves a weight by at most 1.
fn gain(step: u64, num_warmup: u64, num_levels: usize) -> f64 {
    let slow = |t: f64| exp(-0.6 * ln(t));
    let half = (num_warmup / 2).max(1);
    let gain = if step <= half {
        slow(step as f64)
    } else {
        1.0 / ((step - half) as f64 + 1.0 / slow(half as f64))
    };
    let most = 1.0 / num_levels as f64;
    if gain < most { gain } else { most }
}
