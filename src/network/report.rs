//! Progress and result of `network`.

use crate::models::ModelSpec;
use crate::run::{Array, Outcome, Placed, Report, model_arrays};
use serde::Serialize;
use std::mem::take;

/// Progress of a sparse network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct NetworkProgress {
    /// The verb: "network".
    #[cfg_attr(feature = "types", ts(type = "\"network\""))]
    pub verb: &'static str,
    /// What is under way: the fits at all penalties, or those to resampled rows at the one chosen.
    #[cfg_attr(feature = "types", ts(type = "\"path\" | \"bootstrap\""))]
    pub stage: &'static str,
    /// The penalties that are done.
    pub penalties: Vec<f64>,
    /// Number of edges at each of them.
    pub num_edges: Vec<usize>,
    /// The fraction of rounds done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The networks at all penalties.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct NetworkPath {
    /// J_ij, `[numPenalties, numPairs]`, the pairs i < j in lexicographic order.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub couplings: Vec<f64>,
    /// J_ii, `[numPenalties, dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub biases: Vec<f64>,
    /// Number of edges.
    pub num_edges: Vec<usize>,
    /// Log pseudolikelihood of the rows, in nats a row.
    pub log_pseudolikelihood: Vec<f64>,
    /// The same of the network with the same edges that is fitted without a penalty.
    pub refitted_log_pseudolikelihood: Vec<f64>,
    /// The extended Bayesian information criterion, of the networks fitted without a penalty.
    pub ebic: Vec<f64>,
    /// Log pseudolikelihood of rows held out, in nats a row, the mean over the folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Vec<f64>>,
    /// Its standard error, from the spread over the folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out_errors: Option<Vec<f64>>,
    /// The share of subsamples that have the edge at this penalty or a greater one, `[numPenalties, numPairs]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional, type = "Float64Array"))]
    pub stability: Option<Vec<f64>>,
}

/// Estimates of all couplings J_ij without the pull of the penalty, the pairs i < j in lexicographic order; NaN
/// where the rows do not determine one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct PairEstimates {
    /// The estimates: one Newton step without penalty, site by site, from the chosen network or the one with the least
    /// extended criterion, whichever has the smaller penalty.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub estimate: Vec<f64>,
    /// Their standard errors, by the sandwich.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub standard_error: Vec<f64>,
    /// Lower ends of intervals: from the standard error, or percentiles of 100 or more fits to resampled rows.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub lower: Vec<f64>,
    /// Upper ends.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub upper: Vec<f64>,
    /// The share of fits to resampled rows, or else to subsamples, that have the edge; absent without either.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional, type = "Float64Array"))]
    pub share: Option<Vec<f64>>,
}

/// An edge of the chosen network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct NetworkEdge {
    /// The two sites, the smaller first.
    pub sites: [usize; 2],
    /// J_ij, drawn towards 0 by the penalty. The log odds ratio of the pair given all others is −2 J_ij.
    pub coupling: f64,
    /// J_ij without the pull of the penalty; absent where the rows do not determine it, as are the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Lower end of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The share of fits to resampled rows, or else to subsamples, that have the edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// A sparse network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct NetworkResult {
    /// D, the number of sites.
    pub dim: usize,
    /// N, the number of rows.
    pub num_rows: usize,
    /// The penalties λ, decreasing.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairEstimates>,
    /// What to know before the numbers are used, as sentences.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Report for NetworkProgress {}

impl Report for NetworkResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        model_arrays(&mut self.model, placed);
        let path = &mut self.path;
        placed.push((vec!["penalties"], Array::F64(take(&mut self.penalties))));
        placed.push((vec!["path", "couplings"], Array::F64(take(&mut path.couplings))));
        placed.push((vec!["path", "biases"], Array::F64(take(&mut path.biases))));
        if let Some(stability) = &mut path.stability {
            placed.push((vec!["path", "stability"], Array::F64(take(stability))));
        }
        if let Some(pairs) = &mut self.pairs {
            for (name, values) in [
                ("estimate", &mut pairs.estimate),
                ("standardError", &mut pairs.standard_error),
                ("lower", &mut pairs.lower),
                ("upper", &mut pairs.upper),
            ] {
                placed.push((vec!["pairs", name], Array::F64(take(values))));
            }
            if let Some(share) = &mut pairs.share {
                placed.push((vec!["pairs", "share"], Array::F64(take(share))));
            }
        }
    }
}

impl Outcome for NetworkResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
