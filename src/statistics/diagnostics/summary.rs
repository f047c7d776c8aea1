//! The usual summary of one quantity.

use super::draws::Draws;
use super::ess::{ess_bulk, ess_tail};
use super::mcse::{mcse_mean, mcse_sd};
use super::moments::{mean, variance};
use super::rhat::rhat;
use serde::Deserialize;
use unnorm_wire::report;

/// Summary of the draws of one scalar quantity and its precision: the columns of ArviZ's `summary`
/// without intervals. Mean, standard deviation and their errors are in units of the quantity, the
/// others are dimensionless.
#[report]
#[derive(Copy, Deserialize)]
pub struct Summary {
    /// Mean of all draws.
    pub mean: f64,
    /// Standard deviation of all draws, with S − 1.
    pub sd: f64,
    /// Monte Carlo standard error of the mean, [`mcse_mean`].
    pub mcse_mean: f64,
    /// Monte Carlo standard error of the standard deviation, [`mcse_sd`].
    pub mcse_sd: f64,
    /// Effective sample size of the bulk, [`ess_bulk`].
    pub ess_bulk: f64,
    /// Effective sample size of the tails, [`ess_tail`].
    pub ess_tail: f64,
    /// Rank-normalized split R̂, [`rhat`].
    pub rhat: f64,
}

impl Summary {
    /// The summary of these draws.
    pub fn of(draws: Draws<'_>) -> Self {
        Self {
            mean: mean(draws.values()),
            sd: variance(draws.values()).sqrt(),
            mcse_mean: mcse_mean(draws),
            mcse_sd: mcse_sd(draws),
            ess_bulk: ess_bulk(draws),
            ess_tail: ess_tail(draws),
            rhat: rhat(draws),
        }
    }
}
