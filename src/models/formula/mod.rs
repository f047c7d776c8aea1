//! An energy given as a formula, x ∈ ℝᴰ, or a part of it bounded by constraints, or x ∈ {0,1}ᴰ
//! ([`bits`]), or x_i ∈ {0, …, q_i − 1} ([`values`]): `E(x)` is the value of the formula, D the number of
//! its variables.
//!
//! The formula is parsed once, into a list of operations ([`graph`]), which is then run for all
//! states at once, forward for the energy and backward for the gradient ([`tape`]). Where it has no
//! value the energy is infinite or NaN. Its author must ensure that Z is finite, as nothing here
//! can check that.
//!
//! Names may be parameters ([`parameters`]), which fits find.

mod bits;
mod derivatives;
mod functions;
mod graph;
mod parameters;
mod parse;
mod row_sum;
mod runs;
mod spec;
mod tangent;
mod tape;
#[cfg(test)]
mod tests;
mod values;

pub use parse::MAX_DEPTH;
pub(crate) use parse::check_name;
pub(crate) use row_sum::RowSum;
pub use spec::{FormulaSpec, MAX_LENGTH, MAX_NAMES};

use super::site_values::{SiteValues, Sites};
use super::{Model, ModelSpec, NamedParameter};
use crate::energy::{
    Differentiable, Energy, HalfSpace, Parametric, ScoreGradient, SiteConditionals, SiteFlips,
};
use crate::linalg::{Batch, Block};
use functions::{Binary, Unary};
use graph::Node;
use std::cmp::Ordering;
use tape::Tape;

/// The formula model; see the module documentation.
#[derive(Debug, Clone)]
pub struct Formula {
    /// The spec with the variables filled in.
    spec: FormulaSpec,
    /// Number of variables.
    num_variables: usize,
    /// The sites, if the variables have several values.
    sites: Option<Sites>,
    /// The formula at the present parameters.
    tape: Tape,
    parameters: Option<parameters::Parameters>,
}

impl Formula {
    /// The names of the variables x₀, x₁, ….
    pub fn variables(&self) -> &[String] {
        self.spec.variables.as_deref().unwrap_or_default()
    }

    fn is_on_reals(&self) -> bool {
        !self.spec.binary && self.sites.is_none()
    }

    /// Whether an absolute value, a minimum or a maximum depends on the state.
    pub fn has_kinks(&self) -> bool {
        let bends = |node: &Node| {
            matches!(node, Node::Unary(Unary::Abs, _) | Node::Binary(Binary::Min | Binary::Max, ..))
        };
        self.tape.nodes().iter().any(bends)
    }
}

/// Names in alphabetical order, with numbers in them compared by value; also the new index of each
/// given name.
fn order(names: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let mut sorted = names.clone();
    sorted.sort_by(|a, b| natural(a, b));
    let place = |name| sorted.iter().position(|known| known == name).expect("it is there");
    let places = names.iter().map(place).collect();
    (sorted, places)
}

/// The order in which x2 comes before x10.
fn natural(a: &str, b: &str) -> Ordering {
    let split = |text: &str| {
        let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text[stem.len()..].trim_start_matches('0');
        (stem.to_string(), digits.len(), digits.to_string(), text.len())
    };
    split(a).cmp(&split(b))
}

impl Energy for Formula {
    fn dim(&self) -> usize {
        self.sites.as_ref().map_or(self.num_variables, Sites::dim)
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        let mut nodes = Vec::new();
        if let Some(sites) = &self.sites {
            values::for_each_state(sites, x, |index, variables| {
                out[index] = variables.map_or(f64::INFINITY, |x| self.tape.value(x, &mut nodes));
            });
            return;
        }
        for (state, out) in x.states().zip(out) {
            *out = self.tape.value(state, &mut nodes);
        }
    }
}

impl Differentiable for Formula {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        assert!(
            x.dim() == self.num_variables
                && energy.len() == x.width()
                && grad.len() == x.data().len()
        );
        self.tape.value_grad(x, energy, grad);
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.spec.constraints
    }

    fn gradient_cost(&self) -> usize {
        self.tape.cost()
    }
}

impl Model for Formula {
    fn kind(&self) -> &'static str {
        "formula"
    }

    fn spec(&self) -> ModelSpec {
        let spec = self.spec.clone();
        ModelSpec::Formula(match &self.parameters {
            Some(parameters) => spec.with_params(parameters.specs()),
            None => spec,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn named_parameters(&self) -> Vec<NamedParameter> {
        self.parameters.as_ref().map_or_else(Vec::new, parameters::Parameters::named)
    }

    fn provide_parametric(&self) -> Option<&dyn Parametric> {
        self.parameters.is_some().then_some(self)
    }

    fn provide_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        if self.parameters.is_some() { Some(self) } else { None }
    }

    fn provide_score_gradient(&self) -> Option<&dyn ScoreGradient> {
        (self.parameters.is_some() && self.is_on_reals()).then_some(self)
    }

    fn provide_differentiable(&self) -> Option<&dyn Differentiable> {
        self.is_on_reals().then_some(self)
    }

    fn provide_site_flips(&self) -> Option<&dyn SiteFlips> {
        self.spec.binary.then_some(self)
    }

    fn provide_site_conditionals(&self) -> Option<&dyn SiteConditionals> {
        (!self.is_on_reals()).then_some(self)
    }

    fn provide_site_values(&self) -> Option<&dyn SiteValues> {
        self.sites.as_ref().map(|_| self as _)
    }
}
