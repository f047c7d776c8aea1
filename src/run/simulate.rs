//! Rows drawn from the model of a spec.

use super::seed;
use unnorm_wire::spec;

/// Rows drawn from a model with hidden variables, in the place of given ones. What they were made of is
/// an exact draw of the posterior.
#[spec]
pub struct SimulateSpec {
    /// N, the number of rows.
    pub num_rows: usize,
    /// Seed of the rows, 0 to 2⁵³ − 1; that of the job if absent. Jobs with the same model and seed
    /// have the same rows.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}
