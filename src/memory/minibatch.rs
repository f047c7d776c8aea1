//! Minimum probability flow in large networks: gradient descent on minibatches, in single
//! precision.
//!
//! The flow of B training rows (eq. 3.10 over B) has, with
//! `a_bi = ½ δ_bi exp(½ f_bi δ_bi) / B` and f the fields, the one-sided gradient
//! `G_ij = Σ_b a_bi x_bj`, of which J_ij gets `G_ij + G_ji`. Both the fields and G are products of
//! a binary matrix and a real one ([`super::bit_product`]); a shard is some tiles of units i. Noisy
//! rows need no great precision: J and G are f32, sums over whole rows f64.
//!
//! The descent uses centred coordinates, in which weights and thresholds do not affect each other:
//! `f_i = Σ_j J_ij (x_j − c_j) + β_i` with c the mean of the rows, hence `θ_i = Σ_j J_ij c_j −
//! β_i`, and in weights for ±1 units, J/2. Its steps are measured in `1 / (½ λ)`, λ the largest
//! eigenvalue of the rows' covariance in spins: ½ λ is about the greatest curvature at J = 0, and
//! twice that step would diverge.
//!
//! At n = 4,096 with 800 rows a step takes 0.25 s natively on one thread; by multiplication it
//! would take 1.1·10¹¹ operations.

use super::bit_product::{BitGroups, Line, TILE, Tables};
use super::network::{num_pairs, row_start};
use super::storage::Storage;
use super::{Network, bit_product, tiles};
use crate::bits::{BitBatch, BitMatrix, bit};
use crate::linalg::Lanes;
use crate::math::exp_lanes;
use serde::{Deserialize, Serialize};

/// Number of steps of the power iteration for λ.
const NUM_POWER_STEPS: usize = 20;

/// Maximum number of rows it uses.
const MAX_POWER_ROWS: usize = 1000;

/// The statistics of training rows that define the coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Centre {
    /// The means c of the bits, `[dim]`.
    pub means: Vec<f64>,
    /// The largest eigenvalue λ, at least 1.
    pub curvature: f64,
}

impl Centre {
    /// Statistics of copies of patterns with a fraction of their bits flipped at random; 0 means
    /// the patterns themselves.
    pub fn new(patterns: BitBatch<'_>, flipped: f64) -> Self {
        let dim = patterns.dim();
        let kept = 1.0 - 2.0 * flipped;
        let mut counts = vec![0_u32; dim];
        for row in patterns.rows() {
            for (site, count) in counts.iter_mut().enumerate() {
                *count += u32::from(bit(row, site));
            }
        }
        let of_patterns: Vec<f64> =
            counts.iter().map(|count| f64::from(*count) / patterns.len() as f64).collect();
        let means = of_patterns.iter().map(|mean| flipped + kept * mean).collect();
        let few = patterns.slice(0..patterns.len().min(MAX_POWER_ROWS));
        let largest = largest_eigenvalue(few, &of_patterns);
        // Flips shrink what the patterns have in common, and add independent noise to each bit.
        let curvature = kept * kept * largest + 1.0 - kept * kept;
        Self { means, curvature: curvature.max(1.0) }
    }
}

/// Largest eigenvalue of the covariance of 2x − 1 about its mean, by power iteration: a lower bound
/// that soon becomes close.
fn largest_eigenvalue(rows: BitBatch<'_>, means: &[f64]) -> f64 {
    let dim = rows.dim();
    let mut vector: Vec<f64> = (0..dim).map(|site| 1.0 + (site % 7) as f64 / 7.0).collect();
    let mut eigenvalue = 0.0;
    for _ in 0..NUM_POWER_STEPS {
        let length = crate::linalg::norm(&vector);
        if length == 0.0 {
            return 0.0;
        }
        vector.iter_mut().for_each(|entry| *entry /= length);
        let mut image = vec![0.0; dim];
        for row in rows.rows() {
            let spin = |site: usize| 2.0 * (f64::from(u8::from(bit(row, site))) - means[site]);
            let along: f64 = (0..dim).map(|site| spin(site) * vector[site]).sum();
            let scaled = along / rows.len() as f64;
            image.iter_mut().enumerate().for_each(|(site, entry)| *entry += scaled * spin(site));
        }
        eigenvalue = crate::linalg::dot(&image, &vector);
        vector = image;
    }
    eigenvalue
}

