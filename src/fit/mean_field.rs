//! Mean field inversion for Ising models: couplings straight from the means
//! and covariances of the data, without iteration (Tanaka 1998, as Sohl-Dickstein
//! 2012, section 3.1, uses it).
//!
//! In spins s = 2x − 1 with means m, susceptibility χ = cov(s) and couplings w
//! (each pair once, [`Spins`]), expansion in the couplings gives for i ≠ j
//!
//! - naive, first order: `(χ⁻¹)_ij = −w_ij`, and `b_i = artanh m_i − Σ_j w_ij m_j`;
//! - TAP, second order: `(χ⁻¹)_ij = −w_ij − 2 m_i m_j w_ij²`, and b_i also
//!   `+ m_i Σ_j w_ij² (1 − m_j²)`.
//!
//! The inverse is replaced by `A = (χᵀχ + λI)⁺ χᵀ` (eq. 3.3), λ ≥ 0 in units of spin covariance
//! squared (16 times those of bits).
//!
//! Where it fails, and how that is handled ([`MeanFieldFit`] counts each):
//! - χ is **singular**, or nearly: there are fewer independent directions than
//!   sites. With λ = 0 the pseudo-inverse drops the directions without
//!   variance; those with little are the noise of the estimate, magnified.
//! - TAP's quadratic has **complex roots** where `8 m_i m_j A_ij > 1`. The root
//!   that continues the first order is taken where it is real, the real part
//!   elsewhere.
//! - A site that **never varies** has an infinite field. Its mean is set to
//!   ±(1 − 1/N).
//! - The couplings are not weak: the numbers above do not show this; the result
//!   is simply wrong. On glasses it may be worse than no couplings.

use crate::bits::WeightedRows;
use crate::math::ln_1p;
use crate::models::ising::{Ising, Spins, spin_covariance, spin_means};
use crate::{Error, Result};
use nalgebra::DMatrix;
use unnorm_wire::spec;

/// Largest D: the decomposition takes D³ operations and cannot be interrupted.
pub const MAX_DIM: usize = 512;

/// The order of the expansion in the couplings.
#[spec(name = "MeanFieldOrder")]
#[derive(Copy, Eq)]
pub enum Order {
    /// First order in the couplings.
    Naive,
    /// Second order, after Thouless, Anderson and Palmer.
    Tap,
}

/// An inversion and what went wrong in it.
#[derive(Debug, Clone)]
pub struct MeanFieldFit {
    /// The model, every pair coupled.
    pub model: Ising,
    /// Number of eigenvalues of χ that are not zero to rounding; D if it is regular.
    pub rank: usize,
    /// Largest eigenvalue of χ over the smallest; infinite if it is singular.
    pub condition: f64,
    /// Number of pairs whose quadratic has complex roots; 0 for naive mean field.
    pub num_complex: usize,
    /// Number of sites that never vary.
    pub num_constant: usize,
}

/// Refuses moments that cannot be inverted.
///
/// # Errors
/// [`Error::InvalidSpec`] if λ is negative or not finite, [`Error::TooLarge`]
/// if there are over [`MAX_DIM`] sites.
pub fn check(dim: usize, regularization: f64) -> Result<()> {
    if !(regularization >= 0.0 && regularization.is_finite()) {
        return Err(Error::spec(
            "objective.strength",
            format!("is {regularization}; it must be a finite number of at least 0"),
        ));
    }
    if dim > MAX_DIM {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!(
                "is {dim}, and mean field inversion takes dim³ operations at once: the limit is \
                 {MAX_DIM}; choose another objective"
            ),
        });
    }
    Ok(())
}

