//! What a fit is asked to do.

use super::{in_range, seed};
use crate::data::DataSpec;
use crate::fit::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What `fit` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FitSpec {
    /// The model to start from; its parameters are what `init` begins with.
    pub model: ModelSpec,
    /// Rows of zeros and ones, as many columns as the model has sites. Taken
    /// out of the spec once read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(as = "DataSpec", optional = false))]
    pub data: Option<DataSpec>,
    /// What to minimize.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<ObjectiveSpec>"))]
    pub objective: ObjectiveSpec,
    /// How.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<OptimizerSpec>"))]
    pub optimizer: OptimizerSpec,
    /// The starting parameters.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<InitSpec>"))]
    pub init: InitSpec,
    /// Seed of everything random, 0 to 2⁵³ − 1; invented and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub seed: Option<u64>,
}

/// What to minimize.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ObjectiveSpec {
    /// Minimum probability flow.
    Mpf {
        /// Which states flow may go to.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<ConnectivitySpec>"))]
        connectivity: ConnectivitySpec,
    },
}

impl Default for ObjectiveSpec {
    fn default() -> Self {
        Self::Mpf { connectivity: ConnectivitySpec::default() }
    }
}

/// How to minimize.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum OptimizerSpec {
    /// Limited-memory BFGS.
    Lbfgs(LbfgsSpec),
}

impl Default for OptimizerSpec {
    fn default() -> Self {
        Self::Lbfgs(LbfgsSpec::default())
    }
}

/// Limited-memory BFGS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LbfgsSpec {
    /// Steps the curvature is estimated from, 1 to 100; 10 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub memory: usize,
    /// Most steps; 2,000 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub max_iterations: usize,
    /// How far from its minimum the objective may be in the end, relative to
    /// its size, as judged by the gradient; 1e-9 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
    pub tolerance: f64,
}

impl Default for LbfgsSpec {
    fn default() -> Self {
        Self { memory: 10, max_iterations: 2_000, tolerance: 1e-9 }
    }
}

/// Starting parameters of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum InitSpec {
    /// Those of the model given.
    Model {},
    /// Those of the model given, plus independent normal noise.
    Normal {
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
    /// Checks what can be told without the model.
    pub(super) fn check(&self) -> Result<()> {
        let OptimizerSpec::Lbfgs(optimizer) = &self.optimizer;
        in_range("optimizer.memory", optimizer.memory, 1, 100)?;
        in_range("optimizer.maxIterations", optimizer.max_iterations, 1, 1_000_000_000)?;
        if !(optimizer.tolerance > 0.0 && optimizer.tolerance < 1.0) {
            let problem = format!("is {}; it must lie between 0 and 1", optimizer.tolerance);
            return Err(Error::spec("optimizer.tolerance", problem));
        }
        match self.init {
            InitSpec::Normal { scale } if !(scale >= 0.0 && scale.is_finite()) => Err(Error::spec(
                "init.scale",
                format!("is {scale}; it must be finite and not negative"),
            )),
            InitSpec::Normal { .. } | InitSpec::Model {} => Ok(()),
        }
    }
}
