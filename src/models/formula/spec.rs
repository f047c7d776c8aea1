//! The spec of the formula model, and its checks.

use super::functions::is_function;
use super::parse::{is_name, parse};
use super::tape::Tape;
use super::{Formula, order};
use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::energy::HalfSpace;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum length of a formula, in characters.
pub const MAX_LENGTH: usize = 10_000;

/// Maximum number of variables, of constants and of constraints.
pub const MAX_NAMES: usize = 1000;

/// The spec of the formula model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormulaSpec {
    /// E(x), in nats, e.g. `100*log(sqrt(x^2+y^2))^2`. Numbers, names,
    /// parentheses, `+ - * / ^`, the functions abs, cos, exp, log (or ln, the
    /// natural logarithm), max, min, sigmoid, sin, softplus, sqrt and tanh, and
    /// `pi`. `-x^2` is `-(x^2)`, `a^b^c` is `a^(b^c)`.
    pub expression: String,
    /// The names of x₀, x₁, …. If absent, the names in the expression in
    /// alphabetical order, but x2 before x10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<String>>,
    /// The values of other names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "types", ts(as = "Option<BTreeMap<String, f64>>"))]
    pub constants: BTreeMap<String, f64>,
    /// The support is where all of these hold; all of ℝᴰ if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "types", ts(as = "Option<Vec<HalfSpace>>"))]
    pub constraints: Vec<HalfSpace>,
}

impl FormulaSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field and, for the expression, the
    /// column.
    pub fn build(&self) -> Result<Formula> {
        let field = "model.expression";
        check_count(field, self.expression.len(), 1, MAX_LENGTH, "characters")?;
        check_count("model.constants", self.constants.len(), 0, MAX_NAMES, "constants")?;
        check_count("model.constraints", self.constraints.len(), 0, MAX_NAMES, "constraints")?;
        self.check_names()?;
        let remedy = "list it, or make it a constant";
        let parsed = parse(&self.expression, self.variables.as_deref(), &self.constants, remedy);
        let parsed = parsed.map_err(|mistake| mistake.in_field(field, &self.expression))?;
        let (variables, places) = match &self.variables {
            Some(variables) => (variables.clone(), (0..variables.len()).collect()),
            None => order(parsed.variables),
        };
        if parsed.graph.constant_value(parsed.root).is_some() {
            let problem = "depends on no variable; write an energy that does, e.g. x^2/2";
            return Err(Error::spec(field, problem));
        }
        check_count("model.variables", variables.len(), 1, MAX_NAMES, "variables")?;
        for (index, half_space) in self.constraints.iter().enumerate() {
            check_half_space(index, half_space, variables.len())?;
        }
        let (nodes, _) = parsed.graph.into_nodes(&[parsed.root], &places);
        let tape = Tape::new(nodes);
        let dim = variables.len();
        let spec = Self { variables: Some(variables), ..self.clone() };
        Ok(Formula { spec, dim, tape })
    }

    /// Checks that names can be parsed as such, and that each has one meaning.
    fn check_names(&self) -> Result<()> {
        let variables = self.variables.as_deref().unwrap_or_default();
        check_count("model.variables", variables.len(), 0, MAX_NAMES, "variables")?;
        for (index, name) in variables.iter().enumerate() {
            let field = format!("model.variables[{index}]");
            check_name(&field, name)?;
            if variables[..index].contains(name) || self.constants.contains_key(name) {
                return Err(Error::spec(field, format!("`{name}` is given twice")));
            }
        }
        for (name, value) in &self.constants {
            check_name("model.constants", name)?;
            if !value.is_finite() {
                let problem = format!("is {value}; it must be a finite number");
                return Err(Error::spec(format!("model.constants.{name}"), problem));
            }
        }
        Ok(())
    }

    /// There are no large arrays.
    pub fn arrays_mut(&mut self) -> Vec<(&'static str, &mut Vec<f64>)> {
        Vec::new()
    }

    /// Small models for the laws; together they use every operation.
    pub fn examples() -> Vec<Self> {
        let plain = |expression: &str| Self {
            expression: expression.into(),
            variables: None,
            constants: BTreeMap::new(),
            constraints: Vec::new(),
        };
        let named = |names: [&str; 2]| Some(names.map(String::from).to_vec());
        vec![
            plain("100*log(sqrt(x^2+y^2))^2"),
            plain("exp(sin(x) - cos(y)/2) + softplus(y) + tanh(z)*sigmoid(x) + (x^2+y^2+z^2)/2"),
            plain("(x1^2 + 0.5)^1.3 + (x2^2 + 1)^(sigmoid(x10)) + (0.1 + x2^2)^-2 + abs(x10)^3"),
            plain("max(x, y, 0.3*x) - min(2*y, 1 - x) - -x^2/2 + y^4/8 + 2^-x"),
            Self {
                variables: named(["σ", "unused"]),
                constants: [("rate".to_string(), 3.0)].into(),
                constraints: vec![
                    HalfSpace { normal: vec![1.0, 0.0], offset: 0.1 },
                    HalfSpace { normal: vec![-1.0, 1.0], offset: -20.0 },
                ],
                ..plain("rate*(σ - ln(σ + 1)) + pi")
            },
        ]
    }
}

/// Checks that a formula can use this text as the name of something.
///
/// # Errors
/// [`Error::InvalidSpec`] with this field.
pub(crate) fn check_name(field: &str, name: &str) -> Result<()> {
    let problem = if !is_name(name) {
        "is no name; a name is a letter, then letters, digits and _"
    } else if is_function(name) || name == "pi" {
        "has a meaning already; choose another name"
    } else {
        return Ok(());
    };
    Err(Error::spec(field, format!("`{}` {problem}", name.escape_debug())))
}

fn check_half_space(index: usize, half_space: &HalfSpace, dim: usize) -> Result<()> {
    let field = format!("model.constraints[{index}]");
    check_numbers(&format!("{field}.normal"), &half_space.normal, dim)?;
    check_numbers(&format!("{field}.offset"), &[half_space.offset], 1)?;
    if half_space.normal.iter().all(|entry| *entry == 0.0) {
        let problem = "is zero, which bounds nothing; give the inward direction";
        return Err(Error::spec(format!("{field}.normal"), problem));
    }
    Ok(())
}
