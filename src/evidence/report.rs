//! Progress and result of estimating evidence.

use crate::normalize::log_z::report::{Estimated, Interval};
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of estimating evidence.
#[report]
pub struct EvidenceProgress {
    /// The verb: "evidence".
    #[ts(type = "\"evidence\"")]
    pub verb: &'static str,
    /// Estimates of the trials that are done, in nats; those of runs back after those of runs forth.
    pub trials: Vec<f64>,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Bounds on ln p(Y) by Markov's inequality.
#[report]
#[derive(Copy)]
pub struct EvidenceBounds {
    /// Lower bound, from trials whose mean is p(Y), or of variational Bayes.
    pub lower: Option<f64>,
    /// Upper bound, from trials the mean of whose reciprocals is 1/p(Y).
    pub upper: Option<f64>,
    /// Maximum probability that a bound fails: of each, and 0 for variational Bayes.
    pub failure_probability: f64,
    /// Whether the upper bound is certified, which requires a simulated table. Otherwise it is a
    /// diagnostic and not a bound. The lower bound always is.
    pub bound_is_certified: bool,
}

/// Variables of the model behind a table.
#[report]
pub struct LatentDraw {
    /// Hidden variables, row-major: each row's cluster from 0, `[numRows]`; its factors or its
    /// attributes as zeros and ones, `[numRows, K]`.
    pub hidden: Vec<f64>,
    /// Centres of the clusters, loadings of the factors or features of the attributes, `[K, dim]`.
    pub features: Vec<f64>,
    /// The cluster of each column from 0, `[dim]`; of `clusteredLowRank` alone.
    #[ts(optional, type = "number[]")]
    pub column_clusters: Option<Vec<f64>>,
    /// Variance of the features.
    pub signal_variance: f64,
    /// Variance of the noise.
    pub noise_variance: f64,
}

/// The table that was simulated, and what it was made of.
#[report]
pub struct SimulatedTable {
    /// Its rows, one after another, `[numRows, dim]`.
    pub states: Vec<f64>,
    /// The variables that it was drawn from.
    pub truth: LatentDraw,
}

/// Trials from the posterior to the prior.
#[report]
pub struct ReverseTrials {
    /// ln p(Y) from these trials alone.
    #[serde(rename = "logZ")]
    pub log_z: Estimated,
    /// Each trial's estimate, in nats.
    pub trials: Vec<f64>,
}

/// An estimate of ln p(Y).
#[report]
pub struct EvidenceResult {
    /// ln p(Y), in nats: from all trials and, where the table is simulated, in both directions.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// Its standard error, from the spread of the trials; at least half the distance of the two
    /// directions; 0 if exact; NaN if unknown.
    pub standard_error: f64,
    /// Its confidence interval; with both directions, from the lower end forth to the upper end back.
    pub interval: Interval,
    /// How the trials are combined: those whose mean is p(Y), by their mean; those the mean of whose
    /// reciprocals is 1/p(Y), by the harmonic mean; others by their greatest, or the mean of their
    /// logs.
    #[ts(type = "\"mean\" | \"harmonicMean\" | \"greatest\" | \"meanOfLogs\" | \"exact\"")]
    pub combination: &'static str,
    /// Each trial's estimate, in nats.
    pub trials: Vec<f64>,
    /// Each trial's own standard error, where it tells: nested sampling's, from the information that the data give over the
    /// prior.
    pub trial_errors: Option<Vec<f64>>,
    /// Number of steps of each trial, where the estimator decides that; otherwise what was asked for.
    pub num_steps: Vec<f64>,
    /// Annealing back, if it was asked for.
    pub reverse: Option<ReverseTrials>,
    /// Bounds, if the estimator gives any.
    pub bounds: Option<EvidenceBounds>,
    /// The last state of one of the trials, by their weights: near a draw of the posterior if the
    /// estimate is good.
    pub draw: Option<LatentDraw>,
    /// The table, if it was simulated.
    pub simulated: Option<SimulatedTable>,
    /// What is known to be wrong with the estimate, in words.
    pub warnings: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for EvidenceResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
