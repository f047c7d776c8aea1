//! Moments of a restricted Boltzmann machine by enumeration of its smaller side; the other side is
//! summed out.
//!
//! As in [`super::log_z`], let the enumerated side be v, visit its states in Gray code, and keep
//! the odds `u_j = e^{b_j + W_j v}` of the other side's units. The weight of a state is `w =
//! e^{cᵀv} Π_j (1 + u_j)`, and the moments are sums of w, of `w p_j` with `p_j = u_j / (1 + u_j)`,
//! and of both over the states in which v_n = 1. For the last, blocks of states are merged
//! pairwise, like the carries of a binary counter. The halves of a block differ in one unit of v,
//! so the block's sum over the half where that unit is on is available, and a state costs two
//! additions per p_j instead of one for every unit that is on.
//!
//! Weights are stored divided by e^r, where r rises with them.

use super::flips::flip_sign;
use super::product::cadence;
use super::smaller_side::{MAX_ENUMERATED, product_of_odds};
use super::{LANES, Rbm};
use crate::bits::{bit, flip, set_bits, words_per_row};
use crate::energy::ExponentialFamily;
use crate::energy::enumeration::RUN;
use crate::energy::enumeration::{Enumeration, WeightedSums};
use crate::energy::{Statistic, Statistics};
use crate::linalg::axpy;
use crate::math::{exp, sigmoid, softplus};
use crate::{Error, Result};

/// Binary logarithm of the number of odds computed in a piece.
const PIECE_BITS: u32 = 22;

/// Minimum and maximum number of units that vary within a piece.
const PIECE_UNITS: (u32, u32) = (6, 14);

/// How far a weight may exceed the divisor of the weights, in nats.
const RISE: f64 = 30.0;

impl ExponentialFamily for Rbm {
    fn statistics(&self) -> Statistics {
        let (visible, hidden) = (self.num_visible, self.num_hidden);
        let weights = (0..hidden)
            .flat_map(|j| (0..visible).map(move |i| Statistic::pair(i, visible + j, -1.0)));
        let biases = (0..visible + hidden).map(|unit| Statistic::unit(unit, -1.0));
        Statistics {
            num_visible: visible,
            num_hidden: hidden,
            terms: weights.chain(biases).collect(),
        }
    }

    fn enumeration(&self) -> Result<Box<dyn Enumeration>> {
        let smaller = self.num_visible.min(self.num_hidden);
        if smaller > MAX_ENUMERATED {
            return Err(Error::TooLarge {
                field: "model".into(),
                problem: format!(
                    "has {} visible and {} hidden units, and enumeration visits 2^(the smaller number) \
                     states: the limit is {MAX_ENUMERATED}; take the moments of chains or of data",
                    self.num_visible, self.num_hidden
                ),
            });
        }
        let is_exchanged = self.num_hidden < self.num_visible;
        let model = if is_exchanged { self.exchanged() } else { self.clone() };
        Ok(Box::new(SmallerSide::new(model, is_exchanged)))
    }
}

/// The states of the smaller side, which is the visible side here: the sides of the machine may
/// have been exchanged.
struct SmallerSide {
    model: Rbm,
    is_exchanged: bool,
    /// Number of units that vary within a piece.
    piece_units: usize,
    /// As in [`super::log_z`]; 0 if odds could leave the range of doubles.
    cadence: usize,
}

impl SmallerSide {
    fn new(model: Rbm, is_exchanged: bool) -> Self {
        let width_bits = usize::BITS - (model.width - 1).leading_zeros();
        let (least, most) = PIECE_UNITS;
        let piece_units = PIECE_BITS.saturating_sub(width_bits).clamp(least, most) as usize;
        // |a_j| is at most this in any state, and ln(1 + u_j) ≤ ln 2 + |a_j|.
        let bounds = model.weights().chunks_exact(model.num_visible).zip(model.hidden_bias());
        let bound = bounds
            .map(|(line, bias)| line.iter().fold(bias.abs(), |sum, weight| sum + weight.abs()))
            .fold(0.0, f64::max);
        // Products would lose a NaN when their powers of two are extracted.
        let is_finite = model.params.iter().all(|param| param.is_finite());
        let cadence = if is_finite { cadence(bound + 1.0) } else { 0 };
        Self { piece_units: piece_units.min(model.num_visible), model, is_exchanged, cadence }
    }

    /// The odds at a state, or its activations.
    fn begin(&self, row: &[u64], odds: &mut [f64]) {
        self.model.activations(row, odds);
        if self.cadence > 0 {
            odds.iter_mut().for_each(|odds| *odds = exp(*odds));
        }
    }

    /// ln Π_j (1 + u_j), from the odds or, if they could leave the range of doubles, from the
    /// activations.
    fn log_product(&self, odds: &[f64]) -> f64 {
        match self.cadence {
            0 => odds.iter().map(|a| softplus(*a)).sum(),
            cadence => product_of_odds(odds, cadence).ln(),
        }
    }

