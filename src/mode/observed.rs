//! The most probable state given a part of it.

use super::report::ModeResult;
use super::spec::ModeSpec;
use crate::Result;
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, ObservedSpec};
use crate::run::observed::{Observing, digest};
use crate::sample::job::report::Draws;

impl Observing for ModeSpec {
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)> {
        Some((&self.model, self.observed.as_ref()?))
    }

    fn on_free(&self, given: &Conditional) -> Result<Self> {
        Ok(Self { model: given.model.clone(), observed: None })
    }

    fn whole_output(given: &Conditional, result: ModeResult) -> ModeResult {
        let Conditional { entries, constant, .. } = given;
        ModeResult {
            state: Draws {
                dim: entries.dim(),
                num_rows: 1,
                bits: entries.extend_bits(&result.state.bits),
            },
            energy: result.energy + constant,
            digest: digest(given, &result.digest),
            ..result
        }
    }
}
