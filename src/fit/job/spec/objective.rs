//! What a fit minimizes, or how else it finds a model.

use super::optimizer::{LbfgsSpec, OptimizerSpec, SgdSpec};
use crate::checks::in_range;
use crate::energy::connectivity::ConnectivitySpec;
use crate::fit::mean_field::Order;
use crate::sample::job::spec::MAX_CHAINS;
use crate::sample::spec::TransitionSpec;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Most steps of a chain in an update: one chain's steps are not interrupted.
const MAX_STEPS: usize = 1000;

/// Most directions, or draws of noise, a row.
const MAX_SLICES: usize = 1000;

/// Most refreshes.
const MAX_REFRESHES: usize = 1_000_000;

/// What to minimize.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ObjectiveSpec {
    /// Minimum probability flow.
    Mpf {
        /// Which states flow may go to. If absent it is chosen for the rows of bits: single
        /// flips, and the flip of all bits where at most a tenth of them are on, or off; to
        /// single flips alone, states far from sparse rows can come out as likely
        /// (Sohl-Dickstein 2012, appendix E.2). Rows of numbers have no default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        connectivity: Option<ConnectivitySpec>,
        /// Whether neighbours that are rows of the data are left out; they are
        /// not if absent. The estimate is then no longer consistent.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        exclude_data: bool,
    },
    /// Negative log pseudolikelihood, in nats a row.
    Pseudolikelihood {},
    /// Negative log likelihood, in nats a row: of binary models by enumeration, up
    /// to 20 sites; on ℝᴰ of models whose log Z is known at all parameters.
    MaximumLikelihood {},
    /// Score matching, for models on ℝᴰ: `½ |∇E|² − ∇²E`, averaged over rows
    /// (Hyvärinen 2005; Sohl-Dickstein 2012, eq. 2.17).
    #[cfg_attr(not(feature = "full"), serde(skip))]
    ScoreMatching {
        /// If given, the objective is sliced: averaged over so many random directions
        /// v a row, `½ (v·∇E)² − vᵀ∇²E v`. If absent it is exact, for which the model
        /// must know its ∇²E cheaply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        num_slices: Option<usize>,
    },
    /// Denoising score matching, for models on ℝᴰ: `½ |σ∇E(x + σn) − n|²`, averaged
    /// over rows x and normal noise n. Its model is that of the data with the noise
    /// (Vincent 2011; Song and Ermon 2019).
    #[cfg_attr(not(feature = "full"), serde(skip))]
    DenoisingScoreMatching {
        /// σ, greater than 0.
        noise: f64,
        /// Draws of noise a row, for L-BFGS, which keeps them: 1 to 1,000; 10 if
        /// absent. Minibatches draw one for each row afresh.
        #[serde(default = "ten")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_samples: usize,
    },
    /// Expectation maximization, for generative models on ℝᴰ: chains keep samples of
    /// what is not observed, at each row (E), and the mean energy of rows and samples
    /// together is lowered (M), by turns (Sohl-Dickstein 2012, 5.4). That mean energy is
    /// the objective reported. It is no bound on the likelihood: where the samples are
    /// from the posterior it is −ln p(x) plus the posterior's entropy. The chains start
    /// from standard normal noise.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    ExpectationMaximization {
        /// Chains a row, 1 to 100; 1 if absent.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_chains_per_row: usize,
        /// Steps of each chain an E step, 1 to 1,000; 10 if absent.
        #[serde(default = "ten")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_steps: usize,
        /// How many times both steps are done, 1 to 1,000,000; 50 if absent.
        #[serde(default = "fifty")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_refreshes: usize,
        /// How chains move; Hamiltonian Monte Carlo if absent. Where it gives no step
        /// size, that is adapted between E steps to the acceptance rate asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        transition: Option<TransitionSpec>,
    },
    /// Mean field inversion of the data's moments, for dense Ising models: in
    /// closed form, without an optimizer, and wrong unless couplings are weak.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    MeanField {
        /// How far the expansion in the couplings goes; second order if absent.
        #[serde(default = "tap")]
        #[cfg_attr(feature = "types", ts(as = "Option<Order>"))]
        order: Order,
        /// λ of the regularized pseudo-inverse (χᵀχ + λI)⁺χᵀ, in units of spin
        /// covariance squared; 0 if absent.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        strength: f64,
    },
    /// Contrastive divergence: chains of a few steps from the data. Nothing is
    /// minimized; progress reports how far the mean energy of the data is above
    /// that of the chains, in nats.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    ContrastiveDivergence {
        /// Steps of each chain, k, 1 to 1,000; 1 if absent. A step is a sweep over the sites,
        /// or, with hidden units, of both sides.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_steps: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. Where it gives no
        /// step size, that is adapted between updates to the acceptance rate asked for.
        /// Not for binary models, whose own Gibbs sampling it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        transition: Option<TransitionSpec>,
    },
    /// Contrastive divergence whose chains go on from update to update. They start at
    /// rows of the data.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    PersistentContrastiveDivergence {
        /// Number of chains; as many as a minibatch has rows if absent. They start from rows
        /// of the data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        num_chains: Option<usize>,
        /// Steps of each chain an update, 1 to 1,000; 1 if absent.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_steps: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. Where it gives no
        /// step size, that is adapted between updates to the acceptance rate asked for.
        /// Not for binary models, whose own Gibbs sampling it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        transition: Option<TransitionSpec>,
        /// The probability with which a chain on ℝᴰ starts anew from noise before an
        /// update, as in the replay buffer of Du and Mordatch (2019); 0 if absent. The
        /// noise is normal and independent, of the mean and the standard deviation of
        /// each column of the data.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        restart_probability: f64,
    },
    /// Persistent minimum probability flow: flow from the data to samples of
    /// the model, drawn anew each time the model has moved by chains that go on
    /// from where they were. The objective reported is that of the last samples,
    /// 1 where the search began. The estimate keeps the noise of those samples:
    /// with as many chains as rows it is as large as that of the data.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    PersistentMpf {
        /// Number of chains, each of which gives a sample; as many as rows if
        /// absent. They start from rows of the data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        num_chains: Option<usize>,
        /// Steps of each chain a refresh, 1 to 1,000; 10 if absent.
        #[serde(default = "ten")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_steps: usize,
        /// How many times the samples are drawn anew and the objective is
        /// lowered, 1 to 1,000,000; 50 if absent.
        #[serde(default = "fifty")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_refreshes: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. Where it gives no
        /// step size, that is adapted between updates to the acceptance rate asked for.
        /// Not for binary models, whose own Gibbs sampling it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        transition: Option<TransitionSpec>,
    },
}

