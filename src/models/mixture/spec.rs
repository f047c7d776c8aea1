//! The spec of the mixture, and its checks.

use super::{Component, Mixture, Precision};
use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::checks::check_positive;
use crate::gaussian::{check_symmetric, factorize};
use crate::linalg::LeftFactor;
use crate::math::ln;
use crate::{Error, Result};
use std::f64::consts::PI;
use std::sync::Arc;
use unnorm_wire::spec;

/// Maximum dimension D: the factorization of a covariance cannot be interrupted.
pub const MAX_DIM: usize = 1024;

/// Maximum number of components K.
pub const MAX_COMPONENTS: usize = 1024;

/// Maximum number of entries of all covariances.
pub const MAX_ENTRIES: usize = 1 << 22;

/// The form of a mixture's covariances.
#[spec]
#[derive(Copy, Eq, Default)]
pub enum CovarianceKind {
    /// One variance for all directions.
    #[default]
    Isotropic,
    /// A variance for each entry, `[dim]`.
    Diagonal,
    /// A matrix, row-major `[dim, dim]`, symmetric and positive definite.
    Full,
}

impl CovarianceKind {
    fn len(self, dim: usize) -> usize {
        match self {
            Self::Isotropic => 1,
            Self::Diagonal => dim,
            Self::Full => dim * dim,
        }
    }
}

/// The spec of the mixture of Gaussians. K is the number of means.
#[spec]
pub struct MixtureSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// Weights w, `[K]`, each greater than 0; only their ratios matter. Equal if absent.
    pub weights: Option<Vec<f64>>,
    /// Means μ, row-major `[K, dim]`.
    pub means: Vec<f64>,
    /// The form of `covariances`; `isotropic` if absent.
    #[serde(default)]
    pub covariance_kind: CovarianceKind,
    /// One covariance for all components, or K of them, one after another; each a variance, a
    /// diagonal or a matrix, depending on `covarianceKind`. One unit covariance if absent.
    pub covariances: Option<Vec<f64>>,
}

impl MixtureSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Mixture> {
        let dim = self.dim;
        check_count("model.dim", dim, 1, MAX_DIM, "dimensions")?;
        let count = self.means.len() / dim;
        if count == 0 || self.means.len() != count * dim {
            let problem = format!("has {} entries; give {dim} a component", self.means.len());
            return Err(Error::spec("model.means", problem));
        }
        check_count("model.means", count, 1, MAX_COMPONENTS, "components")?;
        check_numbers("model.means", &self.means, count * dim)?;
        let mut spec = self.clone();
        let weights = spec.weights.get_or_insert_with(|| vec![1.0; count]);
        check_numbers("model.weights", weights, count)?;
        for (k, &weight) in weights.iter().enumerate() {
            check_positive(&format!("model.weights[{k}]"), weight)?;
        }
        let total: f64 = weights.iter().sum();
        check_positive("the sum of model.weights", total)?;
        let kind = self.covariance_kind;
        let covariances = spec.covariances.get_or_insert_with(|| match kind {
            CovarianceKind::Full => crate::filters::identity(dim),
            _ => vec![1.0; kind.len(dim)],
        });
        let precisions = precisions(kind, covariances, dim, count)?;
        let normal = -0.5 * dim as f64 * ln(2.0 * PI);
        let mut components = Vec::with_capacity(count);
        for (k, mean) in self.means.chunks_exact(dim).enumerate() {
            let precision = precisions[k % precisions.len()].clone();
            components.push(Component {
                log_peak: ln(weights[k] / total) + normal + precision.half_log_det(dim),
                weight: weights[k] / total,
                pull: precision.times(mean),
                mean: mean.to_vec(),
                precision,
            });
        }
        Ok(Mixture { spec, components })
    }

    /// Small models for the laws: every form of covariance, shared or not.
    pub fn examples() -> Vec<Self> {
        use CovarianceKind::{Diagonal, Full, Isotropic};
        let make =
            |dim, weights: &[f64], means: &[f64], covariance_kind, covariances: &[f64]| Self {
                dim,
                weights: Some(weights.to_vec()),
                means: means.to_vec(),
                covariance_kind,
                covariances: Some(covariances.to_vec()),
            };
        vec![
            Self {
                dim: 1,
                weights: None,
                means: vec![-2.0, 2.0],
                covariance_kind: Isotropic,
                covariances: None,
            },
            make(2, &[1.0, 3.0], &[0.0, 1.0, -2.0, 0.5], Isotropic, &[0.5, 2.0]),
            make(2, &[0.2, 0.3, 0.5], &[0.0, 1.0, -2.0, 0.5, 3.0, 0.0], Diagonal, &[0.5, 2.0]),
            make(2, &[1.0, 1.0], &[1.0, 1.0, -1.0, 0.0], Diagonal, &[0.5, 2.0, 3.0, 0.25]),
            make(2, &[1.0, 2.0], &[1.0, 1.0, -1.0, 0.0], Full, &[1.0, 0.8, 0.8, 1.0]),
            make(
                3,
                &[2.0, 1.0],
                &[1.0, 0.0, -1.0, -1.0, 0.5, 1.0],
                Full,
                &[
                    1.0, 0.5, 0.0, 0.5, 2.0, 0.25, 0.0, 0.25, 0.5, //
                    3.0, -0.5, 0.2, -0.5, 1.0, 0.1, 0.2, 0.1, 1.0,
                ],
            ),
        ]
    }
}

/// Checks the covariances, and inverts them.
fn precisions(
    kind: CovarianceKind,
    covariances: &[f64],
    dim: usize,
    count: usize,
) -> Result<Vec<Arc<Precision>>> {
    let field = "model.covariances";
    let len = kind.len(dim);
    if covariances.len() > MAX_ENTRIES {
        return Err(Error::TooLarge {
            field: field.into(),
            problem: format!(
                "has {} entries, and the limit is {MAX_ENTRIES}; share one covariance, or use \
                 fewer dimensions",
                covariances.len()
            ),
        });
    }
    if covariances.len() != len && covariances.len() != count * len {
        return Err(Error::spec(
            field,
            format!(
                "has {} entries; give {len} for one covariance that all components share, or {} \
                 for one each",
                covariances.len(),
                count * len
            ),
        ));
    }
    check_numbers(field, covariances, covariances.len())?;
    if kind != CovarianceKind::Full {
        for (at, &variance) in covariances.iter().enumerate() {
            check_positive(&format!("{field}[{at}]"), variance)?;
        }
    }
    let build = |covariance: &[f64]| match kind {
        CovarianceKind::Isotropic => Ok(Precision::Diagonal(vec![1.0 / covariance[0]; dim])),
        CovarianceKind::Diagonal => {
            Ok(Precision::Diagonal(covariance.iter().map(|variance| 1.0 / variance).collect()))
        }
        CovarianceKind::Full => {
            check_symmetric(field, covariance, dim)?;
            let factor = factorize(field, covariance, dim)?;
            let inverse = factor.inverse();
            // Symmetric to the last bit.
            let matrix = ((&inverse + inverse.transpose()) * 0.5).as_slice().to_vec();
            let lower = factor.l();
            let root = (0..dim * dim).map(|at| lower[(at / dim, at % dim)]).collect();
            let left = LeftFactor::new(dim, dim, &matrix);
            Ok(Precision::Full { matrix, left, root })
        }
    };
    covariances.chunks_exact(len).map(|covariance| build(covariance).map(Arc::new)).collect()
}
