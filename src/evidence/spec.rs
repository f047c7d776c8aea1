//! The spec of `evidence`.

use crate::checks::in_range;
use crate::energy::schedule;
use crate::models::ModelSpec;
use crate::models::latent::{
    BinaryAttributesSpec, ClusteredLowRankSpec, ClusteringSpec, LatentChain, LowRankSpec, MAX_ROWS,
    Table, TableModel, VariancesSpec, check_rows, check_size,
};
use crate::run::{SimulateSpec, seed};
use crate::{Error, Result};
use std::sync::Arc;
use unnorm_wire::spec;

/// Maximum number of attributes where a row is summed over all values of its attributes.
const MAX_SUMMED: usize = 16;

/// Multiplications of a sweep over the coordinates of a density, about.
const DENSITY_COST: usize = 1 << 14;

/// Maximum number of trials.
const MAX_TRIALS: usize = 100_000;

/// Maximum number of sweeps, distributions, draws or starts.
const MAX_COUNT: usize = 10_000_000;

/// A model of a table with hidden variables for each row, or a density.
#[spec]
pub enum LatentModelSpec {
    /// Clusters.
    Clustering(ClusteringSpec),
    /// Low rank.
    LowRank(LowRankSpec),
    /// Low rank with clustered loadings.
    ClusteredLowRank(ClusteredLowRankSpec),
    /// Binary attributes.
    BinaryAttributes(BinaryAttributesSpec),
    /// A model on the reals, whose log Z is found by `nestedSampling` or `likelihoodWeighting` from a reference in the place
    /// of the prior: a second opinion beside `logZ`. There are no rows.
    Density {
        /// The model, without constraints, and not computed by JavaScript.
        energy: Box<ModelSpec>,
        /// A model with exact draws that covers it; N(0, I) if absent.
        reference: Option<Box<ModelSpec>>,
    },
}

impl LatentModelSpec {
    /// The model of a table; none of a density.
    pub fn as_table_model(&self) -> Option<&dyn TableModel> {
        match self {
            Self::Clustering(spec) => Some(spec),
            Self::LowRank(spec) => Some(spec),
            Self::ClusteredLowRank(spec) => Some(spec),
            Self::BinaryAttributes(spec) => Some(spec),
            Self::Density { .. } => None,
        }
    }

    /// The model of a table.
    ///
    /// # Panics
    /// If it is a density.
    pub fn table_model(&self) -> &dyn TableModel {
        self.as_table_model().expect("a density has no rows")
    }

    /// D, the number of columns; a density has one without rows.
    pub fn dim(&self) -> usize {
        self.as_table_model().map_or(1, TableModel::dim)
    }

    /// K; of a density 1.
    pub fn order(&self) -> usize {
        self.as_table_model().map_or(1, TableModel::order)
    }

    /// The variances; a density has none that could be sampled.
    pub fn variances(&self) -> &VariancesSpec {
        let none = &VariancesSpec::Fixed { signal: 1.0, noise: 1.0 };
        self.as_table_model().map_or(none, TableModel::variances)
    }

    /// A chain over the model's variables, with no row given.
    ///
    /// # Panics
    /// If the model is a density.
    pub fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        self.table_model().chain(table)
    }

    /// Whether this is a density.
    pub fn is_density(&self) -> bool {
        matches!(self, Self::Density { .. })
    }

    fn check(&self) -> Result<()> {
        let Some(model) = self.as_table_model() else { return Ok(()) };
        if model.states().is_some() {
            let problem = "are given with the model; `evidence` has its own field for them: move them to states";
            return Err(Error::spec("model.states", problem));
        }
        model.check()
    }

    /// Multiplications of a sweep, about.
    pub fn sweep_cost(&self, num_rows: usize) -> usize {
        self.as_table_model().map_or(DENSITY_COST, |model| model.sweep_cost(num_rows))
    }
}

