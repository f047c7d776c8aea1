//! The parameters of a formula: names with values that a fit finds.

use super::Formula;
use super::derivatives::Parameterized;
use super::tape::Tape;
use super::values;
use crate::NamedParameter;
use crate::energy::{Parametric, ScoreGradient};
use crate::linalg::{Batch, Block, transpose, with_scratch};
use crate::named_params::{NamedParams, ParameterSpec};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The parameters of a formula at some values.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    formula: Parameterized,
    named: NamedParams,
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
    pub fn new(formula: Parameterized, specs: &BTreeMap<String, ParameterSpec>) -> Result<Self> {
        for (index, name) in specs.keys().enumerate() {
            if !formula.params().any(|param| param == index) {
                let problem = "does not occur in the expression; use it there, or leave it out";
                return Err(Error::spec(format!("model.params.{name}"), problem));
            }
        }
        let named = NamedParams::new(specs)?;
        Ok(Self { formula, named, along: OnceLock::new(), second_order: OnceLock::new() })
    }

    /// The formula of x alone at the present values.
    pub fn tape(&self) -> Tape {
        self.formula.at(&self.named.values())
    }

    /// The parameters at their present values, by name.
    pub fn specs(&self) -> impl Iterator<Item = (&str, ParameterSpec)> {
        self.named.specs()
    }

    fn second_order(&self) -> Option<&[Parameterized; 2]> {
        self.second_order.get_or_init(|| self.formula.second_order()).as_ref()
    }

    /// What is known of the parameters outside.
    pub fn named(&self) -> Vec<NamedParameter> {
        self.named.named()
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
        let mut of_values = vec![0.0; grad.len()];
        let sum = formula.accumulate(inputs, &self.named.values(), weights, &mut of_values);
        self.named.add_slopes(&of_values, grad);
        sum
    }
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
        assert_eq!(x.dim(), self.num_variables);
        with_scratch([x.data().len()], |[block]| {
            transpose(self.num_variables, x.len(), x.data(), block);
            self.parameters().accumulate(
                formula,
                Block::new(self.num_variables, block),
                weights,
                grad,
            )
        })
    }
}

impl Parametric for Formula {
    /// θ, in the order of the names.
    fn params(&self) -> &[f64] {
        self.parameters.as_ref().map_or(&[], |parameters| parameters.named.theta())
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.params().len());
        let Some(parameters) = &mut self.parameters else { return };
        parameters.named.set_theta(params);
        self.tape = parameters.tape();
    }

    /// None: what a parameter does is known to its author alone.
    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    /// Rows that stand for no state add nothing.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        let formula = &self.parameters().formula;
        if let Some(sites) = &self.sites {
            let (variables, weights) = values::states(sites, x, weights);
            let x = Batch::new(self.num_variables, &variables);
            self.accumulate(formula, x, &weights, grad);
            return;
        }
        self.accumulate(formula, x, weights, grad);
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
        assert!(x.dim() == self.num_variables && directions.data().len() == x.data().len());
        let parameters = self.parameters();
        let along = parameters.along.get_or_init(|| parameters.formula.along());
        let len = x.data().len();
        with_scratch([2 * len], |[block]| {
            let (states, slopes) = block.split_at_mut(len);
            transpose(self.num_variables, x.len(), x.data(), states);
            transpose(self.num_variables, x.len(), directions.data(), slopes);
            parameters.accumulate(along, Block::new(2 * self.num_variables, block), weights, grad);
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
