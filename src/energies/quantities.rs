//! What is computed for each state by itself.

use super::spec::EnergiesSpec;
use crate::bits::{BitMatrix, read_values};
use crate::energy::SiteFlips;
use crate::linalg::{Batch, Block, transpose};
use crate::math::sigmoid;
use crate::models::conditional::Entries;
use crate::models::posterior::Posterior;
use crate::models::{Model, ModelSpec};
use crate::{Error, Result};
use std::ops::Range;

/// Maximum number of entries of all states together.
const MAX_NUMBERS: usize = 1 << 24;

/// The quantities, in the order in which they are kept.
#[derive(Debug, Clone, Copy)]
pub enum Quantity {
    Energy,
    Gradient,
    Parameters,
    Conditionals,
    Hidden,
    /// Not computed by [`Quantities`]: it takes log Z.
    LogProbability,
}

/// The model, the states, and what is asked for.
pub struct Quantities {
    model: Box<dyn Model>,
    states: Vec<f64>,
    /// Which entries stay, if any.
    observed: Option<Entries>,
    /// The model again, if its parameters are asked for.
    posterior: Option<Posterior>,
    /// How many numbers each quantity has for a state; 0 if it is not asked for.
    widths: [usize; 5],
}

impl Quantities {
    /// Checks the model and the states.
    ///
    /// # Errors
    /// See [`super::EnergiesWorker::new`].
    pub fn new(spec: &EnergiesSpec) -> Result<Self> {
        let model = spec.model.build()?;
        let dim = model.dim();
        check_states(dim, &spec.states)?;
        if spec.gradients && model.as_differentiable().is_none() {
            return Err(Error::missing(model.kind(), "Differentiable", "a gradient"));
        }
        let observed =
            spec.observed.as_ref().map(|observed| spec.model.entries(observed, dim)).transpose()?;
        let mut states = spec.states.clone();
        if let Some(observed) = &observed {
            observed.overwrite(&mut states);
        }
        let posterior = match &spec.model {
            ModelSpec::Posterior(posterior) if spec.parameters => Some(posterior.build()?),
            _ => None,
        };
        if spec.parameters && posterior.is_none() {
            let problem = format!(
                "is true, and a `{}` has no parameters with priors; leave it out",
                model.kind()
            );
            return Err(Error::spec("parameters", problem));
        }
        let hidden = if spec.hidden { num_hidden(&*model, &states[..dim])? } else { 0 };
        let conditionals = spec.conditionals;
        if conditionals {
            check_conditionals(&*model, &states)?;
        }
        let asked = |is_asked: bool| if is_asked { dim } else { 0 };
        let widths =
            [1, asked(spec.gradients), asked(spec.parameters), asked(conditionals), hidden];
        Ok(Self { model, states, observed, posterior, widths })
    }

    /// The model.
    #[cfg(feature = "full")]
    pub fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// All states.
    #[cfg(feature = "full")]
    pub fn all_states(&self) -> Batch<'_> {
        Batch::new(self.model.dim(), &self.states)
    }

    /// Number of states.
    pub fn num_states(&self) -> usize {
        self.states.len() / self.model.dim()
    }

    /// How many numbers each quantity has for a state.
    pub fn widths(&self) -> &[usize; 5] {
        &self.widths
    }

    /// The quantities of some states, each `[states, width]`.
    pub fn compute(&self, range: Range<usize>) -> [Vec<f64>; 5] {
        let (dim, width) = (self.model.dim(), range.len());
        let states = &self.states[range.start * dim..range.end * dim];
        let mut computed = self.widths.map(|of_state| vec![0.0; of_state * width]);
        let [energies, gradients, parameters, conditionals, hidden] = &mut computed;
        match self.model.as_differentiable() {
            Some(model) if !gradients.is_empty() => {
                let mut block = vec![0.0; states.len()];
                let mut grad = vec![0.0; states.len()];
                transpose(dim, width, states, &mut block);
                model.energy_grad(Block::new(dim, &block), energies, &mut grad);
                if let Some(observed) = &self.observed {
                    observed
                        .observed()
                        .for_each(|(d, _)| grad[d * width..(d + 1) * width].fill(0.0));
                }
                transpose(width, dim, &grad, gradients);
            }
            _ => match self.model.as_softmax_units() {
                Some(model) => model.energies_of_rows(Batch::new(dim, states), energies),
                None => self.model.energy(Batch::new(dim, states), energies),
            },
        }
        if let Some(posterior) = &self.posterior {
            posterior.parameters(Batch::new(dim, states), parameters);
        }
        if !conditionals.is_empty() {
            match self.model.as_site_conditionals() {
                Some(model) => model.conditionals(Batch::new(dim, states), conditionals),
                None => {
                    let flips = self.model.as_site_flips().expect("checked");
                    flip_conditionals(flips, states, conditionals);
                }
            }
        }
        if !hidden.is_empty() {
            let model = self.model.as_hidden_means().expect("checked");
            *hidden = model.hidden_means(Batch::new(dim, states));
        }
        computed
    }
}

/// Refuses numbers that are no states of `dim` entries.
fn check_states(dim: usize, states: &[f64]) -> Result<()> {
    let count = states.len();
    if count == 0 || !count.is_multiple_of(dim) {
        let problem = format!(
            "has {count} numbers, but a state has {dim}; give one state or more, one after another"
        );
        return Err(Error::spec("states", problem));
    }
    if count > MAX_NUMBERS {
        return Err(Error::TooLarge {
            field: "states".into(),
            problem: format!("has {count} numbers; at most {MAX_NUMBERS} are taken at a time"),
        });
    }
    match states.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let problem = format!("is {}; every entry must be a finite number", states[at]);
            Err(Error::spec(format!("states[{at}]"), problem))
        }
    }
}

/// Number of hidden units.
fn num_hidden(model: &dyn Model, state: &[f64]) -> Result<usize> {
    match model.as_hidden_means() {
        Some(means) => Ok(means.hidden_means(Batch::new(state.len(), state)).len()),
        None => Err(Error::missing(model.kind(), "HiddenMeans", "probabilities of hidden units")),
    }
}

/// Refuses models without conditional probabilities, and entries of states that are no bits.
fn check_conditionals(model: &dyn Model, states: &[f64]) -> Result<()> {
    if model.as_site_conditionals().is_none() && model.as_site_flips().is_none() {
        return Err(Error::missing(model.kind(), "SiteConditionals", "conditional probabilities"));
    }
    match states.iter().position(|value| *value != 0.0 && *value != 1.0) {
        None => Ok(()),
        Some(at) => {
            let problem = format!("is {}; the entries of rows of bits are 0 or 1", states[at]);
            Err(Error::spec(format!("states[{at}]"), problem))
        }
    }
}

/// `p(x_n = 1 | x_∖n) = σ(E(x with x_n = 0) − E(x with x_n = 1))`.
fn flip_conditionals(model: &dyn SiteFlips, states: &[f64], out: &mut [f64]) {
    let dim = model.dim();
    let mut rows = BitMatrix::zeros(dim, states.len() / dim);
    for (row, state) in rows.rows_mut().zip(states.chunks_exact(dim)) {
        read_values(state, row);
    }
    model.flip_deltas(rows.as_batch(), out);
    for (out, value) in out.iter_mut().zip(states) {
        *out = sigmoid(if *value == 1.0 { *out } else { -*out });
    }
}
