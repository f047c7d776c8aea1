//! Statistics along the path, in bins.

use super::plan::Groups;
use crate::normalize::profile::Profile;
use serde::{Deserialize, Serialize};

/// Maximum number of bins.
const NUM_BINS: usize = 100;

/// Sums over the annealing steps of each bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    num_distributions: usize,
    /// The mean acceptance of each step's transitions, summed.
    acceptance: Vec<f64>,
    /// The variance of each step's increments of the log weights, summed.
    variances: Vec<f64>,
}

impl Tally {
    /// Empty sums, for a schedule of `num_distributions` steps.
    pub fn new(num_distributions: usize) -> Self {
        let num_bins = num_distributions.min(NUM_BINS);
        Self { num_distributions, acceptance: vec![0.0; num_bins], variances: vec![0.0; num_bins] }
    }

    /// Whether the lengths are those of `num_distributions` steps.
    pub fn is_valid(&self, num_distributions: usize) -> bool {
        let num_bins = num_distributions.min(NUM_BINS);
        self.num_distributions == num_distributions
            && self.acceptance.len() == num_bins
            && self.variances.len() == num_bins
    }

    /// Adds the step between β_k and β_{k+1}.
    pub fn add(&mut self, k: usize, acceptance: f64, variance: f64) {
        let bin = k as u64 * self.acceptance.len() as u64 / self.num_distributions as u64;
        let bin = bin as usize;
        self.acceptance[bin] += acceptance;
        self.variances[bin] += variance;
    }

    /// The first k of each bin, and K.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let (num_bins, count) = (self.acceptance.len(), self.num_distributions);
        let start =
            move |bin: usize| (bin as u64 * count as u64).div_ceil(num_bins as u64) as usize;
        (0..=num_bins).map(start)
    }

    /// β at the edges of the bins.
    pub fn edges(&self, schedule: &[f64]) -> Vec<f64> {
        self.starts().map(|k| schedule[k]).collect()
    }

    /// Mean acceptance in each bin.
    pub fn acceptance(&self) -> Vec<f64> {
        let starts: Vec<usize> = self.starts().collect();
        let bins = self.acceptance.iter().zip(starts.windows(2));
        bins.map(|(sum, bin)| sum / (bin[1] - bin[0]) as f64).collect()
    }

    /// Variance that each bin contributes to the log weights.
    pub fn variances(&self) -> Vec<f64> {
        self.variances.clone()
    }
}

/// Statistics of one annealing step: each target's mean acceptance, and the variance of the
/// increments among the chains of a target, averaged over the targets.
pub fn step(groups: Groups, profiles: &[Profile], at: usize) -> (Vec<f64>, f64) {
    let num_chains = groups.num_chains as f64;
    let (mut acceptances, mut variance) = (Vec::with_capacity(groups.num_targets), 0.0);
    for target in 0..groups.num_targets {
        let (mut acceptance, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for profile in &profiles[groups.of_target(target)] {
            acceptance += profile.acceptance[at];
            sum += profile.increments[at];
            squares += profile.squares[at];
        }
        acceptances.push(acceptance / num_chains);
        let mean = sum / num_chains;
        let of_target = (squares - num_chains * mean * mean) / (num_chains - 1.0);
        // A weight of 0 makes the variance infinite or NaN, and rounding may make it negative.
        variance += if of_target > 0.0 && of_target.is_finite() { of_target } else { 0.0 };
    }
    (acceptances, variance / groups.num_targets as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_in_one_bin() {
        for count in [1, 7, 100, 101, 250, 999] {
            let mut tally = Tally::new(count);
            (0..count).for_each(|k| tally.add(k, 1.0, 2.0));
            let schedule: Vec<f64> = (0..=count).map(|k| k as f64).collect();
            let edges = tally.edges(&schedule);
            assert_eq!((edges[0], edges[edges.len() - 1]), (0.0, count as f64));
            assert!(tally.acceptance().iter().all(|mean| *mean == 1.0), "{count}");
            let widths = edges.windows(2).map(|pair| 2.0 * (pair[1] - pair[0]));
            assert!(tally.variances().into_iter().eq(widths), "{count}");
        }
    }

    #[test]
    fn acceptance_is_by_target_and_variance_within_targets() {
        let groups = Groups::new(2, 2);
        assert_eq!(groups.count(), 4);
        let of = |value: f64| Profile {
            acceptance: vec![0.01 * value],
            increments: vec![value],
            squares: vec![value * value],
        };
        let profiles = [of(1.0), of(3.0), of(100.0), of(100.0)];
        assert_eq!(step(groups, &profiles, 0), (vec![0.02, 1.0], 1.0));
    }
}
