//! Two samples of states `(x, v)`, compared.

use super::{NUM_CHAINS, States};
use unnorm::math::ln;

pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, square / (count * (count - 1.0)))
}

/// The largest distance of two distributions of as many draws each.
pub fn kolmogorov_smirnov(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (mut i, mut j, mut worst) = (0, 0, 0_usize);
    while i < a.len() && j < b.len() {
        if a[i] < b[j] {
            i += 1;
        } else {
            j += 1;
        }
        worst = worst.max(i.abs_diff(j));
    }
    worst as f64 / a.len() as f64
}

/// What tells two samples apart, or nothing.
pub fn difference(dim: usize, a: &States, b: &States) -> Option<String> {
    let column = |states: &States, at: usize| -> Vec<f64> {
        states.iter().skip(at).step_by(2 * dim).copied().collect()
    };
    let name = |at: usize| format!("{}{}", if at < dim { "x" } else { "v" }, at % dim);
    let differs = |a: &[f64], b: &[f64]| {
        let ((mean_a, error_a), (mean_b, error_b)) = (mean_and_error(a), mean_and_error(b));
        let z = (mean_a - mean_b) / (error_a + error_b).sqrt();
        (!(z.abs() < 7.0)).then(|| format!("{mean_a} and not {mean_b}, {z:.1} errors"))
    };
    // P(D > d) ≤ 2 exp(−n d²) for two samples of n.
    let limit = (ln(2.0 / 1e-10) / NUM_CHAINS as f64).sqrt();
    for i in 0..2 * dim {
        let (a_i, b_i) = (column(a, i), column(b, i));
        if let Some(problem) = differs(&a_i, &b_i) {
            return Some(format!("mean of {}: {problem}", name(i)));
        }
        for j in 0..=i {
            let times = |x: &[f64], y: Vec<f64>| -> Vec<f64> {
                x.iter().zip(y).map(|(x, y)| x * y).collect()
            };
            let (a_ij, b_ij) = (times(&a_i, column(a, j)), times(&b_i, column(b, j)));
            if let Some(problem) = differs(&a_ij, &b_ij) {
                return Some(format!("mean of {} {}: {problem}", name(i), name(j)));
            }
        }
        let distance = kolmogorov_smirnov(a_i, b_i);
        if !(distance < limit) {
            return Some(format!("distribution of {}: {distance} apart", name(i)));
        }
    }
    None
}
