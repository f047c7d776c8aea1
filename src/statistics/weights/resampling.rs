//! Resampling for sequential Monte Carlo, and the error of log Z from one run of it.
//!
//! N particles are annealed together. When their weights become too unequal (by [`ess_fraction`]),
//! all are replaced by copies of some, drawn in proportion to the weights ([`systematic`] or
//! [`multinomial`]), with equal weights. log Z is then the sum over the stages in between of log
//! mean w, and `exp(log Z)` still has the right mean.
//!
//! The genealogy gives the error: how many first particles, **Eves**, the final ones descend from,
//! and which share S of the weight each Eve has (Chan and Lai, Annals of Statistics 41 (2013); Lee
//! and Whiteley, Biometrika 105 (2018)). Both methods understate the error when few Eves are left,
//! which happens when particles mix slowly. Where that matters, run several independent groups of
//! particles, and take their log Z as the log weights of an [`Estimate`](super::Estimate): their
//! mean has the right expectation too.

use crate::diagnostics::weight_ess;
use crate::math::{exp, ln_1p, log_sum_exp};
use crate::rng::{ChainRng, uniform};
use serde::{Deserialize, Serialize};

use super::mean::log_mean;

/// Weight ESS divided by the number of weights: 1 if all are equal. NaN where the ESS is.
pub fn ess_fraction(log_weights: &[f64]) -> f64 {
    weight_ess(log_weights) / log_weights.len() as f64
}

/// Conditional ESS of a step that will multiply weights W by u: `N (Σ W u)² / (Σ W · Σ W u²)`
/// (Zhou, Johansen and Aston, Journal of Computational and Graphical Statistics 25 (2016)). It is N
/// if all u are equal, for any W; unlike the weight ESS it depends on this step only, and a
/// schedule is even if it is constant along it. NaN if nothing has a weight, or one is NaN or ∞.
///
/// # Panics
/// If the lengths differ.
pub fn conditional_ess(log_weights: &[f64], log_increments: &[f64]) -> f64 {
    assert_eq!(log_weights.len(), log_increments.len(), "a weight for each increment");
    let with = |power: f64| -> Vec<f64> {
        // Avoids 0 · ∞.
        let times = |u: f64| if power == 0.0 { 0.0 } else { power * u };
        log_weights.iter().zip(log_increments).map(|(w, &u)| w + times(u)).collect()
    };
    let [zeroth, first, second] = [0.0, 1.0, 2.0].map(|power| log_sum_exp(&with(power)));
    log_weights.len() as f64 * exp(2.0 * first - zeroth - second)
}

/// Cumulative sums of the weights, relative to the greatest.
///
/// # Panics
/// If all weights are 0, or one is NaN or ∞.
fn cumulative(log_weights: &[f64]) -> Vec<f64> {
    let greatest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(greatest.is_finite(), "nothing to resample: all weights are 0, or one is infinite");
    let mut sum = 0.0;
    let sums = log_weights.iter().map(|l| {
        sum += exp(l - greatest);
        sum
    });
    let sums: Vec<f64> = sums.collect();
    assert!(sum.is_finite(), "a weight is NaN");
    sums
}

/// The ancestor of each of N particles by systematic resampling: where `(i + u) / N` falls in the
/// cumulative shares, for one uniform u in [0, 1). Each weight has its expected number of copies,
/// rounded up or down; they come in order, and weights of 0 have none.
///
/// # Panics
/// If all weights are 0, or one is NaN or ∞.
pub fn systematic(log_weights: &[f64], uniform: f64) -> Vec<usize> {
    let sums = cumulative(log_weights);
    let num = sums.len();
    let per_copy = sums[num - 1] / num as f64;
    let mut at = 0;
    let ancestor = |i: usize| {
        at = ancestor_at(&sums, at, (i as f64 + uniform) * per_copy);
        at
    };
    (0..num).map(ancestor).collect()
}

/// The ancestor of each of N particles by multinomial resampling: N independent draws by weight. It
/// adds more noise than [`systematic`], but Lee and Whiteley's variance is exact for it.
///
/// # Panics
/// If all weights are 0, or one is NaN or ∞.
pub fn multinomial(log_weights: &[f64], rng: &mut ChainRng) -> Vec<usize> {
    let sums = cumulative(log_weights);
    let total = sums[sums.len() - 1];
    let draw = |_| {
        let level = uniform(rng) * total;
        let from = sums.partition_point(|&sum| sum <= level);
        ancestor_at(&sums, from.min(sums.len() - 1), level)
    };
    (0..log_weights.len()).map(draw).collect()
}

