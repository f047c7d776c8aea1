//! What single flips of a restricted Boltzmann machine cost: as products over
//! the hidden units (see the model's head), and by softplus, which is slow and
//! holds for any weights.

use super::product::Scaled;
use super::{LANES, Rbm, walk};
use crate::bits::{BitBatch, bit, set_bits};
use crate::energy::{FlipWalk, SiteFlips};
use crate::linalg::{Lanes, add_lines};
use crate::math::{exp_lanes, softplus};

/// Factors that [`Rbm::flip_product`] multiplies in one go.
pub(super) const GROUP: usize = 4;

impl Rbm {
    /// a = b + Wv, padded with −∞.
    pub(super) fn activations(&self, row: &[u64], out: &mut [f64]) {
        out.copy_from_slice(&self.padded_bias);
        add_lines(set_bits(row).map(|site| self.column(site)), out);
    }

    /// −ΔE of a flip by softplus: slow, for any weights.
    pub(super) fn softplus_gain(&self, activations: &[f64], site: usize, is_set: bool) -> f64 {
        let sign = flip_sign(is_set);
        let hidden = activations.iter().zip(self.column(site));
        let gains = hidden.map(|(a, weight)| softplus(a + sign * weight) - softplus(*a));
        sign * self.visible_bias()[site] + gains.take(self.num_hidden).sum::<f64>()
    }

    /// `Π_j (p_j + q_j t_j)`, t from [`Rbm::factors`]; not for weights too
    /// large for it. `each(chunk, q_j t_j, f_j, group)` sees the terms on their
    /// way: unit j of a chunk of [`LANES`] is in lane j mod 2, and `group` is
    /// the product of a lane's [`GROUP`] factors.
    #[inline(always)]
    pub(super) fn flip_product(
        &self,
        off: &[f64],
        on: &[f64],
        factors: &[f64],
        mut each: impl FnMut(usize, &[f64; LANES], &[f64; LANES], [f64; 2]),
    ) -> Scaled {
        let [off, on, factors] = [off, on, factors].map(|values| values.as_chunks::<LANES>().0);
        let mut lanes = [Scaled::ONE; 2];
        let mut due = self.cadence;
        for (chunk, ((off, on), factors)) in off.iter().zip(on).zip(factors).enumerate() {
            let mut flipped = [0.0; LANES];
            let mut terms = [0.0; LANES];
            for unit in 0..LANES {
                flipped[unit] = on[unit] * factors[unit];
                terms[unit] = off[unit] + flipped[unit];
            }
            let mut group = [0.0; 2];
            for lane in 0..2 {
                group[lane] = (terms[lane] * terms[2 + lane]) * (terms[4 + lane] * terms[6 + lane]);
                lanes[lane].mantissa *= group[lane];
            }
            each(chunk, &flipped, &terms, group);
            due -= 1;
            if due == 0 {
                lanes.iter_mut().for_each(Scaled::normalize);
                due = self.cadence;
            }
        }
        lanes.iter_mut().for_each(Scaled::normalize);
        lanes[0].times(lanes[1])
    }
}

/// What a flip adds to a bit.
pub(super) fn flip_sign(is_set: bool) -> f64 {
    if is_set { -1.0 } else { 1.0 }
}

/// `σ(−a)` and `σ(a)` of each unit, with one exponential for both; of whole lanes.
pub(super) fn unit_probabilities(activations: &[f64], off: &mut [f64], on: &mut [f64]) {
    let [off, on] = [off, on].map(|values| values.as_chunks_mut::<LANES>().0);
    let activations = activations.as_chunks::<LANES>().0;
    for ((a, off), on) in activations.iter().zip(off).zip(on) {
        let small = exp_lanes(&Lanes(a.map(|a| -a.abs())));
        for unit in 0..LANES {
            let likely = 1.0 / (1.0 + small.0[unit]);
            let unlikely = small.0[unit] * likely;
            let is_on = a[unit] >= 0.0;
            off[unit] = if is_on { unlikely } else { likely };
            on[unit] = if is_on { likely } else { unlikely };
        }
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

    fn walk<'a>(&'a self, row: &'a mut [u64]) -> Box<dyn FlipWalk + 'a> {
        Box::new(walk::RbmWalk::new(self, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::words_per_row;
    use crate::energy::Energy;
    use crate::linalg::Batch;
    use crate::models::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    /// The walk's deltas after many flips against fresh ones, and both against
    /// energies; with weights small, and too large for products.
    #[test]
    fn walks_know_what_flips_cost() {
        for (visible, hidden, scale) in [(7, 5, 0.8), (66, 12, 0.3), (5, 9, 20.0), (4, 3, 300.0)] {
            let model = RbmSpec::random(visible, hidden, scale, 8).build().unwrap();
            let mut rng = stream(3, Purpose::Example, 1);
            let mut row = vec![0; words_per_row(visible)];
            crate::sample::fill_random(&mut row, visible, &mut rng);
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
