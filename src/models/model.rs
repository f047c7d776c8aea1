//! A model as the jobs hold it.

use crate::bits::WeightedRows;
use crate::energy::coordinates::{Coordinates, Identity};
use crate::energy::{
    BetweenKnots, BlockDraws, Differentiable, Energy, ExponentialFamily, FlipFlow, Generative,
    HiddenMeans, HiddenUnits, LogZGradient, OuterGradient, Parametric, Reference, ScoreGradient,
    SiteConditionals, SiteFlips,
};
use crate::{ModelSpec, categorical_rbm, gaussian, ising, potts, rbm, site_values, softmax_units};

/// A model as the jobs hold it: an energy, its spec, and its capabilities. The `as_*` methods
/// return `None` by default.
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

    /// [`Parametric`], if the model has it, mutable.
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

    /// [`HiddenMeans`], if the model has it.
    fn as_hidden_means(&self) -> Option<&dyn HiddenMeans> {
        None
    }

    /// [`SiteConditionals`], if the model has it.
    fn as_site_conditionals(&self) -> Option<&dyn SiteConditionals> {
        None
    }

    /// [`BlockDraws`], if the model has it.
    fn as_block_draws(&self) -> Option<&dyn BlockDraws> {
        None
    }

    /// [`SoftmaxUnits`](softmax_units::SoftmaxUnits), if the model has it.
    fn as_softmax_units(&self) -> Option<&dyn softmax_units::SoftmaxUnits> {
        None
    }

    /// [`OuterGradient`], if the model has it.
    fn as_outer_gradient(&self) -> Option<&dyn OuterGradient> {
        None
    }

    /// [`ExponentialFamily`], if the model has it.
    fn as_exponential_family(&self) -> Option<&dyn ExponentialFamily> {
        None
    }

    /// [`Differentiable`], if the model has it.
    fn as_differentiable(&self) -> Option<&dyn Differentiable> {
        None
    }

    /// [`Reference`], if the model has it.
    fn as_reference(&self) -> Option<&dyn Reference> {
        None
    }

    /// [`ScoreGradient`], if the model has it.
    fn as_score_gradient(&self) -> Option<&dyn ScoreGradient> {
        None
    }

    /// [`LogZGradient`], if the model has it at the present parameters.
    fn as_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        None
    }

    /// [`Generative`], if the model has it.
    fn as_generative(&self) -> Option<&dyn Generative> {
        None
    }

    /// The same model at another x, if it is [`Generative`].
    ///
    /// # Panics
    /// If x has another number of entries.
    fn given(&self, _observed: &[f64]) -> Option<Box<dyn Model>> {
        None
    }

    /// The parameters at which the sites are independent with these log odds of being on, if the
    /// model has such parameters; units that are not sites have even odds.
    fn independent_params(&self, _log_odds: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Energies between these knots of a path through the parameters, if the model is binary and
    /// supports this.
    ///
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    fn between_knots(&self, _knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        None
    }

    /// The model as an Ising model, if its energy is a sum over sites and pairs of sites, as
    /// cluster moves and the checkerboard need.
    fn as_ising(&self) -> Option<&ising::Ising> {
        None
    }

    /// The model as a restricted Boltzmann machine, if it is one.
    fn as_rbm(&self) -> Option<&rbm::Rbm> {
        None
    }

    /// Which values a row of bits stands for, if the sites have several: they do not move by flips.
    fn as_sites(&self) -> Option<&site_values::Sites> {
        self.as_site_values().map(site_values::SiteValues::sites)
    }

    /// [`SiteValues`](site_values::SiteValues), if the model has it.
    fn as_site_values(&self) -> Option<&dyn site_values::SiteValues> {
        None
    }

    /// The model as a restricted Boltzmann machine of several values a site, if it is one.
    fn as_categorical_rbm(&self) -> Option<&categorical_rbm::CategoricalRbm> {
        None
    }

    /// The model as a Potts model, if it is one.
    fn as_potts(&self) -> Option<&potts::Potts> {
        None
    }

    /// The axes along which chains move faster, if the model is a Gaussian with such axes.
    fn principal_axes(&self) -> Option<gaussian::PrincipalAxes> {
        None
    }

    /// The parameters that have names, in their order, if they do.
    fn named_parameters(&self) -> Vec<NamedParameter> {
        Vec::new()
    }

    /// About how many numbers an energy is made of, from which its cost is estimated: the parameters, by
    /// default.
    fn num_terms(&self) -> usize {
        self.as_parametric().map_or(0, |model| model.params().len())
    }

    /// The spec of the model with other parameters.
    ///
    /// # Panics
    /// If the number of parameters is not that of the model.
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

/// A parameter with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedParameter {
    /// Its name.
    pub name: String,
    /// Its value s, in the model's own terms.
    pub value: f64,
    /// ds/dθ, θ being the number that a fit moves.
    pub slope: f64,
}

/// In an `impl Model`: implements the methods of the capabilities that the model has.
macro_rules! capabilities {
    ($($capability:ident),*) => {
        $($crate::capabilities!(@ $capability);)*
    };
    (@ SiteFlips) => {
        fn as_site_flips(&self) -> Option<&dyn $crate::energy::SiteFlips> {
            Some(self)
        }
    };
    (@ Parametric) => {
        fn as_parametric(&self) -> Option<&dyn $crate::energy::Parametric> {
            Some(self)
        }

        fn as_parametric_mut(&mut self) -> Option<&mut dyn $crate::energy::Parametric> {
            Some(self)
        }
    };
    (@ FlipFlow) => {
        fn as_flip_flow(&self) -> Option<&dyn $crate::energy::FlipFlow> {
            Some(self)
        }
    };
    (@ HiddenUnits) => {
        fn as_hidden_units(&self) -> Option<&dyn $crate::energy::HiddenUnits> {
            Some(self)
        }
    };
    (@ OuterGradient) => {
        fn as_outer_gradient(&self) -> Option<&dyn $crate::energy::OuterGradient> {
            Some(self)
        }
    };
    (@ ExponentialFamily) => {
        fn as_exponential_family(&self) -> Option<&dyn $crate::energy::ExponentialFamily> {
            Some(self)
        }
    };
    (@ HiddenMeans) => {
        fn as_hidden_means(&self) -> Option<&dyn $crate::energy::HiddenMeans> {
            Some(self)
        }
    };
    (@ SiteConditionals) => {
        fn as_site_conditionals(&self) -> Option<&dyn $crate::energy::SiteConditionals> {
            Some(self)
        }
    };
    (@ BlockDraws) => {
        fn as_block_draws(&self) -> Option<&dyn $crate::energy::BlockDraws> {
            Some(self)
        }
    };
    (@ Differentiable) => {
        fn as_differentiable(&self) -> Option<&dyn $crate::energy::Differentiable> {
            Some(self)
        }
    };
    (@ ScoreGradient) => {
        fn as_score_gradient(&self) -> Option<&dyn $crate::energy::ScoreGradient> {
            Some(self)
        }
    };
    (@ Reference) => {
        fn as_reference(&self) -> Option<&dyn $crate::energy::Reference> {
            Some(self)
        }
    };
}
pub(crate) use capabilities;
