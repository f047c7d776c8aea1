//! Sums over single flips of a restricted Boltzmann machine: minimum
//! probability flow (Sohl-Dickstein 2012, appendix F) and pseudolikelihood.
//!
//! Wv is computed once per row, and the flip of site n is a rank-one update of it that is never
//! carried out. With the tabulated e^{±W_jn} and the hidden units' probabilities q, p = 1 − q, the
//! gain is `m_n = s c_n + ln Π_j f_j`, `f_j = p_j + q_j e^{sW_jn}`. The hidden units' probabilities
//! after the flip, which the gradient needs, are `q′_j = q_j e^{sW_jn} / f_j`:
//!
//! `∂m_n/∂b_j = q′_j − q_j`, `∂m_n/∂c_n = s`,
//! `∂m_n/∂W_ji = (q′_j − q_j) v_i + [i = n] s q′_j`.
//!
//! So a (row, site, hidden unit) costs 14 multiplications and additions and a quarter of a division
//! (four share one, through their product); a (row, hidden unit) costs an exponential, and a (row,
//! site) a square root (pseudolikelihood: a logarithm). Minimum probability flow takes the square
//! root of the product directly.
//!
//! Rows are processed in blocks, with a loop over sites inside: a site's two tables and gradient
//! stay in the nearest cache for all rows of the block.

use super::flips::{flip_sign, unit_probabilities};
use super::product::Scaled;
use super::{LANES, Rbm};
use crate::bits::{WeightedRows, bit, set_bits};
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::Parametric;
use crate::linalg::axpy;
use crate::math::{ln_1p, sigmoid};
use std::ops::Range;

/// Minimum number of rows per shard, if there are that many in all.
const MIN_SHARD_ROWS: usize = 64;

/// Maximum number of shards: each returns a whole gradient.
const MAX_SHARDS: usize = 32;

/// Approximate maximum number of values in the parts of a round together, 32 MiB. At least
/// [`MIN_SHARDS`] workers can share the rows nevertheless.
const MAX_PART_NUMBERS: usize = 1 << 22;
const MIN_SHARDS: usize = 8;

/// Number of rows processed together.
const BLOCK: usize = 8;

/// Number of (row, site, hidden unit)s in a piece of a shard's work, as a rule: some 5 ms.
const PIECE: usize = 1 << 22;

/// A sum over single flips. A part is `[value | Wᵀ (D × width) | c | b (width)]`
/// of the shard's rows, not yet divided by their number.
pub(super) struct RbmFlow {
    model: Rbm,
    data: WeightedRows,
    loss: FlipLoss,
}

/// The state of one row of a block.
struct Row {
    activations: Vec<f64>,
    off: Vec<f64>,
    on: Vec<f64>,
    /// Σ_n φ′(m_n) q′_j.
    flipped: Vec<f64>,
    /// The sum of the slopes, Σ_n φ′(m_n).
    total: f64,
}

impl Row {
    fn new(width: usize) -> Self {
        let [activations, off, on, flipped] = [(); 4].map(|()| vec![0.0; width]);
        Self { activations, off, on, flipped, total: 0.0 }
    }
}

/// The properties of a site's flip that do not depend on the other bits.
struct Site {
    index: usize,
    is_set: bool,
    sign: f64,
    /// s c_n.
    field: f64,
    /// e^{s c_n / 2}.
    half: Scaled,
}

impl Site {
    fn new(model: &Rbm, index: usize, is_set: bool) -> Self {
        let sign = flip_sign(is_set);
        let field = sign * model.visible_bias()[index];
        let mut half = Scaled::exp(0.5 * field);
        half.normalize();
        Self { index, is_set, sign, field, half }
    }
}

impl RbmFlow {
    /// # Panics
    /// If the data have another dimension.
    pub(super) fn new(model: &Rbm, data: &WeightedRows, loss: FlipLoss) -> Self {
        assert_eq!(model.num_visible, data.dim());
        Self { model: model.clone(), data: data.clone(), loss }
    }

    /// The rows of a shard.
    fn rows(&self, shard: usize) -> Range<usize> {
        let (num_rows, num_shards) = (self.data.num_distinct(), self.num_shards());
        assert!(shard < num_shards);
        num_rows * shard / num_shards..num_rows * (shard + 1) / num_shards
    }

