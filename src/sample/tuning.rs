//! What warm-up adapts to a target: each chain's step size, and the linear map in which its moves
//! are made.
//!
//! Momenta are always N(0, I); positions move by `x ← x + ε A v` and momenta by
//! `v ← v − ε Aᵀ ∂E/∂x`. This is Hamiltonian dynamics with the mass matrix
//! `M = (A Aᵀ)⁻¹`, as putting x = A y shows. A diagonal A holds estimated
//! standard deviations; a dense one the Cholesky factor of a covariance.

use super::columns::select;
use crate::linalg::{axpy, dot};
use serde::{Deserialize, Serialize};
use std::mem::take;
use unnorm_wire::spec;

/// Step sizes and maps of a block of chains.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The step sizes ε, `[width]`.
    pub step_size: Vec<f64>,
    /// The map A of each chain.
    pub scale: Scale,
}

/// The linear map A of each chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Scale {
    /// The identity, for all chains.
    #[default]
    Unit,
    /// The diagonals, dimension-major `[dim, width]`.
    Diagonal(Vec<f64>),
    /// Lower triangular matrices, row-major `[dim, dim]`, one per chain.
    Dense(Vec<Vec<f64>>),
}

/// The kind of map A that is adapted.
#[spec]
#[derive(Copy, Eq)]
pub enum ScaleKind {
    /// No map is adapted: the present one is kept.
    Unit,
    /// Standard deviations of the coordinates.
    Diagonal,
    /// The Cholesky factor of a covariance.
    Dense,
}

impl Tuning {
    /// One step size for all chains, and no map.
    pub fn uniform(width: usize, step_size: f64) -> Self {
        Self { step_size: vec![step_size; width], scale: Scale::Unit }
    }

    /// Whether the lengths are those of `width` chains.
    pub fn is_valid(&self, dim: usize, width: usize) -> bool {
        let is_scale_sound = match &self.scale {
            Scale::Unit => true,
            Scale::Diagonal(diagonal) => diagonal.len() == dim * width,
            Scale::Dense(matrices) => {
                matrices.len() == width && matrices.iter().all(|matrix| matrix.len() == dim * dim)
            }
        };
        self.step_size.len() == width && is_scale_sound
    }

    /// The tuning of the chains at these places.
    ///
    /// # Panics
    /// If there is no such chain.
    pub fn select(&self, places: &[usize]) -> Self {
        let mut tuning = Self::default();
        self.select_into(places, &mut tuning);
        tuning
    }

    /// [`Tuning::select`] into the memory of `to`.
    pub(crate) fn select_into(&self, places: &[usize], to: &mut Self) {
        let width = self.step_size.len();
        select(&self.step_size, width, places, &mut to.step_size);
        to.scale = match (&self.scale, take(&mut to.scale)) {
            (Scale::Unit, _) => Scale::Unit,
            (Scale::Diagonal(diagonal), room) => {
                let mut to = if let Scale::Diagonal(room) = room { room } else { Vec::new() };
                select(diagonal, width, places, &mut to);
                Scale::Diagonal(to)
            }
            (Scale::Dense(matrices), room) => {
                let mut to = if let Scale::Dense(room) = room { room } else { Vec::new() };
                to.resize_with(places.len(), Vec::new);
                to.iter_mut().zip(places).for_each(|(to, &place)| to.clone_from(&matrices[place]));
                Scale::Dense(to)
            }
        };
    }

