//! What jobs tell: progress while they run, results when they are done.

use super::memory_report::{MemorizeProgress, MemorizeResult, RecallProgress, RecallResult};
use crate::diagnostics::Summary;
use crate::fit::mpf_bound::MpfBound;
use crate::models::ModelSpec;
use serde::{Deserialize, Serialize};

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Progress {
    /// Of a fit.
    Fit(FitProgress),
    /// Of sampling.
    Sample(SampleProgress),
    /// Of enumeration.
    Exact(ExactProgress),
    /// Of energies.
    Energies(EnergiesProgress),
    /// Of storing patterns.
    Memorize(MemorizeProgress),
    /// Of recall.
    Recall(RecallProgress),
}

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JobResult {
    /// Of a fit.
    Fit(FitResult),
    /// Of sampling binary states.
    Sample(SampleResult),
    /// Of sampling states on ℝᴰ.
    Continuous(Box<ContinuousResult>),
    /// Of enumeration.
    Exact(ExactResult),
    /// Energies.
    Energies(EnergiesResult),
    /// A network.
    Memorize(MemorizeResult),
    /// Recalled states.
    Recall(Box<RecallResult>),
}

/// How far a fit has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct FitProgress {
    /// Whose progress: "fit".
    #[cfg_attr(feature = "types", ts(type = "\"fit\""))]
    pub verb: &'static str,
    /// Accepted steps; refreshes, of persistent minimum probability flow.
    pub iteration: usize,
    /// Evaluations of the objective: over all data each, or over one minibatch.
    pub num_evaluations: usize,
    /// The objective at the model below; NaN before the first evaluation. With
    /// minibatches its mean over those of the epoch so far.
    pub objective: f64,
    /// Euclidean norm of its gradient in the coordinates the fit works in.
    pub grad_norm: f64,
    /// Estimate of the part done, 0 to 1, never falling.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// Of a deep belief network: which of its machines is being fitted, from 0
    /// at the bottom; the objective and its gradient are that machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    /// The model so far.
    pub model: ModelSpec,
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct FitResult {
    /// The model.
    pub model: ModelSpec,
    /// The objective. With minibatches, its mean over those of the last epoch;
    /// NaN for mean field, which has none; of a deep belief network, that of the
    /// machine on top.
    pub objective: f64,
    /// Euclidean norm of its gradient in the coordinates the fit works in; of the
    /// last minibatch's, or NaN, alike.
    pub grad_norm: f64,
    /// Accepted steps; refreshes, of persistent minimum probability flow.
    pub num_iterations: usize,
    /// Evaluations of the objective: over all data each, or over one minibatch.
    pub num_evaluations: usize,
    /// Whether the tolerance was met. False for stochastic optimizers, which
    /// have none, and where samples change; true for a solution in closed form.
    pub converged: bool,
    /// Why the fit ended, in words.
    pub stop_reason: String,
    /// What is doubtful about the result, in words; empty if nothing is.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
    /// Of a deep belief network: the fits of its machines, from the bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<LayerFit>>,
}

/// The fit of one machine of a deep belief network; the fields are as in
/// [`FitResult`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LayerFit {
    /// The objective.
    pub objective: f64,
    /// Norm of its gradient.
    pub grad_norm: f64,
    /// Accepted steps.
    pub num_iterations: usize,
    /// Evaluations of the objective.
    pub num_evaluations: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Why the fit ended, in words.
    pub stop_reason: String,
}

/// How far sampling has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SampleProgress {
    /// Whose progress: "sample".
    #[cfg_attr(feature = "types", ts(type = "\"sample\""))]
    pub verb: &'static str,
    /// Draws so far from each chain.
    pub num_draws: usize,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// The draws since the last report, where the run asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub new_draws: Option<NewDraws>,
}

