//! The restricted Boltzmann machine: visible units v ∈ {0,1}^D and hidden
//! units h ∈ {0,1}^H with couplings between the two sides only,
//! `E(v, h) = −cᵀv − bᵀh − hᵀWv`, the hidden ones summed out:
//!
//! `E(v) = −cᵀv − Σ_j softplus(a_j)`, `a = b + Wv`
//!
//! (Sohl-Dickstein 2012, eq. 3.5 and, with the sign of W turned round and
//! without biases, F.1; Risteski 2021). log Z is the same with and without
//! the hidden units.
//!
//! Parameters: `[W row-major (H × D) | c (D) | b (H)]`.
//!
//! Flipping site n, from v_n to 1 − v_n, adds s = ±1 times column n of W to a.
//! With the hidden units' probabilities `q_j = σ(a_j)` and `p_j = 1 − q_j`,
//!
//! `ΔE = −s c_n − Σ_j ln(p_j + q_j e^{sW_jn})`,
//!
//! as softplus(a + w) − softplus(a) = ln(σ(−a) + σ(a) eʷ). The terms are
//! positive, so nothing cancels, and e^{±W} is tabled when the parameters are
//! set: a flip costs a product over the hidden units and one logarithm, no
//! softplus.

mod flow;
mod log_z;
mod product;
mod spec;
mod walk;

pub use log_z::MAX_ENUMERATED;
pub use spec::{MAX_UNITS, MAX_WEIGHTS, RbmSpec};

use super::{Model, ModelSpec};
use crate::bits::{BitBatch, WeightedRows, bit, set_bits, words_per_row};
use crate::energy::{Energy, FlipFlow, FlipWalk, HiddenUnits, Parametric, SiteFlips};
use crate::fit::Objective;
use crate::fit::flip_loss::FlipLoss;
use crate::linalg::{Batch, axpy, dot};
use crate::math::{exp, sigmoid, softplus};
use crate::rng::{ChainRng, uniform};
use product::{Scaled, cadence};

/// Hidden units are padded to a multiple of this, with units that are never on.
const LANES: usize = 8;

/// The restricted Boltzmann machine; see the head of this file.
#[derive(Debug, Clone)]
pub struct Rbm {
    num_visible: usize,
    num_hidden: usize,
    params: Vec<f64>,
    /// H rounded up to whole lanes.
    width: usize,
    /// b, padded with −∞.
    padded_bias: Vec<f64>,
    /// Wᵀ, `[D, width]`, padded with zeros.
    columns: Vec<f64>,
    /// e^W and e^−W, transposed alike: the factors of a bit that is set and
    /// of one that is cleared.
    set_factors: Vec<f64>,
    clear_factors: Vec<f64>,
    /// Groups of [`GROUP`] factors that may be multiplied between rescalings;
    /// 0 if the weights are too large for products at all.
    cadence: usize,
}

/// Factors that [`Rbm::flip_product`] multiplies in one go.
const GROUP: usize = 4;

impl Rbm {
    /// The model with all parameters zero.
    fn zeros(num_visible: usize, num_hidden: usize) -> Self {
        let width = num_hidden.next_multiple_of(LANES);
        let mut padded_bias = vec![0.0; width];
        padded_bias[num_hidden..].fill(f64::NEG_INFINITY);
        Self {
            num_visible,
            num_hidden,
            params: vec![0.0; num_visible * num_hidden + num_visible + num_hidden],
            width,
            padded_bias,
            columns: vec![0.0; num_visible * width],
            set_factors: vec![1.0; num_visible * width],
            clear_factors: vec![1.0; num_visible * width],
            cadence: cadence(0.0),
        }
    }

    /// W, row-major `[hidden, visible]`.
    pub fn weights(&self) -> &[f64] {
        &self.params[..self.num_hidden * self.num_visible]
    }

    /// c, `[visible]`.
    pub fn visible_bias(&self) -> &[f64] {
        let num_weights = self.num_hidden * self.num_visible;
        &self.params[num_weights..num_weights + self.num_visible]
    }

    /// b, `[hidden]`.
    pub fn hidden_bias(&self) -> &[f64] {
        &self.params[self.params.len() - self.num_hidden..]
    }

    /// The model with the sides exchanged: a distribution over the hidden
    /// units, with the same log Z.
    pub fn exchanged(&self) -> Self {
        let mut params = Vec::with_capacity(self.params.len());
        for site in 0..self.num_visible {
            let column = &self.columns[site * self.width..][..self.num_hidden];
            params.extend_from_slice(column);
        }
        params.extend_from_slice(self.hidden_bias());
        params.extend_from_slice(self.visible_bias());
        let mut other = Self::zeros(self.num_hidden, self.num_visible);
        other.set_params(&params);
        other
    }

    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> RbmSpec {
        RbmSpec {
            num_visible: self.num_visible,
            num_hidden: self.num_hidden,
            weights: Some(self.weights().to_vec()),
            visible_bias: Some(self.visible_bias().to_vec()),
            hidden_bias: Some(self.hidden_bias().to_vec()),
        }
    }

    /// Column `site` of W, padded.
    fn column(&self, site: usize) -> &[f64] {
        &self.columns[site * self.width..(site + 1) * self.width]
    }

    /// e^{sW_jn} for the flip of site n, padded.
    fn factors(&self, site: usize, is_set: bool) -> &[f64] {
        let table = if is_set { &self.clear_factors } else { &self.set_factors };
        &table[site * self.width..(site + 1) * self.width]
    }

    /// a = b + Wv, padded with −∞.
    fn activations(&self, row: &[u64], out: &mut [f64]) {
        out.copy_from_slice(&self.padded_bias);
        for site in set_bits(row) {
            axpy(1.0, self.column(site), out);
        }
    }

