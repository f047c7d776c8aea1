//! Flips of single sites of a binary model, and walks over its states by them.

use super::Energy;
use super::bits::{self, BitBatch};

/// Binary models, `x ∈ {0,1}^D`, that can compute the energy change of a flip.
pub trait SiteFlips: Energy {
    /// `E(x with bit `site` flipped) − E(x)` for one row.
    fn flip_delta(&self, row: &[u64], site: usize) -> f64;

    /// All flip deltas: `out[b·D + n]` for row `b` and site `n`.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len() * self.dim());
        for (row, out) in x.rows().zip(out.chunks_exact_mut(self.dim())) {
            for (site, out) in out.iter_mut().enumerate() {
                *out = self.flip_delta(row, site);
            }
        }
    }

    /// What a walk over states by single flips remembers of the present one, `row`. Models that can
    /// update their deltas more cheaply than recompute them override this.
    fn memory<'a>(&'a self, _row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        Box::new(FreshDeltas { model: self })
    }

    /// Starts a walk over states by single flips. Models whose walks must be fast override this, too: they
    /// return a [`Walk`] with the type of their memory instead of a box.
    fn walk<'a>(&'a self, row: &'a mut [u64]) -> Box<dyn FlipWalk + 'a> {
        let memory = self.memory(row);
        Box::new(Walk { row, memory })
    }
}

/// A state that changes by single flips. What it remembers between flips is rounded slightly
/// differently from what a new walk would compute, so restart walks at fixed places, never "when
/// convenient".
pub trait FlipWalk {
    /// `E(x with bit `site` flipped) − E(x)` at the present state.
    fn delta(&self, site: usize) -> f64;

    /// Flips a bit of the present state.
    fn flip(&mut self, site: usize);
}

/// What a walk remembers of its present state, which somebody else holds.
pub trait FlipMemory {
    /// `E(x with bit `site` flipped) − E(x)` at the present state.
    fn delta(&self, row: &[u64], site: usize) -> f64;

    /// A bit has been flipped; `row` is the state since.
    fn flipped(&mut self, row: &[u64], site: usize);
}

impl FlipMemory for Box<dyn FlipMemory + '_> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        (**self).delta(row, site)
    }

    fn flipped(&mut self, row: &[u64], site: usize) {
        (**self).flipped(row, site);
    }
}

/// A walk, from a state and what is remembered of it.
pub struct Walk<'a, M> {
    /// The present state.
    pub row: &'a mut [u64],
    /// What is remembered of it.
    pub memory: M,
}

impl<M: FlipMemory> FlipWalk for Walk<'_, M> {
    fn delta(&self, site: usize) -> f64 {
        self.memory.delta(self.row, site)
    }

    fn flip(&mut self, site: usize) {
        bits::flip(self.row, site);
        self.memory.flipped(self.row, site);
    }
}

/// A memory of nothing.
struct FreshDeltas<'a, M: ?Sized> {
    model: &'a M,
}

impl<M: SiteFlips + ?Sized> FlipMemory for FreshDeltas<'_, M> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        self.model.flip_delta(row, site)
    }

    fn flipped(&mut self, _row: &[u64], _site: usize) {}
}
