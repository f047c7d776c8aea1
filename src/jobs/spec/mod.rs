//! What a job is asked to do, as plain data. Field names are camel case,
//! unknown fields are refused, and everything but model and data has a default.
//! Variants without fields are written `{}`: serde lets unknown fields pass in
//! unit variants.

mod fit;
mod log_z;
mod memory;
mod objective;
mod optimizer;
mod patches;
mod sample;

pub use fit::{FitSpec, InitSpec};
pub use log_z::{
    LogZSpec, MAX_BETAS, PathSpec, PilotSpec, ReferenceSpec, ResamplingSpec, ReverseSpec,
    ReverseStartSpec, ScheduleSpec, SplineSpec,
};
pub use memory::{FlowOptimizerSpec, MemorizeSpec, RecallSpec, RuleSpec, ising_of};
pub use objective::ObjectiveSpec;
pub use optimizer::{AdamSpec, CoordinatesSpec, LbfgsSpec, OptimizerSpec, SgdSpec};
pub use patches::PatchesSpec;
pub use sample::{MAX_CHAINS, MAX_STEPS, SampleSpec, StartSpec};

use crate::bits::BitMatrix;
use crate::data::DataSpec;
use crate::fit::connectivity::ConnectivitySpec;
use crate::models::ModelSpec;
use crate::rng::{self, MAX_SEED};
use crate::value::Value;
use crate::{Error, FULL, Result, not_in_core};
use serde::de::{Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const KNOWN_VERBS: &str =
    "known are fit, sample, logZ, spline, exact, energies, memorize, recall and patches";

/// A job: one of the verbs with its spec.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verb", rename_all = "camelCase")]
pub enum JobSpec {
    /// Fit a model to data.
    Fit(FitSpec),
    /// Draw from a model.
    Sample(SampleSpec),
    /// Estimate a model's log Z.
    LogZ(LogZSpec),
    /// Find the knots of a path to anneal along.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Spline(SplineSpec),
    /// Tell what is known exactly of a model.
    Exact(ExactSpec),
    /// Compute energies of states.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Energies(EnergiesSpec),
    /// Store patterns in a network.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Memorize(MemorizeSpec),
    /// Recall patterns from cues.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Recall(RecallSpec),
    /// Take patches from pictures.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Patches(PatchesSpec),
}

/// What `exact` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExactSpec {
    /// The model.
    pub model: ModelSpec,
    /// Rows whose likelihood is wanted, if any; taken out of the spec once read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// With data: asks for the lower bound on their likelihood that the rates
    /// of minimum probability flow between these states give; up to 8 sites,
    /// and not with drawn neighbours.
    #[serde(default)]
    pub connectivity: Option<ConnectivitySpec>,
}

/// What `energies` should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnergiesSpec {
    /// The model.
    pub model: ModelSpec,
    /// The states, one after another, `[numStates, dim]`; of binary models
    /// zeros and ones.
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub states: Vec<f64>,
    /// Whether gradients are wanted too; they are not if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub gradients: bool,
}

impl JobSpec {
    /// Reads `{ verb, …spec }`.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] naming the field, as deep as it can be told.
    pub fn from_value(mut value: Value) -> Result<Self> {
        let arrays = value.take_large();
        if arrays.is_empty() {
            return Self::from_whole(value);
        }
        if let Ok(mut spec) = Self::from_whole(value.clone()) {
            let mut places: BTreeMap<_, _> = spec
                .arrays_mut()
                .into_iter()
                .map(|(path, place)| (path.join("."), place))
                .collect();
            if arrays.iter().all(|(path, _)| places.contains_key(&path.join("."))) {
                for (path, values) in arrays {
                    places.entry(path.join(".")).and_modify(|place| **place = values);
                }
                return Ok(spec);
            }
        }
        // What is wrong, or what is large and has no place of its own, serde sees whole.
        value.put_back(arrays);
        Self::from_whole(value)
    }

