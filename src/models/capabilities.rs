//! What an `impl Model` says of the capabilities that the model has.

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
