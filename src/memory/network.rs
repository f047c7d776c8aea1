//! The Hopfield network: `E(x) = −½ xᵀJx + θᵀx` on {0,1}ⁿ, J symmetric with a
//! zero diagonal, θ the thresholds (Sohl-Dickstein 2012, eq. 3.8). A pair
//! counts once: `E = −Σ_{i<j} J_ij x_i x_j + Σ_i θ_i x_i`.
//!
//! It is the Ising model `xᵀAx` with `A_ij = −½ J_ij` and `A_ii = θ_i`. The two energies are equal
//! on every state: **the conversion adds no constant**, and log Z is the same.
//!
//! The **field** of unit i is `J_i x − θ_i`. The energy of x is below that of
//! its neighbour with bit i flipped by the **gap** `(2x_i − 1)(J_i x − θ_i)`
//! (eq. 3.9); the least gap of a state is its **margin**.
//!
//! J is stored once: its upper triangle, row by row, `[J_01 … J_0n | J_12 … | …]`, n(n − 1)/2
//! doubles. With thresholds that is 67 MB at n = 4,096.

use crate::Result;
use crate::bits::{bit, write_values};
use crate::linalg::{axpy, dot};
use crate::models::ising::IsingSpec;
use serde::{Deserialize, Serialize};

/// A Hopfield network; see the module documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    thresholds: Vec<f64>,
    weights: Vec<f64>,
}

/// Number of pairs of `dim` units.
pub fn num_pairs(dim: usize) -> usize {
    dim * dim.saturating_sub(1) / 2
}

/// Index of the first pair (site, j > site) in a packed triangle.
pub fn row_start(dim: usize, site: usize) -> usize {
    site * (2 * dim - site - 1) / 2
}

/// H(r): whether a field sets its unit; 1 for r > 0, 0 for r ≤ 0 (eq. 3.7).
pub fn heaviside(field: f64) -> bool {
    field > 0.0
}

