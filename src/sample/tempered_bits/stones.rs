//! log Z from the states of neighbouring rungs: stepping stones (Xie, Lewis, Fan, Kuo and Chen
//! 2011), each crossed from both sides. With m = √(f_k f_{k+1}) between two rungs,
//!
//! `Z_{k+1} / Z_k = E_k[m / f_k] / E_{k+1}[m / f_{k+1}]`
//!
//! (Meng and Wong 1996, their geometric bridge), where both ratios vary less than f_{k+1} / f_k does
//! under rung k alone.

use crate::math::{exp, ln};
use serde::{Deserialize, Serialize};

/// ln Σ e^x over the x added so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct LogSum {
    largest: f64,
    /// Σ e^(x − largest).
    sum: f64,
}

impl LogSum {
    const NONE: Self = Self { largest: f64::NEG_INFINITY, sum: 0.0 };

    fn add(&mut self, x: f64) {
        if x <= self.largest {
            self.sum += exp(x - self.largest);
        } else {
            self.sum = self.sum * exp(self.largest - x) + 1.0;
            self.largest = x;
        }
    }

    fn value(&self) -> f64 {
        self.largest + ln(self.sum)
    }
}

/// What a ladder's states say of the ratios Z_{k+1} / Z_k, one entry a pair of rungs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SteppingStones {
    /// Sums of m / f_k over the states at rung k.
    from_below: Vec<LogSum>,
    /// Sums of m / f_{k+1} over the states at rung k + 1.
    from_above: Vec<LogSum>,
}

impl SteppingStones {
    /// None yet, for this number of rungs.
    pub fn new(num_rungs: usize) -> Self {
        let none = vec![LogSum::NONE; num_rungs.saturating_sub(1)];
        Self { from_below: none.clone(), from_above: none }
    }

    /// Whether the lengths are those of `num_rungs` rungs.
    pub fn is_valid(&self, num_rungs: usize) -> bool {
        [&self.from_below, &self.from_above].iter().all(|sums| sums.len() + 1 == num_rungs)
    }

    /// Adds a state at each rung: for each pair, log f_{k+1} − log f_k of the state at rung k, and
    /// log f_k − log f_{k+1} of that at rung k + 1.
    pub fn add(&mut self, ratios: impl Fn(usize) -> [f64; 2]) {
        let pairs = self.from_below.iter_mut().zip(&mut self.from_above);
        for (pair, (below, above)) in pairs.enumerate() {
            let [up, down] = ratios(pair);
            below.add(0.5 * up);
            above.add(0.5 * down);
        }
    }
}

/// log Z_K − log Z_0 from ladders that counted equally many states, and its standard error from the
/// variance between them, of first order; NaN with one ladder.
///
/// # Panics
/// If the numbers of rungs differ.
pub fn log_z(ladders: &[&SteppingStones]) -> (f64, f64) {
    let count = ladders.len() as f64;
    let num_pairs = ladders.first().map_or(0, |one| one.from_below.len());
    let mut log_z = 0.0;
    // What each ladder adds to the relative error.
    let mut influences = vec![0.0; ladders.len()];
    for pair in 0..num_pairs {
        let sides = [
            (1.0, ladders.iter().map(|one| one.from_below[pair].value()).collect::<Vec<_>>()),
            (-1.0, ladders.iter().map(|one| one.from_above[pair].value()).collect()),
        ];
        for (sign, logs) in sides {
            let mut total = LogSum::NONE;
            logs.iter().for_each(|&log| total.add(log));
            log_z += sign * total.value();
            for (influence, log) in influences.iter_mut().zip(logs) {
                *influence += sign * (count * exp(log - total.value()) - 1.0);
            }
        }
    }
    let squares: f64 = influences.iter().map(|influence| influence * influence).sum();
    (log_z, (squares / (count * (count - 1.0))).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rungs, each with all states of its distribution in proportion: the ratio is exact, and
    /// ladders that agree have no error.
    #[test]
    fn ratios_of_whole_distributions_are_exact() {
        // f_0 = 1 on four states, f_1 = 1, 2, 3, 6: Z_1 / Z_0 = 3.
        let f = [1.0, 2.0, 3.0, 6.0_f64];
        let mut stones = SteppingStones::new(2);
        let above: Vec<f64> = f.iter().flat_map(|&f| vec![f; f as usize]).collect();
        for at in 0..12 {
            stones.add(|_| [ln(f[at % 4]), -ln(above[at])]);
        }
        let (estimate, error) = log_z(&[&stones, &stones.clone()]);
        assert!((estimate - ln(3.0)).abs() < 1e-14, "{estimate}");
        assert!(error < 1e-14, "{error}");
        assert!(log_z(&[&stones]).1.is_nan());
    }

    /// The error is that of the mean of independent ladders, found by leaving one out.
    #[test]
    fn the_error_is_that_of_leaving_one_ladder_out() {
        let ladders: Vec<_> = (0..40)
            .map(|ladder| {
                let mut stones = SteppingStones::new(3);
                for step in 0..50 {
                    // Numbers that look random, unlike in each ladder.
                    let x = |k: usize| ((ladder * 613 + step * 71 + k * 29) % 101) as f64 / 101.0;
                    stones.add(|pair| [x(pair) - 0.3, x(pair + 2) - 0.4]);
                }
                stones
            })
            .collect();
        let all: Vec<_> = ladders.iter().collect();
        let (_, error) = log_z(&all);
        let without: Vec<f64> = (0..all.len())
            .map(|left_out| {
                let mut fewer = all.clone();
                fewer.remove(left_out);
                log_z(&fewer).0
            })
            .collect();
        let mean = without.iter().sum::<f64>() / 40.0;
        let squares: f64 = without.iter().map(|log_z| (log_z - mean) * (log_z - mean)).sum();
        let jackknife = (squares * 39.0 / 40.0).sqrt();
        assert!((error / jackknife - 1.0).abs() < 0.05, "{error} and {jackknife}");
    }
}
