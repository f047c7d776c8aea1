//! What normalizing tells.

use crate::run::{Array, Outcome, Placed, Report};
use serde::Serialize;
use std::mem::take;

/// How far normalizing has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct LogZProgress {
    /// Whose progress: "logZ".
    #[cfg_attr(feature = "types", ts(type = "\"logZ\""))]
    pub verb: &'static str,
    /// What is being done: "pilot", "forward", "draw", "equilibrate", "reverse" or
    /// "rows".
    #[cfg_attr(
        feature = "types",
        ts(type = "\"pilot\" | \"forward\" | \"draw\" | \"equilibrate\" | \"reverse\" | \"rows\"")
    )]
    pub phase: &'static str,
    /// Where on the path the chains are.
    pub beta: f64,
    /// Their log weights so far, `[numChains]`, in nats; empty between runs. Of
    /// several rows, those of the first.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub log_weights: Vec<f64>,
    /// Where they are, `[numChains, dim]`, if the run asks for draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub states: Option<Vec<f64>>,
    /// Estimate of the part done, 0 to 1, never falling.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// An interval, with its ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// A number with what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// Its standard error; NaN where it is not known.
    pub standard_error: f64,
    /// Where it should lie, with the confidence asked for.
    pub interval: Interval,
}

/// What the runs in one direction tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// log Z from these runs alone.
    #[serde(rename = "logZ")]
    pub log_z: Estimated,
    /// Its interval by bootstrap.
    pub bootstrap: Interval,
    /// The mean of log Z + log weights, and its standard error: forward it errs
    /// downward in the mean, in reverse upward.
    pub mean_log_weight: f64,
    /// Standard error of that.
    pub mean_log_weight_error: f64,
    /// Effective sample size of the weights (forward), or of their reciprocals
    /// (reverse); not that of a Markov chain.
    pub weight_ess: f64,
    /// Standard error of that, by bootstrap; NaN with resampling, and of several
    /// rows.
    pub weight_ess_error: f64,
    /// Each chain's estimate of log Z, `[numChains]`, in nats: log Z of the
    /// reference with the log weight. With resampling, what has come since the
    /// last time, after all before.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub log_weights: Vec<f64>,
    /// Histogram of those: bounds of the bins, one more than there are.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub histogram_edges: Vec<f64>,
    /// How many are in each bin.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub histogram_counts: Vec<f64>,
    /// By thermodynamic integration from the same runs (path sampling); not
    /// with resampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integral: Option<Estimated>,
    /// β at the bounds of the bins of what follows, one more than there are.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub betas: Vec<f64>,
    /// Mean acceptance of the transitions in each bin; 1 where nothing can be
    /// rejected.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub acceptance: Vec<f64>,
    /// Variance that the steps in each bin would give the log weights if chains
    /// mixed at once.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub variances: Vec<f64>,
    /// How often the chains were resampled.
    pub num_resamplings: usize,
}

/// Bounds that hold with a stated probability, whatever the variance.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Bounds {
    /// log Z is at least this; fails with the probability below. Always
    /// certified.
    pub lower: f64,
    /// log Z is at most this, if there were reverse runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The probability that a bound fails, of each: e^−b for a bound b nats off
    /// the estimate (Markov's inequality; Grosse 2014, 7.2).
    pub failure_probability: f64,
    /// Whether the upper bound is certified: only if the reverse runs started
    /// from exact draws. Else it is a diagnostic, and no bound.
    pub bound_is_certified: bool,
}

/// The log likelihood of data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct LikelihoodReport {
    /// The mean over the rows, in nats a row, with the error of log Z.
    pub mean: Estimated,
    /// Standard error of the mean over other rows of the same kind: how much
    /// these rows say of all there might be.
    pub row_error: f64,
    /// Of a generative model, which takes a run a row: log p of each row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub rows: Option<Vec<f64>>,
    /// Their standard errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub row_standard_errors: Option<Vec<f64>>,
}

/// log Z, with what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct LogZResult {
    /// log Z, in nats: the bridge between forward and reverse runs, if those
    /// started from exact draws; else from the forward runs. Of a generative
    /// model the sum over all rows.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Where it should lie, with the confidence asked for.
    pub interval: Interval,
    /// log Z of the reference.
    #[serde(rename = "referenceLogZ")]
    pub reference_log_z: f64,
    /// From the reference to the model.
    pub forward: RunReport,
    /// From the model to the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse: Option<RunReport>,
    /// Bennett's acceptance ratio of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bridge: Option<Estimated>,
    /// Bounds.
    pub bounds: Bounds,
    /// How far the last states of the forward runs are from the model, at most, as
    /// draws: their Kullback–Leibler divergence from it is no more than log Z less
    /// the mean log weight (Grosse 2014, eq. 7.8), in nats. Only where log Z is
    /// known, by the model itself or from exact draws, and without resampling. Of a
    /// generative model the sum over all rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<Estimated>,
    /// log Z as the model itself knows it, if it does.
    #[serde(rename = "exactLogZ", skip_serializing_if = "Option::is_none")]
    pub exact_log_z: Option<f64>,
    /// The log likelihood of the rows, if some were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<LikelihoodReport>,
    /// β_0 to β_K; empty if there are more than 2²⁰.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub schedule: Vec<f64>,
    /// β at which step sizes are given; linear in their logarithms between.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub step_size_betas: Vec<f64>,
    /// Step sizes there, `[step sizes' betas]`, or `[rows, step sizes' betas]` with generative
    /// models, of which each row has its own; empty with binary models.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub step_sizes: Vec<f64>,
    /// What is doubtful about the result, in words; empty if nothing is.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Report for LogZProgress {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        placed.push((vec!["logWeights"], Array::F64(take(&mut self.log_weights))));
        if let Some(states) = &mut self.states {
            placed.push((vec!["states"], Array::F64(take(states))));
        }
    }
}

impl RunReport {
    fn take_arrays(&mut self, run: &'static str, placed: &mut Vec<Placed>) {
        for (field, values) in [
            ("logWeights", &mut self.log_weights),
            ("histogramEdges", &mut self.histogram_edges),
            ("histogramCounts", &mut self.histogram_counts),
            ("betas", &mut self.betas),
            ("acceptance", &mut self.acceptance),
            ("variances", &mut self.variances),
        ] {
            placed.push((vec![run, field], Array::F64(take(values))));
        }
    }
}

impl Report for LogZResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        self.forward.take_arrays("forward", placed);
        if let Some(reverse) = &mut self.reverse {
            reverse.take_arrays("reverse", placed);
        }
        for (field, values) in [
            ("schedule", &mut self.schedule),
            ("stepSizeBetas", &mut self.step_size_betas),
            ("stepSizes", &mut self.step_sizes),
        ] {
            placed.push((vec![field], Array::F64(take(values))));
        }
        if let Some(likelihood) = &mut self.likelihood {
            for (field, values) in [
                ("rows", &mut likelihood.rows),
                ("rowStandardErrors", &mut likelihood.row_standard_errors),
            ] {
                if let Some(values) = values {
                    placed.push((vec!["likelihood", field], Array::F64(take(values))));
                }
            }
        }
    }
}

impl Outcome for LogZResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
