//! Progress and result of memorizing, for every kind of learning.

use super::setup::Setup;
use crate::digest::Digest;
use crate::memory::Network;
use crate::memory::report::{MemorizeProgress, MemorizeResult};
use crate::memory::storage::Storage;
use crate::models::ModelSpec;

/// Counts that every kind of learning keeps.
pub struct Counts {
    pub num_epochs: u64,
    pub num_updates: u64,
    /// The objective; NaN if there is none.
    pub objective: f64,
}

/// Progress of learning.
pub fn progress(
    setup: &Setup,
    counts: &Counts,
    storage: Option<&Storage>,
    fraction: f64,
    done: bool,
) -> MemorizeProgress {
    MemorizeProgress {
        verb: "memorize",
        num_epochs: counts.num_epochs as usize,
        num_updates: counts.num_updates as usize,
        objective: counts.objective,
        num_stored: storage.map_or(0, Storage::num_stored),
        num_patterns: setup.training.patterns().num_rows(),
        fraction,
        done,
        num_bytes: setup.num_bytes,
    }
}

/// The result, with the reason why learning ended.
pub fn result(
    setup: &Setup,
    counts: &Counts,
    network: &Network,
    storage: &Storage,
    stop_reason: String,
) -> MemorizeResult {
    let params = network.ising_params();
    // The bits of a NaN are not specified.
    let plain = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }).collect()
    };
    let margins = plain(&storage.margins);
    let num_wrong: Vec<f64> = storage.num_wrong.iter().map(|count| *count as f64).collect();
    let digest = Digest::new()
        .f64s("params", &params)
        .f64s("margins", &margins)
        .f64s("numWrong", &num_wrong)
        .f64s("objective", &plain(&[counts.objective]))
        .u64("numEpochs", counts.num_epochs)
        .u64("numUpdates", counts.num_updates)
        .hex();
    let ising = crate::models::ising::IsingSpec {
        dim: network.dim(),
        params: Some(params),
        ..Default::default()
    };
    MemorizeResult {
        model: ModelSpec::Ising(ising),
        stored: storage.num_wrong.iter().map(|count| u8::from(*count == 0)).collect(),
        num_stored: storage.num_stored(),
        margins,
        num_wrong,
        objective: counts.objective,
        num_epochs: counts.num_epochs as usize,
        num_updates: counts.num_updates as usize,
        converged: setup.is_met(storage),
        stop_reason,
        num_bytes: setup.num_bytes,
        seed: setup.seed,
        digest,
    }
}

/// The reason for learning that stopped because the patterns are stored.
pub fn storage_goal(setup: &Setup) -> String {
    if setup.margin > 0.0 {
        format!(
            "every pattern is a strict local minimum, at least {} nats below its neighbours",
            setup.margin
        )
    } else {
        "every pattern is a fixed point".into()
    }
}

/// Makes "k of m patterns are fixed points".
pub fn stored_so_far(storage: &Storage) -> String {
    format!("{} of {} patterns are fixed points", storage.num_stored(), storage.num_wrong.len())
}
