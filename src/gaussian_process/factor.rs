//! The Cholesky factor of a covariance by blocks, and its inverse. Every product is by [`crate::linalg::product`],
//! so sums have a fixed order; a matrix of 300 takes a third of the time that column by column does.

use crate::linalg::{axpy, dot, product};
use crate::math::ln;

/// Rows of a block.
const BLOCK: usize = 32;

/// U, upper triangular with K = UᵀU.
#[derive(Debug, Clone)]
pub struct Factor {
    size: usize,
    /// U row-major; what is below the diagonal is not used.
    upper: Vec<f64>,
}

/// The first rows of the blocks.
fn blocks(size: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    (0..size.div_ceil(BLOCK)).map(move |at| (at * BLOCK, (at * BLOCK + BLOCK).min(size)))
}

impl Factor {
    /// Factorizes a symmetric matrix, row-major, of which what is below the diagonal is not read. None if it is
    /// not positive definite.
    ///
    /// # Panics
    /// If the matrix has not size² entries.
    pub fn new(size: usize, matrix: Vec<f64>) -> Option<Self> {
        assert_eq!(matrix.len(), size * size);
        let mut upper = matrix;
        let (mut left, mut update) = (Vec::new(), Vec::new());
        for (first, end) in blocks(size) {
            // The rows of the block, one after another.
            for i in first..end {
                let (above, rest) = upper.split_at_mut(i * size);
                let row = &mut rest[i..size];
                for k in first..i {
                    let line = &above[k * size + i..(k + 1) * size];
                    axpy(-line[0], line, row);
                }
                let pivot = row[0];
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return None;
                }
                let inverse = 1.0 / pivot.sqrt();
                row.iter_mut().for_each(|entry| *entry *= inverse);
            }
            // The block's product with itself leaves all rows below.
            let height = end - first;
            for (from, to) in blocks(size).filter(|(from, _)| *from >= end) {
                let width = size - from;
                left.clear();
                left.resize((to - from) * height, 0.0);
                for (k, row) in (first..end).enumerate() {
                    for i in from..to {
                        left[(i - from) * height + k] = upper[row * size + i];
                    }
                }
                let right: Vec<f64> = (first..end)
                    .flat_map(|row| upper[row * size + from..(row + 1) * size].iter().copied())
                    .collect();
                update.clear();
                update.resize((to - from) * width, 0.0);
                product(to - from, height, &left, &right, &mut update);
                for (row, line) in (from..to).zip(update.chunks_exact(width)) {
                    axpy(-1.0, line, &mut upper[row * size + from..(row + 1) * size]);
                }
            }
        }
        Some(Self { size, upper })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.upper[i * self.size + i..(i + 1) * self.size]
    }

    /// ln det K.
    pub fn ln_det(&self) -> f64 {
        2.0 * (0..self.size).map(|i| ln(self.row(i)[0])).sum::<f64>()
    }

    /// K⁻¹ b.
    ///
    /// # Panics
    /// If b has another length.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size);
        let mut x = b.to_vec();
        for i in 0..self.size {
            let row = self.row(i);
            x[i] /= row[0];
            let value = x[i];
            axpy(-value, &row[1..], &mut x[i + 1..]);
        }
        for i in (0..self.size).rev() {
            let row = self.row(i);
            x[i] = (x[i] - dot(&row[1..], &x[i + 1..])) / row[0];
        }
        x
    }

    /// U⁻¹.
    pub fn inverse(&self) -> Inverse {
        let size = self.size;
        let all: Vec<(usize, usize)> = blocks(size).collect();
        let mut columns: Vec<Vec<f64>> =
            all.iter().map(|(first, end)| vec![0.0; end * (end - first)]).collect();
        for (at, &(first, end)) in all.iter().enumerate().rev() {
            let height = end - first;
            let own = self.diagonal_inverse(first, end);
            let mut sum = Vec::new();
            for (column, &(from, to)) in columns.iter_mut().zip(&all).skip(at + 1) {
                let width = to - from;
                let left: Vec<f64> = (first..end)
                    .flat_map(|row| self.upper[row * size + end..row * size + to].iter().copied())
                    .collect();
                sum.clear();
                sum.resize(height * width, 0.0);
                product(height, to - end, &left, &column[end * width..], &mut sum);
                let block = &mut column[first * width..end * width];
                product(height, height, &own, &sum, block);
                block.iter_mut().for_each(|entry| *entry = -*entry);
            }
            columns[at][first * height..].copy_from_slice(&own);
        }
        Inverse { size, columns }
    }

    /// The inverse of a block on the diagonal, row-major.
    fn diagonal_inverse(&self, first: usize, end: usize) -> Vec<f64> {
        let height = end - first;
        let mut inverse = vec![0.0; height * height];
        for i in (0..height).rev() {
            let row = &self.row(first + i)[..height - i];
            let (above, below) = inverse.split_at_mut((i + 1) * height);
            let line = &mut above[i * height..];
            for (entry, other) in row[1..].iter().zip(below.chunks_exact(height)) {
                axpy(-entry, other, line);
            }
            line[i] = 1.0;
            line.iter_mut().for_each(|entry| *entry /= row[0]);
        }
        inverse
    }
}

