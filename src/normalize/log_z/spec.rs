//! The spec of normalizing.

use crate::checks::in_range;
use crate::data::DataSpec;
use crate::energy::schedule::is_schedule;
use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use crate::rng::{Purpose, derived_seed};
use crate::run::{SimulateSpec, seed};
use crate::sample::path_spec::PathSpec;
use crate::sample::spec::TransitionSpec;
use crate::{Error, FULL, Result};
use unnorm_wire::spec;

/// Maximum number of distributions of a path, and of a chain's transitions in total.
pub const MAX_STEPS: usize = 100_000_000;

/// Maximum number of betas of a given schedule, and of a schedule in a result.
pub const MAX_BETAS: usize = 1 << 20;

/// Maximum number of simulated rows.
const MAX_SIMULATED: usize = 1 << 16;

/// Maximum number of chains per job.
const MAX_CHAINS: usize = 1 << 20;

/// The spec of `logZ`: annealed importance sampling (Neal 2001) from a reference, whose log Z is
/// known, to the model. With one distribution it is simple importance sampling, and its reverse is
/// the harmonic mean.
#[spec]
pub struct LogZSpec {
    /// The model whose log Z is estimated.
    pub model: ModelSpec,
    /// The distribution the chains start from; if absent, the uniform one for binary models and the
    /// standard normal distribution on ℝᴰ.
    pub reference: Option<ReferenceSpec>,
    /// The distributions between reference and model; geometric averages if absent.
    #[serde(default)]
    pub path: PathSpec,
    /// Where on the path the distributions lie; found by a pilot run if absent.
    #[serde(default)]
    pub schedule: ScheduleSpec,
    /// How a chain moves at each distribution. If absent, block Gibbs for models with hidden units,
    /// Gibbs for other binary models, and Hamiltonian annealed importance sampling on ℝᴰ: one
    /// leapfrog step, in which 13 % of the momentum's power is replaced.
    pub transition: Option<TransitionSpec>,
    /// Number of independent chains, at least 2.
    pub num_chains: usize,
    /// K, the number of factors of a weight: there are K + 1 distributions, including both ends.
    pub num_distributions: usize,
    /// Number of transitions at each distribution; 1 if absent.
    #[serde(default = "one")]
    pub num_steps_per_distribution: usize,
    /// Whether and when chains are resampled by their weights, which makes the method annealed
    /// sequential Monte Carlo; never if absent.
    pub resampling: Option<ResamplingSpec>,
    /// Runs in reverse, from the model to the reference, for an upper bound; none if absent.
    pub reverse: Option<ReverseSpec>,
    /// Another path to the model, annealed along as well, for a second opinion: annealing errs downward,
    /// so that the lower of two estimates that differ has lost a part of the model. None if absent.
    #[full]
    pub second_path: Option<Box<SecondPathSpec>>,
    /// The pilot runs that find the schedule and the step sizes, if these must be found.
    #[serde(default)]
    pub pilot: PilotSpec,
    /// Whether the result has the last states of the forward runs: weighted draws from the model. Not
    /// for generative models, which have runs for each row; false if absent.
    #[serde(default)]
    pub keep_states: bool,
    /// The confidence level of intervals, between 0 and 1; 0.95 if absent.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
    /// Rows of zeros and ones whose log likelihood under a binary model is estimated. Moved out of
    /// the spec once read.
    pub data: Option<DataSpec>,
    /// States on ℝᴰ whose log likelihood is estimated, one after another.
    pub states: Option<Vec<f64>>,
    /// Rows drawn from a generative model in the place of `states`. Reverse runs that start at what
    /// the rows were made of, `reverse: { start: { kind: 'simulated' } }`, bound their log likelihood
    /// from above for certain.
    #[full]
    pub simulate: Option<SimulateSpec>,
    /// Sites, or entries of the state, that are observed and stay: log Z is then the logarithm of the sum over all states with these values, so that `ln p(x_C) = log Z(x_C) − log Z`, and the likelihood of rows is that of their other entries given these.
    #[full]
    pub observed: Option<ObservedSpec>,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn one() -> usize {
    1
}

fn default_confidence() -> f64 {
    0.95
}

/// The distribution at β = 0.
#[spec]
pub enum ReferenceSpec {
    /// The uniform distribution over all states of a binary model.
    Uniform {},
    /// Independent sites, for example with the data's base rates: the "base rate" model of
    /// Salakhutdinov and Murray (2008).
    Independent {
        /// Log odds ln (p / (1 − p)) of each bit, `[dim]`; where sites have several values, a site's
        /// values have probabilities in proportion to the p of their bits.
        #[serde(rename = "logOdds")]
        log_odds: Vec<f64>,
    },
    /// A model on ℝᴰ with a known log Z and exact draws.
    #[full]
    Model {
        /// The spec of that model.
        model: Box<ModelSpec>,
    },
}

/// Where on the path the distributions lie: β_0 = 0 to β_K = 1.
#[spec]
pub enum ScheduleSpec {
    /// Evenly spaced.
    Linear {},
    /// Denser towards both ends, along a logistic function (Grosse 2014, 7.3.3).
    Sigmoidal {
        /// The part of the logistic function that is used, on either side; 4 if absent.
        #[serde(default = "four")]
        delta: f64,
    },
    /// Each β is a constant multiple of the one before, after the first.
    Geometric {
        /// β_1, between 0 and 1.
        first: f64,
    },
    /// Linear within bins, with the number of distributions in each that is optimal if chains mix
    /// immediately (Grosse, Maddison and Salakhutdinov 2013, Theorem 3, eq. 20). The cost of a bin
    /// is known between Gaussians, and knots may come with costs; otherwise a pilot run estimates
    /// it.
    OptimalBinned {
        /// Number of bins of equal extent in β, 10 if absent; with costs of segments between knots,
        /// there is one bin per segment.
        #[serde(rename = "numBins", default = "ten")]
        num_bins: usize,
    },
    /// Placed by a pilot run such that all increments of the log weights have equal variance: equal
    /// steps in thermodynamic length.
    Adaptive {},
    /// A given schedule.
    Given {
        /// β_0 = 0 to β_K = 1, ascending.
        betas: Vec<f64>,
    },
}

impl Default for ScheduleSpec {
    fn default() -> Self {
        Self::Adaptive {}
    }
}

fn four() -> f64 {
    4.0
}

fn ten() -> usize {
    10
}

/// When chains are resampled.
#[spec]
pub struct ResamplingSpec {
    /// Chains are resampled when the weights' effective sample size is below this fraction of their
    /// number, 0 to 1; 0.5 if absent.
    #[serde(default = "half")]
    pub threshold: f64,
    /// How many times along the path this is checked; 100 if absent.
    #[serde(default = "hundred")]
    pub num_stages: usize,
}

fn half() -> f64 {
    0.5
}

fn hundred() -> usize {
    100
}

/// What is different on the second path; what is absent is as on the first.
#[spec]
#[derive(Default)]
pub struct SecondPathSpec {
    /// The distribution the chains start from.
    pub reference: Option<ReferenceSpec>,
    /// The distributions between.
    pub path: Option<PathSpec>,
    /// Where on the path they lie.
    pub schedule: Option<ScheduleSpec>,
    /// How a chain moves.
    pub transition: Option<TransitionSpec>,
}

/// Reverse runs, from the model to the reference.
#[spec]
pub struct ReverseSpec {
    /// Where the reverse runs start.
    pub start: ReverseStartSpec,
}

/// Where reverse runs start.
#[spec]
pub enum ReverseStartSpec {
    /// At exact draws, for models that have them: the bound is then certified.
    Exact {},
    /// At states of the forward runs, selected by their weights, after more transitions at the
    /// model. These are not exact draws, so the upper bound is only a diagnostic.
    Forward {
        /// Number of these transitions; 1,000 if absent.
        #[serde(rename = "numWarmup", default = "thousand")]
        num_warmup: usize,
    },
    /// At the latent variables that the rows of `simulate` were made of, after more transitions at the
    /// model. They are exact draws of each row's posterior, so the bound is certified (Grosse 2014,
    /// 7.2).
    #[full]
    Simulated {
        /// Number of these transitions, which part the chains of a row; 1,000 if absent.
        #[serde(rename = "numWarmup", default = "thousand")]
        num_warmup: usize,
    },
}

impl ReverseStartSpec {
    /// Number of transitions at the model before the reverse runs.
    pub fn num_warmup(&self) -> usize {
        match *self {
            Self::Exact {} => 0,
            Self::Forward { num_warmup } | Self::Simulated { num_warmup } => num_warmup,
        }
    }

