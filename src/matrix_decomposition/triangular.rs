//! Small positive definite matrices: their Cholesky factors, in place.

/// Replaces the lower triangle of a symmetric matrix, row-major, by L with A = LLᵀ. Where a pivot is lost by rounding, it is
/// taken as a small fraction of the diagonal entry.
pub fn factorize(size: usize, a: &mut [f64]) {
    for i in 0..size {
        for j in 0..=i {
            let mut sum = a[i * size + j];
            for k in 0..j {
                sum -= a[i * size + k] * a[j * size + k];
            }
            a[i * size + j] = if i == j {
                let least = 1e-14 * a[i * size + i].abs() + f64::MIN_POSITIVE;
                sum.max(least).sqrt()
            } else {
                sum / a[j * size + j]
            };
        }
    }
}

/// L⁻¹ b, in place.
pub fn forward(size: usize, l: &[f64], b: &mut [f64]) {
    for i in 0..size {
        let mut sum = b[i];
        for k in 0..i {
            sum -= l[i * size + k] * b[k];
        }
        b[i] = sum / l[i * size + i];
    }
}

/// L⁻ᵀ b, in place.
pub fn backward(size: usize, l: &[f64], b: &mut [f64]) {
    for i in (0..size).rev() {
        let mut sum = b[i];
        for k in i + 1..size {
            sum -= l[k * size + i] * b[k];
        }
        b[i] = sum / l[i * size + i];
    }
}

/// ln det A.
pub fn ln_det(size: usize, l: &[f64]) -> f64 {
    2.0 * (0..size).map(|i| crate::math::ln(l[i * size + i])).sum::<f64>()
}
