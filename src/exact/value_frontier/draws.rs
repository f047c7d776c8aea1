//! Exact draws of sparsely coupled Potts models: the sites are drawn in the reverse of their elimination
//! order, each given the sites of its frontier.

use super::{Step, ValueFrontier, ValuePass};
use crate::energy::ExactDraws;
use crate::models::potts::Potts;
use crate::models::site_values::{Sites, Value};
use crate::rng::{ChainRng, uniform};
use crate::{Error, Result};

/// Exact draws from the tables of an elimination.
#[derive(Debug, Clone)]
pub struct ValueFrontierDraws {
    log_z: f64,
    sites: Sites,
    /// The steps, last eliminated first, each with p(x_v | x_S), `[entries, q_v]`.
    steps: Vec<(Step, Vec<f64>)>,
}

impl ValueFrontierDraws {
    /// Maximum number of terms of all tables. These are kept, 8 bytes each: 128 MiB.
    pub const MAX_TERMS: usize = 1 << 24;

    /// Sums out the sites and keeps the tables.
    ///
    /// # Errors
    /// Those of [`ValueFrontier::new`]; [`Error::TooLarge`] if the tables exceed [`Self::MAX_TERMS`].
    pub fn new(model: &Potts) -> Result<Self> {
        let frontier = ValueFrontier::new(model)?;
        if frontier.num_terms() > Self::MAX_TERMS {
            let problem = format!(
                "is coupled so that exact draws need tables of {} numbers: the limit is {}; couple fewer pairs",
                frontier.num_terms(),
                Self::MAX_TERMS
            );
            return Err(Error::TooLarge { field: "model".into(), problem });
        }
        let mut pass = ValuePass::keeping_chances();
        while !pass.advance(&frontier, usize::MAX) {}
        let log_z = pass.exact().log_z;
        let steps = frontier.steps.into_iter().zip(pass.into_chances()).rev().collect();
        Ok(Self { log_z, sites: model.sites().clone(), steps })
    }
}

impl ExactDraws for ValueFrontierDraws {
    fn log_z(&self) -> f64 {
        self.log_z
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        let mut values: Vec<Value> = vec![0; self.sites.count()];
        for (step, chances) in &self.steps {
            let scope = step.scope.iter().zip(&step.counts).rev();
            let entry =
                scope.fold(0, |entry, (site, count)| entry * count + usize::from(values[*site]));
            let width = step.fields.len();
            let chances = &chances[entry * width..(entry + 1) * width];
            let mut left = uniform(rng);
            let drawn = chances.iter().position(|chance| {
                left -= chance;
                left < 0.0
            });
            // Rounding may leave the sum of the chances below 1.
            values[step.site] = drawn.unwrap_or(width - 1) as Value;
        }
        self.sites.write(&values, row);
    }
}