    /// Whether the runs start at exact draws from the model.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Forward { .. })
    }
}

fn thousand() -> usize {
    1000
}

/// Runs that find the schedule and the step sizes; for generative models, each row has its own step
/// sizes.
#[spec(default)]
pub struct PilotSpec {
    /// Number of chains; 128 if absent.
    pub num_chains: usize,
    /// Number of distributions of a run, rounded up to a multiple of 50; 1,000 if absent.
    pub num_distributions: usize,
    /// Number of runs, each with the schedule and the step sizes found by the previous one; 2 if
    /// absent.
    pub num_runs: usize,
}

impl Default for PilotSpec {
    fn default() -> Self {
        Self { num_chains: 128, num_distributions: 1000, num_runs: 2 }
    }
}

impl LogZSpec {
    /// Checks everything that does not require the model.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(transition) = &self.transition {
            transition.check()?;
            transition.check_unbiased()?;
            if transition.ladder().is_some() {
                return Err(Error::spec(
                    "transition.kind",
                    "has a ladder of its own; use a transition of one distribution",
                ));
            }
        }
        in_range("numChains", self.num_chains, 2, MAX_CHAINS)?;
        in_range("numDistributions", self.num_distributions, 1, MAX_STEPS)?;
        in_range("numStepsPerDistribution", self.num_steps_per_distribution, 1, MAX_STEPS)?;
        if self.num_distributions.saturating_mul(self.num_steps_per_distribution) > MAX_STEPS {
            return Err(Error::TooLarge {
                field: "numStepsPerDistribution".into(),
                problem: format!("asks for more than {MAX_STEPS} transitions a chain; use fewer"),
            });
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(Error::spec(
                "confidence",
                format!("is {}; it must lie between 0 and 1", self.confidence),
            ));
        }
        if self.data.is_some() && self.states.is_some() {
            return Err(Error::spec("states", "is given beside data; give one of the two"));
        }
        self.check_schedule()?;
        if let Some(resampling) = &self.resampling {
            if !(0.0..=1.0).contains(&resampling.threshold) {
                return Err(Error::spec(
                    "resampling.threshold",
                    format!("is {}; it must be from 0 to 1", resampling.threshold),
                ));
            }
            in_range("resampling.numStages", resampling.num_stages, 1, MAX_STEPS)?;
        }
        if let Some(ReverseSpec { start }) = &self.reverse {
            in_range("reverse.start.numWarmup", start.num_warmup(), 0, MAX_STEPS)?;
        }
        if FULL {
            self.check_simulated()?;
            self.check_second_path()?;
        }
        in_range("pilot.numChains", self.pilot.num_chains, 16, MAX_CHAINS)?;
        in_range("pilot.numDistributions", self.pilot.num_distributions, 50, MAX_STEPS)?;
        in_range("pilot.numRuns", self.pilot.num_runs, 1, 20)
    }

    /// The spec of the job along the second path, if there is one: forward runs with random numbers of
    /// their own. `has_own_rows` says whether the rows are what is annealed to.
    pub(super) fn along_second_path(&self, has_own_rows: bool) -> Option<Self> {
        let second = *self.second_path.clone()?;
        let seed = self.seed.unwrap_or(0);
        let simulate = self.simulate.as_ref();
        Some(Self {
            reference: second.reference.or_else(|| self.reference.clone()),
            path: second.path.unwrap_or_else(|| self.path.clone()),
            schedule: second.schedule.unwrap_or_else(|| self.schedule.clone()),
            transition: second.transition.or_else(|| self.transition.clone()),
            second_path: None,
            reverse: None,
            data: None,
            states: self.states.clone().filter(|_| has_own_rows),
            simulate: simulate
                .map(|simulate| SimulateSpec { seed: simulate.seed.or(Some(seed)), ..*simulate }),
            seed: Some(derived_seed(seed, Purpose::SecondPath, 0)),
            ..self.clone()
        })
    }

    /// An error of that spec, named as in this one.
    pub(super) fn of_second_path(error: Error) -> Error {
        let of_path = ["reference", "path", "schedule", "transition"];
        match error.field() {
            Some(field) if of_path.iter().any(|own| field.starts_with(own)) => {
                error.within("secondPath")
            }
            _ => error,
        }
    }

    fn check_second_path(&self) -> Result<()> {
        let Some(second) = &self.second_path else { return Ok(()) };
        if **second == SecondPathSpec::default() {
            let problem = "is the first; give another reference, path, schedule or transition";
            return Err(Error::spec("secondPath", problem));
        }
        if self.keep_states {
            let problem = "is true, and there are two paths; keep the states of a job along one";
            return Err(Error::spec("keepStates", problem));
        }
        match self.along_second_path(true) {
            Some(second) => second.check().map_err(Self::of_second_path),
            None => Ok(()),
        }
    }

    fn check_simulated(&self) -> Result<()> {
        let Some(simulate) = &self.simulate else {
            return match &self.reverse {
                Some(ReverseSpec { start: ReverseStartSpec::Simulated { .. } }) => {
                    let problem = "is simulated, and no rows are; give simulate: { numRows }";
                    Err(Error::spec("reverse.start.kind", problem))
                }
                _ => Ok(()),
            };
        };
        if self.data.is_some() || self.states.is_some() {
            let problem = "is given, and so are rows; leave one of them out";
            return Err(Error::spec("simulate", problem));
        }
        in_range("simulate.numRows", simulate.num_rows, 1, MAX_SIMULATED)
    }

    fn check_schedule(&self) -> Result<()> {
        match &self.schedule {
            ScheduleSpec::Sigmoidal { delta } if !(*delta > 0.0 && *delta <= 30.0) => {
                Err(Error::spec(
                    "schedule.delta",
                    format!("is {delta}; it must be greater than 0 and at most 30"),
                ))
            }
            ScheduleSpec::Geometric { first } if !(*first > 0.0 && *first < 1.0) => {
                let problem = format!("is {first}; it must lie between 0 and 1");
                Err(Error::spec("schedule.first", problem))
            }
            ScheduleSpec::OptimalBinned { num_bins } => {
                in_range("schedule.numBins", *num_bins, 1, self.num_distributions.min(1000))
            }
            ScheduleSpec::Given { betas } => {
                if betas.len() != self.num_distributions + 1 {
                    return Err(Error::spec(
                        "schedule.betas",
                        format!(
                            "has {} entries; with {} distributions there are {}, 0 and 1 among them",
                            betas.len(),
                            self.num_distributions,
                            self.num_distributions + 1
                        ),
                    ));
                }
                if betas.len() > MAX_BETAS {
                    return Err(Error::TooLarge {
                        field: "schedule.betas".into(),
                        problem: format!(
                            "has {} entries; at most {MAX_BETAS} may be given",
                            betas.len()
                        ),
                    });
                }
                if !is_schedule(betas) {
                    return Err(Error::spec(
                        "schedule.betas",
                        "does not ascend from 0 to 1; each must be greater than the one before",
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
