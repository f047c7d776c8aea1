//! The evidence of small tables without error.

use super::{Outcome, Trial};
use crate::math::log_sum_exp;
use crate::models::latent::exact::{MAX_SAMPLED_STATES, MAX_STATES, NotExact, TableSum};
use crate::models::latent::{Table, TableModel};
use crate::{Error, Result};
use std::sync::Arc;

/// The sum over all hidden states, by pieces.
pub struct Exact {
    sum: Arc<TableSum>,
    /// The next hidden state.
    next: usize,
    log_terms: Vec<f64>,
}

impl Exact {
    /// The computation of a sum.
    pub fn new(sum: Arc<TableSum>) -> Self {
        Self { sum, next: 0, log_terms: Vec::new() }
    }

    /// The sum for a table.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`] for `estimator` if there is no exact method.
    pub fn sum(model: &dyn TableModel, table: Arc<Table>) -> Result<TableSum> {
        TableSum::new(model, table).map_err(|not_exact| match not_exact {
            NotExact::NoMethod => {
                let problem = "of `lowRank` is there for tables of one row or one column, of `clusteredLowRank` for \
                               those of one column; take { kind: 'annealing' }";
                Error::spec("estimator", problem)
            }
            NotExact::TooManyStates => Error::TooLarge {
                field: "estimator".into(),
                problem: format!(
                    "enumerates the hidden states, at most {MAX_STATES}, and {MAX_SAMPLED_STATES} with \
                     sampled variances; take fewer rows or {{ kind: 'annealing' }}"
                ),
            },
        })
    }
}

impl Trial for Exact {
    fn advance(&mut self) -> Option<Outcome> {
        let until = self.sum.num_states().min(self.next + self.sum.states_per_block());
        self.log_terms.push(self.sum.log_share(self.next..until));
        self.next = until;
        (self.next == self.sum.num_states()).then(|| Outcome::of(log_sum_exp(&self.log_terms)))
    }
}
