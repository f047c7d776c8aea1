//! The spec of a fit. [`crate::fit::job::spec::objective`] has what it minimizes,
//! [`crate::fit::job::spec::optimizer`] how.

#[cfg(feature = "full")]
mod errors;
#[cfg(feature = "full")]
mod hidden;
mod objective;
mod optimizer;

#[cfg(feature = "full")]
pub use errors::{BootstrapSpec, ErrorsSpec};
#[cfg(feature = "full")]
pub use hidden::{HiddenStatesSpec, MAX_SWEEPS};

pub use objective::ObjectiveSpec;
#[cfg(feature = "full")]
pub use objective::RestartNoise;
pub use optimizer::{AdamSpec, CoordinatesSpec, LbfgsSpec, OptimizerSpec, SgdSpec};

use crate::bits::BitMatrix;
#[cfg(feature = "full")]
use crate::checks::in_range;
use crate::data::DataSpec;
use crate::energy::Generative;
#[cfg(feature = "full")]
use crate::energy::connectivity::ConnectivitySpec;
use crate::fit::regularizer::RegularizerSpec;
use crate::models::ModelSpec;
use crate::run::seed;
use crate::{Error, Result};
use unnorm_wire::spec;

/// The spec of `fit`.
#[spec]
pub struct FitSpec {
    /// The model to start from; `init` says how its parameters are used.
    pub model: ModelSpec,
    /// For binary models: rows of zeros and ones with one column per site. Moved out of the spec
    /// once read.
    pub data: Option<DataSpec>,
    /// For models on ℝᴰ: the rows of the data, one after another, `[numRows, dim]`; for generative
    /// models `[numRows, numObserved]`.
    pub states: Option<Vec<f64>>,
    /// How many of the model's sites the rows do not show, the last ones: hidden units, which may be
    /// coupled to one another, of an Ising model. For contrastive divergence, persistent or not. 0 if
    /// absent.
    #[cfg(feature = "full")]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub num_hidden: usize,
    /// What stands in for the hidden sites of a row at each update; draws by Gibbs sampling if absent.
    #[cfg(feature = "full")]
    pub hidden_states: Option<HiddenStatesSpec>,
    /// What to minimize.
    #[serde(default)]
    pub objective: ObjectiveSpec,
    /// A penalty on large parameters, added to the objective.
    #[serde(default)]
    pub regularizer: Option<RegularizerSpec>,
    /// How to minimize. If absent: stochastic gradient descent for contrastive divergence, else
    /// L-BFGS, with ten steps per refresh for persistent minimum probability flow and expectation
    /// maximization. Mean field takes no optimizer.
    #[serde(default)]
    pub optimizer: Option<OptimizerSpec>,
    /// Whether to give errors of the parameters: `true` for those of the sandwich, for objectives that are a
    /// mean over rows, by `lbfgs`, of models with up to 512 parameters; `{ bootstrap: 200 }` for those of as
    /// many fits to resampled rows, for any fit but that of a stack. None if absent.
    #[cfg(feature = "full")]
    #[serde(default, skip_serializing_if = "ErrorsSpec::is_none")]
    pub errors: ErrorsSpec,
    /// The starting parameters.
    #[serde(default)]
    pub init: InitSpec,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

#[cfg(feature = "full")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Starting parameters of a fit.
#[spec]
pub enum InitSpec {
    /// The parameters of the given model.
    Model {},
    /// The parameters of the given model plus independent normal noise.
    Normal {
        /// Standard deviation of the noise.
        scale: f64,
    },
    /// The parameters of independent sites that are on as often as in the data, plus independent
    /// normal noise on all but biases. The parameters of the given model are not used.
    DataMeans {
        /// Standard deviation of the noise.
        scale: f64,
    },
}

impl Default for InitSpec {
    fn default() -> Self {
        Self::Model {}
    }
}

impl FitSpec {
    /// How many of the model's sites the rows do not show.
    pub fn num_hidden(&self) -> usize {
        #[cfg(not(feature = "full"))]
        return 0;
        #[cfg(feature = "full")]
        self.num_hidden
    }

    /// Fills in the optimizer, where the objective takes one, and the defaults that depend on it.
    pub(super) fn fill_optimizer(&mut self) {
        if self.optimizer.is_none() {
            self.optimizer = self.objective.default_optimizer();
        }
        let batch_size = match &self.optimizer {
            Some(OptimizerSpec::Sgd(spec)) => spec.batch_size,
            Some(OptimizerSpec::Adam(spec)) => spec.batch_size,
            Some(OptimizerSpec::Lbfgs(_)) | None => return,
        };
        self.objective.fill_chains(batch_size);
    }