/// Draws taken between two reports, the newest where they are too many.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct NewDraws {
    /// Entries, or bits, a state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Which draw of each chain is the first here.
    pub first_draw: usize,
    /// How many there are of each chain.
    pub num_draws: usize,
    /// Binary states as packed rows, draw after draw, `numChains` rows each.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Uint8Array | undefined"))]
    pub bits: Option<Vec<u8>>,
    /// States on ℝᴰ, `[numDraws, numChains, dim]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | undefined"))]
    pub values: Option<Vec<f64>>,
    /// Their energies, `[numDraws, numChains]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | undefined"))]
    pub energies: Option<Vec<f64>>,
    /// How chain 0 moved, where the spec records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Paths>,
}

/// The trajectories of chain 0, one a step after warm-up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Paths {
    /// Points of each trajectory, from the start of the step to the proposal.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub lengths: Vec<f64>,
    /// The points, one trajectory's after another's, `[.., dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub points: Vec<f64>,
    /// What came of each: 0 rejected, 1 accepted; 2 more if the momentum was
    /// turned round, 4 more if it diverged.
    #[cfg_attr(feature = "types", ts(type = "Uint8Array"))]
    pub outcomes: Vec<u8>,
    /// Total energy at the proposal minus that at the start, in nats.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energy_errors: Vec<f64>,
}

impl Paths {
    /// Those from the trajectory `first` on, of states of `dim` entries.
    pub fn since(&self, first: usize, dim: usize) -> Self {
        let first = first.min(self.lengths.len());
        let num_points: f64 = self.lengths[..first].iter().sum();
        Self {
            lengths: self.lengths[first..].to_vec(),
            points: self.points[num_points as usize * dim..].to_vec(),
            outcomes: self.outcomes[first..].to_vec(),
            energy_errors: self.energy_errors[first..].to_vec(),
        }
    }

    /// Whether the lengths agree with one another.
    pub fn is_sound(&self, dim: usize) -> bool {
        let num_points: f64 = self.lengths.iter().sum();
        self.points.len() as f64 == num_points * dim as f64
            && self.outcomes.len() == self.lengths.len()
            && self.energy_errors.len() == self.lengths.len()
    }

    /// Adds others at the end.
    pub fn extend(&mut self, others: Self) {
        self.lengths.extend(others.lengths);
        self.points.extend(others.points);
        self.outcomes.extend(others.outcomes);
        self.energy_errors.extend(others.energy_errors);
    }

    /// Takes the large arrays out, with their fields.
    fn take_arrays(&mut self, outer: &[&'static str], placed: &mut Vec<Placed>) {
        use std::mem::take;
        let path = |field| [outer, &["paths", field]].concat();
        placed.extend([
            (path("lengths"), Array::F64(take(&mut self.lengths))),
            (path("points"), Array::F64(take(&mut self.points))),
            (path("outcomes"), Array::U8(take(&mut self.outcomes))),
            (path("energyErrors"), Array::F64(take(&mut self.energy_errors))),
        ]);
    }
}

/// Draws from a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SampleResult {
    /// The draws: draw d of chain c is row d · numChains + c.
    pub draws: Draws,
    /// Their energies, in nats, `[numDraws, numChains]`; empty if not asked for.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energies: Vec<f64>,
    /// What the mean of the energies is worth, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub energy_summary: Option<Summary>,
    /// Means of x_i x_j over all draws, row-major `[dim, dim]`; empty where they
    /// are not counted.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moments: Vec<f64>,
    /// Their standard errors by the variance between chains, `[dim, dim]`; NaN
    /// with one chain.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moment_errors: Vec<f64>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Rows of packed bits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Draws {
    /// Bits a row.
    pub dim: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// The rows, each padded with zeros to whole bytes, least significant bit
    /// first.
    #[cfg_attr(feature = "types", ts(type = "Uint8Array"))]
    pub bits: Vec<u8>,
}

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

