//! Exact score matching, for models on ℝᴰ with a cheap Laplacian:
//!
//! `1/N Σ_x [½ |∇E(x)|² − ∇²E(x)]`
//!
//! (Hyvärinen 2005; Sohl-Dickstein 2012, eq. 2.17). Up to a constant of the data this is half the
//! mean square distance of the model's score −∇E from that of the data's density. Its gradient is
//! `∇E·∂∇E − ∂∇²E`, ∂ in θ.

use super::{RowLoss, energies_and_gradients};
use crate::linalg::{Batch, dot};
use crate::models::Model;
use crate::{Error, Result};

/// ℓ(x) = ½ |∇E(x)|² − ∇²E(x).
#[derive(Debug, Clone, Copy)]
pub struct ScoreMatching;

impl ScoreMatching {
    /// The loss for a model whose Laplacian is cheap.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model cannot compute how its gradients change with θ;
    /// [`Error::InvalidSpec`] if it can, but its Laplacian is expensive.
    pub fn new(model: &dyn Model) -> Result<Self> {
        let score = super::score_gradient(model, "score matching")?;
        let state = vec![0.0; model.dim()];
        let mut part = vec![0.0; 1 + score.params().len()];
        if !score.accumulate_laplacian(Batch::new(model.dim(), &state), &[0.0], &mut part) {
            return Err(Error::spec(
                "objective.numSlices",
                format!(
                    "is missing, and a model of kind {} does not know ∇²E cheaply; say how many \
                     directions a row to take",
                    model.kind()
                ),
            ));
        }
        Ok(Self)
    }
}

impl RowLoss for ScoreMatching {
    fn unit_cost(&self, model: &dyn Model) -> u64 {
        2 * super::gradient_cost(model) + 2 * super::param_cost(model)
    }

    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        _streams: &[u64],
        weight: f64,
        part: &mut [f64],
    ) {
        let score = model.as_score_gradient().expect("checked when the loss was made");
        if score.accumulate_score_matching(x, weight, part) {
            return;
        }
        let (_, grads) = energies_and_gradients(model, x);
        part[0] += 0.5 * weight * dot(&grads, &grads);
        let directions = Batch::new(x.dim(), &grads);
        score.accumulate_score_grad(x, directions, &vec![weight; x.len()], &mut part[1..]);
        score.accumulate_laplacian(x, &vec![-weight; x.len()], part);
    }
}