    /// Writes `out = w p`, followed by w.
    fn weigh(&self, odds: &[f64], weight: f64, out: &mut [f64]) {
        let (probabilities, total) = out.split_at_mut(odds.len());
        total[0] = weight;
        if self.cadence == 0 {
            probabilities.iter_mut().zip(odds).for_each(|(out, a)| *out = weight * sigmoid(*a));
        } else {
            let weighed = probabilities.iter_mut().zip(odds);
            weighed.for_each(|(out, odds)| *out = weight * odds / (1.0 + odds));
        }
    }

    /// Adds the sums of a block of states: p over all of them, and over those with each unit of v
    /// on.
    fn pour(&self, piece: usize, blocks: &Blocks, log_scale: f64, sums: &mut WeightedSums) {
        let (dim, num_hidden) = (self.model.num_visible, self.model.num_hidden);
        let whole = &blocks.sums[self.piece_units];
        let factor = sums.factor(log_scale);
        sums.total += factor * whole[blocks.width];
        let (weights, biases) = sums.gradient.split_at_mut(dim * num_hidden);
        let (first, second) = biases.split_at_mut(if self.is_exchanged { num_hidden } else { dim });
        let (own, others) = if self.is_exchanged { (second, first) } else { (first, second) };
        axpy(-factor, &whole[..num_hidden], others);
        for unit in 0..dim {
            let on = match unit.checked_sub(self.piece_units) {
                None => &blocks.on[unit],
                Some(high) if piece >> high & 1 == 1 => whole,
                Some(_) => continue,
            };
            own[unit] -= factor * on[blocks.width];
            if self.is_exchanged {
                axpy(-factor, &on[..num_hidden], &mut weights[unit * num_hidden..][..num_hidden]);
            } else {
                for (line, on) in weights.chunks_exact_mut(dim).zip(on) {
                    line[unit] -= factor * on;
                }
            }
        }
    }
}

impl Enumeration for SmallerSide {
    fn num_pieces(&self) -> usize {
        1 << (self.model.num_visible - self.piece_units)
    }

    fn piece_cost(&self) -> usize {
        (1 << self.piece_units) * (20 + 2 * self.model.width)
    }

    fn add_piece(&self, piece: usize, sums: &mut WeightedSums) {
        assert!(piece < self.num_pieces() && sums.gradient.len() == self.model.params.len());
        let model = &self.model;
        let num_states = 1usize << self.piece_units;
        let mut row = vec![0u64; words_per_row(model.num_visible)];
        let mut odds = vec![0.0; model.width];
        let mut blocks = Blocks::new(self.piece_units, model.width);
        let mut log_scale = sums.log_scale;
        for start in (0..num_states).step_by(RUN) {
            row[0] = (piece as u64) << self.piece_units | (start ^ start >> 1) as u64;
            self.begin(&row, &mut odds);
            let mut field: f64 = set_bits(&row).map(|site| model.visible_bias()[site]).sum();
            let end = num_states.min(start + RUN);
            for count in start..end {
                let log_weight = field + self.log_product(&odds);
                if log_weight > log_scale + RISE {
                    blocks.scale(exp(log_scale - log_weight));
                    log_scale = log_weight;
                }
                self.weigh(&odds, exp(log_weight - log_scale), &mut blocks.next);
                blocks.add(count);
                if count + 1 < end {
                    let site = (count + 1).trailing_zeros() as usize;
                    let is_set = bit(&row, site);
                    field += flip_sign(is_set) * model.visible_bias()[site];
                    flip(&mut row, site);
                    if self.cadence == 0 {
                        model.activations(&row, &mut odds);
                    } else {
                        let factors = model.factors(site, is_set);
                        odds.iter_mut().zip(factors).for_each(|(odds, factor)| *odds *= factor);
                    }
                }
            }
        }
        self.pour(piece, &blocks, log_scale, sums);
    }
}

/// Sums over blocks of 2^l consecutive states in Gray code, merged when they are complete.
struct Blocks {
    width: usize,
    /// For each level, the block that waits for its other half. Its entries are the p_j followed by
    /// the weight.
    sums: Vec<Vec<f64>>,
    /// For each unit, the sum over the states seen in which it is on.
    on: Vec<Vec<f64>>,
    /// The state to add.
    next: Vec<f64>,
}

impl Blocks {
    fn new(num_units: usize, width: usize) -> Self {
        let vector = || vec![0.0; width + LANES];
        Self {
            width,
            sums: (0..=num_units).map(|_| vector()).collect(),
            on: (0..num_units).map(|_| vector()).collect(),
            next: vector(),
        }
    }

    /// Multiplies all sums by a factor.
    fn scale(&mut self, factor: f64) {
        for sum in self.sums.iter_mut().chain(&mut self.on).flatten() {
            *sum *= factor;
        }
    }

    /// Adds state number `count`, which is stored in `next`.
    fn add(&mut self, count: usize) {
        let mut level = 0;
        while count >> level & 1 == 1 {
            // In Gray code a unit is on in the second half of a block, or in the first half if the
            // block is itself a second one.
            let is_later_on = count >> (level + 1) & 1 == 0;
            let earlier = &self.sums[level];
            axpy(1.0, if is_later_on { &self.next } else { earlier }, &mut self.on[level]);
            axpy(1.0, earlier, &mut self.next);
            level += 1;
        }
        std::mem::swap(&mut self.sums[level], &mut self.next);
    }
}
