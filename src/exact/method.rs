//! How a model's log Z is had exactly.

use super::Frontier;
use crate::energy::enumeration;
use crate::models::Model;
use crate::models::ising::onsager::TorusExact;
use crate::models::rbm::SmallerSide;
use crate::{Error, FULL, Result, not_in_core};

/// How a model's log Z is had exactly.
#[derive(Debug, Clone)]
pub enum Method {
    /// The model on ℝᴰ knows it: [`crate::energy::Reference::log_z`].
    ClosedForm,
    /// All states are visited: [`enumeration`].
    Enumeration,
    /// All states of a restricted Boltzmann machine's smaller side are.
    SmallerSide(SmallerSide),
    /// Kaufman's formula for a torus of equal couplings without a field.
    Kaufman(TorusExact),
    /// An Ising model's sites are summed out one after another.
    Frontier(Frontier),
}

impl Method {
    /// The first of these that serves the model:
    ///
    /// 1. a closed form;
    /// 2. enumeration, of up to [`enumeration::MAX_DIM`] sites, which tells most;
    /// 3. enumeration of a restricted Boltzmann machine's smaller side, of up to
    ///    [`MAX_ENUMERATED`](crate::models::rbm::MAX_ENUMERATED) units;
    /// 4. Kaufman's formula, which takes no time;
    /// 5. elimination with a frontier, within the limits of [`super::frontier`].
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the model has too many sites for all of them;
    /// [`Error::MissingCapability`] if it is neither binary nor has a closed form.
    pub fn of(model: &dyn Model) -> Result<Self> {
        if model.as_reference().is_some() {
            return Ok(Self::ClosedForm);
        }
        if model.as_site_flips().is_none() {
            return Err(Error::missing(model.kind(), "Reference", "an exact log Z on the reals"));
        }
        let too_many_to_enumerate = match enumeration::num_shards(model.dim()) {
            Ok(_) => return Ok(Self::Enumeration),
            Err(error) => error,
        };
        if !FULL {
            return Err(not_in_core("model.dim"));
        }
        if let Some(rbm) = model.as_rbm() {
            return SmallerSide::new(rbm).map(Self::SmallerSide);
        }
        match model.as_ising() {
            None => Err(too_many_to_enumerate),
            Some(ising) => match ising.uniform_torus() {
                Some(exact) => Ok(Self::Kaufman(exact)),
                None => Frontier::new(ising).map(Self::Frontier),
            },
        }
    }

    /// Its name in results: stable.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ClosedForm => "closedForm",
            Self::Enumeration => "enumeration",
            Self::SmallerSide(_) => "smallerSide",
            Self::Kaufman(_) => "kaufman",
            Self::Frontier(_) => "frontier",
        }
    }
}
