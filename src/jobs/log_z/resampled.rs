//! Annealed sequential Monte Carlo: what is kept when chains are resampled.

use super::plan::Groups;
use crate::diagnostics::weight_ess;
use crate::math::{ln, log_sum_exp};
use crate::normalize::course::Course;
use crate::normalize::population::{Population, States};
use crate::normalize::weights::resampling::systematic;
use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};

/// What resampling leaves behind, target by target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Resampled {
    /// The logarithm of the product of the mean weights before each resampling.
    pub log_z: Vec<f64>,
    /// The chain that each chain's first ancestor was, `[targets][chains]`: what
    /// the variance of the estimate is told from.
    pub eves: Vec<Vec<usize>>,
    /// How often.
    pub num_resamplings: usize,
}

impl Resampled {
    /// Before the first stage.
    pub fn new(groups: Groups) -> Self {
        Self {
            log_z: vec![0.0; groups.num_targets],
            eves: vec![(0..groups.num_chains).collect(); groups.num_targets],
            num_resamplings: 0,
        }
    }

    /// Whether the lengths are those of so many chains.
    pub fn is_sound(&self, groups: Groups) -> bool {
        self.log_z.len() == groups.num_targets
            && self.eves.len() == groups.num_targets
            && self.eves.iter().all(|eves| {
                eves.len() == groups.num_chains && eves.iter().all(|eve| *eve < groups.num_chains)
            })
    }
}

impl Resampled {
    /// Resamples the chains of each target whose weights have an effective
    /// sample size below `threshold` of their number, after `step` annealing
    /// steps.
    pub fn resample(
        &mut self,
        groups: Groups,
        threshold: f64,
        populations: &mut [Population],
        course: &Course,
        step: usize,
        rng: &mut ChainRng,
    ) {
        for target in 0..groups.num_targets {
            let all = &mut populations[groups.of_target(target)];
            let log_weights: Vec<f64> =
                all.iter().flat_map(|population| population.log_weights.clone()).collect();
            let ess = weight_ess(&log_weights);
            // Where all weights are 0, or one is no number, none can be chosen.
            if !(ess < threshold * groups.num_chains as f64) {
                continue;
            }
            let ancestors = systematic(&log_weights, groups.num_chains, rng);
            self.log_z[target] +=
                log_sum_exp(&log_weights) - ln(groups.num_chains as f64);
            self.eves[target] = ancestors.iter().map(|&a| self.eves[target][a]).collect();
            self.num_resamplings += 1;
            let states = chosen(all, &ancestors);
            for (population, states) in all.iter_mut().zip(states) {
                population.set_states(course, step, &states);
                population.log_weights.fill(0.0);
            }
        }
    }
}

/// The states of chains, chosen by their weights, to start reverse runs from.
pub fn starts(
    groups: Groups,
    log_weights: &[f64],
    populations: &[Population],
    rng: &mut ChainRng,
) -> Vec<States> {
    let targets = (0..groups.num_targets).zip(log_weights.chunks_exact(groups.num_chains));
    let of_target = |(target, log_weights): (usize, &[f64])| {
        let ancestors = systematic(log_weights, groups.num_chains, rng);
        chosen(&populations[groups.of_target(target)], &ancestors)
    };
    targets.flat_map(of_target).collect()
}

/// States of chosen chains, in groups as wide as there were.
fn chosen(populations: &[Population], ancestors: &[usize]) -> Vec<States> {
    let all = States::concat(populations.iter().map(Population::states));
    let mut rest = ancestors;
    let of_group = |population: &Population| {
        let (own, others) = rest.split_at(population.width());
        rest = others;
        all.select(own)
    };
    populations.iter().map(of_group).collect()
}
