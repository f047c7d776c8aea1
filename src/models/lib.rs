//! The models: one file each, and one line in `models!` below; the laws in the tests then run on
//! its examples automatically.
//!
//! A [`Model`] is an energy. A model made of energies that is not itself one, such as a deep belief
//! network, has a spec in a separate list, and verbs that support it ask for it by name.

#![forbid(unsafe_code)]

pub mod banana;
pub mod bilinear_generative;
mod capabilities;
// Its specs have no values in the core.
#[cfg_attr(not(feature = "full"), allow(unreachable_code, unused_variables))]
pub mod categorical_rbm;
mod chunks;
pub mod combined;
#[cfg_attr(not(feature = "full"), allow(dead_code))]
pub mod conditional;
pub mod custom;
pub mod dbn;
pub mod definition;
pub mod double_well;
mod filters;
pub mod formula;
pub mod funnel;
pub mod gaussian;
pub mod gaussian_rbm;
pub mod ica;
pub mod ising;
pub mod latent;
pub mod linear_generative;
pub mod marginal;
pub mod mc_rbm;
pub mod mixture;
pub mod named_params;
pub mod neural;
mod observed;
// Its specs have no values in the core.
#[cfg_attr(not(feature = "full"), allow(unreachable_code, unused_variables))]
pub mod posterior;
// The same.
#[cfg_attr(not(feature = "full"), allow(unreachable_code, unused_variables))]
pub mod potts;
pub mod product_of_experts;
pub mod rbm;
pub mod replicated_softmax;
pub mod ring;
pub mod semi_restricted;
pub mod site_values;
pub mod softmax_units;
mod softplus;
pub mod student_t;

use bits::WeightedRows;
use capabilities::asked_for;
pub(crate) use capabilities::capabilities;
use energy::coordinates::{Coordinates, Identity};
use energy::{
    BetweenKnots, BlockDraws, Differentiable, Energy, ExponentialFamily, FlipFlow, Generative,
    HiddenMeans, HiddenUnits, LogZGradient, OuterGradient, Parametric, Reference, ScoreGradient,
    SiteConditionals, SiteFlips,
};
use unnorm_energy as energy;
use unnorm_numerics::{Error, FULL, Result, bits, checks, linalg, math, not_in_core, rng, sorting};
use unnorm_wire::spec;

/// A model as the jobs hold it: an energy, its spec, and its capabilities. The model provides them by
/// the `provide_*` methods, which return `None` by default; the jobs ask for them by the methods
/// `as_*` of `dyn Model`.
pub trait Model: Energy {
    /// The kind, as in the spec.
    fn kind(&self) -> &'static str;

    /// The spec that rebuilds this model with its present parameters.
    fn spec(&self) -> ModelSpec;

    /// A copy, for another thread.
    fn boxed_clone(&self) -> Box<dyn Model>;

    /// [`SiteFlips`], if the model has it.
    fn provide_site_flips(&self) -> Option<&dyn SiteFlips> {
        None
    }

    /// [`Parametric`], if the model has it.
    fn provide_parametric(&self) -> Option<&dyn Parametric> {
        None
    }

    /// [`Parametric`], if the model has it, mutable.
    fn provide_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        None
    }

    /// [`FlipFlow`], if the model has it.
    fn provide_flip_flow(&self) -> Option<&dyn FlipFlow> {
        None
    }

    /// [`HiddenUnits`], if the model has it.
    fn provide_hidden_units(&self) -> Option<&dyn HiddenUnits> {
        None
    }

    /// [`HiddenMeans`], if the model has it.
    fn provide_hidden_means(&self) -> Option<&dyn HiddenMeans> {
        None
    }

    /// [`SiteConditionals`], if the model has it.
    fn provide_site_conditionals(&self) -> Option<&dyn SiteConditionals> {
        None
    }

    /// [`BlockDraws`], if the model has it.
    fn provide_block_draws(&self) -> Option<&dyn BlockDraws> {
        None
    }

    /// [`SoftmaxUnits`](softmax_units::SoftmaxUnits), if the model has it.
    fn provide_softmax_units(&self) -> Option<&dyn softmax_units::SoftmaxUnits> {
        None
    }

    /// [`OuterGradient`], if the model has it.
    fn provide_outer_gradient(&self) -> Option<&dyn OuterGradient> {
        None
    }

    /// [`ExponentialFamily`], if the model has it.
    fn provide_exponential_family(&self) -> Option<&dyn ExponentialFamily> {
        None
    }

    /// [`Differentiable`], if the model has it.
    fn provide_differentiable(&self) -> Option<&dyn Differentiable> {
        None
    }

    /// [`Reference`], if the model has it.
    fn provide_reference(&self) -> Option<&dyn Reference> {
        None
    }

    /// [`ScoreGradient`], if the model has it.
    fn provide_score_gradient(&self) -> Option<&dyn ScoreGradient> {
        None
    }

    /// [`LogZGradient`], if the model has it at the present parameters.
    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        None
    }

    /// [`Generative`], if the model has it.
    fn provide_generative(&self) -> Option<&dyn Generative> {
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
    fn provide_ising(&self) -> Option<&ising::Ising> {
        None
    }

    /// The model as a restricted Boltzmann machine, if it is one.
    fn provide_rbm(&self) -> Option<&rbm::Rbm> {
        None
    }

    /// Which values a row of bits stands for, if the sites have several: they do not move by flips.
    fn provide_sites(&self) -> Option<&site_values::Sites> {
        self.provide_site_values().map(site_values::SiteValues::sites)
    }

    /// [`SiteValues`](site_values::SiteValues), if the model has it.
    fn provide_site_values(&self) -> Option<&dyn site_values::SiteValues> {
        None
    }

    /// The model as a restricted Boltzmann machine of several values a site, if it is one.
    fn provide_categorical_rbm(&self) -> Option<&categorical_rbm::CategoricalRbm> {
        None
    }

    /// The model as a Potts model, if it is one.
    fn provide_potts(&self) -> Option<&potts::Potts> {
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
        self.provide_parametric().map_or(0, |model| model.params().len())
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
        let num_params = self.provide_parametric().map_or(0, |model| model.params().len());
        Box::new(Identity { num_params })
    }
}

