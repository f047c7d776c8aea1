//! The registry of verbs, one line each, and jobs of any of them.

mod any;
mod job;
mod words;

#[cfg(test)]
mod tests;

pub use job::{Job, create_worker, run};

use crate::arrays::{ArrayMut, Arrays, Path, arrays_of};
use crate::bits::BitMatrix;
use crate::energies::EnergiesSpec;
use crate::evidence::spec::EvidenceSpec;
use crate::exact::job::spec::ExactSpec;
use crate::fit::job::spec::FitSpec;
use crate::kernels::spec::KernelsSpec;
use crate::markov::spec::ChainSpec;
use crate::memory::spec::{MemorizeSpec, RecallSpec};
use crate::mode::ModeSpec;
use crate::network::spec::NetworkSpec;
use crate::normalize::log_z::spec::LogZSpec;
use crate::normalize::spline::spec::SplineSpec;
use crate::patches::job::spec::PatchesSpec;
use crate::rng::MAX_SEED;
use crate::run::{Outcome, Verb};
use crate::sample::job::spec::SampleSpec;
use crate::structure::spec::StructureSpec;
use crate::value::{Value, ValueError};
use crate::{Error, Result, not_in_core};
use any::AnyVerb;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Defines the enums of all verbs' specs, progress and results. A verb that a build leaves out
/// keeps its index, by which checkpoints identify it.
macro_rules! verbs {
    (@ arrays $any:ident: $($(#[$built:meta])* $verb:ident,)*) => {
        impl Arrays for $any {
            fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>) {
                match self {
                    $($(#[$built])* Self::$verb(data) => data.add_arrays(path, found),)*
                }
            }
        }
    };
    ($($(#[$built:meta])* $verb:ident($spec:ty),)*) => {
        /// All verbs, including those that this build leaves out.
        pub const VERBS: &[&str] = &[$(<$spec>::NAME),*];

        /// A job: one of the verbs with its spec.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "verb", rename_all = "camelCase")]
        #[allow(missing_docs)]
        pub enum JobSpec {
            $($(#[$built])* $verb($spec),)*
        }

        /// Progress of a job.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        #[allow(missing_docs)]
        pub enum Progress {
            $($(#[$built])* $verb(<$spec as Verb>::Progress),)*
        }

        /// Result of a job.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        // There is one a job.
        #[allow(missing_docs, clippy::large_enum_variant)]
        pub enum JobResult {
            $($(#[$built])* $verb(<$spec as Verb>::Output),)*
        }

        impl JobSpec {
            fn read(verb: &str, fields: Value) -> Option<std::result::Result<Self, ValueError>> {
                $($(#[$built])* if verb == <$spec>::NAME {
                    return Some(<$spec>::deserialize(fields).map(Self::$verb));
                })*
                None
            }

            fn any(&self) -> &dyn AnyVerb {
                match self {
                    $($(#[$built])* Self::$verb(spec) => spec,)*
                }
            }

            fn any_mut(&mut self) -> &mut dyn AnyVerb {
                match self {
                    $($(#[$built])* Self::$verb(spec) => spec,)*
                }
            }
        }

        impl JobResult {
            /// SHA-256 of the numbers, in hexadecimal.
            pub fn digest(&self) -> &str {
                match self {
                    $($(#[$built])* Self::$verb(result) => result.digest(),)*
                }
            }
        }

        verbs!(@ arrays JobSpec: $($(#[$built])* $verb,)*);
        verbs!(@ arrays Progress: $($(#[$built])* $verb,)*);
        verbs!(@ arrays JobResult: $($(#[$built])* $verb,)*);

        $($(#[$built])* impl any::Registered for $spec {
            fn progress(progress: Self::Progress) -> Progress {
                Progress::$verb(progress)
            }
            fn result(output: Self::Output) -> JobResult {
                JobResult::$verb(output)
            }
        })*
    };
}

// Append new verbs at the end.
verbs! {
    Fit(FitSpec),
    Sample(SampleSpec),
    Exact(ExactSpec),
    #[cfg(feature = "full")]
    Energies(EnergiesSpec),
    LogZ(LogZSpec),
    #[cfg(feature = "full")]
    Spline(SplineSpec),
    #[cfg(feature = "full")]
    Memorize(MemorizeSpec),
    #[cfg(feature = "full")]
    Recall(RecallSpec),
    #[cfg(feature = "full")]
    Patches(PatchesSpec),
    #[cfg(feature = "full")]
    Evidence(EvidenceSpec),
    #[cfg(feature = "full")]
    Chain(ChainSpec),
    #[cfg(feature = "full")]
    Mode(ModeSpec),
    #[cfg(feature = "full")]
    Network(NetworkSpec),
    #[cfg(feature = "full")]
    Kernels(KernelsSpec),
    #[cfg(feature = "full")]
    Structure(StructureSpec),
}

impl JobSpec {
    /// Reads `{ verb, …spec }`.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the innermost field known.
    pub fn from_value(mut value: Value) -> Result<Self> {
        let arrays = value.take_large();
        if arrays.is_empty() {
            return Self::from_whole(value);
        }
        if let Ok(mut spec) = Self::from_whole(value.clone()) {
            let places = arrays_of(&mut spec).into_iter();
            let mut places: BTreeMap<_, _> =
                places.map(|(path, place)| (path.join("."), place)).collect();
            if arrays.iter().all(|(path, _)| places.contains_key(&path.join("."))) {
                for (path, values) in arrays {
                    if let Some(ArrayMut::F64(place)) = places.get_mut(&path.join(".")) {
                        **place = values;
                    }
                }
                return Ok(spec);
            }
        }
        // Serde reads the whole spec if something is wrong, or if a large array has no field to be
        // put into.
        value.put_back(arrays);
        Self::from_whole(value)
    }

    fn from_whole(value: Value) -> Result<Self> {
        let unknown = |what: &str| {
            let (last, others) = VERBS.split_last().expect("there are verbs");
            Error::spec("verb", format!("is {what}; known are {} and {last}", others.join(", ")))
        };
        let Value::Fields(mut fields) = value else {
            return Err(Error::spec("spec", "is not an object"));
        };
        let Some(at) = fields.iter().position(|(name, _)| name == "verb") else {
            return Err(unknown("missing"));
        };
        let Value::Text(verb) = fields.remove(at).1 else { return Err(unknown("unknown")) };
        match Self::read(&verb, Value::Fields(fields)) {
            Some(spec) => spec.map_err(words::spec_error),
            None if VERBS.contains(&verb.as_str()) => Err(not_in_core(&verb)),
            None => Err(unknown("unknown")),
        }
    }

    /// The verb.
    pub fn verb(&self) -> &'static str {
        self.any().name()
    }

    /// Checks everything that does not require building the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn check(&mut self) -> Result<()> {
        if self.seed().is_some_and(|seed| seed > MAX_SEED) {
            let problem = format!("must be an integer from 0 to {MAX_SEED}, 2^53 − 1");
            return Err(Error::spec("seed", problem));
        }
        #[cfg(feature = "full")]
        if !self.any().takes_tables()
            && let Some(model) = self.any_mut().shared_fields().model
        {
            model.check_energy()?;
        }
        self.any().check()
    }

    /// The seed, if it is already set.
    fn seed(&mut self) -> Option<u64> {
        self.any_mut().shared_fields().seed.and_then(|seed| *seed)
    }

    /// Takes the data out of the spec and reads them.
    ///
    /// # Errors
    /// [`Error::InvalidData`] or [`Error::TooLarge`] where they cannot be used.
    pub fn take_data(&mut self) -> Result<Option<BitMatrix>> {
        let data = self.any_mut().shared_fields().data.and_then(|data| data.take());
        data.map(|data| data.read()).transpose()
    }

    /// Whether the model's spec stays as it was given.
    pub fn keeps_model(&self) -> bool {
        self.any().keeps_model()
    }
}
