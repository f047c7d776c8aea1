//! The spec of `network`.

use crate::checks::{check_positive, in_range};
use crate::data::DataSpec;
use crate::energy::FlipLoss;
use crate::run::seed;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of penalties.
pub const MAX_PENALTIES: usize = 1000;

/// Maximum number of subsamples, and of fits to resampled rows.
const MAX_RESAMPLES: usize = 10_000;

/// Least ratio of the last penalty to the first.
const LEAST_RATIO: f64 = 1e-6;

/// The spec of `network`: a sparse Ising model of rows of bits, whose couplings are fitted with an L1 penalty λ
/// for a decreasing list of λ, of which one is chosen.
#[spec]
pub struct NetworkSpec {
    /// The rows, of zeros and ones; 2 to 256 columns, none of them constant. Moved out of the spec once read.
    #[ts(as = "DataSpec", optional = false)]
    pub data: Option<DataSpec>,
    /// What is minimized with the penalty; the pseudolikelihood if absent.
    #[serde(default)]
    pub objective: NetworkObjective,
    /// The penalties.
    #[serde(default)]
    pub penalties: PenaltiesSpec,
    /// How one of them is chosen; by extended BIC if absent.
    #[serde(default)]
    pub choice: ChoiceSpec,
    /// Number of fits to resampled rows at the penalty chosen, 10 or more, for how often each edge is found; intervals
    /// are theirs from 100 on. None if absent.
    #[serde(default)]
    pub bootstrap: usize,
    /// The probability that an interval is to hold the coupling; 0.95 if absent.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn usual_confidence() -> f64 {
    0.95
}

/// What is minimized together with the penalty.
#[spec]
#[derive(Copy, Eq)]
pub enum NetworkObjective {
    /// The negative log pseudolikelihood, in nats a row.
    Pseudolikelihood {},
    /// Minimum probability flow, over single flips.
    Mpf {},
}

impl Default for NetworkObjective {
    fn default() -> Self {
        Self::Pseudolikelihood {}
    }
}

impl NetworkObjective {
    /// The function of the energy that a flip gains.
    pub fn loss(self) -> FlipLoss {
        match self {
            Self::Pseudolikelihood {} => FlipLoss::Pseudolikelihood,
            Self::Mpf {} => FlipLoss::Flow,
        }
    }
}

/// Penalties: `count` of them, evenly in the logarithm, from the least without an edge down to `ratio` times it;
/// or these `values`.
#[spec]
#[derive(Default)]
pub struct PenaltiesSpec {
    /// Number of penalties, 2 to 1,000; 40 if absent.
    pub count: Option<usize>,
    /// The last penalty as a share of the first, 10⁻⁶ to below 1; 0.02 if absent.
    pub ratio: Option<f64>,
    /// The penalties themselves, in nats a row for each unit of a coupling, decreasing and greater than 0.
    #[ts(type = "Array<number>")]
    pub values: Option<Vec<f64>>,
}

impl PenaltiesSpec {
    /// Number of penalties.
    pub fn count(&self) -> usize {
        self.values.as_ref().map_or(self.count.unwrap_or(40), Vec::len)
    }

    /// The last penalty as a share of the first.
    pub fn ratio(&self) -> f64 {
        self.ratio.unwrap_or(0.02)
    }

    fn check(&self) -> Result<()> {
        let Some(values) = &self.values else {
            in_range("penalties.count", self.count(), 2, MAX_PENALTIES)?;
            let ratio = self.ratio();
            if !(LEAST_RATIO..1.0).contains(&ratio) {
                let problem = format!("is {ratio}; it must be from {LEAST_RATIO} to below 1");
                return Err(Error::spec("penalties.ratio", problem));
            }
            return Ok(());
        };
        if self.count.is_some() || self.ratio.is_some() {
            let problem = "are given together with `count` or `ratio`; leave those out";
            return Err(Error::spec("penalties.values", problem));
        }
        in_range("the number of penalties.values", values.len(), 1, MAX_PENALTIES)?;
        for (at, value) in values.iter().enumerate() {
            check_positive(&format!("penalties.values[{at}]"), *value)?;
            if at > 0 && *value >= values[at - 1] {
                let problem =
                    format!("is {value}, after {}; the penalties must decrease", values[at - 1]);
                return Err(Error::spec(format!("penalties.values[{at}]"), problem));
            }
        }
        Ok(())
    }
}