/// The first index from `at` on whose sum is above the level, or, if rounding leaves none, the last
/// that has a weight.
fn ancestor_at(sums: &[f64], at: usize, level: f64) -> usize {
    let total = sums[sums.len() - 1];
    match sums[at..].iter().position(|&sum| sum > level) {
        Some(steps) => at + steps,
        None => sums.partition_point(|&sum| sum < total),
    }
}

/// The method of resampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resampling {
    /// [`systematic`].
    Systematic,
    /// [`multinomial`].
    Multinomial,
}

/// The record of one run of sequential Monte Carlo, apart from particles and weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Genealogy {
    /// The method of resampling.
    resampling: Resampling,
    /// Σ of log mean w over the finished stages.
    log_z: f64,
    /// The first ancestor of each particle.
    eves: Vec<usize>,
    num_resamplings: u64,
}

impl Genealogy {
    /// The genealogy of `num_particles` particles, all with log weight 0.
    pub fn new(num_particles: usize, resampling: Resampling) -> Self {
        Self { resampling, log_z: 0.0, eves: (0..num_particles).collect(), num_resamplings: 0 }
    }

    /// Whether it has `num_particles` particles and valid numbers.
    pub fn is_valid(&self, num_particles: usize) -> bool {
        self.eves.len() == num_particles && self.eves.iter().all(|&eve| eve < num_particles)
    }

    /// Ends a stage: particle i becomes a copy of `ancestors[i]`, and all weights become 1.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn resample(&mut self, log_weights: &mut [f64], ancestors: &[usize]) {
        assert!(log_weights.len() == self.eves.len() && ancestors.len() == self.eves.len());
        self.log_z += log_mean(log_weights);
        log_weights.fill(0.0);
        self.eves = ancestors.iter().map(|&ancestor| self.eves[ancestor]).collect();
        self.num_resamplings += 1;
    }

    /// Number of resamplings.
    pub fn num_resamplings(&self) -> u64 {
        self.num_resamplings
    }

    /// log Z of the finished stages, in nats; 0 before the first resampling.
    pub fn log_z_before(&self) -> f64 {
        self.log_z
    }

    /// The estimate of log Z, in nats, including the weights of the present stage.
    pub fn log_z(&self, log_weights: &[f64]) -> f64 {
        self.log_z + log_mean(log_weights)
    }

    /// Number of first particles that have descendants with a weight.
    pub fn num_eves(&self, log_weights: &[f64]) -> usize {
        self.shares(log_weights).iter().filter(|&&share| share > 0.0).count()
    }

    /// Estimated variance of `exp(log_z)` divided by Z², from this one run; its root is a standard
    /// error of log Z. With S the Eves' shares and r resamplings it is `1 − (N / (N − 1))^(r + 1)
    /// (1 − Σ S²)` after multinomial resampling, which is Lee and Whiteley's unbiased estimate and
    /// may be negative. After systematic resampling that would subtract far more noise than it
    /// adds. The exponent is then 1, as if there had been no resampling (the form of Chan and Lai),
    /// which errs on the large side if particles mix well. Without resampling both are the square
    /// of [`Estimate::standard_error`](super::Estimate). If particles do not mix both are too
    /// small. NaN for fewer than 2 particles, or if nothing has a weight.
    ///
    /// # Panics
    /// If the number of weights is not that of the particles.
    pub fn relative_variance(&self, log_weights: &[f64]) -> f64 {
        let num = self.eves.len() as f64;
        if num < 2.0 {
            return f64::NAN;
        }
        let squares: f64 = self.shares(log_weights).iter().map(|share| share * share).sum();
        let exponent = match self.resampling {
            Resampling::Systematic => 1,
            Resampling::Multinomial => self.num_resamplings + 1,
        };
        let factor = exp(exponent as f64 * ln_1p(1.0 / (num - 1.0)));
        1.0 - factor * (1.0 - squares)
    }

    /// The share of the weight that each Eve's descendants have.
    fn shares(&self, log_weights: &[f64]) -> Vec<f64> {
        assert_eq!(log_weights.len(), self.eves.len(), "a weight for each particle");
        let log_total = log_sum_exp(log_weights);
        let mut shares = vec![0.0; self.eves.len()];
        for (&eve, log_weight) in self.eves.iter().zip(log_weights) {
            shares[eve] += exp(log_weight - log_total);
        }
        shares
    }
}

#[cfg(test)]
mod tests;
