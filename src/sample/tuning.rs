//! What is adapted to a target in warm-up: each chain's step size, and the
//! linear map in which its moves are made.
//!
//! Momenta are always N(0, I); positions move by `x ← x + ε A v` and momenta by
//! `v ← v − ε Aᵀ ∂E/∂x`. This is Hamiltonian dynamics with the mass matrix
//! `M = (A Aᵀ)⁻¹`, as putting x = A y shows. A diagonal A holds estimated
//! standard deviations; a dense one the Cholesky factor of a covariance.

use super::chains::select;
use crate::linalg::axpy;
use serde::{Deserialize, Serialize};

/// Step sizes and maps of a block of chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// ε, `[width]`.
    pub step_size: Vec<f64>,
    /// A of each chain.
    pub scale: Scale,
}

/// The linear map A of each chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Scale {
    /// The identity, for all chains.
    Unit,
    /// The diagonals, dimension-major `[dim, width]`.
    Diagonal(Vec<f64>),
    /// Lower triangular matrices, row-major `[dim, dim]`, one a chain.
    Dense(Vec<Vec<f64>>),
}

impl Tuning {
    /// One step size for all chains, no map.
    pub fn uniform(width: usize, step_size: f64) -> Self {
        Self { step_size: vec![step_size; width], scale: Scale::Unit }
    }

    /// That of the chains at these places.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn select(&self, places: &[usize]) -> Self {
        let width = self.step_size.len();
        Self {
            step_size: select(&self.step_size, width, places),
            scale: match &self.scale {
                Scale::Unit => Scale::Unit,
                Scale::Diagonal(diagonal) => Scale::Diagonal(select(diagonal, width, places)),
                Scale::Dense(matrices) => {
                    Scale::Dense(places.iter().map(|&place| matrices[place].clone()).collect())
                }
            },
        }
    }

    /// `momentum −= factor ε Aᵀ grad`.
    pub fn kick(&self, factor: f64, grad: &[f64], momentum: &mut [f64]) {
        match &self.scale {
            Scale::Unit => add_scaled(-factor, &self.step_size, grad, momentum),
            Scale::Diagonal(diagonal) => {
                add_scaled_by(-factor, &self.step_size, diagonal, grad, momentum);
            }
            Scale::Dense(matrices) => {
                let width = matrices.len();
                let dim = grad.len() / width;
                let mut pulled = vec![0.0; dim];
                for (chain, (matrix, step)) in matrices.iter().zip(&self.step_size).enumerate() {
                    pulled.fill(0.0);
                    for (d, line) in matrix.chunks_exact(dim).enumerate() {
                        axpy(grad[d * width + chain], &line[..=d], &mut pulled[..=d]);
                    }
                    for (d, value) in pulled.iter().enumerate() {
                        momentum[d * width + chain] -= factor * step * value;
                    }
                }
            }
        }
    }

    /// `position += factor ε A momentum`.
    pub fn drift(&self, factor: f64, momentum: &[f64], position: &mut [f64]) {
        match &self.scale {
            Scale::Unit => add_scaled(factor, &self.step_size, momentum, position),
            Scale::Diagonal(diagonal) => {
                add_scaled_by(factor, &self.step_size, diagonal, momentum, position);
            }
            Scale::Dense(matrices) => {
                let width = matrices.len();
                let dim = position.len() / width;
                for (chain, (matrix, step)) in matrices.iter().zip(&self.step_size).enumerate() {
                    for (d, line) in matrix.chunks_exact(dim).enumerate() {
                        let mut sum = 0.0;
                        for (at, value) in line[..=d].iter().enumerate() {
                            sum += value * momentum[at * width + chain];
                        }
                        position[d * width + chain] += factor * step * sum;
                    }
                }
            }
        }
    }
}

/// `to += factor · steps ∘ from`, the steps repeated for each entry of the states.
fn add_scaled(factor: f64, steps: &[f64], from: &[f64], to: &mut [f64]) {
    let width = steps.len();
    for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)) {
        for ((to, from), step) in to.iter_mut().zip(from).zip(steps) {
            *to += factor * step * from;
        }
    }
}

fn add_scaled_by(factor: f64, steps: &[f64], diagonal: &[f64], from: &[f64], to: &mut [f64]) {
    let width = steps.len();
    let lines = from.chunks_exact(width).zip(diagonal.chunks_exact(width));
    for (to, (from, scale)) in to.chunks_exact_mut(width).zip(lines) {
        for (((to, from), scale), step) in to.iter_mut().zip(from).zip(scale).zip(steps) {
            *to += factor * step * scale * from;
        }
    }
}
