//! The models. One file each, and one line in [`models!`] below; the laws in
//! the tests then run on its examples without being told.

pub mod ising;
pub mod rbm;

use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::{Energy, FlipFlow, HiddenUnits, Parametric, SiteFlips};
use crate::fit::coordinates::{Coordinates, Identity};
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

    /// The spec of the model with other parameters.
    ///
    /// # Panics
    /// If there are not as many as the model has.
    fn spec_at(&self, params: &[f64]) -> ModelSpec {
        let mut model = self.boxed_clone();
        if let Some(model) = model.as_parametric_mut() {
            model.set_params(params);
        }
        model.spec()
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
    ($($(#[$doc:meta])* $variant:ident($spec:ty) = $kind:literal;)*) => {
        /// A model as plain data, discriminated by `kind`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
        #[serde(tag = "kind")]
        pub enum ModelSpec {
            $($(#[$doc])* #[serde(rename = $kind)] $variant($spec),)*
        }

        impl ModelSpec {
            /// Builds the model.
            ///
            /// # Errors
            /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
            pub fn build(&self) -> Result<Box<dyn Model>> {
                match self {
                    $(Self::$variant(spec) => Ok(Box::new(spec.build()?)),)*
                }
            }

            /// Takes the large arrays out, with the fields they belong in: they go to
            /// JavaScript as typed arrays.
            pub fn take_arrays(&mut self) -> Vec<(&'static str, Vec<f64>)> {
                match self {
                    $(Self::$variant(spec) => spec.take_arrays(),)*
                }
            }

            /// Small specs of every registered kind, for the laws.
            pub fn examples() -> Vec<ModelSpec> {
                let mut all = Vec::new();
                $(all.extend(<$spec>::examples().into_iter().map(Self::$variant));)*
                all
            }
        }
    };
}

models! {
    /// Pairwise binary model, `E = xᵀJx`.
    Ising(ising::IsingSpec) = "ising";
    /// Restricted Boltzmann machine, `E(v) = −cᵀv − Σ_j softplus(b_j + W_j v)`.
    Rbm(rbm::RbmSpec) = "rbm";
}
