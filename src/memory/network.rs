//! The Hopfield network: `E(x) = −½ xᵀJx + θᵀx` on {0,1}ⁿ, J symmetric with a
//! zero diagonal, θ the thresholds (Sohl-Dickstein 2012, eq. 3.8). A pair
//! counts once: `E = −Σ_{i<j} J_ij x_i x_j + Σ_i θ_i x_i`.
//!
//! It is the Ising model `xᵀAx` with `A_ij = −½ J_ij` and `A_ii = θ_i`. The two
//! energies are equal on every state: **the conversion shifts nothing**, and
//! log Z is the same.
//!
//! The **field** of unit i is `J_i x − θ_i`. The energy of x is below that of
//! its neighbour with bit i flipped by the **gap** `(2x_i − 1)(J_i x − θ_i)`
//! (eq. 3.9); the least gap of a state is its **margin**.
//!
//! J is kept once: its upper triangle, row by row, `[J_01 … J_0n | J_12 … | …]`,
//! n(n − 1)/2 doubles. With thresholds that is 67 MB at n = 4,096.

use crate::Result;
use crate::bits::{bit, write_values};
use crate::linalg::{axpy, dot};
use crate::models::ising::IsingSpec;
use serde::{Deserialize, Serialize};

/// A Hopfield network; see the head of this file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    thresholds: Vec<f64>,
    weights: Vec<f64>,
}

/// Number of pairs of `dim` units.
pub fn num_pairs(dim: usize) -> usize {
    dim * dim.saturating_sub(1) / 2
}

/// Where the pairs (site, j > site) begin in a packed triangle.
pub fn row_start(dim: usize, site: usize) -> usize {
    site * (2 * dim - site - 1) / 2
}

/// H(r): whether a field sets its unit. 1 for r > 0, and 0 for r ≤ 0 (eq. 3.7).
pub fn heaviside(field: f64) -> bool {
    field > 0.0
}

