//! Exchanges, selects and puts back chains by their places in a block.

use super::Chains;
use crate::sample::columns::{put_back, select, swap_columns};

impl Chains {
    /// Exchanges the states of two chains. Streams and β keep their places.
    ///
    /// # Panics
    /// If there is no such chain, or each chain has its own x.
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

    /// The chains at these places, as a block.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn select(&self, places: &[usize]) -> Self {
        let mut chains = Self::default();
        self.select_into(places, &mut chains);
        chains
    }

    /// [`Chains::select`] into the memory of `to`, which may have held any chains.
    pub(crate) fn select_into(&self, places: &[usize], to: &mut Self) {
        let width = self.width();
        to.dim = self.dim;
        select(&self.position, width, places, &mut to.position);
        select(&self.momentum, width, places, &mut to.momentum);
        select(&self.energy, width, places, &mut to.energy);
        select(&self.grad, width, places, &mut to.grad);
        to.rngs.clear();
        to.rngs.reserve(width);
        to.rngs.extend(places.iter().map(|&place| self.rngs[place].clone()));
        match &self.ends {
            Some(ends) => ends.select(places, to.ends.get_or_insert_default()),
            None => to.ends = None,
        }
        match &self.observed {
            Some(observed) => observed.select(places, to.observed.get_or_insert_default()),
            None => to.observed = None,
        }
        to.path = None;
    }

    /// Puts one chain back to the place it was selected from, except its stream and β.
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