    /// Number of rows per piece: whole blocks, so that pieces change no sum's order.
    fn piece_rows(&self) -> usize {
        let block = BLOCK * self.model.num_visible * self.model.width;
        (PIECE / block).max(1) * BLOCK
    }

    /// The probabilities of the hidden units after a flip, and its gain as a product; not for
    /// weights that are too large for products.
    fn flip(&self, row: &Row, factors: &[f64], after: &mut [f64]) -> Scaled {
        let after = after.as_chunks_mut::<LANES>().0;
        self.model.flip_product(&row.off, &row.on, factors, |chunk, flipped, terms, group| {
            let inverse = [1.0 / group[0], 1.0 / group[1]];
            let after = &mut after[chunk];
            // 1/f for each half of a group from that of the whole.
            for lane in 0..2 {
                let lower = inverse[lane] * (terms[4 + lane] * terms[6 + lane]);
                let upper = inverse[lane] * (terms[lane] * terms[2 + lane]);
                after[lane] = flipped[lane] * (lower * terms[2 + lane]);
                after[2 + lane] = flipped[2 + lane] * (lower * terms[lane]);
                after[4 + lane] = flipped[4 + lane] * (upper * terms[6 + lane]);
                after[6 + lane] = flipped[6 + lane] * (upper * terms[4 + lane]);
            }
        })
    }

    /// φ and φ′ for the gain ln(product) + field; `half` is e^{field/2}.
    fn loss_of_product(&self, product: Scaled, field: f64, half: Scaled) -> (f64, f64) {
        match self.loss {
            FlipLoss::Flow => {
                let flow = product.sqrt().times(half).to_f64();
                (flow, 0.5 * flow)
            }
            FlipLoss::Pseudolikelihood => {
                let odds = product.times(half).times(half).to_f64();
                // Beyond 2^60 the 1 is negligible beside the odds.
                if odds < (1u64 << 60) as f64 {
                    (ln_1p(odds), odds / (1.0 + odds))
                } else {
                    (product.ln() + field, 1.0)
                }
            }
        }
    }

    /// φ and φ′ of one flip; writes the hidden units' probabilities after it to `after`.
    fn flip_loss(&self, row: &Row, site: &Site, after: &mut [f64]) -> (f64, f64) {
        let model = &self.model;
        if model.cadence() > 0 {
            let product = self.flip(row, model.factors(site.index, site.is_set), after);
            return self.loss_of_product(product, site.field, site.half);
        }
        let hidden = row.activations.iter().zip(model.column(site.index));
        for ((a, coupling), after) in hidden.zip(after) {
            *after = sigmoid(a + site.sign * coupling);
        }
        self.loss.at(model.softplus_gain(&row.activations, site.index, site.is_set))
    }

    /// Adds the rows of one block to a part.
    fn add_block(&self, sites: &[[Site; 2]], start: usize, rows: &mut [Row], part: &mut [f64]) {
        let (width, dim) = (self.model.width, self.model.num_visible);
        let (value, grad) = part.split_at_mut(1);
        let (columns, rest) = grad.split_at_mut(dim * width);
        let (visible, hidden) = rest.split_at_mut(dim);
        let data = self.data.rows();
        for (index, row) in rows.iter_mut().enumerate() {
            self.model.activations(data.row(start + index), &mut row.activations);
            unit_probabilities(&row.activations, &mut row.off, &mut row.on);
            row.flipped.fill(0.0);
            row.total = 0.0;
        }
        let mut after = vec![0.0; width];
        for site in 0..dim {
            let column = &mut columns[site * width..(site + 1) * width];
            for (index, row) in rows.iter_mut().enumerate() {
                let flip = &sites[site][usize::from(bit(data.row(start + index), site))];
                let weight = self.data.weights()[start + index];
                let (loss, slope) = self.flip_loss(row, flip, &mut after);
                let slope = weight * slope;
                let signed = flip.sign * slope;
                value[0] += weight * loss;
                visible[site] += signed;
                row.total += slope;
                for ((sum, grad), after) in row.flipped.iter_mut().zip(&mut *column).zip(&after) {
                    *sum += slope * after;
                    *grad += signed * after;
                }
            }
        }
        for (index, row) in rows.iter_mut().enumerate() {
            axpy(-row.total, &row.on, &mut row.flipped);
            axpy(1.0, &row.flipped, hidden);
            for site in set_bits(data.row(start + index)) {
                axpy(1.0, &row.flipped, &mut columns[site * width..(site + 1) * width]);
            }
        }
    }
}

