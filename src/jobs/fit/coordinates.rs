//! The coordinates of a fit, from its spec.

use super::super::spec::CoordinatesSpec;
use crate::Result;
use crate::bits::{BitMatrix, WeightedRows};
use crate::fit::coordinates::{Coordinates, Identity};
use crate::fit::metric::{Metric, Whitened};
use crate::models::Model;

/// The coordinates of a fit that starts from these parameters. They depend on
/// the spec and the data alone, so whoever resumes makes the same.
///
/// # Errors
/// Those of [`Metric::new`].
pub fn create(
    spec: &CoordinatesSpec,
    model: &dyn Model,
    start: &[f64],
    data: &BitMatrix,
) -> Result<Box<dyn Coordinates>> {
    let rows = || WeightedRows::from_data(data.as_batch());
    Ok(match spec {
        CoordinatesSpec::Model {} => model.coordinates(&rows()),
        CoordinatesSpec::Params {} => Box::new(Identity { num_params: start.len() }),
        CoordinatesSpec::Metric { metric, form, damping } => {
            let mut model = model.boxed_clone();
            if let Some(model) = model.as_parametric_mut() {
                model.set_params(start);
            }
            let metric = Metric::new(&*model, &rows(), *metric, *form)?;
            Box::new(Whitened::new(&metric, *damping))
        }
    })
}
