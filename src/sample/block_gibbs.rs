//! Gibbs sampling of models with hidden units, a whole layer at a time.
//!
//! A step draws all hidden units given the visible ones, and then all visible units given the
//! hidden ones. Both moves leave p(v, h) unchanged. The step is reversible in v alone, as h is
//! drawn anew each time. The chain's state is the visible row.

use super::Transition;
use super::gibbs::GibbsInfo;
use crate::bits::{BitBatch, BitMatrix, words_per_row};
use crate::energy::HiddenUnits;
use crate::rng::ChainRng;

/// Block Gibbs sampling of a model.
#[derive(Clone, Copy)]
pub struct BlockGibbs<'a> {
    model: &'a dyn HiddenUnits,
}

impl<'a> BlockGibbs<'a> {
    /// A transition that samples this model.
    pub fn new(model: &'a dyn HiddenUnits) -> Self {
        Self { model }
    }

    /// A step of each row, with its own random stream. The bits are those of [`Transition::step`]
    /// row by row; the weights are read once for all rows.
    ///
    /// # Panics
    /// If there is not a stream for each row, or the rows are not the model's.
    pub fn step_rows(&self, rows: &mut BitMatrix, rngs: &mut [ChainRng]) {
        let mut hidden = vec![0; rows.num_rows() * words_per_row(self.model.num_hidden())];
        self.model.sample_hidden_rows(rows.as_batch(), rngs, &mut hidden);
        let hidden = BitBatch::new(self.model.num_hidden(), &hidden);
        self.model.sample_visible_rows(hidden, rngs, rows.words_mut());
    }
}

impl Transition for BlockGibbs<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.model.dim()));
        let mut hidden = vec![0; words_per_row(self.model.num_hidden())];
        self.model.sample_hidden(row, rng, &mut hidden);
        let before = row.to_vec();
        self.model.sample_visible(&hidden, rng, row);
        let changed = before.iter().zip(row.iter()).map(|(a, b)| (a ^ b).count_ones() as usize);
        GibbsInfo { num_flips: changed.sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::enumerate;
    use crate::models::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    #[test]
    fn rows_step_as_alone() {
        let model = RbmSpec::random(70, 9, 0.5, 4).build().unwrap();
        let transition = BlockGibbs::new(&model);
        let mut rngs: Vec<_> = (0..6).map(|row| stream(2, Purpose::Chain, row)).collect();
        let mut rows = BitMatrix::zeros(70, 6);
        rows.rows_mut()
            .zip(&mut rngs)
            .for_each(|(row, rng)| crate::bits::fill_random(row, 70, rng));
        let (mut alone, mut own) = (rows.clone(), rngs.clone());
        for _ in 0..3 {
            transition.step_rows(&mut rows, &mut rngs);
            for (row, rng) in alone.rows_mut().zip(&mut own) {
                transition.step(row, rng);
            }
            assert_eq!(rows, alone);
        }
    }

    /// Compares means and pair moments of long chains with enumeration, within five standard errors
    /// estimated from independent chains.
    #[test]
    fn leaves_the_distribution_as_it_is() {
        let model = RbmSpec::random(5, 3, 1.0, 4).build().unwrap();
        let exact = enumerate(&model).unwrap();
        let transition = BlockGibbs::new(&model);
        let (num_chains, num_draws) = (50, 2000);
        let mut chain_means = Vec::new();
        for chain in 0..num_chains {
            let mut rng = stream(9, Purpose::Chain, chain);
            let mut row = vec![0u64];
            let mut sums = [0.0; 25];
            for draw in 0..num_draws + 20 {
                let before = row[0];
                let info = transition.step(&mut row, &mut rng);
                assert_eq!(info.num_flips, (before ^ row[0]).count_ones() as usize);
                if draw >= 20 {
                    for at in 0..25 {
                        sums[at] += (row[0] >> (at / 5) & row[0] >> (at % 5) & 1) as f64;
                    }
                }
            }
            chain_means.push(sums.iter().map(|sum| sum / num_draws as f64).collect::<Vec<_>>());
        }
        for at in 0..25 {
            let count = num_chains as f64;
            let mean = chain_means.iter().map(|means| means[at]).sum::<f64>() / count;
            let spread: f64 =
                chain_means.iter().map(|means| (means[at] - mean) * (means[at] - mean)).sum();
            let error = (spread / (count * (count - 1.0))).sqrt();
            assert!(
                (mean - exact.moments[at]).abs() < 5.0 * error,
                "{at}: {mean} {}",
                exact.moments[at]
            );
            assert!(error < 0.01);
        }
    }
}
