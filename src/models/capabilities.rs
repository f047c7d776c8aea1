//! What an `impl Model` says of the capabilities that the model has.

/// In an `impl Model`: implements the methods of the capabilities that the model has.
macro_rules! capabilities {
    ($($capability:ident),*) => {
        $($crate::capabilities!(@ $capability);)*
    };
    (@ SiteFlips) => { $crate::capabilities!(@ SiteFlips as_site_flips); };
    (@ FlipFlow) => { $crate::capabilities!(@ FlipFlow as_flip_flow); };
    (@ HiddenUnits) => { $crate::capabilities!(@ HiddenUnits as_hidden_units); };
    (@ HiddenMeans) => { $crate::capabilities!(@ HiddenMeans as_hidden_means); };
    (@ OuterGradient) => { $crate::capabilities!(@ OuterGradient as_outer_gradient); };
    (@ ExponentialFamily) => { $crate::capabilities!(@ ExponentialFamily as_exponential_family); };
    (@ SiteConditionals) => { $crate::capabilities!(@ SiteConditionals as_site_conditionals); };
    (@ BlockDraws) => { $crate::capabilities!(@ BlockDraws as_block_draws); };
    (@ Differentiable) => { $crate::capabilities!(@ Differentiable as_differentiable); };
    (@ ScoreGradient) => { $crate::capabilities!(@ ScoreGradient as_score_gradient); };
    (@ Reference) => { $crate::capabilities!(@ Reference as_reference); };
    (@ Parametric) => {
        $crate::capabilities!(@ Parametric as_parametric);

        fn as_parametric_mut(&mut self) -> Option<&mut dyn $crate::energy::Parametric> {
            Some(self)
        }
    };
    (@ $capability:ident $method:ident) => {
        fn $method(&self) -> Option<&dyn $crate::energy::$capability> {
            Some(self)
        }
    };
}
pub(crate) use capabilities;
