//! The optimizer of a fit.

use crate::checks::{check_positive, in_range};
use crate::fit::metric::{self, Damping};
use crate::fit::stochastic::Rate;
use crate::{Error, Result};
use unnorm_wire::spec;

/// The optimizer of a fit.
#[spec]
pub enum OptimizerSpec {
    /// Limited-memory BFGS, over all data at each evaluation.
    Lbfgs(LbfgsSpec),
    /// Stochastic gradient descent on minibatches, with momentum.
    #[full]
    Sgd(SgdSpec),
    /// Adam on minibatches (Kingma and Ba 2015).
    #[full]
    Adam(AdamSpec),
}

/// The spec of limited-memory BFGS.
#[spec(default)]
pub struct LbfgsSpec {
    /// Number of past steps from which the curvature is estimated, 1 to 100; 10 if absent.
    pub memory: usize,
    /// Maximum number of steps; 2,000 if absent. With 0 the objective is evaluated at the starting
    /// parameters, and the model is returned unchanged.
    pub max_iterations: usize,
    /// Tolerated gap between the objective and its minimum, relative to the objective, as judged by
    /// the gradient; 1e-9 if absent. The judgement suits the model's coordinates: in badly
    /// conditioned ones it ends too soon.
    pub tolerance: f64,
    /// The coordinates in which steps are taken; the model's if absent.
    pub coordinates: CoordinatesSpec,
}

impl Default for LbfgsSpec {
    fn default() -> Self {
        Self {
            memory: 10,
            max_iterations: 2_000,
            tolerance: 1e-9,
            coordinates: CoordinatesSpec::default(),
        }
    }
}

/// The coordinates an optimizer works in, in which its steps and rates are measured.
#[spec]
pub enum CoordinatesSpec {
    /// The coordinates the model offers for the data: for Ising models whitened
    /// spins, in which rates near 1 suit.
    Model {},
    /// The parameters themselves. A coupling of an Ising model is one
    /// parameter, though it stands in J twice.
    Params {},
    /// Coordinates in which a metric is the identity: gradient descent in them is the natural
    /// gradient. The metric is that at the starting parameters.
    #[full]
    Metric {
        /// The kind of metric.
        metric: metric::Kind,
        /// Which of its entries are kept.
        form: metric::Form,
        /// How its inverse is kept bounded; a ridge of 0.01 if absent.
        #[serde(default)]
        damping: Damping,
        /// Number of steps after which the metric is taken anew at the parameters reached, where the search begins
        /// without memory and the descent without velocity; it is kept if absent.
        refresh_every: Option<usize>,
    },
    /// Relative changes of a square matrix W of filters, of ica and complete productOfExperts: a step in the gradient
    /// by Φ, `W = W₀ + Φ W₀`, is the natural gradient of the group of matrices.
    #[full]
    Relative {
        /// Number of steps after which W₀ becomes the matrix reached; 10 if absent. Persistent minimum probability
        /// flow keeps the first.
        refresh_every: Option<usize>,
    },
}

impl Default for CoordinatesSpec {
    fn default() -> Self {
        Self::Model {}
    }
}

/// Number of steps after which relative changes are measured anew, if nothing is said.
#[cfg(feature = "full")]
const USUAL_REFRESH: usize = 10;

impl CoordinatesSpec {
    fn check(&self) -> Result<()> {
        match self {
            Self::Model {} | Self::Params {} => Ok(()),
            #[cfg(feature = "full")]
            Self::Metric { damping, refresh_every, .. } => {
                damping.check()?;
                check_refresh(*refresh_every)
            }
            #[cfg(feature = "full")]
            Self::Relative { refresh_every } => check_refresh(*refresh_every),
            #[cfg(not(feature = "full"))]
            _ => Ok(()),
        }
    }

    /// Whether the spec says when the coordinates are taken anew.
    #[cfg(feature = "full")]
    pub(crate) fn has_refresh(&self) -> bool {
        matches!(
            self,
            Self::Metric { refresh_every: Some(_), .. } | Self::Relative { refresh_every: Some(_) }
        )
    }

    /// Number of steps after which the coordinates are taken anew.
    #[cfg(feature = "full")]
    pub(crate) fn refresh_every(&self) -> Option<u64> {
        match self {
            Self::Model {} | Self::Params {} => None,
            Self::Metric { refresh_every, .. } => refresh_every.map(|every| every as u64),
            Self::Relative { refresh_every } => Some(refresh_every.unwrap_or(USUAL_REFRESH) as u64),
        }
    }
}

