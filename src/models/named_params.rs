//! Parameters with names: values that a fit finds, and where they must stay.
//!
//! A fit moves θ on all of ℝᴾ. A parameter s with bounds is a function of its θ: `lower + e^θ`,
//! `upper − e^θ`, or `lower + (upper − lower) σ(θ)`; one without is θ itself.

use super::NamedParameter;
use crate::checks::check_count;
use crate::math::{exp, ln, sigmoid};
use crate::{Error, Result};
use std::collections::BTreeMap;
use unnorm_wire::spec;

/// Maximum number of parameters.
pub const MAX_NAMES: usize = 1000;

/// A named parameter. In specs a number is one without bounds.
#[spec]
#[derive(Copy)]
#[serde(
    untagged,
    expecting = "a parameter must be a number, or an object with value and, as it has them, lower and upper"
)]
pub enum ParameterSpec {
    /// Its value.
    Free(f64),
    /// Its value, and where it must stay.
    Bounded(BoundedParameter),
}

/// A parameter with bounds.
#[spec]
#[derive(Copy)]
pub struct BoundedParameter {
    /// Its value, strictly within the bounds.
    pub value: f64,
    /// What it is greater than; nothing if absent.
    pub lower: Option<f64>,
    /// What it is less than; nothing if absent.
    pub upper: Option<f64>,
}

impl ParameterSpec {
    /// The value s.
    pub fn value(self) -> f64 {
        match self {
            Self::Free(value) | Self::Bounded(BoundedParameter { value, .. }) => value,
        }
    }

    /// The same parameter with another value.
    pub fn with_value(self, value: f64) -> Self {
        match self {
            Self::Free(_) => Self::Free(value),
            Self::Bounded(bounded) => Self::Bounded(BoundedParameter { value, ..bounded }),
        }
    }

    fn bounds(self) -> (Option<f64>, Option<f64>) {
        match self {
            Self::Free(_) => (None, None),
            Self::Bounded(BoundedParameter { lower, upper, .. }) => (lower, upper),
        }
    }

    fn check(self, field: &str) -> Result<()> {
        let value = self.value();
        let (lower, upper) = self.bounds();
        for (name, number) in [("lower", lower), ("upper", upper), ("value", Some(value))] {
            if let Some(number) = number.filter(|number| !number.is_finite()) {
                let field = if matches!(self, Self::Free(_)) {
                    field.to_owned()
                } else {
                    format!("{field}.{name}")
                };
                return Err(Error::spec(field, format!("is {number}; it must be a finite number")));
            }
        }
        if let (Some(lower), Some(upper)) = (lower, upper)
            && !(lower < upper && (upper - lower).is_finite())
        {
            let problem = format!("is {upper}; it must be greater than lower, {lower}");
            return Err(Error::spec(format!("{field}.upper"), problem));
        }
        if lower.is_some_and(|lower| value <= lower) || upper.is_some_and(|upper| value >= upper) {
            let problem =
                format!("is {value}; it must be within its bounds, and not at one of them");
            return Err(Error::spec(format!("{field}.value"), problem));
        }
        Ok(())
    }

    /// θ at the value.
    fn coordinate(self) -> f64 {
        let value = self.value();
        match self.bounds() {
            (None, None) => value,
            (Some(lower), None) => ln(value - lower),
            (None, Some(upper)) => ln(upper - value),
            (Some(lower), Some(upper)) => ln(value - lower) - ln(upper - value),
        }
    }

    /// The value at θ. Where it would round to a bound it is the next number within.
    fn value_at(self, theta: f64) -> f64 {
        let value = match self.bounds() {
            (None, None) => return theta,
            (Some(lower), None) => lower + exp(theta),
            (None, Some(upper)) => upper - exp(theta),
            (Some(lower), Some(upper)) => lower + (upper - lower) * sigmoid(theta),
        };
        let (lower, upper) = self.bounds();
        value.clamp(lower.map_or(f64::MIN, f64::next_up), upper.map_or(f64::MAX, f64::next_down))
    }

    /// ds/dθ.
    fn slope(self) -> f64 {
        let value = self.value();
        match self.bounds() {
            (None, None) => 1.0,
            (Some(lower), None) => value - lower,
            (None, Some(upper)) => value - upper,
            (Some(lower), Some(upper)) => (value - lower) * ((upper - value) / (upper - lower)),
        }
    }
}

/// Named parameters at some values, in the order of their names.
#[derive(Debug, Clone)]
pub struct NamedParams {
    names: Vec<String>,
    all: Vec<ParameterSpec>,
    theta: Vec<f64>,
}

impl NamedParams {
    /// Those of a spec.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the value or bound in `model.params`.
    pub fn new(specs: &BTreeMap<String, ParameterSpec>) -> Result<Self> {
        check(specs)?;
        let all: Vec<_> = specs.values().copied().collect();
        let theta = all.iter().map(|param| param.coordinate()).collect();
        Ok(Self { names: specs.keys().cloned().collect(), all, theta })
    }

    /// The values s.
    pub fn values(&self) -> Vec<f64> {
        self.all.iter().map(|param| param.value()).collect()
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Moves θ.
    ///
    /// # Panics
    /// If the length differs.
    pub fn set_theta(&mut self, theta: &[f64]) {
        self.theta.copy_from_slice(theta);
        for (param, theta) in self.all.iter_mut().zip(theta) {
            *param = param.with_value(param.value_at(*theta));
        }
    }

    /// The parameters at their present values, by name.
    pub fn specs(&self) -> impl Iterator<Item = (&str, ParameterSpec)> {
        self.names.iter().map(String::as_str).zip(self.all.iter().copied())
    }

    /// What is known of the parameters outside.
    pub fn named(&self) -> Vec<NamedParameter> {
        let named = |(name, param): (&str, ParameterSpec)| NamedParameter {
            name: name.to_owned(),
            value: param.value(),
            slope: param.slope(),
        };
        self.specs().map(named).collect()
    }

    /// `grad += ∂s/∂θ · of_values` for a gradient in the values s.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn add_slopes(&self, of_values: &[f64], grad: &mut [f64]) {
        assert!(grad.len() == self.all.len() && of_values.len() == grad.len());
        for ((grad, param), of_value) in grad.iter_mut().zip(&self.all).zip(of_values) {
            *grad += of_value * param.slope();
        }
    }
}

/// Checks the values and bounds, and that there are not too many.
fn check(specs: &BTreeMap<String, ParameterSpec>) -> Result<()> {
    check_count("model.params", specs.len(), 0, MAX_NAMES, "parameters")?;
    specs.iter().try_for_each(|(name, param)| param.check(&format!("model.params.{name}")))
}
