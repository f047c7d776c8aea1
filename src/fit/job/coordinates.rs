//! The coordinates of a fit, from its spec.

use super::rows::Distinct;
use crate::energy::coordinates::{Coordinates, Identity};
use crate::fit::job::spec::CoordinatesSpec;
use crate::fit::metric::{Metric, Whitened};
use crate::models::Model;
use crate::{Error, FULL, Result, not_in_core};

/// The coordinates of a fit that starts from these parameters. They depend on the spec and the data
/// alone, so a resumed fit makes the same ones.
///
/// # Errors
/// The errors of [`Metric::new`]; [`Error::InvalidSpec`] if a metric is asked for a model on ℝᴰ.
pub fn create(
    spec: &CoordinatesSpec,
    model: &dyn Model,
    start: &[f64],
    distinct: &Distinct<'_>,
) -> Result<Box<dyn Coordinates>> {
    let identity = || Box::new(Identity { num_params: start.len() });
    Ok(match spec {
        CoordinatesSpec::Params {} => identity(),
        CoordinatesSpec::Model {} => match distinct.bits() {
            Some(rows) => model.coordinates(rows),
            None => identity(),
        },
        CoordinatesSpec::Metric { .. } if !FULL => {
            return Err(not_in_core("optimizer.coordinates.kind"));
        }
        CoordinatesSpec::Metric { metric, form, damping } => {
            let Some(rows) = distinct.bits() else {
                return Err(Error::spec(
                    "optimizer.coordinates.kind",
                    "is metric, which only binary models have; use params",
                ));
            };
            let mut model = model.boxed_clone();
            if let Some(model) = model.as_parametric_mut() {
                model.set_params(start);
            }
            let metric = Metric::new(&*model, rows, *metric, *form)?;
            Box::new(Whitened::new(&metric, *damping))
        }
    })
}
