//! Progress and result of exact computation.

use crate::exact::mpf_bound::MpfBound;
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of exact computation.
#[report]
pub struct ExactProgress {
    /// The verb: "exact".
    #[ts(type = "\"exact\"")]
    pub verb: &'static str,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Exact quantities of a model.
#[report]
pub struct ExactResult {
    /// The method: `enumeration` of all states; of a restricted Boltzmann machine's `smallerSide`,
    /// or its `hiddenStates` where visible units have several values;
    /// `kaufman`, the formula for a uniform torus; `frontier`, summing out one site after another;
    /// `closedForm`, on ℝᴰ; `quadrature`, of a table under `lowRank`.
    #[ts(
        type = "\"enumeration\" | \"smallerSide\" | \"hiddenStates\" | \"kaufman\" | \"frontier\" | \"closedForm\" | \"quadrature\""
    )]
    pub method: &'static str,
    /// log Z, in nats.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// `E[x_i x_j]`, row-major `[dim, dim]`: by enumeration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<Vec<f64>>,
    /// `E[E(x)]`, in nats: by enumeration, Kaufman's formula or a frontier.
    pub mean_energy: Option<f64>,
    /// Entropy, in nats: by the same methods as the mean energy.
    pub entropy: Option<f64>,
    /// With data: their mean log likelihood, in nats per row.
    pub log_likelihood: Option<f64>,
    /// With data and a connectivity: a lower bound on that log likelihood.
    pub mpf_bound: Option<MpfBound>,
    /// Moments of the posterior of a table's hidden variables, for the models that have these; log Z is
    /// then ln p(Y).
    #[cfg(feature = "full")]
    pub table: Option<TablePosterior>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Moments of the posterior of a table's hidden variables, features and variances. They do not depend on
/// the names of clusters, factors or attributes.
#[report]
pub struct TablePosterior {
    /// The probability that two rows share a cluster, `[numRows, numRows]`; absent without clusters,
    /// and with more than 1,024 rows.
    pub same_cluster: Option<Vec<f64>>,
    /// The rows as the model has them, without noise: hidden variables times features.
    pub reconstruction: Reconstruction,
    /// Mean of the variance s² of the features.
    pub signal_variance: f64,
    /// Mean of the variance σ² of the noise.
    pub noise_variance: f64,
    /// The expected number of clusters that have a row, or of attributes that a row has; absent for
    /// factors.
    pub num_in_use: Option<f64>,
}

/// Hidden variables times features, `[numRows, dim]`, under a posterior.
#[report]
pub struct Reconstruction {
    /// Posterior means.
    pub mean: Vec<f64>,
    /// Posterior standard deviations.
    pub sd: Vec<f64>,
}

impl Outcome for ExactResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