/// V = U⁻¹, upper triangular: K⁻¹ = VVᵀ.
#[derive(Debug, Clone)]
pub struct Inverse {
    size: usize,
    /// Of each block of columns the rows down to its diagonal, row-major.
    columns: Vec<Vec<f64>>,
}

impl Inverse {
    /// K⁻¹, row-major, with what is below the diagonal left 0.
    pub fn upper_inverse(&self) -> Vec<f64> {
        let size = self.size;
        let all: Vec<(usize, usize)> = blocks(size).collect();
        let mut inverse = vec![0.0; size * size];
        // Vᵀ by blocks of columns: rows from the diagonal down.
        for (at, &(first, end)) in all.iter().enumerate() {
            let mut transposed = Vec::with_capacity((size - first) * (end - first));
            for (column, &(from, to)) in self.columns.iter().zip(&all).skip(at) {
                for j in 0..to - from {
                    transposed.extend((first..end).map(|i| column[i * (to - from) + j]));
                }
            }
            for &(from, to) in &all[..=at] {
                let depth = size - first;
                let mut left = vec![0.0; (to - from) * depth];
                for (column, &(start, stop)) in self.columns.iter().zip(&all).skip(at) {
                    for i in from..to {
                        left[(i - from) * depth + start - first..][..stop - start]
                            .copy_from_slice(&column[i * (stop - start)..][..stop - start]);
                    }
                }
                let width = end - first;
                let mut block = vec![0.0; (to - from) * width];
                product(to - from, depth, &left, &transposed, &mut block);
                for (i, line) in (from..to).zip(block.chunks_exact(width)) {
                    inverse[i * size + first..i * size + end].copy_from_slice(line);
                }
            }
        }
        inverse
    }

    /// Σ z² over z = Vᵀc for each column c of a block `[size, width]`: cᵀK⁻¹c.
    ///
    /// # Panics
    /// If the block has not size lines.
    pub fn squares(&self, block: &[f64], width: usize) -> Vec<f64> {
        assert_eq!(block.len(), self.size * width);
        let mut sums = vec![0.0; width];
        for (column, (first, end)) in self.columns.iter().zip(blocks(self.size)) {
            let height = end - first;
            let mut transposed = vec![0.0; height * end];
            crate::linalg::transpose(height, end, column, &mut transposed);
            let mut z = vec![0.0; height * width];
            product(height, end, &transposed, &block[..end * width], &mut z);
            for line in z.chunks_exact(width) {
                sums.iter_mut().zip(line).for_each(|(sum, z)| *sum += z * z);
            }
        }
        sums
    }
}
