//! The spec of `evidence`.

use crate::checks::{check_positive, in_range};
use crate::energy::schedule;
use crate::evidence::latent::{
    BinaryAttributes, Clustering, LatentChain, LowRank, Table, VariancesSpec,
};
use crate::models::ModelSpec;
use crate::run::{SimulateSpec, seed};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum number of rows.
const MAX_ROWS: usize = 1 << 16;

/// Maximum number of entries of a table.
const MAX_NUMBERS: usize = 1 << 22;

/// Maximum size of an entry.
const MAX_ENTRY: f64 = 1e6;

/// Maximum number of clusters, factors or attributes.
const MAX_ORDER: usize = 64;

/// Maximum number of attributes where a row is summed over all values of its attributes.
const MAX_SUMMED: usize = 16;

/// Multiplications of a sweep over the coordinates of a density, about.
const DENSITY_COST: usize = 1 << 14;

/// Maximum number of trials.
const MAX_TRIALS: usize = 100_000;

/// Maximum number of sweeps, distributions, draws or starts.
const MAX_COUNT: usize = 10_000_000;

/// A model of a table with hidden variables for each row, or a density.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[serde(deny_unknown_fields)]
pub enum LatentModelSpec {
    /// Clusters: each row is a centre plus noise; the shares of the clusters are Dirichlet, the
    /// centres N(0, s²).
    Clustering {
        /// D, the number of columns.
        dim: usize,
        /// K.
        num_clusters: usize,
        /// α of the Dirichlet distribution, the same for each cluster; 1 if absent.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        concentration: f64,
        /// Variances of the centres and of the noise.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<VariancesSpec>"))]
        variances: VariancesSpec,
    },
    /// Low rank: each row is N(0, 1) factors times loadings N(0, s²), plus noise.
    LowRank {
        /// D, the number of columns.
        dim: usize,
        /// K.
        num_factors: usize,
        /// Variances of the loadings and of the noise.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<VariancesSpec>"))]
        variances: VariancesSpec,
    },
    /// Binary attributes: each row is the sum of the features N(0, s²) whose attributes it has, plus
    /// noise; the shares of the attributes are Beta.
    BinaryAttributes {
        /// D, the number of columns.
        dim: usize,
        /// K; at most 16 for the estimators that go row by row, and for `bic`.
        num_attributes: usize,
        /// First parameter of the Beta distribution, a count of rows with an attribute; 1 if absent.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        prior_on: f64,
        /// Second parameter, a count of rows without; 1 if absent.
        #[serde(default = "one")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        prior_off: f64,
        /// Variances of the features and of the noise.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<VariancesSpec>"))]
        variances: VariancesSpec,
    },
    /// A model on the reals, whose log Z is found by `nestedSampling` or `likelihoodWeighting` from a reference in the place
    /// of the prior: a second opinion beside `logZ`. There are no rows.
    Density {
        /// The model, without constraints, and not computed by JavaScript.
        energy: Box<ModelSpec>,
        /// A model with exact draws that covers it; N(0, I) if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Box<ModelSpec>>,
    },
}

fn one() -> f64 {
    1.0
}

impl LatentModelSpec {
    /// D, the number of columns; a density has one without rows.
    pub fn dim(&self) -> usize {
        match *self {
            Self::Clustering { dim, .. }
            | Self::LowRank { dim, .. }
            | Self::BinaryAttributes { dim, .. } => dim,
            Self::Density { .. } => 1,
        }
    }

    /// K; of a density 1.
    pub fn order(&self) -> usize {
        match *self {
            Self::Density { .. } => 1,
            Self::Clustering { num_clusters: order, .. }
            | Self::LowRank { num_factors: order, .. }
            | Self::BinaryAttributes { num_attributes: order, .. } => order,
        }
    }

    /// Number of hidden variables of a row.
    pub fn hidden_width(&self) -> usize {
        if matches!(self, Self::Clustering { .. }) { 1 } else { self.order() }
    }

    /// The variances; a density has none that could be sampled.
    pub fn variances(&self) -> &VariancesSpec {
        match self {
            Self::Density { .. } => &VariancesSpec::Fixed { signal: 1.0, noise: 1.0 },
            Self::Clustering { variances, .. }
            | Self::LowRank { variances, .. }
            | Self::BinaryAttributes { variances, .. } => variances,
        }
    }

