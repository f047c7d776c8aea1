//! The specs of `memorize` and `recall`.

use crate::checks::{check_positive, in_range};
use crate::data::DataSpec;
use crate::fit::stochastic::Rate;
use crate::memory::dynamics::UpdateOrder;
use crate::memory::noise::NoiseSpec;
use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use crate::models::ising::IsingSpec;
use crate::run::seed;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Largest margin, in nats: beyond it flows are only rounding errors.
const MAX_MARGIN: f64 = 50.0;

/// Maximum number of passes over the patterns.
const MAX_EPOCHS: usize = 1_000_000_000;

/// Maximum number of rows of a minibatch: one tile of units takes some 20 ms for that many.
const MAX_BATCH_SIZE: usize = 16_384;

/// The spec of `memorize`, which makes each pattern a strict local minimum of an Ising model's
/// energy, that of a Hopfield network.
#[spec]
pub struct MemorizeSpec {
    /// The model to start from, an Ising model with every pair coupled. Without numbers all its
    /// parameters are 0.
    pub model: ModelSpec,
    /// The patterns, rows of zeros and ones; up to 16,384. Moved out of the spec once read.
    #[ts(as = "DataSpec", optional = false)]
    pub patterns: Option<DataSpec>,
    /// The learning rule; minimum probability flow by L-BFGS if absent.
    #[serde(default)]
    pub rule: RuleSpec,
    /// Trains the rule on corrupted copies instead of the patterns. It then runs for its maximum
    /// number of passes, as the copies do not tell when to stop.
    #[serde(default)]
    pub noise: Option<NoiseSpec>,
    /// The energy gap, in nats, that each pattern must have to all its neighbours for learning to
    /// stop; up to 50. 0 asks for fixed points, which may have neighbours of the same energy. If
    /// absent, 1 for minimum probability flow, else 0.
    #[serde(default)]
    pub margin: Option<f64>,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A learning rule.
#[spec]
pub enum RuleSpec {
    /// Hopfield's rule: the sum of the patterns' outer products.
    OuterProduct {},
    /// Storkey's rule: that sum minus what the network already predicts.
    Storkey {},
    /// The perceptron rule with symmetric weights, one pattern after another until all are fixed
    /// points.
    Perceptron {
        /// Size of a correction, greater than 0; 1 if absent.
        #[serde(default = "one")]
        learning_rate: f64,
        /// Maximum number of passes over the patterns; 1,000 if absent.
        #[serde(default = "thousand")]
        max_epochs: usize,
    },
    /// Minimum probability flow out of the patterns.
    Mpf {
        /// How the flow is minimized.
        #[serde(default)]
        optimizer: FlowOptimizerSpec,
    },
}

/// How flow out of patterns is minimized.
#[spec]
pub enum FlowOptimizerSpec {
    /// Limited-memory BFGS over all rows at each evaluation.
    Lbfgs {
        /// Number of past steps from which the curvature is estimated, 1 to 100; 10 if absent.
        #[serde(default = "ten")]
        memory: usize,
        /// Maximum number of steps; 1,000 if absent.
        #[serde(default = "thousand")]
        max_iterations: usize,
    },
    /// Gradient descent on minibatches, in single precision: for thousands of units.
    Sgd {
        /// Changes linearly from `start` to `end`, in units of the reciprocal of the greatest
        /// curvature at the start, as estimated from the patterns: from 0.3 to 0.1 if absent. Near
        /// 2 it diverges.
        #[serde(default = "slowing")]
        learning_rate: Rate,
        /// Rows per step, 1 to 16,384; 800 if absent, or all if there are fewer.
        #[serde(default = "eight_hundred")]
        batch_size: usize,
        /// Number of passes over all copies of the patterns; 40 if absent.
        #[serde(default = "forty")]
        num_epochs: usize,
    },
    /// The local rule: a step down the flow out of one row after another.
    Online {
        /// The step η; 0.01 if absent. The pull of a row grows exponentially with its distance from
        /// being stored, so large rates diverge.
        #[serde(default = "hundredth")]
        learning_rate: f64,
        /// Maximum number of passes over the patterns; 1,000 if absent.
        #[serde(default = "thousand")]
        max_epochs: usize,
    },
}

fn one() -> f64 {
    1.0
}

fn hundredth() -> f64 {
    0.01
}

fn ten() -> usize {
    10
}

fn forty() -> usize {
    40
}

fn eight_hundred() -> usize {
    800
}

fn thousand() -> usize {
    1000
}

fn slowing() -> Rate {
    Rate { start: 0.3, end: 0.1 }
}

impl Default for FlowOptimizerSpec {
    fn default() -> Self {
        Self::Lbfgs { memory: ten(), max_iterations: thousand() }
    }
}

impl Default for RuleSpec {
    fn default() -> Self {
        Self::Mpf { optimizer: FlowOptimizerSpec::default() }
    }
}

impl RuleSpec {
    fn check(&self) -> Result<()> {
        match self {
            Self::OuterProduct {} | Self::Storkey {} => Ok(()),
            Self::Perceptron { learning_rate, max_epochs } => {
                check_positive("rule.learningRate", *learning_rate)?;
                in_range("rule.maxEpochs", *max_epochs, 1, MAX_EPOCHS)
            }
            Self::Mpf { optimizer } => optimizer.check(),
        }
    }
}

impl FlowOptimizerSpec {
    fn check(&self) -> Result<()> {
        let field = |name| format!("rule.optimizer.{name}");
        match self {
            Self::Lbfgs { memory, max_iterations } => {
                in_range(&field("memory"), *memory, 1, 100)?;
                in_range(&field("maxIterations"), *max_iterations, 1, MAX_EPOCHS)
            }
            Self::Sgd { learning_rate, batch_size, num_epochs } => {
                check_positive(&field("learningRate.start"), learning_rate.start)?;
                check_positive(&field("learningRate.end"), learning_rate.end)?;
                in_range(&field("batchSize"), *batch_size, 1, MAX_BATCH_SIZE)?;
                in_range(&field("numEpochs"), *num_epochs, 1, 1_000_000)
            }
            Self::Online { learning_rate, max_epochs } => {
                check_positive(&field("learningRate"), *learning_rate)?;
                in_range(&field("maxEpochs"), *max_epochs, 1, MAX_EPOCHS)
            }
        }
    }
}

impl MemorizeSpec {
    /// The required margin.
    pub fn wanted_margin(&self) -> f64 {
        self.margin.unwrap_or(match self.rule {
            RuleSpec::Mpf { .. } => 1.0,
            _ => 0.0,
        })
    }

