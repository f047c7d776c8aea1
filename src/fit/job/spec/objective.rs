//! What a fit minimizes, or how it finds a model without minimizing.

#[cfg(feature = "full")]
use super::optimizer::CoordinatesSpec;
use super::optimizer::{LbfgsSpec, OptimizerSpec, SgdSpec};
use crate::checks::{check_positive, in_range};
use crate::energy::connectivity::ConnectivitySpec;
use crate::fit::mean_field::Order;
use crate::sample::annealed_langevin::check_noises;
use crate::sample::job::spec::MAX_CHAINS;
use crate::sample::spec::TransitionSpec;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of a chain's steps in an update: the steps of one chain are not interrupted.
const MAX_STEPS: usize = 1000;

/// Maximum number of directions, or draws of noise, per row.
const MAX_SLICES: usize = 1000;

/// Maximum number of refreshes.
const MAX_REFRESHES: usize = 1_000_000;

/// What to minimize.
#[spec]
pub enum ObjectiveSpec {
    /// Minimum probability flow.
    Mpf {
        /// Which states probability may flow to. For rows of bits the default depends on the data:
        /// single flips, and also the flip of all bits if at most a tenth of them are on, or off.
        /// With single flips alone, states far from sparse rows can become as likely as the rows
        /// (Sohl-Dickstein 2012, appendix E.2). Rows of numbers have no default.
        connectivity: Option<ConnectivitySpec>,
        /// Whether to leave out neighbours that are rows of the data; false if absent. The estimate
        /// is then no longer consistent.
        #[serde(default)]
        exclude_data: bool,
    },
    /// Negative log pseudolikelihood, in nats per row.
    Pseudolikelihood {},
    /// Negative log likelihood, in nats per row: for binary models by enumeration, up to 20 sites;
    /// on ℝᴰ for models whose log Z is known at all parameters.
    MaximumLikelihood {},
    /// Score matching, for models on ℝᴰ: `½ |∇E|² − ∇²E`, averaged over rows
    /// (Hyvärinen 2005; Sohl-Dickstein 2012, eq. 2.17).
    #[full]
    ScoreMatching {
        /// If given, the objective is sliced: averaged over `numSlices` random directions v per
        /// row, `½ (v·∇E)² − vᵀ∇²E v`. If absent it is exact, and the model must have a cheap
        /// Laplacian ∇²E.
        num_slices: Option<usize>,
    },
    /// Denoising score matching, for models on ℝᴰ, averaged over rows x and normal noise n. With
    /// `noise`, `½ |σ∇E(x + σn) − n|²` fits the distribution of the data with the noise added (Vincent
    /// 2011; Song and Ermon 2019). With `noises`, `½ |∇E(x + σn) − n|²`, averaged over the σ, fits one
    /// energy to the data with each of the noises: that with σ has the energy E(x)/σ (Song and Ermon
    /// 2020), from which the transition `annealedLangevin` draws.
    #[full]
    DenoisingScoreMatching {
        /// σ, greater than 0.
        noise: Option<f64>,
        /// All σ, each less than the one before, in place of `noise`. Each draw of noise is of one of
        /// them, chosen at random.
        noises: Option<Vec<f64>>,
        /// Draws of noise per row, for L-BFGS, which keeps them fixed: 1 to 1,000; 10 if absent.
        /// Minibatches draw one anew for each row.
        #[serde(default = "ten")]
        num_samples: usize,
    },
    /// Noise-contrastive estimation: telling rows from `numNoise` times as many states of noise of a
    /// known density, `−1/N [Σ_x ln σ(G(x)) + Σ_y ln(1 − σ(G(y)))]`, `G = −E + c − ln q − ln numNoise`,
    /// by L-BFGS, with c = −log Z as a parameter besides (Gutmann and Hyvärinen 2012). The noise is
    /// normal with the rows' mean and covariance; for bits, independent sites that are on as often as
    /// in the rows. With `errors` the result has log Z.
    #[cfg(feature = "full")]
    NoiseContrastive {
        /// States of noise per row, 1 to 1,000; 10 if absent.
        #[serde(default = "ten")]
        num_noise: usize,
    },
    /// Expectation maximization, for generative models on ℝᴰ. Two steps alternate: chains sample
    /// the latent variables at each row (E), and the mean joint energy of rows and samples is
    /// lowered (M) (Sohl-Dickstein 2012, 5.4). That mean energy is the objective reported. It is no
    /// bound on the likelihood: with samples from the posterior it is −ln p(x) plus the posterior's
    /// entropy. The chains start from standard normal noise.
    #[full]
    ExpectationMaximization {
        /// Chains per row, 1 to 100; 1 if absent.
        #[serde(default = "one")]
        num_chains_per_row: usize,
        /// Steps of each chain per E step, 1 to 1,000; 10 if absent.
        #[serde(default = "ten")]
        num_steps: usize,
        /// Number of times both steps are done, 1 to 1,000,000; 50 if absent.
        #[serde(default = "fifty")]
        num_refreshes: usize,
        /// How chains move; Hamiltonian Monte Carlo if absent. If it gives no step size, the step
        /// size is adapted between E steps to the target acceptance rate.
        transition: Option<TransitionSpec>,
    },
    /// Mean field inversion of the data's moments, for dense Ising models: in
    /// closed form, without an optimizer, and wrong unless couplings are weak.
    #[full]
    MeanField {
        /// The order of the expansion in the couplings; second order if absent.
        #[serde(default = "tap")]
        order: Order,
        /// λ of the regularized pseudo-inverse (χᵀχ + λI)⁺χᵀ, in units of spin
        /// covariance squared; 0 if absent.
        #[serde(default)]
        strength: f64,
    },
    /// Contrastive divergence: chains of a few steps from the data. Nothing is minimized; progress
    /// reports the mean energy of the data minus that of the chains, in nats.
    #[full]
    ContrastiveDivergence {
        /// Steps of each chain, k, 1 to 1,000; 1 if absent. A step is a sweep over the sites, or,
        /// with hidden units, over both layers.
        #[serde(default = "one")]
        num_steps: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
        /// step size is adapted between updates to the target acceptance rate. Not for binary
        /// models, which always use Gibbs sampling.
        transition: Option<TransitionSpec>,
    },
    /// Contrastive divergence whose chains continue from update to update. They start at rows of
    /// the data.
    #[full]
    PersistentContrastiveDivergence {
        /// Number of chains; the number of rows of a minibatch if absent. They start from rows of
        /// the data.
        num_chains: Option<usize>,
        /// Steps of each chain per update, 1 to 1,000; 1 if absent.
        #[serde(default = "one")]
        num_steps: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
        /// step size is adapted between updates to the target acceptance rate. Not for binary
        /// models, which always use Gibbs sampling.
        transition: Option<TransitionSpec>,
        /// The probability with which a chain on ℝᴰ restarts from noise before an update, as in the
        /// replay buffer of Du and Mordatch (2019); 0 if absent.
        #[serde(default)]
        restart_probability: f64,
        /// The noise that chains restart from; normal if absent.
        #[cfg(feature = "full")]
        #[serde(default, skip_serializing_if = "RestartNoise::is_normal")]
        restart_noise: RestartNoise,
        /// Number of chains on ℝᴰ that move in an update, a divisor of `numChains`; all if absent. The
        /// chains take turns, so that a large buffer of them costs no more than the part that moves.
        #[cfg(feature = "full")]
        num_moved: Option<usize>,
        /// α of the penalty `α (mean E² of rows + mean E² of chains)` on energies far from 0, for models
        /// on ℝᴰ (Du and Mordatch 2019, eq. 4); 0 if absent.
        #[cfg(feature = "full")]
        #[serde(default, skip_serializing_if = "is_zero")]
        energy_penalty: f64,
    },
    /// Persistent minimum probability flow: flow from the data to samples of the model. Each
    /// refresh draws the samples anew, by chains that continue from where they were. The objective
    /// reported is that of the last samples, 1 where the search began. The estimate keeps the noise
    /// of those samples: with as many chains as rows it is as large as that of the data.
    #[full]
    PersistentMpf {
        /// Number of chains, each of which gives one sample; the number of rows if absent. They
        /// start from rows of the data.
        num_chains: Option<usize>,
        /// Steps of each chain per refresh, 1 to 1,000; 10 if absent.
        #[serde(default = "ten")]
        num_steps: usize,
        /// Number of refreshes, each of which draws the samples anew and lowers the objective, 1 to
        /// 1,000,000; 50 if absent.
        #[serde(default = "fifty")]
        num_refreshes: usize,
        /// How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
        /// step size is adapted between refreshes to the target acceptance rate. Not for binary
        /// models, which always use Gibbs sampling.
        transition: Option<TransitionSpec>,
    },
}

