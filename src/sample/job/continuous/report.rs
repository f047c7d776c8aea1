//! The result of sampling on ℝᴰ.

use crate::sample::job::report::Paths;
use unnorm_wire::report;

/// Draws from a model on ℝᴰ, with diagnostics.
#[report]
pub struct ContinuousResult {
    /// The draws.
    pub draws: ContinuousDraws,
    /// The energies of the draws, in nats, `[numDraws, numChains]`.
    pub energies: Vec<f64>,
    /// Summaries of each entry of the state over all draws.
    pub summary: EntrySummaries,
    /// How each chain moved after warm-up.
    pub chains: ChainReport,
    /// Trajectories that diverged.
    pub divergences: Divergences,
    /// The trajectories of chain 0, if the spec records them.
    pub paths: Option<Paths>,
    /// β of the rungs of chain 0; empty without tempering.
    pub ladder: Vec<f64>,
    /// How chains moved over the levels of simulated tempering; absent without.
    pub levels: Option<LevelReport>,
    /// Warnings about the result, as sentences; empty if there are none.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Draws on ℝᴰ.
#[report]
pub struct ContinuousDraws {
    /// Entries per state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Number of draws from each chain.
    pub num_draws: usize,
    /// The states, `[numDraws, numChains, dim]`.
    pub values: Vec<f64>,
}

/// Summaries of the draws of each entry of the state, `[dim]` each (Vehtari, Gelman, Simpson,
/// Carpenter and Bürkner 2021).
#[report]
pub struct EntrySummaries {
    /// Means of the draws.
    pub mean: Vec<f64>,
    /// Standard deviations of the draws.
    pub sd: Vec<f64>,
    /// Monte Carlo standard errors of the means.
    pub mcse_mean: Vec<f64>,
    /// Monte Carlo standard errors of the standard deviations.
    pub mcse_sd: Vec<f64>,
    /// Rank-normalized effective sample sizes.
    pub ess_bulk: Vec<f64>,
    /// Effective sample sizes for the 5 % and 95 % quantiles, the smaller of the two.
    pub ess_tail: Vec<f64>,
    /// Rank-normalized split R̂; NaN with one chain.
    pub rhat: Vec<f64>,
}

/// How each chain moved after warm-up, `[numChains]` each.
#[report]
pub struct ChainReport {
    /// Mean acceptance probability of a proposal.
    pub acceptance: Vec<f64>,
    /// Step sizes ε.
    pub step_size: Vec<f64>,
    /// Number of divergent trajectories.
    pub num_divergent: Vec<f64>,
    /// Number of momenta reversed on rejection.
    pub num_flipped: Vec<f64>,
    /// Number of gradients taken, including those of warm-up.
    pub num_gradients: Vec<f64>,
    /// Number of round trips of a replica over the ladder, for parallel tempering; else empty.
    pub num_round_trips: Vec<f64>,
    /// Energy Bayesian fraction of missing information (Betancourt 2016); empty for
    /// transitions without momenta.
    pub ebfmi: Vec<f64>,
}

/// The levels of simulated tempering, whose β are the `ladder`.
#[report]
pub struct LevelReport {
    /// The log weights w of each chain, relative to the first level's, `[numChains, numLevels]`: what
    /// its warm-up took for −ln(Z_k/Z_0).
    pub log_weights: Vec<f64>,
    /// The fraction of each chain's steps at each level after warm-up, expected given its states,
    /// `[numChains, numLevels]`; all alike if the weights are right.
    pub occupancy: Vec<f64>,
    /// log Z of the model, in nats: the mean over chains of `ln(occupancy_K / occupancy_0) − w_K + log
    /// Z_0`, Z_0 that of the reference.
    pub log_z: f64,
    /// Its standard error from the variance between chains; NaN with one chain.
    pub log_z_error: f64,
}

/// Trajectories whose energy error was NaN or exceeded 1,000 nats.
#[report]
pub struct Divergences {
    /// Number of divergences after warm-up.
    pub num_total: usize,
    /// Starting points of the first few of each chain, `[.., dim]`.
    pub states: Vec<f64>,
}
