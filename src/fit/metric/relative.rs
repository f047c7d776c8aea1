//! Relative changes of a square matrix of filters: `W = W₀ + Φ W₀`.
//!
//! ln p(x) depends on W x and ln |det W| alone, so that rows A x and W A⁻¹ give what x and W do. A length of steps
//! that does not depend on A either is that of dW W⁻¹ (Amari 1998; Cardoso and Laheld 1996), and the steepest way down
//! in it is
//!
//! `ΔW ∝ ∂J/∂W WᵀW`
//!
//! (Sohl-Dickstein 2012, eqs. 4.43 and 4.44). In Φ, with W₀ the present W, it is the gradient `∂J/∂W W₀ᵀ`. Parameters
//! after the matrix are left as they are.

use crate::energy::coordinates::Coordinates;
use crate::linalg::matmul;

/// The coordinates Φ, row-major `[D, D]`, and the other parameters.
pub struct Relative {
    dim: usize,
    num_params: usize,
    /// W₀.
    filters: Vec<f64>,
    /// W₀ᵀ.
    transposed: Vec<f64>,
}

impl Relative {
    /// The coordinates about these parameters, of which the first D² are W₀.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn new(dim: usize, params: &[f64]) -> Self {
        let filters = params[..dim * dim].to_vec();
        let transposed = (0..dim * dim).map(|at| filters[at % dim * dim + at / dim]).collect();
        Self { dim, num_params: params.len(), filters, transposed }
    }
}

impl Coordinates for Relative {
    fn num_coordinates(&self) -> usize {
        self.num_params
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        assert!(coordinates.len() == self.num_params && params.len() == self.num_params);
        let size = self.filters.len();
        let mut change = vec![0.0; size];
        matmul(self.dim, &coordinates[..size], &self.filters, &mut change);
        change.extend_from_slice(&coordinates[size..]);
        params.iter_mut().zip(&change).for_each(|(param, change)| *param += change);
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        assert!(param_grad.len() == self.num_params && grad.len() == self.num_params);
        let size = self.filters.len();
        matmul(self.dim, &param_grad[..size], &self.transposed, &mut grad[..size]);
        grad[size..].copy_from_slice(&param_grad[size..]);
    }
}