    /// `momentum −= factor ε Aᵀ grad`. `line` is working memory.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn kick(&self, factor: f64, grad: &[f64], momentum: &mut [f64], line: &mut Vec<f64>) {
        self.add(-factor, grad, momentum, line, Self::pull);
    }

    /// `position += factor ε A momentum`. `line` is working memory.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn drift(&self, factor: f64, momentum: &[f64], position: &mut [f64], line: &mut Vec<f64>) {
        self.add(factor, momentum, position, line, Self::push);
    }

    /// The common step size of all chains, if there is one and there is no map.
    pub(crate) fn plain_step(&self) -> Option<f64> {
        match self.scale {
            Scale::Unit => all_equal(&self.step_size),
            _ => None,
        }
    }

    /// `to += factor ε (A or Aᵀ) from`.
    fn add(
        &self,
        factor: f64,
        from: &[f64],
        to: &mut [f64],
        line: &mut Vec<f64>,
        map: fn(&Self, usize, &[f64], &mut [f64]),
    ) {
        match &self.scale {
            Scale::Unit => add_scaled(factor, &self.step_size, from, to),
            Scale::Diagonal(diagonal) => {
                add_scaled_by(factor, &self.step_size, diagonal, from, to);
            }
            Scale::Dense(_) => {
                let width = self.step_size.len();
                let dim = from.len() / width;
                line.resize(2 * dim, 0.0);
                let (before, after) = line.split_at_mut(dim);
                for (chain, step) in self.step_size.iter().enumerate() {
                    let entries = from.iter().skip(chain).step_by(width);
                    before.iter_mut().zip(entries).for_each(|(before, from)| *before = *from);
                    map(self, chain, before, after);
                    let entries = to.iter_mut().skip(chain).step_by(width);
                    entries.zip(&*after).for_each(|(to, after)| *to += factor * step * after);
                }
            }
        }
    }

    /// `out = A v` for one chain, `[dim]` both.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn push(&self, chain: usize, v: &[f64], out: &mut [f64]) {
        match &self.scale {
            Scale::Unit => out.copy_from_slice(v),
            Scale::Diagonal(diagonal) => self.multiply(diagonal, chain, v, out),
            Scale::Dense(matrices) => {
                let lines = matrices[chain].chunks_exact(v.len()).enumerate();
                out.iter_mut()
                    .zip(lines)
                    .for_each(|(out, (d, line))| *out = dot(&line[..=d], &v[..=d]));
            }
        }
    }

    /// `out = Aᵀ g` for one chain, `[dim]` both.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn pull(&self, chain: usize, g: &[f64], out: &mut [f64]) {
        match &self.scale {
            Scale::Unit => out.copy_from_slice(g),
            Scale::Diagonal(diagonal) => self.multiply(diagonal, chain, g, out),
            Scale::Dense(matrices) => {
                out.fill(0.0);
                for (d, line) in matrices[chain].chunks_exact(g.len()).enumerate() {
                    axpy(g[d], &line[..=d], &mut out[..=d]);
                }
            }
        }
    }

    /// `out = ε A e_d` for one chain, `[dim]`: its entries before d are zero.
    ///
    /// # Panics
    /// If there is no such chain or coordinate.
    pub(crate) fn axis(&self, chain: usize, d: usize, dim: usize, out: &mut Vec<f64>) {
        let (step, width) = (self.step_size[chain], self.step_size.len());
        out.clear();
        out.resize(dim, 0.0);
        match &self.scale {
            Scale::Unit => out[d] = step,
            Scale::Diagonal(diagonal) => out[d] = step * diagonal[d * width + chain],
            Scale::Dense(matrices) => {
                let column = matrices[chain].iter().skip(d).step_by(dim);
                out.iter_mut().zip(column).for_each(|(out, entry)| *out = step * entry);
            }
        }
    }

    fn multiply(&self, diagonal: &[f64], chain: usize, from: &[f64], out: &mut [f64]) {
        let scales = diagonal.iter().skip(chain).step_by(self.step_size.len());
        for ((out, from), scale) in out.iter_mut().zip(from).zip(scales) {
            *out = scale * from;
        }
    }
}

/// The common value of these numbers, if they are all equal.
pub(super) fn all_equal(numbers: &[f64]) -> Option<f64> {
    let (&first, rest) = numbers.split_first()?;
    rest.iter().all(|&number| number == first).then_some(first)
}

/// `to += factor · steps ∘ from`, with the steps repeated for each entry of the states.
fn add_scaled(factor: f64, steps: &[f64], from: &[f64], to: &mut [f64]) {
    if let Some(step) = all_equal(steps) {
        // All entries are then contiguous, so they can be vectorized.
        axpy(factor * step, from, to);
        return;
    }
    let width = steps.len();
    for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)) {
        for ((to, from), step) in to.iter_mut().zip(from).zip(steps) {
            *to += factor * step * from;
        }
    }
}

fn add_scaled_by(factor: f64, steps: &[f64], diagonal: &[f64], from: &[f64], to: &mut [f64]) {
    if let Some(step) = all_equal(steps) {
        let step = factor * step;
        for ((to, from), scale) in to.iter_mut().zip(from).zip(diagonal) {
            *to += step * scale * from;
        }
        return;
    }
    let width = steps.len();
    let lines = from.chunks_exact(width).zip(diagonal.chunks_exact(width));
    for (to, (from, scale)) in to.chunks_exact_mut(width).zip(lines) {
        for (((to, from), scale), step) in to.iter_mut().zip(from).zip(scale).zip(steps) {
            *to += factor * step * scale * from;
        }
    }
}
