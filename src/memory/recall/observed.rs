//! Recall of what is not observed.

use crate::Result;
use crate::memory::report::{Attractors, RecallPaths, RecallResult};
use crate::memory::spec::{RecallSpec, ising_of};
use crate::models::ModelSpec;
use crate::models::conditional::{Conditional, Entries, ObservedSpec};
use crate::run::observed::{Observing, digest};
use crate::sample::job::report::Draws;

impl Observing for RecallSpec {
    fn observed(&self) -> Option<(&ModelSpec, &ObservedSpec)> {
        Some((&self.model, self.observed.as_ref()?))
    }

    fn on_free(&self, given: &Conditional) -> Result<Self> {
        ising_of(&self.model)?;
        Ok(Self { model: given.model.clone(), observed: None, ..self.clone() })
    }

    fn whole_output(given: &Conditional, result: RecallResult) -> RecallResult {
        let Conditional { entries, constant, .. } = given;
        let raised = |energies: Vec<f64>| energies.iter().map(|energy| energy + constant).collect();
        RecallResult {
            starts: whole(entries, result.starts),
            states: whole(entries, result.states),
            energies: raised(result.energies),
            attractors: Attractors {
                states: whole(entries, result.attractors.states),
                ..result.attractors
            },
            paths: result.paths.map(|paths| RecallPaths {
                sites: paths.sites.iter().map(|at| entries.free()[*at as usize] as f64).collect(),
                energies: raised(paths.energies),
                ..paths
            }),
            digest: digest(given, &result.digest),
            ..result
        }
    }
}

fn whole(entries: &Entries, rows: Draws) -> Draws {
    Draws { dim: entries.dim(), num_rows: rows.num_rows, bits: entries.extend_bits(&rows.bits) }
}
