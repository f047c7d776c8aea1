//! The Gaussian given some of its entries (Bishop 2006, section 2.3.1): Λ_UU stays the precision, and with
//! `δ = x_C − μ_C`
//!
//! `μ_U|C = μ_U − Λ_UU⁻¹ Λ_UC δ`,
//! `E(x_U, x_C) = ½ (x_U − μ_U|C)ᵀ Λ_UU (x_U − μ_U|C) + ½ (δᵀ Λ_CC δ − (Λ_UC δ)ᵀ Λ_UU⁻¹ Λ_UC δ)`.

use super::Entries;
use crate::energy::Energy;
use crate::gaussian::{Gaussian, GaussianSpec};
use crate::{Error, Result};
use nalgebra::{Cholesky, DMatrix, DVector};

pub(super) fn given(model: &Gaussian, entries: &Entries) -> Result<(GaussianSpec, f64)> {
    let (dim, free, mean) = (model.dim(), entries.free(), model.mean());
    let precision = model.precision();
    let mut deviation = vec![0.0; dim];
    entries.observed().for_each(|(site, value)| deviation[site] = value - mean[site]);
    let pull = |site: &usize| -> f64 {
        entries.observed().map(|(at, _)| precision[site * dim + at] * deviation[at]).sum()
    };
    let pulls = DVector::from_iterator(free.len(), free.iter().map(pull));
    let block = DMatrix::from_fn(free.len(), free.len(), |i, j| precision[free[i] * dim + free[j]]);
    let factor = Cholesky::new(block.clone()).ok_or_else(|| {
        let problem = "leave a precision that is not positive definite to machine precision";
        Error::spec("observed.sites", problem)
    })?;
    let shift = factor.solve(&pulls);
    let own: f64 = entries.observed().map(|(site, _)| deviation[site] * pull(&site)).sum();
    let spec = GaussianSpec {
        dim: free.len(),
        mean: Some(free.iter().zip(&shift).map(|(&site, shift)| mean[site] - shift).collect()),
        precision: Some(block.as_slice().to_vec()),
        covariance: None,
    };
    Ok((spec, 0.5 * (own - pulls.dot(&shift))))
}
