//! Targets of chains on ℝᴰ.

use super::annealed::Annealed;
use super::posteriors::Posteriors;
use crate::energy::Differentiable;
use std::ops::Deref;

/// The target of chains: one energy, or a family of them.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// The same energy for all chains.
    Model(&'a dyn Differentiable),
    /// A distribution between two. Chains made by [`super::chains::Chains::annealed`] keep the
    /// energies of both ends, and change their β without another evaluation; other chains are at
    /// the path's β.
    Annealed(&'a Annealed<'a>),
    /// Posteriors of a generative model. Each chain made by [`super::chains::Chains::at_rows`]
    /// keeps the x on which its posterior is conditioned; all other chains take the model's x.
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
