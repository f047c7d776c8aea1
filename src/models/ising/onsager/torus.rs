//! The ferromagnet on a torus (Kaufman 1949), in spins: `E = −K Σ s_i s_j`, K > 0.
//!
//! With s = sinh 2K, n rows, m columns and `cosh γ_l = cosh 2K coth 2K − cos(πl/n)`, γ_l ≥ 0 except
//! for γ_0 = 2K + ln tanh K, which is negative above the critical temperature,
//!
//! `Z = ½ (2s)^{nm/2} [Π 2cosh(½mγ_{2r+1}) + Π 2sinh(½mγ_{2r+1})
//!                     + Π 2cosh(½mγ_{2r}) + Π 2sinh(½mγ_{2r})]`, r = 0 … n − 1.

use super::{MAX_COUPLING, expm1_of_negative, sinh_cosh};
use crate::math::{exp, ln, ln_1p, sin};
use crate::{Error, Result};
use std::f64::consts::{LN_2, PI};

/// A ferromagnet on a torus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torus {
    num_rows: usize,
    num_cols: usize,
    coupling: f64,
}

/// Exact results for a torus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorusExact {
    /// log Z, in nats.
    pub log_z: f64,
    /// E[E(s)], in nats: K times the energy in units of the coupling.
    pub mean_energy: f64,
}

impl Torus {
    /// A torus with these sides.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if a side is below 3 or the coupling is not in
    /// (0, [`MAX_COUPLING`]].
    pub fn new(num_rows: usize, num_cols: usize, coupling: f64) -> Result<Self> {
        for (field, side) in [("numRows", num_rows), ("numCols", num_cols)] {
            if side < 3 {
                return Err(Error::spec(
                    field,
                    format!("is {side}; a torus has sides of at least 3"),
                ));
            }
        }
        if !(coupling > 0.0 && coupling <= MAX_COUPLING) {
            return Err(Error::spec(
                "coupling",
                format!(
                    "is {coupling}; the formula is for couplings above 0 and up to {MAX_COUPLING}"
                ),
            ));
        }
        Ok(Self { num_rows, num_cols, coupling })
    }

    /// log Z and its derivative in K, which is −E[Σ s_i s_j].
    pub fn exact(&self) -> TorusExact {
        let modes = Modes::new(self.coupling, self.num_rows);
        let length = self.num_cols as f64;
        let odd = Products::new((0..self.num_rows).map(|r| modes.mode(2 * r + 1)), length);
        let even = Products::new((1..self.num_rows).map(|r| modes.mode(2 * r)), length);
        let zero = modes.mode(0);
        // The four products by their logarithms and signs, with their logarithmic derivatives; mode
        // 0 is separate, as its sinh passes through 0.
        let half = 0.5 * length * zero.gamma;
        let log_cosh_zero = log_two_cosh(half);
        let log_sinh_zero = log_two_sinh(half.abs());
        let log_max = odd.log_cosh.max(even.log_cosh + log_cosh_zero);
        let part = |log: f64| exp(log - log_max);
        let half_slope = 0.5 * length * zero.slope;
        let cosh_zero = part(even.log_cosh + log_cosh_zero);
        let sinh_zero = half.signum() * part(even.log_sinh + log_sinh_zero);
        let sum = part(odd.log_cosh) + part(odd.log_sinh) + cosh_zero + sinh_zero;
        // d sinh = cosh · dγ; this cosh goes with the sinh of the other modes, and conversely.
        let slope = part(odd.log_cosh) * odd.cosh_slope
            + part(odd.log_sinh) * odd.sinh_slope
            + cosh_zero * even.cosh_slope
            + half.signum() * part(even.log_cosh + log_sinh_zero) * half_slope
            + sinh_zero * even.sinh_slope
            + part(even.log_sinh + log_cosh_zero) * half_slope;
        let num_sites = (self.num_rows * self.num_cols) as f64;
        let doubled = 2.0 * self.coupling;
        let log_two_s = log_two_sinh(doubled);
        let coth = (1.0 + exp(-2.0 * doubled)) / -expm1_of_negative(2.0 * doubled);
        TorusExact {
            log_z: 0.5 * num_sites * log_two_s + log_max + ln(sum) - LN_2,
            mean_energy: -self.coupling * (num_sites * coth + slope / sum),
        }
    }
}

/// The γ_l for a coupling.
struct Modes {
    num_rows: usize,
    /// sinh 2K; the next field is cosh 2K.
    sinh: f64,
    cosh: f64,
}

/// A mode: γ_l, and its derivative in K.
struct Mode {
    gamma: f64,
    slope: f64,
}

impl Modes {
    fn new(coupling: f64, num_rows: usize) -> Self {
        let (sinh, cosh) = sinh_cosh(2.0 * coupling);
        Self { num_rows, sinh, cosh }
    }

