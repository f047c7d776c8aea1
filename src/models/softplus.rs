//! Units whose energy is a softplus, `ln(1 + eᵘ)`, and whose mean is its slope, the sigmoid, for
//! many states side by side.

use crate::math::{exp, ln_slice};

/// Number of lines whose factors 1 + e⁻ˡᵘˡ are multiplied before a logarithm is taken: none exceeds
/// 2, so the product is at most 2⁵¹².
const MAX_FACTORS: usize = 512;

/// `totals[c] += Σ_j softplus(u_jc)` and `u_jc ← sigmoid(u_jc)`, for lines u_j as long as `totals`.
/// It takes one logarithm for all units of a state.
pub(super) fn sum_units(u: &mut [f64], room: &mut [f64], totals: &mut [f64]) {
    let width = totals.len();
    let factors = &mut room[..width];
    for lines in u.chunks_mut(width * MAX_FACTORS) {
        factors.fill(1.0);
        for u in lines.chunks_exact_mut(width) {
            for ((u, factor), total) in u.iter_mut().zip(&mut *factors).zip(&mut *totals) {
                let (positive, above, plus) = parts(*u);
                *total += positive;
                *factor *= plus;
                *u = above / plus;
            }
        }
        ln_slice(factors);
        totals.iter_mut().zip(&*factors).for_each(|(total, log)| *total += log);
    }
}

/// `u ← sigmoid(u)` for all entries.
pub(super) fn sigmoids(u: &mut [f64]) {
    for u in u {
        let (_, above, plus) = parts(*u);
        *u = above / plus;
    }
}

/// `a ← softplus(u)` and `u ← sigmoid(u)` for all entries of a line.
pub(super) fn softplus_line(u: &mut [f64], room: &mut [f64], a: &mut [f64]) {
    let logs = &mut room[..u.len()];
    for ((u, a), log) in u.iter_mut().zip(&mut *a).zip(&mut *logs) {
        let (positive, above, plus) = parts(*u);
        *a = positive;
        *log = plus;
        *u = above / plus;
    }
    ln_slice(logs);
    a.iter_mut().zip(&*logs).for_each(|(a, log)| *a += log);
}

/// With e = e⁻ˡᵘˡ: the positive part of u, the numerator of the sigmoid, and 1 + e.
#[inline(always)]
fn parts(u: f64) -> (f64, f64, f64) {
    let e = exp(-u.abs());
    // Unlike f64::max, this keeps NaN.
    let positive = if u < 0.0 { 0.0 } else { u };
    let above = if u >= 0.0 { 1.0 } else { e };
    (positive, above, 1.0 + e)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{sigmoid, softplus};

    #[test]
    fn lines_are_what_their_units_are() {
        let (num_units, width) = (1100, 3);
        let value = |at: usize| ((at * 37) % 101) as f64 / 1.7 - 30.0;
        let plain: Vec<f64> = (0..num_units * width).map(value).collect();
        let mut room = [0.0; 8];
        let (mut u, mut totals) = (plain.clone(), [1.0; 3]);
        sum_units(&mut u, &mut room, &mut totals);
        for (c, total) in totals.iter().enumerate() {
            let units = plain.iter().skip(c).step_by(width);
            let expected = 1.0 + units.map(|&u| softplus(u)).sum::<f64>();
            assert!((total - expected).abs() < 1e-13 * expected);
        }
        assert!(u.iter().zip(&plain).all(|(sigma, &u)| *sigma == sigmoid(u)));
        let mut again = plain.clone();
        sigmoids(&mut again);
        assert_eq!(again, u);
        let mut line = [-800.0, -3.0, 0.0, 2.0, 900.0, f64::NAN];
        let mut a = [0.0; 6];
        softplus_line(&mut line, &mut room, &mut a);
        for (a, u) in a.iter().zip([-800.0, -3.0, 0.0, 2.0, 900.0]) {
            assert!((a - softplus(u)).abs() < 1e-15 * (1.0 + a));
        }
        assert!(a[5].is_nan() && line[5].is_nan());
    }
}
