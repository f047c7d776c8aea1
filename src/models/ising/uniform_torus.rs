//! The models to which Kaufman's formula applies.

use super::onsager::{Torus, TorusExact};
use super::{Ising, Pattern};
use crate::energy::Energy;

impl Ising {
    /// log Z and the mean energy in this model's own energies, by [`Torus::exact`], if it is a
    /// torus with equal nonzero couplings and zero fields (in spins). Flipping every other spin
    /// changes the sign of the couplings, so they may have either sign if both sides are even. Both
    /// results are exact up to the rounding of 2|w|D, with w the coupling in spins.
    pub fn uniform_torus(&self) -> Option<TorusExact> {
        let Pattern::Lattice { num_rows, num_cols, periodic: true } = *self.pattern() else {
            return None;
        };
        let mut num_bonds = 0;
        let mut coupling = None;
        let mut is_uniform = true;
        self.for_each_bond(|_, _, w| {
            num_bonds += 1;
            is_uniform &= *coupling.get_or_insert(w) == w;
        });
        let dim = self.dim();
        let coupling = coupling.filter(|_| is_uniform && num_bonds == 2 * dim)?;
        if self.spin_fields().iter().any(|field| *field != 0.0) {
            return None;
        }
        let is_bipartite = num_rows.is_multiple_of(2) && num_cols.is_multiple_of(2);
        let coupling_of_aligned = if is_bipartite { f64::abs(coupling) } else { coupling };
        let TorusExact { log_z, mean_energy } =
            Torus::new(num_rows, num_cols, coupling_of_aligned).ok()?.exact();
        let constant = 2.0 * coupling * dim as f64;
        Some(TorusExact { log_z: log_z - constant, mean_energy: mean_energy + constant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Parametric;
    use crate::energy::enumeration::enumerate;
    use crate::ising::{IsingSpec, UniformSpins};

    fn torus(num_rows: usize, num_cols: usize, coupling: f64, field: f64) -> Ising {
        let pattern = Pattern::Lattice { num_rows, num_cols, periodic: true };
        let uniform = Some(UniformSpins { coupling, field });
        let dim = num_rows * num_cols;
        IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }.build().unwrap()
    }

    #[test]
    fn equals_enumeration() {
        for (num_rows, num_cols, coupling) in
            [(3, 4, 0.3), (4, 4, 0.5), (4, 4, -0.5), (3, 3, 1.1), (3, 6, 0.44)]
        {
            let model = torus(num_rows, num_cols, coupling, 0.0);
            let expected = enumerate(&model).unwrap();
            let found = model.uniform_torus().unwrap();
            let close =
                |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{a} {b}");
            close(found.log_z, expected.log_z);
            close(found.mean_energy, expected.mean_energy);
        }
    }

    #[test]
    fn other_models_are_told_apart() {
        assert!(torus(3, 4, -0.3, 0.0).uniform_torus().is_none(), "frustrated");
        assert!(torus(4, 4, 0.3, 0.1).uniform_torus().is_none(), "with a field");
        assert!(torus(4, 4, 0.0, 0.0).uniform_torus().is_none(), "without couplings");
        for param in [3, 20, 47] {
            let mut model = torus(4, 4, 0.3, 0.0);
            let mut params = model.params().to_vec();
            params[param] += 1e-9;
            model.set_params(&params);
            assert!(model.uniform_torus().is_none(), "parameter {param}");
        }
        let pattern = Pattern::Lattice { num_rows: 4, num_cols: 4, periodic: false };
        let uniform = Some(UniformSpins { coupling: 0.3, field: 0.0 });
        let open = IsingSpec { dim: 16, pattern, uniform, ..IsingSpec::default() };
        assert!(open.build().unwrap().uniform_torus().is_none(), "open");
    }
}
