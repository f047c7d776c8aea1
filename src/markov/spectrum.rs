//! The second and the least eigenvalue of a chain, and the second eigenvector.
//!
//! `A = D^½ T D^−½` with `D = diag π` has the eigenvalues of T, and is symmetric if and only if the
//! chain is reversible. `S = (A + Aᵀ)/2` always is. For other chains it belongs to the additive
//! reversibilization `(T + T*)/2`, with T* the chain run backwards (Fill 1991): the flows between a
//! set and its complement are those of T, and so is the conductance.
//!
//! S is made tridiagonal by Householder's reflections, a column at a time, in some 4n³/3
//! multiplications; the eigenvalues follow by bisection.

use super::tridiagonal::Tridiagonal;
use crate::linalg::{axpy, dot};
use serde::{Deserialize, Serialize};

/// The eigenvalues that tell how fast a chain mixes. The first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// `1 − λ₂`.
    pub gap: f64,
    /// `1 + λ_n`.
    pub from_minus_one: f64,
}

/// A symmetric matrix on its way to tridiagonal form.
#[derive(Debug, Clone)]
pub struct Reduction {
    matrix: Vec<f64>,
    num_states: usize,
    /// For each column that is done, its reflection `1 − scale v vᵀ` of the entries below it: the
    /// scale and v. The scale is 0 where nothing had to be done.
    reflections: Vec<(f64, Vec<f64>)>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

/// `(A + Aᵀ)/2` of a chain with this matrix, `[n, n]`, and stationary distribution.
///
/// # Panics
/// If the lengths do not match.
pub fn symmetrized(matrix: &[f64], stationary: &[f64]) -> Vec<f64> {
    let n = stationary.len();
    assert_eq!(matrix.len(), n * n);
    let roots: Vec<f64> = stationary.iter().map(|probability| probability.sqrt()).collect();
    let mut symmetric = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let ratio = roots[i] / roots[j];
            let value = 0.5 * (ratio * matrix[i * n + j] + matrix[j * n + i] / ratio);
            symmetric[i * n + j] = value;
            symmetric[j * n + i] = value;
        }
    }
    symmetric
}

impl Reduction {
    /// The reduction of a symmetric matrix, `[n, n]`, with entries up to some 1.
    ///
    /// # Panics
    /// If the matrix is not square, or has fewer than two rows.
    pub fn new(matrix: Vec<f64>, num_states: usize) -> Self {
        assert!(num_states >= 2 && matrix.len() == num_states * num_states);
        Self { matrix, num_states, reflections: vec![], diagonal: vec![], beside: vec![] }
    }

    /// Reduces columns until the multiplications exceed `budget`; returns whether it is done.
    pub fn advance(&mut self, budget: usize) -> bool {
        let n = self.num_states;
        let mut spent = 0;
        while self.beside.len() < n - 1 && spent <= budget {
            let left = n - self.beside.len();
            self.reduce_column();
            spent += 4 * left * left;
        }
        if self.beside.len() < n - 1 {
            return false;
        }
        if self.diagonal.len() < n {
            self.diagonal.push(self.matrix[n * n - 1]);
        }
        true
    }

    fn reduce_column(&mut self) {
        let (n, column) = (self.num_states, self.beside.len());
        let first = column + 1;
        self.diagonal.push(self.matrix[column * n + column]);
        // The matrix is symmetric: the column below the diagonal is the row right of it.
        let mut v = self.matrix[column * n + first..(column + 1) * n].to_vec();
        if v[1..].iter().all(|entry| *entry == 0.0) {
            self.beside.push(v[0]);
            self.reflections.push((0.0, Vec::new()));
            return;
        }
        let norm = dot(&v, &v).sqrt();
        // The sign with which nothing cancels.
        let becomes = if v[0] > 0.0 { -norm } else { norm };
        v[0] -= becomes;
        let scale = 2.0 / dot(&v, &v);
        if !scale.is_finite() {
            // The squares are below all numbers, and so is what is left out.
            self.beside.push(0.0);
            self.reflections.push((0.0, Vec::new()));
            return;
        }
        let lines = self.matrix[first * n..].chunks_exact(n);
        let mut w: Vec<f64> = lines.map(|line| scale * dot(&line[first..], &v)).collect();
        let along = -0.5 * scale * dot(&v, &w);
        axpy(along, &v, &mut w);
        for (at, line) in self.matrix[first * n..].chunks_exact_mut(n).enumerate() {
            axpy(-v[at], &w, &mut line[first..]);
            axpy(-w[at], &v, &mut line[first..]);
        }
        self.beside.push(becomes);
        self.reflections.push((scale, v));
    }

    fn tridiagonal(&self) -> Tridiagonal {
        let squares = self.beside.iter().map(|entry| entry * entry).collect();
        Tridiagonal { diagonal: self.diagonal.clone(), squares }
    }

    /// The eigenvalues, of the matrix of a chain. A gap that rounding makes negative is 0.
    ///
    /// # Panics
    /// If the reduction is not done.
    pub fn spectrum(&self) -> Spectrum {
        assert_eq!(self.diagonal.len(), self.num_states, "columns are left");
        let tridiagonal = self.tridiagonal();
        let second = tridiagonal.eigenvalue(self.num_states - 2);
        let least = tridiagonal.eigenvalue(0);
        Spectrum { gap: (1.0 - second).max(0.0), from_minus_one: (1.0 + least).max(0.0) }
    }

    /// An eigenvector of the second eigenvalue, `[n]`.
    ///
    /// # Panics
    /// As [`Reduction::spectrum`].
    pub fn second_vector(&self) -> Vec<f64> {
        assert_eq!(self.diagonal.len(), self.num_states, "columns are left");
        let tridiagonal = self.tridiagonal();
        let second = tridiagonal.eigenvalue(self.num_states - 2);
        let mut vector = tridiagonal.eigenvector(&self.beside, second);
        for (column, (scale, v)) in self.reflections.iter().enumerate().rev() {
            if *scale != 0.0 {
                let along = -scale * dot(v, &vector[column + 1..]);
                axpy(along, v, &mut vector[column + 1..]);
            }
        }
        vector
    }
}
