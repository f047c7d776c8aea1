//! A ladder of distributions at β₀ = 0 < β₁ < … < β_K = 1, with one replica at
//! each rung, and the swaps between neighbours (Geyer 1991).
//!
//! With V = E_target − E_reference, replicas at rungs i and i + 1 are exchanged
//! with probability `min(1, exp((βᵢ₊₁ − βᵢ)(Vᵢ₊₁ − Vᵢ)))`. Even pairs and odd pairs alternate,
//! which is not reversible and carries replicas from end to end much faster than random pairs
//! (Okabe et al. 2001; Syed et al. 2022).
//!
//! In warm-up the rungs are moved so that all pairs are rejected equally often. With rᵢ the mean
//! rejection of pair i, the communication barrier up to rung i is about `Λᵢ = Σ_{j<i} rⱼ`. The new
//! rungs divide Λ_K into equal parts, with Λ(β) interpolated linearly between the old ones (Syed et
//! al. 2022, with a straight line in place of their spline).

use crate::energy::schedule::{by_barrier, is_schedule};
use crate::math::exp;
use crate::rng::{ChainRng, uniform};
use serde::{Deserialize, Serialize};

/// Number of steps before the first adaptation of the ladder; each following one takes twice as
/// many.
pub const FIRST_ADAPTATION: u64 = 16;

/// The ladder, with all the state needed to resume it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// β of each rung, ascending from 0 to 1.
    betas: Vec<f64>,
    /// Σ (1 − acceptance) for each pair since the last adaptation; the next field is the number of
    /// attempts.
    rejections: Vec<f64>,
    num_attempts: Vec<u64>,
    /// Number of rounds of swaps.
    num_rounds: u64,
    /// The replica at each rung.
    replicas: Vec<usize>,
    /// The stage of each replica's round trip.
    stages: Vec<Stage>,
    num_round_trips: u64,
}

/// A stage of a replica's round trip from the lowest rung and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    Outside,
    Upward,
    Downward,
}

impl Ladder {
    /// A ladder with rungs at these β.
    ///
    /// # Panics
    /// If they do not ascend from 0 to 1.
    pub fn new(betas: Vec<f64>) -> Self {
        assert!(is_schedule(&betas), "the beta do not ascend from 0 to 1");
        let num_rungs = betas.len();
        let mut ladder = Self {
            betas,
            rejections: vec![0.0; num_rungs - 1],
            num_attempts: vec![0; num_rungs - 1],
            num_rounds: 0,
            replicas: (0..num_rungs).collect(),
            stages: vec![Stage::Outside; num_rungs],
            num_round_trips: 0,
        };
        ladder.count_round_trips();
        ladder
    }

    /// A ladder of evenly spaced rungs, at least two.
    ///
    /// # Panics
    /// If there are fewer than two rungs.
    pub fn even(num_rungs: usize) -> Self {
        assert!(num_rungs >= 2, "a ladder has two rungs at least");
        Self::new((0..num_rungs).map(|rung| rung as f64 / (num_rungs - 1) as f64).collect())
    }

    /// Whether the lengths are those of `num_rungs` rungs, and the rungs are valid.
    pub fn is_valid(&self, num_rungs: usize) -> bool {
        let mut replicas = self.replicas.clone();
        replicas.sort_unstable();
        is_schedule(&self.betas)
            && self.betas.len() == num_rungs
            && self.rejections.len() + 1 == num_rungs
            && self.num_attempts.len() + 1 == num_rungs
            && self.stages.len() == num_rungs
            && replicas.into_iter().eq(0..num_rungs)
    }

    /// β of each rung.
    pub fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// The replica at each rung; replicas are numbered by where they began.
    pub fn replicas(&self) -> &[usize] {
        &self.replicas
    }

    /// How often a replica went from the lowest rung to the highest and back.
    pub fn num_round_trips(&self) -> u64 {
        self.num_round_trips
    }

    /// Mean rejection rate of each pair's swaps since the last adaptation; NaN before the first
    /// attempt.
    pub fn rejection_rates(&self) -> Vec<f64> {
        pooled_rates([self].into_iter())
    }

