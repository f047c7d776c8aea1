//! Binary data as distinct weighted rows.

use super::{BitBatch, BitMatrix};

/// Binary data as distinct rows with weights, sorted: so the order of the data does not affect a
/// bit, and repeated rows cost no time.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedRows {
    rows: BitMatrix,
    weights: Vec<f64>,
    total: f64,
}

impl WeightedRows {
    /// Counts the rows of data, each with weight 1.
    pub fn from_data(data: BitBatch<'_>) -> Self {
        // Sort by the first words alone, which distinguish most rows, then by the others.
        let rest = |at: usize| &data.row(at)[1..];
        let mut order: Vec<(u64, usize)> =
            data.rows().enumerate().map(|(at, row)| (row[0], at)).collect();
        order.sort_unstable_by_key(|(first, _)| *first);
        for alike in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            alike.sort_unstable_by(|a, b| rest(a.1).cmp(rest(b.1)));
        }
        let mut words = Vec::with_capacity(data.words.len());
        let mut weights = Vec::with_capacity(data.len());
        let is_same =
            |a: &(u64, usize), b: &(u64, usize)| a.0 == b.0 && rest(a.1).iter().eq(rest(b.1));
        for same in order.chunk_by(is_same) {
            words.extend_from_slice(data.row(same[0].1));
            weights.push(same.len() as f64);
        }
        words.shrink_to_fit();
        weights.shrink_to_fit();
        Self { rows: BitMatrix { dim: data.dim(), words }, weights, total: data.len() as f64 }
    }

    /// Rows with the given weights, in the given order, such as an exact distribution.
    ///
    /// # Panics
    /// If there is not one weight per row.
    #[inline]
    pub fn weighted(rows: BitMatrix, weights: Vec<f64>) -> Self {
        assert_eq!(rows.num_rows(), weights.len());
        let total = weights.iter().sum();
        Self { rows, weights, total }
    }

    /// Bits per row.
    #[inline]
    pub fn dim(&self) -> usize {
        self.rows.dim()
    }

    /// Number of distinct rows.
    #[inline]
    pub fn num_distinct(&self) -> usize {
        self.weights.len()
    }

    /// The distinct rows.
    #[inline]
    pub fn rows(&self) -> BitBatch<'_> {
        self.rows.as_batch()
    }

    /// The weights of the distinct rows.
    #[inline]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Sum of the weights: for data, the number of rows.
    #[inline]
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
}