impl Network {
    /// The network without couplings and thresholds.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn zeros(dim: usize) -> Self {
        assert!(dim > 0);
        Self { thresholds: vec![0.0; dim], weights: vec![0.0; num_pairs(dim)] }
    }

    /// The network with θ and the packed triangle of J.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn new(thresholds: Vec<f64>, weights: Vec<f64>) -> Self {
        assert!(!thresholds.is_empty() && weights.len() == num_pairs(thresholds.len()));
        Self { thresholds, weights }
    }

    /// The network with the energy of an Ising model, which may leave pairs out.
    ///
    /// # Errors
    /// The errors of [`IsingSpec::build`].
    pub fn from_ising(spec: &IsingSpec) -> Result<Self> {
        let params = spec.dense_params()?;
        let (thresholds, couplings) = params.split_at(spec.dim);
        let weights = couplings.iter().map(|coupling| -2.0 * coupling).collect();
        Ok(Self { thresholds: thresholds.to_vec(), weights })
    }

    /// The Ising model with the energy of this network; its numbers are in `params`.
    pub fn to_ising(&self) -> IsingSpec {
        IsingSpec { dim: self.dim(), params: Some(self.ising_params()), ..IsingSpec::default() }
    }

    /// The parameters of that model: θ, then −½ J.
    pub fn ising_params(&self) -> Vec<f64> {
        let mut params = Vec::with_capacity(self.dim() + self.weights.len());
        params.extend_from_slice(&self.thresholds);
        params.extend(self.weights.iter().map(|weight| -0.5 * weight));
        params
    }

    /// The number of units, n.
    pub fn dim(&self) -> usize {
        self.thresholds.len()
    }

    /// Whether this is a complete network of `dim` units, for checking one read from outside.
    pub fn has_dim(&self, dim: usize) -> bool {
        self.thresholds.len() == dim && self.weights.len() == num_pairs(dim)
    }

    /// The thresholds θ, `[dim]`.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The packed triangle of J.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Mutable θ and packed triangle of J.
    pub fn parts_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.thresholds, &mut self.weights)
    }

    /// The weight J_ij; 0 for i = j.
    pub fn weight(&self, i: usize, j: usize) -> f64 {
        let (low, high) = (i.min(j), i.max(j));
        if low == high {
            return 0.0;
        }
        self.weights[row_start(self.dim(), low) + high - low - 1]
    }

    /// `out = Jx − θ`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn fields(&self, row: &[u64], out: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(out.len(), dim);
        let mut states = vec![0.0; dim];
        write_values(row, &mut states);
        for (field, threshold) in out.iter_mut().zip(&self.thresholds) {
            *field = -threshold;
        }
        let mut rest = &self.weights[..];
        for site in 0..dim {
            let (line, after) = rest.split_at(dim - site - 1);
            out[site] += dot(line, &states[site + 1..]);
            if states[site] != 0.0 {
                axpy(1.0, line, &mut out[site + 1..]);
            }
            rest = after;
        }
    }

    /// `fields += change · J_site`, the effect of a flip of the unit on the fields.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn add_row(&self, site: usize, change: f64, fields: &mut [f64]) {
        self.add_row_after(site, change, fields);
        let dim = self.dim();
        // Down the column: from (0, site) to (1, site) it is n − 2 entries, and one less for each
        // following row.
        let mut at = site.wrapping_sub(1);
        for (above, field) in fields[..site].iter_mut().enumerate() {
            *field += change * self.weights[at];
            at += dim - above - 2;
        }
    }

    /// [`Network::add_row`] for the fields of the units after this one alone, whose weights are
    /// contiguous.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn add_row_after(&self, site: usize, change: f64, fields: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(fields.len(), dim);
        let line = &self.weights[row_start(dim, site)..][..dim - site - 1];
        axpy(change, line, &mut fields[site + 1..]);
    }

    /// The rest of [`Network::add_row_after`] for several flips `(site, change)`, in ascending
    /// order of sites: row by row instead of down the columns, where each entry lies on another
    /// memory page.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn add_rows_before(&self, flips: &[(usize, f64)], fields: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(fields.len(), dim);
        let mut after = flips;
        for (unit, field) in fields.iter_mut().enumerate() {
            while after.first().is_some_and(|(site, _)| *site <= unit) {
                after = &after[1..];
            }
            if after.is_empty() {
                return;
            }
            let line = &self.weights[row_start(dim, unit)..][..dim - unit - 1];
            for (site, change) in after {
                *field += change * line[site - unit - 1];
            }
        }
    }

    /// `J_ij += a_i b_j + b_i a_j` for every pair.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn add_products(&mut self, a: &[f64], b: &[f64]) {
        let dim = self.dim();
        assert!(a.len() == dim && b.len() == dim);
        let mut rest = &mut self.weights[..];
        for site in 0..dim {
            let (line, after) = rest.split_at_mut(dim - site - 1);
            let (of_a, of_b) = (a[site], b[site]);
            if of_a != 0.0 || of_b != 0.0 {
                let others = a[site + 1..].iter().zip(&b[site + 1..]);
                for (weight, (a, b)) in line.iter_mut().zip(others) {
                    *weight += of_a * b + of_b * a;
                }
            }
            rest = after;
        }
    }

    /// The energy E(x), in nats.
    ///
    /// # Panics
    /// If the row does not have the network's dimension.
    pub fn energy(&self, row: &[u64]) -> f64 {
        let mut fields = vec![0.0; self.dim()];
        self.fields(row, &mut fields);
        self.energy_of(row, &fields)
    }

    /// E(x) computed from the fields at x: −½ Σ x_i (J_i x − θ_i) + ½ Σ θ_i x_i.
    pub fn energy_of(&self, row: &[u64], fields: &[f64]) -> f64 {
        let set = (0..self.dim()).filter(|site| bit(row, *site));
        0.5 * set.map(|site| self.thresholds[site] - fields[site]).sum::<f64>()
    }

    /// The least gap of x: how far its energy is below that of its lowest neighbour, in nats.
    /// Positive exactly for strict local minima.
    ///
    /// # Panics
    /// If the row does not have the network's dimension.
    pub fn margin(&self, row: &[u64]) -> f64 {
        let mut fields = vec![0.0; self.dim()];
        self.fields(row, &mut fields);
        let gaps = fields.iter().enumerate().map(|(site, field)| gap(*field, bit(row, site)));
        gaps.fold(f64::INFINITY, lower)
    }

    /// Whether every neighbour of x has a strictly larger energy (eq. 3.9).
    ///
    /// # Panics
    /// If the row does not have the network's dimension.
    pub fn is_strict_minimum(&self, row: &[u64]) -> bool {
        self.margin(row) > 0.0
    }

    /// Whether the dynamics leave x unchanged: x_i = H(J_i x − θ_i) for every i. A strict local
    /// minimum is a fixed point; a fixed point may have neighbours of the same energy.
    ///
    /// # Panics
    /// If the row does not have the network's dimension.
    pub fn is_fixed_point(&self, row: &[u64]) -> bool {
        let mut fields = vec![0.0; self.dim()];
        self.fields(row, &mut fields);
        fields.iter().enumerate().all(|(site, field)| heaviside(*field) == bit(row, site))
    }
}

/// The gap of a unit with this field: `E(x with it flipped) − E(x)`.
#[inline(always)]
pub fn gap(field: f64, is_set: bool) -> f64 {
    if is_set { field } else { -field }
}

/// The smaller of two numbers; NaN if either is NaN, which f64::min would ignore.
pub(super) fn lower(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

#[cfg(test)]
mod tests;
