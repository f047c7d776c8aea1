//! What normalizing is asked to do.

use crate::checks::in_range;
use crate::data::DataSpec;
use crate::energy::schedule::is_schedule;
use crate::models::ModelSpec;
use crate::run::seed;
use crate::sample::spec::TransitionSpec;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Most distributions of a path, and transitions a chain makes in all.
pub const MAX_STEPS: usize = 100_000_000;

/// Most betas of a schedule that is given, and most that a result holds.
pub const MAX_BETAS: usize = 1 << 20;

/// Most chains a job.
const MAX_CHAINS: usize = 1 << 20;

/// What `logZ` should do: annealed importance sampling (Neal 2001) from a
/// reference, whose log Z is known, to the model. With one distribution it is
/// simple importance sampling, and its reverse the harmonic mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogZSpec {
    /// The model whose log Z is asked for.
    pub model: ModelSpec,
    /// Where the chains start; if absent, from even odds with binary models
    /// and from the standard normal distribution on ℝᴰ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceSpec>,
    /// The distributions on the way; geometric averages if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<PathSpec>"))]
    pub path: PathSpec,
    /// Where on the path they lie; if absent, where a pilot run says.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<ScheduleSpec>"))]
    pub schedule: ScheduleSpec,
    /// How a chain moves at each distribution. If absent, block Gibbs for
    /// models with hidden units, Gibbs for other binary ones, and on ℝᴰ
    /// Hamiltonian annealed importance sampling: one leapfrog step, the
    /// momentum kept but for 13 % of its power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transition: Option<TransitionSpec>,
    /// Number of independent chains, 2 at least.
    pub num_chains: usize,
    /// K, the number of factors a weight is made of: there are K + 1
    /// distributions with both ends.
    pub num_distributions: usize,
    /// Transitions at each distribution; 1 if absent.
    #[serde(default = "one")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_steps_per_distribution: usize,
    /// Whether and when chains are resampled by their weights, which makes it
    /// annealed sequential Monte Carlo; never if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resampling: Option<ResamplingSpec>,
    /// Runs the other way, from the model to the reference, for a bound from
    /// above; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<ReverseSpec>,
    /// The pilot runs that find the schedule and the step sizes, if those are
    /// to be found.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<PilotSpec>"))]
    pub pilot: PilotSpec,
    /// The part of intervals that should hold the truth, between 0 and 1; 0.95
    /// if absent.
    #[serde(default = "default_confidence")]
    #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
    pub confidence: f64,
    /// Rows of zeros and ones whose log likelihood under a binary model is
    /// asked for. Taken out of the spec once read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// States on ℝᴰ whose log likelihood is asked for, one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub states: Option<Vec<f64>>,
    /// Seed of everything random, 0 to 2⁵³ − 1; invented and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub seed: Option<u64>,
}

fn one() -> usize {
    1
}

fn default_confidence() -> f64 {
    0.95
}

/// The distribution at β = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ReferenceSpec {
    /// All states of a binary model alike.
    Uniform {},
    /// Independent sites, such as have the data's base rates: the "base rate"
    /// model of Salakhutdinov and Murray (2008).
    Independent {
        /// ln (p / (1 − p)) of each site, `[dim]`.
        #[serde(rename = "logOdds")]
        #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
        log_odds: Vec<f64>,
    },
    /// A model on ℝᴰ whose log Z is known and that can be drawn from exactly.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Model {
        /// The model.
        model: Box<ModelSpec>,
    },
}

/// The distributions between reference and model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum PathSpec {
    /// Geometric averages. Of binary models the parameters are averaged, so
    /// that with hidden units it is the joint distributions that are.
    Geometric {},
    /// Gaussians whose moments are averaged (Grosse, Maddison and Salakhutdinov
    /// 2013, eq. 9 and 10), between two Gaussians.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    MomentAverages {},
    /// Through given parameters of a binary model, in straight lines from each
    /// to the next.
    Knots {
        /// β of those between reference and model, ascending.
        #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
        betas: Vec<f64>,
        /// Their parameters, as the model's own, one knot after another.
        #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
        params: Vec<f64>,
        /// What each segment costs with one distribution, in nats, ends included:
        /// half of `(η_j+1 − η_j)ᵀ (s_j+1 − s_j)`, with parameters η and moments s.
        /// The schedule `optimalBinned` takes them, one bin a segment, in place of a
        /// pilot run; nothing else does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]", optional))]
        costs: Option<Vec<f64>>,
    },
}

