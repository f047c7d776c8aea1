//! The terms of a sum over single flips, for eight sites side by side: how they are computed from
//! the tables ([`Form`]) and which function of them is summed ([`Terms`]).
//!
//! A flip gains `m = 2 s_n z_n`. Minimum probability flow sums e^{m/2},
//! pseudolikelihood ln(1 + eᵐ); see [`FlipLoss`].

use crate::energy::FlipLoss;
use crate::linalg::Lanes;
use crate::math::{exp_lanes, ln, ln_1p};
use std::f64::consts::LN_2;

/// Number of sites per tile.
pub(super) const TILE: usize = Lanes::LEN;

/// Lanes of all ones where a site's bit is set.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Mask(pub [u64; TILE]);

/// −x if the mask is clear, else x.
#[inline(always)]
pub(super) fn negate_clear(x: f64, mask: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ (!mask & 1 << 63))
}

/// The form of the table entries.
pub(super) trait Form {
    /// The entry of a pattern without set bits.
    const NOTHING: f64;
    /// The entry of an exponent.
    fn start(exponents: &Lanes) -> Lanes;
    /// The entry of two patterns combined.
    fn join(a: f64, b: f64) -> f64;
    /// Adds the terms with m/2 = ±z_n, plus if the site is set, from the joined entries; returns
    /// the weight times 2φ′(m).
    fn add<T: Terms>(terms: &mut T, joined: &Lanes, set: &Mask, weight: f64) -> Lanes;
}

/// Exponentials, which are multiplied.
pub(super) struct Products;

impl Form for Products {
    const NOTHING: f64 = 1.0;

    fn start(exponents: &Lanes) -> Lanes {
        exp_lanes(exponents)
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn add<T: Terms>(terms: &mut T, joined: &Lanes, set: &Mask, weight: f64) -> Lanes {
        let inverse = Lanes(joined.0.map(|joined| 1.0 / joined));
        let mut flow = Lanes::ZERO;
        for lane in 0..TILE {
            let (up, down) = (joined.0[lane].to_bits(), inverse.0[lane].to_bits());
            flow.0[lane] = f64::from_bits(up & set.0[lane] | down & !set.0[lane]);
        }
        terms.add_exponential(&flow, weight)
    }
}

/// Exponents, which are added.
pub(super) struct Exponents;

impl Form for Exponents {
    const NOTHING: f64 = 0.0;

    fn start(exponents: &Lanes) -> Lanes {
        *exponents
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn add<T: Terms>(terms: &mut T, joined: &Lanes, set: &Mask, weight: f64) -> Lanes {
        let mut exponent = Lanes::ZERO;
        for lane in 0..TILE {
            exponent.0[lane] = negate_clear(joined.0[lane], set.0[lane]);
        }
        terms.add_exponent(&exponent, weight)
    }
}

/// Sums of weight times φ(m), lane by lane.
pub(super) trait Terms {
    /// Empty sums.
    const NONE: Self;
    /// Adds terms given e^{m/2}, at most e^300; returns the weight times 2φ′(m).
    fn add_exponential(&mut self, flow: &Lanes, weight: f64) -> Lanes;
    /// Adds terms given m/2, of any size; returns the weight times 2φ′(m).
    fn add_exponent(&mut self, exponent: &Lanes, weight: f64) -> Lanes;
    /// The sums of all terms added, lane by lane.
    fn total(self) -> Lanes;
}

/// Flow terms, φ(m) = e^{m/2} = 2φ′(m).
pub(super) struct Flows {
    total: Lanes,
}

impl Terms for Flows {
    const NONE: Self = Self { total: Lanes::ZERO };

    #[inline(always)]
    fn add_exponential(&mut self, flow: &Lanes, weight: f64) -> Lanes {
        let mut weighted = Lanes::ZERO;
        for lane in 0..TILE {
            weighted.0[lane] = weight * flow.0[lane];
            self.total.0[lane] += weighted.0[lane];
        }
        weighted
    }

    #[inline(always)]
    fn add_exponent(&mut self, exponent: &Lanes, weight: f64) -> Lanes {
        self.add_exponential(&exp_lanes(exponent), weight)
    }

    fn total(self) -> Lanes {
        self.total
    }
}

/// Pseudolikelihood terms, φ(m) = ln(1 + eᵐ), φ′(m) = eᵐ / (1 + eᵐ). If rows have weight 1 the
/// logarithm is that of a product over the rows, with its powers of two kept separately: one
/// logarithm per shard instead of one per row.
pub(super) struct Logs {
    total: Lanes,
    /// The mantissa of the product, in [1, 2).
    product: Lanes,
    powers: [u64; TILE],
}

/// Position of the exponent in a number's bits; the next constant is its bias.
const EXPONENT: u32 = 52;
const ONE: u64 = 1023;

impl Terms for Logs {
    const NONE: Self = Self { total: Lanes::ZERO, product: Lanes::splat(1.0), powers: [0; TILE] };

    #[inline(always)]
    fn add_exponential(&mut self, flow: &Lanes, weight: f64) -> Lanes {
        let mut slope = Lanes::ZERO;
        for lane in 0..TILE {
            let odds = flow.0[lane] * flow.0[lane];
            let sum = 1.0 + odds;
            slope.0[lane] = 2.0 * weight * (odds / sum);
            if weight == 1.0 {
                let bits = (self.product.0[lane] * sum).to_bits();
                self.powers[lane] += (bits >> EXPONENT) - ONE;
                self.product.0[lane] =
                    f64::from_bits(bits & ((1 << EXPONENT) - 1) | ONE << EXPONENT);
            } else {
                self.total.0[lane] += weight * ln_1p(odds);
            }
        }
        slope
    }

    fn add_exponent(&mut self, exponent: &Lanes, weight: f64) -> Lanes {
        let mut slope = Lanes::ZERO;
        for lane in 0..TILE {
            let (loss, derivative) = FlipLoss::Pseudolikelihood.at(2.0 * exponent.0[lane]);
            self.total.0[lane] += weight * loss;
            slope.0[lane] = 2.0 * weight * derivative;
        }
        slope
    }

    fn total(self) -> Lanes {
        let mut total = self.total;
        for lane in 0..TILE {
            total.0[lane] += ln(self.product.0[lane]) + self.powers[lane] as f64 * LN_2;
        }
        total
    }
}
