//! Walks by single flips over the visible states of a restricted Boltzmann
//! machine: the activations a = b + Wv and the probabilities of the hidden
//! units are kept, so that a delta is a product over the hidden units and one
//! logarithm.

use super::Rbm;
use super::flips::{flip_sign, unit_probabilities};
use crate::bits::{bit, flip};
use crate::energy::FlipWalk;
use crate::linalg::axpy;

pub(super) struct RbmWalk<'a> {
    model: &'a Rbm,
    row: &'a mut [u64],
    activations: Vec<f64>,
    off: Vec<f64>,
    on: Vec<f64>,
}

impl<'a> RbmWalk<'a> {
    pub(super) fn new(model: &'a Rbm, row: &'a mut [u64]) -> Self {
        let [mut activations, mut off, mut on] = [(); 3].map(|()| vec![0.0; model.width]);
        model.activations(row, &mut activations);
        unit_probabilities(&activations, &mut off, &mut on);
        Self { model, row, activations, off, on }
    }
}

impl FlipWalk for RbmWalk<'_> {
    fn delta(&self, site: usize) -> f64 {
        let model = self.model;
        let is_set = bit(self.row, site);
        if model.cadence == 0 {
            return -model.softplus_gain(&self.activations, site, is_set);
        }
        let factors = model.factors(site, is_set);
        let product = model.flip_product(&self.off, &self.on, factors, |_, _, _, _| ());
        -(flip_sign(is_set) * model.visible_bias()[site] + product.ln())
    }

    fn flip(&mut self, site: usize) {
        let sign = flip_sign(bit(self.row, site));
        flip(self.row, site);
        axpy(sign, self.model.column(site), &mut self.activations);
        unit_probabilities(&self.activations, &mut self.off, &mut self.on);
    }
}
