//! log Z of a restricted Boltzmann machine by enumeration of its smaller side,
//! up to 2^25 states.
//!
//! Exchanging the sides does not change Z, so let the enumerated side be the visible one, v. Its
//! states are visited in Gray code, one flip from each to the next. The odds `u_j = e^{b_j + W_j
//! v}` are kept: a flip multiplies them by the tabulated e^{±W_jn}, and `e^{−E} = e^{cᵀv} Π_j (1 +
//! u_j)`. That takes three operations per unit of the other side and one logarithm per state. As in
//! `exact`, the walk restarts every [`RUN`] states, which bounds the accumulated rounding.
//!
//! A shard fixes the top bits of v and varies the others, at most 2^14 states; shards depend on the
//! model's shape alone.

use super::flips::flip_sign;
use super::product::{Scaled, cadence};
use super::{LANES, Rbm};
use crate::bits::{bit, flip, set_bits, words_per_row};
use crate::energy::enumeration::RUN;
use crate::math::{exp, log_sum_exp, softplus};
use crate::{Error, Result};
use std::ops::Range;

/// Maximum number of units on the enumerated side.
pub const MAX_ENUMERATED: usize = 25;

/// Number of units that vary within a shard.
const SHARD_UNITS: usize = 14;

/// A machine whose smaller side is enumerated.
#[derive(Debug, Clone)]
pub struct SmallerSide {
    /// The machine with its smaller side as the visible one.
    pub(super) machine: Rbm,
    /// Whether the sides were exchanged to achieve that.
    pub(super) is_exchanged: bool,
    /// Number of groups of odds that may be multiplied between rescalings; 0 if products cannot be
    /// used.
    cadence: usize,
}

impl Rbm {
    /// log Z, in nats, exact up to rounding.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if both sides are over [`MAX_ENUMERATED`].
    pub fn log_z(&self) -> Result<f64> {
        let side = SmallerSide::new(self)?;
        let parts: Vec<_> = (0..side.num_shards()).map(|shard| side.part(shard)).collect();
        Ok(log_sum_exp(&parts))
    }
}

impl SmallerSide {
    /// Exchanges the sides if the hidden one is smaller.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if both sides are over [`MAX_ENUMERATED`].
    pub fn new(model: &Rbm) -> Result<Self> {
        let (num_visible, num_hidden) = (model.num_visible, model.num_hidden);
        if num_visible.min(num_hidden) > MAX_ENUMERATED {
            return Err(Error::TooLarge {
                field: "model".into(),
                problem: format!(
                    "has {num_visible} visible and {num_hidden} hidden units, and enumeration visits \
                     2^(the smaller number) states: the limit is {MAX_ENUMERATED}; estimate log Z instead"
                ),
            });
        }
        let is_exchanged = num_hidden < num_visible;
        let machine = if is_exchanged { model.exchanged() } else { model.clone() };
        // |a_j| is at most this in any state, and ln(1 + u_j) ≤ ln 2 + |a_j|.
        let bounds = machine.weights().chunks_exact(machine.num_visible).zip(machine.hidden_bias());
        let bound = bounds
            .map(|(line, bias)| line.iter().fold(bias.abs(), |sum, weight| sum + weight.abs()))
            .fold(0.0, f64::max);
        // Products would lose a NaN when their powers of two are extracted.
        let is_finite = machine.params.iter().all(|param| param.is_finite());
        let cadence = if is_finite { cadence(bound + 1.0) } else { 0 };
        Ok(Self { machine, is_exchanged, cadence })
    }

    /// Number of units of the smaller side.
    pub fn num_units(&self) -> usize {
        self.machine.num_visible
    }

    /// Number of shards of its states.
    pub fn num_shards(&self) -> usize {
        1 << self.num_units().saturating_sub(SHARD_UNITS)
    }

    /// Number of states per shard.
    pub(super) fn num_states(&self) -> usize {
        1 << self.num_units().min(SHARD_UNITS)
    }

    /// Number of runs per shard.
    pub fn num_runs(&self) -> usize {
        self.num_states().div_ceil(RUN)
    }

    /// Number of units of the other side that a run updates, over all its states.
    pub fn run_cost(&self) -> usize {
        self.num_states().min(RUN) * self.machine.width
    }

    /// log Σ e^{−E} over one shard's states, in nats: [`log_sum_exp`] of its runs.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn part(&self, shard: usize) -> f64 {
        log_sum_exp(&(0..self.num_runs()).map(|run| self.run(shard, run)).collect::<Vec<_>>())
    }

    /// log Σ e^{−E} over a run of one shard's states, in nats.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn run(&self, shard: usize, run: usize) -> f64 {
        assert!(shard < self.num_shards() && run < self.num_runs());
        log_sum_exp(&self.log_weights(shard, run * RUN..self.num_states().min((run + 1) * RUN)))
    }

    /// −E of a shard's states in Gray code, from state to state.
    pub(super) fn log_weights(&self, shard: usize, states: Range<usize>) -> Vec<f64> {
        let machine = &self.machine;
        let low = self.num_units().min(SHARD_UNITS);
        let mut row = vec![0u64; words_per_row(machine.num_visible)];
        row[0] = (shard as u64) << low | (states.start ^ states.start >> 1) as u64;
        let mut activations = vec![0.0; machine.width];
        machine.activations(&row, &mut activations);
        let bias = machine.visible_bias();
        let mut field: f64 = set_bits(&row).map(|site| bias[site]).sum();
        let mut odds: Vec<f64> = activations.iter().map(|a| exp(*a)).collect();
        let mut log_weights = Vec::with_capacity(states.len());
        for count in states.clone() {
            let free = if self.cadence > 0 {
                product_of_odds(&odds, self.cadence).ln()
            } else {
                machine.activations(&row, &mut activations);
                activations.iter().map(|a| softplus(*a)).sum()
            };
            log_weights.push(field + free);
            if count + 1 < states.end {
                let site = (count + 1).trailing_zeros() as usize;
                let is_set = bit(&row, site);
                field += flip_sign(is_set) * bias[site];
                flip(&mut row, site);
                for (odds, factor) in odds.iter_mut().zip(machine.factors(site, is_set)) {
                    *odds *= factor;
                }
            }
        }
        log_weights
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
    use crate::energy::enumeration::enumerate;
    use crate::rbm::RbmSpec;

    /// Compares with enumeration of the visible side, whichever side is smaller, and for weights of
    /// any size.
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