asked_for! {
    any as_site_flips: provide_site_flips -> dyn SiteFlips;
    any as_parametric: provide_parametric -> dyn Parametric;
    any as_flip_flow: provide_flip_flow -> dyn FlipFlow;
    any as_exponential_family: provide_exponential_family -> dyn ExponentialFamily;
    any as_ising: provide_ising -> ising::Ising;
    full as_hidden_units: provide_hidden_units -> dyn HiddenUnits;
    full as_hidden_means: provide_hidden_means -> dyn HiddenMeans;
    full as_site_conditionals: provide_site_conditionals -> dyn SiteConditionals;
    full as_block_draws: provide_block_draws -> dyn BlockDraws;
    full as_softmax_units: provide_softmax_units -> dyn softmax_units::SoftmaxUnits;
    full as_outer_gradient: provide_outer_gradient -> dyn OuterGradient;
    full as_differentiable: provide_differentiable -> dyn Differentiable;
    full as_reference: provide_reference -> dyn Reference;
    full as_score_gradient: provide_score_gradient -> dyn ScoreGradient;
    full as_log_z_gradient: provide_log_z_gradient -> dyn LogZGradient;
    full as_generative: provide_generative -> dyn Generative;
    full as_rbm: provide_rbm -> rbm::Rbm;
    full as_sites: provide_sites -> site_values::Sites;
    full as_site_values: provide_site_values -> dyn site_values::SiteValues;
    full as_categorical_rbm: provide_categorical_rbm -> categorical_rbm::CategoricalRbm;
    full as_potts: provide_potts -> potts::Potts;
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

/// Declares the specs of the models and how each is built. Those of the core are in every build.
macro_rules! models {
    (
        core { $($(#[$core_doc:meta])* $core:ident($core_spec:ty) = $core_kind:literal;)* }
        energies { $($(#[$doc:meta])* $variant:ident($spec:ty) = $kind:literal;)* }
        others { $($(#[$other_doc:meta])* $other:ident($other_spec:ty) = $other_kind:literal;)* }
        tables { $($(#[$table_doc:meta])* $table:ident($table_spec:ty) = $table_kind:literal;)* }
        internal { $($(#[$internal_doc:meta])* $internal:ident($internal_spec:ty);)* }
    ) => {
        /// The spec of a model, discriminated by `kind`.
        #[spec]
        pub enum ModelSpec {
            $($(#[$core_doc])* #[serde(rename = $core_kind)] $core($core_spec),)*
            $(
                $(#[$doc])*
                #[serde(rename = $kind)]
                #[full]
                $variant($spec),
            )*
            $(
                $(#[$other_doc])*
                #[serde(rename = $other_kind)]
                #[full]
                $other($other_spec),
            )*
            $(
                $(#[$table_doc])*
                #[cfg(feature = "full")]
                #[serde(rename = $table_kind)]
                $table($table_spec),
            )*
            $(
                $(#[$internal_doc])*
                #[cfg(feature = "full")]
                #[serde(skip)]
                #[ts(skip)]
                $internal($internal_spec),
            )*
        }

        impl ModelSpec {
            /// Builds the model.
            ///
            /// # Errors
            /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field;
            /// [`Error::MissingCapability`] if it is not an energy.
            pub fn build(&self) -> Result<Box<dyn Model>> {
                match self {
                    $(Self::$core(spec) => Ok(Box::new(spec.build()?)),)*
                    _ if !FULL => Err(not_in_core("model.kind")),
                    $(Self::$variant(spec) => Ok(Box::new(spec.build()?)),)*
                    $(#[cfg(feature = "full")] Self::$internal(spec) => Ok(Box::new(spec.build()?)),)*
                    $(Self::$other(_) => Err(Error::missing($other_kind, "Energy", "what was asked for")),)*
                    $(#[cfg(feature = "full")] Self::$table(_) => Err(no_energy($table_kind)),)*
                }
            }

            /// The spec with all defaults and parameters filled in.
            ///
            /// # Errors
            /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
            pub fn filled(&self) -> Result<Self> {
                match self {
                    // All is said, and J of a lattice has millions of entries.
                    Self::Ising(spec) if spec.uniform.is_some() || spec.params.is_some() => {
                        if ising::EvenTorus::of_spec(spec)?.is_none() {
                            spec.build()?;
                        }
                        Ok(self.clone())
                    }
                    $(Self::$core(spec) => Ok(spec.build()?.spec()),)*
                    _ if !FULL => Err(not_in_core("model.kind")),
                    $(Self::$variant(spec) => Ok(spec.build()?.spec()),)*
                    $(Self::$other(spec) => Ok(Self::$other(spec.build()?.to_spec())),)*
                    $(
                        #[cfg(feature = "full")]
                        Self::$table(spec) => latent::TableModel::check(spec).map(|()| self.clone()),
                    )*
                    $(#[cfg(feature = "full")] Self::$internal(spec) => Ok(spec.build()?.spec()),)*
                }
            }

            /// The model of a table with hidden variables, if it is one.
            #[cfg(feature = "full")]
            pub fn as_table_model(&self) -> Option<&dyn latent::TableModel> {
                match self {
                    $(Self::$table(spec) => Some(spec),)*
                    _ => None,
                }
            }

            /// Small specs of every registered energy, for the laws.
            pub fn examples() -> Vec<ModelSpec> {
                let mut all = Vec::new();
                $(all.extend(<$core_spec>::examples().into_iter().map(Self::$core));)*
                $(all.extend(<$spec>::examples().into_iter().map(Self::$variant));)*
                all
            }
        }
    };
}

/// What verbs that ask for an energy say to a model of a table.
#[cfg(feature = "full")]
fn no_energy(kind: &str) -> Error {
    let problem = format!(
        "is `{kind}`, a model of a table with hidden variables: ask `sample` for draws of them given the \
         table, `exact` for ln p(Y) of a small table, `evidence` for estimates of it"
    );
    Error::spec("model.kind", problem)
}

impl ModelSpec {
    /// Refuses models of tables.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] for `model.kind`.
    #[cfg(feature = "full")]
    pub fn check_energy(&self) -> Result<()> {
        self.as_table_model().map_or(Ok(()), |model| Err(no_energy(model.kind())))
    }

    /// Whether the states are rows of zeros and ones. Those of all other models are
    /// rows of real numbers.
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Formula(formula) if formula.binary)
            || self.has_site_values()
            || matches!(self, Self::Combined(combined) if combined.is_binary())
            || matches!(
                self,
                Self::Ising(_)
                    | Self::Rbm(_)
                    | Self::SemiRestricted(_)
                    | Self::Marginal(_)
                    | Self::CategoricalRbm(_)
                    | Self::Dbn(_)
            )
    }
}

impl ModelSpec {
    /// Whether sites have several values, which move one at a time: the model has
    /// [`SiteValues`](site_values::SiteValues).
    pub fn has_site_values(&self) -> bool {
        match self {
            Self::Potts(_) => true,
            Self::Formula(formula) => formula.num_values.is_some(),
            _ => false,
        }
    }
}

models! {
    core {
        /// Pairwise binary model, `E = xᵀJx`.
        Ising(ising::IsingSpec) = "ising";
    }
    energies {
        /// Restricted Boltzmann machine, `E(v) = −cᵀv − Σ_j softplus(b_j + W_j v)`.
        Rbm(rbm::RbmSpec) = "rbm";
        /// Semi-restricted Boltzmann machine, `E(v) = vᵀJv − Σ_j softplus(b_j + W_j v)`.
        SemiRestricted(semi_restricted::SemiRestrictedSpec) = "semiRestricted";
        /// Ising model with its last sites summed out, `E(v) = −ln Σ_h exp(−E(v, h))`.
        Marginal(marginal::MarginalSpec) = "marginal";
        /// Potts model, `E(x) = −Σ_i h_i(x_i) − Σ_{i<j} J_ij(x_i, x_j)`, sites of several values.
        Potts(potts::PottsSpec) = "potts";
        /// Restricted Boltzmann machine with visible units of several values,
        /// `E(x) = −Σ_i c_i(x_i) − Σ_j softplus(b_j + Σ_i W_ji(x_i))`.
        CategoricalRbm(categorical_rbm::CategoricalRbmSpec) = "categoricalRbm";
        /// Topics of documents, `E(n) = −bᵀn − Σ_j softplus(D a_j + W_j n)` of a document's D words.
        ReplicatedSoftmax(replicated_softmax::ReplicatedSoftmaxSpec) = "replicatedSoftmax";
        /// Gaussian, `E(x) = ½ (x − μ)ᵀ Λ (x − μ)`.
        Gaussian(gaussian::GaussianSpec) = "gaussian";
        /// Student's t distribution, `E(x) = ½ (ν + D) ln(1 + (x − μ)ᵀ Λ (x − μ)/ν)`.
        StudentT(student_t::StudentTSpec) = "studentT";
        /// Ring in the plane, `E(x) = s ln²(|x| / R)`.
        Ring(ring::RingSpec) = "ring";
        /// Mixture of Gaussians, `E(x) = −ln Σ_k w_k N(x; μ_k, C_k)`.
        Mixture(mixture::MixtureSpec) = "mixture";
        /// Rosenbrock's banana, `E(x) = a (x₀ − μ)² + b Σ (x_d − x₀²)²`.
        Banana(banana::BananaSpec) = "banana";
        /// Neal's funnel, `x₀ ~ N(0, s²)`, all others `N(0, e^{x₀})`.
        Funnel(funnel::FunnelSpec) = "funnel";
        /// Two minima at x₀ = ±w, `E(x) = B ((x₀/w)² − 1)² + ½ Σ x_d²`.
        DoubleWell(double_well::DoubleWellSpec) = "doubleWell";
        /// Product of experts, `E(x) = Σ_l E_l(Φ_l x)`.
        ProductOfExperts(product_of_experts::ProductOfExpertsSpec) = "productOfExperts";
        /// Independent component analysis, `E(x) = Σ_k |J_k x| + D ln 2 − ln |det J|`.
        Ica(ica::IcaSpec) = "ica";
        /// Linear generative model, `x = Φa + n`, as a model of a at a given x.
        LinearGenerative(linear_generative::LinearGenerativeSpec) = "linearGenerative";
        /// Bilinear generative model, `x = Φ((Θc) ⊙ (Ψd)) + n`, as a model of c and d ≥ 0
        /// at a given x.
        BilinearGenerative(bilinear_generative::BilinearGenerativeSpec) = "bilinearGenerative";
        /// Boltzmann machine with Gaussian visible units,
        /// `E(x) = Σ_i (x_i − c_i)²/2σ_i² − Σ_j softplus(b_j + Σ_i W_ji x_i/σ_i)`.
        GaussianRbm(gaussian_rbm::GaussianRbmSpec) = "gaussianRbm";
        /// Boltzmann machine of means and covariances (mcRBM).
        McRbm(mc_rbm::McRbmSpec) = "mcRbm";
        /// Neural network, `E(x) = |x|²/2s² + w·softplus(… softplus(W₁x + b₁) …)`.
        Neural(neural::NeuralSpec) = "neural";
        /// An energy written as a formula, e.g. `100*log(sqrt(x^2+y^2))^2`.
        Formula(formula::FormulaSpec) = "formula";
        /// The posterior of a model that is typed, priors and likelihood, whose log Z is the evidence.
        Posterior(posterior::PosteriorSpec) = "posterior";
        /// Energies put together: a sum with weights, `E(x) = Σ_i w_i E_i(x)`, or either of them,
        /// `E(x) = −ln Σ_i π_i exp(−E_i(x))/Z_i`.
        Combined(combined::CombinedSpec) = "combined";
        /// An energy computed by a JavaScript module.
        Custom(custom::CustomSpec) = "custom";
    }
    others {
        /// Deep belief network: restricted Boltzmann machines in a stack. It is not an energy, and
        /// can only be fitted and sampled.
        Dbn(dbn::DbnSpec) = "dbn";
    }
    tables {
        /// Clusters of the rows of a table, `y_i ~ N(μ_{z_i}, σ²I)`: a posterior of hidden variables, for
        /// `sample` and `exact`.
        Clustering(latent::ClusteringSpec) = "clustering";
        /// A table of low rank plus noise, `y_i ~ N(u_i V, σ²I)`.
        LowRank(latent::LowRankSpec) = "lowRank";
        /// Binary attributes of the rows of a table, `y_i ~ N(z_i A, σ²I)`.
        BinaryAttributes(latent::BinaryAttributesSpec) = "binaryAttributes";
    }
    internal {
        /// A model on ℝᴰ given some of its entries, as jobs make it for themselves.
        Section(conditional::SectionSpec);
    }
}