/// How a penalty is chosen.
#[spec]
pub enum ChoiceSpec {
    /// The least extended Bayesian information criterion (Foygel and Drton 2010), summed over the sites:
    /// −2 log pseudolikelihood + 2 E (ln N + 2γ ln(D − 1)) for E edges. The pseudolikelihood is that of the network with
    /// the same edges that is fitted without a penalty. (That of the penalized one, as in van Borkulo et al. 2014,
    /// falls with the couplings' pull towards 0, which weaker penalties and false edges make up for.)
    Ebic {
        /// γ, 0 to 1: the greater, the fewer edges; 0.25 if absent, and 0 is BIC.
        #[serde(default = "quarter")]
        gamma: f64,
    },
    /// The greatest log pseudolikelihood of rows that were held out. It keeps more edges than there are.
    CrossValidation {
        /// Number of parts of the rows, each held out once; 10 if absent.
        #[serde(default = "ten")]
        num_folds: usize,
        /// Whether to take the greatest penalty whose score is within one standard error of the best; false if
        /// absent.
        #[serde(default)]
        one_standard_error: bool,
    },
    /// Stability selection (Meinshausen and Bühlmann 2010): the edges that are found in a large share of halves of
    /// the rows, at penalties so large that few of them are false.
    Stability {
        /// Number of halves; 100 if absent. Two each are the complement of one another.
        #[serde(default = "hundred")]
        num_subsamples: usize,
        /// The share in which an edge must be found, above 0.5, to 1; 0.75 if absent.
        #[serde(default = "three_quarters")]
        threshold: f64,
        /// The expected number of false edges that is allowed; 1 if absent.
        #[serde(default = "one")]
        false_edges: f64,
    },
}

impl Default for ChoiceSpec {
    fn default() -> Self {
        Self::Ebic { gamma: quarter() }
    }
}

fn quarter() -> f64 {
    0.25
}

fn ten() -> usize {
    10
}

fn hundred() -> usize {
    100
}

fn three_quarters() -> f64 {
    0.75
}

fn one() -> f64 {
    1.0
}

impl ChoiceSpec {
    /// γ of the criterion that is reported.
    pub fn gamma(&self) -> f64 {
        match self {
            Self::Ebic { gamma } => *gamma,
            _ => quarter(),
        }
    }

    /// Number of sets of rows, besides all of them, that a network is fitted to at each penalty.
    pub fn num_sets(&self) -> usize {
        match self {
            Self::Ebic { .. } => 0,
            Self::CrossValidation { num_folds, .. } => *num_folds,
            Self::Stability { num_subsamples, .. } => *num_subsamples,
        }
    }

    fn check(&self) -> Result<()> {
        let is_between = |name: &str, value: f64, low: f64, high: f64| {
            let problem = format!("is {value}; it must be from {low} to {high}");
            let field = format!("choice.{name}");
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::spec(field, problem)) }
        };
        match self {
            Self::Ebic { gamma } => is_between("gamma", *gamma, 0.0, 1.0),
            Self::CrossValidation { num_folds, .. } => {
                in_range("choice.numFolds", *num_folds, 2, 1000)
            }
            Self::Stability { num_subsamples, threshold, false_edges } => {
                in_range("choice.numSubsamples", *num_subsamples, 10, MAX_RESAMPLES)?;
                is_between("threshold", *threshold, 0.501, 1.0)?;
                check_positive("choice.falseEdges", *false_edges)
            }
        }
    }
}

impl NetworkSpec {
    /// Checks all that needs no rows.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn check(&self) -> Result<()> {
        self.penalties.check()?;
        self.choice.check()?;
        if self.bootstrap > 0 {
            in_range("bootstrap", self.bootstrap, 10, MAX_RESAMPLES)?;
        }
        if !(0.5..=0.999).contains(&self.confidence) {
            let problem = format!("is {}; it must be from 0.5 to 0.999", self.confidence);
            return Err(Error::spec("confidence", problem));
        }
        Ok(())
    }
}
