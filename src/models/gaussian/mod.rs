//! The Gaussian, x ∈ ℝᴰ: `E(x) = ½ (x − μ)ᵀ Λ (x − μ)`, Λ the precision, the
//! inverse of the covariance, symmetric and positive definite.
//!
//! `log Z = (D/2) ln 2π − ½ ln det Λ`.
//!
//! For diagonal Λ, the cost is linear in D.
//!
//! Parameters: μ `[D]`; then, row after row, the lower triangle of L with `Λ = LLᵀ`, its diagonal
//! entries by their logarithms, D (D + 1) / 2 in total. Λ is positive definite for any parameters,
//! so no step of an optimizer leaves the model; and log Z is linear in them. An L_ii that would be
//! 0 or infinite is the smallest or largest number; if Λ overflows, energies are NaN, and there is
//! no [`Reference`].

mod axes;
mod gradients;

pub use axes::PrincipalAxes;

use crate::checks::check_numbers;
use crate::energy::{Differentiable, Energy, LogZGradient, Reference};
use crate::linalg::{Batch, Block, LeftFactor, dot, map_columns, product, vector_product};
use crate::math::ln;
use crate::rng::{ChainRng, normal};
use crate::{Error, Result};
use crate::{Model, ModelSpec, capabilities};
use nalgebra::{Cholesky, DMatrix, Dyn};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// Maximum dimension D: a factorization of Λ cannot be interrupted.
pub const MAX_DIM: usize = 1024;

/// The spec of the Gaussian.
#[spec]
pub struct GaussianSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// μ, `[dim]`; zero if absent.
    pub mean: Option<Vec<f64>>,
    /// Λ, row-major `[dim, dim]`, symmetric and positive definite; the identity
    /// if absent, unless the covariance is given.
    pub precision: Option<Vec<f64>>,
    /// The covariance Λ⁻¹, instead of Λ.
    pub covariance: Option<Vec<f64>>,
}

/// The Gaussian; see the module documentation.
#[derive(Debug, Clone)]
pub struct Gaussian {
    dim: usize,
    mean: Vec<f64>,
    precision: Vec<f64>,
    /// Λ as a left factor.
    left: LeftFactor,
    /// The product Λμ.
    pull: Vec<f64>,
    /// The diagonal of Λ, if Λ is diagonal.
    diagonal: Option<Vec<f64>>,
    /// The Cholesky factor L, with Λ = LLᵀ.
    factor: Cholesky<f64, Dyn>,
    params: Vec<f64>,
}

impl GaussianSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Gaussian> {
        let dim = self.dim;
        if dim == 0 {
            return Err(Error::spec("model.dim", "is 0; give at least one dimension"));
        }
        if dim > MAX_DIM {
            return Err(Error::TooLarge {
                field: "model.dim".into(),
                problem: format!("is {dim}, and the limit is {MAX_DIM}; use fewer dimensions"),
            });
        }
        let mean = self.mean.clone().unwrap_or_else(|| vec![0.0; dim]);
        check_numbers("model.mean", &mean, dim)?;
        let precision = match (&self.precision, &self.covariance) {
            (Some(_), Some(_)) => {
                return Err(Error::spec(
                    "model.covariance",
                    "is given beside the precision; give one of the two",
                ));
            }
            (Some(precision), None) => {
                check_symmetric("model.precision", precision, dim)?;
                precision.clone()
            }
            (None, Some(covariance)) => {
                check_symmetric("model.covariance", covariance, dim)?;
                let factor = factorize("model.covariance", covariance, dim)?;
                let inverse = factor.inverse();
                // Symmetric to the last bit.
                ((&inverse + inverse.transpose()) * 0.5).as_slice().to_vec()
            }
            (None, None) => DMatrix::<f64>::identity(dim, dim).as_slice().to_vec(),
        };
        let field = if self.covariance.is_some() { "model.covariance" } else { "model.precision" };
        let factor = factorize(field, &precision, dim)?;
        let params = gradients::params_of(&mean, factor.l_dirty());
        let pull = vec![0.0; dim];
        let left = LeftFactor::default();
        let mut gaussian =
            Gaussian { dim, mean, precision, left, pull, diagonal: None, factor, params };
        gaussian.derive();
        Ok(gaussian)
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let plain = Self { dim: 1, mean: None, precision: None, covariance: None };
        vec![
            plain.clone(),
            Self {
                dim: 3,
                mean: Some(vec![1.0, -2.0, 0.5]),
                precision: Some(vec![2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]),
                ..plain.clone()
            },
            Self { dim: 2, covariance: Some(vec![1.0, 0.9, 0.9, 1.0]), ..plain.clone() },
            Self { dim: 2, precision: Some(vec![0.25, 0.0, 0.0, 9.0]), ..plain },
        ]
    }
}

/// Checks length, finite entries and symmetry of a matrix.
pub(super) fn check_symmetric(field: &str, matrix: &[f64], dim: usize) -> Result<()> {
    check_numbers(field, matrix, dim * dim)?;
    for i in 0..dim {
        for j in 0..i {
            let (a, b) = (matrix[i * dim + j], matrix[j * dim + i]);
            if a != b {
                return Err(Error::spec(
                    format!("{field}[{i}, {j}]"),
                    format!("is {a}, but entry [{j}, {i}] is {b}; the matrix must be symmetric"),
                ));
            }
        }
    }
    Ok(())
}

