//! Drawing one side of a restricted Boltzmann machine given the other.

use super::Rbm;
use crate::bits::{set_bits, words_per_row};
use crate::energy::HiddenUnits;
use crate::linalg::axpy;
use crate::math::sigmoid;
use crate::rng::{ChainRng, uniform};

impl HiddenUnits for Rbm {
    fn num_hidden(&self) -> usize {
        self.num_hidden
    }

    fn sample_hidden(&self, visible: &[u64], rng: &mut ChainRng, hidden: &mut [u64]) {
        assert_eq!(visible.len(), words_per_row(self.num_visible));
        let mut activations = vec![0.0; self.width];
        self.activations(visible, &mut activations);
        draw_units(&activations[..self.num_hidden], rng, hidden);
    }

    fn sample_visible(&self, hidden: &[u64], rng: &mut ChainRng, visible: &mut [u64]) {
        assert_eq!(hidden.len(), words_per_row(self.num_hidden));
        let mut activations = self.visible_bias().to_vec();
        for unit in set_bits(hidden) {
            let line = &self.weights()[unit * self.num_visible..][..self.num_visible];
            axpy(1.0, line, &mut activations);
        }
        draw_units(&activations, rng, visible);
    }
}

/// Sets each unit with probability σ(a).
fn draw_units(activations: &[f64], rng: &mut ChainRng, row: &mut [u64]) {
    assert_eq!(row.len(), words_per_row(activations.len()));
    row.fill(0);
    for (unit, a) in activations.iter().enumerate() {
        row[unit / 64] |= u64::from(uniform(rng) < sigmoid(*a)) << (unit % 64);
    }
}
