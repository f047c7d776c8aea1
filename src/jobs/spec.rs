//! What a job is asked to do, as plain data. Field names are camel case,
//! unknown fields are refused, and everything but model and data has a default.
//! Variants without fields are written `{}`: serde lets unknown fields pass in
//! unit variants.

use crate::bits::BitMatrix;
use crate::data::DataSpec;
use crate::fit::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use crate::rng::{self, MAX_SEED};
use crate::{Error, Result};
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

/// Most chains a job.
pub const MAX_CHAINS: usize = 1 << 20;

/// Most sweeps a chain, warmup and draws together.
pub const MAX_SWEEPS: usize = 1_000_000_000;

/// A job: one of the verbs with its spec.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verb", rename_all = "camelCase")]
pub enum JobSpec {
    /// Fit a model to data.
    Fit(FitSpec),
    /// Draw from a model.
    Sample(SampleSpec),
    /// Enumerate a model's states.
    Exact(ExactSpec),
}

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

/// What `sample` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SampleSpec {
    /// The model to draw from.
    pub model: ModelSpec,
    /// How a chain moves.
    pub transition: TransitionSpec,
    /// Number of independent chains.
    pub num_chains: usize,
    /// Sweeps each chain makes before its first draw.
    pub num_warmup: usize,
    /// Draws from each chain.
    pub num_draws: usize,
    /// Sweeps from one draw to the next; 1 if absent.
    #[serde(default = "one")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_sweeps_per_draw: usize,
    /// Where the chains start.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<StartSpec>"))]
    pub start: StartSpec,
    /// Seed of everything random, 0 to 2⁵³ − 1; invented and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub seed: Option<u64>,
}

fn one() -> usize {
    1
}

/// How a chain moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum TransitionSpec {
    /// Gibbs sampling, site after site.
    Gibbs {},
}

/// Where chains start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum StartSpec {
    /// Independent fair coins.
    Random {},
    /// Chain c starts from row c of the data, counted round and round.
    Data {
        /// The rows. Taken out of the spec once read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(as = "DataSpec", optional = false))]
        data: Option<DataSpec>,
    },
}

impl Default for StartSpec {
    fn default() -> Self {
        Self::Random {}
    }
}

/// What `exact` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExactSpec {
    /// The model to enumerate.
    pub model: ModelSpec,
}

