//! What a transition asks of a model, and how long its sweeps take.

use super::super::spec::TransitionSpec;
use crate::models::Model;
use crate::{Error, Result};

/// Refuses a model whose chains cannot move so.
///
/// # Errors
/// [`Error::MissingCapability`].
pub fn check(transition: &TransitionSpec, model: &dyn Model) -> Result<()> {
    let (has_it, capability, needed_by) = match transition {
        TransitionSpec::Gibbs {} => {
            (model.as_site_flips().is_some(), "SiteFlips", "Gibbs sampling")
        }
        TransitionSpec::BlockGibbs {} => {
            (model.as_hidden_units().is_some(), "HiddenUnits", "block Gibbs sampling")
        }
    };
    if has_it {
        return Ok(());
    }
    Err(Error::MissingCapability { model: model.kind().into(), capability, needed_by })
}

/// Estimated nanoseconds of a sweep.
pub fn sweep_cost(transition: &TransitionSpec, model: &dyn Model) -> usize {
    let num_params = model.as_parametric().map_or(0, |model| model.params().len());
    let num_hidden = model.as_hidden_units().map_or(0, |model| model.num_hidden());
    match transition {
        // Measured: a uniform number and a sigmoid a site, and for flips about an addition a
        // parameter.
        TransitionSpec::Gibbs {} => 50 * model.dim() + 2 * num_params / 3,
        // Measured: a uniform number and a sigmoid a unit, and for about half the units of each
        // side an addition a weight, where the weights are too many for the nearest cache.
        TransitionSpec::BlockGibbs {} => 10 * (model.dim() + num_hidden) + 3 * num_params / 10,
    }
}
