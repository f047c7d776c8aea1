//! The restricted Boltzmann machine: visible units v ∈ {0,1}^D and hidden units h ∈ {0,1}^H, with
//! couplings between the two layers only, `E(v, h) = −cᵀv − bᵀh − hᵀWv`, and the hidden units
//! summed out:
//!
//! `E(v) = −cᵀv − Σ_j softplus(a_j)`, `a = b + Wv`
//!
//! (Sohl-Dickstein 2012, eq. 3.5 and, with the opposite sign of W and without biases, F.1; Risteski
//! 2021). log Z is the same with and without the hidden units.
//!
//! Parameters: `[W row-major (H × D) | c (D) | b (H)]`.
//!
//! Flipping site n, from v_n to 1 − v_n, adds s = ±1 times column n of W to a.
//! With the hidden units' probabilities `q_j = σ(a_j)` and `p_j = 1 − q_j`,
//!
//! `ΔE = −s c_n − Σ_j ln(p_j + q_j e^{sW_jn})`,
//!
//! as softplus(a + w) − softplus(a) = ln(σ(−a) + σ(a) eʷ). The terms are positive, so nothing
//! cancels, and e^{±W} is tabulated when the parameters are set: a flip costs a product over the
//! hidden units and one logarithm, but no softplus.

mod between_knots;
mod coordinates;
mod enumeration;
mod flips;
mod flow;
mod outer;
mod packed;
mod product;
mod smaller_side;
mod smaller_side_draws;
mod spec;
mod tables;
mod tiles;
mod units;
mod walk;

pub(crate) use between_knots::RbmBetweenKnots;
pub use smaller_side::{MAX_ENUMERATED, SmallerSide};
pub use smaller_side_draws::SmallerSideDraws;
pub use spec::{MAX_UNITS, MAX_WEIGHTS, RbmSpec};
pub use units::draw_units;

use super::{Model, ModelSpec, capabilities};
use crate::bits::{BitBatch, WeightedRows};
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::coordinates::Coordinates;
use crate::energy::{BetweenKnots, Energy, FlipFlow, HiddenMeans, OuterGradient, Parametric};
use crate::linalg::{Batch, axpy, dot, transpose};
use crate::math::{sigmoid, softplus};
use std::sync::OnceLock;
use tables::{FlipTables, LayerTiles};

/// Hidden units are padded to a multiple of this with units that are never on.
const LANES: usize = 8;