    fn from_whole(value: Value) -> Result<Self> {
        fn read<T: for<'de> Deserialize<'de>>(spec: Vec<(String, Value)>) -> Result<T> {
            T::deserialize(Value::Fields(spec)).map_err(|error| {
                let field = if error.field.is_empty() { "spec".into() } else { error.field };
                let mut problem = in_plain_words(error.problem);
                if !FULL && problem.starts_with("unknown variant") {
                    problem += "; others are not in the core: import createEngine from 'unnorm'";
                }
                Error::spec(field, problem)
            })
        }
        let Value::Fields(mut spec) = value else {
            return Err(Error::spec("spec", "is not an object"));
        };
        let Some(at) = spec.iter().position(|(name, _)| name == "verb") else {
            return Err(Error::spec("verb", format!("is missing; {KNOWN_VERBS}")));
        };
        match spec.remove(at).1 {
            Value::Text(verb) if verb == "fit" => read(spec).map(Self::Fit),
            Value::Text(verb) if verb == "sample" => read(spec).map(Self::Sample),
            Value::Text(verb) if verb == "logZ" => read(spec).map(Self::LogZ),
            Value::Text(verb) if FULL && verb == "spline" => read(spec).map(Self::Spline),
            Value::Text(verb) if verb == "exact" => read(spec).map(Self::Exact),
            Value::Text(verb) if FULL && verb == "energies" => read(spec).map(Self::Energies),
            Value::Text(verb) if FULL && verb == "memorize" => read(spec).map(Self::Memorize),
            Value::Text(verb) if FULL && verb == "recall" => read(spec).map(Self::Recall),
            Value::Text(verb) if FULL && verb == "patches" => read(spec).map(Self::Patches),
            Value::Text(verb) if !FULL && KNOWN_VERBS.contains(&verb) => Err(not_in_core(&verb)),
            _ => Err(Error::spec("verb", format!("is unknown; {KNOWN_VERBS}"))),
        }
    }

    /// The verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Fit(_) => "fit",
            Self::Sample(_) => "sample",
            Self::LogZ(_) => "logZ",
            Self::Spline(_) => "spline",
            Self::Exact(_) => "exact",
            Self::Energies(_) => "energies",
            Self::Memorize(_) => "memorize",
            Self::Recall(_) => "recall",
            Self::Patches(_) => "patches",
        }
    }

    /// The model, if there is one.
    pub fn model(&self) -> Option<&ModelSpec> {
        Some(match self {
            Self::Fit(spec) => &spec.model,
            Self::Sample(spec) => &spec.model,
            Self::LogZ(spec) => &spec.model,
            Self::Spline(spec) => &spec.model,
            Self::Exact(spec) => &spec.model,
            Self::Energies(spec) => &spec.model,
            Self::Memorize(spec) => &spec.model,
            Self::Recall(spec) => &spec.model,
            Self::Patches(_) => return None,
        })
    }

    /// The model, to change.
    pub fn model_mut(&mut self) -> Option<&mut ModelSpec> {
        Some(match self {
            Self::Fit(spec) => &mut spec.model,
            Self::Sample(spec) => &mut spec.model,
            Self::LogZ(spec) => &mut spec.model,
            Self::Spline(spec) => &mut spec.model,
            Self::Exact(spec) => &mut spec.model,
            Self::Energies(spec) => &mut spec.model,
            Self::Memorize(spec) => &mut spec.model,
            Self::Recall(spec) => &mut spec.model,
            Self::Patches(_) => return None,
        })
    }

    /// The large arrays, with the paths of the fields they belong in: between here and
    /// JavaScript they travel as typed arrays, past serde, which takes numbers one by one.
    pub fn arrays_mut(&mut self) -> Vec<(Vec<&'static str>, &mut Vec<f64>)> {
        let (model, states) = match self {
            Self::Fit(spec) => (&mut spec.model, spec.states.as_mut()),
            Self::LogZ(spec) => (&mut spec.model, spec.states.as_mut()),
            Self::Energies(spec) => (&mut spec.model, Some(&mut spec.states)),
            other => match other.model_mut() {
                Some(model) => (model, None),
                None => return Vec::new(),
            },
        };
        let of_model = model.arrays_mut().into_iter();
        let of_model = of_model.map(|(path, values)| ([&["model"], &path[..]].concat(), values));
        of_model.chain(states.map(|states| (vec!["states"], states))).collect()
    }

    /// Takes these arrays out, to be put back by [`JobSpec::put_arrays`].
    pub fn take_arrays(&mut self) -> Vec<(Vec<&'static str>, Vec<f64>)> {
        self.arrays_mut().into_iter().map(|(path, values)| (path, std::mem::take(values))).collect()
    }

    /// Puts arrays back that were taken out.
    pub fn put_arrays(&mut self, arrays: Vec<(Vec<&'static str>, Vec<f64>)>) {
        for ((_, place), (_, values)) in self.arrays_mut().into_iter().zip(arrays) {
            *place = values;
        }
    }

    /// The seed; 0 where nothing is random. Present once resolved.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Fit(spec) => spec.seed,
            Self::Sample(spec) => spec.seed,
            Self::LogZ(spec) => spec.seed,
            Self::Spline(spec) => spec.seed,
            Self::Memorize(spec) => spec.seed,
            Self::Recall(spec) => spec.seed,
            Self::Patches(spec) => spec.seed,
            Self::Exact(_) | Self::Energies(_) => Some(0),
        }
    }

    /// Whether the model's spec stays as it was given: a memory of thousands of units is kept
    /// packed, and the matrix would be twice its size.
    pub fn keeps_model(&self) -> bool {
        matches!(self, Self::Memorize(_) | Self::Recall(_))
    }

    /// Writes out what the model's spec leaves open, its parameters too.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn fill_model(&mut self) -> Result<()> {
        if self.keeps_model() {
            return Ok(());
        }
        if let Some(model) = self.model_mut() {
            *model = model.filled()?;
        }
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
            Self::LogZ(spec) => spec.data.take(),
            Self::Spline(spec) => spec.data.take(),
            Self::Exact(spec) => spec.data.take(),
            Self::Memorize(spec) => spec.patterns.take(),
            Self::Recall(spec) => spec.cues.take(),
            Self::Sample(_) | Self::Energies(_) | Self::Patches(_) => None,
        };
        data.map(|data| data.read()).transpose()
    }

    /// Writes out the defaults that depend on other fields.
    pub fn fill_defaults(&mut self) {
        match self {
            Self::Fit(spec) => spec.fill_optimizer(),
            Self::Memorize(spec) => spec.fill_margin(),
            Self::Patches(spec) if FULL => spec.fill_defaults(),
            _ => {}
        }
    }

    /// Fills in what only the machine can: the seed, where there is none, by
    /// `known` or else by inventing one.
    pub fn fill_seed(&mut self, known: Option<u64>) {
        let seed = match self {
            Self::Fit(spec) => &mut spec.seed,
            Self::Sample(spec) => &mut spec.seed,
            Self::LogZ(spec) => &mut spec.seed,
            Self::Spline(spec) => &mut spec.seed,
            Self::Memorize(spec) => &mut spec.seed,
            Self::Recall(spec) => &mut spec.seed,
            Self::Patches(spec) => &mut spec.seed,
            Self::Exact(_) | Self::Energies(_) => return,
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
            Self::LogZ(spec) => spec.check(),
            Self::Exact(_) | Self::Energies(_) => Ok(()),
            _ if !FULL => Err(not_in_core("verb")),
            Self::Spline(spec) => spec.moment_averages.check("momentAverages"),
            Self::Memorize(spec) => spec.check(),
            Self::Recall(spec) => spec.check(),
            Self::Patches(spec) => spec.check(),
        }
    }
}

