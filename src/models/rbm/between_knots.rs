//! Energies and both layers' log odds between knots of a path. The activations `a = b + Wv` of the
//! hidden units are linear in the parameters: those at both ends of a segment are read for each
//! state, and give
//!
//! `E(v; θ(t)) = −c(t)ᵀv − Σ_j softplus((1 − t) a_j,from + t a_j,to)`.
//!
//! An end without weights, like the first one of most paths, costs nothing: its activations are the
//! biases.

use super::Rbm;
use super::tables::LayerTiles;
use crate::bits::{BitBatch, set_bits};
use crate::energy::{BetweenKnots, SidesBetweenKnots};
use crate::linalg::{Lanes, axpy};
use crate::math::{exp_lanes, ln};

/// Energies of a restricted Boltzmann machine between knots.
pub(crate) struct RbmBetweenKnots {
    num_visible: usize,
    num_hidden: usize,
    knots: Vec<Knot>,
}

/// The parameters at one knot.
struct Knot {
    tiles: LayerTiles,
    visible_bias: Vec<f64>,
    hidden_bias: Vec<f64>,
}

impl RbmBetweenKnots {
    /// The energies of a model like this one, between knots of its parameters.
    ///
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    pub(crate) fn new(model: &Rbm, knots: &[&[f64]]) -> Self {
        let (num_visible, num_hidden) = (model.num_visible, model.num_hidden);
        let num_weights = num_visible * num_hidden;
        let knot = |params: &&[f64]| {
            assert_eq!(params.len(), model.params.len());
            let (weights, biases) = params.split_at(num_weights);
            let (visible_bias, hidden_bias) = biases.split_at(num_visible);
            Knot {
                tiles: LayerTiles::new(num_visible, num_hidden, weights),
                visible_bias: visible_bias.to_vec(),
                hidden_bias: hidden_bias.to_vec(),
            }
        };
        Self { num_visible, num_hidden, knots: knots.iter().map(knot).collect() }
    }

    /// Splits what is read for a state: cᵀv at both ends, then the activations at both.
    fn split<'a>(&self, read: &'a [f64]) -> ([f64; 2], &'a [f64], &'a [f64]) {
        let (from, to) = read[2..].split_at(self.num_hidden);
        ([read[0], read[1]], from, to)
    }
}

/// Σ_j softplus((1 − t) from_j + t to_j), as Σ max(a, 0) + ln Π (1 + e^−|a|): the factors are from
/// 1 to 2, so a thousand can be multiplied.
fn softplus_between(from: &[f64], to: &[f64], t: f64) -> f64 {
    const MAX_FACTORS: usize = 1000;
    let mut sum = 0.0;
    let parts = from.chunks(MAX_FACTORS * Lanes::LEN).zip(to.chunks(MAX_FACTORS * Lanes::LEN));
    for (from, to) in parts {
        let mut positive = Lanes::ZERO;
        let mut product = Lanes::splat(1.0);
        let mut add = |a: &Lanes| {
            let tail = exp_lanes(&Lanes(a.0.map(|a| -a.abs())));
            product.mul(&Lanes(tail.0.map(|tail| 1.0 + tail)));
            // Unlike f64::max, this keeps NaN.
            positive.add(&Lanes(a.0.map(|a| if a < 0.0 { 0.0 } else { a })));
        };
        let (from_body, from_tail) = from.as_chunks::<{ Lanes::LEN }>();
        let (to_body, to_tail) = to.as_chunks::<{ Lanes::LEN }>();
        let mix = |from: f64, to: f64| (1.0 - t) * from + t * to;
        for (from, to) in from_body.iter().zip(to_body) {
            add(&Lanes(std::array::from_fn(|lane| mix(from[lane], to[lane]))));
        }
        if !from_tail.is_empty() {
            // A unit that is never on contributes nothing.
            let mut a = Lanes::splat(f64::NEG_INFINITY);
            for (a, (from, to)) in a.0.iter_mut().zip(from_tail.iter().zip(to_tail)) {
                *a = mix(*from, *to);
            }
            add(&a);
        }
        let [p, a] = [&product.0, &positive.0];
        sum += ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
        sum += p.iter().map(|product| ln(*product)).sum::<f64>();
    }
    sum
}

impl BetweenKnots for RbmBetweenKnots {
    fn num_read(&self) -> usize {
        2 + 2 * self.num_hidden
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        let num_read = self.num_read();
        assert!(rows.dim() == self.num_visible && out.len() == rows.len() * num_read);
        for (end, knot) in self.knots[segment..segment + 2].iter().enumerate() {
            for (row, out) in rows.rows().zip(out.chunks_exact_mut(num_read)) {
                out[end] = set_bits(row).map(|site| knot.visible_bias[site]).sum();
            }
            let first = 2 + end * self.num_hidden;
            knot.tiles.by_visible.sum(rows, &knot.hidden_bias, |row, units, activations| {
                let start = row * num_read + first + units.start;
                out[start..start + units.len()].copy_from_slice(activations);
            });
        }
    }

    fn energy(&self, _segment: usize, read: &[f64], t: f64) -> f64 {
        let (fields, from, to) = self.split(read);
        -((1.0 - t) * fields[0] + t * fields[1]) - softplus_between(from, to, t)
    }

    fn as_sides(&self) -> Option<&dyn SidesBetweenKnots> {
        Some(self)
    }
}

impl SidesBetweenKnots for RbmBetweenKnots {
    fn num_hidden(&self) -> usize {
        self.num_hidden
    }

    fn hidden_log_odds(&self, _segment: usize, read: &[f64], t: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.num_hidden);
        let (_, from, to) = self.split(read);
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = (1.0 - t) * from + t * to;
        }
    }

    fn visible_log_odds(&self, segment: usize, hidden: BitBatch<'_>, t: f64, out: &mut [f64]) {
        assert!(hidden.dim() == self.num_hidden && out.len() == hidden.len() * self.num_visible);
        out.fill(0.0);
        for (knot, factor) in self.knots[segment..segment + 2].iter().zip([1.0 - t, t]) {
            knot.tiles.by_hidden.sum(hidden, &knot.visible_bias, |row, sites, sums| {
                let start = row * self.num_visible + sites.start;
                axpy(factor, sums, &mut out[start..start + sites.len()]);
            });
        }
    }
}