/// A network in centred coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Centred {
    /// The biases β, `[dim]`.
    pub biases: Vec<f64>,
    /// The packed triangle of J.
    pub weights: Vec<f32>,
}

impl Centred {
    /// Converts a network, rounding its weights to single precision.
    pub fn from_network(network: &Network, centre: &Centre) -> Self {
        let mut centred = Self {
            biases: vec![0.0; network.dim()],
            weights: network.weights().iter().map(|weight| *weight as f32).collect(),
        };
        let thresholds = centred.to_network(centre);
        for (bias, (without, threshold)) in
            centred.biases.iter_mut().zip(thresholds.thresholds().iter().zip(network.thresholds()))
        {
            *bias = without - threshold;
        }
        centred
    }

    /// Converts back to a network.
    pub fn to_network(&self, centre: &Centre) -> Network {
        let dim = self.biases.len();
        let mut thresholds: Vec<f64> = self.biases.iter().map(|bias| -bias).collect();
        let mut rest = &self.weights[..];
        for i in 0..dim {
            let (line, after) = rest.split_at(dim - i - 1);
            let mut sum = 0.0;
            for (weight, j) in line.iter().zip(i + 1..) {
                sum += f64::from(*weight) * centre.means[j];
                thresholds[j] += f64::from(*weight) * centre.means[i];
            }
            thresholds[i] += sum;
            rest = after;
        }
        Network::new(thresholds, self.weights.iter().map(|weight| f64::from(*weight)).collect())
    }
}

/// Training rows, and patterns that are only checked.
pub struct Minibatch {
    training: BitMatrix,
    patterns: BitMatrix,
    /// Training rows, then patterns.
    forward: BitGroups,
    /// Training rows, by units.
    backward: BitGroups,
}

/// A tile's contribution to the gradient.
pub struct TileGradient {
    /// Flow of the tile's units, divided by B.
    pub flow: f64,
    /// Σ_b a_bi for its units; 0 past the last unit.
    pub slopes: [f64; TILE],
    /// How well its units store the patterns.
    pub storage: Storage,
    /// `gradient[j]` is G_ij for its units i.
    pub gradient: Vec<Line<f32>>,
}

impl Minibatch {
    /// # Panics
    /// If there are no training rows, or the dimensions differ.
    pub fn new(training: BitMatrix, patterns: BitMatrix) -> Self {
        assert!(training.num_rows() > 0 && training.dim() == patterns.dim());
        let mut all = BitMatrix::zeros(training.dim(), training.num_rows() + patterns.num_rows());
        let rows = training.as_batch().rows().chain(patterns.as_batch().rows());
        all.rows_mut().zip(rows).for_each(|(row, source)| row.copy_from_slice(source));
        Self {
            forward: BitGroups::new(all.as_batch()),
            backward: BitGroups::transposed(training.as_batch()),
            training,
            patterns,
        }
    }