/// The noise that persistent chains on ℝᴰ restart from, independent in each column of the data.
#[spec]
#[derive(Copy, Eq, Default)]
#[cfg(feature = "full")]
pub enum RestartNoise {
    /// Normal, with the column's mean and standard deviation.
    #[default]
    Normal,
    /// Uniform, between the column's least and greatest entry.
    Uniform,
}

#[cfg(feature = "full")]
impl RestartNoise {
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

#[cfg(feature = "full")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
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
            #[cfg(feature = "full")]
            Self::NoiseContrastive { .. } => "noiseContrastive",
            Self::ExpectationMaximization { .. } => "expectationMaximization",
        }
    }

    /// The default optimizer.
    pub(super) fn default_optimizer(&self) -> Option<OptimizerSpec> {
        match self {
            Self::Mpf { .. }
            | Self::Pseudolikelihood {}
            | Self::MaximumLikelihood {}
            | Self::ScoreMatching { .. }
            | Self::DenoisingScoreMatching { .. } => {
                Some(OptimizerSpec::Lbfgs(LbfgsSpec::default()))
            }
            #[cfg(feature = "full")]
            Self::NoiseContrastive { .. } => Some(OptimizerSpec::Lbfgs(LbfgsSpec::default())),
            Self::ContrastiveDivergence { .. } | Self::PersistentContrastiveDivergence { .. } => {
                Some(OptimizerSpec::Sgd(SgdSpec::default()))
            }
            // As in the paper: each new sample gives another function, and the last digits of its
            // minimum are noise.
            Self::PersistentMpf { .. } | Self::ExpectationMaximization { .. } => {
                Some(OptimizerSpec::Lbfgs(LbfgsSpec { max_iterations: 10, ..LbfgsSpec::default() }))
            }
            Self::MeanField { .. } => None,
        }
    }

    /// Fills in the settings that depend on the minibatches.
    pub(super) fn fill_chains(&mut self, batch_size: usize) {
        if let Self::PersistentContrastiveDivergence { num_chains, .. } = self {
            num_chains.get_or_insert(batch_size);
        }
    }

    /// Fills in the settings that depend on the data: their number of rows and, for bits, the share
    /// of bits that are on.
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

    /// How chains move on ℝᴰ, if the objective has chains and the spec says.
    pub fn transition(&self) -> Option<&TransitionSpec> {
        match self {
            Self::ContrastiveDivergence { transition, .. }
            | Self::PersistentContrastiveDivergence { transition, .. }
            | Self::PersistentMpf { transition, .. }
            | Self::ExpectationMaximization { transition, .. } => transition.as_ref(),
            _ => None,
        }
    }

    /// What the fitted energy is to be multiplied by, to be that of the data with the least noise; 1
    /// unless one energy is fitted at several noises.
    pub fn energy_factor(&self) -> f64 {
        match self {
            Self::DenoisingScoreMatching { noises: Some(noises), .. } => {
                noises.last().map_or(1.0, |least| 1.0 / least)
            }
            _ => 1.0,
        }
    }

    /// The setting that persistent chains on ℝᴰ alone have, and its value, if one is given.
    pub fn setting_on_reals(&self) -> Option<(&'static str, String)> {
        let Self::PersistentContrastiveDivergence { restart_probability, .. } = self else {
            return None;
        };
        if *restart_probability > 0.0 {
            return Some(("objective.restartProbability", restart_probability.to_string()));
        }
        #[cfg(feature = "full")]
        if let Self::PersistentContrastiveDivergence {
            restart_noise,
            num_moved,
            energy_penalty,
            ..
        } = self
        {
            if *restart_noise == RestartNoise::Uniform {
                return Some(("objective.restartNoise", "uniform".into()));
            }
            if let Some(count) = num_moved {
                return Some(("objective.numMoved", count.to_string()));
            }
            if *energy_penalty != 0.0 {
                return Some(("objective.energyPenalty", energy_penalty.to_string()));
            }
        }
        None
    }

    /// Checks the buffer of persistent chains and the penalty on their energies.
    #[cfg(feature = "full")]
    fn check_buffer(&self) -> Result<()> {
        let Self::PersistentContrastiveDivergence {
            num_chains,
            num_moved,
            restart_noise,
            restart_probability,
            energy_penalty,
            ..
        } = self
        else {
            return Ok(());
        };
        if !(*energy_penalty >= 0.0 && energy_penalty.is_finite()) {
            return Err(Error::spec(
                "objective.energyPenalty",
                format!("is {energy_penalty}; it must be finite and not negative"),
            ));
        }
        if *restart_noise == RestartNoise::Uniform && *restart_probability == 0.0 {
            return Err(Error::spec(
                "objective.restartNoise",
                "is uniform, and no chain restarts; give restartProbability, or leave it out",
            ));
        }
        match (num_chains, num_moved) {
            (Some(all), Some(moved)) if *moved == 0 || !all.is_multiple_of(*moved) => {
                Err(Error::spec(
                    "objective.numMoved",
                    format!("is {moved}, and {all} chains take turns; give a divisor of {all}"),
                ))
            }
            (None, Some(_)) => Err(Error::spec(
                "objective.numMoved",
                "is given, and the number of chains is not; give numChains, a multiple of it",
            )),
            _ => Ok(()),
        }
    }

    /// Checks everything that does not require the model or the data.
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
                if !(0.0..1.0).contains(restart_probability) {
                    return Err(Error::spec(
                        "objective.restartProbability",
                        format!("is {restart_probability}; it must be at least 0 and less than 1"),
                    ));
                }
                #[cfg(feature = "full")]
                self.check_buffer()?;
                Ok(())
            }
            Self::PersistentMpf { num_chains, num_steps, num_refreshes, .. } => {
                check_chains(*num_chains)?;
                in_range("objective.numSteps", *num_steps, 1, MAX_STEPS)?;
                in_range("objective.numRefreshes", *num_refreshes, 1, MAX_REFRESHES)
            }
            Self::ScoreMatching { num_slices } => num_slices.map_or(Ok(()), |num_slices| {
                in_range("objective.numSlices", num_slices, 1, MAX_SLICES)
            }),
            Self::DenoisingScoreMatching { noise, noises, num_samples } => {
                match (noise, noises) {
                    (Some(noise), None) => check_positive("objective.noise", *noise)?,
                    (None, Some(noises)) => check_noises("objective.noises", noises)?,
                    _ => {
                        let problem = "is the standard deviation of the noise; give it, or several as \
                                       noises, and not both";
                        return Err(Error::spec("objective.noise", problem));
                    }
                }
                in_range("objective.numSamples", *num_samples, 1, MAX_SLICES)
            }
            #[cfg(feature = "full")]
            Self::NoiseContrastive { num_noise } => {
                in_range("objective.numNoise", *num_noise, 1, MAX_SLICES)
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

    /// Refuses optimizers that cannot minimize this objective.
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
            #[cfg(feature = "full")]
            Self::NoiseContrastive { .. } => {
                let OptimizerSpec::Lbfgs(LbfgsSpec { coordinates, .. }) = optimizer else {
                    let problem = "takes minibatches, but noise-contrastive estimation keeps its \
                                   noise for all rows; use lbfgs";
                    return Err(Error::spec("optimizer", problem));
                };
                if let CoordinatesSpec::Metric { .. } = coordinates {
                    let problem = "is metric, which is one of the model's parameters, and \
                                   noise-contrastive estimation has one more; use model or params";
                    return Err(Error::spec("optimizer.coordinates.kind", problem));
                }
                return Ok(());
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
