//! Exact draws: the hidden units from their marginal, by enumeration of their states, then a value for
//! each site given them.

use super::CategoricalRbm;
use crate::energy::ExactDraws;
use crate::energy::enumeration::Categorical;
use crate::rng::ChainRng;
use crate::site_values::Sites;
use crate::softmax_units::{HiddenSums, SoftmaxUnits};
use crate::{Error, Result};

/// Maximum number of hidden units: a table of 2^16 states takes a second with hundreds of sites.
const MAX_UNITS: usize = 16;

/// Exact draws from the machine of all sites.
#[derive(Debug, Clone)]
pub struct HiddenDraws {
    sums: HiddenSums,
    sites: Sites,
    /// The states of all shards, in order.
    states: Categorical,
}

impl HiddenDraws {
    /// Enumerates the hidden states.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are too many.
    pub fn new(model: &CategoricalRbm) -> Result<Self> {
        let (sums, row) = (model.hidden_sums()?, model.all_sites());
        let num_hidden = model.machine.hidden_bias().len();
        if num_hidden > MAX_UNITS {
            return Err(Error::TooLarge {
                field: "model.numHidden".into(),
                problem: format!(
                    "is {num_hidden}, and exact draws are prepared by enumerating 2^(this number) states: \
                     the limit is {MAX_UNITS}"
                ),
            });
        }
        let shards = 0..sums.num_shards(1);
        let log_weights = shards.flat_map(|shard| sums.states(shard, &row).1).collect();
        Ok(Self {
            sites: model.sites.clone(),
            states: Categorical::from_log_weights(log_weights),
            sums,
        })
    }
}

impl ExactDraws for HiddenDraws {
    fn log_z(&self) -> f64 {
        self.states.log_total()
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        let shard_states = self.sums.shard_states(1);
        let drawn = self.states.draw(rng);
        let hidden = self.sums.state(drawn / shard_states, shard_states, drawn % shard_states);
        let mut activations = self.sums.activations(hidden);
        self.sites.draw(&mut activations, rng, row);
    }
}
