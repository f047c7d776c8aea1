//! Chains by their places in a block: exchanged, taken out, put back.

use super::Chains;
use crate::sample::columns::{put_back, read_column, select, swap_columns};
use crate::sample::scratch::Scratch;

impl Chains {
    /// Exchanges the states of two chains. Streams and β stay where they are.
    ///
    /// # Panics
    /// If there is no such chain, or each is at an x of its own.
    pub fn swap(&mut self, a: usize, b: usize) {
        assert!(self.observed.is_none(), "states of one x are none of another's");
        let width = self.width();
        for values in [&mut self.position, &mut self.momentum, &mut self.grad] {
            swap_columns(values, width, a, b);
        }
        self.energy.swap(a, b);
        if let Some(ends) = &mut self.ends {
            for end in 0..2 {
                ends.energy[end].swap(a, b);
                swap_columns(&mut ends.grad[end], width, a, b);
            }
            for chain in [a, b] {
                ends.mix_one(chain, &mut self.energy, &mut self.grad);
            }
        }
    }

    /// The chains at these places, as a block of their own.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn select(&self, places: &[usize]) -> Self {
        Self {
            dim: self.dim,
            position: select(&self.position, self.width(), places),
            momentum: select(&self.momentum, self.width(), places),
            energy: select(&self.energy, self.width(), places),
            grad: select(&self.grad, self.width(), places),
            rngs: places.iter().map(|&place| self.rngs[place].clone()).collect(),
            ends: self.ends.as_ref().map(|ends| ends.select(places)),
            observed: self.observed.as_ref().map(|observed| observed.select(places)),
            path: None,
            scratch: Scratch::default(),
        }
    }

    /// Makes `to`, a block of one, this chain, but for its stream.
    pub(crate) fn copy_one(&self, chain: usize, to: &mut Self) {
        let width = self.width();
        read_column(&self.position, width, chain, &mut to.position);
        read_column(&self.momentum, width, chain, &mut to.momentum);
        read_column(&self.energy, width, chain, &mut to.energy);
        read_column(&self.grad, width, chain, &mut to.grad);
        match (&self.observed, &mut to.observed) {
            (Some(observed), Some(to)) => observed.select_one(chain, to),
            (observed, to) => *to = observed.as_ref().map(|observed| observed.select(&[chain])),
        }
        match (&self.ends, &mut to.ends) {
            (Some(ends), Some(to)) => {
                read_column(&ends.beta, width, chain, &mut to.beta);
                for end in 0..2 {
                    read_column(&ends.energy[end], width, chain, &mut to.energy[end]);
                    read_column(&ends.grad[end], width, chain, &mut to.grad[end]);
                }
            }
            (ends, to) => *to = ends.as_ref().map(|ends| ends.select(&[chain])),
        }
    }

    /// The way back of [`Chains::copy_one`].
    pub(crate) fn put_one(&mut self, chain: usize, from: &Self) {
        let width = self.width();
        let places = &[chain];
        put_back(&mut self.position, width, places, &from.position);
        put_back(&mut self.momentum, width, places, &from.momentum);
        put_back(&mut self.energy, width, places, &from.energy);
        put_back(&mut self.grad, width, places, &from.grad);
        if let (Some(ends), Some(from)) = (&mut self.ends, &from.ends) {
            for end in 0..2 {
                put_back(&mut ends.energy[end], width, places, &from.energy[end]);
                put_back(&mut ends.grad[end], width, places, &from.grad[end]);
            }
        }
    }

    /// Puts chains back to the places they were selected from.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn put_back(&mut self, places: &[usize], chains: &Self) {
        assert_eq!(places.len(), chains.width());
        let width = self.width();
        put_back(&mut self.position, width, places, &chains.position);
        put_back(&mut self.momentum, width, places, &chains.momentum);
        put_back(&mut self.energy, width, places, &chains.energy);
        put_back(&mut self.grad, width, places, &chains.grad);
        if let (Some(ends), Some(from)) = (&mut self.ends, &chains.ends) {
            put_back(&mut ends.beta, width, places, &from.beta);
            for end in 0..2 {
                put_back(&mut ends.energy[end], width, places, &from.energy[end]);
                put_back(&mut ends.grad[end], width, places, &from.grad[end]);
            }
        }
        for (&place, rng) in places.iter().zip(&chains.rngs) {
            self.rngs[place] = rng.clone();
        }
    }
}
