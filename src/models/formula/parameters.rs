//! The parameters of a formula: names with values that a fit finds.
//!
//! A fit moves θ on all of ℝᴾ. A parameter s with bounds is a function of its θ: `lower + e^θ`,
//! `upper − e^θ`, or `lower + (upper − lower) σ(θ)`; one without is θ itself.

use super::Formula;
use super::derivatives::Parameterized;
use super::parse::check_name;
use super::tape::Tape;
use crate::NamedParameter;
use crate::energy::{Parametric, ScoreGradient};
use crate::linalg::{Batch, Block, transpose, with_scratch};
use crate::math::{exp, ln, sigmoid};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A parameter of a formula. In specs a number is one without bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(
    untagged,
    expecting = "a parameter must be a number, or an object with value and, as it has them, lower and upper"
)]
pub enum FormulaParameter {
    /// Its value.
    Free(f64),
    /// Its value, and where it must stay.
    Bounded(BoundedParameter),
}

/// A parameter with bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BoundedParameter {
    /// Its value, strictly within the bounds.
    pub value: f64,
    /// What it is greater than; nothing if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// What it is less than; nothing if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

impl FormulaParameter {
    /// The value s.
    pub fn value(self) -> f64 {
        match self {
            Self::Free(value) | Self::Bounded(BoundedParameter { value, .. }) => value,
        }
    }

    /// The same parameter with another value.
    fn with_value(self, value: f64) -> Self {
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

/// The parameters of a formula at some values.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    formula: Parameterized,
    names: Vec<String>,
    all: Vec<FormulaParameter>,
    theta: Vec<f64>,
    /// `v·∂E/∂x`, made when it is first asked for.
    along: OnceLock<Parameterized>,
    /// ∇²E and ½ |∇E|² − ∇²E.
    second_order: OnceLock<Option<[Parameterized; 2]>>,
}

impl Parameters {
    /// Those of a formula; each must occur in it.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the one that does not.
    pub fn new(formula: Parameterized, specs: &BTreeMap<String, FormulaParameter>) -> Result<Self> {
        let all: Vec<_> = specs.values().copied().collect();
        for (index, name) in specs.keys().enumerate() {
            if !formula.params().any(|param| param == index) {
                let problem = "does not occur in the expression; use it there, or leave it out";
                return Err(Error::spec(format!("model.params.{name}"), problem));
            }
        }
        let theta = all.iter().map(|param| param.coordinate()).collect();
        let names = specs.keys().cloned().collect();
        let (along, second_order) = (OnceLock::new(), OnceLock::new());
        Ok(Self { formula, names, all, theta, along, second_order })
    }

    /// The values s.
    fn values(&self) -> Vec<f64> {
        self.all.iter().map(|param| param.value()).collect()
    }

    /// The formula of x alone at the present values.
    pub fn tape(&self) -> Tape {
        self.formula.at(&self.values())
    }

    /// The parameters at their present values, by name.
    pub fn specs(&self) -> impl Iterator<Item = (&str, FormulaParameter)> {
        self.names.iter().map(String::as_str).zip(self.all.iter().copied())
    }

    fn second_order(&self) -> Option<&[Parameterized; 2]> {
        self.second_order.get_or_init(|| self.formula.second_order()).as_ref()
    }

    /// What is known of the parameters outside.
    pub fn named(&self) -> Vec<NamedParameter> {
        let named = |(name, param): (&str, FormulaParameter)| NamedParameter {
            name: name.to_owned(),
            value: param.value(),
            slope: param.slope(),
        };
        self.specs().map(named).collect()
    }

    /// `grad += Σ_c weights[c] ∂f(x_c)/∂θ` for a formula of the same parameters; returns the weighted sum
    /// of its values.
    fn accumulate(
        &self,
        formula: &Parameterized,
        inputs: Block<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) -> f64 {
        assert_eq!(grad.len(), self.all.len());
        let mut of_values = vec![0.0; grad.len()];
        let sum = formula.accumulate(inputs, &self.values(), weights, &mut of_values);
        for ((grad, param), of_value) in grad.iter_mut().zip(&self.all).zip(of_values) {
            *grad += of_value * param.slope();
        }
        sum
    }
}

/// Checks the values and bounds, and that the names can be names.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub(super) fn check(specs: &BTreeMap<String, FormulaParameter>) -> Result<()> {
    for (name, param) in specs {
        check_name("model.params", name)?;
        param.check(&format!("model.params.{name}"))?;
    }
    Ok(())
}

impl Formula {
    fn parameters(&self) -> &Parameters {
        self.parameters.as_ref().expect("asked of formulas with parameters only")
    }

    /// `grad += Σ_b weights[b] ∂f(x_b)/∂θ` for a formula of the same variables and parameters; returns
    /// `Σ_b weights[b] f(x_b)`.
    fn accumulate(
        &self,
        formula: &Parameterized,
        x: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) -> f64 {
        assert_eq!(x.dim(), self.dim);
        with_scratch([x.data().len()], |[block]| {
            transpose(self.dim, x.len(), x.data(), block);
            self.parameters().accumulate(formula, Block::new(self.dim, block), weights, grad)
        })
    }
}

impl Parametric for Formula {
    /// θ, in the order of the names.
    fn params(&self) -> &[f64] {
        self.parameters.as_ref().map_or(&[], |parameters| &parameters.theta)
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.params().len());
        let Some(parameters) = &mut self.parameters else { return };
        parameters.theta.copy_from_slice(params);
        for (param, theta) in parameters.all.iter_mut().zip(params) {
            *param = param.with_value(param.value_at(*theta));
        }
        self.tape = parameters.tape();
    }

    /// None: what a parameter does is known to its author alone.
    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        self.accumulate(&self.parameters().formula, x, weights, grad);
    }
}

impl ScoreGradient for Formula {
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        assert!(x.dim() == self.dim && directions.data().len() == x.data().len());
        let parameters = self.parameters();
        let along = parameters.along.get_or_init(|| parameters.formula.along());
        let len = x.data().len();
        with_scratch([2 * len], |[block]| {
            let (states, slopes) = block.split_at_mut(len);
            transpose(self.dim, x.len(), x.data(), states);
            transpose(self.dim, x.len(), directions.data(), slopes);
            parameters.accumulate(along, Block::new(2 * self.dim, block), weights, grad);
        });
    }

    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        let Some([laplacian, _]) = self.parameters().second_order() else { return false };
        part[0] += self.accumulate(laplacian, x, weights, &mut part[1..]);
        true
    }

    fn accumulate_score_matching(&self, x: Batch<'_>, weight: f64, part: &mut [f64]) -> bool {
        let Some([_, loss]) = self.parameters().second_order() else { return false };
        part[0] += self.accumulate(loss, x, &vec![weight; x.len()], &mut part[1..]);
        true
    }
}
