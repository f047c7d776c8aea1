//! Progress and result of `network`.

use crate::models::ModelSpec;
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of a sparse network.
#[report]
pub struct NetworkProgress {
    /// The verb: "network".
    #[ts(type = "\"network\"")]
    pub verb: &'static str,
    /// What is under way: the fits at all penalties, or those to resampled rows at the one chosen.
    #[ts(type = "\"path\" | \"bootstrap\"")]
    pub stage: &'static str,
    /// The penalties that are done.
    #[ts(type = "Array<number>")]
    pub penalties: Vec<f64>,
    /// Number of edges at each of them.
    pub num_edges: Vec<usize>,
    /// The fraction of rounds done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The networks at all penalties.
#[report]
pub struct NetworkPath {
    /// J_ij, `[numPenalties, numPairs]`, the pairs i < j in lexicographic order.
    pub couplings: Vec<f64>,
    /// J_ii, `[numPenalties, dim]`.
    pub biases: Vec<f64>,
    /// Number of edges.
    pub num_edges: Vec<usize>,
    /// Log pseudolikelihood of the rows, in nats a row.
    #[ts(type = "Array<number>")]
    pub log_pseudolikelihood: Vec<f64>,
    /// The same of the network with the same edges that is fitted without a penalty.
    #[ts(type = "Array<number>")]
    pub refitted_log_pseudolikelihood: Vec<f64>,
    /// The extended Bayesian information criterion, of the networks fitted without a penalty.
    #[ts(type = "Array<number>")]
    pub ebic: Vec<f64>,
    /// Log pseudolikelihood of rows held out, in nats a row, the mean over the folds.
    #[ts(type = "Array<number>", optional)]
    pub held_out: Option<Vec<f64>>,
    /// Its standard error, from the spread over the folds.
    #[ts(type = "Array<number>", optional)]
    pub held_out_errors: Option<Vec<f64>>,
    /// The share of subsamples that have the edge at this penalty or a greater one, `[numPenalties, numPairs]`.
    pub stability: Option<Vec<f64>>,
}

/// Estimates of all couplings J_ij without the pull of the penalty, the pairs i < j in lexicographic order; NaN
/// where the rows do not determine one.
#[report]
pub struct PairEstimates {
    /// The estimates: one Newton step without penalty, site by site, from the chosen network or the one with the least
    /// extended criterion, whichever has the smaller penalty.
    pub estimate: Vec<f64>,
    /// Their standard errors, by the sandwich.
    pub standard_error: Vec<f64>,
    /// Lower ends of intervals: from the standard error, or percentiles of 100 or more fits to resampled rows.
    pub lower: Vec<f64>,
    /// Upper ends.
    pub upper: Vec<f64>,
    /// The share of fits to resampled rows, or else to subsamples, that have the edge; absent without either.
    pub share: Option<Vec<f64>>,
}

/// An edge of the chosen network.
#[report]
pub struct NetworkEdge {
    /// The two sites, the smaller first.
    pub sites: [usize; 2],
    /// J_ij, drawn towards 0 by the penalty. The log odds ratio of the pair given all others is −2 J_ij.
    pub coupling: f64,
    /// J_ij without the pull of the penalty; absent where the rows do not determine it, as are the next three.
    pub estimate: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Lower end of its interval.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// The share of fits to resampled rows, or else to subsamples, that have the edge.
    pub share: Option<f64>,
}

/// A sparse network.
#[report]
pub struct NetworkResult {
    /// D, the number of sites.
    pub dim: usize,
    /// N, the number of rows.
    pub num_rows: usize,
    /// The penalties λ, decreasing.
    pub penalties: Vec<f64>,
    /// The networks at all of them.
    pub path: NetworkPath,
    /// The place of the chosen penalty.
    pub chosen: usize,
    /// The chosen network, an Ising model that every other verb takes.
    pub model: ModelSpec,
    /// Its edges, in the order of their pairs.
    pub edges: Vec<NetworkEdge>,
    /// Estimates of all pairs; absent if the rows determine none.
    pub pairs: Option<PairEstimates>,
    /// What to know before the numbers are used, as sentences.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for NetworkResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