/// What serde says, without the names of Rust's types.
fn in_plain_words(problem: String) -> String {
    let problem = [
        ("type: floating point", "type: number"),
        ("value: floating point", "value: number"),
        ("value: integer", "value: number"),
        ("type: integer", "type: number"),
        ("type: map", "type: object"),
        ("type: sequence", "type: array"),
        ("type: unit value", "type: null"),
        ("value: map", "value: object"),
    ]
    .iter()
    .fold(problem, |problem, (from, to)| problem.replace(from, to));
    let Some((before, expected)) = problem.split_once("expected ") else { return problem };
    // Beginnings of what serde can expect.
    let plain = [
        ("usize", "a whole number, 0 or more"),
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number, 0 or more"),
        ("u32", "a whole number, 0 or more"),
        ("u64", "a whole number, 0 or more"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a sequence", "an array"),
        ("internally tagged enum", "an object with a kind"),
        ("adjacently tagged enum", "an object with a kind"),
        ("variant identifier", "the name of a kind"),
        ("tuple struct", "an array"),
        ("tuple variant", "an array"),
        ("struct", "an object"),
        ("enum", "one of the names it can have"),
        ("unit", "null"),
        ("a map", "an object"),
        ("a tuple", "an array"),
    ];
    match plain.iter().find(|(start, _)| expected.starts_with(start)) {
        // What follows the name of a type, such as "with 2 elements", says no more.
        Some((_, plain)) => format!("{before}expected {plain}"),
        None => problem,
    }
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
    deserializer.deserialize_option(Seed)
}