    /// [`Ladder::swap`] on a geometric path: `differences` are V of the replica at each rung. Each
    /// pair draws from its lower rung's stream.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn swap_by_differences(
        &mut self,
        differences: &[f64],
        rngs: &mut [ChainRng],
        accepted: &mut Vec<usize>,
    ) {
        let num_rungs = self.betas.len();
        assert!(differences.len() == num_rungs && rngs.len() == num_rungs);
        let spacings: Vec<f64> = self.betas.windows(2).map(|two| two[1] - two[0]).collect();
        let gain = |rung: usize| spacings[rung] * (differences[rung + 1] - differences[rung]);
        self.swap(gain, |rung| uniform(&mut rngs[rung]), accepted);
    }

    /// One round of swaps, of even or of odd pairs. `gain` is how much the log density of both
    /// states rises if the pair with this lower rung is exchanged, and `uniform` draws a number for
    /// it. The lower rungs of the pairs to be exchanged are written to `accepted`.
    pub fn swap(
        &mut self,
        gain: impl Fn(usize) -> f64,
        mut uniform: impl FnMut(usize) -> f64,
        accepted: &mut Vec<usize>,
    ) {
        let num_rungs = self.betas.len();
        accepted.clear();
        for rung in ((self.num_rounds % 2) as usize..num_rungs - 1).step_by(2) {
            let acceptance = match gain(rung) {
                gain if gain >= 0.0 => 1.0,
                gain if gain.is_nan() => 0.0,
                gain => exp(gain),
            };
            self.rejections[rung] += 1.0 - acceptance;
            self.num_attempts[rung] += 1;
            if uniform(rung) < acceptance {
                self.replicas.swap(rung, rung + 1);
                accepted.push(rung);
            }
        }
        self.num_rounds += 1;
        self.count_round_trips();
    }

    fn count_round_trips(&mut self) {
        let (lowest, highest) = (self.replicas[0], self.replicas[self.replicas.len() - 1]);
        if self.stages[lowest] == Stage::Downward {
            self.num_round_trips += 1;
        }
        self.stages[lowest] = Stage::Upward;
        if self.stages[highest] == Stage::Upward {
            self.stages[highest] = Stage::Downward;
        }
    }

    /// Moves the rungs to where all pairs would have been rejected equally often, and resets the
    /// counts.
    pub fn adapt(&mut self) {
        Self::adapt_together(&mut [self]);
    }

    /// [`Ladder::adapt`] of several ladders with the same rungs, by the rejections of all.
    pub fn adapt_together(ladders: &mut [&mut Self]) {
        let Some(first) = ladders.first() else { return };
        let rates = pooled_rates(ladders.iter().map(|ladder| &**ladder));
        // Skipped if a pair had no attempt, or no pair was ever rejected.
        let betas = by_barrier(&first.betas, &rates, rates.len()).ok();
        for ladder in ladders {
            if let Some(betas) = &betas {
                ladder.betas.clone_from(betas);
            }
            ladder.restart_counts();
        }
    }

    /// Resets the counts of rejections and round trips.
    pub fn restart_counts(&mut self) {
        self.rejections.fill(0.0);
        self.num_attempts.fill(0);
        self.num_round_trips = 0;
        self.stages.fill(Stage::Outside);
        self.count_round_trips();
    }
}

/// [`Ladder::rejection_rates`] over several ladders.
pub fn pooled_rates<'a>(ladders: impl Iterator<Item = &'a Ladder>) -> Vec<f64> {
    let (mut rejections, mut num_attempts) = (Vec::<f64>::new(), Vec::<u64>::new());
    for ladder in ladders {
        rejections.resize(ladder.rejections.len(), 0.0);
        num_attempts.resize(ladder.rejections.len(), 0);
        rejections.iter_mut().zip(&ladder.rejections).for_each(|(sum, more)| *sum += more);
        num_attempts.iter_mut().zip(&ladder.num_attempts).for_each(|(sum, more)| *sum += more);
    }
    rejections.iter().zip(num_attempts).map(|(sum, count)| sum / count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// If every swap is accepted, a replica climbs one rung each round, and one of K + 1 is at the
    /// top after K rounds. A round trip takes 2K + 2 rounds, including a wait of one at each end.
    #[test]
    fn replicas_go_round_as_on_a_conveyor() {
        let num_rungs = 5;
        let mut ladder = Ladder::even(num_rungs);
        let mut rngs: Vec<_> = (0..5).map(|index| stream(1, Purpose::Chain, index)).collect();
        let mut accepted = Vec::new();
        for round in 0..1000 {
            ladder.swap_by_differences(&[1.0; 5], &mut rngs, &mut accepted);
            assert_eq!(accepted, if round % 2 == 0 { [0, 2] } else { [1, 3] });
        }
        // Each of five replicas makes a round trip in ten rounds.
        assert!(ladder.num_round_trips().abs_diff(500) <= 10, "{}", ladder.num_round_trips());
        assert_eq!(ladder.rejection_rates(), [0.0; 4]);
    }

    #[test]
    fn infinite_and_missing_energies_are_not_exchanged_upward() {
        let mut ladder = Ladder::even(2);
        let mut rngs: Vec<_> = (0..2).map(|index| stream(1, Purpose::Chain, index)).collect();
        let mut accepted = Vec::new();
        for differences in [[f64::INFINITY, 0.0], [f64::NAN, 0.0]] {
            for _ in 0..10 {
                ladder.swap_by_differences(&differences, &mut rngs, &mut accepted);
                assert!(accepted.is_empty());
            }
        }
    }
}
