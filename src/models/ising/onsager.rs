//! Exact answers for the square lattice without a field, in spins:
//! `E = −K Σ s_i s_j` over nearest neighbours, each pair once, K > 0.
//!
//! - [`Torus`]: log Z and mean energy of a finite torus (Kaufman 1949). The
//!   model of this library that is this one, `uniform: { coupling: K }` on a
//!   periodic lattice of D sites, has an energy higher by 2KD in every state
//!   ([`Spins::constant`](super::Spins::constant)).
//! - [`energy_per_site`], [`magnetization`]: the infinite lattice (Onsager
//!   1944; Yang 1952).
//!
//! With s = sinh 2K, n rows, m columns and
//! `cosh γ_l = cosh 2K coth 2K − cos(πl/n)`, γ_l ≥ 0 but for γ_0 =
//! 2K + ln tanh K, which is negative above the critical temperature,
//!
//! `Z = ½ (2s)^{nm/2} [Π 2cosh(½mγ_{2r+1}) + Π 2sinh(½mγ_{2r+1})
//!                     + Π 2cosh(½mγ_{2r}) + Π 2sinh(½mγ_{2r})]`, r = 0 … n − 1.

use crate::math::{exp, ln, ln_1p, sin};
use crate::{Error, Result};
use std::f64::consts::{LN_2, PI};

/// Largest coupling of [`Torus`]. Beyond it the spins all agree, but for a
/// chance of some 10⁻³⁴⁰ a site.
pub const MAX_COUPLING: f64 = 100.0;

/// The coupling of the phase transition, ½ ln(1 + √2) (Kramers & Wannier
/// 1941).
pub const CRITICAL_COUPLING: f64 = 0.4406867935097715;

/// A ferromagnet on a torus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torus {
    num_rows: usize,
    num_cols: usize,
    coupling: f64,
}

/// What is known of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorusExact {
    /// log Z, in nats.
    pub log_z: f64,
    /// E[E(s)], in nats: K times the energy in units of the coupling.
    pub mean_energy: f64,
}