/// Inverts the moments of data. λ is `regularization`.
///
/// # Errors
/// The errors of [`check`].
pub fn fit(data: &WeightedRows, order: Order, regularization: f64) -> Result<MeanFieldFit> {
    let dim = data.dim();
    check(dim, regularization)?;
    let susceptibility = spin_covariance(data);
    let mut means = spin_means(data);
    let constant: Vec<usize> =
        (0..dim).filter(|site| susceptibility[(*site, *site)] <= 0.0).collect();
    for site in &constant {
        means[*site] *= 1.0 - 1.0 / data.total().max(2.0);
    }
    let (inverse, rank, condition) = regularized_inverse(susceptibility, regularization);

    let mut num_complex = 0;
    let mut weights = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in i + 1..dim {
            let entry = inverse[(i, j)];
            let weight = match order {
                Order::Naive => -entry,
                Order::Tap => {
                    let both = means[i] * means[j];
                    let discriminant = 1.0 - 8.0 * both * entry;
                    if discriminant >= 0.0 {
                        -2.0 * entry / (1.0 + discriminant.sqrt())
                    } else {
                        num_complex += 1;
                        -0.25 / both
                    }
                }
            };
            weights[i * dim + j] = weight;
            weights[j * dim + i] = weight;
        }
    }
    let fields = (0..dim)
        .map(|site| {
            let line = &weights[site * dim..(site + 1) * dim];
            let mut field = 0.5 * (ln_1p(means[site]) - ln_1p(-means[site]));
            for (weight, mean) in line.iter().zip(&means) {
                field -= weight * mean;
                if order == Order::Tap {
                    field += means[site] * weight * weight * (1.0 - mean * mean);
                }
            }
            field
        })
        .collect();
    let model = Ising::from_spins(&Spins { weights, fields, constant: 0.0 })?;
    Ok(MeanFieldFit { model, rank, condition, num_complex, num_constant: constant.len() })
}