    /// A chain over the model's variables, with no row given.
    ///
    /// # Panics
    /// If the model is a density.
    pub fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        match self.clone() {
            Self::Clustering { num_clusters, concentration, variances, .. } => {
                Box::new(Clustering::new(num_clusters, concentration, variances, table))
            }
            Self::LowRank { num_factors, variances, .. } => {
                Box::new(LowRank::new(num_factors, variances, table))
            }
            Self::BinaryAttributes { num_attributes, prior_on, prior_off, variances, .. } => {
                let counts = [prior_on, prior_off];
                Box::new(BinaryAttributes::new(num_attributes, counts, variances, table))
            }
            Self::Density { .. } => panic!("a density has no rows"),
        }
    }

    /// Whether this is a density.
    pub fn is_density(&self) -> bool {
        matches!(self, Self::Density { .. })
    }

    fn check(&self) -> Result<()> {
        in_range("model.dim", self.dim(), 1, MAX_NUMBERS)?;
        let (name, counts) = match *self {
            Self::Clustering { concentration, .. } => {
                ("numClusters", vec![("concentration", concentration)])
            }
            Self::LowRank { .. } => ("numFactors", vec![]),
            Self::Density { .. } => return Ok(()),
            Self::BinaryAttributes { prior_on, prior_off, .. } => {
                ("numAttributes", vec![("priorOn", prior_on), ("priorOff", prior_off)])
            }
        };
        in_range(&format!("model.{name}"), self.order(), 1, MAX_ORDER)?;
        for (name, value) in counts {
            check_positive(&format!("model.{name}"), value)?;
            if !(1e-6..=1e6).contains(&value) {
                let problem = format!("is {value}; it must be from 1e-6 to 1e6");
                return Err(Error::spec(format!("model.{name}"), problem));
            }
        }
        self.variances().check()
    }

    /// Multiplications of a sweep, about.
    pub fn sweep_cost(&self, num_rows: usize) -> usize {
        let (order, dim) = (self.order(), self.dim());
        let of_row = match self {
            Self::Clustering { .. } => order * (dim + 20),
            Self::LowRank { .. } => 2 * order * (dim + order),
            Self::BinaryAttributes { .. } => 2 * order * order * (dim + order),
            Self::Density { .. } => DENSITY_COST,
        };
        num_rows.max(1) * of_row
    }
}

/// How the evidence is estimated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[serde(deny_unknown_fields)]
pub enum EstimatorSpec {
    /// The exact value, for small tables: all hidden states are enumerated, or integrated over where
    /// that is one integral.
    Exact {},
    /// The mean likelihood of draws of the prior.
    LikelihoodWeighting {
        /// Number of draws of a trial; 10,000 if absent.
        #[serde(default = "ten_thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_draws: usize,
    },
    /// The harmonic mean of the likelihood over draws of the posterior. Not to be trusted: it is far
    /// too high, and its trials agree.
    HarmonicMean {
        /// Number of draws of a trial; 1,000 if absent.
        #[serde(default = "thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_draws: usize,
    },
    /// The Bayesian information criterion.
    Bic {
        /// Number of starts, or of draws of the posterior for binary attributes; 20 if absent.
        #[serde(default = "twenty")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_restarts: usize,
    },
    /// The lower bound of variational Bayes.
    VariationalBayes {
        /// Number of starts, of which the best counts; 20 if absent.
        #[serde(default = "twenty")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_restarts: usize,
        /// Whether to add the log of the number of names that clusters, factors or attributes could
        /// have; false if absent. The result is then no bound.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        symmetry: bool,
    },
    /// Chib's estimator, with a state at a random place in the chain.
    Chib {
        /// Number of states of the chain; 1,000 if absent.
        #[serde(default = "thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_sweeps: usize,
    },
    /// Nested sampling. It gives no bound.
    NestedSampling {
        /// Number of particles; 2 if absent.
        #[serde(default = "two")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_particles: usize,
        /// Sweeps that move a particle; 5 if absent.
        #[serde(default = "five")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_sweeps: usize,
    },
    /// Sequential Monte Carlo over the rows, with one particle.
    ParticleLearning {
        /// Sweeps after each row; 1 if absent.
        #[serde(default = "one_sweep")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_sweeps: usize,
    },
    /// Particle learning reversed, from a draw of the posterior.
    SequentialHarmonicMean {
        /// Sweeps before each row is taken out; 1 if absent.
        #[serde(default = "one_sweep")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_sweeps: usize,
    },
    /// Annealed importance sampling from the prior to the posterior and, if asked for, back.
    Annealing {
        /// K, the number of distributions after the prior; 1,000 if absent.
        #[serde(default = "thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_distributions: usize,
        /// δ of the sigmoidal schedule; 4 if absent, and 0 is linear.
        #[serde(default = "four")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        delta: f64,
        /// Whether to anneal from the posterior to the prior, too; if absent, where the table is
        /// simulated.
        #[serde(default)]
        reverse: Option<bool>,
    },
    /// Thermodynamic integration along the same path.
    ThermodynamicIntegration {
        /// K, the number of distributions after the prior; 1,000 if absent.
        #[serde(default = "thousand")]
        #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
        num_distributions: usize,
        /// δ of the sigmoidal schedule; 4 if absent, and 0 is linear.
        #[serde(default = "four")]
        #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
        delta: f64,
    },
}