impl Objective for RbmFlow {
    fn num_params(&self) -> usize {
        self.model.params.len()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
    }

    fn num_shards(&self) -> usize {
        let most = (MAX_PART_NUMBERS / self.model.params.len()).clamp(MIN_SHARDS, MAX_SHARDS);
        (self.data.num_distinct() / MIN_SHARD_ROWS).clamp(1, most)
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let mut part = Vec::new();
        (0..self.num_pieces(shard)).for_each(|piece| self.add_piece(shard, piece, &mut part));
        part
    }

    fn num_pieces(&self, shard: usize) -> usize {
        self.rows(shard).len().div_ceil(self.piece_rows()).max(1)
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        assert!(piece < self.num_pieces(shard));
        let (width, dim) = (self.model.width, self.model.num_visible);
        let all = self.rows(shard);
        let start = all.start + piece * self.piece_rows();
        let end = all.end.min(start + self.piece_rows());
        let sites: Vec<_> = (0..dim)
            .map(|index| [false, true].map(|is_set| Site::new(&self.model, index, is_set)))
            .collect();
        let mut rows: Vec<_> = (0..BLOCK).map(|_| Row::new(width)).collect();
        part.resize(1 + (dim + 1) * width + dim, 0.0);
        for first in (start..end).step_by(BLOCK) {
            let rows = &mut rows[..BLOCK.min(end - first)];
            self.add_block(&sites, first, rows, part);
        }
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert!(parts.len() == self.num_shards() && grad.len() == self.num_params());
        let (width, dim, num_hidden) =
            (self.model.width, self.model.num_visible, self.model.num_hidden);
        let mut sum = vec![0.0; 1 + (dim + 1) * width + dim];
        for part in parts {
            axpy(1.0, part, &mut sum);
        }
        let scale = 1.0 / self.data.total();
        let (columns, rest) = sum[1..].split_at(dim * width);
        let (weight_grad, bias_grad) = grad.split_at_mut(num_hidden * dim);
        for (hidden, line) in weight_grad.chunks_exact_mut(dim).enumerate() {
            for (site, grad) in line.iter_mut().enumerate() {
                *grad = scale * columns[site * width + hidden];
            }
        }
        let biases = rest.iter().take(dim).chain(&rest[dim..dim + num_hidden]);
        for (grad, sum) in bias_grad.iter_mut().zip(biases) {
            *grad = scale * sum;
        }
        scale * sum[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::definition::Definition;
    use crate::energy::connectivity::ConnectivitySpec;
    use crate::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    fn random_data(dim: usize, num_rows: usize) -> WeightedRows {
        let mut rng = stream(11, Purpose::Example, dim as u64);
        let mut rows = BitMatrix::zeros(dim, num_rows);
        rows.rows_mut().for_each(|row| crate::bits::fill_random(row, dim, &mut rng));
        WeightedRows::from_data(rows.as_batch())
    }

    /// Compares with the definition, for small weights, large ones, and ones too large for
    /// products.
    #[test]
    fn sums_equal_their_definition() {
        for loss in [FlipLoss::Flow, FlipLoss::Pseudolikelihood] {
            for (visible, hidden, scale) in [
                (1, 1, 1.0),
                (5, 3, 0.3),
                (70, 9, 0.2),
                (12, 40, 0.5),
                (6, 16, 30.0),
                (3, 2, 200.0),
            ] {
                let model = RbmSpec::random(visible, hidden, scale, 1).build().unwrap();
                let data = random_data(visible, 300);
                let mut fast = RbmFlow::new(&model, &data, loss);
                let connectivity = ConnectivitySpec::SingleFlips {}.build(&data, false, 0).unwrap();
                let mut slow = Definition::new(&model, data, connectivity, loss);
                let mut grads = [vec![0.0; model.params.len()], vec![0.0; model.params.len()]];
                let value = fast.evaluate(&model.params, &mut grads[0]);
                let expected = slow.evaluate(&model.params, &mut grads[1]);
                assert!((value - expected).abs() <= 1e-11 * expected, "{value} {expected}");
                let size = grads[1].iter().fold(0.0_f64, |max, grad| max.max(grad.abs()));
                for (value, expected) in grads[0].iter().zip(&grads[1]) {
                    assert!((value - expected).abs() <= 1e-11 * size, "{value} {expected}");
                }
            }
        }
    }
}
