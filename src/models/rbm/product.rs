//! Products of many positive factors, kept in range by extracting powers of two from time to time,
//! without a logarithm per factor.

use crate::math::{exp, ln};
use std::f64::consts::{LN_2, LOG2_E};

/// Largest |logarithm| that a running product may reach before its powers of two are extracted. The
/// smallest and largest normal numbers are e^−708 and e^709.
pub(super) const MAX_LOG: f64 = 690.0;

/// A positive number `mantissa · 2^exponent`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaled {
    pub mantissa: f64,
    pub exponent: i64,
}

impl Scaled {
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Moves the power of two out of the mantissa, which must be a positive normal number; it is
    /// then in [1, 2).
    pub fn normalize(&mut self) {
        let bits = self.mantissa.to_bits();
        self.exponent += (bits >> 52) as i64 - 1023;
        self.mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    }

    /// The product of two numbers with mantissas in [1, 2), again with a mantissa in [1, 2).
    pub fn times(self, other: Self) -> Self {
        let mut product = Self {
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
        };
        product.normalize();
        product
    }

    /// eˣ for x of any size.
    pub fn exp(x: f64) -> Self {
        // Far enough out that sums of exponents do not overflow; e^∞ is still infinite, and e^−∞ is
        // 0.
        let exponent = (x * LOG2_E).floor().clamp(-1e15, 1e15);
        Self { mantissa: exp(x - exponent * LN_2), exponent: exponent as i64 }
    }

    /// The square root of a number with mantissa in [1, 2), again with such a mantissa.
    pub fn sqrt(self) -> Self {
        let is_odd = self.exponent & 1;
        let doubled = if is_odd == 1 { 2.0 * self.mantissa } else { self.mantissa };
        Self { mantissa: doubled.sqrt(), exponent: (self.exponent - is_odd) / 2 }
    }

    /// The number as a double; 0 or infinite if it is out of range.
    pub fn to_f64(self) -> f64 {
        // In two steps, as 2^exponent itself may be out of range.
        let exponent = self.exponent.clamp(-1200, 1200);
        let half = exponent / 2;
        let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
        self.mantissa * power(half) * power(exponent - half)
    }

    /// The natural logarithm.
    pub fn ln(self) -> f64 {
        ln(self.mantissa) + self.exponent as f64 * LN_2
    }
}

/// How many factors with |logarithm| at most `bound` may be multiplied before [`Scaled::normalize`]
/// must be called; 0 if none.
pub(super) fn cadence(bound: f64) -> usize {
    // Also 0 if the bound is NaN.
    if bound <= MAX_LOG { (MAX_LOG / bound).min(1024.0) as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_beyond_the_range_of_floats() {
        let mut lanes = [Scaled::ONE; 2];
        let mut expected = 0.0;
        for index in 0..60 {
            let factor = [1e-200, 3.5e90, 0.7][index % 3] * (1.0 + index as f64);
            lanes[index % 2].mantissa *= factor;
            lanes[index % 2].normalize();
            expected += ln(factor);
        }
        let product = lanes[0].times(lanes[1]);
        assert!(product.mantissa >= 1.0 && product.mantissa < 2.0);
        assert!((product.ln() - expected).abs() < 1e-12 * expected.abs(), "{product:?} {expected}");
    }

    #[test]
    fn powers_beyond_all_exponents() {
        for x in [2e15, 1e300, f64::INFINITY] {
            for (x, end) in [(x, f64::INFINITY), (-x, 0.0)] {
                let mut number = Scaled::exp(x);
                number.normalize();
                assert_eq!(number.times(number).times(number.sqrt()).to_f64(), end, "{x}");
                assert_eq!(Scaled::ONE.times(number).to_f64(), end, "{x}");
            }
        }
    }

    #[test]
    fn roots_and_powers() {
        for x in [-1500.0, -745.2, -3.1, -0.2, 0.0, 0.4, 1.0, 37.0, 700.0, 1402.0] {
            let mut number = Scaled::exp(x);
            assert!((number.ln() - x).abs() < 1e-13 * (1.0 + x.abs()));
            number.normalize();
            let root = number.sqrt();
            assert!(root.mantissa >= 1.0 && root.mantissa < 2.0);
            assert!((root.ln() - 0.5 * x).abs() < 1e-13 * (1.0 + x.abs()));
            let (ours, direct) = (number.to_f64(), exp(x));
            assert!(ours == direct || (ours - direct).abs() <= 1e-12 * direct + 1e-323, "{x}");
        }
    }

    #[test]
    fn cadence_keeps_products_in_range() {
        assert_eq!(cadence(0.0), 1024);
        assert_eq!(cadence(100.0), 6);
        assert_eq!(cadence(690.1), 0);
        assert_eq!(cadence(f64::INFINITY), 0);
        assert_eq!(cadence(f64::NAN), 0);
    }
}
