//! What chains on ℝᴰ move under.

use super::annealed::Annealed;
use super::posteriors::Posteriors;
use crate::energy::Differentiable;
use std::ops::Deref;

/// What chains move under: an energy, and what more there is to it than one.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// The same energy for all chains.
    Model(&'a dyn Differentiable),
    /// A distribution between two. Chains made by [`super::chains::Chains::annealed`] keep the energies
    /// of both ends, and change their β without another evaluation; others are at the path's own β.
    Annealed(&'a Annealed<'a>),
    /// Posteriors of a generative model. Each chain made by [`super::chains::Chains::at_rows`] keeps the x that its
    /// posterior is given; all other chains take the model's x.
    Posteriors(&'a Posteriors<'a>),
}

impl<'a> Deref for Target<'a> {
    type Target = dyn Differentiable + 'a;

    fn deref(&self) -> &Self::Target {
        match *self {
            Self::Model(model) => model,
            Self::Annealed(path) => path,
            Self::Posteriors(posteriors) => posteriors,
        }
    }
}
