//! Energy changes by single flips of a restricted Boltzmann machine.
//!
//! Walks over its visible states keep the activations a = b + Wv and the probabilities of the
//! hidden units, so a delta is a product over the hidden units and one logarithm.

use super::Rbm;
use super::flips::{flip_sign, unit_probabilities};
use crate::bits::{BitBatch, bit};
use crate::energy::{FlipMemory, FlipWalk, SiteFlips, Walk};
use crate::linalg::axpy;

struct RbmMemory<'a> {
    model: &'a Rbm,
    activations: Vec<f64>,
    off: Vec<f64>,
    on: Vec<f64>,
}

impl<'a> RbmMemory<'a> {
    fn new(model: &'a Rbm, row: &[u64]) -> Self {
        let [mut activations, mut off, mut on] = [(); 3].map(|()| vec![0.0; model.width]);
        model.activations(row, &mut activations);
        unit_probabilities(&activations, &mut off, &mut on);
        Self { model, activations, off, on }
    }
}

impl FlipMemory for RbmMemory<'_> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        let model = self.model;
        let is_set = bit(row, site);
        if model.cadence() == 0 {
            return -model.softplus_gain(&self.activations, site, is_set);
        }
        let factors = model.factors(site, is_set);
        let product = model.flip_product(&self.off, &self.on, factors, |_, _, _, _| ());
        -(flip_sign(is_set) * model.visible_bias()[site] + product.ln())
    }

    fn flipped(&mut self, row: &[u64], site: usize) {
        let was_set = !bit(row, site);
        let sign = flip_sign(was_set);
        axpy(sign, self.model.column(site), &mut self.activations);
        unit_probabilities(&self.activations, &mut self.off, &mut self.on);
    }
}

impl SiteFlips for Rbm {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        let mut activations = vec![0.0; self.width];
        self.activations(row, &mut activations);
        -self.softplus_gain(&activations, site, bit(row, site))
    }

    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.num_visible && out.len() == x.len() * self.num_visible);
        let mut activations = vec![0.0; self.width];
        for (row, out) in x.rows().zip(out.chunks_exact_mut(self.num_visible)) {
            self.activations(row, &mut activations);
            for (site, out) in out.iter_mut().enumerate() {
                *out = -self.softplus_gain(&activations, site, bit(row, site));
            }
        }
    }

    fn memory<'a>(&'a self, row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        Box::new(RbmMemory::new(self, row))
    }

    fn walk<'a>(&'a self, row: &'a mut [u64]) -> Box<dyn FlipWalk + 'a> {
        let memory = RbmMemory::new(self, row);
        Box::new(Walk { row, memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::words_per_row;
    use crate::energy::Energy;
    use crate::linalg::Batch;
    use crate::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    /// Compares the walk's deltas after many flips with freshly computed ones, and both with
    /// energies, for small weights and for weights too large for products.
    #[test]
    fn walks_know_what_flips_cost() {
        for (visible, hidden, scale) in [(7, 5, 0.8), (66, 12, 0.3), (5, 9, 20.0), (4, 3, 300.0)] {
            let model = RbmSpec::random(visible, hidden, scale, 8).build().unwrap();
            let mut rng = stream(3, Purpose::Example, 1);
            let mut row = vec![0; words_per_row(visible)];
            crate::bits::fill_random(&mut row, visible, &mut rng);
            let mut copy = row.clone();
            let mut walk = model.walk(&mut row);
            for count in 0..100 {
                let site = count * 5 % visible;
                let mut states = vec![0.0; 2 * visible];
                crate::bits::write_values(&copy, &mut states[..visible]);
                crate::bits::flip(&mut copy, site);
                crate::bits::write_values(&copy, &mut states[visible..]);
                crate::bits::flip(&mut copy, site);
                let mut energies = [0.0; 2];
                model.energy(Batch::new(visible, &states), &mut energies);
                let expected = energies[1] - energies[0];
                let tolerance = 1e-11 * (1.0 + energies[0].abs().max(energies[1].abs()));
                for delta in [walk.delta(site), model.flip_delta(&copy, site)] {
                    assert!((delta - expected).abs() < tolerance, "{delta} {expected}");
                }
                walk.flip(site);
                crate::bits::flip(&mut copy, site);
            }
        }
    }
}
