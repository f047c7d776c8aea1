//! Draws one layer of a restricted Boltzmann machine given the other.

use super::Rbm;
use super::tiles::Tiles;
use crate::bits::{BitBatch, words_per_row};
use crate::energy::HiddenUnits;
use crate::linalg::Lanes;
use crate::math::sigmoid_lanes;
use crate::rng::{ChainRng, uniform};

impl HiddenUnits for Rbm {
    fn num_hidden(&self) -> usize {
        self.num_hidden
    }

    fn sample_hidden_rows(&self, visible: BitBatch<'_>, rngs: &mut [ChainRng], hidden: &mut [u64]) {
        let tiles = &self.layer_tiles().by_visible;
        draw_rows(tiles, visible, self.hidden_bias(), rngs, hidden);
    }

    fn sample_visible_rows(
        &self,
        hidden: BitBatch<'_>,
        rngs: &mut [ChainRng],
        visible: &mut [u64],
    ) {
        let tiles = &self.layer_tiles().by_hidden;
        draw_rows(tiles, hidden, self.visible_bias(), rngs, visible);
    }
}

/// Draws one layer given rows of the other, with the weights in tiles that have a line per given
/// unit. A row's units are drawn in order.
fn draw_rows(
    tiles: &Tiles,
    given: BitBatch<'_>,
    bias: &[f64],
    rngs: &mut [ChainRng],
    drawn: &mut [u64],
) {
    let width = words_per_row(bias.len());
    assert!(rngs.len() == given.len() && drawn.len() == given.len() * width);
    drawn.fill(0);
    tiles.sum(given, bias, |row, units, activations| {
        let word = &mut drawn[row * width + units.start / 64];
        *word |= draw_word(activations, &mut rngs[row]) << (units.start % 64);
    });
}

/// Sets each unit with probability σ(a).
pub fn draw_units(activations: &[f64], rng: &mut ChainRng, row: &mut [u64]) {
    assert_eq!(row.len(), words_per_row(activations.len()));
    for (word, activations) in row.iter_mut().zip(activations.chunks(64)) {
        *word = draw_word(activations, rng);
    }
}

/// A word whose bits are set with probability σ(a), for at most 64 units.
fn draw_word(activations: &[f64], rng: &mut ChainRng) -> u64 {
    let mut word = 0;
    for (chunk, activations) in activations.chunks(Lanes::LEN).enumerate() {
        let mut lanes = Lanes::ZERO;
        lanes.0[..activations.len()].copy_from_slice(activations);
        let on = sigmoid_lanes(&lanes);
        for (at, on) in on.0[..activations.len()].iter().enumerate() {
            word |= u64::from(uniform(rng) < *on) << (chunk * Lanes::LEN + at);
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitMatrix, set_bits};
    use crate::linalg::axpy;
    use crate::math::sigmoid;
    use crate::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    /// Rows drawn together, against units drawn one by one.
    #[test]
    fn rows_are_drawn_as_alone() {
        for (visible, hidden) in [(1, 1), (70, 9), (20, 150)] {
            let model = RbmSpec::random(visible, hidden, 0.7, 3).build().unwrap();
            let mut rows = BitMatrix::zeros(visible, 5);
            let mut rng = stream(4, Purpose::Example, 0);
            rows.rows_mut().for_each(|row| crate::bits::fill_random(row, visible, &mut rng));
            let stream = |row| stream(5, Purpose::Chain, row);
            let mut rngs: Vec<_> = (0..5).map(stream).collect();
            let [mut above, mut below] =
                [hidden, visible].map(|units| vec![!0; 5 * words_per_row(units)]);
            model.sample_hidden_rows(rows.as_batch(), &mut rngs, &mut above);
            model.sample_visible_rows(BitBatch::new(hidden, &above), &mut rngs, &mut below);
            for index in 0..5 {
                let mut rng = stream(index as u64);
                let mut activations = model.hidden_bias().to_vec();
                for site in set_bits(rows.row(index)) {
                    axpy(1.0, &model.column(site)[..hidden], &mut activations);
                }
                let on = draw_one_by_one(&activations, &mut rng);
                assert_eq!(on, &above[index * on.len()..][..on.len()]);
                let mut activations = model.visible_bias().to_vec();
                for unit in set_bits(&on) {
                    axpy(1.0, &model.weights()[unit * visible..][..visible], &mut activations);
                }
                let on = draw_one_by_one(&activations, &mut rng);
                assert_eq!(on, &below[index * on.len()..][..on.len()]);
            }
        }
    }

    fn draw_one_by_one(activations: &[f64], rng: &mut ChainRng) -> Vec<u64> {
        let mut row = vec![0; words_per_row(activations.len())];
        for (unit, a) in activations.iter().enumerate() {
            row[unit / 64] |= u64::from(uniform(rng) < sigmoid(*a)) << (unit % 64);
        }
        row
    }
}
