//! Rows of bits, column by column.

use crate::bits::{WeightedRows, bit};
use crate::energy::FlipLoss;
use crate::linalg::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Weighted rows, the columns one after another and centred: the entries of column j are x_nj − μ_j. Without
/// the centring each bias would have to follow every change of its couplings.
pub struct Columns {
    dim: usize,
    num_rows: f64,
    /// The weight of each distinct row, its share of all rows.
    weights: Vec<f64>,
    /// The mean of each column.
    means: Vec<f64>,
    /// `[dim, numDistinct]`: x_nj − μ_j.
    centred: Vec<f64>,
    /// `[dim, numDistinct]`: 2x_nj − 1.
    signs: Vec<f64>,
}

impl Columns {
    /// The columns of these rows.
    pub fn new(rows: &WeightedRows) -> Self {
        let dim = rows.dim();
        let weights: Vec<f64> = rows.weights().iter().map(|w| w / rows.total()).collect();
        let count = weights.len();
        let mut signs = vec![-1.0; dim * count];
        for (at, row) in rows.rows().rows().enumerate() {
            for site in (0..dim).filter(|&site| bit(row, site)) {
                signs[site * count + at] = 1.0;
            }
        }
        let is_on = |sign: &f64| 0.5 * (sign + 1.0);
        let mut means = Vec::with_capacity(dim);
        let mut centred = Vec::with_capacity(dim * count);
        for column in signs.chunks_exact(count) {
            let mean: f64 = column.iter().zip(&weights).map(|(sign, w)| w * is_on(sign)).sum();
            means.push(mean);
            centred.extend(column.iter().map(|sign| is_on(sign) - mean));
        }
        Self { dim, num_rows: rows.total(), weights, means, centred, signs }
    }

    /// D, the number of columns.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// N, the number of rows.
    pub fn num_rows(&self) -> f64 {
        self.num_rows
    }

    /// Number of distinct rows.
    pub fn num_distinct(&self) -> usize {
        self.weights.len()
    }

    /// The share of each distinct row.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The mean of a column.
    pub fn mean(&self, site: usize) -> f64 {
        self.means[site]
    }

    /// The centred entries of a column.
    pub fn centred(&self, site: usize) -> &[f64] {
        &self.centred[site * self.weights.len()..][..self.weights.len()]
    }

    /// The entries of a column as −1 and 1.
    pub fn signs(&self, site: usize) -> &[f64] {
        &self.signs[site * self.weights.len()..][..self.weights.len()]
    }

    /// Whether a column has the same entry in all rows.
    pub fn is_constant(&self, site: usize) -> bool {
        let signs = self.signs(site);
        signs.iter().all(|sign| *sign == signs[0])
    }

    /// The mean over the rows of a function of them.
    pub fn mean_of(&self, values: &[f64]) -> f64 {
        dot(&self.weights, values)
    }

    /// The fields f_i = c_i + 2 Σ_j J_ij (x_j − μ_j) of a network, `[dim, numDistinct]`.
    pub fn fields(&self, network: &Network) -> Vec<f64> {
        let count = self.num_distinct();
        let mut fields: Vec<f64> = Vec::with_capacity(self.dim * count);
        for centre in &network.centres {
            fields.resize(fields.len() + count, *centre);
        }
        for (pair, [i, j]) in pairs(self.dim).enumerate() {
            let coupling = network.couplings[pair];
            if coupling != 0.0 {
                axpy(2.0 * coupling, self.centred(j), &mut fields[i * count..][..count]);
                axpy(2.0 * coupling, self.centred(i), &mut fields[j * count..][..count]);
            }
        }
        fields
    }

    /// The mean over the rows of Σ_i φ(m_i), m_i = (2x_i − 1) f_i, for these fields.
    pub fn loss(&self, loss: FlipLoss, fields: &[f64]) -> f64 {
        let count = self.num_distinct();
        let mut slopes = vec![0.0; count];
        let mut total = 0.0;
        for site in 0..self.dim {
            let fields = &fields[site * count..][..count];
            let mut values: Vec<f64> =
                fields.iter().zip(self.signs(site)).map(|(f, sign)| f * sign).collect();
            loss.at_all(&mut values, &mut slopes);
            total += self.mean_of(&values);
        }
        total
    }

    /// The log pseudolikelihood of a network on these rows, in nats a row.
    pub fn log_pseudolikelihood(&self, network: &Network) -> f64 {
        -self.loss(FlipLoss::Pseudolikelihood, &self.fields(network))
    }
}

/// The pairs i < j in lexicographic order, that of the couplings.
pub fn pairs(dim: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..dim).flat_map(move |i| (i + 1..dim).map(move |j| [i, j]))
}

/// Number of pairs.
pub fn num_pairs(dim: usize) -> usize {
    dim * (dim - 1) / 2
}

/// An Ising model whose couplings act on centred bits: E(x) = Σ_i b_i x_i + 2 Σ_{i<j} J_ij x_i x_j with
/// b_i = c_i − 2 Σ_j J_ij μ_j.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// c_i.
    pub centres: Vec<f64>,
    /// J_ij, i < j, in the order of [`pairs`].
    pub couplings: Vec<f64>,
}

impl Network {
    /// The biases b_i, for the means of these columns.
    pub fn biases(&self, columns: &Columns) -> Vec<f64> {
        let mut biases = self.centres.clone();
        for ([i, j], coupling) in pairs(columns.dim()).zip(&self.couplings) {
            biases[i] -= 2.0 * coupling * columns.mean(j);
            biases[j] -= 2.0 * coupling * columns.mean(i);
        }
        biases
    }

    /// The network with these biases and couplings, centred for these columns.
    pub fn centred(biases: &[f64], couplings: &[f64], columns: &Columns) -> Self {
        let mut centres = biases.to_vec();
        for ([i, j], coupling) in pairs(columns.dim()).zip(couplings) {
            centres[i] += 2.0 * coupling * columns.mean(j);
            centres[j] += 2.0 * coupling * columns.mean(i);
        }
        Self { centres, couplings: couplings.to_vec() }
    }

    /// Number of edges: couplings that are not zero.
    pub fn num_edges(&self) -> usize {
        self.couplings.iter().filter(|coupling| **coupling != 0.0).count()
    }
}
