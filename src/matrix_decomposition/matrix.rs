//! Dense matrices, row-major.

use crate::linalg::product;
use serde::{Deserialize, Serialize};

/// A dense matrix.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    num_rows: usize,
    num_cols: usize,
    /// Row-major.
    entries: Vec<f64>,
}

impl Matrix {
    /// A matrix of these entries, row-major.
    ///
    /// # Panics
    /// If their number is not that of the matrix.
    pub fn new(num_rows: usize, num_cols: usize, entries: Vec<f64>) -> Self {
        assert_eq!(entries.len(), num_rows * num_cols);
        Self { num_rows, num_cols, entries }
    }

    /// A matrix of zeros.
    pub fn zeros(num_rows: usize, num_cols: usize) -> Self {
        Self::new(num_rows, num_cols, vec![0.0; num_rows * num_cols])
    }

    /// A matrix of the entries f(row, column), in the order of the rows.
    pub fn from_fn(
        num_rows: usize,
        num_cols: usize,
        mut f: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let entries = (0..num_rows * num_cols).map(|at| f(at / num_cols, at % num_cols)).collect();
        Self::new(num_rows, num_cols, entries)
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Number of columns.
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The entries, row-major.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The entries, row-major.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// An entry.
    pub fn at(&self, row: usize, col: usize) -> f64 {
        self.entries[row * self.num_cols + col]
    }

    /// An entry.
    pub fn at_mut(&mut self, row: usize, col: usize) -> &mut f64 {
        &mut self.entries[row * self.num_cols + col]
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.num_cols..(row + 1) * self.num_cols]
    }

    /// A row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.num_cols..(row + 1) * self.num_cols]
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.num_rows).map(|row| self.row(row))
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.num_cols, self.num_rows, |row, col| self.at(col, row))
    }

    /// The product AB.
    ///
    /// # Panics
    /// If the sizes do not match.
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.num_cols, other.num_rows);
        let mut all = Self::zeros(self.num_rows, other.num_cols);
        product(self.num_rows, self.num_cols, &self.entries, &other.entries, &mut all.entries);
        all
    }

    /// These rows and columns.
    pub fn part(&self, rows: &[usize], cols: &[usize]) -> Self {
        Self::from_fn(rows.len(), cols.len(), |row, col| self.at(rows[row], cols[col]))
    }

    /// Adds `scale` times another.
    ///
    /// # Panics
    /// If the sizes do not match.
    pub fn add(&mut self, scale: f64, other: &Self) {
        assert_eq!((self.num_rows, self.num_cols), (other.num_rows, other.num_cols));
        crate::linalg::axpy(scale, &other.entries, &mut self.entries);
    }

    /// The matrices one below the other.
    ///
    /// # Panics
    /// If the numbers of columns differ.
    pub fn stacked(mut self, other: &Self) -> Self {
        assert_eq!(self.num_cols, other.num_cols);
        self.num_rows += other.num_rows;
        self.entries.extend_from_slice(&other.entries);
        self
    }

    /// The sum of the squares of all entries.
    pub fn squares(&self) -> f64 {
        crate::linalg::dot(&self.entries, &self.entries)
    }
}