/// `(χᵀχ + λI)⁺ χᵀ` of a symmetric χ by its eigenvalues: l becomes
/// `l / (l² + λ)`, and 0 where that is 0/0. Also the rank and the condition.
fn regularized_inverse(matrix: DMatrix<f64>, regularization: f64) -> (DMatrix<f64>, usize, f64) {
    let dim = matrix.nrows();
    let eigen = crate::linalg::symmetric_eigen(matrix);
    let largest = eigen.eigenvalues.amax();
    let zero = largest * dim as f64 * f64::EPSILON;
    let rank = eigen.eigenvalues.iter().filter(|value| value.abs() > zero).count();
    let condition = if rank < dim { f64::INFINITY } else { largest / eigen.eigenvalues.amin() };
    let inverses: Vec<f64> = eigen
        .eigenvalues
        .iter()
        .map(
            |value| if value.abs() > zero { value / (value * value + regularization) } else { 0.0 },
        )
        .collect();
    // Q diag(inverses) Qᵀ, each entry a sum in order.
    let vectors = &eigen.eigenvectors;
    let mut inverse = DMatrix::zeros(dim, dim);
    for i in 0..dim {
        for j in i..dim {
            let mut sum = 0.0;
            for k in 0..dim {
                sum += vectors[(i, k)] * inverses[k] * vectors[(j, k)];
            }
            inverse[(i, j)] = sum;
            inverse[(j, i)] = sum;
        }
    }
    (inverse, rank, condition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitBatch, BitMatrix};
    use crate::energy::Energy;
    use crate::exact::enumerate;
    use crate::linalg::Batch;
    use crate::math::exp;
    use crate::rng::{Purpose, normal, stream};

    const DIM: usize = 6;

    /// A model with fields of size 1 and couplings of the given scale, and its exact distribution
    /// as data.
    fn truth(scale: f64) -> (Spins, WeightedRows) {
        let mut rng = stream(17, Purpose::Example, 0);
        let fields: Vec<f64> = (0..DIM).map(|_| 0.5 * normal(&mut rng)).collect();
        let mut weights = vec![0.0; DIM * DIM];
        for i in 0..DIM {
            for j in i + 1..DIM {
                weights[i * DIM + j] = scale * normal(&mut rng);
                weights[j * DIM + i] = weights[i * DIM + j];
            }
        }
        let spins = Spins { weights, fields, constant: 0.0 };
        let model = Ising::from_spins(&spins).unwrap();
        let mut rows = BitMatrix::zeros(DIM, 1 << DIM);
        rows.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
        let mut energies = vec![0.0; 1 << DIM];
        model.energy(Batch::new(DIM, &rows.as_batch().to_values()), &mut energies);
        let log_z = enumerate(&model).unwrap().log_z;
        let weights = energies.iter().map(|energy| exp(-energy - log_z)).collect();
        (spins, WeightedRows::weighted(rows, weights))
    }

    /// Largest error of the couplings and of the fields.
    fn errors(scale: f64, order: Order) -> [f64; 2] {
        let (truth, data) = truth(scale);
        let found = fit(&data, order, 0.0).unwrap();
        assert_eq!((found.rank, found.num_complex, found.num_constant), (DIM, 0, 0));
        let found = found.model.to_spins();
        let largest = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()))
        };
        [largest(&truth.weights, &found.weights), largest(&truth.fields, &found.fields)]
    }

    /// Halving weak couplings divides what first order leaves out by 4 and
    /// what second order leaves out by 8.
    #[test]
    fn errors_shrink_at_the_order_of_the_expansion() {
        for (order, expected) in [(Order::Naive, 2.0), (Order::Tap, 3.0)] {
            let [coarse, fine] = [0.004, 0.002].map(|scale| errors(scale, order));
            for (coarse, fine) in coarse.into_iter().zip(fine) {
                let rate = crate::math::ln(coarse / fine) / std::f64::consts::LN_2;
                assert!((rate - expected).abs() < 0.15, "{order:?}: {rate} ({coarse} {fine})");
            }
        }
    }

    #[test]
    fn independent_units_come_out_exactly() {
        for order in [Order::Naive, Order::Tap] {
            assert!(errors(0.0, order).into_iter().all(|error| error < 1e-12));
        }
    }

    /// Against products of matrices, regular and singular.
    #[test]
    fn inverse_is_that_of_the_equation() {
        for (repeated, regularization) in [(false, 0.0), (false, 0.3), (true, 0.3), (true, 0.0)] {
            let mut rng = stream(18, Purpose::Example, 0);
            let mut factor = DMatrix::from_fn(5, 5, |_, _| normal(&mut rng));
            if repeated {
                let line = factor.row(0).clone_owned();
                factor.set_row(3, &line);
            }
            let matrix = &factor * factor.transpose();
            let (found, rank, condition) = regularized_inverse(matrix.clone(), regularization);
            let gram = matrix.transpose() * &matrix + DMatrix::identity(5, 5) * regularization;
            assert_eq!(rank, if repeated { 4 } else { 5 });
            assert_eq!(condition.is_infinite(), repeated);
            // The pseudo-inverse solves the normal equations, with the least length.
            assert!((&gram * &found - matrix.transpose()).amax() < 1e-8);
            if repeated && regularization == 0.0 {
                assert!((&found * &matrix * &found - &found).amax() < 1e-8);
            }
        }
    }

    #[test]
    fn failures_are_counted() {
        // Bit 0 is always set; bits 1 and 2 are equal: χ has rank 2.
        let data = WeightedRows::from_data(BitBatch::new(4, &[1, 7, 9, 15, 7, 9]));
        let found = fit(&data, Order::Tap, 0.0).unwrap();
        assert_eq!((found.rank, found.num_constant), (2, 1));
        assert!(found.condition.is_infinite());
        assert!(found.model.couplings().iter().all(|entry| entry.is_finite()));
        // Mostly clear and repelling bits: 8 m_i m_j A_ij > 1.
        let data = WeightedRows::from_data(BitBatch::new(2, &[0, 0, 0, 0, 0, 0, 0, 1, 2]));
        let found = fit(&data, Order::Tap, 0.0).unwrap();
        assert_eq!(found.num_complex, 1);
        assert_eq!(fit(&data, Order::Naive, 0.0).unwrap().num_complex, 0);
        assert_eq!(fit(&data, Order::Tap, -1.0).unwrap_err().code(), "invalid-spec");
    }
}
