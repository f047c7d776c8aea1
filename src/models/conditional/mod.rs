//! A model given a part of its state: with `x = (x_U, x_C)` and `x_C` observed, `E(x_U) = E(x_U, x_C)`, so
//! that
//!
//! `p(x_U | x_C) ∝ exp(−E(x_U, x_C))`, with `log Z(x_C) = ln Σ_{x_U} exp(−E(x_U, x_C))`,
//!
//! and `ln p(x_C) = log Z(x_C) − log Z`. Binary models, those of several values a site and Gaussians stay what they are: what is observed
//! acts on the biases, the fields or the mean, and adds a constant to the energy. All other models on ℝᴰ are evaluated
//! at the whole state ([`Section`]).

#[cfg(feature = "full")]
mod bits;
mod entries;
#[cfg(feature = "full")]
mod gaussian;
#[cfg(feature = "full")]
mod potts;
#[cfg(feature = "full")]
mod section;

pub use entries::{Entries, ObservedSpec};
#[cfg(feature = "full")]
pub use section::{Section, SectionSpec};

#[cfg(feature = "full")]
use crate::Error;
#[cfg(feature = "full")]
use crate::energy::Energy;
#[cfg(feature = "full")]
use crate::marginal::MarginalSpec;
#[cfg(feature = "full")]
use crate::site_values::SiteValues;
use crate::{ModelSpec, Result};

/// A model given a part of its state. The energy of the whole state is the model's at the free entries
/// plus the constant.
pub struct Conditional {
    /// The model of the free entries.
    pub model: ModelSpec,
    /// The constant, in nats.
    pub constant: f64,
    /// Which entries are free.
    pub entries: Entries,
}

#[cfg(feature = "full")]
impl Conditional {
    /// A Gaussian of whole states given the same entries, such as the reference of a path or a ladder.
    ///
    /// # Errors
    /// Any error of its spec; [`Error::InvalidSpec`] at this field if it has another dimension.
    pub fn of_gaussian(
        &self,
        field: &str,
        spec: &crate::gaussian::GaussianSpec,
    ) -> Result<crate::gaussian::GaussianSpec> {
        let dim = self.entries.dim();
        if spec.dim != dim {
            let problem =
                format!("is {}, and states have {dim} entries; make them equal", spec.dim);
            return Err(Error::spec(format!("{field}.dim"), problem));
        }
        Ok(gaussian::given(&spec.build()?, &self.entries)?.0)
    }
}

impl ModelSpec {
    /// Which entries of states of `dim` entries are observed.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field under `observed`.
    pub fn entries(&self, observed: &ObservedSpec, dim: usize) -> Result<Entries> {
        match self {
            #[cfg(feature = "full")]
            Self::Potts(spec) => potts::entries(spec.build()?.sites(), observed),
            #[cfg(feature = "full")]
            Self::CategoricalRbm(spec) => potts::entries(spec.build()?.sites(), observed),
            #[cfg(feature = "full")]
            Self::Formula(spec) if spec.num_values.is_some() => {
                potts::entries(SiteValues::sites(&spec.build()?), observed)
            }
            _ => Entries::new(observed, dim, self.is_binary()),
        }
    }

    /// The model given these observed entries of its state.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::InvalidSpec`], naming the field under `observed`;
    /// [`Error::MissingCapability`] if the model is no energy.
    #[cfg(feature = "full")]
    pub fn given(&self, observed: &ObservedSpec) -> Result<Conditional> {
        let entries = |dim| self.entries(observed, dim);
        let (entries, (model, constant)) = match self {
            Self::Ising(spec) => {
                let entries = entries(spec.dim)?;
                let given = bits::ising(&spec.build()?, &entries);
                (entries, (Self::Ising(given.0), given.1))
            }
            Self::Rbm(spec) => {
                let entries = entries(spec.num_visible)?;
                let given = bits::rbm(&spec.build()?, &entries);
                (entries, (Self::Rbm(given.0), given.1))
            }
            Self::SemiRestricted(spec) => {
                let entries = entries(spec.num_visible)?;
                let given = bits::semi_restricted(&spec.build()?, &entries);
                (entries, (Self::SemiRestricted(given.0), given.1))
            }
            Self::Potts(spec) => {
                let model = spec.build()?;
                let entries = entries(model.dim())?;
                let given = potts::given(&model, &entries);
                (entries, (Self::Potts(given.0), given.1))
            }
            Self::CategoricalRbm(spec) => {
                let model = spec.build()?;
                let entries = entries(model.dim())?;
                let given = bits::categorical_rbm(&model, &entries);
                (entries, (Self::CategoricalRbm(given.0), given.1))
            }
            Self::Formula(spec) if self.is_binary() => {
                let model = spec.build()?;
                let entries = entries(model.dim())?;
                let given = bits::formula(spec, &model, &entries);
                (entries, (Self::Formula(given), 0.0))
            }
            Self::Marginal(spec) => {
                let model = spec.build()?;
                let entries = entries(model.dim())?;
                let of_joint = Entries::new(observed, model.joint().dim(), true)?;
                let (joint, constant) = bits::ising(model.joint(), &of_joint);
                let model = Box::new(Self::Ising(joint));
                let given = MarginalSpec { model, num_hidden: spec.num_hidden };
                (entries, (Self::Marginal(given), constant))
            }
            Self::Combined(spec) if spec.is_binary() => {
                let entries = entries(spec.build()?.dim())?;
                let given = spec.given(observed)?;
                (entries, (Self::Combined(given.0), given.1))
            }
            Self::Gaussian(spec) => {
                let entries = entries(spec.dim)?;
                let given = gaussian::given(&spec.build()?, &entries)?;
                (entries, (Self::Gaussian(given.0), given.1))
            }
            other => {
                let model = other.build()?;
                let entries = entries(model.dim())?;
                let section =
                    SectionSpec { model: Box::new(other.clone()), entries: entries.clone() };
                // Whether what is observed lies within the model's bounds is checked here.
                section.build()?;
                (entries, (Self::Section(section), 0.0))
            }
        };
        if !constant.is_finite() {
            let problem = "have an energy that is not finite; observe other values";
            return Err(Error::spec("observed.values", problem));
        }
        Ok(Conditional { model, constant, entries })
    }
}
