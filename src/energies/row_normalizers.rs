//! log Z of models that have one for each kind of row: on which sites have values, or on the number of
//! words.

use crate::linalg::Batch;
use crate::models::Model;
use crate::models::softmax_units::{HiddenSums, Multiplicities};
use crate::{Error, Result};

/// Maximum number of sums of all shards together: 32 MB.
const MAX_SUMS: usize = 1 << 22;

/// Sums over hidden states, for each kind of row.
pub struct RowNormalizers {
    sums: HiddenSums,
    kinds: Vec<Multiplicities>,
    /// The kind of each row.
    kind_of: Vec<usize>,
}

impl RowNormalizers {
    /// Finds the kinds among rows.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if all states of the model have one log Z;
    /// [`Error::InvalidSpec`] if the states are no rows of the model; [`Error::TooLarge`] if there
    /// are too many hidden units or kinds.
    pub fn new(model: &dyn Model, rows: Batch<'_>) -> Result<Self> {
        let Some(softmax) = model.as_softmax_units() else {
            let needed_by = "log probabilities by `energies` (its states have one log Z: subtract that of \
                             `exact`)";
            return Err(Error::missing(model.kind(), "a log Z of each state", needed_by));
        };
        let mut kinds: Vec<Multiplicities> = Vec::new();
        let mut found = std::collections::BTreeMap::new();
        let mut kind_of = Vec::with_capacity(rows.len());
        for (index, row) in rows.states().enumerate() {
            let kind = softmax.multiplicities(row).map_err(|rule| {
                Error::spec(
                    "states",
                    format!("has row {index}, which is none of this model: {rule}"),
                )
            })?;
            let key: Vec<u64> = kind.groups.iter().map(|count| count.to_bits()).collect();
            kind_of.push(*found.entry(key).or_insert_with(|| {
                kinds.push(kind);
                kinds.len() - 1
            }));
        }
        let sums = softmax.hidden_sums()?;
        let count = sums.num_shards(kinds.len()).saturating_mul(kinds.len());
        if count > MAX_SUMS {
            return Err(Error::TooLarge {
                field: "logProbabilities".into(),
                problem: format!(
                    "takes {count} sums for {} kinds of states, and the limit is {MAX_SUMS}; give fewer \
                     states at a time, or use fewer hidden units",
                    kinds.len()
                ),
            });
        }
        Ok(Self { sums, kinds, kind_of })
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.sums.num_shards(self.kinds.len())
    }

    /// The sums of a shard.
    pub fn shard(&self, shard: usize) -> Vec<f64> {
        self.sums.shard(shard, &self.kinds)
    }

    /// log Z of each row, from the sums of all shards.
    pub fn log_z<'a>(&'a self, sums: &[Vec<f64>]) -> impl Iterator<Item = f64> + 'a {
        let log_z = HiddenSums::combine(sums, self.kinds.len());
        self.kind_of.iter().map(move |kind| log_z[*kind])
    }
}
