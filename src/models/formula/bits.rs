//! Formulas of zeros and ones, x ∈ {0,1}ᴰ: energies with products of any number of bits.

use super::Formula;
use super::tape::Tape;
use crate::Model;
use crate::bits::{BitBatch, bit, write_values};
use crate::energy::{Energy, FlipMemory, SiteConditionals, SiteFlips};
use crate::linalg::Batch;
use crate::math::sigmoid;
use crate::site_values::probabilities;
use std::cell::RefCell;

/// A state as numbers, with the temporary memory of its energies.
struct State<'a> {
    tape: &'a Tape,
    x: Vec<f64>,
    values: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(model: &'a Formula, row: &[u64]) -> Self {
        let mut x = vec![0.0; model.num_variables];
        write_values(row, &mut x);
        Self { tape: &model.tape, x, values: Vec::with_capacity(model.tape.num_nodes()) }
    }

    fn energy(&mut self) -> f64 {
        self.tape.value(&self.x, &mut self.values)
    }

    /// The energy with a site flipped.
    fn flipped(&mut self, site: usize) -> f64 {
        self.x[site] = 1.0 - self.x[site];
        let energy = self.energy();
        self.x[site] = 1.0 - self.x[site];
        energy
    }
}

impl SiteFlips for Formula {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        let mut state = State::new(self, row);
        state.flipped(site) - state.energy()
    }

    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len() * self.num_variables);
        for (row, out) in x.rows().zip(out.chunks_exact_mut(self.num_variables)) {
            let mut state = State::new(self, row);
            let energy = state.energy();
            out.iter_mut().enumerate().for_each(|(site, out)| *out = state.flipped(site) - energy);
        }
    }

    fn memory<'a>(&'a self, row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        let mut state = State::new(self, row);
        let energy = state.energy();
        Box::new(Memory { state: RefCell::new(state), energy })
    }
}

/// The present state as numbers, with its energy.
struct Memory<'a> {
    state: RefCell<State<'a>>,
    energy: f64,
}

impl FlipMemory for Memory<'_> {
    fn delta(&self, _row: &[u64], site: usize) -> f64 {
        self.state.borrow_mut().flipped(site) - self.energy
    }

    fn flipped(&mut self, row: &[u64], site: usize) {
        let state = self.state.get_mut();
        state.x[site] = f64::from(u8::from(bit(row, site)));
        self.energy = state.energy();
    }
}

impl SiteConditionals for Formula {
    fn conditionals(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && out.len() == x.data().len());
        if let Some(values) = self.provide_site_values() {
            return probabilities(&*values.value_conditionals(), x, out);
        }
        for (x, out) in x.states().zip(out.chunks_exact_mut(self.num_variables)) {
            let values = Vec::with_capacity(self.tape.num_nodes());
            let mut state = State { tape: &self.tape, x: x.to_vec(), values };
            for (site, out) in out.iter_mut().enumerate() {
                let [off, on] = [0.0, 1.0].map(|value| {
                    state.x[site] = value;
                    state.energy()
                });
                state.x[site] = x[site];
                *out = sigmoid(off - on);
            }
        }
    }
}
