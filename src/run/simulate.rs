//! Rows drawn from the model of a spec.

use super::seed;
use serde::{Deserialize, Serialize};

/// Rows drawn from a model with hidden variables, in the place of given ones. What they were made of is
/// an exact draw of the posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimulateSpec {
    /// N, the number of rows.
    pub num_rows: usize,
    /// Seed of the rows, 0 to 2⁵³ − 1; that of the job if absent. Jobs with the same model and seed
    /// have the same rows.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub seed: Option<u64>,
}
