//! Chains selected by their weights: resampling on the way, which makes the run annealed sequential
//! Monte Carlo, and starts of reverse runs.

use super::plan::Groups;
use crate::normalize::annealing_plan::AnnealingPlan;
use crate::normalize::population::Population;
use crate::normalize::states::States;
use crate::rng::{ChainRng, uniform};
use crate::weights::resampling::{Genealogy, ess_fraction, systematic};

/// Resamples the chains of each target whose weights have an effective sample size below
/// `threshold` times their number, after `step` annealing steps.
pub fn resample(
    groups: Groups,
    threshold: f64,
    populations: &mut [Population],
    genealogies: &mut [Genealogy],
    plans: &dyn Fn(usize) -> AnnealingPlan,
    step: usize,
    rng: &mut ChainRng,
) {
    for (target, genealogy) in genealogies.iter_mut().enumerate() {
        let all = &mut populations[groups.of_target(target)];
        let mut log_weights: Vec<f64> =
            all.iter().flat_map(|population| population.log_weights.clone()).collect();
        // If all weights are 0, or one is NaN, none can be chosen.
        if !(ess_fraction(&log_weights) < threshold) {
            continue;
        }
        let ancestors = systematic(&log_weights, uniform(rng));
        genealogy.resample(&mut log_weights, &ancestors);
        let states = chosen(all, &ancestors);
        let plan = plans(target);
        for (population, states) in all.iter_mut().zip(states) {
            population.set_states(&plan, step, &states);
            population.log_weights.fill(0.0);
        }
    }
}

/// The states of chains selected by their weights, `[targets][chains]`.
pub fn starts(
    groups: Groups,
    log_weights: &[f64],
    populations: &[Population],
    rng: &mut ChainRng,
) -> Vec<States> {
    let of_target = |(target, log_weights): (usize, &[f64])| {
        let u = uniform(rng);
        // If no chain has a weight, reverse runs start where the forward ones ended.
        let ancestors = match ess_fraction(log_weights) {
            fraction if fraction > 0.0 => systematic(log_weights, u),
            _ => (0..log_weights.len()).collect(),
        };
        chosen(&populations[groups.of_target(target)], &ancestors)
    };
    log_weights.chunks_exact(groups.num_chains).enumerate().flat_map(of_target).collect()
}

/// States of the selected chains, in groups of the same widths as before.
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
