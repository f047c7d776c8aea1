//! Exact quantities of a model given a part of its state.

use super::report::ExactResult;
use super::spec::ExactSpec;
use crate::Result;
use crate::bits::BitMatrix;
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, ObservedSpec};
use crate::run::observed::{Observing, digest};

impl Observing for ExactSpec {
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)> {
        Some((&self.model, self.observed.as_ref()?))
    }

    fn on_free(&self, given: &Conditional) -> Result<Self> {
        Ok(Self { model: given.model.clone(), observed: None, ..self.clone() })
    }

    fn free_rows(given: &Conditional, rows: &BitMatrix) -> Result<BitMatrix> {
        let free = given.entries.restrict_rows(rows)?;
        given.entries.check_rows(rows)?;
        Ok(free)
    }

    fn whole_output(given: &Conditional, result: ExactResult) -> ExactResult {
        ExactResult {
            log_z: result.log_z - given.constant,
            moments: result.moments.map(|moments| given.entries.extend_moments(&moments, false)),
            mean_energy: result.mean_energy.map(|energy| energy + given.constant),
            digest: digest(given, &result.digest),
            ..result
        }
    }
}