    /// Fills in the settings of the objective that depend on the data, which must have been read.
    pub fn fill_for_data(&mut self, data: Option<&BitMatrix>) {
        match (data, &self.states) {
            (Some(data), _) => {
                let num_on: u64 =
                    data.words().iter().map(|word| u64::from(word.count_ones())).sum();
                let num_bits = data.num_rows() as f64 * data.dim() as f64;
                // Of sites of several values one bit is on in every row, so that this share says nothing of
                // the data.
                let share_on =
                    if self.model.has_site_values() { 0.5 } else { num_on as f64 / num_bits };
                self.objective.fill_for_rows(data.num_rows(), Some(share_on));
            }
            (None, Some(states)) => {
                let of_row = self.model.build().map_or(1, |model| {
                    model.as_generative().map_or(model.dim(), Generative::num_observed)
                });
                self.objective.fill_for_rows((states.len() / of_row.max(1)).max(1), None);
            }
            _ => {}
        }
    }

    /// Checks everything that does not require the model.
    pub(super) fn check(&self) -> Result<()> {
        self.objective.check()?;
        if let Some(optimizer) = &self.optimizer {
            optimizer.check()?;
            self.objective.check_optimizer(optimizer, self.model.is_binary())?;
        }
        if let Some(regularizer) = &self.regularizer {
            regularizer.check()?;
        }
        #[cfg(feature = "full")]
        self.check_errors()?;
        match self.init {
            InitSpec::Normal { scale } | InitSpec::DataMeans { scale }
                if !(scale >= 0.0 && scale.is_finite()) =>
            {
                Err(Error::spec(
                    "init.scale",
                    format!("is {scale}; it must be finite and not negative"),
                ))
            }
            InitSpec::Normal { .. } | InitSpec::DataMeans { .. } | InitSpec::Model {} => Ok(()),
        }?;
        if let ObjectiveSpec::MeanField { .. } = self.objective {
            // It is refused rather than silently ignored.
            if self.regularizer.is_some() {
                return Err(Error::spec(
                    "regularizer",
                    "cannot be used with mean field, which minimizes nothing; use objective.strength",
                ));
            }
            if self.init != InitSpec::default() {
                return Err(Error::spec(
                    "init",
                    "cannot be used with mean field, which starts nowhere; leave it out",
                ));
            }
        }
        Ok(())
    }

    /// Refuses errors of fits that have none: those of anything but a minimum of a mean over rows.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    #[cfg(feature = "full")]
    fn check_errors(&self) -> Result<()> {
        let refuse = |what: &str, remedy: &str| {
            Err(Error::spec("errors", format!("is true, and {what}; {remedy}")))
        };
        let bootstrap = "use { bootstrap: 200 }";
        if let (ModelSpec::Dbn(_), false) = (&self.model, self.errors.is_none()) {
            let problem =
                "is given, and a stack of machines has no objective as a whole; leave it out";
            return Err(Error::spec("errors", problem));
        }
        match self.errors {
            ErrorsSpec::Sandwich(false) => return Ok(()),
            ErrorsSpec::Bootstrap(BootstrapSpec { bootstrap }) => {
                return in_range("errors.bootstrap", bootstrap, 10, 10_000);
            }
            ErrorsSpec::Sandwich(true) => {}
        }
        match &self.objective {
            ObjectiveSpec::Mpf { exclude_data: true, .. } => {
                refuse("with excludeData a row's flow depends on the other rows", "leave that out")
            }
            ObjectiveSpec::Mpf { connectivity: Some(ConnectivitySpec::Sampled { .. }), .. } => {
                refuse(
                    "neighbours that are drawn belong to distinct rows, not to rows",
                    "take singleFlips, singleAndAllFlips or flipSets",
                )
            }
            ObjectiveSpec::Mpf { .. }
            | ObjectiveSpec::Pseudolikelihood {}
            | ObjectiveSpec::MaximumLikelihood {}
            | ObjectiveSpec::ScoreMatching { .. }
            | ObjectiveSpec::DenoisingScoreMatching { .. }
            | ObjectiveSpec::NoiseContrastive { .. } => {
                match (&self.optimizer, &self.regularizer) {
                    (Some(OptimizerSpec::Sgd(_) | OptimizerSpec::Adam(_)), _) => refuse(
                        "minibatches end near a minimum, not at it",
                        "use the optimizer lbfgs, or { bootstrap: 200 }",
                    ),
                    (_, Some(RegularizerSpec::L1 { .. })) => refuse(
                        "an L1 penalty has no second derivative where parameters are 0",
                        bootstrap,
                    ),
                    _ => Ok(()),
                }
            }
            other => refuse(
                &format!("{} minimizes no mean of a function of one row", other.kind()),
                bootstrap,
            ),
        }
    }
}
