//! Exact results for the square lattice without a field, in spins: `E = −K Σ s_i s_j` over nearest
//! neighbours, each pair once, K > 0.
//!
//! - [`Torus`]: log Z and mean energy of a finite torus (Kaufman 1949). The
//!   corresponding model of this library, `uniform: { coupling: K }` on a periodic
//!   lattice of D sites, has an energy higher by 2KD in every state
//!   ([`Spins::constant`](super::Spins::constant)).
//! - [`energy_per_site`], [`magnetization`]: the infinite lattice (Onsager
//!   1944; Yang 1952).

mod torus;

pub use torus::{Torus, TorusExact};

use crate::math::exp;

/// Largest coupling of [`Torus`]. Beyond it the spins all agree, except with a probability of some
/// 10⁻³⁴⁰ per site.
pub const MAX_COUPLING: f64 = 100.0;

/// The coupling of the phase transition, ½ ln(1 + √2) (Kramers & Wannier
/// 1941).
pub const CRITICAL_COUPLING: f64 = 0.4406867935097715;

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

/// Mean energy per site of the infinite lattice, in nats, for a coupling of either sign (Onsager
/// 1944): `−K coth 2K [1 + (2/π)(2 tanh² 2K − 1) K₁(κ)]`, `κ = 2 sinh 2K / cosh² 2K`, with K₁ the
/// complete elliptic integral of the first kind. It is −K√2 at the transition, and 0 without a
/// coupling.
pub fn energy_per_site(coupling: f64) -> f64 {
    // Flipping every other spin changes the sign of K, and the energy is K ∂/∂K of an even
    // function.
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
    // Both converge quadratically once they are close; from 10⁻³⁰⁰ this takes 14 steps.
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ln;

    #[track_caller]
    pub(super) fn assert_close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
    }

    /// Far from the transition a large torus behaves like the infinite lattice.
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
}
