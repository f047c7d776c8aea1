//! The models. One file each, and one line in [`models!`] below; the laws in
//! the tests then run on its examples without being told.
//!
//! A [`Model`] is an energy. What is made of energies but is none itself, such
//! as a deep belief network, has a spec on a list of its own, and the verbs
//! that know what to do with it ask for it by name.

pub mod dbn;
pub mod ising;
pub mod rbm;

use crate::bits::WeightedRows;
use crate::energy::{Energy, FlipFlow, HiddenUnits, Parametric, SiteFlips};
use crate::fit::coordinates::{Coordinates, Identity};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A model as the jobs hold it: an energy, its spec, and the capabilities it
/// answers for. The `as_*` methods default to "has it not".
pub trait Model: Energy {
    /// The kind, as in the spec.
    fn kind(&self) -> &'static str;

    /// The spec that rebuilds this model with its present parameters.
    fn spec(&self) -> ModelSpec;

    /// A copy, for another thread.
    fn boxed_clone(&self) -> Box<dyn Model>;

    /// [`SiteFlips`], if the model has it.
    fn as_site_flips(&self) -> Option<&dyn SiteFlips> {
        None
    }

    /// [`Parametric`], if the model has it.
    fn as_parametric(&self) -> Option<&dyn Parametric> {
        None
    }

    /// [`Parametric`], if the model has it, to change.
    fn as_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        None
    }

    /// [`FlipFlow`], if the model has it.
    fn as_flip_flow(&self) -> Option<&dyn FlipFlow> {
        None
    }

    /// [`HiddenUnits`], if the model has it.
    fn as_hidden_units(&self) -> Option<&dyn HiddenUnits> {
        None
    }

    /// The parameters at which the sites are independent, with these log odds of
    /// being set, if the model has such; units that are not sites have even odds.
    fn independent_params(&self, _log_odds: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Coordinates in which to fit the parameters to these binary data; the
    /// parameters themselves by default.
    fn coordinates(&self, _data: &WeightedRows) -> Box<dyn Coordinates> {
        let num_params = self.as_parametric().map_or(0, |model| model.params().len());
        Box::new(Identity { num_params })
    }
}

/// Declares the wire form of the models and how each is built.
macro_rules! models {
    (
        energies { $($(#[$doc:meta])* $variant:ident($spec:ty) = $kind:literal;)* }
        others { $($(#[$other_doc:meta])* $other:ident($other_spec:ty) = $other_kind:literal;)* }
    ) => {
        /// A model as plain data, discriminated by `kind`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
        #[serde(tag = "kind")]
        pub enum ModelSpec {
            $($(#[$doc])* #[serde(rename = $kind)] $variant($spec),)*
            $($(#[$other_doc])* #[serde(rename = $other_kind)] $other($other_spec),)*
        }

        impl ModelSpec {
            /// Builds the model.
            ///
            /// # Errors
            /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field;
            /// [`Error::MissingCapability`] if it is no energy.
            pub fn build(&self) -> Result<Box<dyn Model>> {
                match self {
                    $(Self::$variant(spec) => Ok(Box::new(spec.build()?)),)*
                    $(Self::$other(_) => Err(Error::MissingCapability {
                        model: $other_kind.into(),
                        capability: "Energy",
                        needed_by: "what was asked for",
                    }),)*
                }
            }

            /// The spec with everything it leaves open written out, parameters too.
            ///
            /// # Errors
            /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
            pub fn filled(&self) -> Result<Self> {
                match self {
                    $(Self::$variant(spec) => Ok(spec.build()?.spec()),)*
                    $(Self::$other(spec) => Ok(Self::$other(spec.build()?.to_spec())),)*
                }
            }

            /// Takes the large arrays out, with the paths of the fields they belong in:
            /// they go to JavaScript as typed arrays.
            pub fn take_arrays(&mut self) -> Vec<(Vec<&'static str>, Vec<f64>)> {
                match self {
                    $(Self::$variant(spec) => spec
                        .take_arrays()
                        .into_iter()
                        .map(|(field, values)| (vec![field], values))
                        .collect(),)*
                    $(Self::$other(spec) => spec.take_arrays(),)*
                }
            }

            /// Small specs of every registered energy, for the laws.
            pub fn examples() -> Vec<ModelSpec> {
                let mut all = Vec::new();
                $(all.extend(<$spec>::examples().into_iter().map(Self::$variant));)*
                all
            }
        }
    };
}

models! {
    energies {
        /// Pairwise binary model, `E = xᵀJx`.
        Ising(ising::IsingSpec) = "ising";
        /// Restricted Boltzmann machine, `E(v) = −cᵀv − Σ_j softplus(b_j + W_j v)`.
        Rbm(rbm::RbmSpec) = "rbm";
    }
    others {
        /// Deep belief network: restricted Boltzmann machines in a stack. It is no
        /// energy, and can be fitted and sampled only.
        Dbn(dbn::DbnSpec) = "dbn";
    }
}
