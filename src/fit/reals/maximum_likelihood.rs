//! Exact maximum likelihood for models on ℝᴰ whose log Z is known at all parameters:
//!
//! `−1/N Σ_x ln p(x) = 1/N Σ_x E(x) + log Z`, in nats per row,
//!
//! with the gradient `E_data[∂E] + ∂ log Z` (Sohl-Dickstein 2012, eq. 1.10). Sections 3.3 and 5.4
//! fit independent component analysis (3.6) and complete products of experts this way. Where Z is
//! not finite, neither is the objective.

use super::RowLoss;
use crate::linalg::Batch;
use crate::models::Model;
use crate::{Error, Result};

/// ℓ(x) = E(x), with c = log Z.
#[derive(Debug, Clone, Copy)]
pub struct MaximumLikelihood;

impl MaximumLikelihood {
    /// The loss for a model whose log Z is known.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if log Z is not known.
    pub fn new(model: &dyn Model) -> Result<Self> {
        if model.as_log_z_gradient().is_none() {
            return Err(Error::missing(
                model.kind(),
                "LogZGradient",
                "maximum likelihood on the reals",
            ));
        }
        Ok(Self)
    }
}

impl RowLoss for MaximumLikelihood {
    fn unit_cost(&self, model: &dyn Model) -> u64 {
        super::gradient_cost(model) + super::param_cost(model)
    }

    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        _streams: &[u64],
        weight: f64,
        part: &mut [f64],
    ) {
        let model = model.as_parametric().expect("checked when the loss was made");
        model.accumulate_states(x, weight, part);
    }

    fn accumulate_once(&self, model: &dyn Model, weight: f64, part: &mut [f64]) {
        match model.as_log_z_gradient() {
            Some(model) => {
                part[0] += weight * model.log_z();
                model.accumulate_log_z_grad(weight, &mut part[1..]);
            }
            None => part.fill(f64::NAN),
        }
    }
}
