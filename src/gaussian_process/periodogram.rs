//! Periods that values seem to have: peaks of their periodogram, for inputs that need not be evenly spaced.

use crate::math::{exp, ln, sin_cos};
use crate::series::Periods;
use crate::sorting::descending_order;
use std::f64::consts::TAU;

/// Frequencies for each cycle over the range.
const OVERSAMPLING: f64 = 4.0;

/// ln p of the peaks of Σ y e^{2πix/p}, the strongest first, within the periods allowed. The best straight line is
/// taken out of the values before.
///
/// # Panics
/// If x and y differ in length.
pub fn peaks(x: &[f64], y: &[f64], periods: &Periods) -> Vec<f64> {
    assert_eq!(x.len(), y.len());
    let rest = without_line(x, y);
    let (low, high) = (exp(-periods.ln_greatest), exp(-periods.ln_least));
    let count = ((high - low) * OVERSAMPLING) as usize + 1;
    let frequency = |at: usize| low + at as f64 / OVERSAMPLING;
    let power = |at: usize| {
        let (mut cosines, mut sines) = (0.0, 0.0);
        for (x, y) in x.iter().zip(&rest) {
            let (sin, cos) = sin_cos(TAU * frequency(at) * x);
            cosines += y * cos;
            sines += y * sin;
        }
        cosines * cosines + sines * sines
    };
    let powers: Vec<f64> = (0..count).map(power).collect();
    let is_peak = |at: &usize| {
        let before = at.checked_sub(1).map_or(f64::NEG_INFINITY, |at| powers[at]);
        let after = powers.get(at + 1).copied().unwrap_or(f64::NEG_INFINITY);
        powers[*at] >= before && powers[*at] > after
    };
    let highest_first = descending_order(&powers[..count]).into_iter();
    highest_first.filter(is_peak).map(|at| -ln(frequency(at))).collect()
}

/// The values without the straight line of least squares.
fn without_line(x: &[f64], y: &[f64]) -> Vec<f64> {
    let count = x.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (mx, my) = (mean(x), mean(y));
    let square: f64 = x.iter().map(|x| (x - mx) * (x - mx)).sum();
    let cross: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    x.iter().zip(y).map(|(x, y)| y - my - slope * (x - mx)).collect()
}