/// How the evidence is estimated.
#[spec]
pub enum EstimatorSpec {
    /// The exact value, for small tables: all hidden states are enumerated, or integrated over where
    /// that is one integral.
    Exact {},
    /// The mean likelihood of draws of the prior.
    LikelihoodWeighting {
        /// Number of draws of a trial; 10,000 if absent.
        #[serde(default = "ten_thousand")]
        num_draws: usize,
    },
    /// The harmonic mean of the likelihood over draws of the posterior. Not to be trusted: it is far
    /// too high, and its trials agree.
    HarmonicMean {
        /// Number of draws of a trial; 1,000 if absent.
        #[serde(default = "thousand")]
        num_draws: usize,
    },
    /// The Bayesian information criterion.
    Bic {
        /// Number of starts, or of draws of the posterior for binary attributes; 20 if absent.
        #[serde(default = "twenty")]
        num_restarts: usize,
    },
    /// The lower bound of variational Bayes.
    VariationalBayes {
        /// Number of starts, of which the best counts; 20 if absent.
        #[serde(default = "twenty")]
        num_restarts: usize,
        /// Whether to add the log of the number of names that clusters, factors or attributes could
        /// have; false if absent. The result is then no bound.
        #[serde(default)]
        symmetry: bool,
    },
    /// Chib's estimator, with a state at a random place in the chain.
    Chib {
        /// Number of states of the chain; 1,000 if absent.
        #[serde(default = "thousand")]
        num_sweeps: usize,
    },
    /// Nested sampling. It gives no bound.
    NestedSampling {
        /// Number of particles; 2 if absent.
        #[serde(default = "two")]
        num_particles: usize,
        /// Sweeps that move a particle; 5 if absent.
        #[serde(default = "five")]
        num_sweeps: usize,
    },
    /// Sequential Monte Carlo over the rows, with one particle.
    ParticleLearning {
        /// Sweeps after each row; 1 if absent.
        #[serde(default = "one_sweep")]
        num_sweeps: usize,
    },
    /// Particle learning reversed, from a draw of the posterior.
    SequentialHarmonicMean {
        /// Sweeps before each row is taken out; 1 if absent.
        #[serde(default = "one_sweep")]
        num_sweeps: usize,
    },
    /// Annealed importance sampling from the prior to the posterior and, if asked for, back.
    Annealing {
        /// K, the number of distributions after the prior; 1,000 if absent.
        #[serde(default = "thousand")]
        num_distributions: usize,
        /// δ of the sigmoidal schedule; 4 if absent, and 0 is linear.
        #[serde(default = "four")]
        delta: f64,
        /// Whether to anneal from the posterior to the prior, too; if absent, where the table is
        /// simulated.
        #[serde(default)]
        reverse: Option<bool>,
    },
    /// Compositional importance sampling, for `clusteredLowRank`: annealing without clusters, and then of the
    /// clusters of the loadings that it came to.
    Compositional {
        /// K, the number of distributions after the prior, in each of both; 1,000 if absent.
        #[serde(default = "thousand")]
        num_distributions: usize,
        /// δ of the sigmoidal schedule; 4 if absent, and 0 is linear.
        #[serde(default = "four")]
        delta: f64,
    },
    /// Thermodynamic integration along the same path.
    ThermodynamicIntegration {
        /// K, the number of distributions after the prior; 1,000 if absent.
        #[serde(default = "thousand")]
        num_distributions: usize,
        /// δ of the sigmoidal schedule; 4 if absent, and 0 is linear.
        #[serde(default = "four")]
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
            | Self::Compositional { num_distributions, .. }
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
        self.check_kind(model)?;
        let sums_a_row = matches!(
            self,
            Self::ParticleLearning { .. } | Self::SequentialHarmonicMean { .. } | Self::Bic { .. }
        );
        if let LatentModelSpec::BinaryAttributes(BinaryAttributesSpec { num_attributes, .. }) =
            *model
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

    /// Checks that the estimator is there for this kind of model.
    fn check_kind(&self, model: &LatentModelSpec) -> Result<()> {
        let is_clustered = matches!(model, LatentModelSpec::ClusteredLowRank(_));
        match self {
            Self::Compositional { .. } if !is_clustered => {
                let problem = "compositional is for the model clusteredLowRank; take annealing";
                Err(Error::spec("estimator.kind", problem))
            }
            Self::Bic { .. } | Self::VariationalBayes { .. } if is_clustered => {
                let problem = "must be another for clusteredLowRank: there is neither a bound of variational \
                               Bayes nor a Bayesian information criterion; take compositional or annealing";
                Err(Error::spec("estimator.kind", problem))
            }
            _ => Ok(()),
        }
    }

    /// The schedule of annealing, if there is one.
    pub fn schedule(&self) -> Option<Result<Vec<f64>>> {
        match *self {
            Self::Annealing { num_distributions, delta, .. }
            | Self::Compositional { num_distributions, delta }
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
#[spec]
pub struct EvidenceSpec {
    /// The model.
    pub model: LatentModelSpec,
    /// The rows of the table, one after another, `[numRows, dim]`. Models are about 0: subtract the
    /// means of the columns where they say nothing.
    pub states: Option<Vec<f64>>,
    /// A table drawn from the model in place of `states`. The hidden variables that it was made of are an
    /// exact draw of the posterior, and bounds from above are certified.
    pub simulate: Option<SimulateSpec>,
    /// The estimator; annealing if absent.
    #[serde(default)]
    pub estimator: EstimatorSpec,
    /// Number of independent runs of the estimator; 25 if absent.
    #[serde(default = "twenty_five")]
    pub num_trials: usize,
    /// Sweeps from a draw of the prior to what is taken for a draw of the posterior, where an estimator
    /// begins at one and the table is not simulated; 1,000 if absent.
    #[serde(default = "thousand")]
    pub num_warmup: usize,
    /// Confidence of the interval and of both bounds together, 0 to 1; 0.95 if absent.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
    /// Seed, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
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
        match (&self.states, &self.simulate) {
            (Some(states), None) => check_rows("states", states, dim).map(|_| ()),
            (None, Some(simulate)) => {
                in_range("simulate.numRows", simulate.num_rows, 1, MAX_ROWS)?;
                check_size("states", simulate.num_rows, dim)
            }
            (Some(_), Some(_)) => {
                let problem = "is given, and so are states; leave one of them out";
                Err(Error::spec("simulate", problem))
            }
            (None, None) => {
                let problem = "are missing; give the rows of a table, or simulate: { numRows }";
                Err(Error::spec("states", problem))
            }
        }
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
}