fn check_chains(num_chains: Option<usize>) -> Result<()> {
    num_chains.map_or(Ok(()), |count| in_range("objective.numChains", count, 1, MAX_CHAINS))
}

fn one() -> usize {
    1
}

fn ten() -> usize {
    10
}

fn fifty() -> usize {
    50
}

fn tap() -> Order {
    Order::Tap
}

impl Default for ObjectiveSpec {
    fn default() -> Self {
        Self::Mpf { connectivity: None, exclude_data: false }
    }
}

impl ObjectiveSpec {
    /// The kind, as in the spec.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Mpf { .. } => "mpf",
            Self::Pseudolikelihood {} => "pseudolikelihood",
            Self::MaximumLikelihood {} => "maximumLikelihood",
            Self::MeanField { .. } => "meanField",
            Self::ContrastiveDivergence { .. } => "contrastiveDivergence",
            Self::PersistentContrastiveDivergence { .. } => "persistentContrastiveDivergence",
            Self::PersistentMpf { .. } => "persistentMpf",
            Self::ScoreMatching { .. } => "scoreMatching",
            Self::DenoisingScoreMatching { .. } => "denoisingScoreMatching",
            Self::ExpectationMaximization { .. } => "expectationMaximization",
        }
    }

    /// The optimizer of a spec that names none.
    pub(super) fn default_optimizer(&self) -> Option<OptimizerSpec> {
        match self {
            Self::Mpf { .. }
            | Self::Pseudolikelihood {}
            | Self::MaximumLikelihood {}
            | Self::ScoreMatching { .. }
            | Self::DenoisingScoreMatching { .. } => {
                Some(OptimizerSpec::Lbfgs(LbfgsSpec::default()))
            }
            Self::ContrastiveDivergence { .. } | Self::PersistentContrastiveDivergence { .. } => {
                Some(OptimizerSpec::Sgd(SgdSpec::default()))
            }
            // As the paper has it; each new sample is another function, and the last digits of
            // its minimum are noise.
            Self::PersistentMpf { .. } | Self::ExpectationMaximization { .. } => {
                Some(OptimizerSpec::Lbfgs(LbfgsSpec { max_iterations: 10, ..LbfgsSpec::default() }))
            }
            Self::MeanField { .. } => None,
        }
    }

    /// Writes out what is left open and follows from the minibatches.
    pub(super) fn fill_chains(&mut self, batch_size: usize) {
        if let Self::PersistentContrastiveDivergence { num_chains, .. } = self {
            num_chains.get_or_insert(batch_size);
        }
    }

    /// Writes out what is left open and follows from the data: their number of rows, and the
    /// share of their bits that are on, if they are bits.
    pub(super) fn fill_for_rows(&mut self, num_rows: usize, share_on: Option<f64>) {
        match (self, share_on) {
            (Self::PersistentMpf { num_chains, .. }, _) => {
                num_chains.get_or_insert(num_rows.min(MAX_CHAINS));
            }
            (Self::Mpf { connectivity, .. }, Some(share_on)) => {
                connectivity.get_or_insert(ConnectivitySpec::suited(share_on));
            }
            _ => {}
        }
    }

    /// How chains move on ℝᴰ, if there are any and the spec says.
    pub fn transition(&self) -> Option<&TransitionSpec> {
        match self {
            Self::ContrastiveDivergence { transition, .. }
            | Self::PersistentContrastiveDivergence { transition, .. }
            | Self::PersistentMpf { transition, .. }
            | Self::ExpectationMaximization { transition, .. } => transition.as_ref(),
            _ => None,
        }
    }

    /// Checks what can be told without model and data.
    pub(super) fn check(&self) -> Result<()> {
        self.transition().map_or(Ok(()), TransitionSpec::check)?;
        match self {
            Self::ContrastiveDivergence { num_steps, .. } => {
                in_range("objective.numSteps", *num_steps, 1, MAX_STEPS)
            }
            Self::PersistentContrastiveDivergence {
                num_chains,
                num_steps,
                restart_probability,
                ..
            } => {
                check_chains(*num_chains)?;
                in_range("objective.numSteps", *num_steps, 1, MAX_STEPS)?;
                if (0.0..1.0).contains(restart_probability) {
                    return Ok(());
                }
                Err(Error::spec(
                    "objective.restartProbability",
                    format!("is {restart_probability}; it must be at least 0 and less than 1"),
                ))
            }
            Self::PersistentMpf { num_chains, num_steps, num_refreshes, .. } => {
                check_chains(*num_chains)?;
                in_range("objective.numSteps", *num_steps, 1, MAX_STEPS)?;
                in_range("objective.numRefreshes", *num_refreshes, 1, MAX_REFRESHES)
            }
            Self::ScoreMatching { num_slices } => num_slices.map_or(Ok(()), |num_slices| {
                in_range("objective.numSlices", num_slices, 1, MAX_SLICES)
            }),
            Self::DenoisingScoreMatching { noise, num_samples } => {
                if !(*noise > 0.0 && noise.is_finite()) {
                    return Err(Error::spec(
                        "objective.noise",
                        format!("is {noise}; it must be finite and greater than 0"),
                    ));
                }
                in_range("objective.numSamples", *num_samples, 1, MAX_SLICES)
            }
            Self::ExpectationMaximization {
                num_chains_per_row, num_steps, num_refreshes, ..
            } => {
                in_range("objective.numChainsPerRow", *num_chains_per_row, 1, 100)?;
                in_range("objective.numSteps", *num_steps, 1, MAX_STEPS)?;
                in_range("objective.numRefreshes", *num_refreshes, 1, MAX_REFRESHES)
            }
            Self::Mpf {
                connectivity: Some(ConnectivitySpec::Ball { radius, num_samples }),
                ..
            } => {
                if !(*radius > 0.0 && radius.is_finite()) {
                    return Err(Error::spec(
                        "objective.connectivity.radius",
                        format!("is {radius}; it must be finite and greater than 0"),
                    ));
                }
                let field = "objective.connectivity.numSamples";
                in_range(field, *num_samples, 2, MAX_SLICES)?;
                if num_samples.is_multiple_of(2) {
                    return Ok(());
                }
                let problem = format!(
                    "is {num_samples}, but neighbours come in pairs opposite each other; give an \
                     even number"
                );
                Err(Error::spec(field, problem))
            }
            Self::Mpf { .. }
            | Self::Pseudolikelihood {}
            | Self::MaximumLikelihood {}
            | Self::MeanField { .. } => Ok(()),
        }
    }

    /// Refuses optimizers that cannot minimize this.
    pub(super) fn check_optimizer(&self, optimizer: &OptimizerSpec, is_binary: bool) -> Result<()> {
        let is_stochastic = !matches!(optimizer, OptimizerSpec::Lbfgs(_));
        let problem = match self {
            Self::MeanField { .. } => {
                "cannot be used with mean field, which solves for the model at once; leave it out"
            }
            Self::ContrastiveDivergence { .. } | Self::PersistentContrastiveDivergence { .. }
                if !is_stochastic =>
            {
                "is lbfgs, but contrastive divergence has no objective whose values a line search \
                 could compare; use sgd or adam"
            }
            Self::MaximumLikelihood {} if is_stochastic && is_binary => {
                "takes minibatches, but maximum likelihood visits every state at each evaluation; \
                 use lbfgs"
            }
            Self::PersistentMpf { .. } if is_stochastic => {
                "takes one step from each gradient, and such a step from fresh samples is one of \
                 persistentContrastiveDivergence: choose that objective, or lbfgs"
            }
            Self::ExpectationMaximization { .. } if is_stochastic => {
                "takes minibatches, but the chains of expectation maximization go with all rows; \
                 use lbfgs"
            }
            Self::Mpf { exclude_data: true, .. } if is_stochastic => {
                "takes minibatches, but with objective.excludeData each row must be compared with \
                 all others; use lbfgs"
            }
            Self::Mpf { connectivity: Some(ConnectivitySpec::Sampled { .. }), .. }
                if is_stochastic =>
            {
                "takes minibatches, but neighbours are drawn once for all rows; use lbfgs or \
                 another connectivity"
            }
            _ => return Ok(()),
        };
        Err(Error::spec("optimizer", problem))
    }
}