fn one_sweep() -> usize {
    1
}
fn two() -> usize {
    2
}
fn four() -> f64 {
    4.0
}
fn five() -> usize {
    5
}
fn twenty() -> usize {
    20
}
fn thousand() -> usize {
    1000
}
fn ten_thousand() -> usize {
    10_000
}

impl Default for EstimatorSpec {
    fn default() -> Self {
        Self::Annealing { num_distributions: thousand(), delta: four(), reverse: None }
    }
}

impl EstimatorSpec {
    fn check(&self, model: &LatentModelSpec) -> Result<()> {
        let (name, count) = match *self {
            Self::Exact {} => return Ok(()),
            Self::LikelihoodWeighting { num_draws } | Self::HarmonicMean { num_draws } => {
                ("numDraws", num_draws)
            }
            Self::Bic { num_restarts } | Self::VariationalBayes { num_restarts, .. } => {
                ("numRestarts", num_restarts)
            }
            Self::Chib { num_sweeps }
            | Self::NestedSampling { num_sweeps, .. }
            | Self::ParticleLearning { num_sweeps }
            | Self::SequentialHarmonicMean { num_sweeps } => ("numSweeps", num_sweeps),
            Self::Annealing { num_distributions, .. }
            | Self::ThermodynamicIntegration { num_distributions, .. } => {
                ("numDistributions", num_distributions)
            }
        };
        in_range(&format!("estimator.{name}"), count, 1, MAX_COUNT)?;
        if let Self::NestedSampling { num_particles, .. } = *self {
            in_range("estimator.numParticles", num_particles, 2, 10_000)?;
        }
        if let Some(schedule) = self.schedule() {
            schedule?;
        }
        let sums_a_row = matches!(
            self,
            Self::ParticleLearning { .. } | Self::SequentialHarmonicMean { .. } | Self::Bic { .. }
        );
        if let LatentModelSpec::BinaryAttributes { num_attributes, .. } = *model
            && sums_a_row
            && num_attributes > MAX_SUMMED
        {
            return Err(Error::TooLarge {
                field: "model.numAttributes".into(),
                problem: format!(
                    "is {num_attributes}, and this estimator sums over all 2^K values of a row's \
                     attributes, for at most {MAX_SUMMED}; take fewer, or another estimator"
                ),
            });
        }
        Ok(())
    }

    /// The schedule of annealing, if there is one.
    pub fn schedule(&self) -> Option<Result<Vec<f64>>> {
        match *self {
            Self::Annealing { num_distributions, delta, .. }
            | Self::ThermodynamicIntegration { num_distributions, delta } => {
                let schedule = if delta == 0.0 {
                    schedule::linear(num_distributions)
                } else {
                    schedule::sigmoidal(num_distributions, delta)
                };
                Some(schedule.map_err(|error| match error {
                    Error::InvalidSpec { problem, .. } => Error::spec("estimator.delta", problem),
                    other => other,
                }))
            }
            _ => None,
        }
    }

    /// Whether its trials do not differ.
    pub fn is_deterministic(&self) -> bool {
        matches!(self, Self::Exact {})
    }
}

