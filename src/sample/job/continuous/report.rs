//! What sampling on ℝᴰ gives.

use crate::run::{Array, Placed, Report};
use crate::sample::job::report::Paths;
use serde::Serialize;
use std::mem::take;

/// Draws from a model on ℝᴰ, and what they are worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ContinuousResult {
    /// The draws.
    pub draws: ContinuousDraws,
    /// Their energies, in nats, `[numDraws, numChains]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energies: Vec<f64>,
    /// Each entry of the state over all draws.
    pub summary: EntrySummaries,
    /// Each chain after warm-up.
    pub chains: ChainReport,
    /// Trajectories whose energy error was past all bounds.
    pub divergences: Divergences,
    /// How chain 0 moved, where the spec records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub paths: Option<Paths>,
    /// β of the rungs of chain 0; empty without tempering.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub ladder: Vec<f64>,
    /// What is doubtful about the result, in words; empty if nothing is.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// States on ℝᴰ.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ContinuousDraws {
    /// Entries a state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Draws from each.
    pub num_draws: usize,
    /// The states, `[numDraws, numChains, dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub values: Vec<f64>,
}

/// What the draws of each entry of the state come to, `[dim]` each (Vehtari,
/// Gelman, Simpson, Carpenter and Bürkner 2021).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct EntrySummaries {
    /// Means.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub mean: Vec<f64>,
    /// Standard deviations.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub sd: Vec<f64>,
    /// Monte Carlo standard errors of the means.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub mcse_mean: Vec<f64>,
    /// Monte Carlo standard errors of the standard deviations.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub mcse_sd: Vec<f64>,
    /// Effective numbers of draws, by ranks.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub ess_bulk: Vec<f64>,
    /// Effective numbers of draws for the 5 % and 95 % quantiles.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub ess_tail: Vec<f64>,
    /// Rank-normalized split R̂; NaN with one chain.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub rhat: Vec<f64>,
}

/// How each chain moved after warm-up, `[numChains]` each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ChainReport {
    /// Mean chance to accept a proposal.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub acceptance: Vec<f64>,
    /// Step sizes.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub step_size: Vec<f64>,
    /// Divergent trajectories.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_divergent: Vec<f64>,
    /// Momenta turned round on rejection.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_flipped: Vec<f64>,
    /// Gradients taken, those of the warm-up too.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_gradients: Vec<f64>,
    /// Round trips of a replica up and down the ladder and back, for parallel
    /// tempering; else empty.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub num_round_trips: Vec<f64>,
    /// Energy Bayesian fraction of missing information (Betancourt 2016).
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub ebfmi: Vec<f64>,
}

/// Trajectories whose energy error was past all bounds, or no number.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Divergences {
    /// How many there were after warm-up.
    pub num_total: usize,
    /// Where the first few of each chain began, `[.., dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub states: Vec<f64>,
}

impl Report for ContinuousResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        let Self { draws, energies, summary, chains, divergences, paths, ladder, .. } = self;
        if let Some(paths) = paths {
            paths.take_arrays(&[], placed);
        }
        for (path, values) in [
            (vec!["draws", "values"], &mut draws.values),
            (vec!["energies"], energies),
            (vec!["summary", "mean"], &mut summary.mean),
            (vec!["summary", "sd"], &mut summary.sd),
            (vec!["summary", "mcseMean"], &mut summary.mcse_mean),
            (vec!["summary", "mcseSd"], &mut summary.mcse_sd),
            (vec!["summary", "essBulk"], &mut summary.ess_bulk),
            (vec!["summary", "essTail"], &mut summary.ess_tail),
            (vec!["summary", "rhat"], &mut summary.rhat),
            (vec!["chains", "acceptance"], &mut chains.acceptance),
            (vec!["chains", "stepSize"], &mut chains.step_size),
            (vec!["chains", "numDivergent"], &mut chains.num_divergent),
            (vec!["chains", "numFlipped"], &mut chains.num_flipped),
            (vec!["chains", "numGradients"], &mut chains.num_gradients),
            (vec!["ladder"], ladder),
            (vec!["chains", "numRoundTrips"], &mut chains.num_round_trips),
            (vec!["chains", "ebfmi"], &mut chains.ebfmi),
            (vec!["divergences", "states"], &mut divergences.states),
        ] {
            placed.push((path, Array::F64(take(values))));
        }
    }
}