/// The Cholesky factor of a positive definite matrix.
pub(super) fn factorize(field: &str, matrix: &[f64], dim: usize) -> Result<Cholesky<f64, Dyn>> {
    Cholesky::new(DMatrix::from_row_slice(dim, dim, matrix)).ok_or_else(|| {
        Error::spec(field, "is not positive definite; all its eigenvalues must be positive")
    })
}

impl Gaussian {
    /// Computes what follows from μ and Λ.
    fn derive(&mut self) {
        let (dim, precision) = (self.dim, &self.precision);
        self.left = LeftFactor::new(dim, dim, precision);
        product(dim, dim, precision, &self.mean, &mut self.pull);
        let is_diagonal = (0..dim * dim).all(|at| at / dim == at % dim || precision[at] == 0.0);
        self.diagonal = is_diagonal.then(|| precision.iter().step_by(dim + 1).copied().collect());
    }

    /// Whether all numbers are finite.
    fn is_valid(&self) -> bool {
        self.pull.iter().chain(&self.precision).chain(&self.mean).all(|value| value.is_finite())
    }

    /// Whether Λ is a multiple of the identity.
    pub fn is_isotropic(&self) -> bool {
        let diagonal = self.diagonal.as_deref().unwrap_or_default();
        diagonal.first().is_some_and(|first| diagonal.iter().all(|value| value == first))
    }

    /// The mean μ, `[dim]`.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The precision Λ, row-major `[dim, dim]`.
    pub fn precision(&self) -> &[f64] {
        &self.precision
    }

    /// The covariance Λ⁻¹, row-major `[dim, dim]`.
    pub fn covariance(&self) -> Vec<f64> {
        let inverse = self.factor.inverse();
        ((&inverse + inverse.transpose()) * 0.5).as_slice().to_vec()
    }
}

impl Energy for Gaussian {
    fn dim(&self) -> usize {
        self.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let off: Vec<f64> = state.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
            let lines = self.precision.chunks_exact(self.dim);
            *out = 0.5 * lines.zip(&off).map(|(line, off_i)| off_i * dot(line, &off)).sum::<f64>();
        }
    }
}

impl Differentiable for Gaussian {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        assert!(x.dim() == self.dim && energy.len() == width && grad.len() == x.data().len());
        energy.fill(0.0);
        if let Some(diagonal) = &self.diagonal {
            map_columns(x.data(), grad, energy, |d, x| {
                let off = x - self.mean[d];
                let grad = diagonal[d] * off;
                (grad, 0.5 * off * grad)
            });
            return;
        }
        if let [energy] = energy {
            // One state: the same sums without the loop over states.
            vector_product(x.data(), &self.precision, grad);
            grad.iter_mut().zip(&self.pull).for_each(|(grad, pull)| *grad -= pull);
            let off = x.data().iter().zip(&self.mean).map(|(x, mean)| x - mean);
            *energy = off.zip(&*grad).fold(0.0, |sum, (off, grad)| sum + 0.5 * off * grad);
            return;
        }
        self.left.product(x.data(), grad);
        for (d, grad) in grad.chunks_exact_mut(width).enumerate() {
            for ((grad, x), energy) in grad.iter_mut().zip(x.entry(d)).zip(energy.iter_mut()) {
                *grad -= self.pull[d];
                *energy += 0.5 * (x - self.mean[d]) * *grad;
            }
        }
    }

    fn gradient_cost(&self) -> usize {
        let products = if self.diagonal.is_some() { 1 } else { self.dim };
        self.dim * (products / 2 + 5)
    }
}

impl Reference for Gaussian {
    fn log_z(&self) -> f64 {
        let factor = self.factor.l_dirty();
        let half_log_det: f64 = (0..self.dim).map(|d| ln(factor[(d, d)])).sum();
        0.5 * self.dim as f64 * ln(2.0 * PI) - half_log_det
    }

    /// `x = μ + L⁻ᵀ r`, r ~ N(0, I).
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim);
        let factor = self.factor.l_dirty();
        out.iter_mut().for_each(|x| *x = normal(rng));
        for d in (0..self.dim).rev() {
            let known: f64 = (d + 1..self.dim).map(|at| factor[(at, d)] * out[at]).sum();
            out[d] = (out[d] - known) / factor[(d, d)];
        }
        out.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x += mean);
    }
}

impl Model for Gaussian {
    fn kind(&self) -> &'static str {
        "gaussian"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Gaussian(GaussianSpec {
            dim: self.dim,
            mean: Some(self.mean.clone()),
            precision: Some(self.precision.clone()),
            covariance: None,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.is_valid().then_some(self as &dyn Reference)
    }

    fn principal_axes(&self) -> Option<PrincipalAxes> {
        Gaussian::principal_axes(self)
    }

    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        self.is_valid().then_some(self as &dyn LogZGradient)
    }

    capabilities!(Differentiable, Parametric, ScoreGradient);
}
