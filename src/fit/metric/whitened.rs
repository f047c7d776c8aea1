//! The natural parameter space `φ = G^½ θ` (Sohl-Dickstein 2012, eq. 4.37):
//! coordinates in which the metric is the identity, so that steepest descent
//! there is the natural gradient and any other optimizer works unchanged.
//!
//! With H the damped inverse of G, `θ = θ₀ + Tφ` and `T = H^½`, symmetric. A
//! step −ε∇_φ J is the step −εH∇_θ J.

use super::{Block, Damping, Metric};
use crate::energy::coordinates::Coordinates;
use crate::linalg::{dot, map_eigenvalues};
use nalgebra::DMatrix;

/// The matrix T of the module documentation.
#[derive(Debug, Clone)]
pub enum Whitened {
    /// T is zero between the blocks.
    Blocks {
        /// The number of parameters, P.
        num_params: usize,
        /// The blocks of T.
        blocks: Vec<Block>,
    },
    /// The diagonal of T, `[P]`.
    Diagonal(Vec<f64>),
}

impl Whitened {
    /// The coordinates of a metric, whose entries must be finite.
    pub fn new(metric: &Metric, damping: Damping) -> Self {
        let root = |eigenvalue: &f64| damping.inverse(*eigenvalue).sqrt();
        match metric {
            Metric::Blocks { num_params, blocks } => {
                let blocks = blocks.iter().map(|Block { params, entries }| {
                    let matrix = DMatrix::from_row_slice(params.len(), params.len(), entries);
                    let entries =
                        map_eigenvalues(matrix, |values| values.iter().map(root).collect());
                    Block { params: params.clone(), entries }
                });
                Self::Blocks { num_params: *num_params, blocks: blocks.collect() }
            }
            Metric::Diagonal(entries) => Self::Diagonal(entries.iter().map(root).collect()),
        }
    }

    /// Calls `visit(i, (Tv)_i)` for every i.
    fn multiply(&self, vector: &[f64], mut visit: impl FnMut(usize, f64)) {
        assert_eq!(vector.len(), self.num_coordinates());
        match self {
            Self::Blocks { blocks, .. } => {
                let mut own = Vec::new();
                for Block { params, entries } in blocks {
                    own.clear();
                    own.extend(params.iter().map(|param| vector[*param]));
                    for (i, line) in params.iter().zip(entries.chunks_exact(params.len())) {
                        visit(*i, dot(line, &own));
                    }
                }
            }
            Self::Diagonal(root) => {
                for (i, (root, entry)) in root.iter().zip(vector).enumerate() {
                    visit(i, root * entry);
                }
            }
        }
    }
}

impl Coordinates for Whitened {
    fn num_coordinates(&self) -> usize {
        match self {
            Self::Blocks { num_params, .. } => *num_params,
            Self::Diagonal(root) => root.len(),
        }
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        assert_eq!(params.len(), self.num_coordinates());
        self.multiply(coordinates, |i, entry| params[i] += entry);
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        assert_eq!(grad.len(), self.num_coordinates());
        self.multiply(param_grad, |i, entry| grad[i] = entry);
    }
}