    fn mode(&self, index: usize) -> Mode {
        let s = self.sinh;
        // cosh γ − 1 = (s − 1)²/s + 2 sin²(ω/2): no cancellation near the transition.
        let half_sine = sin(0.5 * PI * index as f64 / self.num_rows as f64);
        let excess = (s - 1.0) * ((s - 1.0) / s) + 2.0 * half_sine * half_sine;
        let sinh_gamma = (excess * (excess + 2.0)).sqrt();
        let gamma = ln_1p(excess + sinh_gamma);
        if index == 0 {
            let sign = if s < 1.0 { -1.0 } else { 1.0 };
            return Mode { gamma: sign * gamma, slope: 2.0 + 2.0 / s };
        }
        let slope = 2.0 * self.cosh * ((s - 1.0) / s) * ((s + 1.0) / s) / sinh_gamma;
        Mode { gamma, slope }
    }
}

/// Logarithms of Π 2cosh(½mγ) and Π 2sinh(½mγ) over modes of positive γ, and their derivatives in
/// K.
struct Products {
    log_cosh: f64,
    log_sinh: f64,
    cosh_slope: f64,
    sinh_slope: f64,
}

impl Products {
    fn new(modes: impl Iterator<Item = Mode>, length: f64) -> Self {
        let mut products = Self { log_cosh: 0.0, log_sinh: 0.0, cosh_slope: 0.0, sinh_slope: 0.0 };
        for Mode { gamma, slope } in modes {
            let half = 0.5 * length * gamma;
            let tanh = -expm1_of_negative(2.0 * half) / (1.0 + exp(-2.0 * half));
            products.log_cosh += log_two_cosh(half);
            products.log_sinh += log_two_sinh(half);
            products.cosh_slope += 0.5 * length * slope * tanh;
            products.sinh_slope += 0.5 * length * slope / tanh;
        }
        products
    }
}

/// ln(2 cosh x).
fn log_two_cosh(x: f64) -> f64 {
    x.abs() + ln_1p(exp(-2.0 * x.abs()))
}

/// ln(2 sinh x), x ≥ 0.
fn log_two_sinh(x: f64) -> f64 {
    x + ln(-expm1_of_negative(2.0 * x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::enumeration::enumerate;
    use crate::ising::onsager::CRITICAL_COUPLING;
    use crate::ising::onsager::tests::assert_close;
    use crate::ising::{IsingSpec, Pattern, UniformSpins};

    #[test]
    fn small_tori_by_enumeration() {
        for (num_rows, num_cols) in [(3, 3), (3, 4), (4, 3), (4, 4), (3, 5), (5, 3), (3, 6)] {
            for coupling in [1e-3, 0.1, 0.44, CRITICAL_COUPLING, 0.4407, 0.6, 2.0] {
                let dim = num_rows * num_cols;
                let pattern = Pattern::Lattice { num_rows, num_cols, periodic: true };
                let uniform = Some(UniformSpins { coupling, field: 0.0 });
                let spec = IsingSpec { dim, pattern, uniform, ..IsingSpec::default() };
                let model = spec.build().unwrap();
                let constant = model.to_spins().constant;
                assert_close(constant, 2.0 * coupling * dim as f64, 1e-14);
                let enumerated = enumerate(&model).unwrap();
                let exact = Torus::new(num_rows, num_cols, coupling).unwrap().exact();
                assert_close(exact.log_z, enumerated.log_z + constant, 1e-12);
                assert_close(exact.mean_energy, enumerated.mean_energy - constant, 1e-12);
            }
        }
    }

    /// The formula is not symmetric in the two sides, but its value is.
    #[test]
    fn a_torus_may_be_turned() {
        for coupling in [0.01, 0.3, CRITICAL_COUPLING, 0.45, 1.0, 20.0] {
            let [tall, wide] = [(80, 32), (32, 80)]
                .map(|(rows, cols)| Torus::new(rows, cols, coupling).unwrap().exact());
            assert_close(tall.log_z, wide.log_z, 1e-13);
            assert_close(tall.mean_energy, wide.mean_energy, 1e-13);
        }
    }

    /// K ∂/∂K log Z is the negative mean energy; central differences.
    #[test]
    fn energies_are_derivatives() {
        for coupling in [0.05, 0.3, 0.43, CRITICAL_COUPLING, 0.45, 0.9] {
            let at = |coupling| Torus::new(64, 48, coupling).unwrap().exact();
            let step = 1e-4;
            let difference = (at(coupling - 2.0 * step).log_z - at(coupling + 2.0 * step).log_z
                + 8.0 * (at(coupling + step).log_z - at(coupling - step).log_z))
                / (12.0 * step);
            assert_close(at(coupling).mean_energy, -coupling * difference, 1e-7);
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let field = |rows, cols, coupling| {
            Torus::new(rows, cols, coupling).unwrap_err().field().unwrap().to_owned()
        };
        assert_eq!(field(2, 4, 0.4), "numRows");
        assert_eq!(field(4, 0, 0.4), "numCols");
        for coupling in [0.0, -0.4, f64::NAN, f64::INFINITY, 101.0] {
            assert_eq!(field(4, 4, coupling), "coupling");
        }
        let cold = Torus::new(300, 300, 100.0).unwrap().exact();
        assert_close(cold.log_z, 2.0 * 100.0 * 90000.0 + LN_2, 1e-14);
        assert_close(cold.mean_energy, -2.0 * 100.0 * 90000.0, 1e-14);
    }
}