#[cfg(feature = "full")]
fn check_refresh(every: Option<usize>) -> Result<()> {
    every.map_or(Ok(()), |every| {
        in_range("optimizer.coordinates.refreshEvery", every, 1, 1_000_000_000)
    })
}

/// Stochastic gradient descent with momentum: `v ← μv − εg`, `θ ← θ + v`.
#[spec(default)]
pub struct SgdSpec {
    /// ε, changing linearly from the first update to the last; 0.5 to 0.01 if absent.
    pub learning_rate: Rate,
    /// μ, at least 0 and less than 1; 0 if absent.
    pub momentum: f64,
    /// Rows per minibatch; 100 if absent.
    pub batch_size: usize,
    /// Number of passes over the data; 10 if absent.
    pub num_epochs: usize,
    /// The coordinates in which steps are taken; the model's if absent.
    pub coordinates: CoordinatesSpec,
}

impl Default for SgdSpec {
    fn default() -> Self {
        Self {
            learning_rate: Rate { start: 0.5, end: 0.01 },
            momentum: 0.0,
            batch_size: 100,
            num_epochs: 10,
            coordinates: CoordinatesSpec::default(),
        }
    }
}

/// Adam: steps scaled by running means of the gradient and its square.
#[spec(default)]
pub struct AdamSpec {
    /// Length of a step in each coordinate, changing linearly from the first update to the last;
    /// 0.02 to 0.0005 if absent.
    pub learning_rate: Rate,
    /// Decay of the running mean of the gradient, at least 0 and less than 1; 0.9 if absent.
    pub beta1: f64,
    /// Decay of the running mean of its square, at least 0 and less than 1; 0.999 if absent.
    pub beta2: f64,
    /// Added to the root of that mean square, greater than 0; 1e-8 if absent.
    pub epsilon: f64,
    /// Rows per minibatch; 100 if absent.
    pub batch_size: usize,
    /// Number of passes over the data; 10 if absent.
    pub num_epochs: usize,
    /// The coordinates in which steps are taken; the model's if absent.
    pub coordinates: CoordinatesSpec,
}

impl Default for AdamSpec {
    fn default() -> Self {
        Self {
            learning_rate: Rate { start: 0.02, end: 0.0005 },
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            batch_size: 100,
            num_epochs: 10,
            coordinates: CoordinatesSpec::default(),
        }
    }
}

impl OptimizerSpec {
    /// Checks everything that does not require the model or the data.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Lbfgs(spec) => {
                in_range("optimizer.memory", spec.memory, 1, 100)?;
                in_range("optimizer.maxIterations", spec.max_iterations, 0, 1_000_000_000)?;
                if !(spec.tolerance > 0.0 && spec.tolerance < 1.0) {
                    let problem = format!("is {}; it must lie between 0 and 1", spec.tolerance);
                    return Err(Error::spec("optimizer.tolerance", problem));
                }
                spec.coordinates.check()
            }
            Self::Sgd(spec) => {
                fraction("momentum", spec.momentum)?;
                spec.coordinates.check()?;
                minibatches(spec.learning_rate, spec.batch_size, spec.num_epochs)
            }
            Self::Adam(spec) => {
                fraction("beta1", spec.beta1)?;
                fraction("beta2", spec.beta2)?;
                check_positive("optimizer.epsilon", spec.epsilon)?;
                spec.coordinates.check()?;
                minibatches(spec.learning_rate, spec.batch_size, spec.num_epochs)
            }
        }
    }
}

fn minibatches(rate: Rate, batch_size: usize, num_epochs: usize) -> Result<()> {
    check_positive("optimizer.learningRate.start", rate.start)?;
    check_positive("optimizer.learningRate.end", rate.end)?;
    in_range("optimizer.batchSize", batch_size, 1, 1 << 24)?;
    in_range("optimizer.numEpochs", num_epochs, 1, 1_000_000)
}

fn fraction(field: &str, value: f64) -> Result<()> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    let problem = format!("is {value}; it must be at least 0 and less than 1");
    Err(Error::spec(format!("optimizer.{field}"), problem))
}
