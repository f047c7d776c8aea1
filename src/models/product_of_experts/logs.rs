//! The energies of Student's t experts of one λ,
//!
//! `λ Σ_l ln(1 + u_l²) = λ ln Π_l (1 + u_l²)`:
//!
//! takes one logarithm per state instead of one per expert. The product is stored as a mantissa
//! from 1 to 2 and an exponent, into which excess powers of two are moved after every few factors.
//! If the product overflows in between, with |u| beyond 10³⁸, or is NaN, the logarithms are summed
//! one by one.

use crate::linalg::{COLS, Tile, tiles};
use crate::math::{ln, ln_slice};
use std::f64::consts::LN_2;

/// Number of factors before the mantissa is brought back below 2.
const FACTORS: usize = 4;

const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// Adds the energies of responses `[experts, width]` of experts with the same λ to `energy`, and
/// with `PSI` replaces the responses by `ψ = 2λu / (1 + u²)`.
pub(super) fn add<const PSI: bool>(lambda: f64, responses: &mut [f64], energy: &mut [f64]) {
    for tile in tiles(energy.len()) {
        match tile {
            Tile::Wide(col) => add_some::<COLS>(lambda, col, responses, energy),
            Tile::Single(col) => add_some::<1>(lambda, col, responses, energy),
        }
    }
    if PSI {
        responses.iter_mut().for_each(|u| *u = 2.0 * lambda * *u / (1.0 + *u * *u));
    }
}

/// Adds the energies of the states `col..col + COLS`, whose products are kept in registers.
fn add_some<const COLS: usize>(lambda: f64, col: usize, responses: &[f64], energy: &mut [f64]) {
    let width = energy.len();
    let (mut mantissa, mut exponent) = ([1.0; COLS], [0.0; COLS]);
    for some in responses.chunks(FACTORS * width) {
        for u in some.chunks_exact(width) {
            let u: &[f64; COLS] = u[col..].first_chunk().expect("whole lines");
            mantissa.iter_mut().zip(u).for_each(|(product, u)| *product *= 1.0 + u * u);
        }
        for (mantissa, exponent) in mantissa.iter_mut().zip(&mut exponent) {
            let bits = mantissa.to_bits();
            *exponent += exponent_of(bits);
            *mantissa = f64::from_bits(bits & MANTISSA | ONE);
        }
    }
    ln_slice(&mut mantissa);
    for (at, energy) in energy[col..col + COLS].iter_mut().enumerate() {
        *energy += if exponent[at].is_nan() {
            let u = responses.iter().skip(col + at).step_by(width);
            u.fold(0.0, |sum, u| sum + lambda * ln(1.0 + u * u))
        } else {
            lambda * (mantissa[at] + exponent[at] * LN_2)
        };
    }
}

/// The binary exponent of a positive normal number; NaN for infinity or NaN.
#[inline(always)]
fn exponent_of(bits: u64) -> f64 {
    const NONE: u64 = 0x7ff;
    let field = bits >> 52 & NONE;
    // An integer in the low bits of 2⁵², from which 2⁵² and the bias are subtracted.
    let value = f64::from_bits(field | 0x4330_0000_0000_0000) - (4503599627370496.0 + 1023.0);
    if field == NONE { f64::NAN } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    fn energies(lambda: f64, u: &[f64], width: usize) -> Vec<f64> {
        let mut energy = vec![1.0; width];
        add::<false>(lambda, &mut u.to_vec(), &mut energy);
        energy
    }

    #[test]
    fn products_are_sums_of_logarithms() {
        let mut rng = stream(1, Purpose::Example, 0);
        for (num_experts, width, scale) in
            [(1, 1, 1.0), (3, 2, 1e-9), (36, 16, 1.0), (37, 5, 1e30), (4000, 3, 1e6)]
        {
            let u: Vec<f64> = (0..num_experts * width).map(|_| scale * normal(&mut rng)).collect();
            for (state, energy) in energies(1.5, &u, width).into_iter().enumerate() {
                let terms = u.iter().skip(state).step_by(width).map(|u| 1.5 * ln(1.0 + u * u));
                let expected = 1.0 + terms.sum::<f64>();
                assert!((energy - expected).abs() < 1e-13 * expected, "{energy} {expected}");
            }
        }
    }

    #[test]
    fn a_state_has_the_same_bits_in_any_company() {
        let mut rng = stream(2, Purpose::Example, 0);
        let u: Vec<f64> = (0..36 * 16).map(|_| normal(&mut rng)).collect();
        let together = energies(0.7, &u, 16);
        for (state, energy) in together.into_iter().enumerate() {
            let alone: Vec<f64> = u.iter().skip(state).step_by(16).copied().collect();
            assert_eq!(energies(0.7, &alone, 1), [energy]);
        }
    }

    #[test]
    fn far_away_the_energy_is_finite_as_long_as_it_can_be() {
        let far = [1e100; 8];
        let expected = 1.0 + 8.0 * ln(1.0 + 1e200);
        assert!((energies(1.0, &far, 1)[0] / expected - 1.0).abs() < 1e-14);
        assert_eq!(energies(1.0, &[1.0, 1e200], 1), [f64::INFINITY]);
        assert_eq!(energies(1.0, &[0.0, f64::INFINITY], 1), [f64::INFINITY]);
        assert!(energies(1.0, &[0.0, f64::NAN], 1)[0].is_nan());
    }

    #[test]
    fn psi_by_its_definition() {
        let mut u = [0.5, -3.0, 0.0, 2.0];
        add::<true>(1.5, &mut u, &mut [0.0; 2]);
        assert_eq!(u, [0.5 * 3.0 / 1.25, -9.0 / 10.0, 0.0, 6.0 / 5.0]);
    }
}