    /// Fills in the default margin.
    pub(super) fn fill_margin(&mut self) {
        self.margin = Some(self.wanted_margin());
    }

    /// Checks everything that does not require the patterns.
    pub(super) fn check(&self) -> Result<()> {
        ising_of(&self.model)?;
        self.rule.check()?;
        if let Some(noise) = &self.noise {
            noise.check()?;
        }
        match self.margin {
            Some(margin) if !(0.0..=MAX_MARGIN).contains(&margin) => {
                let problem = format!("is {margin}; it must be from 0 to {MAX_MARGIN}");
                Err(Error::spec("margin", problem))
            }
            _ => Ok(()),
        }
    }
}

/// The spec of `recall`, which sets a model's units, one after another, to the values that lower
/// its energy, until nothing changes.
#[spec]
pub struct RecallSpec {
    /// An Ising model of up to 4,096 sites.
    pub model: ModelSpec,
    /// The states to start from, rows of zeros and ones. Moved out of the spec once read.
    #[ts(as = "DataSpec", optional = false)]
    pub cues: Option<DataSpec>,
    /// Starts from corrupted copies of the cues instead.
    #[serde(default)]
    pub noise: Option<NoiseSpec>,
    /// The order in which units are updated; from first to last if absent.
    #[serde(default = "in_order")]
    pub order: UpdateOrder,
    /// Maximum number of updates, each of all units once; 1,000 if absent. 1 gives the state after
    /// one update.
    #[serde(default = "thousand")]
    pub max_updates: usize,
    /// Whether to record every flip; false if absent.
    #[serde(default)]
    pub paths: bool,
    /// Sites, or entries of the state, that are observed and stay: they are set in the cues, neither corrupted nor updated.
    #[full]
    pub observed: Option<ObservedSpec>,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn in_order() -> UpdateOrder {
    UpdateOrder::InOrder {}
}

impl RecallSpec {
    /// Checks everything that does not require the cues.
    pub(super) fn check(&self) -> Result<()> {
        ising_of(&self.model)?;
        in_range("maxUpdates", self.max_updates, 1, 1_000_000)?;
        self.noise.as_ref().map_or(Ok(()), NoiseSpec::check)
    }
}

/// The Ising model of a memory.
///
/// # Errors
/// [`Error::MissingCapability`] for any other kind.
pub fn ising_of(model: &ModelSpec) -> Result<&IsingSpec> {
    match model {
        ModelSpec::Ising(spec) => Ok(spec),
        other => Err(Error::missing(
            other.build()?.kind(),
            "pairwise binary energy",
            "associative memory",
        )),
    }
}
