//! Draws one layer of a restricted Boltzmann machine given the other.

use super::Rbm;
use crate::bits::{set_bits, words_per_row};
use crate::energy::HiddenUnits;
use crate::linalg::{Lanes, add_lines};
use crate::math::sigmoid_lanes;
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
        let line = |unit: usize| &self.weights()[unit * self.num_visible..][..self.num_visible];
        add_lines(set_bits(hidden).map(line), &mut activations);
        draw_units(&activations, rng, visible);
    }
}

/// Sets each unit with probability σ(a).
pub fn draw_units(activations: &[f64], rng: &mut ChainRng, row: &mut [u64]) {
    assert_eq!(row.len(), words_per_row(activations.len()));
    row.fill(0);
    for (chunk, activations) in activations.chunks(Lanes::LEN).enumerate() {
        let mut lanes = Lanes::ZERO;
        lanes.0[..activations.len()].copy_from_slice(activations);
        let on = sigmoid_lanes(&lanes);
        let first = chunk * Lanes::LEN;
        for (at, on) in on.0[..activations.len()].iter().enumerate() {
            row[first / 64] |= u64::from(uniform(rng) < *on) << ((first + at) % 64);
        }
    }
}