    /// The contribution of a tile of units.
    ///
    /// # Panics
    /// If the network has another dimension, or there is no such tile.
    pub fn tile(&self, network: &Centred, centre: &Centre, tile: usize) -> TileGradient {
        let (dim, num_rows) = (self.training.dim(), self.training.num_rows());
        let units = tiles::units(dim, tile);
        let mut columns = Vec::new();
        tiles::columns(dim, &network.weights, tile, &mut columns);
        let mut offsets = [0.0_f64; TILE];
        offsets[..units.len()].copy_from_slice(&network.biases[units.clone()]);
        for (column, mean) in columns.iter().zip(&centre.means) {
            for (offset, weight) in offsets.iter_mut().zip(column.0) {
                *offset -= f64::from(weight) * mean;
            }
        }
        let mut tables = Tables::default();
        let mut fields = vec![Line(offsets.map(|offset| offset as f32)); self.forward.num_rows()];
        self.forward.add_product(&columns, &mut fields, &mut tables);

        let (training, patterns) = fields.split_at_mut(num_rows);
        let mut storage = Storage::new(self.patterns.num_rows());
        for (pattern, (row, fields)) in self.patterns.as_batch().rows().zip(patterns).enumerate() {
            let fields = fields.0.map(f64::from);
            storage.add(pattern, &fields[..units.len()], tiles::bits(row, tile));
        }

        let mut flows = [0.0_f64; TILE];
        let mut slopes = [0.0_f64; TILE];
        for (row, fields) in self.training.as_batch().rows().zip(training.iter_mut()) {
            let bits = tiles::bits(row, tile);
            let mut signs = [0.0_f64; TILE];
            let mut exponents = [0.0_f64; TILE];
            for lane in 0..TILE {
                signs[lane] = 1.0 - 2.0 * (bits >> lane & 1) as f64;
                exponents[lane] = 0.5 * signs[lane] * f64::from(fields.0[lane]);
            }
            let (low, high) = exponents.split_at(Lanes::LEN);
            for (half, exponents) in [low, high].into_iter().enumerate() {
                let flow = exp_lanes(&Lanes(std::array::from_fn(|lane| exponents[lane])));
                for (lane, flow) in flow.0.into_iter().enumerate() {
                    let lane = half * Lanes::LEN + lane;
                    let slope = 0.5 * signs[lane] * flow / num_rows as f64;
                    flows[lane] += flow / num_rows as f64;
                    slopes[lane] += slope;
                    fields.0[lane] = slope as f32;
                }
            }
        }
        slopes[units.len()..].fill(0.0);
        let mut gradient = vec![Line::zero(); dim];
        self.backward.add_product(training, &mut gradient, &mut tables);
        TileGradient { flow: flows[..units.len()].iter().sum(), slopes, storage, gradient }
    }
}

/// Estimated cost of [`Minibatch::tile`] with `num_rows` training rows and `num_patterns` patterns,
/// in nanoseconds.
pub fn tile_cost(dim: usize, num_rows: usize, num_patterns: usize) -> usize {
    let num_fields = num_rows + num_patterns;
    bit_product::cost(num_fields, dim) + bit_product::cost(dim, num_rows) + 100 * num_fields
}

/// One-sided gradients of all tiles, in the layout of the shards' parts.
pub trait Gradients {
    /// G_ij for j in `others` and the units i of a tile, `[others, TILE]`: the bytes of
    /// little-endian f32s.
    fn block(&self, tile: usize, others: std::ops::Range<usize>) -> &[[u8; 4]];
}

impl Centred {
    /// One step down the gradient: by `4 step` in J, as the coordinates are J/2, and by `step` in
    /// β.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn descend(&mut self, step: f64, gradients: &dyn Gradients, slopes: &[f64], means: &[f64]) {
        let dim = self.biases.len();
        assert!(slopes.len() == dim && means.len() == dim);
        assert_eq!(self.weights.len(), num_pairs(dim));
        let slopes32: Vec<f32> = slopes.iter().map(|slope| *slope as f32).collect();
        let means32: Vec<f32> = means.iter().map(|mean| *mean as f32).collect();
        let rate = (4.0 * step) as f32;
        for tile in 0..tiles::num_tiles(dim) {
            let units = tiles::units(dim, tile);
            for other in tile..tiles::num_tiles(dim) {
                let others = tiles::units(dim, other);
                let (here, there) =
                    (gradients.block(tile, others.clone()), gradients.block(other, units.clone()));
                for i in units.clone() {
                    let first = others.start.max(i + 1);
                    if first >= others.end {
                        continue;
                    }
                    let start = row_start(dim, i) + first - i - 1;
                    let line = &mut self.weights[start..start + others.end - first];
                    for (weight, j) in line.iter_mut().zip(first..) {
                        let g_ij = here[(j - others.start) * TILE + i - units.start];
                        let g_ji = there[(i - units.start) * TILE + j - others.start];
                        let product = f32::from_le_bytes(g_ij) + f32::from_le_bytes(g_ji);
                        let centre = slopes32[i] * means32[j] + slopes32[j] * means32[i];
                        *weight -= rate * (product - centre);
                    }
                }
            }
        }
        for (bias, slope) in self.biases.iter_mut().zip(slopes) {
            *bias -= step * slope;
        }
    }
}

#[cfg(test)]
mod tests;
