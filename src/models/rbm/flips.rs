//! Sums and products over the hidden units that give the energy change of flipping a visible unit:
//! by factors (see the model's file), and by softplus, which is slow and works for any weights.

use super::product::Scaled;
use super::{LANES, Rbm};
use crate::bits::set_bits;
use crate::linalg::{Lanes, add_lines};
use crate::math::{exp_lanes, softplus};

/// Number of factors that [`Rbm::flip_product`] multiplies at once.
pub(super) const GROUP: usize = 4;

impl Rbm {
    /// The activations a = b + Wv, padded with −∞.
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

    /// `Π_j (p_j + q_j t_j)`, with t from [`Rbm::factors`]; not for weights that are too large.
    /// `each(chunk, q_j t_j, f_j, group)` is called with the intermediate terms: unit j of a chunk
    /// of [`LANES`] is in lane j mod 2, and `group` is the product of a lane's [`GROUP`] factors.
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
        let cadence = self.cadence();
        let mut due = cadence;
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
                due = cadence;
            }
        }
        lanes.iter_mut().for_each(Scaled::normalize);
        lanes[0].times(lanes[1])
    }
}

/// The change of a bit by a flip.
pub(super) fn flip_sign(is_set: bool) -> f64 {
    if is_set { -1.0 } else { 1.0 }
}

/// `σ(−a)` and `σ(a)` of each unit, with one exponential for both, for complete lanes.
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