/// The restricted Boltzmann machine; see the module documentation.
#[derive(Debug, Clone)]
pub struct Rbm {
    num_visible: usize,
    num_hidden: usize,
    params: Vec<f64>,
    /// H rounded up to a multiple of the number of lanes.
    width: usize,
    /// The hidden bias b, padded with −∞.
    padded_bias: Vec<f64>,
    /// Boxed, as few machines need both.
    flip_tables: OnceLock<Box<FlipTables>>,
    layer_tiles: OnceLock<Box<LayerTiles>>,
}

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
            flip_tables: OnceLock::new(),
            layer_tiles: OnceLock::new(),
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

    /// The model with the layers exchanged: a distribution over the hidden units, with the same log
    /// Z.
    pub fn exchanged(&self) -> Self {
        let mut params = vec![0.0; self.params.len()];
        let (weights, biases) = params.split_at_mut(self.num_visible * self.num_hidden);
        transpose(self.num_visible, self.num_hidden, self.weights(), weights);
        let (hidden, visible) = biases.split_at_mut(self.num_hidden);
        hidden.copy_from_slice(self.hidden_bias());
        visible.copy_from_slice(self.visible_bias());
        let mut other = Self::zeros(self.num_hidden, self.num_visible);
        other.set_params(&params);
        other
    }

    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> RbmSpec {
        self.to_spec_at(&self.params)
    }

    fn to_spec_at(&self, params: &[f64]) -> RbmSpec {
        assert_eq!(params.len(), self.params.len());
        let (weights, biases) = params.split_at(self.num_hidden * self.num_visible);
        let (visible_bias, hidden_bias) = biases.split_at(self.num_visible);
        RbmSpec {
            num_visible: self.num_visible,
            num_hidden: self.num_hidden,
            weights: Some(weights.to_vec()),
            visible_bias: Some(visible_bias.to_vec()),
            hidden_bias: Some(hidden_bias.to_vec()),
        }
    }

    fn flip_tables(&self) -> &FlipTables {
        let (num_visible, num_hidden) = (self.num_visible, self.num_hidden);
        let new = || FlipTables::new(num_visible, num_hidden, self.width, &self.params);
        self.flip_tables.get_or_init(|| Box::new(new()))
    }

    fn layer_tiles(&self) -> &LayerTiles {
        let new = || LayerTiles::new(self.num_visible, self.num_hidden, self.weights());
        self.layer_tiles.get_or_init(|| Box::new(new()))
    }

    /// Column `site` of W, padded with zeros.
    fn column(&self, site: usize) -> &[f64] {
        &self.flip_tables().columns[site * self.width..(site + 1) * self.width]
    }

    /// e^{sW_jn} for the flip of site n, padded.
    fn factors(&self, site: usize, is_set: bool) -> &[f64] {
        let tables = self.flip_tables();
        let table = if is_set { &tables.clear_factors } else { &tables.set_factors };
        &table[site * self.width..(site + 1) * self.width]
    }

    /// [`FlipTables::cadence`].
    fn cadence(&self) -> usize {
        self.flip_tables().cadence
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

impl Parametric for Rbm {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        let hidden_bias = &params[params.len() - self.num_hidden..];
        self.padded_bias[..self.num_hidden].copy_from_slice(hidden_bias);
        self.flip_tables.take();
        self.layer_tiles.take();
    }

    fn is_bias(&self, param: usize) -> bool {
        param >= self.num_hidden * self.num_visible
    }

    /// One a hidden unit, its weights and its bias; the last has the biases of the visible units.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let (num_visible, num_hidden) = (self.dim(), self.num_hidden);
        let weights = (0..num_hidden).flat_map(|unit| (0..num_visible).map(move |_| unit));
        let visible = (0..num_visible).map(|_| num_hidden);
        Some(weights.chain(visible).chain(0..num_hidden).collect())
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

    fn accumulate_rows(&self, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
        let mut factors = vec![0.0; rows.len() * self.num_factors()];
        let (value, grad) = part.split_at_mut(1);
        value[0] += weight * self.write_factors(rows, weight, &mut factors);
        self.add_products(&[(rows, &factors)], grad);
    }
}

impl HiddenMeans for Rbm {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        assert_eq!(x.dim(), self.num_visible);
        let lines = || self.weights().chunks_exact(self.num_visible).zip(self.hidden_bias());
        let means = |state| lines().map(move |(line, bias)| sigmoid(bias + dot(line, state)));
        x.states().flat_map(means).collect()
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

    /// Without the tables, which take one exponential per weight.
    fn spec_at(&self, params: &[f64]) -> ModelSpec {
        ModelSpec::Rbm(self.to_spec_at(params))
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(
        SiteFlips,
        Parametric,
        FlipFlow,
        HiddenUnits,
        HiddenMeans,
        ExponentialFamily,
        OuterGradient
    );

    fn provide_rbm(&self) -> Option<&Rbm> {
        Some(self)
    }

    fn coordinates(&self, data: &WeightedRows) -> Box<dyn Coordinates> {
        Box::new(coordinates::CentredCoordinates::new(self, data))
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        Some(Box::new(RbmBetweenKnots::new(self, knots)))
    }

    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let mut params = vec![0.0; self.params.len()];
        let first = self.num_hidden * self.num_visible;
        params[first..first + self.num_visible].copy_from_slice(log_odds);
        Some(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::HiddenUnits;

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

    /// A NaN in the parameters survives the handling of exponents.
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
