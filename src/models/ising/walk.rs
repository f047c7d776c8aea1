//! Walks by single flips over the states of an Ising model: the fields u = Jx are stored, so a
//! delta takes three operations and only a flip costs O(D), or O(neighbours) for a sparse pattern.

use super::{Bonds, Ising};
use crate::bits::{bit, set_bits};
use crate::energy::FlipMemory;
use crate::linalg::axpy;

pub(super) struct IsingMemory<'a> {
    model: &'a Ising,
    fields: Vec<f64>,
}

impl<'a> IsingMemory<'a> {
    pub(super) fn new(model: &'a Ising, row: &[u64]) -> Self {
        let fields = match &model.bonds {
            Bonds::Dense { matrix } => {
                let mut fields = vec![0.0; model.dim];
                for site in set_bits(row) {
                    axpy(1.0, &matrix[site * model.dim..(site + 1) * model.dim], &mut fields);
                }
                fields
            }
            Bonds::Sparse { .. } => (0..model.dim).map(|site| model.field(row, site)).collect(),
        };
        Self { model, fields }
    }
}

impl FlipMemory for IsingMemory<'_> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        self.model.delta_from_field(site, self.fields[site], bit(row, site))
    }

    fn flipped(&mut self, row: &[u64], site: usize) {
        let model = self.model;
        let change = if bit(row, site) { 1.0 } else { -1.0 };
        match &model.bonds {
            Bonds::Dense { matrix } => {
                axpy(change, &matrix[site * model.dim..(site + 1) * model.dim], &mut self.fields);
            }
            Bonds::Sparse { neighbours, .. } => {
                self.fields[site] += change * model.params[site];
                for other in &neighbours[site] {
                    self.fields[other.site] += change * model.params[other.param];
                }
            }
        }
    }
}
