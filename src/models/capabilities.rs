//! How models are asked for the capabilities that they provide.

/// Methods of every `dyn Model` that ask for a capability. Those of the `full` build are `None` in the
/// core, whose models provide none of them: the compiler knows it, and leaves out what needs them.
macro_rules! asked_for {
    ($($build:ident $ask:ident: $provide:ident -> $capability:ty;)*) => {
        impl dyn Model + '_ {
            $(
                #[doc = concat!("The model as `", stringify!($capability), "`, if it provides it.")]
                pub fn $ask(&self) -> Option<&$capability> {
                    asked_for!(@ $build, self.$provide())
                }
            )*

            /// The model as `dyn Parametric`, if it provides it, mutable.
            pub fn as_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
                self.provide_parametric_mut()
            }
        }
    };
    (@ any, $provided:expr) => { $provided };
    (@ full, $provided:expr) => { if $crate::FULL { $provided } else { None } };
}

/// In an `impl Model`: provides the capabilities of these names.
macro_rules! capabilities {
    ($($capability:ident),*) => {
        $($crate::capabilities!(@ $capability);)*
    };
    (@ SiteFlips) => { $crate::capabilities!(@ SiteFlips provide_site_flips); };
    (@ FlipFlow) => { $crate::capabilities!(@ FlipFlow provide_flip_flow); };
    (@ HiddenUnits) => { $crate::capabilities!(@ HiddenUnits provide_hidden_units); };
    (@ HiddenMeans) => { $crate::capabilities!(@ HiddenMeans provide_hidden_means); };
    (@ OuterGradient) => { $crate::capabilities!(@ OuterGradient provide_outer_gradient); };
    (@ ExponentialFamily) => { $crate::capabilities!(@ ExponentialFamily provide_exponential_family); };
    (@ SiteConditionals) => { $crate::capabilities!(@ SiteConditionals provide_site_conditionals); };
    (@ BlockDraws) => { $crate::capabilities!(@ BlockDraws provide_block_draws); };
    (@ Differentiable) => { $crate::capabilities!(@ Differentiable provide_differentiable); };
    (@ ScoreGradient) => { $crate::capabilities!(@ ScoreGradient provide_score_gradient); };
    (@ Reference) => { $crate::capabilities!(@ Reference provide_reference); };
    (@ Parametric) => {
        $crate::capabilities!(@ Parametric provide_parametric);

        fn provide_parametric_mut(&mut self) -> Option<&mut dyn $crate::energy::Parametric> {
            Some(self)
        }
    };
    (@ $capability:ident $method:ident) => {
        fn $method(&self) -> Option<&dyn $crate::energy::$capability> {
            Some(self)
        }
    };
}
pub(crate) use {asked_for, capabilities};
