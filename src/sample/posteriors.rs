//! Posteriors p(a|x) of a generative model at many x, with one chain each: the E step of
//! expectation maximization moves them.
//!
//! All chains of a block move in the same way, each under the energy `−ln p(x, a)` of its own x.
//! The x goes with the chain when a transition copies it to a smaller block, such as one of
//! rejected chains or of a single chain.

use super::columns::select;
use crate::energy::{Differentiable, Energy, Generative, HalfSpace};
use crate::linalg::{Batch, Block};
use crate::models::Model;
use crate::{Error, Result};

/// The target of chains at rows; for chains without a row it is the posterior at the model's own x.
pub struct Posteriors<'a> {
    generative: &'a dyn Generative,
    differentiable: &'a dyn Differentiable,
}

impl<'a> Posteriors<'a> {
    /// The posteriors of a model.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model is not generative, or has no gradient.
    pub fn of(model: &'a dyn Model, needed_by: &'static str) -> Result<Self> {
        let missing = |capability| Error::missing(model.kind(), capability, needed_by);
        Ok(Self {
            generative: model.as_generative().ok_or_else(|| missing("Generative"))?,
            differentiable: model.as_differentiable().ok_or_else(|| missing("Differentiable"))?,
        })
    }

    /// Entries of x.
    pub fn num_observed(&self) -> usize {
        self.generative.num_observed()
    }

    /// `energy[c] = −ln p(x_c, a_c)` and its gradient in a, dimension-major.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn energy_grad_at(
        &self,
        observed: Block<'_>,
        states: Block<'_>,
        energy: &mut [f64],
        grad: &mut [f64],
    ) {
        self.generative.joint_energy_grad(observed, states, energy, grad);
    }
}

impl Energy for Posteriors<'_> {
    fn dim(&self) -> usize {
        self.differentiable.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.differentiable.energy(x, out);
    }
}

impl Differentiable for Posteriors<'_> {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.differentiable.energy_grad(x, energy, grad);
    }

    /// The cost for one posterior, plus a product of the basis and the state.
    fn gradient_cost(&self) -> usize {
        self.differentiable.gradient_cost() + self.num_observed() * self.dim() / 2
    }

    fn constraints(&self) -> &[HalfSpace] {
        self.differentiable.constraints()
    }
}

/// The x of each chain of a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed {
    dim: usize,
    /// The entries, dimension-major `[num_observed, width]`.
    values: Vec<f64>,
}

impl Observed {
    /// The x given by these rows.
    pub fn new(rows: Batch<'_>) -> Self {
        let (dim, width) = (rows.dim(), rows.len());
        let mut values = vec![0.0; dim * width];
        rows.states().enumerate().for_each(|(chain, row)| {
            row.iter().enumerate().for_each(|(d, x)| values[d * width + chain] = *x);
        });
        Self { dim, values }
    }

    /// The x as a block.
    pub fn as_block(&self) -> Block<'_> {
        Block::new(self.dim, &self.values)
    }

    /// Sets `to` to the x at these places.
    pub fn select(&self, places: &[usize], to: &mut Self) {
        to.dim = self.dim;
        select(&self.values, self.values.len() / self.dim, places, &mut to.values);
    }
}
