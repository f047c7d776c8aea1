//! log Z of a restricted Boltzmann machine by enumeration of its smaller side,
//! up to 2^25 states.
//!
//! Exchanging the sides leaves Z as it is, so let the enumerated side be the
//! visible one, v. Its states are visited in Gray code, one flip from each to
//! the next. `u_j = e^{b_j + W_j v}` is kept: a flip multiplies it by the tabled
//! e^{±W_jn}, and `e^{−E} = e^{cᵀv} Π_j (1 + u_j)`: three operations a unit of
//! the other side and one logarithm a state. As in [`crate::exact`], every
//! [`RUN`] states the walk begins anew, which bounds what rounding adds up to.
//!
//! A shard fixes the top bits of v and runs over the others, at most 2^14
//! states; shards depend on the model's shape alone.

use super::flips::flip_sign;
use super::product::{Scaled, cadence};
use super::{LANES, Rbm};
use crate::bits::{bit, flip, words_per_row};
use crate::exact::RUN;
use crate::math::{exp, log_sum_exp, softplus};
use crate::{Error, Result};

/// Most units on the enumerated side.
pub const MAX_ENUMERATED: usize = 25;

/// Units that vary within a shard.
const SHARD_UNITS: usize = 14;

impl Rbm {
    /// Into how many shards the enumeration for log Z is cut.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if both sides are over [`MAX_ENUMERATED`].
    pub fn num_log_z_shards(&self) -> Result<usize> {
        let smaller = self.num_visible.min(self.num_hidden);
        if smaller > MAX_ENUMERATED {
            return Err(Error::TooLarge {
                field: "model".into(),
                problem: format!(
                    "has {} visible and {} hidden units, and enumeration visits 2^(the smaller number) \
                     states: the limit is {MAX_ENUMERATED}; estimate log Z instead",
                    self.num_visible, self.num_hidden
                ),
            });
        }
        Ok(1 << smaller.saturating_sub(SHARD_UNITS))
    }

    /// log Σ e^{−E} over one shard's states, in nats.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn log_z_part(&self, shard: usize) -> f64 {
        assert!(self.num_log_z_shards().is_ok_and(|count| shard < count));
        if self.num_hidden < self.num_visible {
            self.exchanged().log_sum(shard)
        } else {
            self.log_sum(shard)
        }
    }

    /// log Z, in nats, exactly but for rounding.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if both sides are over [`MAX_ENUMERATED`].
    pub fn log_z(&self) -> Result<f64> {
        let parts: Vec<_> =
            (0..self.num_log_z_shards()?).map(|shard| self.log_z_part(shard)).collect();
        Ok(log_sum_exp(&parts))
    }

    /// log Σ e^{−E(v)} over the visible states of a shard.
    fn log_sum(&self, shard: usize) -> f64 {
        let low = self.num_visible.min(SHARD_UNITS);
        let num_states = 1usize << low;
        // |a_j| is at most this in any state, and ln(1 + u_j) ≤ ln 2 + |a_j|.
        let bounds = self.weights().chunks_exact(self.num_visible).zip(self.hidden_bias());
        let bound = bounds
            .map(|(line, bias)| line.iter().fold(bias.abs(), |sum, weight| sum + weight.abs()))
            .fold(0.0, f64::max);
        // Products would lose a NaN when their powers of two are taken out.
        let is_finite = self.params.iter().all(|param| param.is_finite());
        let cadence = if is_finite { cadence(bound + 1.0) } else { 0 };
        let mut row = vec![0u64; words_per_row(self.num_visible)];
        let mut activations = vec![0.0; self.width];
        let mut odds = vec![0.0; self.width];
        let mut log_weights = Vec::with_capacity(RUN.min(num_states));
        let mut runs = Vec::with_capacity(num_states.div_ceil(RUN));
        for start in (0..num_states).step_by(RUN) {
            row[0] = (shard as u64) << low | (start ^ start >> 1) as u64;
            self.activations(&row, &mut activations);
            let mut field: f64 =
                crate::bits::set_bits(&row).map(|site| self.visible_bias()[site]).sum();
            log_weights.clear();
            odds.iter_mut().zip(&activations).for_each(|(odds, a)| *odds = exp(*a));
            let end = num_states.min(start + RUN);
            for count in start..end {
                let free = if cadence > 0 {
                    product_of_odds(&odds, cadence).ln()
                } else {
                    self.activations(&row, &mut activations);
                    activations.iter().map(|a| softplus(*a)).sum()
                };
                log_weights.push(field + free);
                if count + 1 < end {
                    let site = (count + 1).trailing_zeros() as usize;
                    let is_set = bit(&row, site);
                    field += flip_sign(is_set) * self.visible_bias()[site];
                    flip(&mut row, site);
                    for (odds, factor) in odds.iter_mut().zip(self.factors(site, is_set)) {
                        *odds *= factor;
                    }
                }
            }
            runs.push(log_sum_exp(&log_weights));
        }
        log_sum_exp(&runs)
    }
}

/// Π_j (1 + u_j).
pub(super) fn product_of_odds(odds: &[f64], cadence: usize) -> Scaled {
    let mut lanes = [Scaled::ONE; LANES];
    let mut due = cadence;
    for odds in odds.chunks_exact(LANES) {
        for (lane, odds) in lanes.iter_mut().zip(odds) {
            lane.mantissa *= 1.0 + odds;
        }
        due -= 1;
        if due == 0 {
            lanes.iter_mut().for_each(Scaled::normalize);
            due = cadence;
        }
    }
    lanes.iter_mut().for_each(Scaled::normalize);
    lanes.into_iter().reduce(Scaled::times).expect("there are lanes")
}

#[cfg(test)]
mod tests {
    use crate::energy::Parametric;
    use crate::exact::enumerate;
    use crate::models::rbm::RbmSpec;

    /// Against enumeration of the visible side, whichever side is smaller and
    /// whatever the size of the weights.
    #[test]
    fn equals_enumeration_of_the_visible_side() {
        for (visible, hidden, scale) in
            [(1, 1, 1.0), (10, 4, 0.7), (4, 19, 0.7), (16, 8, 1.5), (15, 17, 0.3), (5, 6, 400.0)]
        {
            let model = RbmSpec::random(visible, hidden, scale, 2).build().unwrap();
            let expected = enumerate(&model).unwrap().log_z;
            let log_z = model.log_z().unwrap();
            assert!(
                (log_z - expected).abs() < 1e-11 * expected.abs().max(1.0),
                "{log_z} {expected}"
            );
        }
    }

    /// Without weights the units are independent.
    #[test]
    fn independent_units() {
        let mut model = RbmSpec::random(30, 16, 0.0, 2).build().unwrap();
        let mut params = vec![0.0; model.params().len()];
        params[30 * 16..]
            .iter_mut()
            .enumerate()
            .for_each(|(at, bias)| *bias = 0.2 * at as f64 - 3.0);
        model.set_params(&params);
        let expected: f64 = params[30 * 16..].iter().map(|bias| crate::math::softplus(*bias)).sum();
        assert!((model.log_z().unwrap() - expected).abs() < 1e-11 * expected);
    }

    #[test]
    fn too_many_units_are_refused() {
        let model = RbmSpec::random(26, 27, 0.1, 2).build().unwrap();
        assert_eq!(model.log_z().unwrap_err().code(), "too-large");
    }
}
