//! The spec of the formula model, and its checks.

use super::derivatives::Parameterized;
use super::functions::Binary;
use super::graph::Node;
use super::parameters::Parameters;
use super::parse::{check_name, parse};
use super::tape::Tape;
use super::{Formula, order};
use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::energy::HalfSpace;
use crate::named_params::{BoundedParameter, ParameterSpec};
use crate::site_values::{NumValues, Sites, sites_of};
use crate::{Error, Result};
use std::collections::BTreeMap;
use unnorm_wire::spec;

/// Maximum length of a formula, in characters.
pub const MAX_LENGTH: usize = 10_000;

/// Maximum number of variables, of constants and of constraints.
pub const MAX_NAMES: usize = 1000;

/// The spec of the formula model.
#[spec]
pub struct FormulaSpec {
    /// E(x), in nats, e.g. `100*log(sqrt(x^2+y^2))^2`. Numbers, names,
    /// parentheses, `+ - * / ^`, the functions abs, cos, equal (1 or 0, of bits and
    /// values), exp, log (or ln, the natural logarithm), max, min, sigmoid, sin,
    /// softplus, sqrt and tanh, and `pi`. `-x^2` is `-(x^2)`, `a^b^c` is `a^(b^c)`.
    pub expression: String,
    /// The names of x₀, x₁, …. If absent, the names in the expression in
    /// alphabetical order, but x2 before x10.
    pub variables: Option<Vec<String>>,
    /// The values of other names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, f64>,
    /// The parameters: what a fit finds, with the values that it starts from. A number, or an object
    /// with `value` and the bounds `lower` and `upper`.
    #[cfg(feature = "full")]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, ParameterSpec>,
    /// Whether the states are rows of zeros and ones, each variable a bit; false if absent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    /// Number of values of every variable, or of each, at least 2: a variable is then 0, 1, …, one less than
    /// that. States are rows of bits as those of Potts models, one bit a value.
    #[ts(type = "number | number[]")]
    pub num_values: Option<NumValues>,
    /// The support is where all of these hold; all of ℝᴰ if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
        let mut known: Vec<String> = self.params().keys().cloned().collect();
        let num_params = known.len();
        known.extend(self.variables.iter().flatten().cloned());
        let remedy = self.variables.as_ref().map(|_| "list it, or make it a constant");
        let parsed = parse(&self.expression, &known, &self.constants, remedy);
        let parsed = parsed.map_err(|mistake| mistake.in_field(field, &self.expression))?;
        let (variables, places) = match &self.variables {
            Some(variables) => (variables.clone(), (0..variables.len()).collect()),
            None => order(parsed.variables[num_params..].to_vec()),
        };
        let dim = variables.len();
        // First the variables, then the parameters.
        let places: Vec<usize> = (dim..dim + num_params).chain(places).collect();
        let (nodes, _) = parsed.graph.pick(&[parsed.root], &places);
        if !nodes.iter().any(|node| matches!(node, Node::Variable(index) if *index < dim)) {
            let problem = "depends on no variable; write an energy that does, e.g. x^2/2";
            return Err(Error::spec(field, problem));
        }
        check_count("model.variables", dim, 1, MAX_NAMES, "variables")?;
        if self.binary && !self.constraints.is_empty() {
            let problem = "are for real numbers, and binary is true; leave them out";
            return Err(Error::spec("model.constraints", problem));
        }
        let sites = self.sites(dim)?;
        let compares = |node: &Node| matches!(node, Node::Binary(Binary::Equal, ..));
        if !self.binary && sites.is_none() && nodes.iter().any(compares) {
            let problem = "asks whether numbers are equal, which real ones never are; set binary or numValues, \
                           or leave `equal` out";
            return Err(Error::spec(field, problem));
        }
        for (index, half_space) in self.constraints.iter().enumerate() {
            check_half_space(index, half_space, dim)?;
        }
        let spec = Self { variables: Some(variables), ..self.clone() };
        if num_params > 0 {
            let formula = Parameterized::new(nodes, dim, num_params);
            let parameters = Parameters::new(formula, self.params())?;
            let tape = parameters.tape();
            let parameters = Some(parameters);
            return Ok(Formula { spec, num_variables: dim, sites, tape, parameters });
        }
        let tape = Tape::new(nodes);
        Ok(Formula { spec, num_variables: dim, sites, tape, parameters: None })
    }

    /// The sites, if variables have several values.
    fn sites(&self, num_variables: usize) -> Result<Option<Sites>> {
        let Some(num_values) = self.num_values.as_ref() else { return Ok(None) };
        if self.binary {
            let problem = "is given, and binary is true; leave one of them out";
            return Err(Error::spec("model.numValues", problem));
        }
        if !self.constraints.is_empty() {
            let problem = "are for real numbers, and numValues is given; leave them out";
            return Err(Error::spec("model.constraints", problem));
        }
        sites_of(num_variables, num_values).map(Some)
    }

    /// The parameters; the core, which fits no formula, has no room for them.
    pub(super) fn params(&self) -> &BTreeMap<String, ParameterSpec> {
        #[cfg(not(feature = "full"))]
        return const { &BTreeMap::new() };
        #[cfg(feature = "full")]
        &self.params
    }

    /// The same with these parameters, which replace those of the same names.
    #[cfg_attr(not(feature = "full"), allow(unused_mut, unused_variables))]
    pub(super) fn with_params<'a>(
        mut self,
        params: impl IntoIterator<Item = (&'a str, ParameterSpec)>,
    ) -> Self {
        #[cfg(feature = "full")]
        self.params.extend(params.into_iter().map(|(name, param)| (name.to_owned(), param)));
        self
    }

    /// Checks that names can be parsed as such, and that each has one meaning.
    fn check_names(&self) -> Result<()> {
        let variables = self.variables.as_deref().unwrap_or_default();
        let parameters = self.params();
        for name in parameters.keys() {
            check_name("model.params", name)?;
        }
        check_count("model.variables", variables.len(), 0, MAX_NAMES, "variables")?;
        for (index, name) in variables.iter().enumerate() {
            let field = format!("model.variables[{index}]");
            check_name(&field, name)?;
            if variables[..index].contains(name)
                || self.constants.contains_key(name)
                || parameters.contains_key(name)
            {
                return Err(Error::spec(field, format!("`{name}` is given twice")));
            }
        }
        for (name, value) in &self.constants {
            check_name("model.constants", name)?;
            if !value.is_finite() {
                let problem = format!("is {value}; it must be a finite number");
                return Err(Error::spec(format!("model.constants.{name}"), problem));
            }
            if parameters.contains_key(name) {
                let problem = "is a parameter, too; choose another name for one of both";
                return Err(Error::spec(format!("model.constants.{name}"), problem));
            }
        }
        Ok(())
    }

    /// Small models for the laws; together they use every operation.
    pub fn examples() -> Vec<Self> {
        let plain = |expression: &str| Self {
            expression: expression.into(),
            variables: None,
            constants: BTreeMap::new(),
            #[cfg(feature = "full")]
            params: BTreeMap::new(),
            binary: false,
            num_values: None,
            constraints: Vec::new(),
        };
        let free = |params: [(&'static str, f64); 2]| {
            params.map(|(name, value)| (name, ParameterSpec::Free(value)))
        };
        let named = |names: [&str; 2]| Some(names.map(String::from).to_vec());
        #[cfg_attr(not(feature = "full"), allow(unused_mut))]
        let mut examples = vec![
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
            plain("((x - 3*a - b/3)^2 + (y - a/3)^2)/2")
                .with_params(free([("a", 0.3), ("b", -0.5)])),
            plain(
                "softplus(a*y)*tanh(t*z)*sigmoid(x) + (x^2+y^2+z^2)/2 + s*ln(1 + (x-t)^2) \
                 + exp(sin(a*x) - cos(y*p)/2) + sqrt(1 + s*z^2) + (x^2 + 0.5)^p - -x/(1 + s*y^2) \
                 + 2^(-a*x)/4 + (a*y - z)^4/20",
            )
            .with_params(
                [
                    ("a", 0.7, None, None),
                    ("p", 0.9, Some(0.5), Some(1.5)),
                    ("s", 0.4, Some(0.1), None),
                    ("t", 0.2, None, Some(2.0)),
                ]
                .map(|(name, value, lower, upper)| {
                    let bounded = BoundedParameter { value, lower, upper };
                    (name, ParameterSpec::Bounded(bounded))
                }),
            ),
            plain("max(x, a*y, 0.3*x) - min(2*y, b - x) + abs(a - x) + x^2/2 + y^4/8")
                .with_params(free([("a", 0.3), ("b", -0.5)])),
            // Three sites at once, and a number of sites on that is liked.
            Self {
                binary: true,
                ..plain(
                    "h*(x1 + 2*x2 - x5) + j*(x1*x2 + x2*x3 - x4*x5) + k*x1*x3*x4 \
                     + (x1 + x2 + x3 + x4 + x5 - 2)^2/4",
                )
            }
            .with_params(free([("h", 0.4), ("j", -0.7)]))
            .with_params([("k", ParameterSpec::Free(1.1))]),
            Self { binary: true, ..plain("max(a, b)*c - exp(a + b - d) + sqrt(1 + c + 3*d)") },
        ];
        #[cfg(feature = "full")]
        examples.extend(Self::examples_of_values(plain));
        examples
    }

    /// Examples of variables with several values: a Potts model, and one of ordered values and three
    /// categories at once.
    #[cfg(feature = "full")]
    fn examples_of_values(plain: impl Fn(&str) -> Self) -> [Self; 2] {
        let free = |(name, value): (&'static str, f64)| (name, ParameterSpec::Free(value));
        [
            Self {
                num_values: Some(NumValues::All(3)),
                ..plain(
                    "-j*(equal(x1, x2) + equal(x2, x3) + equal(x3, x1)) - h*equal(x1, 0) - k*equal(x3, 2)",
                )
            }
            .with_params([("h", 0.5), ("j", 0.8), ("k", -0.3)].map(free)),
            Self {
                num_values: Some(NumValues::Each(vec![4, 2, 5])),
                ..plain("b*(x - z)^2/4 + c*equal(x, 3)*y*equal(z, 1) - a*cos(z)*y")
            }
            .with_params([("a", 0.4), ("b", 0.3), ("c", -1.2)].map(free)),
        ]
    }
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
