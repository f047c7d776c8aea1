//! Fitting: objectives that measure how far a model is from data, and
//! optimizers that lower them.

pub mod contrastive_divergence;
pub mod expectation_maximization;
pub mod job;
pub mod maximum_likelihood;
pub mod mean_field;
pub mod metric;
pub mod mpf;
#[cfg(feature = "full")]
pub mod noise_contrastive;
pub mod persistent_mpf;
pub mod predictive_check;
pub mod pseudolikelihood;
pub mod real_chains;
pub mod reals;
pub mod regularizer;
pub mod step_size;
pub mod stochastic;
pub mod sum;

pub use job::report::{FitProgress, FitResult, LayerFit};
#[cfg(feature = "full")]
pub use job::report::{LogZEstimate, ParameterErrors, ParameterEstimate};
pub use job::spec::{
    AdamSpec, CoordinatesSpec, FitSpec, InitSpec, LbfgsSpec, ObjectiveSpec, OptimizerSpec, SgdSpec,
};
#[cfg(feature = "full")]
pub use job::spec::{BootstrapSpec, ErrorsSpec};

use crate::bits::WeightedRows;
use crate::data::check_dim;
use crate::models::Model;
use crate::models::ising::MAX_DIM;
use crate::{Error, Result};

/// Refuses a model that is not binary, has no parameters or not the data's dimension, or is one of
/// the large lattices, for which objectives have no limits.
pub(crate) fn check_binary(
    model: &dyn Model,
    data: &WeightedRows,
    needed_by: &'static str,
) -> Result<()> {
    let missing = |capability| Error::missing(model.kind(), capability, needed_by);
    if model.as_site_flips().is_none() && model.as_sites().is_none() {
        return Err(missing("SiteFlips"));
    }
    if model.as_parametric().is_none() {
        return Err(missing("Parametric"));
    }
    if model.as_ising().is_some() && model.dim() > MAX_DIM {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!(
                "is {}, and Ising models are fitted up to {MAX_DIM} sites; use fewer sites",
                model.dim()
            ),
        });
    }
    check_dim(model, data)
}
