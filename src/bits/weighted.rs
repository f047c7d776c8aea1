//! Binary data as distinct rows and their weights.

use super::{BitBatch, BitMatrix, bit};

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