    /// −ΔE of a flip by softplus: slow, for any weights.
    fn softplus_gain(&self, activations: &[f64], site: usize, is_set: bool) -> f64 {
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
    fn flip_product(
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
fn flip_sign(is_set: bool) -> f64 {
    if is_set { -1.0 } else { 1.0 }
}

/// `σ(−a)` and `σ(a)` of each unit, with one exponential for both.
fn unit_probabilities(activations: &[f64], off: &mut [f64], on: &mut [f64]) {
    for ((a, off), on) in activations.iter().zip(off).zip(on) {
        let small = exp(-a.abs());
        let likely = 1.0 / (1.0 + small);
        (*off, *on) = if *a >= 0.0 { (small * likely, likely) } else { (likely, small * likely) };
    }
}

impl Energy for Rbm {
    fn dim(&self) -> usize {
        self.num_visible
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.num_visible && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let weights = self.weights().chunks_exact(self.num_visible);
            let hidden = weights.zip(self.hidden_bias());
            let free: f64 = hidden.map(|(line, bias)| softplus(bias + dot(line, state))).sum();
            *out = -dot(self.visible_bias(), state) - free;
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

impl Parametric for Rbm {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        let (weights, biases) = params.split_at(self.num_hidden * self.num_visible);
        self.padded_bias[..self.num_hidden].copy_from_slice(&biases[self.num_visible..]);
        let mut largest = 0.0_f64;
        for (hidden, line) in weights.chunks_exact(self.num_visible).enumerate() {
            for (site, weight) in line.iter().enumerate() {
                let at = site * self.width + hidden;
                let factor = exp(*weight);
                self.columns[at] = *weight;
                self.set_factors[at] = factor;
                self.clear_factors[at] = 1.0 / factor;
                largest = largest.max(weight.abs());
            }
        }
        // Products would lose a NaN when their powers of two are taken out.
        let is_finite = params.iter().all(|param| param.is_finite());
        self.cadence = if is_finite { cadence(GROUP as f64 * largest) } else { 0 };
    }

    fn is_bias(&self, param: usize) -> bool {
        param >= self.num_hidden * self.num_visible
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(x.dim() == self.num_visible && x.len() == weights.len());
        assert_eq!(grad.len(), self.params.len());
        let (weight_grad, bias_grad) = grad.split_at_mut(self.num_hidden * self.num_visible);
        let (visible_grad, hidden_grad) = bias_grad.split_at_mut(self.num_visible);
        for (state, weight) in x.states().zip(weights) {
            axpy(-weight, state, visible_grad);
            for (hidden, line) in self.weights().chunks_exact(self.num_visible).enumerate() {
                let on = sigmoid(self.hidden_bias()[hidden] + dot(line, state));
                hidden_grad[hidden] -= weight * on;
                let line_grad = &mut weight_grad[hidden * self.num_visible..][..self.num_visible];
                axpy(-weight * on, state, line_grad);
            }
        }
    }
}

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

impl FlipFlow for Rbm {
    fn flip_flow(&self, data: &WeightedRows, loss: FlipLoss) -> Box<dyn Objective> {
        Box::new(flow::RbmFlow::new(self, data, loss))
    }
}

impl Model for Rbm {
    fn kind(&self) -> &'static str {
        "rbm"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Rbm(self.to_spec())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn as_site_flips(&self) -> Option<&dyn SiteFlips> {
        Some(self)
    }

    fn as_parametric(&self) -> Option<&dyn Parametric> {
        Some(self)
    }

    fn as_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        Some(self)
    }

    fn as_flip_flow(&self) -> Option<&dyn FlipFlow> {
        Some(self)
    }

    fn as_hidden_units(&self) -> Option<&dyn HiddenUnits> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn exchanging_twice_changes_nothing() {
        let model = RbmSpec::random(6, 11, 1.0, 5).build().unwrap();
        let other = model.exchanged();
        assert_eq!((other.dim(), other.num_hidden()), (11, 6));
        assert_eq!(other.exchanged().to_spec(), model.to_spec());
    }

    #[test]
    fn bad_specs_are_refused_by_field() {
        let good = RbmSpec::random(3, 2, 1.0, 1);
        let fields = [
            RbmSpec { num_visible: 0, ..good.clone() },
            RbmSpec { num_hidden: MAX_UNITS + 1, ..good.clone() },
            RbmSpec { weights: Some(vec![0.0; 5]), ..good.clone() },
            RbmSpec { visible_bias: Some(vec![0.0, f64::NAN, 0.0]), ..good.clone() },
            RbmSpec { hidden_bias: Some(vec![0.0; 3]), ..good },
        ]
        .map(|spec| spec.build().unwrap_err().field().unwrap().to_owned());
        assert_eq!(
            fields,
            [
                "model.numVisible",
                "model.numHidden",
                "model.weights",
                "model.visibleBias[1]",
                "model.hiddenBias"
            ]
        );
    }

    /// NaN in the parameters is not lost in the bookkeeping of exponents.
    #[test]
    fn nan_stays_nan() {
        let mut model = RbmSpec::random(4, 3, 1.0, 1).build().unwrap();
        let data = WeightedRows::from_data(BitBatch::new(4, &[5, 9]));
        let mut params = model.params().to_vec();
        for index in [0, 13, 17] {
            let kept = std::mem::replace(&mut params[index], f64::NAN);
            model.set_params(&params);
            let mut grad = vec![0.0; params.len()];
            let value = model.flip_flow(&data, FlipLoss::Flow).evaluate(&params, &mut grad);
            assert!(value.is_nan(), "parameter {index}: {value}");
            assert!(model.log_z().unwrap().is_nan());
            params[index] = kept;
        }
    }
}