/// How far enumeration has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ExactProgress {
    /// Whose progress: "exact".
    #[cfg_attr(feature = "types", ts(type = "\"exact\""))]
    pub verb: &'static str,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Exact answers about a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ExactResult {
    /// log Z, in nats.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// `E[x_i x_j]`, row-major `[dim, dim]`.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub moments: Vec<f64>,
    /// `E[E(x)]`, in nats.
    pub mean_energy: f64,
    /// Entropy, in nats.
    pub entropy: f64,
    /// With data: their mean log likelihood, in nats a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// With data and a connectivity: a lower bound on that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpf_bound: Option<MpfBound>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// How far the energies have come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct EnergiesProgress {
    /// Whose progress: "energies".
    #[cfg_attr(feature = "types", ts(type = "\"energies\""))]
    pub verb: &'static str,
    /// The part done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// Energies of states.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct EnergiesResult {
    /// Energies, in nats, `[numStates]`; infinite or NaN where a state is no
    /// place for the model.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub energies: Vec<f64>,
    /// Gradients, `[numStates, dim]`; empty if not asked for.
    #[cfg_attr(feature = "types", ts(type = "Float64Array"))]
    pub gradients: Vec<f64>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// A large array taken out of a report, to leave by another way.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Numbers.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// An array and the field it belongs in, from the outside in.
pub type Placed = (Vec<&'static str>, Array);

pub(super) fn model_arrays(model: &mut ModelSpec, placed: &mut Vec<Placed>) {
    for (path, values) in model.take_arrays() {
        placed.push(([&["model"], &path[..]].concat(), Array::F64(values)));
    }
}

impl Progress {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        let mut placed = Vec::new();
        match self {
            Self::Fit(progress) => model_arrays(&mut progress.model, &mut placed),
            Self::Sample(SampleProgress { new_draws: Some(new), .. }) => {
                let path = |field| vec!["newDraws", field];
                if let Some(bits) = &mut new.bits {
                    placed.push((path("bits"), Array::U8(std::mem::take(bits))));
                }
                for (field, values) in
                    [("values", &mut new.values), ("energies", &mut new.energies)]
                {
                    if let Some(values) = values {
                        placed.push((path(field), Array::F64(std::mem::take(values))));
                    }
                }
                if let Some(paths) = &mut new.paths {
                    paths.take_arrays(&["newDraws"], &mut placed);
                }
            }
            Self::Sample(_)
            | Self::Exact(_)
            | Self::Energies(_)
            | Self::Memorize(_)
            | Self::Recall(_) => {}
        }
        placed
    }
}

impl JobResult {
    /// Takes the large arrays out.
    pub fn take_arrays(&mut self) -> Vec<Placed> {
        use std::mem::take;
        let mut placed = Vec::new();
        match self {
            Self::Fit(result) => model_arrays(&mut result.model, &mut placed),
            Self::Sample(result) => placed.extend([
                (vec!["draws", "bits"], Array::U8(take(&mut result.draws.bits))),
                (vec!["energies"], Array::F64(take(&mut result.energies))),
                (vec!["moments"], Array::F64(take(&mut result.moments))),
                (vec!["momentErrors"], Array::F64(take(&mut result.moment_errors))),
            ]),
            Self::Continuous(result) => {
                let ContinuousResult {
                    draws,
                    energies,
                    summary,
                    chains,
                    divergences,
                    paths,
                    ladder,
                    ..
                } = &mut **result;
                if let Some(paths) = paths {
                    paths.take_arrays(&[], &mut placed);
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
            Self::Energies(result) => placed.extend([
                (vec!["energies"], Array::F64(take(&mut result.energies))),
                (vec!["gradients"], Array::F64(take(&mut result.gradients))),
            ]),
            Self::Exact(result) => {
                placed.push((vec!["moments"], Array::F64(take(&mut result.moments))))
            }
            Self::Memorize(result) => result.take_arrays(&mut placed),
            Self::Recall(result) => result.take_arrays(&mut placed),
        }
        placed
    }

    /// SHA-256 of the numbers, in hexadecimal.
    pub fn digest(&self) -> &str {
        match self {
            Self::Fit(result) => &result.digest,
            Self::Sample(result) => &result.digest,
            Self::Continuous(result) => &result.digest,
            Self::Exact(result) => &result.digest,
            Self::Energies(result) => &result.digest,
            Self::Memorize(result) => &result.digest,
            Self::Recall(result) => &result.digest,
        }
    }
}