/// The spec of `evidence`: ln p(Y) of a table under a model with hidden variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceSpec {
    /// The model.
    pub model: LatentModelSpec,
    /// The rows of the table, one after another, `[numRows, dim]`. Models are about 0: subtract the
    /// means of the columns where they say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub states: Option<Vec<f64>>,
    /// A table drawn from the model in place of `states`. The hidden variables that it was made of are an
    /// exact draw of the posterior, and bounds from above are certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate: Option<SimulateSpec>,
    /// The estimator; annealing if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<EstimatorSpec>"))]
    pub estimator: EstimatorSpec,
    /// Number of independent runs of the estimator; 25 if absent.
    #[serde(default = "twenty_five")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_trials: usize,
    /// Sweeps from a draw of the prior to what is taken for a draw of the posterior, where an estimator
    /// begins at one and the table is not simulated; 1,000 if absent.
    #[serde(default = "thousand")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_warmup: usize,
    /// Confidence of the interval and of both bounds together, 0 to 1; 0.95 if absent.
    #[serde(default = "usual_confidence")]
    #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
    pub confidence: f64,
    /// Seed, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub seed: Option<u64>,
}

fn twenty_five() -> usize {
    25
}
fn usual_confidence() -> f64 {
    0.95
}

impl EvidenceSpec {
    /// Checks everything but that the table is small enough for exact computation.
    pub(super) fn check(&self) -> Result<()> {
        self.model.check()?;
        self.estimator.check(&self.model)?;
        in_range("numTrials", self.num_trials, 1, MAX_TRIALS)?;
        in_range("numWarmup", self.num_warmup, 1, MAX_COUNT)?;
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            let problem = format!("is {}; it must be between 0 and 1", self.confidence);
            return Err(Error::spec("confidence", problem));
        }
        if self.model.is_density() {
            return self.check_density();
        }
        let dim = self.model.dim();
        let num_rows = match (&self.states, &self.simulate) {
            (Some(states), None) => self.check_states(states)?,
            (None, Some(simulate)) => {
                in_range("simulate.numRows", simulate.num_rows, 1, MAX_ROWS)?;
                simulate.num_rows
            }
            (Some(_), Some(_)) => {
                let problem = "is given, and so are states; leave one of them out";
                return Err(Error::spec("simulate", problem));
            }
            (None, None) => {
                let problem = "are missing; give the rows of a table, or simulate: { numRows }";
                return Err(Error::spec("states", problem));
            }
        };
        if num_rows.saturating_mul(dim) > MAX_NUMBERS {
            return Err(Error::TooLarge {
                field: "states".into(),
                problem: format!(
                    "has {num_rows} rows of {dim} numbers; at most {MAX_NUMBERS} numbers are taken"
                ),
            });
        }
        Ok(())
    }

    fn check_density(&self) -> Result<()> {
        if self.states.is_some() || self.simulate.is_some() {
            let problem = "are given, but a density has no rows; leave them out";
            return Err(Error::spec("states", problem));
        }
        match self.estimator {
            EstimatorSpec::NestedSampling { .. } | EstimatorSpec::LikelihoodWeighting { .. } => {
                Ok(())
            }
            _ => {
                let problem = "must be nestedSampling or likelihoodWeighting for a density; for annealing take \
                               the verb logZ";
                Err(Error::spec("estimator.kind", problem))
            }
        }
    }

    /// The number of rows.
    fn check_states(&self, states: &[f64]) -> Result<usize> {
        let dim = self.model.dim();
        if states.is_empty() || !states.len().is_multiple_of(dim) {
            let problem = format!(
                "has {} numbers, but a row has {dim}; give one row or more, one after another",
                states.len()
            );
            return Err(Error::spec("states", problem));
        }
        if let Some(at) = states.iter().position(|value| !(value.abs() <= MAX_ENTRY)) {
            let problem = format!(
                "is {}; every entry must be a finite number, at most {MAX_ENTRY} in size: scale the table",
                states[at]
            );
            return Err(Error::spec(format!("states[{at}]"), problem));
        }
        in_range("the number of rows in states", states.len() / dim, 1, MAX_ROWS)?;
        Ok(states.len() / dim)
    }
}
