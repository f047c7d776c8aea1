//! Methods that compute a model's log Z exactly.

use super::{Frontier, ValueFrontier};
use crate::energy::enumeration;
use crate::models::Model;
use crate::models::ising::onsager::TorusExact;
use crate::models::potts::ValueEnumeration;
use crate::models::rbm::SmallerSide;
use crate::models::site_values::StateEnumeration;
use crate::models::softmax_units::{HiddenSums, Multiplicities, SoftmaxUnits};
use crate::{Error, FULL, Result, not_in_core};

/// A method that computes a model's log Z exactly.
#[derive(Debug, Clone)]
pub enum Method {
    /// A closed form for a model on ℝᴰ: [`crate::energy::Reference::log_z`].
    ClosedForm,
    /// Enumeration of all states: [`enumeration`].
    Enumeration,
    /// Enumeration of all states of a Potts model.
    Values(ValueEnumeration),
    /// Enumeration of all states of sites of several values, by the energy alone.
    States(StateEnumeration),
    /// Enumeration of the hidden states of a machine with visible units of several values; and what
    /// a row with all of them has.
    HiddenStates(HiddenSums, Multiplicities),
    /// Enumeration of all states of a restricted Boltzmann machine's smaller side.
    SmallerSide(SmallerSide),
    /// Kaufman's formula for a torus of equal couplings without a field.
    Kaufman(TorusExact),
    /// Summing out an Ising model's sites one after another.
    Frontier(Frontier),
    /// Summing out a Potts model's sites one after another.
    ValueFrontier(ValueFrontier),
}

impl Method {
    /// The first of these methods that applies to the model:
    ///
    /// 1. a closed form;
    /// 2. enumeration, of up to [`enumeration::MAX_DIM`] sites or 2²⁰ states, which gives the most quantities; a
    ///    machine with visible units of several values has that of its hidden states alone;
    /// 3. enumeration of a restricted Boltzmann machine's smaller side, of up to
    ///    [`MAX_ENUMERATED`](crate::models::rbm::MAX_ENUMERATED) units;
    /// 4. Kaufman's formula, which takes no time;
    /// 5. elimination with a frontier, within the limits of [`super::frontier`], also of Potts models.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the model has too many sites for all of them;
    /// [`Error::MissingCapability`] if it is neither binary nor has a closed form.
    pub fn of(model: &dyn Model) -> Result<Self> {
        if model.as_reference().is_some() {
            return Ok(Self::ClosedForm);
        }
        if let Some(potts) = model.as_potts() {
            return match ValueEnumeration::new(potts) {
                Ok(states) => Ok(Self::Values(states)),
                Err(_) => ValueFrontier::new(potts).map(Self::ValueFrontier),
            };
        }
        if let Some(values) = model.as_site_values() {
            return StateEnumeration::new(model, values.sites()).map(Self::States);
        }
        if let Some(machine) = model.as_categorical_rbm() {
            return Ok(Self::HiddenStates(machine.hidden_sums()?, machine.all_sites()));
        }
        if model.as_softmax_units().is_some() {
            return Err(Error::missing(
                model.kind(),
                "one log Z",
                "`exact`, as it has one for each number of words (ask `energies` for logProbabilities)",
            ));
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

    /// The method's name in results, which does not change between versions.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ClosedForm => "closedForm",
            Self::Enumeration | Self::Values(_) | Self::States(_) => "enumeration",
            Self::HiddenStates(..) => "hiddenStates",
            Self::SmallerSide(_) => "smallerSide",
            Self::Kaufman(_) => "kaufman",
            Self::Frontier(_) | Self::ValueFrontier(_) => "frontier",
        }
    }
}
