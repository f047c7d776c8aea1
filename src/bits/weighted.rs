//! Binary data as distinct rows and their weights.

use super::{BitBatch, BitMatrix, bit, set_bits};

/// Binary data as distinct rows and how much each weighs: sorted, so that
/// neither the order of the data nor repeated rows change a bit or cost time.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedRows {
    rows: BitMatrix,
    weights: Vec<f64>,
    total: f64,
}

impl WeightedRows {
    /// Counts the rows of data, each of weight 1.
    pub fn from_data(data: BitBatch<'_>) -> Self {
        let mut order: Vec<&[u64]> = data.rows().collect();
        order.sort_unstable();
        let mut words = Vec::new();
        let mut weights = Vec::new();
        for same in order.chunk_by(|a, b| a == b) {
            words.extend_from_slice(same[0]);
            weights.push(same.len() as f64);
        }
        Self { rows: BitMatrix { dim: data.dim(), words }, weights, total: data.len() as f64 }
    }

    /// Rows with the weights given, as they come: an exact distribution, say.
    ///
    /// # Panics
    /// If there is not one weight a row.
    pub fn weighted(rows: BitMatrix, weights: Vec<f64>) -> Self {
        assert_eq!(rows.num_rows(), weights.len());
        let total = weights.iter().sum();
        Self { rows, weights, total }
    }

    /// Adds up the weights by the values of a few columns: entry p is the
    /// weight of the rows whose bit `columns[k]` is bit k of p.
    ///
    /// # Panics
    /// If there are more than 20 columns.
    pub fn marginal(&self, columns: &[usize]) -> Vec<f64> {
        assert!(columns.len() <= 20);
        let mut table = vec![0.0; 1 << columns.len()];
        for (row, weight) in self.rows().rows().zip(&self.weights) {
            let pattern = columns
                .iter()
                .enumerate()
                .fold(0, |pattern, (k, &column)| pattern | usize::from(bit(row, column)) << k);
            table[pattern] += weight;
        }
        table
    }

    /// Σ_rows weight x_i x_j, `[dim, dim]`, the diagonal Σ_rows weight x_i.
    ///
    /// Rows of equal weight are taken 64 at a time, as columns of bits, so that
    /// a pair of sites costs one instruction to count.
    pub fn pair_sums(&self) -> Vec<f64> {
        let dim = self.dim();
        let mut order: Vec<usize> = (0..self.num_distinct()).collect();
        order.sort_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b]));
        let mut sums = vec![0.0; dim * dim];
        let mut columns = vec![0u64; dim];
        for same in order.chunk_by(|&a, &b| self.weights[a] == self.weights[b]) {
            let weight = self.weights[same[0]];
            for block in same.chunks(64) {
                columns.fill(0);
                for (at, &row) in block.iter().enumerate() {
                    for site in set_bits(self.rows.row(row)) {
                        columns[site] |= 1 << at;
                    }
                }
                for i in 0..dim {
                    let own = columns[i];
                    for (sum, other) in sums[i * dim..][..=i].iter_mut().zip(&columns) {
                        *sum += weight * f64::from((own & other).count_ones());
                    }
                }
            }
        }
        for i in 0..dim {
            for j in 0..i {
                sums[j * dim + i] = sums[i * dim + j];
            }
        }
        sums
    }

    /// Bits a row.
    pub fn dim(&self) -> usize {
        self.rows.dim()
    }

    /// Number of rows kept.
    pub fn num_distinct(&self) -> usize {
        self.weights.len()
    }

    /// The rows kept.
    pub fn rows(&self) -> BitBatch<'_> {
        self.rows.as_batch()
    }

    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Sum of the weights: the number of rows of the data.
    pub fn total(&self) -> f64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_order_nor_repeats_matter() {
        let rows = |states: &[u64]| {
            let mut rows = BitMatrix::zeros(70, states.len());
            rows.rows_mut().zip(states).for_each(|(row, state)| row[1] = *state);
            rows
        };
        let counted = WeightedRows::from_data(rows(&[5, 0, 5, 9, 5, 0]).as_batch());
        assert_eq!(counted, WeightedRows::from_data(rows(&[9, 5, 5, 0, 0, 5]).as_batch()));
        assert_eq!((counted.num_distinct(), counted.total()), (3, 6.0));
        assert_eq!(counted, WeightedRows::weighted(rows(&[0, 5, 9]), vec![2.0, 3.0, 1.0]));
    }

    #[test]
    fn pair_sums_by_their_definition() {
        let dim = 67;
        let mut rows = BitMatrix::zeros(dim, 150);
        for (at, row) in rows.rows_mut().enumerate() {
            let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            row.copy_from_slice(&[mixed, mixed >> 61]);
        }
        let weights: Vec<f64> = (0..150).map(|at| [1.0, 2.0, 0.5][at % 3]).collect();
        let rows = WeightedRows::weighted(rows, weights);
        let sums = rows.pair_sums();
        for i in 0..dim {
            for j in 0..dim {
                let both = rows.rows().rows().zip(rows.weights());
                let expected: f64 = both
                    .filter(|(row, _)| bit(row, i) && bit(row, j))
                    .map(|(_, weight)| weight)
                    .sum();
                assert_eq!(sums[i * dim + j], expected, "{i} {j}");
            }
        }
    }

    #[test]
    fn marginals_add_up_the_weights() {
        let mut rows = BitMatrix::zeros(66, 3);
        for (row, words) in rows.rows_mut().zip([[0b100, 0b10], [0b100, 0b00], [0b000, 0b10]]) {
            row.copy_from_slice(&words);
        }
        let rows = WeightedRows::weighted(rows, vec![1.0, 10.0, 100.0]);
        assert_eq!(rows.marginal(&[65, 2]), [0.0, 100.0, 10.0, 1.0]);
        assert_eq!(rows.marginal(&[0]), [111.0, 0.0]);
        assert_eq!(rows.marginal(&[]), [111.0]);
    }
}