impl Default for PathSpec {
    fn default() -> Self {
        Self::Geometric {}
    }
}

/// Where on the path the distributions lie: β_0 = 0 to β_K = 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ScheduleSpec {
    /// Evenly.
    Linear {},
    /// Denser towards both ends, along a logistic function (Grosse 2014, 7.3.3).
    Sigmoidal {
        /// How much of the function is used, on either side; 4 if absent.
        #[serde(default = "four")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>", optional))]
        delta: f64,
    },
    /// Each a constant multiple of the one before, after the first.
    Geometric {
        /// β_1, between 0 and 1.
        first: f64,
    },
    /// Linear within bins, with as many in each as are best if chains mix at
    /// once (Grosse, Maddison and Salakhutdinov 2013, Theorem 3, eq. 20). Between
    /// Gaussians what a bin costs is known, and knots may bring it along; else a
    /// pilot run estimates it.
    OptimalBinned {
        /// Number of bins, of equal extent in β, or as many as segments between knots
        /// with costs; 10 if absent.
        #[serde(rename = "numBins", default = "ten")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>", optional))]
        num_bins: usize,
    },
    /// Where the log weights' increments vary alike, as a pilot run finds:
    /// equal steps in thermodynamic length.
    Adaptive {},
    /// As given.
    Given {
        /// β_0 = 0 to β_K = 1, ascending.
        #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResamplingSpec {
    /// They are where the weights' effective sample size is below this part of
    /// their number, 0 to 1; 0.5 if absent.
    #[serde(default = "half")]
    #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
    pub threshold: f64,
    /// How often on the way that is looked at; 100 times if absent.
    #[serde(default = "hundred")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_stages: usize,
}

fn half() -> f64 {
    0.5
}

fn hundred() -> usize {
    100
}

/// Runs from the model to the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReverseSpec {
    /// Where they start.
    pub start: ReverseStartSpec,
}

/// Where runs from the model to the reference start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ReverseStartSpec {
    /// From exact draws, of models that have them: the bound is certified.
    Exact {},
    /// From states of the forward runs, chosen by their weights, after more
    /// transitions at the model. They are no exact draws: what comes of it is a
    /// diagnostic.
    Forward {
        /// Transitions; 1,000 if absent.
        #[serde(rename = "numWarmup", default = "thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>", optional))]
        num_warmup: usize,
    },
}

fn thousand() -> usize {
    1000
}

/// Runs that find the schedule, and the step sizes: with generative models, for each row its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PilotSpec {
    /// Number of chains; 128 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_chains: usize,
    /// Distributions of a run, rounded up to a multiple of 50; 1,000 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_distributions: usize,
    /// Runs, each on the schedule and with the step sizes that the one before
    /// found; 2 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_runs: usize,
}

impl Default for PilotSpec {
    fn default() -> Self {
        Self { num_chains: 128, num_distributions: 1000, num_runs: 2 }
    }
}

impl LogZSpec {
    /// Checks what can be told without the model.
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
        if let Some(ReverseSpec { start: ReverseStartSpec::Forward { num_warmup } }) = &self.reverse
        {
            in_range("reverse.start.numWarmup", *num_warmup, 0, MAX_STEPS)?;
        }
        in_range("pilot.numChains", self.pilot.num_chains, 16, MAX_CHAINS)?;
        in_range("pilot.numDistributions", self.pilot.num_distributions, 50, MAX_STEPS)?;
        in_range("pilot.numRuns", self.pilot.num_runs, 1, 20)
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
