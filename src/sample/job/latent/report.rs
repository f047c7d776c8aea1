//! The result of sampling the hidden variables of a table.

use crate::diagnostics::Summary;
use crate::exact::job::report::Reconstruction;
use unnorm_wire::report;

/// Draws of the posterior of a table's hidden variables, with diagnostics.
#[report]
pub struct LatentResult {
    /// The draws.
    pub draws: LatentDraws,
    /// Summaries of quantities that do not depend on the names of clusters, factors or attributes.
    pub summary: LatentSummaries,
    /// How often two rows share a cluster, of all draws, `[numRows, numRows]`; absent without
    /// clusters, and with more than 1,024 rows.
    pub same_cluster: Option<Vec<f64>>,
    /// The rows as the model has them, without noise: hidden variables times features.
    pub reconstruction: Reconstruction,
    /// Warnings about the result, as sentences; empty if there are none.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Draws of hidden variables, features and variances given a table. The names of clusters, factors and
/// attributes, and the signs of factors, mean nothing: they may change from draw to draw.
#[report]
pub struct LatentDraws {
    /// Number of rows of the table.
    pub num_rows: usize,
    /// D, the number of columns.
    pub dim: usize,
    /// K, the number of clusters, factors or attributes.
    pub order: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Number of draws from each chain.
    pub num_draws: usize,
    /// Hidden variables: each row's cluster from 0, `[numDraws, numChains, numRows]`; its factors or
    /// its attributes as zeros and ones, `[numDraws, numChains, numRows, K]`.
    pub hidden: Vec<f64>,
    /// Centres of the clusters, loadings of the factors or features of the attributes,
    /// `[numDraws, numChains, K, dim]`.
    pub features: Vec<f64>,
    /// Variance s² of the features, `[numDraws, numChains]`.
    pub signal_variance: Vec<f64>,
    /// Variance σ² of the noise, `[numDraws, numChains]`.
    pub noise_variance: Vec<f64>,
    /// ln p(z, features, s², σ², Y), in nats, `[numDraws, numChains]`; only the shares of clusters or
    /// attributes are integrated out.
    pub log_joint: Vec<f64>,
    /// ln p(Y | z, features, σ²), in nats, `[numDraws, numChains]`.
    pub log_likelihood: Vec<f64>,
    /// Number of clusters that have a row, or of attributes that a row has, `[numDraws, numChains]`;
    /// absent for factors.
    pub num_in_use: Option<Vec<f64>>,
}

/// Summaries over all draws.
#[report]
pub struct LatentSummaries {
    /// Of the log joint density.
    pub log_joint: Summary,
    /// Of the log likelihood.
    pub log_likelihood: Summary,
    /// Of the number of clusters or attributes in use; absent for factors.
    pub num_in_use: Option<Summary>,
    /// Of the variance of the features, if it is sampled.
    pub signal_variance: Option<Summary>,
    /// Of the variance of the noise, if it is sampled.
    pub noise_variance: Option<Summary>,
}
