//! Distributions from which the neighbours of a sampled connectivity are drawn (Sohl-Dickstein
//! 2012, section 2.8).

use super::neighbours::Neighbours;
use crate::bits::{BitMatrix, WeightedRows, bit, flip, set_bits};
use crate::math::{exp, ln};
use crate::rng::{Purpose, stream, uniform};
use crate::{Error, Result};
use unnorm_wire::spec;

/// The distribution of neighbours.
#[spec]
pub enum ProposalSpec {
    /// Each bit is flipped with this probability: g is symmetric, so every neighbour has the factor
    /// 1.
    Flips {
        /// The probability, between 0 and 1.
        probability: f64,
    },
    /// Each bit is set with its frequency in the data, independently of x: neighbours have the
    /// factor √(g(x) / g(x′)). Half a row is added for each value, which keeps frequencies from 0
    /// and 1, so that every state can be drawn.
    Independent {},
}

impl ProposalSpec {
    /// Draws the neighbours of each distinct row. Those of row b come from the stream with index b.
    pub(super) fn draw(
        &self,
        data: &WeightedRows,
        num_samples: usize,
        seed: u64,
    ) -> Result<Vec<Neighbours>> {
        let dim = data.dim();
        let set_chances = match self {
            Self::Flips { probability } => {
                if !(*probability > 0.0 && *probability < 1.0) {
                    return Err(Error::spec(
                        "objective.connectivity.proposal.probability",
                        format!("is {probability}; it must be greater than 0 and less than 1"),
                    ));
                }
                None
            }
            Self::Independent {} => {
                Some(bit_frequencies(dim, data.rows().rows().zip(data.weights().iter().copied())))
            }
        };
        let draw_row = |index: usize, row: &[u64]| {
            let mut rng = stream(seed, Purpose::Connectivity, index as u64);
            let mut rows = BitMatrix::zeros(dim, num_samples);
            let mut factors = Vec::with_capacity(num_samples);
            for neighbour in rows.rows_mut() {
                // ln(g(x) / g(x′)): only bits that differ count.
                let mut log_ratio = 0.0;
                for site in 0..dim {
                    let (was_set, draw) = (bit(row, site), uniform(&mut rng));
                    let is_set = match (self, &set_chances) {
                        (Self::Flips { probability }, _) => was_set ^ (draw < *probability),
                        (_, Some(chances)) => {
                            let is_set = draw < chances[site];
                            if is_set != was_set {
                                let log_odds = ln(chances[site] / (1.0 - chances[site]));
                                log_ratio += if was_set { log_odds } else { -log_odds };
                            }
                            is_set
                        }
                        (Self::Independent {}, None) => unreachable!("frequencies are known"),
                    };
                    if is_set {
                        flip(neighbour, site);
                    }
                }
                factors.push(exp(0.5 * log_ratio) / num_samples as f64);
            }
            Neighbours { rows, factors }
        };
        Ok(data.rows().rows().enumerate().map(|(index, row)| draw_row(index, row)).collect())
    }
}

/// Frequency of each bit in weighted rows, kept from 0 and 1 by half a row.
pub fn bit_frequencies<'a>(dim: usize, rows: impl Iterator<Item = (&'a [u64], f64)>) -> Vec<f64> {
    let (mut counts, mut total) = (vec![0.5; dim], 0.0);
    for (row, weight) in rows {
        set_bits(row).for_each(|site| counts[site] += weight);
        total += weight;
    }
    counts.iter().map(|count| count / (total + 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connectivity::ConnectivitySpec;

    fn data(words: &[u64], dim: usize) -> WeightedRows {
        WeightedRows::from_data(crate::bits::BitBatch::new(dim, words))
    }

    /// Compares averages over many draws with eq. 2.21 summed over all states.
    #[test]
    fn drawn_neighbours_estimate_the_sum() {
        let data = data(&[0b101, 0b100, 0b101, 0b111], 3);
        let frequencies =
            bit_frequencies(3, data.rows().rows().zip(data.weights().iter().copied()));
        assert_eq!(frequencies, [3.5 / 5.0, 1.5 / 5.0, 4.5 / 5.0]);
        let row = data.rows().row(1)[0];
        let value_of = |state: u64| 1.0 + state as f64;
        let independent = |state: u64| -> f64 {
            let chances = frequencies.iter().enumerate();
            chances.map(|(site, p)| if state >> site & 1 == 1 { *p } else { 1.0 - p }).product()
        };
        let flips = |state: u64| -> f64 {
            (0..3).map(|site| if (state ^ row) >> site & 1 == 1 { 0.2 } else { 0.8 }).product()
        };
        let others = || (0..8).filter(|state| *state != row);
        let exact = [
            others().map(|state| flips(state) * value_of(state)).sum::<f64>(),
            others()
                .map(|state| (independent(state) * independent(row)).sqrt() * value_of(state))
                .sum(),
        ];
        for (proposal, exact) in
            [ProposalSpec::Flips { probability: 0.2 }, ProposalSpec::Independent {}]
                .into_iter()
                .zip(exact)
        {
            let num_samples = 200_000;
            let spec = ConnectivitySpec::Sampled { proposal, num_samples };
            let connectivity = spec.build(&data, false, 3).unwrap();
            let found = connectivity.neighbours(1, &[row]);
            let mut sums = [0.0; 2];
            for (state, factor) in found.rows.as_batch().rows().zip(&found.factors) {
                let term = factor * value_of(state[0]);
                sums[0] += term;
                sums[1] += term * term * num_samples as f64;
            }
            let error = ((sums[1] - sums[0] * sums[0]) / num_samples as f64).sqrt();
            assert!((sums[0] - exact).abs() < 4.0 * error, "{} {exact} ± {error}", sums[0]);
            assert!(error < 0.02 * exact);
        }
    }
}