impl Network {
    /// Without any coupling or threshold.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn zeros(dim: usize) -> Self {
        assert!(dim > 0);
        Self { thresholds: vec![0.0; dim], weights: vec![0.0; num_pairs(dim)] }
    }

    /// From θ and the packed triangle of J.
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
    /// Those of [`IsingSpec::build`].
    pub fn from_ising(spec: &IsingSpec) -> Result<Self> {
        let mut thresholds = spec.dense_params()?;
        let mut weights = thresholds.split_off(spec.dim);
        weights.iter_mut().for_each(|weight| *weight *= -2.0);
        Ok(Self { thresholds, weights })
    }

    /// The Ising model with the energy of this network, its numbers in `params`.
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

    /// Number of units n.
    pub fn dim(&self) -> usize {
        self.thresholds.len()
    }

    /// Whether this is a whole network of `dim` units: for one read from outside.
    pub fn has_dim(&self, dim: usize) -> bool {
        self.thresholds.len() == dim && self.weights.len() == num_pairs(dim)
    }

    /// θ, `[dim]`.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The packed triangle of J.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// θ and the packed triangle of J, to change.
    pub fn parts_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.thresholds, &mut self.weights)
    }

    /// J_ij; 0 where i = j.
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

    /// `fields += change · J_site`: what a flip of the unit does to the fields.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn add_row(&self, site: usize, change: f64, fields: &mut [f64]) {
        self.add_row_after(site, change, fields);
        let dim = self.dim();
        // Down the column: from (0, site) to (1, site) it is n − 2 entries, and one less each row.
        let mut at = site.wrapping_sub(1);
        for (above, field) in fields[..site].iter_mut().enumerate() {
            *field += change * self.weights[at];
            at += dim - above - 2;
        }
    }

    /// The same for the fields of the units after this one alone, whose weights
    /// lie side by side.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn add_row_after(&self, site: usize, change: f64, fields: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(fields.len(), dim);
        let line = &self.weights[row_start(dim, site)..][..dim - site - 1];
        axpy(change, line, &mut fields[site + 1..]);
    }

    /// The rest of [`Network::add_row_after`] for several flips `(site, change)`,
    /// sites ascending: row by row instead of down the columns, where each entry
    /// lies on a page of its own.
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

    /// E(x), in nats.
    ///
    /// # Panics
    /// If the row has not the network's dimension.
    pub fn energy(&self, row: &[u64]) -> f64 {
        let mut fields = vec![0.0; self.dim()];
        self.fields(row, &mut fields);
        self.energy_of(row, &fields)
    }

    /// E(x) from the fields at x: −½ Σ x_i (J_i x − θ_i) + ½ Σ θ_i x_i.
    pub fn energy_of(&self, row: &[u64], fields: &[f64]) -> f64 {
        let set = (0..self.dim()).filter(|site| bit(row, *site));
        0.5 * set.map(|site| self.thresholds[site] - fields[site]).sum::<f64>()
    }

    /// The least gap of x: how far its energy is below that of its lowest
    /// neighbour, in nats. Positive exactly at a strict local minimum.
    ///
    /// # Panics
    /// If the row has not the network's dimension.
    pub fn margin(&self, row: &[u64]) -> f64 {
        let mut fields = vec![0.0; self.dim()];
        self.fields(row, &mut fields);
        let gaps = fields.iter().enumerate().map(|(site, field)| gap(*field, bit(row, site)));
        gaps.fold(f64::INFINITY, f64::min)
    }

    /// Whether every neighbour of x has a strictly larger energy (eq. 3.9).
    ///
    /// # Panics
    /// If the row has not the network's dimension.
    pub fn is_strict_minimum(&self, row: &[u64]) -> bool {
        self.margin(row) > 0.0
    }

    /// Whether the dynamics leave x as it is: x_i = H(J_i x − θ_i) for every i.
    /// A strict local minimum is such a fixed point; a fixed point may have
    /// neighbours of the same energy.
    ///
    /// # Panics
    /// If the row has not the network's dimension.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitMatrix, flip};
    use crate::energy::Energy;
    use crate::linalg::Batch;
    use crate::models::ising::Pattern;

    /// J_01 = 1, J_02 = −2, J_12 = 3; θ = (½, −1, 2).
    fn three() -> Network {
        Network::new(vec![0.5, -1.0, 2.0], vec![1.0, -2.0, 3.0])
    }

    #[test]
    fn energies_of_three_units_by_hand() {
        let energies = [0.0, 0.5, -1.0, -1.5, 2.0, 4.5, -2.0, -0.5];
        for (state, energy) in energies.into_iter().enumerate() {
            assert_eq!(three().energy(&[state as u64]), energy, "{state:03b}");
        }
        // 011 and 110 are the states without a lower neighbour; both strictly so.
        let minima: Vec<u64> = (0..8).filter(|row| three().is_strict_minimum(&[*row])).collect();
        assert_eq!(minima, [0b011, 0b110]);
        assert_eq!(three().margin(&[0b011]), 0.5);
        assert_eq!(three().margin(&[0b110]), 1.0);
        assert_eq!(
            [three().weight(2, 0), three().weight(1, 2), three().weight(1, 1)],
            [-2.0, 3.0, 0.0]
        );
    }

    /// With no field at all, only the state of zeros stays, and it is no strict minimum.
    #[test]
    fn ties_are_fixed_points_only_where_bits_are_clear() {
        let nothing = Network::zeros(2);
        let fixed: Vec<u64> = (0..4).filter(|row| nothing.is_fixed_point(&[*row])).collect();
        assert_eq!(fixed, [0]);
        assert!(!nothing.is_strict_minimum(&[0]));
        let lone = Network::zeros(1);
        assert!(lone.is_fixed_point(&[0]) && !lone.is_fixed_point(&[1]));
    }

    fn random(dim: usize) -> (IsingSpec, Network, BitMatrix) {
        let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.7, dim as u64);
        let network = Network::from_ising(&spec).expect("a sound spec");
        let mut rows = BitMatrix::zeros(dim, 5);
        for (index, row) in rows.rows_mut().enumerate() {
            for site in 0..dim {
                row[site / 64] |= u64::from((site * site + index * 7) % 5 < 2) << (site % 64);
            }
        }
        (spec, network, rows)
    }

    #[test]
    fn energies_are_those_of_the_ising_model() {
        for dim in [1, 2, 9, 70] {
            let (spec, network, rows) = random(dim);
            let model = spec.build().expect("a sound spec");
            let states = rows.as_batch().to_values();
            let mut energies = vec![0.0; rows.num_rows()];
            model.energy(Batch::new(dim, &states), &mut energies);
            for (row, energy) in rows.as_batch().rows().zip(&energies) {
                assert!((network.energy(row) - energy).abs() < 1e-12 * (1.0 + energy.abs()));
            }
            assert_eq!(network.to_ising().build().expect("sound").couplings(), model.couplings());
            assert_eq!(Network::from_ising(&network.to_ising()).expect("sound"), network);
        }
    }

    #[test]
    fn pairs_that_a_pattern_leaves_out_have_no_weight() {
        let pattern = Pattern::Lattice { num_rows: 2, num_cols: 3, periodic: false };
        let spec = IsingSpec::random(6, pattern, 1.0, 2);
        let network = Network::from_ising(&spec).expect("a sound spec");
        let couplings = spec.build().expect("a sound spec").couplings();
        for i in 0..6 {
            assert_eq!(network.thresholds()[i], couplings[i * 7]);
            for j in (0..6).filter(|j| *j != i) {
                assert_eq!(network.weight(i, j), -2.0 * couplings[i * 6 + j]);
            }
        }
    }

    #[test]
    fn gaps_are_differences_of_energies() {
        let (_, network, rows) = random(67);
        for row in rows.as_batch().rows() {
            let mut fields = vec![0.0; 67];
            network.fields(row, &mut fields);
            for (site, field) in fields.iter().enumerate() {
                let mut neighbour = row.to_vec();
                flip(&mut neighbour, site);
                let cost = network.energy(&neighbour) - network.energy(row);
                assert!((gap(*field, bit(row, site)) - cost).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn flips_bring_the_fields_up_to_date() {
        let (_, network, rows) = random(9);
        let mut row = rows.row(1).to_vec();
        let (mut kept, mut fresh) = (vec![0.0; 9], vec![0.0; 9]);
        network.fields(&row, &mut kept);
        for site in [0, 3, 8, 3, 1] {
            network.add_row(site, if bit(&row, site) { -1.0 } else { 1.0 }, &mut kept);
            flip(&mut row, site);
            network.fields(&row, &mut fresh);
            kept.iter().zip(&fresh).for_each(|(kept, fresh)| assert!((kept - fresh).abs() < 1e-13));
        }
        Network::zeros(1).add_row(0, 1.0, &mut [0.0]);

        let (mut early, mut late) = (fresh.clone(), fresh.clone());
        let flips = [(0, 1.0), (4, -1.0), (5, 1.0), (8, 1.0)];
        for (site, change) in flips {
            network.add_row(site, change, &mut early);
            network.add_row_after(site, change, &mut late);
        }
        network.add_rows_before(&flips, &mut late);
        early.iter().zip(&late).for_each(|(early, late)| assert!((early - late).abs() < 1e-13));
        network.add_rows_before(&[], &mut late);
    }

    #[test]
    fn products_are_symmetric() {
        let mut network = three();
        network.add_products(&[1.0, 0.0, 2.0], &[0.0, 3.0, -1.0]);
        assert_eq!(network.weights(), [1.0 + 3.0, -2.0 - 1.0, 3.0 + 6.0]);
    }
}
