//! The Ising model in spins without a D × D matrix, and its tempered versions.
//!
//! With s = 2x − 1 the energy is `−Σ_{i<j} w_ij s_i s_j − Σ_i b_i s_i` plus a
//! constant, `w_ij = −½ J_ij`, `b_i = −½ (J_ii + Σ_j J_ij)`; see
//! [`Spins`](super::Spins) for the whole matrix.

use super::{Bonds, Ising};
use crate::energy::Parametric;

/// A pair of coupled spins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpinBond {
    /// The sites, the smaller first.
    pub sites: [u32; 2],
    /// w_ij = −½ J_ij: positive if they tend to agree.
    pub coupling: f64,
}

impl Ising {
    /// The bonds with nonzero couplings, in lexicographic order of their sites.
    pub fn spin_bonds(&self) -> Vec<SpinBond> {
        let mut bonds = Vec::with_capacity(self.params.len() - self.dim);
        self.for_each_bond(|i, j, coupling| {
            bonds.push(SpinBond { sites: [i as u32, j as u32], coupling });
        });
        bonds
    }

    /// Calls `each` with sites i < j and w_ij of the bonds with nonzero couplings, in lexicographic
    /// order.
    pub fn for_each_bond(&self, mut each: impl FnMut(usize, usize, f64)) {
        let mut couplings = self.params[self.dim..].iter();
        let mut next = |i, j| match couplings.next() {
            Some(coupling) if *coupling != 0.0 => each(i, j, -0.5 * coupling),
            _ => {}
        };
        match &self.bonds {
            Bonds::Dense { .. } => {
                (0..self.dim).for_each(|i| (i + 1..self.dim).for_each(|j| next(i, j)));
            }
            Bonds::Sparse { pairs, .. } => pairs.iter().for_each(|&[i, j]| next(i, j)),
        }
    }

    /// The fields b_i, `[dim]`: exactly 0 for a lattice built without any.
    pub fn spin_fields(&self) -> Vec<f64> {
        // In four lanes, so that four equal couplings add up without rounding.
        let mut lanes = vec![[0.0; 4]; self.dim];
        let mut counts = vec![0_u8; self.dim];
        self.for_each_bond(|i, j, coupling| {
            for site in [i, j] {
                lanes[site][usize::from(counts[site])] += coupling;
                counts[site] = (counts[site] + 1) % 4;
            }
        });
        let coupled = lanes.iter().map(|lane| (lane[0] + lane[1]) + (lane[2] + lane[3]));
        coupled.zip(&self.params).map(|(coupled, bias)| coupled - 0.5 * bias).collect()
    }

    /// The intermediate distribution of an annealing path, `(1 − β) E_ref + β E`, from independent
    /// sites with these biases, `E_ref = Σ_i reference_i x_i` (base rates p_i: reference_i = ln((1
    /// − p_i) / p_i)), or from the uniform distribution if there are none. It is an Ising model of
    /// the same pattern, which the copy shares: only its parameters are new.
    ///
    /// # Panics
    /// If the number of reference biases is not `dim`.
    pub fn tempered(&self, beta: f64, reference: Option<&[f64]>) -> Self {
        let mut params: Vec<f64> = self.params.iter().map(|param| beta * param).collect();
        if let Some(reference) = reference {
            assert_eq!(reference.len(), self.dim);
            for (param, bias) in params.iter_mut().zip(reference) {
                *param += (1.0 - beta) * bias;
            }
        }
        let mut model = self.clone();
        model.set_params(&params);
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Energy;
    use crate::ising::{IsingSpec, Pattern, UniformSpins};
    use crate::linalg::Batch;

    fn energy(model: &Ising, state: &[f64]) -> f64 {
        let mut energy = [f64::NAN];
        model.energy(Batch::new(model.dim(), state), &mut energy);
        energy[0]
    }

    #[test]
    fn bonds_and_fields_are_those_of_the_matrix() {
        for spec in IsingSpec::examples() {
            let model = spec.build().unwrap();
            let dim = model.dim();
            let spins = model.to_spins();
            let mut weights = vec![0.0; dim * dim];
            for SpinBond { sites: [i, j], coupling } in model.spin_bonds() {
                assert!(i < j && coupling != 0.0);
                weights[i as usize * dim + j as usize] = coupling;
                weights[j as usize * dim + i as usize] = coupling;
            }
            assert_eq!(weights, spins.weights);
            for (sum, field) in model.spin_fields().iter().zip(&spins.fields) {
                assert!((sum - field).abs() < 1e-14, "{sum} {field}");
            }
        }
    }

    /// Couplings whose multiples are rounded give no spurious field.
    #[test]
    fn uniform_spins_have_the_field_they_were_given() {
        for (periodic, coupling) in [(true, 0.1), (false, 0.1), (true, -0.7), (false, 0.4406868)] {
            let pattern = Pattern::Lattice { num_rows: 5, num_cols: 4, periodic };
            for field in [0.0, 0.25] {
                let uniform = Some(UniformSpins { coupling, field });
                let spec =
                    IsingSpec { dim: 20, pattern: pattern.clone(), uniform, ..Default::default() };
                let model = spec.build().unwrap();
                assert!(model.spin_bonds().iter().all(|bond| bond.coupling == coupling));
                for found in model.spin_fields() {
                    assert!((found - field).abs() <= 4e-16 * field.abs(), "{found}");
                }
            }
        }
    }

    #[test]
    fn tempering_mixes_the_energies() {
        for spec in IsingSpec::examples() {
            let model = spec.build().unwrap();
            let dim = model.dim();
            let reference: Vec<f64> = (0..dim).map(|site| 0.3 * site as f64 - 0.5).collect();
            let state: Vec<f64> = (0..dim).map(|site| f64::from(site % 3 != 1)).collect();
            let independent: f64 = reference.iter().zip(&state).map(|(bias, x)| bias * x).sum();
            for beta in [0.0, 0.3, 1.0] {
                let expected = beta * energy(&model, &state);
                let found = energy(&model.tempered(beta, None), &state);
                assert!((found - expected).abs() < 1e-12);
                let expected = expected + (1.0 - beta) * independent;
                let found = energy(&model.tempered(beta, Some(&reference)), &state);
                assert!((found - expected).abs() < 1e-12);
            }
        }
    }
}