impl JobSpec {
    /// Reads the spec of a verb, without the field `verb` itself.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] naming the field, as deep as it can be told.
    pub fn deserialize<'de, D: Deserializer<'de>>(verb: &str, spec: D) -> Result<Self> {
        fn read<'de, D: Deserializer<'de>, T: Deserialize<'de>>(spec: D) -> Result<T> {
            serde_path_to_error::deserialize(spec).map_err(|error| {
                let path = error.path().to_string();
                let field = if path == "." || path == "?" { "spec".into() } else { path };
                Error::spec(field, error.into_inner().to_string())
            })
        }
        match verb {
            "fit" => read(spec).map(Self::Fit),
            "sample" => read(spec).map(Self::Sample),
            "exact" => read(spec).map(Self::Exact),
            _ => Err(Error::spec("verb", format!("is `{verb}`; known are fit, sample and exact"))),
        }
    }

    /// The verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Fit(_) => "fit",
            Self::Sample(_) => "sample",
            Self::Exact(_) => "exact",
        }
    }

    /// The model.
    pub fn model(&self) -> &ModelSpec {
        match self {
            Self::Fit(spec) => &spec.model,
            Self::Sample(spec) => &spec.model,
            Self::Exact(spec) => &spec.model,
        }
    }

    /// The model, to change.
    pub fn model_mut(&mut self) -> &mut ModelSpec {
        match self {
            Self::Fit(spec) => &mut spec.model,
            Self::Sample(spec) => &mut spec.model,
            Self::Exact(spec) => &mut spec.model,
        }
    }

    /// The seed; 0 where nothing is random. Present once resolved.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Fit(spec) => spec.seed,
            Self::Sample(spec) => spec.seed,
            Self::Exact(_) => Some(0),
        }
    }

    /// Writes out what the model's spec leaves open, its parameters too.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn fill_model(&mut self) -> Result<()> {
        *self.model_mut() = self.model().build()?.spec();
        Ok(())
    }

    /// Takes the data out of the spec and reads them.
    ///
    /// # Errors
    /// [`Error::InvalidData`] or [`Error::TooLarge`] where they cannot be used.
    pub fn take_data(&mut self) -> Result<Option<BitMatrix>> {
        let data = match self {
            Self::Fit(spec) => spec.data.take(),
            Self::Sample(SampleSpec { start: StartSpec::Data { data }, .. }) => data.take(),
            Self::Sample(_) | Self::Exact(_) => None,
        };
        data.map(|data| data.read()).transpose()
    }

    /// Fills in what only the machine can: the seed, where there is none, by
    /// `known` or else by inventing one.
    pub fn fill_seed(&mut self, known: Option<u64>) {
        let seed = match self {
            Self::Fit(spec) => &mut spec.seed,
            Self::Sample(spec) => &mut spec.seed,
            Self::Exact(_) => return,
        };
        seed.get_or_insert_with(|| known.unwrap_or_else(rng::invent_seed));
    }

    /// Checks everything that can be told without building the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn check(&self) -> Result<()> {
        if self.seed().is_some_and(|seed| seed > MAX_SEED) {
            return Err(Error::spec(
                "seed",
                format!("must be an integer from 0 to {MAX_SEED}, 2^53 − 1"),
            ));
        }
        match self {
            Self::Fit(spec) => spec.check(),
            Self::Sample(spec) => spec.check(),
            Self::Exact(_) => Ok(()),
        }
    }
}

impl FitSpec {
    fn check(&self) -> Result<()> {
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

impl SampleSpec {
    fn check(&self) -> Result<()> {
        in_range("numChains", self.num_chains, 1, MAX_CHAINS)?;
        in_range("numDraws", self.num_draws, 1, MAX_SWEEPS)?;
        in_range("numWarmup", self.num_warmup, 0, MAX_SWEEPS)?;
        in_range("numSweepsPerDraw", self.num_sweeps_per_draw, 1, MAX_SWEEPS)?;
        let sweeps =
            self.num_draws as u128 * self.num_sweeps_per_draw as u128 + self.num_warmup as u128;
        if sweeps > MAX_SWEEPS as u128 {
            return Err(Error::TooLarge {
                field: "numDraws".into(),
                problem: format!(
                    "asks for {sweeps} sweeps a chain; at most {MAX_SWEEPS} are allowed"
                ),
            });
        }
        Ok(())
    }
}

fn in_range(field: &str, value: usize, min: usize, max: usize) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::spec(field, format!("is {value}; it must be from {min} to {max}")))
}

/// A seed, with an error that says what one is.
fn seed<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<u64>, D::Error> {
    struct Seed;
    impl<'de> Visitor<'de> for Seed {
        type Value = Option<u64>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "an integer from 0 to {MAX_SEED}, 2^53 − 1")
        }
        fn visit_none<E>(self) -> std::result::Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_some<D: Deserializer<'de>>(
            self,
            inner: D,
        ) -> std::result::Result<Self::Value, D::Error> {
            inner.deserialize_any(self)
        }
        fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<Self::Value, E> {
            if value <= MAX_SEED {
                Ok(Some(value))
            } else {
                Err(E::invalid_value(Unexpected::Unsigned(value), &self))
            }
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> std::result::Result<Self::Value, E> {
            match u64::try_from(value) {
                Ok(value) => self.visit_u64(value),
                Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
            }
        }
    }
    deserializer.deserialize_option(Seed).map_err(D::Error::custom)
}