impl Torus {
    /// A torus of these sides.
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
        // The four products by their logarithms and signs, with their logarithmic derivatives;
        // mode 0 apart, as its sinh passes through 0.
        let half = 0.5 * length * zero.gamma;
        let log_cosh_zero = log_two_cosh(half);
        let log_sinh_zero = log_two_sinh(half.abs());
        let log_max = odd.log_cosh.max(even.log_cosh + log_cosh_zero);
        let part = |log: f64| exp(log - log_max);
        let half_slope = 0.5 * length * zero.slope;
        let cosh_zero = part(even.log_cosh + log_cosh_zero);
        let sinh_zero = half.signum() * part(even.log_sinh + log_sinh_zero);
        let sum = part(odd.log_cosh) + part(odd.log_sinh) + cosh_zero + sinh_zero;
        // d sinh = cosh · dγ, whose cosh goes with the sinh of the other modes, and conversely.
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

/// The γ_l of a coupling.
struct Modes {
    num_rows: usize,
    /// sinh 2K and cosh 2K.
    sinh: f64,
    cosh: f64,
}

/// γ_l and its derivative in K.
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
        // cosh γ − 1 = (s − 1)²/s + 2 sin²(ω/2): nothing cancels near the transition.
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

/// Logarithms of Π 2cosh(½mγ) and Π 2sinh(½mγ) over modes of positive γ, and
/// their derivatives in K.
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

/// e^{−x} − 1 for x ≥ 0, without cancellation.
fn expm1_of_negative(x: f64) -> f64 {
    if x > 0.1 {
        return exp(-x) - 1.0;
    }
    // −x (1 − x/2 (1 − x/3 (…))), to x¹².
    let series = (2..=12).rev().fold(1.0, |rest, n| 1.0 - x / f64::from(n) * rest);
    -x * series
}

fn sinh_cosh(x: f64) -> (f64, f64) {
    let large = exp(x);
    (-0.5 * large * expm1_of_negative(2.0 * x), 0.5 * (large + exp(-x)))
}

/// ln(2 cosh x).
fn log_two_cosh(x: f64) -> f64 {
    x.abs() + ln_1p(exp(-2.0 * x.abs()))
}

/// ln(2 sinh x), x ≥ 0.
fn log_two_sinh(x: f64) -> f64 {
    x + ln(-expm1_of_negative(2.0 * x))
}

/// Mean energy a site of the infinite lattice, in nats, for a coupling of
/// either sign (Onsager 1944):
/// `−K coth 2K [1 + (2/π)(2 tanh² 2K − 1) K₁(κ)]`, `κ = 2 sinh 2K / cosh² 2K`,
/// with K₁ the complete elliptic integral of the first kind. It is −K√2 at the
/// transition, and 0 without a coupling.
pub fn energy_per_site(coupling: f64) -> f64 {
    // Turning every other spin round turns the sign of K round, and the energy is K ∂/∂K of an
    // even function.
    let coupling = coupling.abs();
    if coupling == 0.0 {
        return 0.0;
    }
    if coupling > MAX_COUPLING {
        return -2.0 * coupling;
    }
    let (sinh, cosh) = sinh_cosh(2.0 * coupling);
    // 2 tanh² − 1 = (s² − 1)/(s² + 1), whose absolute value is √(1 − κ²).
    let modulus = ((sinh - 1.0) / cosh) * ((sinh + 1.0) / cosh);
    let integral =
        if modulus == 0.0 { 0.0 } else { modulus / arithmetic_geometric_mean(1.0, modulus.abs()) };
    // (2/π) K₁(κ) = 1 / AGM(1, √(1 − κ²)).
    -coupling * (cosh / sinh) * (1.0 + integral)
}

/// Mean of |Σ s| / D on the infinite lattice: `(1 − sinh⁻⁴ 2K)^{1/8}` below the
/// critical temperature, 0 above (Yang 1952).
pub fn magnetization(coupling: f64) -> f64 {
    if coupling > MAX_COUPLING {
        return 1.0;
    }
    if !(coupling > CRITICAL_COUPLING) {
        return 0.0;
    }
    let inverse = 1.0 / sinh_cosh(2.0 * coupling).0;
    let square = inverse * inverse;
    ((1.0 - inverse) * (1.0 + inverse) * (1.0 + square)).max(0.0).sqrt().sqrt().sqrt()
}

fn arithmetic_geometric_mean(mut a: f64, mut b: f64) -> f64 {
    // Both converge quadratically once they are close; from 10⁻³⁰⁰ that takes 14 steps.
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::enumerate;
    use crate::models::ising::{IsingSpec, Pattern, UniformSpins};

    #[track_caller]
    fn assert_close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
    }

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

    /// The two sides play different parts in the formula.
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

    /// Far from the transition a large torus is as good as infinite.
    #[test]
    fn large_tori_tend_to_the_infinite_lattice() {
        for coupling in [0.1, 0.3, 0.38, 0.5, 0.6, 1.5] {
            let torus = Torus::new(256, 256, coupling).unwrap().exact();
            assert_close(torus.mean_energy / 65536.0, energy_per_site(coupling), 1e-12);
        }
        assert_eq!(energy_per_site(-0.3), energy_per_site(0.3));
        assert_eq!(energy_per_site(0.0), 0.0);
        assert_eq!(energy_per_site(400.0), -800.0);
    }

    #[test]
    fn the_transition() {
        let critical = 0.5 * ln(1.0 + 2.0_f64.sqrt());
        assert_close(CRITICAL_COUPLING, critical, 1e-16);
        assert_close(energy_per_site(critical), -critical * 2.0_f64.sqrt(), 1e-14);
        // At the transition a torus of side L is off by a term in 1/L.
        let per_site = |side: usize| {
            let torus = Torus::new(side, side, critical).unwrap().exact();
            torus.mean_energy / (side * side) as f64
        };
        let off = |side| per_site(side) - energy_per_site(critical);
        assert!(off(64) < 0.0);
        assert_close(off(64) / off(128), 2.0, 1e-3);
        assert_eq!(magnetization(critical), 0.0);
        assert_eq!(magnetization(0.3), 0.0);
        assert_eq!(magnetization(-1.0), 0.0);
        assert_eq!(magnetization(400.0), 1.0);
        assert!(magnetization(f64::NAN) == 0.0);
        assert!(magnetization(CRITICAL_COUPLING + 1e-12) < 0.05);
        // (1 − sinh⁻⁴ 1)^{1/8}, from another implementation.
        assert_close(magnetization(0.5), 0.911319377877496, 1e-15);
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
