//! Draws one layer given the other.

use super::CategoricalRbm;
use crate::bits::{BitBatch, flip, set_bits, words_per_row};
use crate::energy::HiddenUnits;
use crate::linalg::axpy;
use crate::rng::ChainRng;
use crate::site_values::draw_value;

impl HiddenUnits for CategoricalRbm {
    fn num_hidden(&self) -> usize {
        self.machine.num_hidden()
    }

    fn sample_hidden_rows(&self, visible: BitBatch<'_>, rngs: &mut [ChainRng], hidden: &mut [u64]) {
        self.machine.sample_hidden_rows(visible, rngs, hidden);
    }

    fn sample_visible_rows(
        &self,
        hidden: BitBatch<'_>,
        rngs: &mut [ChainRng],
        visible: &mut [u64],
    ) {
        let (dim, width) = (self.sites.dim(), words_per_row(self.sites.dim()));
        assert!(rngs.len() == hidden.len() && visible.len() == hidden.len() * width);
        let mut activations = vec![0.0; dim];
        let mut has_value = vec![false; self.sites.count()];
        for ((on, rng), row) in hidden.rows().zip(rngs).zip(visible.chunks_exact_mut(width)) {
            activations.copy_from_slice(self.machine.visible_bias());
            for unit in set_bits(on) {
                axpy(1.0, &self.machine.weights()[unit * dim..][..dim], &mut activations);
            }
            has_value.fill(false);
            set_bits(row).for_each(|bit| has_value[self.sites.site_of(bit)] = true);
            row.fill(0);
            for (site, _) in has_value.iter().enumerate().filter(|(_, has_value)| **has_value) {
                let first = self.sites.first(site);
                let own = &mut activations[first..self.sites.first(site + 1)];
                flip(row, first + usize::from(draw_value(own, rng)));
            }
        }
    }
}
